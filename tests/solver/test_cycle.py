"""Layers in which play comes back to where it was."""

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
