"""Solving on grids of smaller and smaller steps: the result, and what the last step changed."""

from __future__ import annotations

from collections.abc import Iterable
from time import perf_counter

import numpy as np

from dicegames.ground.arguments import OnProgress
from dicegames.solver.grid import layers
from dicegames.solver.grid.answers import demand_an_end, gains_of
from dicegames.solver.grid.grid import Filling, GridTable
from dicegames.solver.grid.layers import LayersSolved
from dicegames.solver.grid.points import GridPoints
from dicegames.solver.grid.values import GridValues
from dicegames.solver.kernels.workers import Workers
from dicegames.solver.model import Grid, Model
from dicegames.solver.solved import Solved, Value
from dicegames.solver.status import SolveError, Status
from dicegames.solver.validation import validate

ON_GRID = "turn by turn, on a grid"
ANSWERING = 2.0
"""How much longer than solving it takes to look for the best answers, at most."""


def solve_on_grids(
    model: Model,
    grids: Iterable[Grid],
    workers: Workers,
    *,
    patience: float = 0.0,
    progress: OnProgress | None = None,
) -> Solved:
    """Solve on each grid, the widest first; return the solution on the last one.

    `grids` may look at the clock and stop. The estimates of the solution are the difference
    to the grid before, which is part of the last: at the start, and the largest at any point that
    both have; nothing is proven by them. What players could gain by departing alone is looked for
    if that should be done within `patience` seconds from the beginning. Raises SolveError.
    """
    validate(model)
    began = perf_counter()
    filling, gains = None, tuple[float, ...]()
    last_two: list[tuple[GridTable, LayersSolved]] = []
    for grid in grids:
        filling = Filling(model, grid, workers)
        last_two = [*last_two[-1:], layers.table(filling, progress)]
    if filling is None:
        raise SolveError(Status.TOO_LONG)
    table, found = last_two[-1]
    demand_an_end(filling)
    if perf_counter() - began + ANSWERING * found.seconds < patience:
        gains = gains_of(filling, progress)
    values = GridValues(model, table)
    try:
        value = values.value_at(model.start, model.start_point)
    except LookupError:
        told = "the first turn leads to points that have no value on the grid"
        raise SolveError(Status.UNSUPPORTED, told) from None
    at_start = anywhere = float("nan")
    if len(last_two) > 1:
        before = last_two[0][0]
        at_start = _changed(value, GridValues(model, before))
        anywhere = max(at_start, _difference(model, table, before))
    return Solved(
        model=model,
        status=Status.APPROXIMATE,
        value=value,
        error_bound=float("inf"),
        method=ON_GRID,
        seconds=sum(each.seconds for _, each in last_two),
        states_stored=len(table.points),
        states_reachable=len(table.points),
        layers=found.layers,
        cycles=found.cycles,
        gains=gains,
        evaluator=values,
        counting=found.counting,
        residual=max(found.change, found.differ),
        estimate=at_start,
        estimate_anywhere=anywhere,
    )


def _changed(value: Value, before: GridValues) -> float:
    """Return by how much a value of the start differs from that on another grid, NaN if unknown."""
    other = before.values_at(before.model.start, before.model.start_point)
    return float(np.abs(np.subtract(value, other)).max())


def _difference(model: Model, fine: GridTable, wide: GridTable) -> float:
    """Return the largest difference of two tables where both have a value."""
    one, other = GridPoints(model, fine.grid), GridPoints(model, wide.grid)
    index = other.indices(wide.points % other.count)
    same = wide.points // other.count * one.count
    for axis in one.axes:
        place = index[axis]
        if axis in wide.grid.kept:
            shown = wide.grid.kept[axis][place]
            place = np.searchsorted(fine.grid.kept[axis], shown)
        same = same + place * one.steps[axis]
    order = np.argsort(fine.points)
    found = np.minimum(np.searchsorted(fine.points[order], same), len(order) - 1)
    both = fine.points[order][found] == same
    gap = np.abs(fine.values[order][found[both]] - wide.values[both])
    return float(gap.max(initial=0.0))
