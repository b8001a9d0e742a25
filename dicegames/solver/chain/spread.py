"""Distributions in one sweep from the end of the game to its start.

With D(s) the distribution of all that is still paid from the landing state s on,

    D(s) = sum over the law of s of p * (D(s') moved by what is paid),

so a state's row needs the rows of the next layer only. Rows cover the lowest to the highest sum
that is possible; they are laid one after the other, and two layers are kept. Alongside, every law
is held to the values: sum p * (r + V(s')) must be V(s).
"""

from __future__ import annotations

from typing import Final, NamedTuple

import numpy as np

from dicegames.solver.chain.batch import Batch, place
from dicegames.solver.chain.blend import GROUP, GROUPS, TILE, Blend, blend_all, blend_one
from dicegames.solver.chain.chain import LANES, Walk
from dicegames.solver.chain.forward import clear_laws, find_laws, find_pieces
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
CLOSE = 1e-9  # how far from 1 the probabilities of a law may be
HEAD: Final = 2 * TILE + 1
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
            for lane in range(LANES):
                key = w.landing[node] * w.entries + b.home[lane] + w.inner_at[inner]
                if wanted[key] != 0:
                    b.needed[w.hub[node] * points + inner] = 1
                    top = max(top, w.rank[inner])
                    break
    return int(top)


@njit(**PURE)
def _note(width: tuple[float, ...], w: Walk, b: Batch, m: Blend, slots: int, member: int) -> int:
    """Take the law just found over to the group as that of a member; the slots in use."""
    first_exit = (w.hub_first.size - 1) * w.rank.size
    for k in range(b.count[0]):
        goal = b.touched[k]
        slot = m.slot[goal - first_exit]
        if slot < 0:
            slot = slots
            slots += 1
            m.slot[goal - first_exit] = slot
            m.exit[slot] = goal - first_exit
            for other in range(GROUP):
                at = (slot * GROUP + other) * LANES
                lanes.store(lanes.full(width, 0.0), m.chance, at)
        chance = lanes.load(width, b.goal, goal * LANES)
        lanes.store(chance, m.chance, (slot * GROUP + member) * LANES)
    return slots


@njit(**PURE)
def _forget(m: Blend, slots: int) -> None:
    for slot in range(slots):
        m.slot[m.exit[slot]] = -1


@njit(**PURE)
def _gather(
    b: Batch, rows: RowTable, m: Blend, members: int, slots: int, lane: int, layer: int
) -> int:
    """Find the rows to be blended into those of the last group in one lane."""
    group, count = m.count[0], m.count[1 + lane]
    key_, low_, high_ = m.key[lane, group], m.low[lane, group], m.high[lane, group]
    begin, length_, at_, weight = m.begin[lane], m.length[lane], m.at[lane], m.weight[lane]
    for member in range(GROUP):
        low_[member], high_[member] = 1 << 40, -(1 << 40)
        m.total[member] = m.mean[member] = 0.0
    for slot in range(slots):
        place_, met = m.exit[slot], False
        for member in range(GROUP):
            p = m.chance[(slot * GROUP + member) * LANES + lane]
            p = p if key_[member] >= 0 else 0.0
            weight[count * GROUP + member] = p
            met |= p != 0.0
        if not met:
            continue
        key, paid = b.exit_key[place_, lane], b.exit_sum[place_, 0, lane]
        mean = b.exit_mean[place_, 0, lane]
        low, length, at = 0, 1, TILE
        if key >= 0:
            if rows.layer[key] != layer + 1:
                return SKIPS
            low, length, at = rows.low[key], rows.length[key], rows.at[key]
        elif key < -1:
            return UNDEFINED
        for member in range(members):
            p = weight[count * GROUP + member]
            if p != 0.0:
                m.total[member] += p
                m.mean[member] += p * mean
                low_[member] = min(low_[member], paid + low)
                high_[member] = max(high_[member], paid + low + length)
        begin[count], length_[count], at_[count] = paid + low, length, at
        count += 1
    m.last[lane, group] = m.count[1 + lane] = count
    return DONE


@njit(**PURE)
def _collect(
    w: Walk, b: Batch, rows: RowTable, m: Blend, node: int, members: int, slots: int, wanted: Array,
    filled: int, layer: int, worst: Array,
) -> int:  # fmt: skip
    """Collect what goes into the rows of a group of states, in all lanes."""
    group = m.count[0]
    m.members[group] = members
    for lane in range(filled):
        first = w.landing[node] * w.entries
        for member in range(GROUP):
            m.key[lane, group, member] = -1
            if member < members:
                key = first + b.home[lane] + w.inner_at[m.inner[member]]
                if wanted[key] != 0:
                    m.key[lane, group, member] = key
        outcome = _gather(b, rows, m, members, slots, lane, layer)
        if outcome != DONE:
            return outcome
        for member in range(members):
            key = m.key[lane, group, member]
            if key < 0:
                continue
            if not abs(m.total[member] - 1.0) < CLOSE or np.isnan(m.mean[member]):
                return UNDEFINED
            value = w.values[w.table[node] + key - first]
            worst[0] = max(worst[0], abs(m.mean[member] - value))
    m.count[0] += 1
    return DONE


@njit(**PURE)
def _keep(
    rows: RowTable, key: int, low: int, high: int, blended: Array, layer: int, room: Array
) -> bool:
    """Write a blended row down; False where there is no room."""
    length, at = high - low, room[0]
    if at + length + TILE > room[1]:
        return False
    for i in range(length):
        rows.new[at + i] = blended[i]
    for i in range(at + length, at + length + TILE):
        rows.new[i] = 0.0
    rows.layer[key], rows.low[key] = layer, low
    rows.length[key], rows.at[key] = length, at
    room[0] = at + length + TILE
    return True


@njit(**PURE)
def _blend(
    wide: tuple[float, ...], rows: RowTable, m: Blend, filled: int, layer: int, room: Array
) -> int:  # fmt: skip
    """Blend the rows of all groups collected."""
    groups = m.count[0]
    m.count[0] = 0
    for lane in range(filled):
        m.count[1 + lane] = 0
        last = m.count[1 + lane]  # not a literal: blends would be compiled twice
        for group in range(groups):
            first, last = last, m.last[lane, group]
            members = m.members[group]
            lowest, highest = 1 << 40, -(1 << 40)
            for member in range(members):
                lowest = min(lowest, m.low[lane, group, member])
                highest = max(highest, m.high[lane, group, member])
            if highest < lowest:
                continue  # none is wanted
            if highest - lowest + TILE > m.out.shape[1]:
                return NO_ROOM_FOR_ROWS
            if members == 1:
                blend_one(wide, rows.old, m, lane, first, last, lowest, highest)
            else:
                blend_all(wide, rows.old, m, lane, first, last, lowest, highest)
            for member in range(members):
                key, low = m.key[lane, group, member], m.low[lane, group, member]
                if key >= 0 and not _keep(
                    rows, key, low, m.high[lane, group, member], m.out[member, low - lowest :],
                    layer, room,
                ):  # fmt: skip
                    return NO_ROOM_FOR_ROWS
    return DONE


@njit(**PURE)
def _spread(
    width: tuple[float, ...], wide: tuple[float, ...], f: Flat, w: Walk, b: Batch, m: Blend,
    filled: int, layer: int, wanted: Array, units: Array, lookup_units: Array, rows: RowTable,
    room: Array, worst: Array,
) -> int:  # fmt: skip
    """Fill the rows of one batch."""
    inner_points = w.rank.size
    m.count[:] = 0
    used = 0
    for node in range(w.landing.size):
        inner = 0 if w.landing[node] >= 0 else inner_points
        while inner < inner_points:
            members = slots = np.int64(0)  # no literals, as above
            while inner < inner_points and members < GROUP:
                if b.piece_of[w.hub[node] * inner_points + inner] >= 0:
                    find_laws(width, f, w, b, w.hub[node], inner, units, lookup_units)
                    slots = _note(width, w, b, m, slots, members)
                    clear_laws(width, b)
                    m.inner[members] = inner
                    members += 1
                inner += 1
            outcome = DONE
            if m.count[0] == GROUPS or used + slots > m.begin.shape[1]:
                outcome = _blend(wide, rows, m, filled, layer, room)
                used = 0
            used += int(slots)  # no lane has more sources
            if outcome == DONE and members > 0:
                outcome = _collect(
                    w, b, rows, m, node, members, slots, wanted, filled, layer, worst
                )
            _forget(m, slots)
            if outcome != DONE:
                return int(outcome)
    return int(_blend(wide, rows, m, filled, layer, room))


@njit(**PURE)
def spread_batches(
    width: tuple[float], wide: tuple[float, float, float, float], f: Flat, w: Walk, b: Batch,
    m: Blend, points: Vector[np.int64], layer: int, wanted: Vector[np.uint8],
    units: Vector[np.int64], lookup_units: Vector[np.int64], rows: RowTable,
    room: Vector[np.int64], worst: Vector[np.float64], stop: Vector[np.uint8],
) -> int:  # fmt: skip
    """Fill the rows of a chunk of a layer's outer points."""
    for at in range(0, points.size, LANES):
        if stop[0] != 0:
            return DONE
        filled = min(LANES, points.size - at)
        place(f, w, b, points, at, at + filled)
        top = mark_wanted(w, b, wanted)
        if not find_pieces(width, f, w, b, top):
            return NO_ROOM_FOR_PIECES
        outcome = _spread(width, wide, f, w, b, m, filled, layer, wanted, units, lookup_units,
                          rows, room, worst)  # fmt: skip
        if outcome != DONE:
            return int(outcome)
    return DONE
