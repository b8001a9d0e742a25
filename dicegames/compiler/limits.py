"""How much time and memory compiling may take, looked at again and again while it goes on."""

from __future__ import annotations

from time import perf_counter

from attrs import define, field, frozen

from dicegames.ground.errors import DicegamesError

PROGRAM_BYTES = 230_000_000
"""Memory of the program itself, with what it has compiled."""
NODE_BYTES = 2_000
"""Memory of a node of the control graph while it is explored, its environment and key included."""
EDGE_BYTES = 300
VALUE_BYTES = 100
"""Memory of a value of a counter, in the sets that are made of all of them."""


class LimitReached(DicegamesError):
    """Compiling takes longer, or needs more memory, than allowed; the message says what grows."""


class TooMuchWork(Exception):
    """More conditions had to be looked at, or larger tables made, than were thought worth it."""

    def __init__(self, *, large: bool):
        self.large = large  # it is the tables
        super().__init__()


@define
class Budget:
    """How many tables of conditions were made; counted, so that it depends on nothing else."""

    most: int | None = None
    done: int = 0

    def add(self, tables: int, *, large: bool = False) -> None:
        """Count some more, or what is as much; raise TooMuchWork if that is more than the most."""
        self.done += tables
        if self.most is not None and self.done > self.most:
            raise TooMuchWork(large=large)


@frozen
class Limits:
    """The most seconds, counted from `began` on, and the most bytes; None: as many as it takes.

    nodes: the most nodes of the control graph; None: some, or as many as the time allows.
    """

    time: float | None = None
    memory: int | None = None
    nodes: int | None = None
    began: float = field(factory=perf_counter)
    work: Budget = field(factory=Budget)

    @property
    def left(self) -> float | None:
        """The seconds that are left, None if there is no limit."""
        return None if self.time is None else max(0.0, self.began + self.time - perf_counter())

    def look(self, nodes: int = 0, edges: int = 0, values: int = 0) -> None:
        """Raise LimitReached if the time is over, or what has this size takes too much memory."""
        if self.time is not None and perf_counter() - self.began > self.time:
            raise LimitReached(f"solving takes longer than the {self.time:,.6g} s allowed")
        if self.memory is None:
            return
        needed = PROGRAM_BYTES + nodes * NODE_BYTES + edges * EDGE_BYTES + values * VALUE_BYTES
        if needed > self.memory:
            told = f"about {needed / 1e6:,.0f} MB or more, allowed are {self.memory / 1e6:,.0f} MB"
            raise LimitReached(f"solving needs {told}")


UNLIMITED = Limits()
