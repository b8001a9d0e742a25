"""Kernels of the explicit method: all states that can be reached, and their components.

A state is the number ``node * points + position``; the states met are kept in an open hash table
and numbered in the order of discovery.  States whose values are known are met, but not followed.
The kernels get all arrays that they write: those that make some take twice as long to compile.
The strongly connected components come out of Tarjan's algorithm (1972) sinks first, which is the
order in which they can be solved.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from dicegames.solver.kernels.arrays import Matrix, Vector
from dicegames.solver.kernels.evaluate import (
    INNER,
    PURE,
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
NO_LEGAL_MOVE = 2
BAD_BRANCH = 3
BAD_EFFECT = 4
OVERRUN = 5
NO_VALUE = 6
LISTS_FULL = 7


class Known(NamedTuple):
    """States whose values are known: those of tables, and others one by one."""

    table: Vector[np.int64]  # [N]: row of a node's table in `values`, -1: it has none
    values: Matrix[np.float64]  # [rows, seats]: NaN where play does not come, or was not followed
    keys: Vector[np.int64]  # ascending
    partial: bool  # play was not followed everywhere: what has no value in a table may have one


class Listing(NamedTuple):
    """The states met, and the transitions of those that were followed; the rest is room."""

    counts: Vector[np.int64]  # [4]: states met, states followed, transitions, states in `table`
    keys: Vector[np.int64]  # [room]
    first: Vector[np.int64]  # [room + 1]: the transitions of a state begin there
    table: Vector[np.int32]  # [a power of two, at least 2 * room]: number of a state, -1: free
    target: Vector[np.int32]  # [transitions]: number of a state, -1: the end
    edge: Vector[np.int32]  # [transitions]


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


@njit(**PURE)
def expand(
    f: Flat, known: Known, begun: int, points: int, limit: int, listing: Listing,
    both: Matrix[np.int64], stop: Vector[np.uint8],
) -> int:  # fmt: skip
    """Follow states until none is left or there is no room; the outcome.

    The first `begun` states are followed although they may be known; rows of known states are
    empty. Where something is wrong, it is with the first state that is not followed. `both` are
    two points that may be written.
    """
    counts, keys, first, table = listing.counts, listing.keys, listing.first, listing.table
    target, edge_of = listing.target, listing.edge
    point, after = both[0], both[1]
    count, state, used = counts[0], counts[1], counts[2]
    for k in range(counts[3], count):
        table[_slot(table, keys, keys[k])] = k
    outcome = EXPANDED
    while state < count and outcome == EXPANDED and stop[0] == 0:
        node = keys[state] // points
        unflatten(f, keys[state] % points, point)
        told = _known(known, keys[state], points) if state >= begun else 0
        outcome = NO_VALUE if told < 0 else outcome
        edges = f.first_edge[node + 1] - f.first_edge[node] if told == 0 else 0
        if count + edges > keys.size or used + edges > target.size:
            outcome = LISTS_FULL
            break
        own = used
        for edge in range(f.first_edge[node], f.first_edge[node] + edges):
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
                    keys[count] = key
                    table[slot] = count
                    found = count
                    count += 1
            target[own], edge_of[own] = found, edge
            own += 1
        row = own - used
        if outcome == EXPANDED and row == told == 0:
            outcome = NO_LEGAL_MOVE
        if outcome == EXPANDED and f.kind[node] == BRANCH and row > 1:
            outcome = BAD_BRANCH
        if outcome == EXPANDED:
            state += 1
            used = own
            first[state] = used
    counts[0], counts[1], counts[2], counts[3] = count, state, used, count
    return outcome


@njit(**PURE)
def write_rewards(
    f: Flat, keys: Vector[np.int64], first: Vector[np.int64], edge_of: Vector[np.int32],
    points: int, point: Vector[np.int64], out: Vector[np.float64],
) -> None:  # fmt: skip
    """Write the reward of every transition to `out`; `point` may be written."""
    for state in range(keys.size):
        unflatten(f, keys[state] % points, point)
        for k in range(first[state], first[state + 1]):
            out[k] = reward_at(f, f.reward[edge_of[k]], point, f.reward_constant, f.floats)


def edge_rewards(f: Flat, keys: Array, first: Array, edge_of: Array, points: int) -> Array:
    """Reward of every transition."""
    out = np.empty(len(edge_of))
    write_rewards(f, keys, first, edge_of, points, np.zeros(f.size.size, np.int64), out)
    return out


@njit(**PURE)
def tarjan(
    first: Vector[np.int64], target: Vector[np.int32], cursor: Vector[np.int64],
    number: Vector[np.int64], component: Vector[np.int32], work: Matrix[np.int64],
) -> int:  # fmt: skip
    """Write the component of every state, and return how many there are.

    `cursor` begins as `first`, `number` and `component` as -1; `work` has three rows of a column
    for each state.
    """
    low, stack, path = work[0], work[1], work[2]
    found, met, height = 0, 0, 0
    for root in range(number.size):
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
    return found


@njit(**INNER)
def _close(stack: Array, height: int, state: int, component: Array, found: int) -> int:
    while True:
        height -= 1
        component[stack[height]] = found
        if stack[height] == state:
            return height


def components(first: Array, target: Array) -> tuple[int, Array]:
    """Strongly connected components, numbered sinks first: their number, one per state."""
    states = len(first) - 1
    component = np.full(states, -1, np.int32)
    number, work = np.full(states, -1), np.empty((3, states), np.int64)
    return tarjan(first, target, first[:-1].copy(), number, component, work), component
