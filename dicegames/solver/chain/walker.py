"""What a thread that walks through turns works with: the greedy moves, chunk by chunk of points."""

from __future__ import annotations

from collections.abc import Iterator

from attrs import define

from dicegames.solver.blocks.choices import Chooser, Greedy, make_chooser
from dicegames.solver.chain.batch import Batch, make_batch, roomier
from dicegames.solver.chain.chain import LANES, Chain, Walk
from dicegames.solver.kernels.evaluate import PURE
from dicegames.solver.kernels.kernel import njit
from dicegames.solver.model import Array

SHARES = 4
"""So many chunks each thread gets, where there are points enough."""


@njit(**PURE)
def _top(w: Walk, points: Array, wanted: Array) -> int:
    """The highest rank of an inner point at which something is wanted; -1 if nothing is."""
    for rank in range(w.rank.size - 1, -1, -1):
        inner = w.inner_at[w.ranked[rank]]
        for node in range(w.landing.size):
            if w.landing[node] < 0:
                continue
            first = w.landing[node] * w.entries + inner
            for k in range(points.size):
                if wanted[first + points[k]] != 0:
                    return rank
    return -1


@define(eq=False)
class Walker:
    """A chain, the memory of one thread for walking along it, and its moves."""

    chain: Chain
    chooser: Chooser
    batch: Batch

    def chunks(
        self, points: Array, number: int, threads: int, stop: Array, wanted: Array | None = None
    ) -> Iterator[Array]:
        """Yield this thread's share of some outer points, a chunk at a time, its moves found."""
        for chunk in self.parts(points, number, threads, stop):
            self.choose(chunk, stop, wanted)
            yield chunk

    def parts(self, points: Array, number: int, threads: int, stop: Array) -> Iterator[Array]:
        """Yield this thread's share of some outer points, a chunk at a time."""
        step = self.step(points.size, threads)
        for begin in range(number * step, points.size, threads * step):
            if stop[0] != 0:
                return
            yield points[begin : begin + step]

    def choose(self, chunk: Array, stop: Array, wanted: Array | None = None) -> None:
        """Find the moves up to the highest inner point at which a state is wanted, by key."""
        walk = self.chain.walk
        top = walk.rank.size - 1 if wanted is None else _top(walk, chunk, wanted)
        self.chooser.choose(chunk, top, stop)

    def share(self, points: int, threads: int) -> int:
        """The most of so many points that one thread gets."""
        step = self.step(points, threads)
        return -(-points // (step * threads)) * step

    def step(self, points: int, threads: int) -> int:
        """How many of so many points make a chunk."""
        each = -(-points // (SHARES * threads * LANES)) * LANES
        return min(self.chooser.greedy.together, max(LANES, each))

    def make_room(self) -> None:
        """Make twice the room for pieces."""
        self.batch = roomier(self.batch)


def make_walkers(
    chain: Chain, threads: int, greedy: Greedy | None = None, points: int | None = None
) -> list[Walker]:
    """Walkers for so many threads, along the moves of the chain's values or of another `greedy`.

    Each has room for so many outer points at a time, or for as many as suits.
    """
    found = []
    for _ in range(threads):
        chooser = make_chooser(greedy or chain.greedy, points)
        found.append(Walker(chain, chooser, make_batch(chain, chooser.choice)))
    return found
