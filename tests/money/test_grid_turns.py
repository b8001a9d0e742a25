"""Turns on a grid: what they share is evaluated once, and the same as one by one."""

import numpy as np

from dicegames.compiler.compile import compile_game
from dicegames.compiler.form import GridForm
from dicegames.compiler.make_grid import grid_of
from dicegames.rules.parts.game import Rules
from dicegames.solver.grid.ends import UNREAD
from dicegames.solver.grid.grid import Filling
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
