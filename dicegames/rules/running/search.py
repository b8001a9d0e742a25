"""Looking for a game in which the rules break: a number leaves its range, no move is legal, ...

All positions are searched, the near ones first, as far as that is affordable; then random games are
played. Where play ends for an objective, what counts there is read, too. What is found is told with
the throws and moves that lead to it.
"""

from __future__ import annotations

from collections import deque
from functools import lru_cache
from random import Random

from attrs import frozen

from dicegames.rules.parts.broken import RuleBroken
from dicegames.rules.parts.flow import Throw
from dicegames.rules.parts.game import Rules
from dicegames.rules.parts.types import Value
from dicegames.rules.running.liveness import live
from dicegames.rules.running.objectives import PAYOFF, Objective
from dicegames.rules.running.playing import StrategyError
from dicegames.rules.running.referee import Move, Outcome, Position, start

MOST_SEARCH_STEPS = 60_000
GAMES_TRIED = 60
LONGEST_RANDOM_GAME = 1000
MOST_TOLD = 12

Key = tuple[Value, ...]


@frozen
class BreakSearch:
    """A way to break the rules, or none; `exhausted`: all positions were looked at."""

    broken: RuleBroken | None
    exhausted: bool

    def demand(self) -> None:
        """Raise what was found."""
        if self.broken is not None:
            raise self.broken


@frozen
class _WayThere:
    """How a position was reached."""

    position: Position
    before: _WayThere | None = None
    text: str = ""


@lru_cache(maxsize=1)
def find_break(game: Rules, objective: Objective = PAYOFF) -> BreakSearch:
    """Search for a position in which the rules break, the ends of play for an objective included.

    The game is as `Objective.applied` has it.
    """
    return _BreakFinder(game, objective).found()


class _BreakFinder:
    """Goes through the positions of a game as it is played for an objective."""

    def __init__(self, game: Rules, objective: Objective):
        self.game = game
        self.objective = objective
        self.ends = objective.ends(game)

    def found(self) -> BreakSearch:
        slots = [sorted(s) for s in live(self.game, every_read=True)]
        pending, steps = deque([_WayThere(start(self.game))]), 0
        seen: set[Key] = set()
        every = True
        while pending and steps < MOST_SEARCH_STEPS:
            way = pending.popleft()
            try:
                if (node := self._going_on(way.position)) is None:
                    continue
                key = (node.at, *(node.env[slot] for slot in slots[node.at]))
                if key in seen:
                    continue
                seen.add(key)
                following = node.outcomes() or node.moves()
            except RuleBroken as broken:
                return BreakSearch(_told(broken, way), exhausted=False)
            except StrategyError:  # it looks too far ahead: what follows is not known
                every = False
                continue
            for step in following:
                steps += 1
                after = self._step(node, step)
                if isinstance(after, RuleBroken):
                    broken_at = _WayThere(node, way, _text(node, step))
                    return BreakSearch(_told(after, broken_at), exhausted=False)
                pending.append(_WayThere(after, way, _text(node, step)))
        if not pending:
            return BreakSearch(None, exhausted=every)
        return BreakSearch(self._in_random_games(), exhausted=False)

    def _going_on(self, position: Position) -> Position | None:
        """Return where play goes on; None at an end, where what counts has been read."""
        here = position if position.at in self.ends else position.node
        if here.at not in self.ends:
            return here
        here.read(self.objective.final, self.objective.seats(self.game))
        return None

    def _step(self, node: Position, step: Move | Outcome) -> Position | RuleBroken:
        try:
            return node.after(step, self.ends)
        except RuleBroken as broken:
            return broken

    def _in_random_games(self) -> RuleBroken | None:
        for seed in range(GAMES_TRIED):
            chance = Random(seed)  # noqa: S311 - the same games every time
            way = _WayThere(start(self.game))
            for _ in range(LONGEST_RANDOM_GAME):
                try:
                    if (node := self._going_on(way.position)) is None:
                        break
                    step = node.throw(chance) if node.is_chance else chance.choice(node.moves())
                except RuleBroken as broken:
                    return _told(broken, way)
                except StrategyError:
                    break
                after = self._step(node, step)
                if isinstance(after, RuleBroken):
                    return _told(after, _WayThere(node, way, _text(node, step)))
                way = _WayThere(after, way, _text(node, step))
        return None


def _text(node: Position, step: Move | Outcome) -> str:
    """Return what is done at a node, in a word of the rules."""
    if not isinstance(step, Outcome):
        return step.label
    throw = node.instruction
    drawn = isinstance(throw, Throw) and throw.verb == "draw"
    return f"{'draw' if drawn else 'roll'} {step.text}"


def _told(broken: RuleBroken, way: _WayThere) -> RuleBroken:
    """Return the mistake with the way that leads to it."""
    steps: list[str] = []
    last: _WayThere | None = way
    while last is not None and last.before is not None:
        steps.append(last.text)
        last = last.before
    shown = ", ".join(reversed(steps[:MOST_TOLD]))
    if len(steps) > MOST_TOLD:
        shown = f"... ({len(steps) - MOST_TOLD} steps), {shown}"
    return broken.with_help(f"it happens after: {shown}" if steps else "")
