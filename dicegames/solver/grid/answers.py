"""What each player could gain on a grid by departing alone from the play that was found.

Let V be the values of a table, and R(d) what the seat d from the one to move has if it alone
answers as well as it can, all others going on as V says. In a turn of the player to move R(0) is
the best of what follows; the moves that are best for V lead to all other R(d). What R is above V
at the start is what departing could gain: how far the table is from an equilibrium on the grid.
"""

from __future__ import annotations

import numpy as np
from attrs import define, field

from dicegames.ground.arguments import OnProgress
from dicegames.solver.grid.ends import EndValues
from dicegames.solver.grid.grid import Filling
from dicegames.solver.model import Array


@define(eq=False, slots=False)
class Answering(Filling):
    """The solving for the best answers to a table, on the same points and in the same layers."""

    base: Filling
    own: EndValues = field(init=False)

    def __attrs_post_init__(self) -> None:
        super().__attrs_post_init__()
        self.told = self.seats
        self.own = EndValues(self.points, self.turn, 1)
        self.ends = EndValues(self.points, self.turn, self.seats)
        self.rows, self.layer, self.number = self.base.rows, self.base.layer, self.base.number
        self.values = self.base.values.copy()

    def played(self, stored: int, shown: dict[int, Array], guards: Array) -> Array:
        """Return what turns are worth to whoever departs: float64[lanes, seats]."""
        levels = self.grid.levels
        answers = self.ends.values(shown, levels, self.number, self.values)
        followed = self.own.values(shown, levels, self.number, self.base.values)
        followed = np.concatenate([followed, answers[:, :, :, 1:]], axis=3)
        best = self.evaluated(stored, np.ascontiguousarray(answers[:, :, :, :1]), guards)
        return np.hstack([best, self.evaluated(stored, followed, guards)[:, 1:]])


def gains_of(filling: Filling, progress: OnProgress | None = None) -> tuple[float, ...]:
    """Return what each seat could gain at the start, the one to move first; raises SolveError."""
    answering = Answering(filling.model, filling.grid, filling.workers, filling)
    answering.solve(progress)
    row = filling.number[filling.start]
    return tuple((answering.values[row] - filling.values[row]).tolist())
