"""Distributions in one sweep from the end of the game to its start.

With D(s) the distribution of all that is still paid from the landing state s on,

    D(s) = sum over the law of s of p * (D(s') moved by what is paid),

so a state's row needs the rows of the next layer only. Rows cover the lowest to the highest sum
that is possible; they are laid one after the other, and two layers are kept. Alongside, every law
is held to the values: sum p * (r + V(s')) must be V(s).
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba import njit

from dicegames.solver.batch import Batch, place
from dicegames.solver.chain import LANES, Walk
from dicegames.solver.decide import decide
from dicegames.solver.evaluate import PURE
from dicegames.solver.flat import Flat
from dicegames.solver.model import Array
from dicegames.solver.pieces import clear_laws, find_laws, find_pieces

DONE = 0
NO_ROOM_FOR_PIECES = 1
NO_ROOM_FOR_ROWS = 2
SKIPS = 3  # a law leads past the next layer
UNDEFINED = 4  # a law leads nowhere
CLOSE = 1e-9  # how far from 1 the probabilities of a law may be


class Rows(NamedTuple):
    """The rows of all landing states, by key."""

    layer: Array  # int32[states]: number of the layer, -1 where there is no row
    low: Array  # int32[states]: lowest sum, in units
    length: Array  # int32[states]
    at: Array  # int64[states]: where the row begins
    new: Array  # float64: rows of this layer
    old: Array  # float64: rows of the layer after it


@njit(**PURE)
def mark_wanted(w: Walk, b: Batch, wanted: Array) -> int:
    """Mark the landing states of the batch that are wanted as needed; the highest rank of them."""
    points, top = w.rank.size, -1
    for node in range(w.landing.size):
        if w.landing[node] < 0:
            continue
        for inner in range(points):
            for lane in range(LANES):
                key = w.landing[node] * w.entries + b.home[lane] + w.inner_at[inner]
                if wanted[key] != 0:
                    b.needed[w.hub[node] * points + inner] = 1
                    top = max(top, w.rank[inner])
                    break
    return int(top)


@njit(**PURE)
def _extent(w: Walk, b: Batch, rows: Rows, lane: int, layer: int) -> int:
    """Lowest sum of a law, and the one above the highest, in `extent`."""
    out = b.extent
    first_exit = (w.hub_first.size - 1) * w.rank.size
    out[0], out[1] = 1 << 40, -(1 << 40)
    for k in range(b.count[0]):
        goal = b.touched[k]
        if b.goal[goal * LANES + lane] == 0.0:
            continue
        key, paid = b.exit_key[goal - first_exit, lane], b.exit_sum[goal - first_exit, lane]
        low, length = 0, 1
        if key < -1:
            return UNDEFINED
        if key >= 0:
            if rows.layer[key] != layer + 1:
                return SKIPS
            low, length = rows.low[key], rows.length[key]
        out[0] = min(out[0], paid + low)
        out[1] = max(out[1], paid + low + length)
    return DONE


@njit(**PURE)
def _fill(w: Walk, b: Batch, rows: Rows, lane: int, at: int, low: int) -> float:
    """Add the rows that a law leads to; its mean value, NaN if something is missing."""
    first_exit = (w.hub_first.size - 1) * w.rank.size
    mean = total = 0.0
    for k in range(b.count[0]):
        goal = b.touched[k]
        p = b.goal[goal * LANES + lane]
        if p == 0.0:
            continue
        key, paid = b.exit_key[goal - first_exit, lane], b.exit_sum[goal - first_exit, lane]
        total += p
        mean += p * b.exit_pay[goal - first_exit, lane]
        if key < 0:
            rows.new[at + paid - low] += p
            continue
        mean += p * b.exit_value[goal - first_exit, lane]
        target = rows.new[at + paid + rows.low[key] - low :]
        source = rows.old[rows.at[key] : rows.at[key] + rows.length[key]]
        for i in range(source.size):
            target[i] += p * source[i]
    return mean if abs(total - 1.0) < CLOSE else np.nan


@njit(**PURE)
def _lane(
    w: Walk, b: Batch, rows: Rows, key: int, value: float, lane: int, layer: int,
    room: Array, worst: Array,
) -> int:  # fmt: skip
    outcome = _extent(w, b, rows, lane, layer)
    if outcome != DONE:
        return outcome
    low, length = b.extent[0], b.extent[1] - b.extent[0]
    at = room[0]
    if at + length > room[1]:
        return NO_ROOM_FOR_ROWS
    room[0] += length
    for i in range(at, at + length):
        rows.new[i] = 0.0
    mean = _fill(w, b, rows, lane, at, low)
    if np.isnan(mean):
        return UNDEFINED
    worst[0] = max(worst[0], abs(mean - value))
    rows.layer[key], rows.low[key] = layer, low
    rows.length[key], rows.at[key] = length, at
    return DONE


@njit(**PURE)
def spread_batches(
    width: tuple[float, ...], f: Flat, w: Walk, b: Batch, points: Array, layer: int, begin: int,
    step: int, wanted: Array, units: Array, lookup_units: Array, rows: Rows, room: Array,
    worst: Array, stop: Array,
) -> int:  # fmt: skip
    """Fill the rows of the batches begin, begin + step, ... of a layer's outer points."""
    inner_points = w.rank.size
    for at in range(begin * LANES, points.size, step * LANES):
        if stop[0] != 0:
            return DONE
        place(f, w, b, points, at, min(at + LANES, points.size))
        top = mark_wanted(w, b, wanted)
        decide(width, f, w, b, top)
        if not find_pieces(width, f, w, b, top):
            return NO_ROOM_FOR_PIECES
        for node in range(w.landing.size):
            if w.landing[node] < 0:
                continue
            for inner in range(inner_points):
                if b.piece_of[w.hub[node] * inner_points + inner] < 0:
                    continue
                find_laws(width, f, w, b, w.hub[node], inner, units, lookup_units)
                for lane in range(min(LANES, points.size - at)):
                    position = b.home[lane] + w.inner_at[inner]
                    key = w.landing[node] * w.entries + position
                    if wanted[key] != 0:
                        value = w.values[w.table[node] + position]
                        outcome = _lane(w, b, rows, key, value, lane, layer, room, worst)
                        if outcome != DONE:
                            clear_laws(width, b)
                            return outcome
                clear_laws(width, b)
    return DONE
