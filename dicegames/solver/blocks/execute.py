"""Carry out a list of row operations, with vectors of lanes.

Operation i is ``code[i]`` over the terms first[i]..last[i]; rows are given by their offset in
`rows`.  Sums read their rows relative to ``bases[base[i]]``, which is where an earlier inner point
is kept.  A result goes to `to[i]`, and to ``current + keep[i]`` if it is needed at later inner
points.

Numbers of moves stand where offsets do, after those of their leaves.
"""

from __future__ import annotations

from typing import Any, Final

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
def _told(
    width: tuple[int, ...], rows: Array, offset: Array, at: int, last: int, do: int, to: int
) -> Any:
    """What is told of the first move that is as good as the best one; of the last where none is.

    It is found, and written, for a few lanes at a time, so that all stays in registers.
    """
    moves, few = (last - at - 1) // 2, width[:2]
    largest, numbers = do in (DO_FOLLOW_MAX, DO_FIRST_MAX), do >= DO_FIRST_MAX
    for part in range(0, lanes.LANE_UNIT * len(width), lanes.LANE_UNIT * len(few)):
        least = bar(lanes.load_row(few, rows, offset, at, part), largest)
        found = _of_move(few, rows, offset, at + 2 * moves, part, numbers)
        for k in range(at + moves - 1, at, -1):  # from the last to the first
            new = lanes.load_row(few, rows, offset, k, part)
            own = _of_move(few, rows, offset, k + moves, part, numbers)
            if largest:
                found = lanes.where_above(new, least, own, found)
            else:
                found = lanes.where_below(new, least, own, found)
        lanes.store(found, rows, to + part)
    return lanes.load(width, rows, to)


@njit(**INLINE)
def _of_move(
    width: tuple[int, ...],
    rows: Array,
    offset: Array,
    k: int,
    part: int,
    numbers: bool,  # noqa: FBT001
) -> Any:
    """What is told of a move: the row that follows it, or its number."""
    if numbers:
        return lanes.full(width, lanes.entry(offset, k))
    return lanes.load_row(width, rows, offset, k, part)


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
                best = _told(width, rows, offset, at, last[i], do, lanes.entry(to, i))
            else:
                best = _blend(width, rows, offset, at, last[i])
            lanes.store(best, rows, lanes.entry(to, i))
            kept = lanes.entry(keep, i)
            if kept >= 0:
                lanes.store(best, rows, current + kept)
