"""The last turn of the mission's third game: exact at the true totals, far chases included."""

from functools import cache
from pathlib import Path

import numpy as np
import pytest
from attrs import evolve

from dicegames.analysis.solution import Solution
from dicegames.analysis.solving.gridding import FARTHEST
from dicegames.compiler.compile import compile_game
from dicegames.compiler.form import GridForm
from dicegames.compiler.make_grid import grid_of
from dicegames.play.judge import Account, Scale
from dicegames.play.picture import account_lines
from dicegames.rules.parts.game import Rules
from dicegames.rules.running.notation import parse_position
from dicegames.rules.running.referee import Position
from dicegames.solver.grid.grid import GridTable
from dicegames.solver.grid.last_level import levels_for
from dicegames.solver.grid.points import GridPoints
from dicegames.solver.grid.turn_model import plan
from dicegames.solver.grid.values import GridValues
from dicegames.solver.solved import Solved
from dicegames.solver.status import Status
from tests.money.slow_last_turn import LastTurn
from tests.rules.small import read

FILE = Path(__file__).parents[2] / "games" / "lange_strasse.dg"


@cache
def rules() -> Rules:
    return read(FILE)


@cache
def last_turns() -> Solution:
    """Return a solution without any table: it knows the values of the last turn of a game."""
    compiled = compile_game(rules(), form=GridForm())
    farthest = levels_for(plan(compiled.model), FARTHEST)
    grid = grid_of(compiled, {"total": 5000}, 2, farthest)
    points = GridPoints(compiled.model, grid).count
    unknown = np.full(points, -1, np.int32)
    table = GridTable(grid, np.zeros(0, np.int64), np.zeros((0, 3)), unknown)
    values = GridValues(compiled.model, table)
    nothing = (0.0, 0.0, 0.0)
    solved = Solved(
        model=compiled.model, status=Status.APPROXIMATE, value=nothing,
        error_bound=float("inf"), method="none", seconds=0.0, evaluator=values,
    )  # fmt: skip
    return Solution(rules(), compiled, solved)


def at(position: str, *moves: str) -> Position:
    found = parse_position(rules(), position)
    for move in moves:
        found = found.play(found.named(move))
    return found


LEADER = "total 10000 / 5200 / 5500 | strich yes / yes / yes | round 12 | seat 3 | "


@pytest.mark.parametrize(("banked", "best"), [(3950, "Roll"), (4000, "Roll"), (4050, "Stop")])
def test_who_is_second_anyway_goes_on_and_who_has_won_stops(banked: int, best: str) -> None:
    # 500 for the three fives; with 10,000 in all one is level with the leader, and second
    dice = f"dice 5 5 5 2 3 4 | banked {banked} | throws 1 | at keeping 1"
    options = last_turns().options(at(LEADER + dice, "Keep 5 5 5"))
    assert options[0].name == best
    assert {c.name: c.value for c in options}["Stop"] == (120 if best == "Stop" else -50)


@pytest.mark.parametrize(("banked", "best"), [(0, "Roll"), (13550, "Roll"), (13600, "Stop")])
def test_points_at_risk_count_far_beyond_what_tables_hold(banked: int, best: str) -> None:
    # 14,050 behind the leader; second place is safe
    far = "total 30000 / 5200 / 15950 | strich yes / yes / yes | round 12 | seat 3 | "
    dice = f"dice 5 5 5 2 3 4 | banked {banked} | throws 1 | at keeping 1"
    assert last_turns().options(at(far + dice, "Keep 5 5 5"))[0].name == best


FAR = "total 30000 / 5200 / 15950 | strich yes / yes / yes | round 12 | seat 3 | "
MIDDLE = "total 9950 / 10100 / 4600 | strich yes / no / yes | round 10 | seat 3 | "


@pytest.mark.parametrize("before", [LEADER, FAR, MIDDLE])
def test_all_moves_of_a_last_turn_are_worth_what_the_referee_says(before: str) -> None:
    values = last_turns().solved.evaluator
    assert isinstance(values, GridValues)
    slow = LastTurn(rules(), before.strip(" |"), values.levels)
    for dice in (
        "dice 1 5 5 5 2 3 | throws 1",
        "dice 1 2 3 4 5 6 | throws 1",
        "dice 2 2 3 3 6 6 | throws 1",
        "dice 1 5 | group 4 4 4 | loose 5 | throws 2",
        "dice 4 | group 4 4 4 | loose 1 5 | throws 3",
    ):
        for banked in (0, 1300, 13550):
            position = at(f"{before}{dice} | banked {banked} | at keeping 1")
            exact = slow.options(position)
            found = {c.name: c.value for c in last_turns().options(position)}
            assert found == pytest.approx(exact, abs=1e-9)


def test_the_account_of_an_approximate_judge_says_what_it_misses() -> None:
    account = Account(
        start=1.0, luck=2.0, losses=0.5, others=1.0, expected=3.6, decisions=1, right=1, grades=()
    )
    assert account.gap(maximise=True) == pytest.approx(0.1)
    unit = Scale(title="money")
    lines = account_lines([("Ann", account)], unit, maximise=True, over=True, width=80)
    assert "the judge's values are approximate" in "".join(text for text, _ in lines[-1])
    exact = evolve(account, expected=3.5)
    lines = account_lines([("Ann", exact)], unit, maximise=True, over=True, width=80)
    assert "approximate" not in "".join(text for text, _ in lines[-1])
