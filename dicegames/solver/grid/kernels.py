"""Kernels for turns on a grid: one turn for a vector of points, and tables read between points.

Values by seat lie as [row, seat, lane]; an entry has such rows for every level. The first seat is
the one to move; it alone chooses, the first of equal moves.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from dicegames.solver.grid.turn import Program
from dicegames.solver.kernels.evaluate import INLINE, OPTIONS, PURE
from dicegames.solver.kernels.kernel import njit
from dicegames.solver.kernels.lanes import (
    UNIT,
    add_number,
    add_product,
    entry,
    full,
    load,
    maximum,
    store,
    where_above,
)
from dicegames.solver.kernels.ties import bar
from dicegames.solver.model import Array

SETTLED = 1e-12
MOST_ROUNDS = 1000
LEAST = -1.7e308
WIDTH = (0, 0)
"""The width of a vector, in units of lanes: one zero for each."""
LANES = UNIT * len(WIDTH)


@njit(**PURE)
def _raise_entries(p: Program, level: int, levels: int, block: int, at: Array) -> None:
    """Let the edges into entries read them at the level where they are entered."""
    for i in range(p.risers.size):
        edge = p.risers[i]
        up = min(level + p.rise[edge], levels - 1)
        at[edge] = (p.entry[edge] * levels + up) * block


@njit(**INLINE)
def _mean(
    p: Program, node: int, a: int, b: int, c: int,
    at: Array, rows: Array, own: int, width: tuple[int, ...],
) -> None:  # fmt: skip
    """The mean for three seats, given by where their values lie."""
    one, two, three = full(width, 0.0), full(width, 0.0), full(width, 0.0)
    for edge in range(entry(p.first, node), entry(p.first, node + 1)):
        place, weight = entry(at, edge), entry(p.weight, edge)
        one = add_product(one, load(width, rows, place + a), weight)
        two = add_product(two, load(width, rows, place + b), weight)
        three = add_product(three, load(width, rows, place + c), weight)
    store(one, rows, own + a)
    store(two, rows, own + b)
    store(three, rows, own + c)


@njit(**INLINE)
def _mean_of_one(
    p: Program, node: int, at: Array, rows: Array, own: int, width: tuple[int, ...]
) -> None:
    """As `_mean`, for the first seat alone."""
    one = full(width, 0.0)
    for edge in range(entry(p.first, node), entry(p.first, node + 1)):
        one = add_product(one, load(width, rows, entry(at, edge)), entry(p.weight, edge))
    store(one, rows, own)


@njit(**INLINE)
def _highest(p: Program, node: int, at: Array, rows: Array, width: tuple[int, ...]) -> Any:
    """The best that the first seat can have."""
    first = entry(p.first, node)
    best = load(width, rows, entry(at, first))
    for edge in range(first + 1, entry(p.first, node + 1)):
        best = maximum(best, load(width, rows, entry(at, edge)))
    return best


@njit(**INLINE)
def _best_of_one(
    p: Program, node: int, at: Array, rows: Array, own: int, width: tuple[int, ...]
) -> None:
    """As `_best`, for the first seat alone."""
    store(_highest(p, node, at, rows, width), rows, own)


@njit(**INLINE)
def _mean_of_two(
    p: Program, node: int, b: int, at: Array, rows: Array, own: int, width: tuple[int, ...]
) -> None:
    """As `_mean`, for the first seat and one other."""
    one, two = full(width, 0.0), full(width, 0.0)
    for edge in range(entry(p.first, node), entry(p.first, node + 1)):
        place, weight = entry(at, edge), entry(p.weight, edge)
        one = add_product(one, load(width, rows, place), weight)
        two = add_product(two, load(width, rows, place + b), weight)
    store(one, rows, own)
    store(two, rows, own + b)


@njit(**INLINE)
def _best_of_two(
    p: Program, node: int, a: int, at: Array, rows: Array, own: int, width: tuple[int, ...]
) -> None:
    """As `_best`, with one other."""
    best = _highest(p, node, at, rows, width)
    least = bar(best, True)
    one = load(width, rows, entry(at, entry(p.first, node + 1) - 1) + a)
    for edge in range(entry(p.first, node + 1) - 2, entry(p.first, node) - 1, -1):
        place = entry(at, edge)
        one = where_above(load(width, rows, place), least, load(width, rows, place + a), one)
    store(best, rows, own)
    store(one, rows, own + a)


@njit(**INLINE)
def _best(
    p: Program, node: int, a: int, b: int,
    at: Array, rows: Array, own: int, width: tuple[int, ...],
) -> None:  # fmt: skip
    """The best for the first seat, and what two others have by it."""
    best = _highest(p, node, at, rows, width)
    least = bar(best, True)
    place = entry(at, entry(p.first, node + 1) - 1)
    one, two = load(width, rows, place + a), load(width, rows, place + b)
    for edge in range(entry(p.first, node + 1) - 2, entry(p.first, node) - 1, -1):
        place = entry(at, edge)
        value = load(width, rows, place)
        one = where_above(value, least, load(width, rows, place + a), one)
        two = where_above(value, least, load(width, rows, place + b), two)
    store(best, rows, own)
    store(one, rows, own + a)
    store(two, rows, own + b)


@njit(**INLINE)
def _move(
    p: Program, edge: int, at: Array, rows: Array, guards: Array, shift: int,
    width: tuple[int, ...],
) -> Any:  # fmt: skip
    """What a move brings the first seat; -inf in the lanes in which it is not legal."""
    value = add_number(load(width, rows, at[edge]), p.reward[edge, 0])
    if p.guard[edge] < 0:
        return value
    barred = load(width, guards, p.guard[edge] * shift)
    return where_above(full(width, 0.5), barred, value, full(width, -np.inf))


@njit(**PURE)
def _any_node(
    p: Program, node: int, seats: int, at: Array, rows: Array, own: int,
    guards: Array, shift: int, width: tuple[int, ...],
) -> None:  # fmt: skip
    """A node whose edges have guards or bring something."""
    lanes = UNIT * len(width)
    first, last = p.first[node], p.first[node + 1]
    if p.chance[node] != 0:
        for seat in range(seats):
            total = full(width, 0.0)
            for edge in range(first, last):
                value = add_number(load(width, rows, at[edge] + seat * lanes), p.reward[edge, seat])
                total = add_product(total, value, p.weight[edge])
            store(total, rows, own + seat * lanes)
        return
    best = full(width, -np.inf)
    for edge in range(first, last):
        best = maximum(best, _move(p, edge, at, rows, guards, shift, width))
    least = bar(best, True)
    for seat in range(seats):
        picked = full(width, np.nan)
        for edge in range(last - 1, first - 1, -1):  # of equals the first
            new = _move(p, edge, at, rows, guards, shift, width)
            value = add_number(load(width, rows, at[edge] + seat * lanes), p.reward[edge, seat])
            picked = where_above(new, least, value, picked)
        picked = where_above(best, full(width, LEAST), picked, full(width, np.nan))  # no move
        store(picked, rows, own + seat * lanes)


@njit(**PURE)
def evaluate_level(
    p: Program, level: int, levels: int, seats: int, entries: int,
    rows: Array, guards: Array, at: Array, width: tuple[int, ...],
) -> float:  # fmt: skip
    """Evaluate all nodes at a level; the largest change of an entry's value."""
    lanes = UNIT * len(width)
    block = seats * lanes
    first = entries * levels * block
    change = 0.0
    _raise_entries(p, level, levels, block, at)
    for node in range(p.chance.size):
        own = first + entry(p.own_slot, node) * block
        if entry(p.plain, node) == 0:
            shift = levels * lanes
            _any_node(p, node, seats, at, rows, own, guards[level * lanes :], shift, width)
        elif seats == 1 and entry(p.chance, node) != 0:
            _mean_of_one(p, node, at, rows, own, width)
        elif seats == 1:
            _best_of_one(p, node, at, rows, own, width)
        elif seats == 2 and entry(p.chance, node) != 0:
            _mean_of_two(p, node, lanes, at, rows, own, width)
        elif seats == 2:
            _best_of_two(p, node, lanes, at, rows, own, width)
        elif entry(p.chance, node) != 0:
            for seat in range(0, seats, 3):
                b, c = min(seat + 1, seats - 1), min(seat + 2, seats - 1)
                _mean(p, node, seat * lanes, b * lanes, c * lanes, at, rows, own, width)
        else:
            for seat in range(1, seats, 2):
                b = min(seat + 1, seats - 1)
                _best(p, node, seat * lanes, b * lanes, at, rows, own, width)
        if entry(p.own_entry, node) >= 0:
            kept = (entry(p.own_entry, node) * levels + level) * block
            for lane in range(block):
                change = max(change, abs(rows[own + lane] - rows[kept + lane]))
                rows[kept + lane] = rows[own + lane]
    return change


@njit(**OPTIONS)
def run_turn(
    p: Program, levels: int, seats: int, entries: int, slots: int,
    rows: Array, guards: Array, kept: Array, width: tuple[int, ...],
) -> bool:  # fmt: skip
    """Evaluate a turn for one vector of lanes, from the last level to the first.

    `rows` has the ends of the turn at all levels filled in, and gets the other entries. `kept`
    (empty, or float64[levels, slots * seats]) gets the rows of every level, of the first lane.
    False if the last level, where what is more counts no more, does not settle.
    """
    last = levels - 1
    block = seats * UNIT * len(width)
    first = entries * levels * block
    at = first + p.slot * block
    settled = False
    for _ in range(MOST_ROUNDS):
        if evaluate_level(p, last, levels, seats, entries, rows, guards, at, width) <= SETTLED:
            settled = True
            break
    for level in range(last, -1, -1):
        if level < last:
            evaluate_level(p, level, levels, seats, entries, rows, guards, at, width)
        if kept.size:
            kept[level] = rows[first : first + slots * block : UNIT * len(width)]
    return settled


@njit(**OPTIONS)
def run_turns(
    p: Program, levels: int, seats: int, entries: int, slots: int, ends: Array, guards: Array,
    row: int, values: Array, stop: Array, width: tuple[int, ...],
) -> bool:  # fmt: skip
    """Evaluate a turn for many points: float64[vectors, ends, levels, seats, lanes] to values.

    `values` (float64[vectors, seats, lanes]) gets those of the entry `row` at the first level.
    """
    block = seats * UNIT * len(width)
    count = ends.shape[1] * levels * block
    rows = np.zeros((entries * levels + slots) * block)
    nothing = np.empty((0, 0))
    good = True
    for unit in range(ends.shape[0]):
        if stop[0]:
            return False
        rows[:count] = ends[unit].ravel()
        good &= run_turn(
            p, levels, seats, entries, slots, rows, guards[unit].ravel(), nothing, width
        )
        at = row * levels * block
        values[unit] = rows[at : at + block].reshape(seats, block // seats)
    return good


@njit(**OPTIONS)
def settle(out: Array, holds: Array, reward: Array) -> None:
    """Write rewards (float64[seats, levels, lanes]) where play ends; `out` as in `between`."""
    size = out.shape[3]
    for level in range(out.shape[1]):
        for lane in range(holds.shape[1]):
            if holds[level, lane]:
                for seat in range(out.shape[2]):
                    out[lane // size, level, seat, lane % size] = reward[seat, level, lane]


@njit(**OPTIONS)
def between(
    out: Array, holds: Array, base: Array, delta: Array, share: Array, number: Array,
    values: Array, rotate: int, reward: Array,
) -> None:  # fmt: skip
    """Write rewards and table values, between points as the straight lines say.

    `base` (int64[levels, lanes]) is the lowest corner, `delta` and `share` ([axes, levels, lanes])
    the way to the other corner on each axis and how near it is. `number` leads from a point to its
    row of `values` ([rows, seats]). Where `holds`, `out` ([vectors, levels, seats, lanes]) gets the
    sum, for as many seats as it has; NaN where a point is not known.
    """
    seats, axes, size = values.shape[1], delta.shape[0], out.shape[3]
    told = out.shape[2]
    for level in range(out.shape[1]):
        for lane in range(holds.shape[1]):
            if not holds[level, lane]:
                continue
            vector, place = lane // size, lane % size
            for seat in range(told):
                out[vector, level, seat, place] = reward[seat, level, lane]
            for corner in range(1 << axes):
                weight, at = 1.0, base[level, lane]
                for a in range(axes):
                    if corner >> a & 1:
                        weight *= share[a, level, lane]
                        at += delta[a, level, lane]
                    else:
                        weight *= 1 - share[a, level, lane]
                if weight == 0.0:
                    continue
                row = number[at]
                for seat in range(told):
                    worth = values[row, (seat - rotate) % seats] if row >= 0 else np.nan
                    out[vector, level, seat, place] += weight * worth


__all__ = ["LANES", "WIDTH", "between", "evaluate_level", "run_turn", "run_turns", "settle"]
