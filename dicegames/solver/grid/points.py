"""The points of a grid: which values are kept of an axis, and where all others lie between them."""

from __future__ import annotations

import numpy as np
from attrs import define, field, frozen

from dicegames.solver.grid.turn_model import inner_axis
from dicegames.solver.kernels.flat import strides
from dicegames.solver.model import Array, Columns, Formula, Grid, Model, Shared


@frozen(eq=False)
class GridCell:
    """Points between which values of all axes lie: the lowest corner, and the way to the others."""

    base: Array  # int64: number of the point at the lowest corner
    low: dict[int, Array]  # axis -> index at the lowest corner
    delta: list[Array]  # for each axis between two values: from the corner to the upper one
    share: list[Array]  # how near that is


@define(eq=False)
class GridPoints:
    """The points of a grid as numbers, and the way from values that axes show to them."""

    model: Model
    grid: Grid
    axes: tuple[int, ...] = field(init=False)  # all but the one inside a turn
    sizes: tuple[int, ...] = field(init=False)
    steps: Array = field(init=False)  # int64, by axis of the model
    low: dict[int, Array] = field(init=False)  # thinned axis -> kept index below, by index
    share: dict[int, Array] = field(init=False)  # how near the one above is

    def __attrs_post_init__(self) -> None:
        model, kept = self.model, self.grid.kept
        inner = inner_axis(model)
        self.axes = tuple(a for a in range(len(model.axes)) if a != inner)
        self.sizes = tuple(len(kept[a]) if a in kept else model.axes[a].size for a in self.axes)
        self.steps = np.zeros(len(model.axes), np.int64)
        self.steps[list(self.axes)] = strides(self.sizes)
        self.low, self.share = {}, {}
        for axis, values in kept.items():
            index = (values - model.axes[axis].offset) // model.axes[axis].step
            every = np.arange(int(index[-1]) + 1)
            low = np.searchsorted(index, every, side="right") - 1
            above = np.minimum(low + 1, len(index) - 1)
            self.low[axis] = low
            self.share[axis] = (every - index[low]) / np.maximum(index[above] - index[low], 1)

    @property
    def count(self) -> int:
        """How many points there are."""
        return int(np.prod(self.sizes, dtype=np.int64))

    def size(self, axis: int) -> int:
        """How many indices an axis has on the grid."""
        return self.sizes[self.axes.index(axis)]

    def along(self, axis: int, points: Array) -> Array:
        """Return the indices of points on an axis; on a thinned one those of the kept values."""
        return points // self.steps[axis] % self.size(axis)

    def indices(self, points: Array) -> dict[int, Array]:
        """Return the same by axis."""
        return {axis: self.along(axis, points) for axis in self.axes}

    def columns(self, points: Array) -> dict[int, Array]:
        """Return what the axes show at points; axes that are no counters show their index."""
        shown = {}
        for axis, index in self.indices(points).items():
            if axis in self.grid.kept:
                shown[axis] = self.grid.kept[axis][index]
            else:
                shown[axis] = self.shown(axis, index)
        return shown

    def shown(self, axis: int, index: Array) -> Array:
        """Return what an axis shows for indices of the model."""
        if self.model.axes[axis].kind != "counter":
            return index
        return self.model.axes[axis].offset + self.model.axes[axis].step * index

    def index(self, axis: int, shown: Array) -> Array:
        """Return the index in the model of what an axis shows."""
        if self.model.axes[axis].kind != "counter":
            return np.asarray(shown, np.int64)
        return np.asarray(shown - self.model.axes[axis].offset) // self.model.axes[axis].step

    def place(self, axis: int, shown: Array) -> tuple[Array, Array | None]:
        """Return the index below on the grid, and how near the next one is (None: on the grid).

        What lies before the first value of what has no limit has a negative index. Nothing that
        can come up lies before or past the ends of what has one, see `demand_points`.
        """
        index = self.index(axis, shown)
        if axis not in self.low:
            return index, None
        place = np.clip(index, 0, len(self.low[axis]) - 1)
        low, share = self.low[axis][place], self.share[axis][place]
        if self.model.axes[axis].unbounded:
            low = np.minimum(low, index)
        return low, share if share.any() else None

    def cell(self, shown: Columns) -> GridCell:
        """Return where what all axes show lies, in arrays that broadcast; see `place`."""
        base, lowest, delta, share = np.zeros((1, 1), np.int64), {}, [], []
        for axis in self.axes:
            low, near = self.place(axis, np.atleast_2d(shown[axis]))
            base = base + low * self.steps[axis]
            lowest[axis] = low
            if near is not None:
                delta.append(np.where(near > 0, self.steps[axis], 0))
                share.append(near)
        return GridCell(base, lowest, delta, share)

    def is_past(self, axis: int, shown: Array) -> Array:
        """Return where what an axis shows lies past the last value that is kept of it."""
        return np.atleast_2d(self.index(axis, shown)) >= len(self.low[axis])

    def after(self, axis: int, number: int, columns: Columns, shared: Shared) -> Array:
        """Return what an axis shows after a lookup has given its new value."""
        lookup = self.model.lookups[number]
        if isinstance(lookup, Formula):
            return np.asarray(lookup.compute(columns, shared))
        return self.shown(axis, entries(self, number, columns))


def entries(points: GridPoints, number: int, columns: Columns) -> Array:
    """Return the entries of a table at what the axes show."""
    lookup = points.model.lookups[number]
    if not lookup.axes:
        return np.asarray(lookup.values)
    return np.asarray(lookup.values[tuple(points.index(a, columns[a]) for a in lookup.axes)])
