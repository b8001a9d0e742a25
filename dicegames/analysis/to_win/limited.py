"""Games in which a counter may grow for ever, such as points at risk, cut off where nobody comes.

The chance to win is tabled by results, so there must be a largest one. A game in which play is over
once a counter is beyond a limit has one. The chance that it comes to that, whatever is played, is
found by solving for it; no chance to win is off by more than that for each player.
"""

from __future__ import annotations

import numpy as np
from attrs import evolve, frozen

from dicegames.analysis.solution import Solution
from dicegames.analysis.solving.position_values import PositionValues, UnknownPosition
from dicegames.compiler.compile import compile_game
from dicegames.ground.limits import LimitReached, Limits
from dicegames.ground.source import Span
from dicegames.rules.parts.broken import RuleBroken
from dicegames.rules.parts.flow import Environment, Expression, Finish, Set, Test
from dicegames.rules.parts.game import Rules
from dicegames.rules.parts.types import NUMBER, TRUTH, Value
from dicegames.rules.parts.unknown import compare, either, select
from dicegames.rules.running.objectives import ObjectiveError
from dicegames.rules.running.referee import Position
from dicegames.solver.solve import solve

FIRST_LIMIT, LAST_LIMIT = 1000, 1 << 40
"""Limits that are tried, each twice the one before."""
SELDOM = 1e-9
"""How likely it may be, from the start, that a counter goes beyond its limit."""
IN_SIGHT = 1e-6
"""The same in a position that is asked about."""


@frozen(eq=False)
class Limited:
    """A solved game with a limit, and how likely it is at most that play goes beyond it."""

    points: Solution
    slots: frozenset[int]
    most: int
    beyond: PositionValues

    def demand(self, node: Position) -> None:
        """Raise UnknownPosition where play may well go beyond the limit."""
        far = any(abs(node.env[slot]) > self.most for slot in self.slots)
        if far or self.beyond.values(node)[0] > IN_SIGHT:
            names = self.points.compiled.game.names.slots
            told = " and ".join(sorted({f'"{names[slot].name}"' for slot in self.slots}))
            raise UnknownPosition(
                f"so much of {told} is out of sight: to win, play is followed up to {self.most:,}"
            )


def limited(game: Rules, slots: frozenset[int], limits: Limits) -> Limited | None:
    """Return a game of one player with a limit for some slots; None if they go on and on."""
    most, freely = FIRST_LIMIT, Limits(threads=limits.threads)
    try:
        while most <= LAST_LIMIT:
            cut = _cut(game, slots, most)
            whether = compile_game(_whether_beyond(cut, slots, most), limits=limits)
            if whether.model.unbounded:
                return None
            solved = solve(whether.model, freely)
            if np.max(solved.upper) <= SELDOM:
                compiled = compile_game(cut, limits=limits)
                found = Solution(cut, compiled, solve(compiled.model, freely))
                return Limited(found, slots, most, PositionValues(whether, solved))
            most *= 2
    except (RuleBroken, LimitReached, ObjectiveError):
        return None
    return None


def _cut(game: Rules, slots: frozenset[int], most: int) -> Rules:
    """Return the game that is over once a slot is beyond the limit; its instructions stay."""
    flow = [*game.flow, Finish(Span(0, 0), -1)]
    over = len(game.flow)
    for number, change in enumerate(game.flow):
        if isinstance(change, Set) and (met := slots.intersection(change.targets)):
            flow[number] = evolve(change, next=len(flow))
            flow.append(Test(change.span, over, _beyond(met, most), change.next))
    return evolve(game, flow=flow)


def _whether_beyond(game: Rules, slots: frozenset[int], most: int) -> Rules:
    """Return the game in which one plays for getting beyond the limit."""
    condition = _beyond(slots, most)
    payoff = Expression(NUMBER, lambda env: select(condition.run(env), 1, 0), slots)
    return evolve(game, payoffs=[payoff], standings=[], maximise=True)


def _beyond(slots: frozenset[int], most: int) -> Expression:
    def run(env: Environment) -> Value:
        found: Value = False
        for slot in sorted(slots):
            outside = either(compare("gt", env[slot], most), compare("lt", env[slot], -most))
            found = either(found, outside)
        return found

    return Expression(TRUTH, run, slots)
