"""Rows over all results, against the rules played out position by position."""

from collections import Counter

import numpy as np
import pytest

import dicegames
from dicegames.analysis.chances.policy import policies
from dicegames.analysis.solution import Solution
from dicegames.rules.parts.game import Rules
from dicegames.rules.running.referee import Position, start
from dicegames.solver.graph.reach import Reach
from dicegames.solver.kernels.workers import Workers
from dicegames.solver.methods import by_blocks
from dicegames.solver.model import Array, Lookup
from dicegames.solver.results.curves import Curves
from dicegames.solver.results.rivals import find_distributions
from dicegames.solver.results.targets import find_targets

ROOM = 1_000_000


def best_chances(game: Rules, most: int) -> Array:
    """By plain recursion: max over all ways to play of P(Z > n) + P(Z = n) / 2, n = 0, 1, ..."""
    results = np.arange(most + 1)
    known: dict[object, Array] = {}

    def chances(position: Position) -> Array:
        if position.is_over:
            payoff = float(position.payoff[0])
            return np.where(payoff > results, 1.0, np.where(payoff == results, 0.5, 0.0))
        key = (position.at, position.env)
        if key not in known:
            moves = position.moves()
            if moves:
                found = np.array([chances(position.play(move)) for move in moves])
                known[key] = found.max(axis=0) if game.maximise else found.min(axis=0)
            else:
                outcomes = position.outcomes()
                parts = [float(o.probability) * chances(position.play(o)) for o in outcomes]
                known[key] = np.asarray(np.sum(parts, axis=0))
        return known[key]

    return chances(start(game))


FOUR = """game "Four left"

option players = 1 from 1 to 6
option goods_at_first = 21 from 0 to 100
option least = no

dice 6d6

each player
    goods = goods_at_first
    score = 0

boxes combination
    "Three pairs"     x x y y z z   pays sum
    "Two triples"     x x x y y y   pays sum
    "Six of a kind"   x x x x x x   pays 60
    "General"         6 6 6 6 6 6   pays 70

turn
    goods + 5
    roll all
    choose
        "Reroll" for 1 goods unless least: roll all, choose again
        one of open combination as c naming its faces
            use c
            repeat until dice show c or goods = 0
                goods - 1
                roll spare of c
            if dice show c: score + points of c

ends when all boxes are used
payoff lowest score + goods if least else highest score + goods
"""
"""The cards of Despirala in docs/games/despirala.md, four of its combinations alone."""


@pytest.fixture(scope="module", params=[False, True], ids=["highest", "lowest"])
def four(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Solution:
    path = tmp_path_factory.mktemp("rules") / "four.dg"
    path.write_text(FOUR)
    return dicegames.solve(dicegames.load(path, least=request.param, goods_at_first=2))


@pytest.fixture(scope="module", params=["shut_the_box", "ship_captain_and_crew"])
def solved(request: pytest.FixtureRequest) -> Solution:
    return dicegames.solve(dicegames.load(request.param))


def row_of(rows: Curves, state: int, most: int) -> Array:
    """One row, for n = 0, 1, ..., most."""
    low, length, at = (int(a[state]) for a in (rows.low, rows.length, rows.at))
    found = np.where(np.arange(most + 1) < low, 1.0, 0.0)
    found[low : low + length] = rows.cells[at : at + length]
    return found


def test_the_best_chance_for_every_result(solved: Solution) -> None:
    model, _ = solved.compiled.in_order()
    with Workers(2) as workers:
        _, rows = find_targets(model, 1.0, ROOM, workers)
    place = int(np.ravel_multi_index(model.start_point, model.shape)) if model.axes else 0
    expected = best_chances(solved.game, 60)
    assert np.abs(row_of(rows, int(place), 60) - expected).max() < 1e-6


def test_the_mean_of_every_row_is_the_value(four: Solution) -> None:
    policy = next(policies(four.compiled, four.solved))
    with Workers(2) as workers:
        rows, off = find_distributions(policy.chain, ROOM, workers)
        _, best = find_targets(four.compiled.in_order()[0], 1.0, ROOM, workers)
    assert off < 1e-9
    (node,) = policy.chain.landing_nodes
    values = policy.chain.walk.values[policy.chain.walk.table[node] :]
    states = np.flatnonzero(rows.length[:-1] >= 0)
    assert len(states) > 100
    worse = 1.0 if four.maximise else -1.0
    for state in states.tolist():
        first, count = rows.at[state], rows.length[state]
        row = rows.cells[first : first + count].astype(np.float64)
        mean = float(row @ (rows.low[state] + np.arange(count)))
        assert mean == pytest.approx(values[state], abs=1e-5)
        assert row.sum() == pytest.approx(1.0, abs=1e-6)
        played = np.zeros(400)
        played[rows.low[state] : rows.low[state] + count] = row
        exceeds = 1.0 - np.cumsum(played) + played / 2
        gain = worse * (row_of(best, state, 399) - exceeds)
        assert gain.min() > -1e-6  # for a single result nothing beats the best for it


def test_entries_that_are_few_are_kept_by_codes() -> None:
    chance = np.random.default_rng(2)
    few = np.array([0.5, 1 / 3, 1.0, 0.0])
    values = few[chance.integers(0, 3, (300, 400))]
    values[-1, -1] = 0.0  # which comes up in the last piece only
    lookup = Lookup.of((0, 1), values)
    assert lookup.kept.dtype == np.uint8
    assert lookup.few is not None
    assert set(lookup.few) == set(few)
    assert lookup.few[0] == values[0, 0]
    assert np.array_equal(lookup.values, values)
    for other in (chance.random((300, 400)), np.full((300, 400), np.nan), values[:2]):
        assert Lookup.of((0, 1), other).few is None


@pytest.mark.parametrize("minor_layer", [[0] * 70, [*range(70)], [k // 9 for k in range(70)]])
def test_layers_are_counted(minor_layer: list[int], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(
        by_blocks, "POINTS_EXAMINED", 500
    )  # so that rows are looked at in several parts
    chance = np.random.default_rng(3)
    met = chance.random((40, 70)) < 0.3
    words = np.zeros((40, 16), np.uint8)
    words[:, :9] = np.packbits(met, axis=1, bitorder="little")
    layer = chance.integers(0, 5, 40)
    reach = Reach(
        (0,), (1,), (40,), (70,), np.array([70, 1]), np.zeros((1, 40, 2), np.uint64),
        words.view(np.uint64), layer, np.array(minor_layer), None,
    )  # fmt: skip
    counted = Counter(int(layer[row]) + minor_layer[at] for row, at in np.argwhere(met).tolist())
    assert by_blocks._layer_sizes(reach) == tuple(counted[k] for k in sorted(counted))
