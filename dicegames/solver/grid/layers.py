"""Solving layer by layer: sweeps until a layer settles, or rounds that are counted if it does not.

Where three or more choose, there need not be play that is best for all and does not count. Then it
is told what is best with k rounds still to come, by backward induction from so far ahead that
hardly any play comes there. The table keeps the values of one round.
"""

from __future__ import annotations

from time import perf_counter

import numpy as np
from attrs import define

from dicegames.ground.arguments import OnProgress
from dicegames.solver.grid.following import Staying
from dicegames.solver.grid.grid import Filling, GridTable
from dicegames.solver.model import Array
from dicegames.solver.status import SolveError, Status

SETTLED = 1e-7
"""A layer is swept until nothing changes by more."""
UNSETTLED = 1e-5
"""The largest residual, in parts of the largest value, with which there is a solution."""
MOST_SWEEPS = 100
PATIENT = 30
"""Sweeps in which limits are foreseen; where the players' choices chase each other, it fails."""
SAME = 1e-11
"""What changes by no more than this in as many sweeps as there are seats is left alone until the
last one: news of a change comes round from turn to turn."""
MOST_ROUNDS = 1000
NOTED = 1e-6
"""With this chance to stay so long the values of a round are noted, and compared from then on."""
GONE = 1e-12
"""With this chance to stay so long no more rounds are counted."""


@define
class LayersSolved:
    """What is left when layers are solved."""

    change: float = 0.0  # what one more sweep would change
    layers: int = 0
    cycles: int = 0
    counting: int = 0  # points where rounds are counted
    differ: float = 0.0  # by how much values differ with that


def table(filling: Filling, progress: OnProgress | None = None) -> GridTable:
    """Solve a model on a grid; raises SolveError."""
    began = perf_counter()
    filling.find()
    left = solve(filling, progress)
    largest = float(np.abs(filling.values).max())
    if not np.isfinite(largest):
        if filling.beyond:  # else no turn that comes up ends so
            beyond = f'"{filling.beyond}" takes values that were not foreseen'
            raise SolveError(Status.UNSUPPORTED, beyond)
        raise SolveError(Status.NO_MOVE)
    if left.change > UNSETTLED * max(1.0, largest):
        raise SolveError(Status.NOT_CONVERGED)
    return GridTable(
        filling.grid, filling.rows, filling.values, max(left.change, left.differ), left.layers,
        left.cycles, left.counting, perf_counter() - began,
    )  # fmt: skip


def solve(filling: Filling, progress: OnProgress | None) -> LayersSolved:
    """Solve all layers of the points that have been found, the last first."""
    found = LayersSolved()
    for first, last in filling.each_layer():
        rows = np.arange(first, last)
        found.layers += 1
        if filling.acyclic(first):
            filling.sweep(rows)
        else:
            found.cycles += 1
            change = _settle(filling, rows)
            if change > SETTLED:
                change = _count_rounds(filling, rows, found)
            found.change = max(found.change, change)
        if progress is not None:
            progress(last, len(filling.rows))
    return found


def _settle(filling: Filling, rows: Array) -> float:
    """Sweep a layer's rows until they settle; what one more sweep would change."""
    values, changes = filling.values, list[Array]()
    change, active, reached = np.inf, rows, np.zeros(rows.size, np.bool_)
    still = np.zeros(rows.size, np.int64)  # for how many sweeps
    for sweep in range(MOST_SWEEPS):
        before = values[rows].copy()
        filling.sweep(active)
        with np.errstate(invalid="ignore"):  # what is infinite stays so
            moved = np.where(values[rows] == before, 0.0, values[rows] - before)
        farthest = np.abs(moved).max(axis=1)
        change = float(farthest.max())
        reached |= farthest > SAME
        still = np.where(farthest > SAME, 0, still + 1)
        if change <= SETTLED:
            if active.size == rows.size:
                break
            active = rows  # a last sweep over all of them
            changes.clear()
            continue
        changes = [*changes[-1:], moved]
        active = rows[~reached | (still < filling.seats)]
        if sweep < PATIENT:
            foreseen = filling.grid.balanced and len(changes) == 2
            if foreseen and _extrapolate(values, rows, *changes):
                changes.clear()
        elif sweep > 2 * PATIENT:
            values[rows] -= moved / 2
    return change


def _extrapolate(values: Array, rows: Array, old: Array, new: Array) -> bool:
    """Move on the values that come nearer to their limit by the same factor in each sweep.

    Only where what one gains others lose: else values that are too large may stay, as it would
    be best for all never to come to the end.
    """
    with np.errstate(invalid="ignore"):  # what became infinite fits nothing; `table` refuses it
        factor = (old * new).sum(axis=1) / np.maximum((old * old).sum(axis=1), 1e-300)
    fit = (factor > 0) & (factor < 0.9)
    values[rows[fit]] += new[fit] * (factor[fit] / (1 - factor[fit]))[:, None]
    return bool(fit.any())


def _count_rounds(filling: Filling, rows: Array, found: LayersSolved) -> float:
    """Go back from so far ahead that hardly any play comes there; what that chance is worth."""
    staying = Staying(filling.model, filling.grid, filling.workers, filling)
    staying.values[rows] = chance = 1.0
    lowest = highest = filling.values[rows]
    for number in range(MOST_ROUNDS):
        for group in filling.by_seat(rows):
            staying.sweep(group)  # chosen is by what the round after is worth, as in the next line
            filling.sweep(group)
        met = filling.values[rows]
        if chance > NOTED:
            lowest = highest = met
        lowest, highest = np.minimum(lowest, met), np.maximum(highest, met)
        chance = float(staying.values[rows].max())
        if chance <= GONE or (number > MOST_SWEEPS and chance > 0.5):
            break
    largest = max(1.0, float(np.abs(filling.values[rows]).max()))
    differ = (highest - lowest).max(axis=1)
    found.counting += int((differ > 4 * NOTED * largest).sum())
    found.differ = max(found.differ, float(differ.max()))
    return 2 * chance * largest
