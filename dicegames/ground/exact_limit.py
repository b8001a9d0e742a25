"""How far a calculation in fractions may go before it is given up."""

from __future__ import annotations

from time import monotonic

from attrs import define, field

EXACT_POSITIONS = 400_000
EXACT_SECONDS = 300.0


class TooLarge(Exception):
    """The game has too many positions for exact fractions, or (`TooLong`) takes too long."""


class TooLong(TooLarge):
    """There is no answer in the time allowed."""


@define
class Limit:
    """The most positions, and the seconds from now on, that a calculation may take."""

    positions: int = EXACT_POSITIONS
    seconds: float = EXACT_SECONDS
    begun: float = field(factory=monotonic)

    def check_positions(self, count: int) -> None:
        """Raise TooLarge if there are more positions than are allowed."""
        if count > self.positions:
            raise TooLarge(f"more than {self.positions:,} positions can come up")

    def check_time(self) -> None:
        """Raise TooLong if the time is over."""
        if monotonic() - self.begun > self.seconds:
            raise TooLong(f"there is no answer within {self.seconds:g} s")
