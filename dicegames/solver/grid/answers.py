"""What is told of a table on a grid: who could gain by departing alone, and that play ends.

Let V be the values of a table, and R(d) what the seat d from the one to move has if it alone
answers as well as it can, all others going on as V says. In a turn of the player to move R(0) is
the best of what follows; the moves that are best for V lead to all other R(d). What R is above V
at the start is what departing could gain: how far the table is from an equilibrium on the grid.
The chance to be still in a layer follows V as well, and is paid nothing.
"""

from __future__ import annotations

import numpy as np
from attrs import define

from dicegames.ground.arguments import OnProgress
from dicegames.solver.grid.end_values import EndValues
from dicegames.solver.grid.following import Following, Staying
from dicegames.solver.grid.grid import Filling
from dicegames.solver.grid.layers import solve
from dicegames.solver.model import Array
from dicegames.solver.status import SolveError, Status

NEARLY_AS_GOOD = 1e-6
"""How much less good a move may be that leads on, as a part of the largest value."""


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
        self.values = self.base.values.copy()

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
            staying.patience = NEARLY_AS_GOOD * max(1.0, float(np.abs(filling.values).max()))
            if staying.leave(left).size or not Confirming(*given, staying).holds(left):
                raise SolveError(Status.ENDLESS)


def gains_of(filling: Filling, progress: OnProgress | None = None) -> tuple[float, ...]:
    """Return what each seat could gain at the start, the one to move first; raises SolveError."""
    answering = Answering(filling.model, filling.grid, filling.workers, filling)
    solve(answering, progress)
    row = filling.number[filling.start]
    return tuple((answering.values[row] - filling.values[row]).tolist())
