"""What random games show: positions at a place in the turn, and how many dice there are."""

from __future__ import annotations

import random
from functools import lru_cache

from dicegames.rules.parts.broken import RuleBroken
from dicegames.rules.parts.game import Rules
from dicegames.rules.parts.types import Value
from dicegames.rules.running.referee import Position, start

MOST_SEEN = 1500
OPTIONS_SEEN = 3000
ENOUGH_SEEN = 40


def usual_dice(game: Rules, at: int, slots: tuple[int, ...]) -> int | None:
    """Return the number of dice in some slots at a place, if it is the same in random games."""
    seen = seen_at(game, at)
    counts = {sum(dice_in(position.env[slot]) for slot in slots) for position in seen}
    return counts.pop() if len(seen) >= ENOUGH_SEEN and len(counts) == 1 else None


def seen_at(game: Rules, at: int) -> list[Position]:
    """Return the positions of random games at a place in the turn, none where play never came."""
    return [position for position in _sample(game) if position.at == at]


def dice_in(value: Value) -> int:
    """Return how many dice a value is: that of a pile, or a number."""
    return sum(value) if isinstance(value, tuple) else int(value)


@lru_cache(maxsize=4)
def _sample(game: Rules) -> list[Position]:
    chance = random.Random(1)  # noqa: S311 - a sample, the same each time
    position = start(game)
    seen: list[Position] = []
    options = 0
    while len(seen) < MOST_SEEN and options < OPTIONS_SEEN:
        node = position.node
        seen.append(node)
        try:
            if node.is_over:
                position = start(game)
            elif node.is_chance:
                position = node.after(node.throw(chance))
            else:
                moves = node.moves()
                options += len(moves)
                position = node.after(chance.choice(moves))
        except RuleBroken:
            position = start(game)
    return seen
