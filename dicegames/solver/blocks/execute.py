"""Carry out a list of row operations, with vectors of lanes.

Operation i is ``code[i]`` over the terms first[i]..last[i]; rows are given by their offset in
`rows`.  Sums read their rows relative to ``bases[base[i]]``, which is where an earlier inner point
is kept.  A result goes to `to[i]`, and to ``current + keep[i]`` if it is needed at later inner
points.

Numbers of moves stand where offsets do, after those of their leaves.
"""

from __future__ import annotations

from typing import Any, Final

import numpy as np

from dicegames.solver.kernels import lanes
from dicegames.solver.kernels.evaluate import INLINE, INNER
from dicegames.solver.kernels.kernel import njit
from dicegames.solver.kernels.ties import bar
from dicegames.solver.model import Array

DO_SUM: Final = 0  # constant + sum of weight * row
DO_MAX: Final = 1
DO_MIN: Final = 2
DO_ADD: Final = 3  # row + constant
DO_MASK: Final = 4  # row + constant, or the mask row where that is not 0
DO_FILL: Final = 5  # constant
DO_COPY: Final = 6  # row, relative to a base
DO_FOLLOW_MAX: Final = 7  # what follows a maximum: see `terms`
DO_FOLLOW_MIN: Final = 8
DO_FIRST_MAX: Final = 9  # which move is the first that is as good as a maximum
DO_FIRST_MIN: Final = 10
DO_BLEND: Final = 11  # sum of row * row, the first half of the rows being the factors


@njit(**INLINE)
def _follow(
    width: tuple[int, ...],
    rows: Array,
    offset: Array,
    at: int,
    last: int,
    largest: bool,  # noqa: FBT001
) -> Any:
    """What the first of the moves has that are as good as the best one; the last where none is."""
    moves = (last - at - 1) // 2
    least = bar(lanes.load_row(width, rows, offset, at, 0), largest)
    found = lanes.load_row(width, rows, offset, at + 2 * moves, 0)
    for k in range(at + moves - 1, at, -1):  # from the last to the first
        new = lanes.load_row(width, rows, offset, k, 0)
        own = lanes.load_row(width, rows, offset, k + moves, 0)
        if largest:
            found = lanes.where_above(new, least, own, found)
        else:
            found = lanes.where_below(new, least, own, found)
    return found


@njit(**INLINE)
def _first(
    width: tuple[int, ...],
    rows: Array,
    offset: Array,
    at: int,
    last: int,
    largest: bool,  # noqa: FBT001
) -> Any:
    """The number of the first move that is as good as the best one; of the last where none is."""
    moves = (last - at - 1) // 2
    least = bar(lanes.load_row(width, rows, offset, at, 0), largest)
    found = lanes.full(width, lanes.entry(offset, at + 2 * moves))
    left = (np.uint64(1) << np.uint64(lanes.UNIT * len(width))) - np.uint64(1)
    for k in range(at + 1, at + moves):
        new = lanes.load_row(width, rows, offset, k, 0)
        met = left & (lanes.bits_above(new, least) if largest else lanes.bits_below(new, least))
        if met != 0:
            found = lanes.put(found, met, lanes.entry(offset, k + moves))
            left ^= met
            if left == 0:
                break
    return found


@njit(**INLINE)
def _told(width: tuple[int, ...], rows: Array, offset: Array, at: int, last: int, do: int) -> Any:
    """What is told of a choice: what follows it, or the number of the move."""
    largest = do in (DO_FOLLOW_MAX, DO_FIRST_MAX)
    if do >= DO_FIRST_MAX:
        return _first(width, rows, offset, at, last, largest)
    return _follow(width, rows, offset, at, last, largest)


@njit(**INLINE)
def _best(
    width: tuple[int, ...],
    rows: Array,
    offset: Array,
    at: int,
    last: int,
    largest: bool,  # noqa: FBT001
) -> Any:
    """The maximum or minimum of rows."""
    best = lanes.load_row(width, rows, offset, at, 0)
    for k in range(at + 1, last):
        row = lanes.load_row(width, rows, offset, k, 0)
        best = lanes.maximum(best, row) if largest else lanes.minimum(best, row)
    return best


@njit(**INLINE)
def _blend(width: tuple[int, ...], rows: Array, offset: Array, at: int, last: int) -> Any:
    """The sum of the products of rows."""
    factors = (last - at) // 2
    total = lanes.full(width, 0.0)
    for k in range(at, at + factors):
        factor = lanes.load_row(width, rows, offset, k, 0)
        row = lanes.load_row(width, rows, offset, k + factors, 0)
        total = lanes.add(total, lanes.multiply(factor, row))
    return total


@njit(**INNER)
def execute(
    width: tuple[int, ...], rows: Array, runs: Array, count: int, code: Array, first: Array,
    last: Array, offset: Array, weight: Array, constant: Array, base: Array, bases: Array,
    to: Array, keep: Array, current: int,
) -> None:  # fmt: skip
    """Carry out the runs of operations on 8 * len(width) lanes."""
    for run in range(count):
        for i in range(runs[2 * run], runs[2 * run + 1]):
            at, do = lanes.entry(first, i), lanes.entry(code, i)
            if do == DO_SUM:
                shift = bases[base[i]]
                best = lanes.full(width, constant[i])
                for k in range(at, last[i]):
                    row = lanes.load_row(width, rows, offset, k, shift)
                    best = lanes.add_product(best, row, lanes.entry(weight, k))
            elif do == DO_MAX:
                best = _best(width, rows, offset, at, last[i], True)
            elif do == DO_MIN:
                best = _best(width, rows, offset, at, last[i], False)
            elif do == DO_ADD:
                best = lanes.add_number(lanes.load_row(width, rows, offset, at, 0), constant[i])
            elif do == DO_MASK:
                best = lanes.add_number(lanes.load_row(width, rows, offset, at, 0), constant[i])
                best = lanes.masked(best, lanes.load_row(width, rows, offset, at + 1, 0))
            elif do == DO_FILL:
                best = lanes.full(width, constant[i])
            elif do == DO_COPY:
                best = lanes.load_row(width, rows, offset, at, bases[base[i]])
            elif DO_FOLLOW_MAX <= do <= DO_FIRST_MIN:
                best = _told(width, rows, offset, at, last[i], do)
            else:
                best = _blend(width, rows, offset, at, last[i])
            lanes.store(best, rows, lanes.entry(to, i))
            kept = lanes.entry(keep, i)
            if kept >= 0:
                lanes.store(best, rows, current + kept)
