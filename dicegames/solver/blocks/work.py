"""The scratch memory of the threads."""

from __future__ import annotations

import numpy as np

from dicegames.solver.blocks.program import Layout
from dicegames.solver.blocks.specialise import Work
from dicegames.solver.graph.turn import Turn
from dicegames.solver.model import Array


def banks_of(turn: Turn) -> int:
    """How many inner points must be remembered at once."""
    back = 0
    for after in turn.shifts.values():
        valid = (after >= 0) & (after < turn.rank.size)
        back = max(back, int((turn.rank[valid] - turn.rank[after[valid]]).max(initial=0)))
    return back + 1


def _aligned(size: int) -> Array:
    """Zeros from an address divisible by 64."""
    raw = np.zeros(size + 8)
    skip = (-raw.ctypes.data) % 64 // 8
    return raw[skip : skip + size]


def make_work(layout: Layout, lanes: int, axes: int, looks: int, bools: int) -> Work:
    """Scratch memory of one thread, for blocks of so many points.

    `looks` is the number of lookups, of which the first `bools` are those of guards.
    """
    program = layout.program
    read = np.zeros((looks, lanes), np.int64)
    return Work(
        rows=_aligned(layout.size),
        home=np.zeros(lanes, np.int64),
        coords=np.zeros((axes, lanes), np.int64),
        place=np.zeros(lanes, np.int64),
        known=np.zeros(looks, np.uint8),
        read=read,
        reward=read.view(np.float64),
        state=np.full(bools, -1, np.int64),
        fetched=np.zeros((len(layout.fetches), lanes)),
        new=np.zeros(lanes, np.uint8),
        lane=np.zeros(lanes, np.int64),
        column=np.zeros(lanes, np.int64),
        bases=np.zeros(1 + len(layout.shifts), np.int64),
        guard_state=np.zeros(program.guard_first.size - 1, np.uint8),
        needed=np.zeros(program.cond_first.size - 1, np.uint8),
        code=program.code.copy(),
        last=program.last.copy(),
        offset=program.offset.copy(),
        constant=program.constant.copy(),
        to=program.home[: program.kind.size].copy(),
        keep=program.ring.copy(),
        alive=np.ones(program.cond.size, np.uint8),
        owner=np.arange(program.cond.size, dtype=np.int32),
        writer=np.arange(program.cond.size, dtype=np.int32),
        runs=np.zeros(2 * program.kind.size + 2, np.int32),
        count=np.zeros(1, np.int64),
    )
