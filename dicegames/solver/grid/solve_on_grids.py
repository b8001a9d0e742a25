"""Solving on grids of smaller and smaller steps: the result, and what the last step changed.

Then who could gain by departing alone, and that play ends. Let V be the values of a table, and R(d)
what the seat d from the one to move has if it alone answers as well as it can, all others going on
as V says. In a turn of the player to move R(0) is the best of what follows; the moves that are best
for V lead to all other R(d). What R is above V at the start is what departing could gain: how far
the table is from an equilibrium on the grid. The chance to be still in a layer follows V as well,
and is paid nothing.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from time import perf_counter

import numpy as np
from attrs import define

from dicegames.ground.arguments import OnProgress
from dicegames.solver.grid import layers
from dicegames.solver.grid.end_values import EndValues
from dicegames.solver.grid.grid import Filling, GridTable
from dicegames.solver.grid.kept import NOT_KEPT, GridKeeping, KeptGrid, LayersSolved
from dicegames.solver.grid.layers import Following, Staying, solve
from dicegames.solver.grid.points import GridPoints
from dicegames.solver.grid.values import GridValues
from dicegames.solver.kernels.workers import Workers
from dicegames.solver.model import Array, Grid, Model
from dicegames.solver.solved import Solved, Value
from dicegames.solver.status import SolveError, Status
from dicegames.solver.validation import validate

ON_GRID = "turn by turn, on a grid"
ANSWERING = 2.0
"""How much longer than solving it takes to look for the best answers, at most."""
NEARLY_AS_GOOD = 1e-6
"""How much less good a move may be that leads on, as a part of the largest value."""


def solve_on_grids(
    model: Model,
    grids: Iterable[Grid],
    workers: Workers,
    *,
    memory: float = np.inf,
    patience: float = 0.0,
    progress: OnProgress | None = None,
    keeping: GridKeeping = NOT_KEPT,
) -> Solved:
    """Solve on each grid, the widest first; return the solution on the last one.

    All grids of a sequence must fit this memory, in bytes, before one is solved; what is no
    sequence may look at the clock and stop. The estimates of the solution are the difference
    to the grid before, which is part of the last: at the start, and the largest at any point that
    both have; nothing is proven by them. What players could gain by departing alone is looked for
    if that should be done within `patience` seconds from the beginning. What is done is
    kept where `keeping` says. Raises SolveError.
    """
    validate(model)
    began = perf_counter()
    kept, gains = None, tuple[float, ...]()
    last_two: list[tuple[GridTable, LayersSolved]] = []
    for kept in _kept(model, grids, workers, memory, keeping):
        last_two = [*last_two[-1:], layers.table(kept, progress)]
    if kept is None:
        raise SolveError(Status.TOO_LONG)
    table, found = last_two[-1]
    demand_an_end(kept.filling)
    if perf_counter() - began + ANSWERING * found.seconds < patience:
        gains = gains_of(kept.filling, progress)
    values = GridValues(model, table)
    try:
        value = values.value_at(model.start, model.start_point)
    except LookupError:
        told = "the first turn leads to points that have no value on the grid"
        raise SolveError(Status.UNSUPPORTED, told) from None
    at_start = anywhere = float("nan")
    if len(last_two) > 1:
        at_start, anywhere = _changed(model, value, table, last_two[0][0])
    solved = Solved(
        model=model,
        status=Status.APPROXIMATE,
        value=value,
        error_bound=float("inf"),
        method=ON_GRID,
        seconds=perf_counter() - began,
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
    keeping.note(solved, kept.number)
    return solved


def _kept(
    model: Model, grids: Iterable[Grid], workers: Workers, memory: float, keeping: GridKeeping
) -> Iterator[KeptGrid]:
    """Yield what solves on each grid, its points found; on a sequence all are found before."""
    each: Iterable[KeptGrid] = (
        KeptGrid(Filling(model, grid, workers), keeping.shelf, number, keeping.crew)
        for number, grid in enumerate(grids)
    )
    if isinstance(grids, Sequence):
        each = [*each]
        for kept in reversed(each):
            kept.find(memory)
    for kept in each:
        kept.find(memory)
        yield kept


def _changed(model: Model, value: Value, fine: GridTable, wide: GridTable) -> tuple[float, float]:
    """Return by how much a value of the start, and any, differs from that on a wider grid.

    NaN if it is unknown.
    """
    before = GridValues(model, wide).values_at(model.start, model.start_point)
    at_start = float(np.abs(np.subtract(value, before)).max())
    return at_start, max(at_start, _difference(model, fine, wide))


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
    found = fine.number[same]
    gap = np.abs(fine.values[found[found >= 0]] - wide.values[found >= 0])
    return float(gap.max(initial=0.0))


# ---- who could gain by departing alone, and whether play ends


@define(eq=False, slots=False)
class Answering(Following):
    """The solving for the best answers to a table."""

    def __attrs_post_init__(self) -> None:
        super().__attrs_post_init__()
        self.ends = EndValues(self.points, self.turn, self.seats)
        self.values = self.base.values.copy()

    def played(self, stored: int, shown: dict[int, Array], guards: Array) -> Array:
        """Return what turns are worth to whoever departs: float64[lanes, seats]."""
        answers = self.ends.values(shown, self.grid.levels, self.number, self.values)
        best = self.evaluated(stored, np.ascontiguousarray(answers[:, :, :, :1]), guards)
        followed = self.followed(shown, answers[:, :, :, 1:])
        return np.hstack([best, self.evaluated(stored, followed, guards)[:, 1:]])


@define(eq=False, slots=False)
class Confirming(Following):
    """What moves that lead on bring to all seats, where who chooses has nearly as much."""

    staying: Staying

    def __attrs_post_init__(self) -> None:
        super().__attrs_post_init__()
        self.told = self.seats
        self.ends = EndValues(self.points, self.turn, self.seats)
        self.values = np.empty_like(self.base.values)  # of rows that are swept

    @property
    def judged(self) -> Array:
        """As in `Staying`."""
        return self.staying.judged

    def played(self, stored: int, shown: dict[int, Array], guards: Array) -> Array:
        """Return what turns are worth to the seats: float64[lanes, seats]."""
        values = self.ends.values(shown, self.grid.levels, self.number, self.base.values)
        return self.evaluated(stored, self.followed(shown, values[:, :, :, 1:]), guards)

    def holds(self, rows: Array) -> bool:
        """Whether rows are worth the same to all seats if play leads on."""
        self.sweep(rows)
        off = np.abs(self.values[rows] - self.base.values[rows]).max(initial=0.0)
        return bool(off <= 2 * self.staying.patience)


def demand_an_end(filling: Filling) -> None:
    """Raise SolveError where best play goes round for ever.

    Sweeps lead to values there as well, but they are nobody's: with payments still to come that all
    would rather not make, they stay where they began. Who has as good as won may wait for ever,
    too, as that is no worse: then play that ends has to be worth as much, nearly, to everybody.
    """
    given = (filling.model, filling.grid, filling.workers, filling)
    staying = Staying(*given)
    for layer in filling.each_layer():
        staying.patience = 0.0
        left = staying.leave(layer.around)
        if left.size:
            staying.patience = NEARLY_AS_GOOD * max(1.0, filling.largest)
            if staying.leave(left).size or not Confirming(*given, staying).holds(left):
                raise SolveError(Status.ENDLESS)


def gains_of(filling: Filling, progress: OnProgress | None = None) -> tuple[float, ...]:
    """Return what each seat could gain at the start, the one to move first; raises SolveError."""
    answering = Answering(filling.model, filling.grid, filling.workers, filling)
    solve(KeptGrid(answering), progress)
    row = filling.number[filling.start]
    return tuple((answering.values[row] - filling.values[row]).tolist())
