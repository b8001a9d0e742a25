"""How much time, memory and work compiling may take, looked at again and again while it goes on."""

from __future__ import annotations

from typing import Protocol, Self

from attrs import define, field, frozen

from dicegames.ground.limits import PROGRAM_BYTES, LimitReached, Limits

NODE_BYTES = 2_000
"""Memory of a node of the control graph while it is explored, its environment and key included."""
EDGE_BYTES = 300
SET_VALUE_BYTES = 100
"""Memory of a value of a counter, in the sets that are made of all of them."""
A_PAYMENT = 1 / 8
"""What it takes to carry out payments under a condition, in tables of conditions.

This and the next are powers of two, so that adding them up is exact.
"""
A_STEP = 1 / 8
"""The same for a step between two instructions, each that differs counted once."""
AN_IMAGE = 1 / 4
"""The same for the values that a step makes of those of counters."""
A_SEARCH = 4_000
"""The same for the search for a game in which the rules break."""


class Beyond(Protocol):
    """What is done where a budget is used up."""

    def __call__(self, amount: float, /, *, large: bool) -> None:
        """So much was to be added, all at once where it is `large`."""


@define
class Budget:
    """How much work was done; counted, so that it depends on nothing else."""

    most: int | None = None
    done: float = 0
    beyond: Beyond | None = None

    def add(self, amount: float, *, large: bool = False) -> None:
        """Count some more; the first time that it is a whole one above the most, go `beyond`."""
        self.done += amount
        if self.most is not None and self.beyond and self.done >= self.most + 1:
            self.most = None
            self.beyond(amount, large=large)


@define
class Listed:
    """How much of a turn has been listed so far: situations, and what leads on from them."""

    nodes: int = 0
    edges: int = 0
    ways: int = 0  # outcomes of throws, and moves, that were followed


@frozen
class Effort(Limits):
    """Limits of the compiler, with the most nodes of the control graph, and a budget of work.

    nodes: None: some, or as many as the time allows. ways: how many outcomes of throws and moves
    are followed at most, None: all. What has been done is told in `listed`, also where compiling is
    given up. What is to be done `soon` is given up where it is much work. `work` counts tables of
    conditions, `growth` the values that are looked at while ranges grow.
    """

    nodes: int | None = None
    ways: int | None = None
    soon: bool = False
    work: Budget = field(factory=Budget)
    growth: Budget = field(factory=Budget)
    listed: Listed = field(factory=Listed)

    @classmethod
    def within(cls, limits: Limits) -> Self:
        """Return the effort that limits allow, which may be one already."""
        if isinstance(limits, cls):
            return limits
        return cls(limits.time, limits.memory, began=limits.began)

    def look(self, nodes: int = 0, edges: int = 0, values: int = 0) -> None:
        """Raise LimitReached if the time is over, or what has this size takes too much memory."""
        super().look()
        if self.memory is None:
            return
        needed = PROGRAM_BYTES + nodes * NODE_BYTES + edges * EDGE_BYTES + values * SET_VALUE_BYTES
        if needed > self.memory:
            told = f"about {needed / 1e6:,.0f} MB or more, allowed are {self.memory / 1e6:,.0f} MB"
            raise LimitReached(f"solving needs {told}")
