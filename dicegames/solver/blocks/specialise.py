"""Rewrite the dynamic operations of a block for the pattern of its guards.

A guard holds in no lane, in all lanes, or in some.  A leaf whose guard fails everywhere is dropped;
one whose guard holds everywhere and adds nothing is only another name for its operand; a mixed one
adds a mask row.  A maximum of one row left is another name for it, too, unless its own row must be
written.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from dicegames.solver.blocks.execute import (
    DO_ADD,
    DO_FILL,
    DO_FIRST_MAX,
    DO_FOLLOW_MAX,
    DO_MASK,
    DO_MAX,
    DO_MIN,
    execute,
)
from dicegames.solver.blocks.program import Program
from dicegames.solver.blocks.terms import FIRST_BEST, FOLLOW, LEAF, MAX, MIN
from dicegames.solver.kernels.arrays import Matrix, Vector
from dicegames.solver.kernels.evaluate import INLINE, INNER
from dicegames.solver.kernels.kernel import njit
from dicegames.solver.kernels.lanes import LANE_UNIT


class Work(NamedTuple):
    """What one thread writes: lanes, rows, and its copy of the operations."""

    rows: Vector[np.float64]  # the scratch array
    home: Vector[np.int64]  # [lanes]: position of a lane's point in a full table
    coords: Matrix[np.int64]  # [axes, lanes]
    place: Vector[np.int64]  # [lanes]
    known: Vector[np.uint8]  # [lookups]: read for the present block and inner point
    read: Matrix[np.int64]  # [lookups, lanes]
    reward: Matrix[np.float64]  # [lookups, lanes], the same memory
    state: Vector[np.int64]  # [bools]: 0 nowhere, 1 everywhere, 2 in some lanes
    fetched: Matrix[np.float64]  # [fetches, lanes]
    new: Vector[np.uint8]  # [lanes]: what is fetched differs from the lane before
    lane: Vector[np.int64]  # [lanes]: of each column, that is, of each different lane
    column: Vector[np.int64]  # [lanes]
    bases: Vector[np.int64]  # [1 + shifts]
    guard_state: Vector[np.uint8]  # [guards]
    needed: Vector[np.uint8]  # [conds]
    code: Vector[np.int8]  # [n]
    last: Vector[np.int32]  # [n]
    offset: Vector[np.int32]
    constant: Vector[np.float64]  # [n]
    alive: Vector[np.uint8]  # [rows]
    owner: Vector[np.int32]  # [rows]: the row that another name stands for
    runs: Vector[np.int32]
    count: Vector[np.int64]  # type: ignore[assignment]  # [1]: number of runs


@njit(**INNER)
def guard_states(program: Program, width: int, w: Work) -> None:
    """States of guards and conditions from those of the bool lookups; mask rows where mixed."""
    guard_state, states, rows, read = w.guard_state, w.state, w.rows, w.read
    guard_first, guard_bool = program.guard_first, program.guard_bool
    for g in range(guard_state.size):
        state = 1
        for k in range(guard_first[g], guard_first[g + 1]):
            own = states[guard_bool[k]]
            if own == 0:
                state = 0
                break
            state = max(state, own)
        guard_state[g] = state
    needed_rows(program, w)
    for m in range(program.mask_guard.size):
        g, at = program.mask_guard[m], program.mask_at[m]
        if guard_state[g] != 2:
            continue
        for lane in range(width):
            rows[at + lane] = 0.0
        for k in range(guard_first[g], guard_first[g + 1]):
            j = guard_bool[k]
            if states[j] == 2:
                for lane in range(width):
                    if read[j, lane] == 0:
                        rows[at + lane] = program.mask_value[m]


@njit(**INLINE)
def needed_rows(program: Program, w: Work) -> None:
    """Which conditions may hold in some lane."""
    for c in range(w.needed.size):
        w.needed[c] = 1
        for k in range(program.cond_first[c], program.cond_first[c + 1]):
            if w.state[program.cond_bool[k]] == 0:
                w.needed[c] = 0


@njit(**INLINE)
def _leaf(program: Program, w: Work, i: int) -> bool:
    """Settle a leaf; whether it is an operation."""
    operand, at = program.operand[program.first[i]], program.first[i]
    state = w.guard_state[program.guard[i]]
    if state == 0 or w.alive[operand] == 0:
        w.alive[i] = 0
        return False
    if state == 1 and program.constant[i] == 0.0 and program.keeps[i] == 0:
        w.owner[i] = w.owner[operand]
        return False
    w.offset[at] = program.home[w.owner[operand]]
    w.code[i] = DO_ADD
    if state == 2:
        w.offset[at + 1] = program.mask[i]
        w.code[i] = DO_MASK
    return True


@njit(**INLINE)
def _choice(program: Program, w: Work, i: int) -> bool:
    """Settle a maximum or minimum; whether it is an operation."""
    alive, owner, code, offset = w.alive, w.owner, w.code, w.offset
    home, kind = program.home, program.kind
    at, size, last = program.first[i], 0, 0
    for k in range(at, program.last[i]):
        operand = program.operand[k]
        if alive[operand] != 0:
            last = owner[operand]
            offset[at + size] = home[last]
            size += 1
    if size <= 1 and program.keeps[i] == 0:
        alive[i] = size
        owner[i] = last
        return False
    w.last[i] = at + size
    code[i] = DO_MAX if kind[i] == MAX else DO_MIN
    if size == 0:
        code[i] = DO_FILL
        w.constant[i] = -np.inf if kind[i] == MAX else np.inf
    return True


@njit(**INLINE)
def _follow(program: Program, w: Work, i: int) -> bool:
    """Settle what follows a choice: moves that are out are left out, with what they have."""
    alive, owner, offset, code = w.alive, w.owner, w.offset, w.code
    home, operand = program.home, program.operand
    at, numbers = program.first[i], program.kind[i] == FIRST_BEST
    moves, left = (program.last[i] - at - 1) // 2, 0
    for k in range(at + 1, at + 1 + moves):
        if alive[operand[k]] != 0 and (numbers or alive[operand[k + moves]] != 0):
            offset[at + 1 + left] = home[owner[operand[k]]]
            left += 1
    chosen = left
    for k in range(at + 1, at + 1 + moves):
        if alive[operand[k]] != 0 and (numbers or alive[operand[k + moves]] != 0):
            own = program.offset[k + moves] if numbers else home[owner[operand[k + moves]]]
            offset[at + 1 + chosen] = own
            chosen += 1
    offset[at] = home[owner[operand[at]]]
    w.last[i] = at + 1 + chosen
    code[i] = program.code[i]
    if left == 0:
        code[i] = DO_FILL
        w.constant[i] = -np.inf if program.code[i] in (DO_FOLLOW_MAX, DO_FIRST_MAX) else np.inf
    return True


@njit(**INNER)
def specialise(program: Program, w: Work) -> None:
    """Rewrite `w` for the present states of the guards; list the operations as runs."""
    needed, alive, owner, runs = w.needed, w.alive, w.owner, w.runs
    skip, cond = program.skip, program.cond
    kinds = program.kind
    for k in range(kinds.size, cond.size):
        alive[k] = needed[cond[k]]
    count, end, i = 0, np.int64(-1), np.int64(0)  # not a literal: it would be compiled twice
    while i < kinds.size:
        if skip[i] > i:
            wanted = needed[cond[i]]
            if alive[i] != wanted:
                for k in range(i, skip[i]):
                    alive[k] = wanted
            if wanted != 0:
                if end != i:
                    runs[2 * count] = i
                    count += 1
                end = skip[i]
                runs[2 * count - 1] = end
            i = skip[i]
            continue
        alive[i] = 1
        owner[i] = i
        kind = kinds[i]
        if needed[cond[i]] == 0:
            alive[i] = 0
            does = False
        elif kind == LEAF:
            does = _leaf(program, w, i)
        elif kind in (MAX, MIN):
            does = _choice(program, w, i)
        elif kind in (FOLLOW, FIRST_BEST):
            does = _follow(program, w, i)
        else:
            does = True
        if does:
            if end != i:
                runs[2 * count] = i
                count += 1
            end = i + 1
            runs[2 * count - 1] = end
        i += 1
    w.count[0] = count


@njit(**INNER)
def run_rows(program: Program, w: Work, width: int, current: int) -> None:
    """Carry out the operations with the kernel of the right width."""
    rows, runs, count, code = w.rows, w.runs, w.count, w.code
    last, offset, constant, bases = w.last, w.offset, w.constant, w.bases
    first, weight, base = program.first, program.weight, program.base
    to, keep = program.home, program.ring
    if width == LANE_UNIT:
        execute(
            (0,), rows, runs, count[0], code, first, last, offset, weight,
            constant, base, bases, to, keep, current,
        )  # fmt: skip
    else:
        execute(
            (0, 0, 0, 0), rows, runs, count[0], code, first, last, offset, weight,
            constant, base, bases, to, keep, current,
        )  # fmt: skip
