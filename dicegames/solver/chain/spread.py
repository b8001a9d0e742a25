"""Distributions in one sweep from the end of the game to its start.

With D(s) the distribution of all that is still paid from the landing state s on, and pieces of its
turn for states as well,

    D(s) = sum over what a piece of a turn leads to, of p * (D(s') moved by what is paid),

so a state's row needs the rows of the next layer, and those of later pieces of its turn. Rows cover
the lowest to the highest sum that is possible; they are laid one after the other, and two layers
are kept. Alongside, every state is held to its value: sum p * (r + V(s')) must be V(s).
"""

from __future__ import annotations

from typing import Final, NamedTuple

import numpy as np

from dicegames.solver.chain.batch import Batch, place
from dicegames.solver.chain.blend import TILE, Blend, Slots, blend, link, pick, slot_of, sum_up
from dicegames.solver.chain.chain import CHAIN_LANES, Walk
from dicegames.solver.chain.forward import find_pieces, know_exit
from dicegames.solver.chain.piece_store import PieceStore, take_pieces
from dicegames.solver.kernels import lanes
from dicegames.solver.kernels.arrays import Vector
from dicegames.solver.kernels.evaluate import PURE
from dicegames.solver.kernels.flat import Flat
from dicegames.solver.kernels.kernel import njit
from dicegames.solver.model import Array

DONE = 0
NO_ROOM_FOR_PIECES = 1
NO_ROOM_FOR_ROWS = 2
SKIPS = 3  # a law leads past the next layer
UNDEFINED = 4  # a law leads nowhere
LAW_SLACK = 1e-9  # how far from 1 the probabilities of a law may be
SKIPPING: Final = np.inf
END_ROW: Final = 2 * TILE + 1
"""Every layer's rows begin with that of the end: sum 0 for certain, between zeros."""


class RowTable(NamedTuple):
    """The rows of all landing states, by key."""

    layer: Vector[np.int32]  # [states]: number of the layer, -1 where there is no row
    low: Vector[np.int32]  # [states]: lowest sum, in units
    length: Vector[np.int32]  # [states]
    at: Vector[np.int64]  # [states]: where the row begins
    new: Vector[np.float64]  # rows of this layer
    old: Vector[np.float64]  # rows of the layer after it


@njit(**PURE)
def mark_wanted(w: Walk, b: Batch, wanted: Array) -> int:
    """Mark the landing states of the batch that are wanted as needed; the highest rank of them."""
    points, top = w.rank.size, -1
    for node in range(w.landing.size):
        if w.landing[node] < 0:
            continue
        for inner in range(points):
            for lane in range(CHAIN_LANES):
                key = w.landing[node] * w.entries + b.home[lane] + w.inner_at[inner]
                if wanted[key] != 0:
                    b.needed[w.hub[node] * points + inner] = 1
                    top = max(top, w.rank[inner])
                    break
    return int(top)


@njit(**PURE)
def _lead_on(f: Flat, w: Walk, b: Batch, rows: RowTable, s: Slots, layer: int) -> None:
    """Find the rows to which exits lead, in all lanes; a total that is not 1 tells of no row."""
    hubs = (w.hub_first.size - 1) * w.rank.size
    for slot in range(s.count[0]):
        exit_ = s.exit[slot]
        know_exit(f, w, b, hubs + exit_)
        for lane in range(CHAIN_LANES):
            key, at = b.exit_key[exit_, lane], slot * CHAIN_LANES + lane
            begin, length, s.at[at], s.total[at] = 0, 1, TILE, 1.0
            if key >= 0 and rows.layer[key] == layer + 1:
                begin, length, s.at[at] = rows.low[key], rows.length[key], rows.at[key]
            elif key != -1:
                s.total[at] = SKIPPING if key >= 0 else np.nan
            s.low[at] = b.exit_sum[exit_, 0, lane] + begin
            s.high[at] = s.low[at] + length
            s.mean[at] = b.exit_mean[exit_, 0, lane]


@njit(**PURE)
def _enter(
    rows: RowTable, s: Slots, key: int, at: int, layer: int, value: float, room: Array,
    worst: Array,
) -> int:  # fmt: skip
    """Find a place for the row of a state, and hold it to its value."""
    if s.total[at] == SKIPPING:
        return SKIPS
    if not abs(s.total[at] - 1.0) < LAW_SLACK or np.isnan(s.mean[at]):
        return UNDEFINED
    low, length, begin = np.int64(s.low[at]), np.int64(s.high[at] - s.low[at]), room[0]
    end = begin + length + TILE
    if end > room[1]:
        return NO_ROOM_FOR_ROWS
    worst[0] = max(worst[0], abs(s.mean[at] - value))
    rows.new[begin + length : end] = 0.0
    rows.layer[key], rows.low[key], rows.length[key], rows.at[key] = layer, low, length, begin
    room[0] = end
    return DONE


@njit(**PURE)
def _enter_all(
    w: Walk, b: Batch, rows: RowTable, s: Slots, m: Blend, lane: int, layer: int, wanted: Array,
    room: Array, worst: Array,
) -> int:  # fmt: skip
    """Find places for the rows of all wanted states in one lane."""
    states = np.int64(0)
    for node in range(w.landing.size):
        for inner in range(w.rank.size if w.landing[node] >= 0 else 0):
            piece = b.piece_of[w.hub[node] * w.rank.size + inner]
            position = b.home[lane] + w.inner_at[inner]
            key = w.landing[node] * w.entries + position
            if piece < 0 or wanted[key] == 0:
                continue
            slot, value = slot_of(b, s, piece), w.values[w.table[node] + position]
            outcome = _enter(rows, s, key, slot * CHAIN_LANES + lane, layer, value, room, worst)
            if outcome != DONE:
                return int(outcome)
            m.state[states], m.own[states], m.met[slot] = key, slot, 1
            states += 1
    m.count[2] = states
    return DONE


@njit(**PURE)
def _write(wide: tuple[float, ...], rows: RowTable, m: Blend) -> None:
    """Blend the rows of the wanted states in one lane, and write them down."""
    lowest, highest = 1 << 40, -(1 << 40)
    for k in range(m.count[2]):
        low = rows.low[m.state[k]]
        lowest, highest = min(lowest, low), max(highest, low + rows.length[m.state[k]])
    for x in range(lowest, highest, TILE):
        blend(wide, rows.old, m, x)
        for k in range(m.count[2]):
            key = m.state[k]
            skip = x - rows.low[key]
            if -TILE < skip < rows.length[key]:
                tile = lanes.load(wide, m.tiles, m.own[k] * TILE)
                lanes.store(tile, rows.new, rows.at[key] + skip)


@njit(**PURE)
def spread_batches(
    width: tuple[float], wide: tuple[float, float, float, float], f: Flat, w: Walk, b: Batch,
    kept: PieceStore, s: Slots, m: Blend, points: Vector[np.int64], layer: int,
    wanted: Vector[np.uint8], rows: RowTable, room: Vector[np.int64], worst: Vector[np.float64],
    stop: Vector[np.uint8],
) -> int:  # fmt: skip
    """Fill the rows of a chunk of a layer's outer points, whose pieces may be kept."""
    for at in range(0, points.size, CHAIN_LANES):
        if stop[0] != 0:
            return DONE
        filled = min(CHAIN_LANES, points.size - at)
        place(f, w, b, points, at, at + filled)
        if kept.piece.size > 1:
            found = take_pieces(b, kept, at // CHAIN_LANES)
        else:
            found = find_pieces(width, f, w, b, mark_wanted(w, b, wanted))
        if not found:
            return NO_ROOM_FOR_PIECES
        link(b, s, (w.hub_first.size - 1) * w.rank.size)
        _lead_on(f, w, b, rows, s, layer)
        sum_up(width, b, s)
        for lane in range(filled):
            outcome = _enter_all(w, b, rows, s, m, lane, layer, wanted, room, worst)
            if outcome != DONE:
                return int(outcome)
            pick(b, s, m, lane)
            _write(wide, rows, m)
    return DONE
