"""Kernels of the search for reachable points (see `reach`)."""

from __future__ import annotations

from typing import Final, NamedTuple

import numpy as np

from dicegames.solver.kernels.arrays import Cube, Matrix, Vector
from dicegames.solver.kernels.evaluate import INLINE, INNER, PURE, lookup_position
from dicegames.solver.kernels.flat import Flat
from dicegames.solver.kernels.kernel import njit
from dicegames.solver.kernels.lanes import trailing_zeros
from dicegames.solver.model import Array

NO_ROW: Final = -1
UNKNOWN: Final = -2
GATHER = 1 << 40  # a shift of GATHER + b: all of the masked bits go to bit b


class Items(NamedTuple):
    """Edges that read tables, grouped; see `reach._ItemGroups`."""

    source: Vector[np.int64]  # [items], place of the stored node
    target: Vector[np.int64]  # [items]
    again: Vector[np.bool_]  # [items]: as the item before, but for the bits
    slow: Vector[np.bool_]  # [items]: to be followed bit by bit
    early: Vector[np.bool_]  # [items]: what holds depends on the row alone
    map: Vector[np.int64]  # [items], of the bits
    mask: Matrix[np.uint64]  # [items, words], bits where the edge can be taken
    tables: Matrix[np.int32]  # [maps, bits]
    shift_first: Vector[np.int32]  # [maps + 1]
    shift_by: Vector[np.int64]
    shift_mask: Matrix[np.uint64]  # [shifts, words]
    assign_first: Vector[np.int32]  # [items + 1]
    assign_axis: Vector[np.int32]
    assign_lookup: Vector[np.int32]
    hold_first: Vector[np.int32]  # [items + 1]
    hold_lookup: Vector[np.int32]


class Crossing(NamedTuple):
    """Moves of the inner axes: maps by stored source, as tables and shifts of the bits."""

    first: Vector[np.int32]  # [stored + 1]
    map: Vector[np.int32]
    tables: Matrix[np.int32]  # [maps, bits]
    shift_first: Vector[np.int32]  # [maps + 1]
    shift_by: Vector[np.int64]
    shift_mask: Matrix[np.uint64]  # [shifts, words]


@njit(**INLINE)
def _shift_into(bits: Array, mask: Array, by: int, out: Array) -> bool:
    """Set the masked bits, moved by `by`, in `out`; whether that is new."""
    words = bits.size
    whole, part = abs(by) // 64, np.uint64(abs(by) % 64)
    rest = np.uint64(64) - part
    new = False
    for w in range(words):
        word = np.uint64(0)
        near = w - whole if by >= 0 else w + whole
        far = near - 1 if by >= 0 else near + 1
        if 0 <= near < words:
            own = bits[near] & mask[near]
            word |= own << part if by >= 0 else own >> part
        if part > 0 and 0 <= far < words:
            own = bits[far] & mask[far]
            word |= own >> rest if by >= 0 else own << rest
        if word & ~out[w]:
            out[w] |= word
            new = True
    return new


@njit(**INLINE)
def _gather_into(bits: Array, mask: Array, bit: int, out: Array) -> bool:
    """Set one bit of `out` if a masked bit is set; whether that is new."""
    one = np.uint64(1) << np.uint64(bit % 64)
    if out[bit // 64] & one:
        return False
    for w in range(bits.size):
        if bits[w] & mask[w]:
            out[bit // 64] |= one
            return True
    return False


@njit(**INLINE)
def _next_bit(bits: Array, begin: int) -> int:
    """First set bit at or after `begin`, or -1."""
    w = begin // 64
    if w >= bits.size:
        return -1
    word = bits[w] >> np.uint64(begin % 64) << np.uint64(begin % 64)
    while word == 0:
        w += 1
        if w == bits.size:
            return -1
        word = bits[w]
    return w * 64 + trailing_zeros(word)


@njit(**INNER)
def _map_into(
    bits: Array, table: Array, lo: int, hi: int, by: Array, mask: Array, out: Array
) -> bool:
    """Set the image of the bits under a map in `out`; whether that is new."""
    new = False
    if hi > lo:
        for k in range(lo, hi):
            if by[k] >= GATHER:
                new = _gather_into(bits, mask[k], by[k] - GATHER, out) or new
            else:
                new = _shift_into(bits, mask[k], by[k], out) or new
        return new
    bit = _next_bit(bits, 0)
    while bit >= 0:
        after = table[bit]
        if after >= 0:
            one = np.uint64(1) << np.uint64(after % 64)
            if out[after // 64] & one == 0:
                out[after // 64] |= one
                new = True
        bit = _next_bit(bits, bit + 1)
    return new


@njit(**INLINE)
def _close(c: Crossing, source: int, bits: Array) -> None:
    """Add all that moves of the inner axes lead to."""
    changed = True
    while changed:
        changed = False
        for i in range(c.first[source], c.first[source + 1]):
            m = c.map[i]
            lo, hi = c.shift_first[m], c.shift_first[m + 1]
            new = _map_into(bits, c.tables[m], lo, hi, c.shift_by, c.shift_mask, bits)
            changed = changed or new


@njit(**INLINE)
def _place(axes: Array, step: Array, flat: int, point: Array) -> None:
    for k in range(axes.size):
        index = flat // step[k]
        flat -= index * step[k]
        point[axes[k]] = index


@njit(**INNER)
def _holds(f: Flat, items: Items, item: int, point: Array) -> bool:
    for k in range(items.hold_first[item], items.hold_first[item + 1]):
        if f.bools[lookup_position(f, items.hold_lookup[k], point)] == 0:
            return False
    return True


@njit(**INNER)
def _after(f: Flat, items: Items, item: int, point: Array, out: Array) -> bool:
    """The point after the assignments of an item; False where it is undefined."""
    for axis in range(point.size):
        out[axis] = point[axis]
    for k in range(items.assign_first[item], items.assign_first[item + 1]):
        index = f.indices[lookup_position(f, items.assign_lookup[k], point)]
        axis = items.assign_axis[k]
        if index < 0 or (axis >= 0 and index >= f.size[axis]):
            return False
        if axis >= 0:
            out[axis] = index
    return True


@njit(**INLINE)
def _flat(axes: Array, step: Array, point: Array) -> int:
    total = 0
    for k in range(axes.size):
        total += point[axes[k]] * step[k]
    return total


@njit(**INNER)
def _follow(
    f: Flat, items: Items, item: int, bits: Array, major: Array, minor: Array, major_step: Array,
    minor_step: Array, point: Array, out: Array, entered: Array, dirty: Array,
) -> None:  # fmt: skip
    """Carry the bits of a row over one item, bit by bit."""
    target = items.target[item]
    bit = _next_bit(bits, 0)
    while bit >= 0:
        _place(minor, minor_step, bit, point)
        if _holds(f, items, item, point) and _after(f, items, item, point, out):
            row, new = _flat(major, major_step, out), _flat(minor, minor_step, out)
            one = np.uint64(1) << np.uint64(new % 64)
            if entered[target, row, new // 64] & one == 0:
                entered[target, row, new // 64] |= one
                dirty[target, row] = True
        bit = _next_bit(bits, bit + 1)


@njit(**INLINE)
def _carry(
    f: Flat, items: Items, source: int, bits: Array, some: Array, major: Array, minor: Array,
    major_step: Array, minor_step: Array, point: Array, out: Array, entered: Array, dirty: Array,
) -> None:  # fmt: skip
    """Carry the bits of a row over all items of a source."""
    holds, row = False, NO_ROW
    for item in range(items.source.size):
        if items.source[item] != source:
            continue
        if not items.again[item]:
            holds, row = not items.early[item] or _holds(f, items, item, point), UNKNOWN
        if not holds or row == NO_ROW:
            continue
        found = np.uint64(0)
        for w in range(bits.size):
            some[w] = bits[w] & items.mask[item, w]
            found |= some[w]
        if found == 0:
            continue
        if items.slow[item] or not items.early[item]:
            _follow(
                f, items, item, some, major, minor, major_step, minor_step, point, out, entered,
                dirty,
            )  # fmt: skip
            continue
        if row == UNKNOWN:
            to = _after(f, items, item, point, out)
            row = _flat(major, major_step, out) if to else NO_ROW
        if row >= 0:
            target, m = items.target[item], items.map[item]
            if _map_into(
                some, items.tables[m], items.shift_first[m], items.shift_first[m + 1],
                items.shift_by, items.shift_mask, entered[target, row],
            ):  # fmt: skip
                dirty[target, row] = True


@njit(**PURE)
def search(
    f: Flat, items: Items, crossing: Crossing, order: Vector[np.int64], major: Vector[np.int64],
    minor: Vector[np.int64], major_step: Vector[np.int64], minor_step: Vector[np.int64],
    entered: Cube[np.uint64], closure: Matrix[np.uint64], done: Cube[np.uint64],
    dirty: Matrix[np.bool_], spare: Matrix[np.uint64], points: Matrix[np.int64],
    stop: Vector[np.uint8],
) -> None:  # fmt: skip
    """Fill `entered` and `closure` from the bits of the rows that are `dirty`.

    `done` is like `entered`, `spare` holds two bit rows, `points` two points; all zero.
    """
    stored, rows, words = entered.shape
    bits, some = spare[0], spare[1]
    point, out = points[0], points[1]
    busy = True
    while busy and stop[0] == 0:
        busy = False
        for i in range(rows):
            row = order[i]
            for source in range(stored):
                if not dirty[source, row]:
                    continue
                busy = True
                dirty[source, row] = False
                for w in range(words):
                    bits[w] = entered[source, row, w]
                _close(crossing, source, bits)
                for w in range(words):
                    closure[row, w] |= bits[w]
                    old = done[source, row, w]
                    done[source, row, w] |= bits[w]
                    bits[w] &= ~old
                _place(major, major_step, row, point)
                _carry(
                    f, items, source, bits, some, major, minor, major_step, minor_step, point, out,
                    entered, dirty,
                )  # fmt: skip
