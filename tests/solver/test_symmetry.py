"""Axes that may trade places."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from attrs import evolve

import dicegames
from dicegames.compiler.compile import compile_game
from dicegames.rules.parts.game import Rules
from dicegames.solver.blocks import blocks
from dicegames.solver.blocks.plan import Plan, Run
from dicegames.solver.graph.symmetry import Renaming, first_images, symmetries
from dicegames.solver.kernels.workers import Workers
from dicegames.solver.model import CHANCE, END, Axis, Model
from dicegames.solver.solve import cost_of, solve
from tests.rules.small import game
from tests.solver.models import Builder

TRACKS = """
dice 1d3
each player
    track of n in (1 to 3) = 0 to 4 capped
turn
    roll all
    choose
        "One" when track of 1 < 4: track of 1 + sum of dice
        "Two" when track of 2 < 4: track of 2 + sum of dice
        "Three" when track of 3 < 4: track of 3 + sum of dice
ends when every n in (1 to 3) has track of n >= 3
payoff lowest sum of (track of n * track of n) over n in (1 to 3)
"""

RACE = (
    TRACKS.replace(
        "ends when every n in (1 to 3) has track of n >= 3", "ends after 3 rounds"
    ).replace("payoff lowest sum", "ranking highest sum")
    + "payoff win\n"
)
BOARD = {"players": 1, "sides": 2, "shortest": 3}
Asked = Callable[[], tuple[Rules, str]]


def _board() -> tuple[Rules, str]:
    return dicegames.load("cant_stop", **BOARD).rules, "turns"


def _tracks() -> tuple[Rules, str]:
    return game(TRACKS), "payoff"


def _race() -> tuple[Rules, str]:
    return game("option players = 2\n" + RACE), "payoff"


def _model(rules: Rules, objective: str = "payoff") -> Model:
    return compile_game(rules, objective).model


@pytest.mark.parametrize(
    ("of", "renamings"),
    [
        (_board, ((2, 1, 0),)),
        (_tracks, ((1, 0, 2), (0, 2, 1))),
        (_race, ((0, 1, 4, 5, 2, 3, 6, 7), (0, 1, 2, 3, 6, 7, 4, 5))),
    ],
)
def test_axes_trade_places(of: Asked, renamings: tuple[Renaming, ...]) -> None:
    assert symmetries(_model(*of())) == renamings


@pytest.mark.parametrize("of", [_board, _tracks, _race])
def test_values_are_those_of_all_points_solved(of: Asked, monkeypatch: pytest.MonkeyPatch) -> None:
    model = _model(*of())
    runs: list[Run] = []

    def noted(plan: Plan, workers: Workers) -> Run:
        runs.append(make_run(plan, workers))
        return runs[-1]

    make_run = blocks.make_run
    monkeypatch.setattr(blocks, "make_run", noted)
    found = solve(model, method="blocks")
    monkeypatch.setattr(blocks, "symmetries", lambda model: ())
    every = solve(model, method="blocks")
    few, all_of_them = (run.grouping.points.size for run in runs)
    assert few < 0.75 * all_of_them
    assert found.states_reachable == every.states_reachable
    near = found.error_bound + every.error_bound
    assert found.value == pytest.approx(every.value, rel=0, abs=near)
    for node, table in every.tables.items():
        own = found.tables[node]
        np.testing.assert_array_equal(np.isnan(own), np.isnan(table))
        np.testing.assert_allclose(own, table, rtol=0, atol=1e-12)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("track of 2 + sum of dice", "track of 2 + 1"),
        ("lowest sum", "lowest track of 2 + sum"),
        ("track of n * track of n", "track of n * n"),
        ("track of 3 < 4", "track of 3 < 3"),
        ("track of n >= 3", "track of n >= n"),
    ],
)
def test_what_tells_one_axis_from_the_others_is_seen(old: str, new: str) -> None:
    assert old in TRACKS
    assert len(symmetries(_model(game(TRACKS.replace(old, new))))) < 2


def test_a_start_that_tells_axes_apart_is_seen() -> None:
    model = _model(*_tracks())
    assert symmetries(evolve(model, start_point=(1, 0, 0))) == ((0, 2, 1),)


@pytest.mark.parametrize(("share", "found"), [(1e-15, True), (1e-9, False)])
def test_weights_may_be_rounded(share: float, found: bool) -> None:
    model = _model(*_board())
    weight = model.weight.copy()
    weight[np.flatnonzero(weight < 1)[0]] *= 1 + share
    assert bool(symmetries(evolve(model, weight=weight))) is found


@pytest.mark.parametrize(("paid", "found"), [((0, 1), ()), ((0, 0), ())])
def test_nodes_that_trade_places_keep_their_values(
    paid: tuple[int, int], found: tuple[Renaming, ...]
) -> None:
    """Either node pays what one axis holds: with the axes renamed, it is the other node."""
    b = Builder([Axis("track of 1", 3, "counter"), Axis("track of 2", 3, "counter")])
    start, end = b.node("start", CHANCE, stored=True), b.node("end", END)
    for name, axis in zip("ab", paid, strict=True):
        node = b.node(name, CHANCE, stored=True)
        held = b.lookup(f"held {axis}", (axis,), np.float64, float)
        b.edge(start, node, weight=0.5)
        b.edge(node, end, weight=1.0, reward=b.reward(0.0, held))
    model = b.build("two nodes", start, (1, 1))
    assert symmetries(model) == found
    values = [
        [solve(model).value_at(b.number(name), point) for name in "ab"]
        for point in [(0, 2), (2, 0)]
    ]
    assert values == [[point[axis] for axis in paid] for point in [(0, 2), (2, 0)]]


def test_points_that_are_images_are_told_beforehand() -> None:
    rules, objective = _board()
    found = cost_of(_model(rules, objective))
    assert found.images == 4 * 6 * 4 - (4 * 6 * 4 + 4 * 6) // 2


def test_the_first_of_all_orders_stands_for_the_others() -> None:
    model = _model(*_tracks())
    every = np.random.default_rng(1).permutation(model.points)
    first = first_images(model, symmetries(model), every)
    points = np.sort(np.array(np.unravel_index(every, model.shape)), axis=0).T
    _, orbit, number = np.unique(points, axis=0, return_index=True, return_inverse=True)
    assert (first == orbit[number.ravel()]).all()
