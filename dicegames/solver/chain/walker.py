"""What a thread that walks through turns works with: the greedy moves, chunk by chunk of points."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

import numpy as np
from attrs import define, evolve, field

from dicegames.solver.blocks.choices import Chooser, Greedy, make_chooser
from dicegames.solver.chain.batch import BATCH_WIDTH, Batch, make_batch, roomier
from dicegames.solver.chain.chain import CHAIN_LANES, Chain, Walk
from dicegames.solver.chain.forward import clear_laws, find_laws_within
from dicegames.solver.kernels.evaluate import PURE
from dicegames.solver.kernels.kernel import njit
from dicegames.solver.kernels.workers import Workers
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
    """A chain, the memory of one thread for walking along it, and its moves.

    `stop` ends the work of all threads; this is the one with a number, from 0, of so many.
    """

    chain: Chain
    chooser: Chooser
    batch: Batch
    stop: Array = field(factory=partial(np.zeros, 1, np.uint8))
    number: int = 0
    threads: int = 1

    def chunks(self, points: Array, wanted: Array | None = None) -> Iterator[Array]:
        """Yield this thread's share of some outer points, a chunk at a time, its moves found."""
        for chunk in self.parts(points):
            self.choose(chunk, wanted)
            yield chunk

    def parts(self, points: Array) -> Iterator[Array]:
        """Yield this thread's share of some outer points, a chunk at a time."""
        step = self.step(points.size)
        for begin in range(self.number * step, points.size, self.threads * step):
            if self.stop[0] != 0:
                return
            yield points[begin : begin + step]

    def choose(self, chunk: Array, wanted: Array | None = None) -> None:
        """Find the moves up to the highest inner point at which a state is wanted, by key."""
        walk = self.chain.walk
        top = walk.rank.size - 1 if wanted is None else _top(walk, chunk, wanted)
        self.chooser.choose(chunk, top, self.stop)

    def share(self, points: int) -> int:
        """The most of so many points that one thread gets."""
        step = self.step(points)
        return -(-points // (step * self.threads)) * step

    def step(self, points: int) -> int:
        """How many of so many points make a chunk."""
        each = -(-points // (SHARES * self.threads * CHAIN_LANES)) * CHAIN_LANES
        return min(self.chooser.greedy.together, max(CHAIN_LANES, each))

    def ends_within(self, home: Array, node: int, inner: int) -> tuple[Array, Array]:
        """Return where the turn at an outer point leads from a node in the middle of it.

        Exits as they are numbered in `Batch`, and the probability of each. The moves at the point
        must have been found.
        """
        flat, walk = self.chain.flat, self.chain.walk
        piece = np.flatnonzero(walk.hub_nodes == node)[:1]
        if not piece.size:
            return np.zeros(0, np.int64), np.zeros(0)
        at = int(np.searchsorted(walk.hub_first, piece[0], side="right")) - 1, inner, node
        while True:
            batch = self.batch
            found = find_laws_within(BATCH_WIDTH, flat, walk, batch, home, *at)
            if found >= 0:
                break
            self.make_room()
        goals = np.sort(batch.touched[:found])
        chance = batch.goal[goals * CHAIN_LANES]
        clear_laws(BATCH_WIDTH, batch)
        taken = chance != 0.0
        return goals[taken] - (walk.hub_first.size - 1) * walk.rank.size, chance[taken]

    def make_room(self) -> None:
        """Make twice the room for pieces."""
        self.batch = roomier(self.batch)


def begin_turns(chain: Chain, keys: Array) -> tuple[Array, Array]:
    """Take keys, or positions in a full table, apart: outer points and flat inner points."""
    flat, walk = chain.flat, chain.walk
    homes, inner = keys % walk.entries, np.zeros(len(keys), np.int64)
    for axis, step in zip(walk.inner, walk.inner_step, strict=True):
        index = homes // flat.stride[axis] % flat.size[axis]
        homes -= index * flat.stride[axis]
        inner += index * step
    return homes, inner


def make_walker(chain: Chain, greedy: Greedy | None = None, points: int | None = None) -> Walker:
    """A walker along the moves of the chain's values, or of another `greedy`.

    It has room for so many outer points at a time, or for as many as suits.
    """
    chooser = make_chooser(greedy or chain.greedy, points)
    return Walker(chain, chooser, make_batch(chain, chooser.choice))


def make_walkers(chain: Chain, workers: Workers, greedy: Greedy | None = None) -> list[Walker]:
    """Walkers that share out what they look at, one for each thread."""
    threads, stop = workers.threads, workers.stop
    return [
        evolve(make_walker(chain, greedy), stop=stop, number=number, threads=threads)
        for number in range(threads)
    ]
