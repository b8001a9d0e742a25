"""How far a calculation in fractions may go before it is given up."""

from __future__ import annotations

from time import monotonic
from typing import Self

from attrs import define, field

EXACT_POSITIONS = 400_000
EXACT_SECONDS = 300.0
POSITIONS_SOON = 20_000
"""So many are listed within a few seconds; whoever wants more has to say how long it may take."""
SECONDS_SOON = 60.0
"""What they may take in all, the equations included."""


class TooLarge(Exception):
    """The game has too many positions for exact fractions, or (`TooLong`) takes too long."""

    remedy = "set smaller options"


class TooLong(TooLarge):
    """There is no answer in the time allowed, or as soon as where nothing is said of it."""

    remedy = f"{TooLarge.remedy}, allow more time, such as --time 5m"


@define
class Limit:
    """The most positions, and the seconds from now on, that a calculation may take."""

    positions: int = EXACT_POSITIONS
    seconds: float = EXACT_SECONDS
    begun: float = field(factory=monotonic)
    beyond: type[TooLarge] = TooLarge  # what is raised where there are more positions

    @classmethod
    def within(cls, seconds: float | None, positions: int = EXACT_POSITIONS) -> Self:
        """Return the limits for a time; if none is given, what is found out soon must do."""
        if seconds is None:
            return cls(POSITIONS_SOON, SECONDS_SOON, beyond=TooLong)
        return cls(positions, seconds)

    def check_positions(self, count: int) -> None:
        """Raise TooLarge if there are more positions than are allowed."""
        if count > self.positions:
            raise self.beyond(f"more than {self.positions:,} positions can come up")

    def check_time(self) -> None:
        """Raise TooLong if the time is over."""
        if monotonic() - self.begun > self.seconds:
            raise TooLong(f"there is no answer within {self.seconds:g} s")
