"""Looking for a game in which the rules break: a number leaves its range, no move is legal, ...

All positions are searched, the near ones first, as far as that is affordable; then random games are
played. What is found is told with the throws and moves that lead to it.
"""

from __future__ import annotations

from collections import deque
from functools import lru_cache
from random import Random

from attrs import frozen

from dicegames.rules.parts.broken import RuleBroken
from dicegames.rules.parts.game import Rules
from dicegames.rules.parts.types import Value
from dicegames.rules.running.liveness import live
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
def find_break(game: Rules) -> BreakSearch:
    """Search for a position in which the rules break."""
    slots = [sorted(s) for s in live(game, every_read=True)]
    pending, steps = deque([_WayThere(start(game))]), 0
    seen: set[Key] = set()
    while pending and steps < MOST_SEARCH_STEPS:
        way = pending.popleft()
        try:
            node = way.position.node
            key = (node.at, *(node.env[slot] for slot in slots[node.at]))
            if key in seen or node.is_over:
                continue
            seen.add(key)
            following = node.outcomes() or node.moves()
        except RuleBroken as broken:
            return BreakSearch(_told(broken, way), exhausted=False)
        for step in following:
            steps += 1
            after = _step(node, step)
            if isinstance(after, RuleBroken):
                return BreakSearch(_told(after, _WayThere(node, way, _text(step))), exhausted=False)
            pending.append(_WayThere(after, way, _text(step)))
    if not pending:
        return BreakSearch(None, exhausted=True)
    return BreakSearch(_in_random_games(game), exhausted=False)


def _step(node: Position, step: Move | Outcome) -> Position | RuleBroken:
    try:
        return node.after(step)
    except RuleBroken as broken:
        return broken


def _in_random_games(game: Rules) -> RuleBroken | None:
    for seed in range(GAMES_TRIED):
        chance = Random(seed)  # noqa: S311 - the same games every time
        way = _WayThere(start(game))
        for _ in range(LONGEST_RANDOM_GAME):
            try:
                node = way.position.node
                if node.is_over:
                    break
                step = node.throw(chance) if node.is_chance else chance.choice(node.moves())
            except RuleBroken as broken:
                return _told(broken, way)
            after = _step(node, step)
            if isinstance(after, RuleBroken):
                return _told(after, _WayThere(node, way, _text(step)))
            way = _WayThere(after, way, _text(step))
    return None


def _text(step: Move | Outcome) -> str:
    return f"roll {step.text}" if isinstance(step, Outcome) else step.label


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
