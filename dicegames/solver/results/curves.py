"""Rows over results: something about every state between turns for n = 0, 1, 2, ... units to come.

A row is kept from the first n to the last at which it says something; below and above it is
constant: 0 and 0 for probabilities, 1 and 0 for chances of more. Cells are float32.
"""

from __future__ import annotations

from typing import Final, NamedTuple

import numpy as np

from dicegames.solver.kernels.arrays import Vector
from dicegames.solver.kernels.evaluate import INLINE, PURE
from dicegames.solver.kernels.kernel import njit
from dicegames.solver.model import Array
from dicegames.solver.status import SolveError, Status

TAIL_CUT_OFF: Final = 1e-8
"""What is cut off at either end of a row; so much for each turn is the error of a chance."""

MOST_CURVE_CELLS: Final = 900_000_000
"""Of one table: 3.6 GB."""


class Curves(NamedTuple):
    """The rows by state; `length` is -1 where there is none."""

    at: Vector[np.int64]  # [states]: where the row begins
    low: Vector[np.int32]  # [states]: the first n, in units
    length: Vector[np.int32]  # [states]
    cells: Vector[np.float32]

    @property
    def bytes(self) -> int:
        """How much memory they take."""
        return sum(array.nbytes for array in self)


def new_rows(states: int, cells: int) -> Curves:
    """No rows, and room for so many cells: memory is only taken for what is written."""
    if cells > MOST_CURVE_CELLS:
        raise SolveError(Status.TOO_MUCH_MEMORY, f"up to {4 * cells / 1e9:.1f} GB for one table")
    return Curves(
        at=np.zeros(states, np.int64),
        low=np.zeros(states, np.int32),
        length=np.full(states, -1, np.int32),
        cells=np.empty(cells, np.float32),
    )


@njit(**INLINE)
def share_row(out: Curves, state: int, like: int) -> None:
    """Give a state the row of another one."""
    out.at[state], out.low[state], out.length[state] = out.at[like], out.low[like], out.length[like]


@njit(**PURE)
def keep_row(
    out: Curves, room: Array, state: int, low: int, row: Array, count: int, left: float
) -> bool:
    """Keep the row that begins at `low`, without what is certain at both ends; False if no room.

    At the left end the row comes from `left`, at the right end it goes to 0. Neighbours that say
    the same share their cells: `room` is the next free cell, the last, and whose row was kept.
    """
    first, last = 0, count
    while first < last and abs(row[first] - left) < TAIL_CUT_OFF:
        first += 1
    while last > first and row[last - 1] < TAIL_CUT_OFF:
        last -= 1
    length, like, at = last - first, room[2], room[0]
    if at + length > room[1]:
        return False
    same = like >= 0 and out.length[like] == length
    for k in range(length):
        out.cells[at + k] = row[first + k]
        same = same and out.cells[out.at[like] + k] == out.cells[at + k]
    out.at[state] = out.at[like] if same else at
    out.low[state], out.length[state] = low + first, length
    room[0], room[2] = at if same else at + length, state
    return True


def joined(rows: Curves, begins: list[int], ends: list[int]) -> Curves:
    """The rows without the gaps between the parts of the cells that threads have written."""
    at = int(ends[0])
    for begin, end in zip(begins[1:], ends[1:], strict=True):
        rows.cells[at : at + end - begin] = rows.cells[begin:end]
        rows.at[(rows.at >= begin) & (rows.at < end)] += at - begin
        at += end - begin
    rows.cells.resize(at, refcheck=False)  # a part of it would keep all of it in memory
    return rows
