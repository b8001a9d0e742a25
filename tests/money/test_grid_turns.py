"""Turns on a grid: what several share is evaluated once, and levels may be some way apart."""

from itertools import pairwise

import numpy as np
import pytest

from dicegames.compiler.compile import compile_game
from dicegames.compiler.form import GridForm
from dicegames.compiler.make_grid import grid_of
from dicegames.rules.parts.game import Rules
from dicegames.solver.grid.end_values import UNREAD
from dicegames.solver.grid.grid import Filling, levels_apart
from dicegames.solver.grid.kernels import is_evaluated
from dicegames.solver.kernels.workers import Workers
from tests.rules.small import game

STAIRS = """
    option players = 2
    dice 1d3
    each player
        total = 0
    this turn
        risk = 0
    turn
        go to climbing
    step climbing
        roll all
        if dice show 1: end turn
        choose
            "Up": risk + sum of dice, go to climbing
            "Stop": risk + sum of dice, go to stop
    step stop
        total + risk
        end turn
    ends after the round when any player has total >= 30
    ranking highest total, ties earlier
    payoff win
"""
"""Turns rise by 2 and 3."""


def stairs(workers: Workers, rules: Rules, step: int, levels: int) -> Filling:
    compiled = compile_game(rules, form=GridForm(names=frozenset({"total"})))
    filling = Filling(compiled.model, grid_of(compiled, {"total": step}, levels), workers)
    filling.find()
    filling.values[:] = np.random.default_rng(1).normal(size=filling.values.shape)
    return filling


def test_turns_that_lead_to_the_same_totals_share_their_ends() -> None:
    with Workers(1) as workers:
        filling = stairs(workers, game(STAIRS), 4, 12)
        ends, levels = filling.ends, filling.grid.levels
        assert UNREAD in ends._added  # a bust does not read what was at risk
        assert ends.added == next(
            a
            for a, axis in enumerate(filling.model.axes)
            if axis.name == "total of the player to move"
        )
        rows = filling.rows[: filling.rows.size // 32 * 32]
        shown = filling.points.columns(rows % filling.points.count)
        shared = dict(ends._spots(shown, np.arange(levels)))
        assert min(np.prod(spots.shape) for spots in shared.values()) == rows.size
        assert max(np.prod(spots.shape) for spots in shared.values()) < levels * rows.size / 2
        given = shown, levels, filling.number, filling.values
        found = ends.values(*given)
        ends._added = (None,) * len(ends._added)
        assert np.array_equal(found, ends.values(*given), equal_nan=True)


def test_what_reads_a_total_by_itself_shares_nothing() -> None:
    twice = STAIRS.replace("total + risk\n", "total + risk + lowest of (total, 1)\n")
    with Workers(1) as workers:
        assert stairs(workers, game(twice), 4, 12).ends.added == UNREAD


# ---- levels that are apart


@pytest.mark.parametrize(("least", "apart"), [(1, 1), (2, 2), (6, 6), (6, 4), (6, 1), (9, 3)])
def test_what_a_turn_reads_lies_between_levels_that_are_known(least: int, apart: int) -> None:
    levels = 40
    known = [k for k in range(levels) if is_evaluated(k, levels, 1, least, apart)]
    assert known[0] == 0
    assert known[-1] == levels - 1
    assert all(above <= min(level + least, levels - 1) for level, above in pairwise(known))
    assert len(known) <= 2 + -(-(levels - least) // apart)
    assert all(is_evaluated(k, levels, levels, least, apart) for k in range(levels))  # all are told


def test_levels_are_as_far_apart_as_the_least_rise_but_no_farther_than_points() -> None:
    guarded = STAIRS.replace('"Stop":', '"Stop" when risk >= 4:')
    cases = [(STAIRS, 20, 2), (STAIRS, 3, 2), (STAIRS, 2, 2), (STAIRS, 1, 1), (guarded, 20, 1)]
    with Workers(1) as workers:
        for rules, step, apart in cases:
            filling = stairs(workers, game(rules), step, 12)
            assert levels_apart(filling.turn, filling.grid, filling.ends.added) == apart


def test_the_ends_of_a_turn_are_exact_between_levels_that_are_apart() -> None:
    """Compared with the same in plain loops: only what going on is worth is interpolated."""
    levels = 12
    with Workers(1) as workers:
        filling = stairs(workers, game(STAIRS), 20, levels)
    ends = np.random.default_rng(2).normal(size=(1, 2, levels, 1, 32))
    bust = filling.ends._added.index(UNREAD)
    fails, stops = ends[0, bust, :, 0, 0], ends[0, 1 - bust, :, 0, 0]
    last, going = levels - 1, np.full(levels, -10.0)
    for _ in range(200):
        going[last] = (fails[last] + 2 * max(going[last], stops[last])) / 3
    for level in (10, 8, 6, 4, 2, 0):  # two apart, from the least rise
        above = min(level + 2, last)
        further = [min(level + rise, last) for rise in (2, 3)]
        going[level] = (fails[level] + sum(max(going[k], stops[k]) for k in further)) / 3
        if above - level > 1:
            going[level + 1] = (going[level] + going[above]) / 2
    machine = filling._machine(0, 1)
    found = machine.run(levels, ends, np.zeros((1, 0, levels, 32)), apart=2)
    assert found[0, 0, 0, 0] == pytest.approx(going[0], abs=1e-9)
    exact = machine.run(levels, ends, np.zeros((1, 0, levels, 32)))
    assert abs(exact[0, 0, 0, 0] - going[0]) > 1e-3
