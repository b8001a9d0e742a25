"""Who sits where: people, and bots that choose for themselves."""

from __future__ import annotations

import random
from collections.abc import Callable

from attrs import frozen

from dicegames.play.match import Match
from dicegames.rules.running.referee import Move, Position


@frozen
class Player:
    """A player: what the seat is called, how one speaks of it, and how a bot chooses.

    `choose` is None for people, who are asked.
    """

    name: str
    choose: Callable[[Match], Move] | None = None

    @property
    def is_bot(self) -> bool:
        """Whether it chooses by itself."""
        return self.choose is not None

    @property
    def ending(self) -> str:
        """How verbs end that speak of the player: `You throw`, `Anna throws`."""
        return "" if self.name == "You" else "s"


def people(count: int) -> list[Player]:
    """Return players who sit at the keyboard together."""
    if count == 1:
        return [Player("You")]
    return [Player(f"Player {number}") for number in range(1, count + 1)]


def any_move(match: Match) -> Move:
    """Choose a legal move by chance, the same for the same seed and game."""
    chance = random.Random(f"{match.seed}:{len(match.steps)}:move")  # noqa: S311 - no secret
    return chance.choice(match.position.moves())


def by_position(best: Callable[[Position], Move]) -> Callable[[Match], Move]:
    """Return how a bot chooses that looks at the position only."""
    return lambda match: best(match.position)
