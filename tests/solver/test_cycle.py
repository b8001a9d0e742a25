"""Layers in which play comes back to where it was."""

from fractions import Fraction

import numpy as np
import pytest

from dicegames.analysis.solution import solve_game
from dicegames.solver.blocks import cycle
from dicegames.solver.graph.fold import fold
from dicegames.solver.graph.reduce import reduce
from dicegames.solver.graph.turn import READ, plan_turn
from dicegames.solver.model import BRANCH
from tests.rules.small import game

SLOW = """
dice 1d20
each player
    steps = 0 to 2
turn
    roll all
    if dice show 1: steps + 1
ends when steps >= 2
payoff highest steps
"""


def test_what_a_sweep_leaves_of_the_way_is_leapt_over(monkeypatch: pytest.MonkeyPatch) -> None:
    # nineteen throws of twenty change nothing: plain sweeps would take some 700 of them
    monkeypatch.setattr(cycle, "SWEEPS", 20)
    monkeypatch.setattr(cycle, "MOST_SWEEPS", 20)
    found = solve_game(game(SLOW), "turns")
    assert found.solved.method == "blocks"
    assert found.value == pytest.approx(40, abs=found.solved.error_bound)
    assert 0 < found.solved.error_bound < 1e-11


RACE = """
option players = 2
dice 1d20
each player
    steps = 0 to 2
turn
    roll all
    if dice show 1: steps + 1
ends when any player has steps >= 2
ranking highest steps
payoff win
"""


def _first(own: int, other: int) -> Fraction:
    """The chance of the one to move to be the first to make so many steps, before the other's."""
    step, stay = Fraction(1, 20), Fraction(19, 20)
    mine = 1 if own == 1 else 1 - _first(other, own - 1)
    theirs = 1 if other == 1 else 1 - _first(own, other - 1)
    # v = step * mine + stay * (1 - w) and w = step * theirs + stay * (1 - v)
    return (step * mine + stay - stay**2 - stay * step * theirs) / (1 - stay**2)


def test_in_a_ring_of_two_sweeps_leap_as_well(monkeypatch: pytest.MonkeyPatch) -> None:
    # nineteen turns of twenty only change seats: plain sweeps would take some 700 of them
    monkeypatch.setattr(cycle, "SWEEPS", 24)
    monkeypatch.setattr(cycle, "MOST_SWEEPS", 24)
    found = solve_game(game(RACE))
    assert found.solved.method == "blocks"
    v = float(_first(2, 2))
    assert found.value == pytest.approx((v, 1 - v), abs=found.solved.error_bound)
    assert 0 < found.solved.error_bound < 1e-11


def test_where_ends_of_turns_have_values_only_these_are_read(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    # the end of a turn, if it read the next turn, would be no nearer to its value than that
    monkeypatch.setattr("dicegames.compiler.exploring.ends.MOST_ENTRIES", 0)
    found = solve_game(game(SLOW), "turns")
    assert found.value == pytest.approx(40, abs=found.solved.error_bound)
    model = fold(reduce(found.compiled.model).model)
    assert model.stored.sum() == 2
    read = np.unique(model.target[plan_turn(model).sort == READ])
    assert model.kind[read].tolist() == [BRANCH]
