"""What a computation may take, and who is told how far it is: one object, from floor to floor."""

from __future__ import annotations

from time import perf_counter
from typing import Self

from attrs import evolve, field, frozen

from dicegames.ground.arguments import OnProgress, expect_limits
from dicegames.ground.errors import DicegamesError

PROGRAM_BYTES = 230_000_000
"""Memory of the program itself, with what it has compiled."""


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
