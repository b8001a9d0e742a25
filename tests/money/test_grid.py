"""Grids: at all points they are exact, at fewer nearly so; a turn is always exact."""

from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner

from dicegames.analysis.exact import exact_value
from dicegames.analysis.solution import Solution, solve_game
from dicegames.cli.app import app
from dicegames.compiler.compile import compile_game
from dicegames.compiler.grid import grid_points
from dicegames.compiler.objective import ObjectiveError
from dicegames.ground.source import Source
from dicegames.rules.check import check
from dicegames.rules.game import Game
from dicegames.solver.grid import thinned
from dicegames.solver.model import BRANCH, END, Axis, validate
from dicegames.solver.solve import solve
from tests.solver.models import Builder

STREET = Path(__file__).with_name("short_street.dg")
UNIT = 50
"""Totals are multiples of it."""
THREE = {"players": 3, "rounds": 1}
TWO = {"players": 2, "rounds": 6}


def street(**options: Any) -> Game:
    return check(Source(STREET.name, STREET.read_text(encoding="utf-8")), options)


@cache
def solved(step: int, players: int) -> Solution:
    """Return the solution on a grid; step 0: without one."""
    options = TWO if players == 2 else THREE
    return solve_game(street(**options), grid={"total": step} if step else None)


@pytest.mark.parametrize("players", [2, 3])
def test_a_reduced_game_is_exact(players: int) -> None:
    if players == 3:
        exact = exact_value(street(**THREE))  # the slowest test here
    else:
        exact = exact_value(street(players=2, rounds=1))
    assert isinstance(exact, tuple)
    solution = solved(0, 3) if players == 3 else solve_game(street(players=2, rounds=1))
    assert solution.value == pytest.approx([float(v) for v in exact], abs=1e-9)


@pytest.mark.parametrize("players", [2, 3])
def test_a_grid_of_all_points_is_exact(players: int) -> None:
    found, exact = solved(UNIT, players), solved(0, players)
    assert found.value == pytest.approx(exact.value, abs=1e-9)
    assert found.solved.status.name == "APPROXIMATE"
    assert found.error_bound == float("inf")


@pytest.mark.parametrize(("players", "cents"), [(2, 0.05), (3, 2.5)])
def test_a_wider_grid_is_near(players: int, cents: float) -> None:
    # in the one round of the three, all is decided by who is ahead of whom: the worst case
    found, exact = solved(200, players), solved(0, players)
    assert found.states_reachable < exact.states_reachable
    assert found.value == pytest.approx(exact.value, abs=cents)
    assert 0 <= found.solved.estimate <= found.solved.estimate_anywhere
    assert found.solved.residual < 1e-6


LAST = (
    "total 350 / 150 / 0 | round 1 | seat 3",
    "total 550 / 0 / 0 | strich no / yes / no | round 1 | seat 3 | at_risk 350",
    "total 350 / 150 / 0 | strich no / no / no | round 1 | seat 3 | at_risk 150",
)


@pytest.mark.parametrize("position", LAST)
def test_the_last_turn_is_exact_at_the_true_totals(position: str) -> None:
    rules = street(**THREE)
    found, exact = solved(200, 3), exact_value(rules, solved(0, 3)._own(position))
    assert isinstance(exact, tuple)
    assert found.value_of(position) == pytest.approx([float(v) for v in exact], abs=1e-9)


def test_between_the_points_values_are_interpolated_in_all_totals() -> None:
    position = "total 350 / 150 | strich yes / yes | round 3 | seat 1 | at_risk 250"
    found, exact = solved(100, 2).options(position), solved(0, 2).options(position)
    assert [c.name for c in found] == [c.name for c in exact]
    for one, other in zip(found, exact, strict=True):
        assert one.value == pytest.approx(other.value, abs=2.5)


def test_jumps_of_the_rules_are_kept_from_both_sides() -> None:
    compiled = compile_game(street(**TWO))
    fine, wide = grid_points(compiled, {"total": 400})
    assert len(fine) == 2
    for axis, kept in fine.items():
        values = set((np.asarray(kept) * UNIT).tolist())
        assert {0, 400, 800, 200, 250, 450, 500} <= values  # below 250 and from 500 on more is paid
        assert 150 not in values
        assert set(wide[axis].tolist()) <= set(kept.tolist())


def test_a_thinned_model_is_well_formed_and_a_lottery_is_a_straight_line() -> None:
    # a step of 2 from 0, seen on the grid 0, 4, 7 of 0..7: the mean of the values at both ends
    b = Builder([Axis("n", 8, "counter")])
    two = b.effect((0, b.lookup("two", (0,), np.int32, lambda i: i + 2 if i < 6 else -1)))
    square = b.reward(0.0, b.lookup("square", (0,), np.float64, lambda i: i * i))
    start, then = b.node("start", BRANCH, stored=True), b.node("then", BRANCH, stored=True)
    b.edge(start, then, effect=two)
    b.edge(then, b.node("end", END), reward=square)
    model = b.build("a step", start, (0,))
    on_grid = thinned(model, {0: np.array([0, 4, 7])})
    validate(on_grid)
    assert solve(model, method="explicit").value == 4
    assert solve(on_grid, method="explicit").value == pytest.approx(16 / 2)


def test_a_grid_is_for_numbers_that_last() -> None:
    with pytest.raises(ObjectiveError, match='"totl" cannot be put on a grid: did you mean'):
        solve_game(street(**TWO), grid={"totl": 100})
    with pytest.raises(ObjectiveError, match='"at_risk" cannot be put on a grid'):
        solve_game(street(**TWO), grid={"at_risk": 100})


def test_solutions_on_a_grid_are_saved_and_loaded(tmp_path: Path) -> None:
    solution = solved(200, 2)
    solution.save(tmp_path / "street.solution")
    loaded = Solution.load(tmp_path / "street.solution", street(**TWO))
    for position in (
        "strich yes / yes | round 2",
        "total 350 / 150 | strich yes / yes | round 3 | at_risk 250",
    ):
        assert loaded.value_of(position) == pytest.approx(solution.value_of(position), abs=1e-12)
    assert loaded.solved.estimate_anywhere == solution.solved.estimate_anywhere


def test_the_command_line_says_that_it_is_an_approximation() -> None:
    words = ["solve", str(STREET), "--set", "players=2", "--set", "rounds=2", "--grid", "total=200"]
    done = CliRunner().invoke(app, words)
    assert done.exit_code == 0, done.output
    assert "the grid is an approximation" in " ".join(done.output.split())
    assert "twice the step changes this by" in " ".join(done.output.split())
    wrong = CliRunner().invoke(app, [*words[:-1], "total=0"])
    assert wrong.exit_code == 2
