"""Kernels of the block method: evaluate the control graph at many outer points at once.

A block is some outer points of one layer, a lane for each.  For each inner point that the block
needs, in order of progress: look at the guards; if their pattern has changed, rewrite the
operations (`specialise`); gather the rows that read tables; carry out the operations; store the
values.

Where no operation depends on guards, all that matters of a point is what is fetched there.  Then
neighbours for which that is the same share a column: the bonus that can no longer be missed, or
reached, makes one column of many totals.  Such blocks are wide, and their columns are evaluated
LANES at a time.

A kernel takes the arrays out of its tuples once: numba reads the whole tuple wherever one of them
is mentioned, which makes no slower code but takes its time to compile.
"""

from __future__ import annotations

from typing import Final, NamedTuple

import numpy as np

from dicegames.solver.blocks.gather import Fetches, gather
from dicegames.solver.blocks.grouping import LARGEST_RING
from dicegames.solver.blocks.lookups import (
    UNIT,
    Blocks,
    Points,
    place,
    read_guards,
    set_inner,
    told_at,
)
from dicegames.solver.blocks.program import LANES, Program, Ring
from dicegames.solver.blocks.samples import Samples, draw_shares
from dicegames.solver.blocks.specialise import Work, guard_states, run_rows, specialise
from dicegames.solver.kernels.arrays import Matrix, Vector
from dicegames.solver.kernels.evaluate import INLINE, PURE
from dicegames.solver.kernels.kernel import njit
from dicegames.solver.model import Array

SWEEPS_WITHOUT_GAIN: Final = 8
GAIN: Final = 0.9
"""Sweeps that leave no more than this of a change in so many are no rounding: they come nearer."""
MOST_SHARE: Final = 0.999
"""Of the way to the value, what a sweep may leave if the rest is to be leapt over."""
LEAPS_TRIED: Final = 2
RING_BEGINS, RING_STEPS, RING_LEAPS, RING_RETURNS = 0, 1, 2, 3


class Trial(NamedTuple):
    """What is tried of values round a cycle: they move, and nothing is written but weights."""

    bias: float = 0.0  # by how much those that are read move, times their weights; 0: no trial
    rounded: float = 0.0  # by how much an evaluation may be wrong
    grows: bool = False  # weights grow by what they lack


NO_TRIAL = Trial()
NOTHING_LACKS: Final = -1.0
"""Of a weight of 1, where a value does not move at all."""


@njit(**INLINE)
def _columns(count: int, same: bool, w: Work) -> int:  # noqa: FBT001
    """Number the columns; lanes share one with their neighbour if that is the `same`."""
    new, fetched, lanes, column = w.new, w.fetched, w.lane, w.column
    for lane in range(count):
        new[lane] = lane == 0 or not same
    if same:
        for k in range(fetched.shape[0]):
            for lane in range(1, count):
                new[lane] |= fetched[k, lane] != fetched[k, lane - 1]
    columns = -1
    for lane in range(count):
        if new[lane] != 0:
            columns += 1
            lanes[columns] = lane
        column[lane] = columns
    return columns + 1


@njit(**INLINE)
def _spread(t: Fetches, w: Work, first: int, last: int) -> int:
    """Lay the columns first..last, the last one repeated, into the rows; how many lanes."""
    places, lanes, rows, fetched = w.place, w.lane, w.rows, w.fetched
    home = t.home
    width = (last - first + UNIT - 1) // UNIT * UNIT
    width = width if width <= UNIT else LANES
    for lane in range(width):
        places[lane] = lanes[min(first + lane, last - 1)]
    for k in range(home.size):
        for lane in range(width):
            rows[home[k] + lane] = fetched[k, places[lane]]
    return width


@njit(**INLINE)
def set_bases(p: Points, r: Ring, inner: int, w: Work) -> int:
    """Where the banks of this inner point's shifts lie; the own bank."""
    ranks, shift_after = p.rank, p.shift_after
    rank = ranks[inner]
    for k in range(shift_after.shape[0]):
        after = shift_after[k, inner]
        back = ranks[after] if 0 <= after < ranks.size else 0
        w.bases[k + 1] = r.at + (back % r.banks) * r.bank
    return int(r.at + (rank % r.banks) * r.bank)


@njit(**INLINE)
def _write(
    b: Blocks, program: Program, trial: Trial, count: int, inner: int, w: Work, first: int,
    last: int,
) -> float:  # fmt: skip
    """Store the values of the stored nodes in the columns first..last; the largest change.

    In a trial nothing is stored: the most that is lacking of the weight of a value that moves, at
    least NOTHING_LACKS.
    """
    lanes, column, home, rows = w.lane, w.column, w.home, w.rows
    stored_row, stored_table, values, weights = b.stored_row, b.stored_table, b.values, b.weights
    inside = inner * b.inner_step
    change = 0.0 if trial.bias == 0.0 else NOTHING_LACKS
    for s in range(stored_row.size):
        row = program.home[stored_row[s]] - first
        for lane in range(lanes[first], count):
            if column[lane] >= last:
                break
            at = stored_table[s] + home[lane] + inside
            moved = abs(rows[row + column[lane]] - values[at])
            if trial.bias == 0.0:
                change = max(change, moved)
                values[at] = rows[row + column[lane]]
            elif weights[at] > 0.0:  # play comes there
                lacking = (moved + trial.rounded) / abs(trial.bias) - weights[at]
                change = max(change, lacking)
                if trial.grows and lacking > 0.0:
                    weights[at] += np.float32(lacking)
    return change


@njit(**INLINE)
def _tell(
    p: Points, b: Blocks, program: Program, begin: int, inner: int, w: Work, first: int, last: int
) -> None:
    """Store the numbers of the moves in the lanes first..last, for the points from `begin` on.

    There is none where no point of the block comes to the choice: other rows stand in its place.
    """
    home, rows, stored_row, choice = program.home, w.rows, b.stored_row, b.choice
    slots, inner_points = stored_row.size, p.rank.size
    for lane in range(first, last, UNIT):
        at = told_at(begin + lane, 0, slots, inner, inner_points)
        for s in range(slots):
            row = home[stored_row[s]] + lane - first
            there = w.alive[stored_row[s]] != 0
            for k in range(UNIT):
                number = max(rows[row + k], -1.0) if there else -1.0
                choice[at + s * UNIT + k] = np.int16(number)


@njit(**INLINE)
def _needed(p: Points, b: Blocks, count: int, inner: int, w: Work) -> bool:
    """Whether a lane of the block needs an inner point."""
    if p.inner.size == 0:
        return True
    one = np.uint64(1) << np.uint64(inner % 64)
    for lane in range(count):
        row = 0
        for k in range(b.major_axes.size):
            row += w.coords[b.major_axes[k], lane] * b.major_step[k]
        if b.closure[row, inner // 64] & one:
            return True
    return False


@njit(**PURE)
def run_blocks(
    p: Points, t: Fetches, d: Samples | None, program: Program, b: Blocks, r: Ring, w: Work,
    begin: int, end: int, stride: int, worst: float, trial: Trial, same: bool,  # noqa: FBT001
    stop: Vector[np.uint8],
) -> float:  # fmt: skip
    """Evaluate every `stride`-th block from `begin` to `end`; the largest change, see `_write`.

    Where the samples `d` are None nothing is compiled for them.
    """
    change = 0.0 if trial.bias == 0.0 else NOTHING_LACKS
    for block in range(begin, end, stride):
        if stop[0] != 0:
            return change
        width = place(p, b, block, w)
        count = b.first[block + 1] - b.first[block]
        fresh = w.count[0] == 0  # no guards: never changed
        for i in range(-1, p.ranked.size):  # -1: what all inner points have in common
            inner = p.ranked[max(i, 0)]
            if i >= 0:
                if not _needed(p, b, count, inner, w):
                    continue
                set_inner(p, inner, width, w)
            if i < 0 or p.inner.size > 0:
                fresh = read_guards(p, p.once if i < 0 else p.again, width, w) or fresh
            if i < 0:
                continue
            current = set_bases(p, r, inner, w)
            guard_states(program, width, w)
            if fresh:
                specialise(program, w)
                fresh = False
            gather(p, t, program, b, b.first[block], inner, width, w, worst, trial.bias)
            if d is not None:
                draw_shares(d, t.cond, inner, width, w)
            columns = _columns(count, same and b.choice.size == 0, w)
            for first in range(0, columns, LANES):
                last = min(first + LANES, columns)
                lanes = _spread(t, w, first, last)
                run_rows(program, w, lanes, current)
                if b.choice.size > 0:
                    _tell(p, b, program, b.first[block], inner, w, first, last)
                else:
                    change = max(change, _write(b, program, trial, count, inner, w, first, last))
    return change


@njit(**INLINE)
def _leap(
    p: Points, b: Blocks, begin: int, end: int, kept: Matrix[np.float64], phase: int, small: float
) -> None:  # fmt: skip
    """Keep the values of blocks from which sweeps begin, or go on from what these came to.

    Where points lead to each other in a ring, as many sweeps as it has points leave a share of the
    way to each value, the same as long as the best moves are: then the rest of the way is known
    from two values and what each of them came to (the secant method; Aitken, Proc. Royal Soc.
    Edinburgh 46, 1926). `kept` has the values of before, what they came to, those of now, and that
    share. In phase RING_BEGINS the first are kept, in RING_STEPS the next begin from what the last
    ones came to, in RING_LEAPS from the end of the way; RING_RETURNS takes that back.
    """
    stored_table, values, places, ranked = b.stored_table, b.values, b.places, p.ranked
    k = 0
    for lane in range(b.first[begin], b.first[end]):
        for s in range(stored_table.size):
            for i in range(ranked.size):
                at = stored_table[s] + places[lane] + ranked[i] * b.inner_step
                if phase == RING_RETURNS:
                    values[at] = kept[1, k]
                elif phase != RING_BEGINS:
                    came = values[at]
                    if phase == RING_LEAPS:
                        step, next_step = kept[2, k] - kept[0, k], came - kept[1, k]
                        if abs(step) > 1000 * small:
                            kept[3, k] = next_step / step
                        share = kept[3, k]
                        if abs(share) < MOST_SHARE:
                            values[at] += (came - kept[2, k]) * share / (1.0 - share)
                    kept[0, k], kept[1, k] = kept[2, k], came
                else:
                    kept[3, k] = 0.0
                kept[2, k] = values[at]
                k += 1


@njit(**PURE)
def sweep_closed(
    p: Points, t: Fetches, d: Samples | None, program: Program, b: Blocks, r: Ring, w: Work,
    first: Array, last: Array, changes: Array, kept: Matrix[np.float64], ring: int, begin: int,
    stride: int, worst: float, trial: Trial, same: bool, stop: Array, sweeps: int,  # noqa: FBT001
    small: float,
) -> None:  # fmt: skip
    """Sweep every `stride`-th closed set from `begin` on until nothing but rounding moves.

    That is when the change is `small`, or below 1000 times that and has long ceased to fall. Sets,
    which are the blocks first[k]..last[k], are swept one after the other; the last change of each
    goes to `changes`. Where each `ring` sweeps leave the same share of the way, sweeps leap after
    so many, or twice so many if that is so for no small ring but in the end; `kept` has room for
    four numbers for each entry of a set then. A leap after which more changes than before is taken
    back, and so many are tried.
    """
    every = np.int64(1)  # not a literal: all would be compiled for that
    for k in range(begin, first.size, stride):
        change, best, waiting, since = np.inf, np.inf, 0, 0
        leaps, fresh = LEAPS_TRIED if ring > 0 else 0, True
        if leaps > 0:
            _leap(p, b, first[k], last[k], kept, RING_BEGINS, small)
        for _ in range(sweeps):
            leapt = False
            if leaps > 0 and since == ring:
                leapt = not fresh
                _leap(p, b, first[k], last[k], kept, RING_LEAPS if leapt else RING_STEPS, small)
                since, fresh = 0, leapt and ring > LARGEST_RING
            before = change
            change = run_blocks(
                p, t, d, program, b, r, w, first[k], last[k], every, worst, trial, same, stop,
            )  # fmt: skip
            since += 1
            if leapt and change > before:
                _leap(p, b, first[k], last[k], kept, RING_RETURNS, small)
                change, leaps, since, fresh = before, leaps - 1, 0, True
            waiting += 1
            if change < GAIN * best:
                best, waiting = change, 0
            settled = waiting >= SWEEPS_WITHOUT_GAIN and change <= 1000 * small
            if change <= small or settled or stop[0] != 0:
                break
        changes[k] = change
