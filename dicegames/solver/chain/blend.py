"""Rows of all pieces of a batch's turns: sums of weighted rows, tile by tile of the sums.

A row holds the probabilities of consecutive sums. Nothing is paid between the pieces of a turn, so
what a piece has at a sum only needs what later pieces, and the rows of exits moved by what they
pay, have there. So a tile of the sums is worked out for all pieces before the next one: the tiles
of the rows, each in its *slot*, fit into a cache. Exits have the first slots; pieces follow, the
last ones first.
"""

from __future__ import annotations

from typing import Final, NamedTuple

import numpy as np

from dicegames.solver.chain.batch import Batch
from dicegames.solver.chain.chain import CHAIN_LANES
from dicegames.solver.kernels import lanes
from dicegames.solver.kernels.arrays import Vector
from dicegames.solver.kernels.evaluate import INLINE, PURE
from dicegames.solver.kernels.kernel import njit
from dicegames.solver.model import Array

TILE: Final = 32
BLEND_WIDTH: Final = (0.0, 0.0, 0.0, 0.0)  # of vectors, see `lanes`
LEAST_CHANCE: Final = 5e-324


class Slots(NamedTuple):
    """The slots of a batch, and what is known of their rows: scratch memory of one thread."""

    slot: Vector[np.int64]  # [exits * inner points]: of an exit that is met, else -1
    exit: Vector[np.int64]  # [exits * inner points]: its inverse
    count: Vector[np.int64]  # type: ignore[assignment]  # [1]: exits met
    source: Vector[np.int32]  # [entries]: slot of what an entry of a piece leads to
    target: Vector[np.int32]  # [entries]: slot of the piece
    low: Vector[np.float64]  # [slots * CHAIN_LANES]: the lowest sum, in units
    high: Vector[np.float64]  # [slots * CHAIN_LANES]: the one above the highest
    total: Vector[np.float64]  # [slots * CHAIN_LANES]: sum of the probabilities
    mean: Vector[np.float64]  # [slots * CHAIN_LANES]: of what is paid and of the values reached
    at: Vector[np.int64]  # [exits * inner points * CHAIN_LANES]: where the row of an exit begins


class Blend(NamedTuple):
    """What is added up in one lane: scratch memory of one thread."""

    count: Vector[np.int64]  # type: ignore[assignment]  # [3]: exits met, entries, wanted states
    met: Vector[np.uint8]  # [slots]: whether play comes there
    exit: Vector[np.int32]  # [exits met]: slots
    begin: Vector[np.int64]  # [exits met]: lowest sum of its row, moved
    length: Vector[np.int64]  # [exits met]
    at: Vector[np.int64]  # [exits met]: where the row begins
    source: Vector[np.int32]  # [entries]: slots
    target: Vector[np.int32]  # [entries]
    weight: Vector[np.float64]  # [entries]
    keep: Vector[np.float64]  # [entries]: 0 for the last of a piece, which is added first, else 1
    state: Vector[np.int64]  # [wanted states]: keys
    own: Vector[np.int32]  # [wanted states]: slots
    tiles: Vector[np.float64]  # [slots * TILE]


def make_slots(batch: Batch) -> Slots:
    """Scratch memory for all exits and pieces of a batch, and the entries it has room for."""
    exits, entries = batch.exit_known.size, batch.entry_goal.size
    size = (exits + batch.piece_hub.size) * CHAIN_LANES
    return Slots(
        slot=np.full(exits, -1, np.int64),
        exit=np.zeros(exits, np.int64),
        count=np.zeros(1, np.int64),
        source=np.zeros(entries, np.int32),
        target=np.zeros(entries, np.int32),
        low=np.zeros(size),
        high=np.zeros(size),
        total=np.zeros(size),
        mean=np.zeros(size),
        at=np.zeros(exits * CHAIN_LANES, np.int64),
    )


def make_blend(batch: Batch) -> Blend:
    """Scratch memory for a lane of the batch."""
    exits, pieces, entries = (a.size for a in (batch.exit_known, batch.piece_hub, batch.entry_goal))
    return Blend(
        count=np.zeros(3, np.int64),
        met=np.zeros(exits + pieces, np.uint8),
        exit=np.zeros(exits, np.int32),
        begin=np.zeros(exits, np.int64),
        length=np.zeros(exits, np.int64),
        at=np.zeros(exits, np.int64),
        source=np.zeros(entries, np.int32),
        target=np.zeros(entries, np.int32),
        weight=np.zeros(entries),
        keep=np.zeros(entries),
        state=np.zeros(pieces, np.int64),
        own=np.zeros(pieces, np.int32),
        tiles=np.zeros((exits + pieces) * TILE),
    )


@njit(**INLINE)
def slot_of(b: Batch, s: Slots, piece: int) -> int:
    """The slot of a piece."""
    return int(s.count[0] + b.count[1] - 1 - piece)


@njit(**PURE)
def link(b: Batch, s: Slots, hubs: int) -> None:
    """Give slots to the exits met; tell which the entries of pieces lead from and to."""
    s.count[0] = 0
    for k in range(b.count[2]):
        exit_ = b.entry_goal[k] - hubs
        if exit_ >= 0 and s.slot[exit_] < 0:
            s.slot[exit_] = s.count[0]
            s.exit[s.count[0]] = exit_
            s.count[0] += 1
    for piece in range(b.count[1]):
        for k in range(b.piece_first[piece], b.piece_first[piece + 1]):
            goal = b.entry_goal[k]
            s.source[k] = s.slot[goal - hubs] if goal >= hubs else slot_of(b, s, b.piece_of[goal])
            s.target[k] = slot_of(b, s, piece)
    for slot in range(s.count[0]):
        s.slot[s.exit[slot]] = -1


@njit(**PURE)
def sum_up(width: tuple[float, ...], b: Batch, s: Slots) -> None:
    """Find range, total and mean of the rows of all pieces from those of exits, in all lanes."""
    nothing, least = lanes.full(width, 0.0), lanes.full(width, LEAST_CHANCE)
    above, below = lanes.full(width, np.inf), lanes.full(width, -np.inf)
    low, high, total, mean = above, below, nothing, nothing
    last = np.int64(-1)
    for k in range(b.count[2] - 1, -1, -1):
        if s.target[k] != last:
            low, high, total, mean = above, below, nothing, nothing
            last = np.int64(s.target[k])
        p, at = lanes.load(width, b.entry_mass, k * CHAIN_LANES), s.source[k] * CHAIN_LANES
        new = lanes.where_above(p, least, lanes.load(width, s.low, at), above)
        low = lanes.minimum(low, new)
        new = lanes.where_above(p, least, lanes.load(width, s.high, at), below)
        high = lanes.maximum(high, new)
        new = lanes.multiply(p, lanes.load(width, s.total, at))  # perhaps NaN where p is 0
        total = lanes.add(total, lanes.where_above(p, least, new, nothing))
        new = lanes.multiply(p, lanes.load(width, s.mean, at))
        mean = lanes.add(mean, lanes.where_above(p, least, new, nothing))
        lanes.store(low, s.low, last * CHAIN_LANES)
        lanes.store(high, s.high, last * CHAIN_LANES)
        lanes.store(total, s.total, last * CHAIN_LANES)
        lanes.store(mean, s.mean, last * CHAIN_LANES)


@njit(**PURE)
def pick(b: Batch, s: Slots, m: Blend, lane: int) -> None:
    """List what is added up in a lane: all to which play comes from the pieces that are `met`."""
    met, mass, exits, last = m.met, b.entry_mass, s.count[0], np.int64(-1)
    used = count = np.int64(0)
    for k in range(b.count[2]):
        p, source, target = mass[k * CHAIN_LANES + lane], s.source[k], s.target[k]
        if p == 0.0 or met[target] == 0:
            continue
        if source < exits and met[source] == 0:
            at = source * CHAIN_LANES + lane
            m.exit[used], m.at[used] = source, s.at[at]
            m.begin[used], m.length[used] = s.low[at], s.high[at] - s.low[at]
            used += 1
        met[source] = 1
        m.source[count], m.target[count], m.weight[count] = source, target, p
        m.keep[count - 1 if count > 0 else 0] = target == last
        last = np.int64(target)
        count += 1
    m.keep[count - 1 if count > 0 else 0] = 0.0
    met[: exits + b.count[1]] = 0
    m.count[0], m.count[1] = used, count


@njit(**PURE)
def blend(wide: tuple[float, ...], old: Array, m: Blend, x: int) -> None:
    """Find the tiles at the sums from x on: of exits from the `old` rows, then of all pieces.

    The old rows begin with zeros, which are read where a row has nothing.
    """
    tiles = m.tiles
    for k in range(m.count[0]):
        skip = x - m.begin[k]
        at = m.at[k] + skip if -TILE < skip < m.length[k] else 0
        lanes.store(lanes.load(wide, old, at), tiles, m.exit[k] * TILE)
    own = lanes.full(wide, 0.0)
    for k in range(m.count[1] - 1, -1, -1):  # one loop: where pieces end, branches would be missed
        row = lanes.load(wide, tiles, lanes.entry(m.source, k) * TILE)
        part = lanes.add_product(lanes.full(wide, 0.0), row, lanes.entry(m.weight, k))
        own = lanes.add_product(part, own, lanes.entry(m.keep, k))
        lanes.store(own, tiles, lanes.entry(m.target, k) * TILE)
