"""Kernels of the explicit method: all states that can be reached, and their components.

A state is the number ``node * points + position``; the states met are kept in an open hash table
and numbered in the order of discovery.  States whose values are known are met, but not followed.
The strongly connected components come out of Tarjan's algorithm (1972) sinks first, which is the
order in which they can be solved.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from dicegames.solver.kernels.arrays import Matrix, Vector
from dicegames.solver.kernels.evaluate import (
    INNER,
    OPTIONS,
    flat_index,
    guard_holds,
    move,
    reward_at,
    unflatten,
)
from dicegames.solver.kernels.flat import Flat
from dicegames.solver.kernels.kernel import njit
from dicegames.solver.model import BRANCH, END, Array

EXPANDED = 0
TOO_MANY = 1
NO_MOVE = 2
BAD_BRANCH = 3
BAD_EFFECT = 4
OVERRUN = 5
NO_VALUE = 6

ALLOCATING = {**OPTIONS, "from_python": False}


class Known(NamedTuple):
    """States whose values are known: those of tables, and others one by one."""

    table: Vector[np.int64]  # [N]: row of a node's table in `values`, -1: it has none
    values: Matrix[np.float64]  # [rows, seats]: NaN where play does not come, or was not followed
    keys: Vector[np.int64]  # ascending
    partial: bool  # play was not followed everywhere: what has no value in a table may have one


@njit(**INNER)
def _known(k: Known, key: int, points: int) -> int:
    """1 for a known state, -1 for one without a value in its table, else 0."""
    row = k.table[key // points]
    if row >= 0:
        told = not np.isnan(k.values[row + key % points, 0])
        return 1 if told else 0 if k.partial else -1
    low, high = 0, k.keys.size  # numpy's search takes longer to compile
    while low < high:
        middle = (low + high) // 2
        if k.keys[middle] < key:
            low = middle + 1
        else:
            high = middle
    return int(low < k.keys.size and k.keys[low] == key)


@njit(**INNER)
def _slot(table: Array, keys: Array, key: int) -> np.int64:
    """Slot of the hash table that holds `key`, or the free one where it belongs."""
    mask = table.size - 1
    mixed = np.uint64(key) * np.uint64(0x9E3779B97F4A7C15)
    slot = np.int64(mixed >> np.uint64(20)) & mask
    while table[slot] >= 0 and keys[table[slot]] != key:
        slot = (slot + 1) & mask
    return slot


@njit(**ALLOCATING)
def _rehash(keys: Array, count: int, size: int) -> Array:
    table = np.full(size, -1, np.int32)
    for state in range(count):
        table[_slot(table, keys, keys[state])] = state
    return table


@njit(**ALLOCATING)
def _longer(array: Array, used: int) -> Array:
    out = np.empty(2 * array.size, array.dtype)
    for k in range(used):  # assigning a slice takes a second to compile
        out[k] = array[k]
    return out


@njit(**INNER)
def _successor(f: Flat, edge: int, point: Array, out: Array, points: int) -> int:
    """Key of the state an edge leads to; -1 for the end, -2 and -3 for mistakes."""
    target = f.target[edge]
    if f.kind[target] == END:
        return -1
    if not move(f, f.effect[edge], point, out):
        return -2
    for axis in range(out.size):
        if out[axis] >= f.size[axis]:
            return -3
    return int(target * points + flat_index(f, out))


@njit(**OPTIONS)
def expand(
    f: Flat, known: Known, starts: Vector[np.int64], points: int, limit: int,
    stop: Vector[np.uint8],
) -> tuple[int, int, Array, Array, Array, Array]:  # fmt: skip
    """Search from states: outcome, offending state, keys, rows, target (-1: end), edge.

    `starts` are distinct and fewer than 1024. Rows of known states are empty, except of those.
    """
    keys, first = np.empty(1024, np.int64), np.zeros(1025, np.int64)
    target, edge_of = np.empty(4096, np.int32), np.empty(4096, np.int32)
    table = np.full(4096, -1, np.int32)
    point, after = np.zeros(f.size.size, np.int64), np.zeros(f.size.size, np.int64)
    for count in range(starts.size):
        keys[count] = starts[count]
        table[_slot(table, keys, starts[count])] = count
    count, used, state, outcome = starts.size, 0, 0, EXPANDED
    while state < count and outcome == EXPANDED and stop[0] == 0:
        node = keys[state] // points
        unflatten(f, keys[state] % points, point)
        told = _known(known, keys[state], points) if state >= starts.size else 0
        outcome = NO_VALUE if told < 0 else outcome
        for edge in range(f.first_edge[node], f.first_edge[node + 1] if told == 0 else 0):
            if not guard_holds(f, f.guard[edge], point):
                continue
            key = _successor(f, edge, point, after, points)
            found = -1
            if key < -1:
                outcome = BAD_EFFECT if key == -2 else OVERRUN
                break
            if key >= 0:
                slot = _slot(table, keys, key)
                found = table[slot]
                if found < 0:
                    if count >= limit:
                        outcome = TOO_MANY
                        break
                    if count == keys.size:
                        keys = _longer(keys, count)
                        first = _longer(first, state + 1)
                    keys[count] = key
                    table[slot] = count
                    found = count
                    count += 1
                    if 2 * count > table.size:
                        table = _rehash(keys, count, 4 * table.size)
            if used == target.size:
                target, edge_of = _longer(target, used), _longer(edge_of, used)
            target[used], edge_of[used] = found, edge
            used += 1
        row = used - first[state]
        if outcome == EXPANDED and row == told == 0:
            outcome = NO_MOVE
        if outcome == EXPANDED and f.kind[node] == BRANCH and row > 1:
            outcome = BAD_BRANCH
        if outcome == EXPANDED:
            state += 1
            if state >= first.size:
                first = _longer(first, state)
            first[state] = used
    return outcome, state, keys[:count], first[: state + 1], target[:used], edge_of[:used]


@njit(**OPTIONS)
def edge_rewards(
    f: Flat, keys: Vector[np.int64], first: Vector[np.int64], edge_of: Vector[np.int32], points: int
) -> Array:
    """Reward of every transition."""
    out = np.empty(edge_of.size, np.float64)
    point = np.zeros(f.size.size, np.int64)
    for state in range(keys.size):
        unflatten(f, keys[state] % points, point)
        for k in range(first[state], first[state + 1]):
            out[k] = reward_at(f, f.reward[edge_of[k]], point, f.reward_constant, f.floats)
    return out


@njit(**OPTIONS)
def components(first: Vector[np.int64], target: Vector[np.int32]) -> tuple[int, Array]:
    """Strongly connected components, numbered sinks first: their number, one per state."""
    n = first.size - 1
    number = np.full(n, -1, np.int64)
    low = np.zeros(n, np.int64)
    component = np.full(n, -1, np.int32)
    stack = np.empty(n, np.int64)
    path = np.empty(n, np.int64)
    cursor = first[:n].copy()
    found, met, height = 0, 0, 0
    for root in range(n):
        if number[root] >= 0:
            continue
        path[0], depth = root, 1
        while depth > 0:
            state = path[depth - 1]
            if number[state] < 0:
                number[state] = low[state] = met
                met += 1
                stack[height] = state
                height += 1
            deeper = False
            while cursor[state] < first[state + 1] and not deeper:
                other = target[cursor[state]]
                if other >= 0 and number[other] < 0:
                    path[depth] = other
                    depth += 1
                    deeper = True
                else:
                    cursor[state] += 1
                    if other >= 0 and component[other] < 0:
                        low[state] = min(low[state], low[other])
            if deeper:
                continue
            depth -= 1
            if low[state] == number[state]:
                height = _close(stack, height, state, component, found)
                found += 1
    return found, component


@njit(**INNER)
def _close(stack: Array, height: int, state: int, component: Array, found: int) -> int:
    while True:
        height -= 1
        component[stack[height]] = found
        if stack[height] == state:
            return height
