"""Cyclic layers: iterate, then prove.

Inside a cyclic layer the table V is a fixpoint of the block operator F, which is monotone and never
expands distances.  Sweeps (each block sees the newest values) run until nothing but rounding moves.
Then bounds are tried: with U = V + d on the layer, one more evaluation gives F(U); if F(U) <= U
everywhere then the fixpoint lies below U, and F(V - d) >= V - d shows the same from below.  Seats
that rotate under a constant sum read C - V, so there the bounds change places, which the sign of d
takes into account.  The d that works is the error of the layer; it is doubled until it does.

Where several selfish players each play best against the others, there is nothing monotone: their
choices may chase each other round and round.  Sets in which they do are swept again from values
drawn at random around those that were met on the way, until sweeps lead to a fixpoint: then no
player gains by departing alone.  Nothing says that one is found, or that it is the only one.
"""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np

from dicegames.solver.blocks.block import run_blocks, sweep_closed
from dicegames.solver.blocks.plan import Run
from dicegames.solver.kernels.workers import Workers
from dicegames.solver.model import Array
from dicegames.solver.status import SolveError, Status

SWEEPS = 500
"""So many sweeps at a time, between which it is looked at whether they lead anywhere."""
MOST_SWEEPS = 200_000
SETTLED = {True: 4e-16, False: 1e-13}
"""What may still change in a sweep, in parts of the largest value: where bounds are proven for one
number, nothing but rounding; for several players, whose residual is told, so much as that.
"""
SLOW = 0.97
"""Where so much of the change is left after SWEEPS, MOST_SWEEPS are not enough."""
SHIFT = 1e-5
"""By how much, in parts of the largest value, values are shifted to see whether they come back."""
QUIET = 64
"""After so many sweeps in which no further state came back, none will."""
ROUNDS = 40
"""How often the distance is doubled in search of a bound."""
MET = 50
"""Sweeps of players who chase each other in which is noted what values come up."""
BEGINNINGS = 100
"""From so many drawn values such a set is swept, one after the other."""
AROUND = 0.5
"""How far outside of the values met they may lie, in parts of the distance of the extremes."""


def solve_cycle(run: Run, begin: int, end: int, workers: Workers) -> float:
    """Solve the blocks begin..end, one layer; the error bound."""
    arguments = run.arguments(run.works[0])
    where = _entries(run, begin, end)
    largest, change = _sweep(run, begin, end, workers, where)
    _demand_a_way_out(arguments, run, begin, end, workers, where, largest)
    return _prove(arguments, run, begin, end, workers, where, largest, change)


def settle_cycle(run: Run, begin: int, end: int, workers: Workers) -> float:
    """Solve the blocks begin..end, one layer, for several selfish players; the residual.

    The last component is the chance to be still in the layer after so many sweeps: it begins at 1
    and falls wherever best play may lead out. Where it stays, play goes round for ever.
    """
    values, where = run.blocks.values, _entries(run, begin, end)
    staying = _staying(run, where)
    values[staying] = 1.0
    _, change = _sweep(run, begin, end, workers, where)
    if bool((values[staying][run.entered[staying % run.entered.size]] > 0.5).any()):
        raise SolveError(Status.ENDLESS)
    values[staying] = 0.0
    return change


def _sweep(run: Run, begin: int, end: int, workers: Workers, where: Array) -> tuple[float, float]:
    """Sweep until nothing but rounding moves: the largest value and the last change.

    Sets of points that lead to none but themselves in the layer are swept one by one, in threads.
    """
    blocks, scalar = run.blocks, run.plan.model.scalar
    closed, small = run.grouping.closed(begin, end), SETTLED[scalar]
    largest, change = 1.0, np.inf
    for sweeps in range(SWEEPS, MOST_SWEEPS + 1, SWEEPS):
        before, change = change, _swept(run, closed, workers, SWEEPS, small * largest)
        largest = max(1.0, float(np.abs(blocks.values[where]).max(initial=0.0)))
        if change <= 4e-13 * largest or not np.isfinite(largest):
            break
        if change > SLOW * before and sweeps > 2 * len(where) + SWEEPS:
            break  # every sweep has had its chance to carry news one entry further
    if not np.isfinite(largest) or largest > 1e15:
        raise SolveError(Status.ENDLESS)
    if change > 1e-9 * largest and not scalar:
        change = max(_begun_anew(run, *pair, workers, small * largest) for pair in pairwise(closed))
    if change > 1e-9 * largest:
        chasing = "the choices of the players chase each other"
        raise SolveError(Status.NOT_CONVERGED, "" if scalar else chasing)
    return largest, change


def _swept(run: Run, closed: Array, workers: Workers, sweeps: int, small: float) -> float:
    """Sweep closed sets, between the numbers of their first blocks; the largest last change."""
    shared = (run.worst, run.plan.alike, run.plain, workers.stop, sweeps, small)
    tasks = [
        (sweep_closed, (*run.arguments(work), closed, t, len(run.works), *shared))
        for t, work in enumerate(run.works)
    ]
    return max(workers.run_all(tasks))


def _begun_anew(run: Run, begin: int, end: int, workers: Workers, small: float) -> float:
    """Sweep one closed set, from other values where its players chase each other; the last change.

    What is drawn depends on the set alone.
    """
    closed = np.array([begin, end])
    change = _swept(run, closed, workers, SWEEPS, small)
    if change <= 1000 * small:
        return change
    values, where = run.blocks.values, _entries(run, begin, end)
    met = []
    for _ in range(MET):
        _swept(run, closed, workers, 1, small)
        met.append(values[where])
    lowest, highest = np.min(met, axis=0), np.max(met, axis=0)
    generator = np.random.default_rng(begin)
    for _ in range(BEGINNINGS):
        part = generator.uniform(-AROUND, 1 + AROUND, where.size)
        values[where] = lowest + part * (highest - lowest)
        values[_staying(run, where)] = 1.0
        change = _swept(run, closed, workers, SWEEPS, small)
        if change <= 1000 * small:
            break
    return change


def _staying(run: Run, where: Array) -> Array:
    """Positions of the last component, of the entries of some blocks in all tables."""
    found: Array = where.reshape(len(run.plan.components), -1)[-1]
    return found


def _entries(run: Run, begin: int, end: int) -> Array:
    """Positions of the layer's entries in all tables."""
    grouping, points = run.grouping, run.plan.points
    lanes = grouping.points[grouping.block_first[begin] : grouping.block_first[end]]
    inner = points.ranked
    offsets = run.blocks.stored_table
    all_of_them: Array = (
        offsets[:, None, None] + lanes[None, :, None] + inner[None, None, :]
    ).ravel()
    return all_of_them


def _demand_a_way_out(
    arguments: tuple[Any, ...], run: Run, begin: int, end: int, workers: Workers, where: Array,
    largest: float,
) -> None:  # fmt: skip
    """Refuse a layer in which best play comes to a state that it never leaves.

    There the values V + d are a fixpoint as well. Where nobody loses anything by leaving, sweeps
    from V + d or from V - d (who gains by it leaves at once) bring some of d back to V.
    """
    values = run.blocks.values
    kept = values[where].copy()
    shift, left = SHIFT * largest, ~run.entered[where]
    for sign in (1.0, -1.0):
        values[where] = kept + sign * shift
        quiet = 0
        while quiet < QUIET and not left.all():
            workers.run(
                run_blocks, *arguments, begin, end, 1, run.worst, 0.0, run.plan.alike, run.plain,
                workers.stop,
            )  # fmt: skip
            before = int(left.sum())
            left |= np.abs(values[where] - kept) < shift * (1 - 1e-8)
            quiet = quiet + 1 if int(left.sum()) == before else 0
        values[where] = kept
    if not left.all():
        raise SolveError(Status.ENDLESS)


def _prove(
    arguments: tuple[Any, ...], run: Run, begin: int, end: int, workers: Workers, where: Array,
    largest: float, change: float,
) -> float:  # fmt: skip
    """A distance d with F(V + d) <= V + d and F(V - d) >= V - d."""
    values, near = run.blocks.values, run.blocks.near
    kept = values[where].copy()
    near[where] = 1
    distance = max(change, 4e-16 * largest)
    try:
        for _ in range(ROUNDS):
            worst = 0.0
            for bias in (distance, -distance):
                workers.run(
                    run_blocks, *arguments, begin, end, 1, run.worst, bias, run.plan.alike,
                    run.plain, workers.stop,
                )  # fmt: skip
                worst = max(worst, float(np.nanmax((values[where] - kept) * np.sign(bias))))
                values[where] = kept
            if worst <= distance:
                return distance
            distance *= 2
    finally:
        near[where] = 0
        values[where] = kept
    raise SolveError(Status.NOT_CONVERGED, "no bound could be proven for a cycle")
