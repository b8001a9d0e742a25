"""Rewrite the dynamic operations of a block for the pattern of its guards.

A guard holds in no lane, in all lanes, or in some.  A leaf whose guard fails everywhere is dropped;
one whose guard holds everywhere and adds nothing is only another name for its operand; a mixed one
adds a mask row.  A maximum of one row left is another name for it, too, unless its own row must be
written: then the one operation that feeds it writes there (its sink), or it is copied.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from dicegames.solver.evaluate import INLINE, PURE
from dicegames.solver.execute import DO_ADD, DO_FILL, DO_MASK, DO_MAX, DO_MIN, choose_code
from dicegames.solver.kernel import njit
from dicegames.solver.model import Array
from dicegames.solver.program import Program
from dicegames.solver.terms import LEAF, MAX, MIN


class Work(NamedTuple):
    """What one thread writes: lanes, rows, and its copy of the operations."""

    rows: Array  # float64: the scratch array
    home: Array  # int64[lanes]: position of a lane's point in a full table
    coords: Array  # int64[axes, lanes]
    place: Array  # int64[lanes]
    known: Array  # uint8[lookups]: read for the present block and inner point
    read: Array  # int64[lookups, lanes]
    reward: Array  # float64[lookups, lanes], the same memory
    state: Array  # int64[bools]: 0 nowhere, 1 everywhere, 2 in some lanes
    fetched: Array  # float64[fetches, lanes]
    new: Array  # uint8[lanes]: what is fetched differs from the lane before
    lane: Array  # int64[lanes]: of each column, that is, of each different lane
    column: Array  # int64[lanes]
    bases: Array  # int64[1 + shifts]
    guard_state: Array  # uint8[guards]
    needed: Array  # uint8[conds]
    code: Array  # int8[n]
    last: Array  # int32[n]
    offset: Array  # int32
    constant: Array  # float64[n]
    to: Array  # int32[n]
    keep: Array  # int32[n]
    alive: Array  # uint8[rows]
    owner: Array  # int32[rows]: the row that another name stands for
    writer: Array  # int32[n]: the operation that writes a row, itself or what sinks into it
    runs: Array  # int32
    count: Array  # int64[1]: number of runs


@njit(**INLINE)
def guard_states(program: Program, width: int, w: Work) -> None:
    """States of guards and conditions from those of the bool lookups; mask rows where mixed."""
    for g in range(w.guard_state.size):
        state = 1
        for k in range(program.guard_first[g], program.guard_first[g + 1]):
            own = w.state[program.guard_bool[k]]
            if own == 0:
                state = 0
                break
            state = max(state, own)
        w.guard_state[g] = state
    needed_rows(program, w)
    for m in range(program.mask_guard.size):
        g, at = program.mask_guard[m], program.mask_at[m]
        if w.guard_state[g] != 2:
            continue
        for lane in range(width):
            w.rows[at + lane] = 0.0
        for k in range(program.guard_first[g], program.guard_first[g + 1]):
            j = program.guard_bool[k]
            if w.state[j] == 2:
                for lane in range(width):
                    if w.read[j, lane] == 0:
                        w.rows[at + lane] = program.mask_value[m]


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
    w.code[i] = 8 * DO_ADD
    if state == 2:
        w.offset[at + 1] = program.mask[i]
        w.code[i] = 8 * DO_MASK
    return True


@njit(**INLINE)
def _choice(program: Program, w: Work, i: int) -> bool:
    """Settle a maximum or minimum; whether it is an operation."""
    at, size, last = program.first[i], 0, 0
    for k in range(at, program.last[i]):
        operand = program.operand[k]
        if w.alive[operand] != 0:
            last = w.owner[operand]
            w.offset[at + size] = program.home[last]
            size += 1
    if size > 1:
        w.code[i] = choose_code(DO_MAX if program.kind[i] == MAX else DO_MIN, size)
        w.last[i] = at + size
        return True
    if program.keeps[i] == 0:
        w.alive[i] = size
        w.owner[i] = last
        return False
    if size == 0:
        w.code[i] = 8 * DO_FILL
        w.constant[i] = -np.inf if program.kind[i] == MAX else np.inf
        return True
    if last < program.kind.size and program.sink[last] == i:
        writer = w.writer[last]
        w.to[writer] = program.home[i]
        w.keep[writer] = program.ring[i]
        w.writer[i] = writer
        return False
    w.code[i] = 8 * DO_ADD
    w.constant[i] = 0.0
    return True


@njit(**PURE)
def specialise(program: Program, w: Work) -> None:
    """Rewrite `w` for the present states of the guards; list the operations as runs."""
    count, end, i = 0, -1, np.int64(0)  # not a literal: it would be compiled twice
    while i < program.kind.size:
        if program.skip[i] > i:
            alive = w.needed[program.cond[i]]
            if w.alive[i] != alive:
                for k in range(i, program.skip[i]):
                    w.alive[k] = alive
            if alive != 0:
                if end != i:
                    w.runs[2 * count] = i
                    count += 1
                end = program.skip[i]
                w.runs[2 * count - 1] = end
            i = program.skip[i]
            continue
        w.alive[i] = 1
        w.owner[i] = i
        w.writer[i] = i
        w.to[i] = program.home[i]
        w.keep[i] = program.ring[i]
        kind = program.kind[i]
        if w.needed[program.cond[i]] == 0:
            w.alive[i] = 0
            does = False
        elif kind == LEAF:
            does = _leaf(program, w, i)
        elif kind in (MAX, MIN):
            does = _choice(program, w, i)
        else:
            does = True
        if does:
            if end != i:
                w.runs[2 * count] = i
                count += 1
            end = i + 1
            w.runs[2 * count - 1] = end
        i += 1
    w.count[0] = count
