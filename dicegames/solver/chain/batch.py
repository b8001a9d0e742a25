"""Batches of outer points for the kernels of the chain: CHAIN_LANES of them side by side.

The last one is repeated where there are fewer. Rows of lanes lie one after the other in flat
arrays.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from dicegames.solver.chain.chain import CHAIN_LANES, Chain, Walk
from dicegames.solver.kernels.arrays import Cube, Matrix, Vector
from dicegames.solver.kernels.evaluate import INLINE, PURE, flat_index, lookup_position, unflatten
from dicegames.solver.kernels.flat import Flat
from dicegames.solver.kernels.kernel import njit
from dicegames.solver.model import Array

BATCH_WIDTH = (0.0,)  # of vectors, see `lanes`
OFF_TABLE = -1


class Batch(NamedTuple):
    """Scratch memory of one thread."""

    home: Vector[np.int64]  # [CHAIN_LANES]: position of the outer point in a full table
    coords: Matrix[np.int64]  # [axes, CHAIN_LANES]
    choice: Vector[np.int16]  # the moves of a chunk of points, see `Chooser`
    here: Vector[np.int64]  # [1]: where the moves of this batch begin
    mass: Vector[np.float64]  # [N * CHAIN_LANES]: probability inside a piece
    goal: Vector[
        np.float64
    ]  # [(hubs + exits) * inner points * CHAIN_LANES]: probability by destination
    marked: Vector[np.uint8]  # [(hubs + exits) * inner points]
    touched: Vector[np.int64]  # destinations of the piece or the law at hand
    count: Vector[np.int64]  # type: ignore[assignment]  # [3]: touched; pieces; entries
    piece_of: Vector[np.int64]  # [hubs * inner points]: number of a piece, -1: none
    piece_hub: Vector[np.int64]  # destination number of the hub of each piece
    piece_first: Vector[np.int64]  # [pieces + 1]
    entry_goal: Vector[np.int64]
    entry_mass: Vector[np.float64]  # [entries * CHAIN_LANES]
    needed: Vector[np.uint8]  # [hubs * inner points]
    exit_known: Vector[np.uint8]  # [exits * inner points]
    exit_key: Matrix[np.int64]  # [exits * inner points, CHAIN_LANES]: landing key, -1: the end
    exit_sum: Cube[np.int64]  # [exits * inner points, seats, CHAIN_LANES]: what is paid, in units
    exit_mean: Cube[np.float64]  # alike: what is paid, and the value of the seat there


def make_batch(chain: Chain, choice: Array) -> Batch:
    """Scratch memory for one thread, with the moves that it finds."""
    model, walk = chain.model, chain.walk
    points, hubs, exits = walk.rank.size, walk.hub_first.size - 1, walk.exit_edge.size
    goals = (hubs + exits) * points
    return Batch(
        home=np.zeros(CHAIN_LANES, np.int64),
        coords=np.zeros((len(model.axes), CHAIN_LANES), np.int64),
        choice=choice,
        here=np.zeros(1, np.int64),
        mass=np.zeros(model.nodes * CHAIN_LANES),
        goal=np.zeros(goals * CHAIN_LANES),
        marked=np.zeros(goals, np.uint8),
        touched=np.zeros(goals, np.int64),
        count=np.zeros(3, np.int64),
        piece_of=np.full(hubs * points, -1, np.int64),
        piece_hub=np.zeros(hubs * points, np.int64),
        piece_first=np.zeros(hubs * points + 1, np.int64),
        entry_goal=np.zeros(1 << 10, np.int64),
        entry_mass=np.zeros((1 << 10) * CHAIN_LANES),
        needed=np.zeros(hubs * points, np.uint8),
        exit_known=np.zeros(exits * points, np.uint8),
        exit_key=np.zeros((exits * points, CHAIN_LANES), np.int64),
        exit_sum=np.zeros((exits * points, walk.seats, CHAIN_LANES), np.int64),
        exit_mean=np.zeros((exits * points, walk.seats, CHAIN_LANES)),
    )


def roomier(batch: Batch) -> Batch:
    """The same with twice the room for pieces."""
    room = 2 * batch.entry_goal.size
    return batch._replace(
        entry_goal=np.zeros(room, np.int64), entry_mass=np.zeros(room * CHAIN_LANES)
    )


@njit(**PURE)
def place(f: Flat, w: Walk, b: Batch, points: Array, begin: int, end: int) -> None:
    """Lay the outer points[begin:end] of a chunk into the lanes."""
    b.here[0] = begin * w.rank.size * w.slots
    for lane in range(CHAIN_LANES):
        b.home[lane] = points[min(begin + lane, end - 1)]
        unflatten(f, b.home[lane], b.coords[:, lane])
    b.piece_of[:] = -1
    b.needed[:] = 0
    b.exit_known[:] = 0
    b.count[:] = 0


@njit(**PURE)
def set_inner(f: Flat, w: Walk, b: Batch, inner: int) -> None:
    """Put an inner point into all lanes."""
    left = inner
    for k in range(w.inner.size):
        for lane in range(CHAIN_LANES):
            b.coords[w.inner[k], lane] = left // w.inner_step[k]
        left %= w.inner_step[k]


@njit(**INLINE)
def jump(f: Flat, b: Batch, effect: int, lane: int) -> int:
    """Position in a full table after an effect; OFF_TABLE where it is not defined."""
    point = b.coords[:, lane]
    position = flat_index(f, point)
    for k in range(f.effect_first[effect], f.effect_first[effect + 1]):
        axis = f.effect_axis[k]
        index = f.indices[lookup_position(f, f.effect_lookup[k], point)]
        if index < 0 or index >= f.size[axis]:
            return OFF_TABLE
        position += (index - point[axis]) * f.stride[axis]
    return int(position)
