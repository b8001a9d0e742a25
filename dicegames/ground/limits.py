"""What a computation may take, and who is told how far it is: one object, from floor to floor.

A calculation in fractions has a limit of its own: how many positions it may list.
"""

from __future__ import annotations

from time import monotonic, perf_counter
from typing import Self

from attrs import define, evolve, field, frozen

from dicegames.ground.arguments import OnProgress, expect_limits
from dicegames.ground.errors import DicegamesError

PROGRAM_BYTES = 230_000_000
"""Memory of the program itself, with what it has compiled."""
EXACT_POSITIONS = 400_000
EXACT_SECONDS = 300.0
POSITIONS_SOON = 20_000
"""So many are listed within a few seconds; whoever wants more has to say how long it may take."""
SECONDS_SOON = 60.0
"""What they may take in all, the equations included."""


class LimitReached(DicegamesError):
    """Compiling takes longer, or needs more memory, than allowed; the message says what grows."""


@frozen
class Limits:
    """The most seconds, counted from `began` on, bytes and threads; None: as many as it takes.

    `progress` is called with (done, total) now and then. Raises ArgumentError for all else.
    """

    time: float | None = None
    memory: int | None = None
    threads: int | None = None
    progress: OnProgress | None = None
    began: float = field(factory=perf_counter)

    def __attrs_post_init__(self) -> None:
        expect_limits(self.threads, self.memory, self.time, self.progress)

    @property
    def left(self) -> float | None:
        """The seconds that are left, None if there is no limit."""
        return None if self.time is None else max(0.0, self.began + self.time - perf_counter())

    @property
    def for_tables(self) -> Self:
        """The same with the memory that the program itself leaves."""
        memory = self.memory and max(0, self.memory - PROGRAM_BYTES)
        return evolve(self, memory=memory)

    def look(self) -> None:
        """Raise LimitReached if the time is over."""
        if self.time is not None and perf_counter() - self.began > self.time:
            raise LimitReached(f"solving takes longer than the {self.time:,.6g} s allowed")


UNLIMITED = Limits()


# ---- calculations in fractions


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
