"""Values at all points from a table on a grid: the turn is played out at the true point.

Where a turn leads to, the table is read between its points, in all axes together. So a turn is
exact, and what the grid costs comes from later turns alone.
"""

from __future__ import annotations

from functools import cached_property, lru_cache
from itertools import product

import numpy as np
from attrs import define, field, frozen

from dicegames.solver.explicit.subgame import Point
from dicegames.solver.grid.end_values import EndValues, completed, seats_of, told_of
from dicegames.solver.grid.grid import GridTable
from dicegames.solver.grid.kernels import GRID_LANES
from dicegames.solver.grid.machine import Machine, machine
from dicegames.solver.grid.points import GridPoints
from dicegames.solver.grid.turn_model import MergedTurn, plan
from dicegames.solver.model import END, Array, Model
from dicegames.solver.solved import Value

REMEMBERED = 16
"""Turns whose values are kept."""


@frozen(eq=False)
class _PlayedOut:
    """The values of one turn."""

    nodes: Array  # float64[levels, nodes of the inside, seats]
    ends: Array  # float64[ends, levels, seats]


@define(eq=False, slots=False)
class GridValues:
    """Values of the model at all points, for `Solved`."""

    model: Model
    table: GridTable
    turn: MergedTurn = field(init=False)
    points: GridPoints = field(init=False)
    ends: EndValues = field(init=False)
    seats: int = field(init=False)  # how many numbers a value has
    levels: int = field(init=False)  # how far the counter goes inside a turn

    def __attrs_post_init__(self) -> None:
        self.turn, self.points = plan(self.model), GridPoints(self.model, self.table.grid)
        self.ends = EndValues(self.points, self.turn, told_of(self.model, self.table.grid))
        self.seats, self.levels = seats_of(self.model), self.table.grid.farthest

    def value_at(self, node: int, point: Point) -> Value:
        """Value of a state; LookupError where it is not known."""
        return _told(self.values_at(node, point))

    def values_at(self, node: int, point: Point) -> Array:
        """Return the values of a state by seat: float64[seats], NaN where they are not known."""
        if self.model.kind[node] == END:
            return np.zeros(self.seats)
        level = 0 if self.turn.inner < 0 else min(point[self.turn.inner], self.levels - 1)
        outer = tuple(0 if a == self.turn.inner else index for a, index in enumerate(point))
        values = self._turn_at(outer)
        if node in self.turn.ends:
            return self.model.sense * values.ends[self.turn.ends.index(node), level]
        merged = int(self.turn.node_of[node])
        if merged < 0:
            raise LookupError("play cannot reach this position")
        return self.model.sense * values.nodes[level, merged]

    def value_between(self, node: int, point: Point) -> Value:
        """Value of a state with which a turn begins as the turn before reads it, from the table."""
        if node not in self.turn.stored:
            return self.value_at(node, point)
        shown = {a: self.points.shown(a, np.asarray([[point[a]]])) for a in self.points.axes}
        stored = self.turn.stored.index(node)
        found = self.ends.between(stored, shown, self.table.number, self.table.values)
        return _told(self.model.sense * completed(found, self.seats)[0])

    @cached_property
    def machine(self) -> Machine:
        """The turn with the values of every node."""
        told = range(self.ends.told)
        return machine(self.turn, len(told), product(self.turn.nodes.tolist(), told))

    @cached_property
    def _turn_at(self):  # type: ignore[no-untyped-def]
        return lru_cache(REMEMBERED)(self._play_out)

    def _play_out(self, outer: Point) -> _PlayedOut:
        """Evaluate the turn at a point."""
        shown = {
            axis: np.full(GRID_LANES, self.points.shown(axis, np.asarray(outer[axis])))
            for axis in self.points.axes
        }
        levels, told = self.levels, self.ends.told
        ends = self.ends.values(shown, levels, self.table.number, self.table.values)
        guards = self.ends.guards(shown, levels)
        found = self.machine.run(levels, ends, guards, every=True, lanes=1)
        nodes = np.full((levels, self.turn.inside.nodes, told), np.nan)
        nodes[:, self.turn.nodes] = found.reshape(levels, -1, told)
        return _PlayedOut(completed(nodes, self.seats), completed(ends[0, ..., 0], self.seats))


def _told(found: Array) -> Value:
    """Return a value from numbers by seat; LookupError where they are not known."""
    if not np.isfinite(found).all():
        raise LookupError("play cannot reach this position")
    return float(found[0]) if found.size == 1 else tuple(found.tolist())
