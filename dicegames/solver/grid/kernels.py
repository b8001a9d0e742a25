"""Kernels for turns on a grid: turns at vectors of points, and tables read between points."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from dicegames.solver.blocks.execute import execute
from dicegames.solver.blocks.program import Program, Ring
from dicegames.solver.blocks.specialise import Work, guard_states, specialise
from dicegames.solver.kernels.arrays import Matrix, Vector
from dicegames.solver.kernels.evaluate import INLINE, KERNEL_OPTIONS, PURE
from dicegames.solver.kernels.kernel import njit
from dicegames.solver.kernels.lanes import LANE_UNIT
from dicegames.solver.model import Array

TURN_ROWS_SETTLED = 1e-12
MOST_TURN_SWEEPS = 1000
FORESEEN_TURN_SWEEPS = 60
"""Sweeps in which limits are foreseen."""
FORESEEN_FACTOR = 0.99
"""The largest factor from step to step with which they are."""
GRID_WIDTH = (0, 0, 0, 0)
"""The width of a vector, in units of lanes: one zero for each."""
GRID_LANES = LANE_UNIT * len(GRID_WIDTH)


class Fetched(NamedTuple):
    """The rows that are fetched: what an end of the turn brings a component."""

    end: Vector[np.int64]
    component: Vector[np.int64]
    home: Vector[np.int64]  # offset of the row
    copied: Matrix[np.int64]  # [copies, 2]: where in a bank the row is kept as it is, and which


@njit(**INLINE)
def is_evaluated(level: int, levels: int, told: int, least: int, apart: int) -> bool:
    """Whether a level of a turn is evaluated; the others lie `apart` and are interpolated.

    All that are told are, and the last. The least rise leads to `least`, so that nothing below is
    read, and from there to a level above which all are known if they are not farther apart.
    """
    if level < told or level == levels - 1:
        return True
    return level >= least and (level - least) % apart == 0


@njit(**INLINE)
def _interpolate(
    r: Ring, w: Work, t: Fetched, ends: Array, levels: int, level: int, above: int
) -> None:
    """Fill the banks between two levels: straight lines, but the ends of the turn as they are."""
    last = levels - 1
    low, high = r.at + (last - level) % r.banks * r.bank, r.at + (last - above) % r.banks * r.bank
    for middle in range(level + 1, above):
        share, at = (middle - level) / (above - level), r.at + (last - middle) % r.banks * r.bank
        for k in range(r.bank):
            w.rows[at + k] = (1 - share) * w.rows[low + k] + share * w.rows[high + k]
        for k in range(t.copied.shape[0]):
            home, row = at + t.copied[k, 0], t.copied[k, 1]
            for lane in range(GRID_LANES):
                w.rows[home + lane] = ends[t.end[row], middle, t.component[row], lane]


@njit(**INLINE)
def _look(w: Work, guards: Array, level: int) -> bool:
    """Look at the guards (float64[guards, levels, lanes]); whether the state of one has changed."""
    states, read, changed = w.state, w.read, False
    for k in range(states.size):
        total = 0
        for lane in range(GRID_LANES):
            read[k, lane] = guards[k, level, lane] == 0.0
            total += read[k, lane]
        state = 0 if total == 0 else (1 if total == GRID_LANES else 2)
        changed = changed or states[k] != state
        states[k] = state
    return changed


@njit(**PURE)
def _evaluate(program: Program, r: Ring, w: Work, rises: Array, level: int, levels: int) -> int:
    """Carry out the operations at a level; where its bank begins."""
    last = levels - 1
    for k in range(rises.size):
        after = min(level + rises[k], last)
        w.bases[k + 1] = r.at + ((last - after) % r.banks) * r.bank
    current = r.at + ((last - level) % r.banks) * r.bank
    execute(
        GRID_WIDTH, w.rows, w.runs, w.count[0], w.code, program.first, w.last, w.offset,
        program.weight, w.constant, program.base, w.bases, program.home, program.ring, current,
    )  # fmt: skip
    return int(current)


@njit(**INLINE)
def _settle(
    program: Program, r: Ring, w: Work, rises: Array, levels: int, at: int, before: Array
) -> bool:
    """Evaluate the last level again until its bank stays as it is; whether it does.

    When the moves have settled a row comes nearer to its limit by the same factor each time: every
    third time the limit is put in its place.
    """
    bank, old, step = w.rows[at : at + r.bank], before[0], before[1]
    for sweep in range(MOST_TURN_SWEEPS):
        change = 0.0
        for k in range(r.bank):
            change = max(change, abs(bank[k] - old[k]))
        if change <= TURN_ROWS_SETTLED:
            return True
        for k in range(r.bank):
            last, step[k] = step[k], bank[k] - old[k]
            moves = abs(step[k]) > TURN_ROWS_SETTLED and sweep < FORESEEN_TURN_SWEEPS
            if sweep % 3 == 2 and moves and 0.0 < step[k] * last < FORESEEN_FACTOR * last * last:
                bank[k] += step[k] * step[k] / (last - step[k])
            old[k] = bank[k]
        _evaluate(program, r, w, rises, levels - 1, levels)
    return False


@njit(**PURE)
def run_turns(
    program: Program, r: Ring, w: Work, t: Fetched, rises: Array, levels: int, ends: Array,
    guards: Array, rows: Array, out: Array, before: Array, stop: Array, apart: int,
) -> bool:  # fmt: skip
    """Evaluate turns for vectors of points, each from the last level to the first.

    What is handed over is that of `Machine.run`, and room for two banks. False if a last level,
    where what is more counts no more, does not settle.
    """
    good, least = True, levels - 1
    for rise in rises:
        least = min(least, rise)
    for unit in range(ends.shape[0]):
        if stop[0]:
            return False
        above, last = levels - 1, r.at  # whose bank is the first
        w.rows[last : last + r.bank], before[:] = 0.0, 0.0  # whatever the vector before had
        for level in range(levels - 1, -1, -1):
            if not is_evaluated(level, levels, out.shape[1], least, apart):
                continue
            fresh = _look(w, guards[unit], level) or w.count[0] == 0
            if fresh:
                guard_states(program, GRID_LANES, w)
                specialise(program, w)
            elif program.mask_guard.size > 0:
                guard_states(program, GRID_LANES, w)
            for k in range(t.home.size):
                for lane in range(GRID_LANES):
                    new = ends[unit, t.end[k], level, t.component[k], lane]
                    w.rows[t.home[k] + lane] = new
            at = _evaluate(program, r, w, rises, level, levels)
            if level == levels - 1 and r.bank > 0:
                good = _settle(program, r, w, rises, levels, at, before) and good
            _interpolate(r, w, t, ends[unit], levels, level, above)
            above = level
            if level >= out.shape[1]:
                continue
            for k in range(rows.size):
                home = program.home[rows[k]]
                for lane in range(out.shape[3]):
                    out[unit, level, k, lane] = w.rows[home + lane]
    return good


@njit(**KERNEL_OPTIONS)
def between(
    out: Array, holds: Array, base: Array, delta: Array, share: Array, number: Array,
    values: Array, rotate: int, reward: Array,
) -> None:  # fmt: skip
    """Write rewards and table values, between points as the straight lines say.

    `base` (int64[spots]) is the lowest corner, -1 where play ends; `delta` and `share`
    ([axes, spots]) are the way to the other corner on each axis and how near it is. `number` leads
    from a point to its row of `values` ([rows, seats]). Where `holds`, `out` ([spots, seats]) gets
    the sum, for as many seats as it has; NaN where a point is not known.
    """
    seats, axes, told = values.shape[1], delta.shape[0], out.shape[1]
    for spot in range(holds.size):
        if not holds[spot]:
            continue
        for seat in range(told):
            out[spot, seat] = reward[seat, spot]
        for corner in range(1 << axes if base[spot] >= 0 else 0):
            weight, at = 1.0, base[spot]
            for a in range(axes):
                if corner >> a & 1:
                    weight *= share[a, spot]
                    at += delta[a, spot]
                else:
                    weight *= 1 - share[a, spot]
            if weight == 0.0:
                continue
            row = number[at]
            for seat in range(told):
                worth = values[row, (seat - rotate) % seats] if row >= 0 else np.nan
                out[spot, seat] += weight * worth


@njit(**KERNEL_OPTIONS)
def copy_read(out: Array, end: int, read: Array, worth: Array) -> None:
    """Copy what an end is worth ([spots, seats]) to where `Machine.run` takes it from.

    `read` (int64[levels, lanes]) are the spots; with one level they are those of all.
    """
    for vector in range(out.shape[0]):
        for level in range(out.shape[2]):
            row = level if read.shape[0] > 1 else 0
            for lane in range(GRID_LANES):
                spot = read[row, vector * GRID_LANES + lane]
                for seat in range(out.shape[3]):
                    out[vector, end, level, seat, lane] = worth[spot, seat]
