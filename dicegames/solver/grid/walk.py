"""Kernels for turns that are played: every choice the best one, every throw from a generator.

First the turn is evaluated for all lanes of a vector (see `grid_kernels`), then each lane goes its
way from level to level. Only at levels to which a lane comes are the nodes evaluated once more, now
with a row for each of them. Beyond the last level moves are chosen as there, but counted is on.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from dicegames.solver.grid.kernels import evaluate_level, run_turn
from dicegames.solver.grid.turn import Program
from dicegames.solver.kernels.evaluate import INLINE, OPTIONS, PURE
from dicegames.solver.kernels.generator import STEP, uniform
from dicegames.solver.kernels.kernel import njit
from dicegames.solver.kernels.lanes import UNIT
from dicegames.solver.kernels.ties import as_good
from dicegames.solver.model import Array


class Lanes(NamedTuple):
    """Turns that are played side by side."""

    state: Array  # uint64[lanes]: of the generators
    node: Array  # int64[lanes]: node of the program; -1 - k: it ended there (too large k: nowhere)
    level: Array  # int64[lanes]
    gains: Array  # float64[lanes, columns of the rewards]: the sums of what is paid on the way


@njit(**PURE)
def _chosen(
    p: Program, node: int, lane: int, level: int, levels: int, lanes: int,
    at: Array, rows: Array, guards: Array,
) -> int:  # fmt: skip
    """The edge with the greatest value, the first of equal ones; -1 if there is none."""
    best, legal = -np.inf, False
    for edge in range(p.first[node], p.first[node + 1]):
        if _barred(p, edge, lane, level, levels, lanes, guards):
            continue
        value = rows[at[edge] + lane] + p.reward[edge, 0]
        if np.isnan(value):
            return -1
        best, legal = max(best, value), True
    for edge in range(p.first[node], p.first[node + 1] if legal else 0):
        if _barred(p, edge, lane, level, levels, lanes, guards):
            continue
        if as_good(rows[at[edge] + lane] + p.reward[edge, 0], best, 1.0):
            return edge
    return -1


@njit(**INLINE)
def _barred(
    p: Program, edge: int, lane: int, level: int, levels: int, lanes: int, guards: Array
) -> bool:
    guard = p.guard[edge]
    return bool(guard >= 0 and guards[(guard * levels + level) * lanes + lane] != 0)


@njit(**PURE)
def _drawn(p: Program, node: int, u: float) -> int:
    """The edge that chance takes, for a number from 0 up to 1."""
    last = p.first[node + 1] - 1
    for edge in range(p.first[node], last):
        u -= p.weight[edge]
        if u < 0:
            return edge
    return last


@njit(**PURE)
def _walk(
    p: Program, lane: int, level: int, levels: int, entered: Array, ends: int, lanes: int,
    at: Array, rows: Array, guards: Array, first: int, t: Lanes,
) -> None:  # fmt: skip
    """Let a lane go on as long as it stays at a level."""
    node, state = t.node[first + lane], t.state[first + lane]
    while node >= 0 and min(t.level[first + lane], levels - 1) == level:
        if p.chance[node] != 0:
            state += STEP
            edge = _drawn(p, node, uniform(state))
        else:
            edge = _chosen(p, node, lane, level, levels, lanes, at, rows, guards)
            if edge < 0:
                node = -1 - ends
                break
        for column in range(p.reward.shape[1]):
            t.gains[first + lane, column] += p.reward[edge, column]
        if p.slot[edge] >= 0:
            node = p.slot[edge]
            continue
        t.level[first + lane] += p.rise[edge]
        row = p.entry[edge]
        node = -1 - row if row < ends else entered[row]
    t.node[first + lane], t.state[first + lane] = node, state


@njit(**PURE)
def _next_level(t: Lanes, first: int, lanes: int, levels: int) -> int:
    """The lowest level at which a lane is still on its way, -1 if there is none."""
    found = levels
    for lane in range(first, first + lanes):
        if t.node[lane] >= 0:
            found = min(found, t.level[lane], levels - 1)
    return found if found < levels else -1


@njit(**OPTIONS)
def play_turns(
    narrow: Program, wide: Program, levels: int, entries: int, slots: int, entered: Array,
    ends: Array, guards: Array, t: Lanes, stop: Array, width: tuple[int, ...],
) -> bool:  # fmt: skip
    """Play the turns of vectors of lanes to their ends.

    `narrow` and `wide` are the same program; in `wide` the row of a node is its number (`slots` are
    enough for either). `ends` (float64[vectors or 1, ends, levels, 1, lanes]) are the values for
    which moves are chosen; with a single vector they are those of all others, too. `guards`
    (float64[vectors or 1, guards, levels, lanes]) are alike. `entered` leads from entries to nodes.
    """
    lanes = UNIT * len(width)
    count = ends.shape[1] * levels * lanes
    rows = np.zeros((entries * levels + slots) * lanes)
    at = np.empty(wide.slot.size, np.int64)
    barred = np.empty(0)
    nothing = np.empty((0, 0))
    for unit in range(t.node.size // lanes):
        if unit < ends.shape[0]:
            rows[:count] = ends[unit].ravel()
            barred = guards[unit].ravel()
            if not run_turn(narrow, levels, 1, entries, slots, rows, barred, nothing, width):
                return False
        first = unit * lanes
        level = _next_level(t, first, lanes, levels)
        while level >= 0:
            if stop[0]:
                return False
            at[:] = (entries * levels + wide.slot) * lanes
            evaluate_level(wide, level, levels, 1, entries, rows, barred, at, width)
            for lane in range(lanes):
                _walk(
                    wide, lane, level, levels, entered, ends.shape[1], lanes, at, rows, barred,
                    first, t,
                )  # fmt: skip
            level = _next_level(t, first, lanes, levels)
    return True
