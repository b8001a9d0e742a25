"""Kernels that look at the points of a block: lanes, and what lookups say there.

A lookup is an offset into one pool and a stride for each axis it reads; what it gives is an integer
for a guard (0 or 1) and for a move (how far it goes in a full table), the bits of a double for a
reward. A large one of few different entries has bytes instead, which say where in the pool to look.
"""

from __future__ import annotations

from typing import Final, NamedTuple

import numpy as np

from dicegames.solver.blocks.specialise import Work
from dicegames.solver.kernels.arrays import Matrix, Vector
from dicegames.solver.kernels.evaluate import INLINE, INNER, PURE
from dicegames.solver.kernels.kernel import njit
from dicegames.solver.kernels.lanes import entry
from dicegames.solver.model import Array

NOWHERE: Final = -(1 << 50)  # a move that is not defined
TO_THE_END: Final = -(1 << 58)  # a move to the end of the game
END_BELOW: Final = -(1 << 57)
GIVEN_BELOW: Final = -1  # tables that are given for each point: this less 1, 2, 3, ...
UNIT: Final = 8


class Points(NamedTuple):
    """How points are looked up; the lookups of guards come first."""

    stride: Vector[np.int64]  # [axes], of a full table
    inner: Vector[np.int64]  # [inner axes]
    inner_step: Vector[np.int64]  # [inner axes], of a flat inner point
    ranked: Vector[np.int64]  # flat inner points in order of progress
    rank: Vector[np.int64]  # place of a flat inner point in that order
    shift_after: Matrix[np.int64]  # [shifts, inner points]: flat inner point, -1: none
    once: Vector[np.int32]  # lookups that do not change with the inner point
    again: Vector[np.int32]  # those that do
    even: Vector[np.uint8]  # [lookups]: the same in all lanes
    look_first: Vector[np.int32]  # [lookups + 1]
    look_axis: Vector[np.int32]
    look_step: Vector[np.int64]
    look_begin: Vector[np.int64]  # [lookups]: offset in the pool, or in the codes
    meaning: Vector[np.int64]  # [lookups]: where in the pool stands what codes mean; -1: no codes
    pool: Vector[np.int64]
    codes: Vector[np.uint8]


_NO_PLACES: Array = np.zeros(0, np.int64)


class Blocks(NamedTuple):
    """The blocks of a layer and what they write."""

    values: Vector[np.float64]  # all tables
    closure: Matrix[np.uint64]  # [rows, words]: inner points needed
    stored_row: Vector[np.int64]  # [stored]: number of the row
    inner_step: int  # how far the values of two inner points stand apart
    stored_table: Vector[np.int64] = _NO_PLACES  # [stored]: offset of the table
    first: Vector[np.int64] = _NO_PLACES  # [blocks + 1]
    points: Vector[np.int64] = _NO_PLACES  # position in a full table of each lane, inner axes at 0
    places: Vector[np.int64] = _NO_PLACES  # where the values of each lane stand, at inner point 0
    major_axes: Vector[np.int64] = (
        _NO_PLACES  # axes of the rows of `closure`; none: there is one row
    )
    major_step: Vector[np.int64] = _NO_PLACES
    weights: Vector[np.float32] = np.zeros(1, np.float32)  # of entries, for bounds of a cycle
    choice: Vector[np.int16] = np.zeros(0, np.int16)  # moves told in place of values; or empty
    given: Vector[np.float64] = np.zeros(0)  # values at the ends of turns, as `choice`: `Chooser`
    ends: int = 0  # how many values are given at an inner point


@njit(**INLINE)
def told_at(point: int, number: int, count: int, inner: int, inner_points: int) -> int:
    """Where one of `count` numbers of a point and inner point stands: moves, or given values."""
    return ((point // UNIT * inner_points + inner) * count + number) * UNIT + point % UNIT


@njit(**INLINE)
def place(p: Points, b: Blocks, block: int, w: Work) -> int:
    """Lay the points of a block into lanes, the last one repeated; the number of lanes."""
    home, coords = w.home, w.coords
    first, points, places = b.first, b.points, b.places
    stride = p.stride
    begin, end = first[block], first[block + 1]
    width = (end - begin + UNIT - 1) // UNIT * UNIT
    for lane in range(width):
        at = min(begin + lane, end - 1)
        left = points[at]
        home[lane] = places[at]
        for axis in range(stride.size):
            index = left // stride[axis]
            left -= index * stride[axis]
            coords[axis, lane] = index
    return width


@njit(**INLINE)
def set_inner(p: Points, inner: int, width: int, w: Work) -> None:
    """Put an inner point into all lanes."""
    left = inner
    for k in range(p.inner.size):
        index = left // p.inner_step[k]
        left -= index * p.inner_step[k]
        for lane in range(width):
            w.coords[p.inner[k], lane] = index


@njit(**INLINE)
def read_lookup(p: Points, j: int, width: int, w: Work) -> None:
    """Read a lookup in all lanes, if that is not done yet."""
    known, places, read = w.known, w.place, w.read
    look_first = p.look_first
    if known[j] != 0:
        return
    known[j] = 1
    spread = 1 if p.even[j] != 0 else width
    begin = p.look_begin[j]
    for lane in range(spread):
        places[lane] = begin
    for k in range(look_first[j], look_first[j + 1]):
        axis, step = np.uint64(p.look_axis[k]), p.look_step[k]
        for lane in range(spread):
            places[lane] += w.coords[axis, lane] * step
    if p.meaning[j] >= 0:
        for lane in range(spread):
            places[lane] = p.meaning[j] + entry(p.codes, places[lane])
    for lane in range(spread):
        read[j, lane] = entry(p.pool, places[lane])
    for lane in range(spread, width):
        read[j, lane] = read[j, 0]


@njit(**INNER)
def read_guards(p: Points, chosen: Vector[np.int32], width: int, w: Work) -> bool:
    """Forget what lookups say, and read those of guards; whether the state of one has changed.

    States: 0 false, 1 true in all lanes, 2 mixed.
    """
    known, states, read = w.known, w.state, w.read
    changed = False
    for i in range(chosen.size):
        j = chosen[i]
        known[j] = 0
        if j < states.size:
            read_lookup(p, j, width, w)
            total = 0
            for lane in range(width):
                total += read[j, lane]
            state = 0 if total == 0 else (1 if total == width else 2)
            changed = changed or states[j] != state
            states[j] = state
    return changed


@njit(**PURE)
def fill_row_ends(
    values: Array, begins: Array, step: int, size: int, first: Array, last: Array, below: float,
    above: float,
) -> None:  # fmt: skip
    """Fill rows of a table: `below` before index first[row], `above` from last[row] on."""
    for row in range(begins.size):
        if below != 0.0:  # what is zero is so already
            for index in range(min(first[row], size)):
                values[begins[row] + index * step] = below
        if above != 0.0:
            for index in range(max(last[row], 0), size):
                values[begins[row] + index * step] = above


@njit(**PURE)
def largest_of(values: Array) -> float:
    """The largest absolute value; what is not a number, or without end, does not count."""
    largest = 0.0
    for value in values:
        if largest < abs(value) < np.inf:
            largest = abs(value)
    return largest
