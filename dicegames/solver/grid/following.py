"""What is evaluated beside the values of a table: play follows these, something else is counted."""

from __future__ import annotations

import numpy as np
from attrs import define, field

from dicegames.solver.grid.end_values import EndValues
from dicegames.solver.grid.grid import Filling
from dicegames.solver.model import Array

SURE = 1e-9
"""What chance to leave its layer counts as none."""


@define(eq=False, slots=False)
class Following(Filling):
    """What is evaluated beside the values of a table, on the same points and in the same layers."""

    base: Filling
    own: EndValues = field(init=False)  # what the player to move chooses by

    def __attrs_post_init__(self) -> None:
        super().__attrs_post_init__()
        self.own = EndValues(self.points, self.turn, 1)
        self.rows, self.begins, self.number = self.base.rows, self.base.begins, self.base.number
        self.known = self.base.known

    @property
    def judged(self) -> Array:
        """What moves are chosen by: float64[rows, seats]."""
        return self.base.values

    def followed(self, shown: dict[int, Array], others: Array) -> Array:
        """Return the ends of turns: what is chosen by, then what others have that follow."""
        chosen = self.own.values(shown, self.grid.levels, self.number, self.judged)
        return np.concatenate([chosen, others], axis=3)


@define(eq=False, slots=False)
class Staying(Following):
    """The chance that best play has not left its layer after some turns; see `demand_an_end`."""

    patience: float = field(init=False, default=0.0)  # how much less a move may bring that leads on

    def __attrs_post_init__(self) -> None:
        super().__attrs_post_init__()
        self.seats = self.paid = 1
        self.ends = EndValues(self.points, self.turn, 1)
        self.ends.sense = 0.0  # it is paid nothing
        self.values = np.zeros((len(self.rows), 1))

    @property
    def judged(self) -> Array:
        """The values; of moves that are nearly as good those that lead on."""
        if not self.patience:
            return self.base.values
        return self.base.values - self.patience * self.values

    def played(self, stored: int, shown: dict[int, Array], guards: Array) -> Array:
        """Return the chance to be still in the layer after a turn: float64[lanes, 1]."""
        staying = self.ends.values(shown, self.grid.levels, self.number, self.values)
        return self.evaluated(stored, self.followed(shown, staying), guards)[:, 1:]

    def leave(self, left: Array) -> Array:
        """Return those rows of a layer that best play never leaves."""
        self.values[left] = 1.0
        while left.size:
            before = left.size
            self.sweep(left)
            left = left[self.values[left, 0] > 1.0 - SURE]
            if left.size == before:
                break
        return left
