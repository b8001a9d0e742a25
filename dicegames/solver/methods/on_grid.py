"""What lasts from turn to turn is kept at the points of a grid; turns are played out as a whole."""

from __future__ import annotations

from collections.abc import Iterable
from typing import ClassVar

import numpy as np
from attrs import evolve, frozen

from dicegames.solver.grid.end_values import EndValues, seats_of
from dicegames.solver.grid.grid import GridTable, levels_apart, numbered, table_bytes
from dicegames.solver.grid.kept import NOT_KEPT, GridKeeping
from dicegames.solver.grid.points import GridPoints
from dicegames.solver.grid.solve_on_grids import ON_GRID, solve_on_grids
from dicegames.solver.grid.turn_model import MergedTurn
from dicegames.solver.grid.values import GridValues
from dicegames.solver.methods.method import (
    OPERATION_SECONDS,
    Asked,
    Cost,
    Packed,
    ascending,
    demand_names,
    finite,
)
from dicegames.solver.model import Array, Grid, Model
from dicegames.solver.solved import Solved

SWEEPS_ON_GRID = 4
"""How often a point is evaluated, in the mean, where rounds are not counted any more."""


@frozen(eq=False)
class OnGrid:
    """Models of turns between which numbers last; on each of `grids`, the widest first."""

    form: ClassVar[str] = "grid"
    mark: ClassVar[str] = "points"
    values: ClassVar[type] = GridValues
    model: Model
    turn: MergedTurn
    grids: Iterable[Grid]
    why: str
    memory: float = np.inf  # bytes of the program
    patience: float = 0.0  # seconds in which the best answers must be found, or are not looked for
    keeping: GridKeeping = NOT_KEPT

    def cost(self, asked: Asked) -> Cost:
        """What solving on the widest grid will take; a finer one is taken if there is time."""
        model, turn, grid = self.model, self.turn, next(iter(self.grids))
        places = GridPoints(model, grid)
        points = places.count * len(turn.stored)
        apart = levels_apart(turn, grid, EndValues(places, turn, 1).added)
        work = points * (grid.levels // apart) * turn.inside.edges * model.seats * SWEEPS_ON_GRID
        return Cost(
            form=self.form,
            why=self.why,
            nodes=model.nodes,
            edges=model.edges,
            reduced_nodes=turn.inside.nodes,
            table_states=points,
            memory=table_bytes(points, points, seats_of(model)),
            seconds=work * OPERATION_SECONDS / asked.workers.threads,
        )

    def solve(self, asked: Asked) -> Solved:
        """Solve; SolveError where the model or a grid does not fit."""
        return solve_on_grids(
            self.model, self.grids, asked.workers,
            memory=self.memory, patience=self.patience, progress=asked.progress,
            keeping=self.keeping,
        )  # fmt: skip

    @classmethod
    def pack(cls, solved: Solved) -> dict[str, Array]:
        """Return the numbers of the points with their values."""
        values = solved.evaluator
        assert isinstance(values, GridValues)
        return {"points": values.table.points, "values": values.table.values}

    @classmethod
    def unpack(cls, bare: Solved, arrays: Packed, grid: Grid) -> Solved:
        """Return a solved model with its values; raises Unfit."""
        model = bare.model
        demand_names(arrays, "points", "values")
        points, places = arrays.take("points", "i", None), GridPoints(model, grid)
        stored = int(model.stored.sum())
        ascending(np.sort(points), places.count * stored)
        values = finite(arrays.take("values", "f", len(points), seats_of(model)))
        table = GridTable(grid, points, values, numbered(places, points, stored))
        return evolve(bare, method=ON_GRID, evaluator=GridValues(model, table))
