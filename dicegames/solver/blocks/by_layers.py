"""Where values stand that are kept layer by layer: only those of points that can come up.

A *row* is the points that differ in one counter alone (the minor axis); of it are kept those from
the first that can come up to the last. The rows of a layer stand side by side, layer after layer,
in a *strip*; there is a strip for each inner point, all of one length. So the place of a value is

    table * size + inner point * strip + start of the row + index on the minor axis,

a sum of things that are known one by one, as in a full table, and a layer is one piece of each of
some strips. What is never reached takes up numbers, but no room: see `pieces`.
"""

from __future__ import annotations

from collections.abc import Iterator
from hashlib import sha256
from itertools import pairwise
from math import prod

import numpy as np
from attrs import field, frozen

from dicegames.solver.blocks.lookups import NOWHERE
from dicegames.solver.blocks.reads import Look, axis_looks
from dicegames.solver.graph.fold import GATE
from dicegames.solver.graph.layered import Layered
from dicegames.solver.graph.reach import Reach
from dicegames.solver.graph.turn import Assign, Turn, unfit
from dicegames.solver.kernels.flat import strides
from dicegames.solver.model import Array, Model, over, rows_begin

GRAIN = 1 << 13
"""Pieces of strips begin at multiples of so many values: 64 KiB, which all systems can map."""


@frozen(eq=False)
class Layer:
    """A layer of the outer points; layers are numbered in the order of solving."""

    number: int
    rows: Array = field(repr=False)  # int64: of the reach, in the order in which they stand
    begin: int  # its piece of a strip
    end: int
    inner: Array  # int64: the inner points at which it is evaluated, ascending
    entered: Array  # int64: those at which a turn may begin
    before: Array = field(repr=False)  # int64[rows + 1]: points that can come up before each row

    @property
    def points(self) -> int:
        """How many outer points can come up."""
        return int(self.before[-1])


@frozen(eq=False)
class LayerPlaces:
    """Where each value stands: all that reading asks for."""

    shape: tuple[int, ...]  # of all axes
    inner: tuple[int, ...]  # axes
    major: tuple[int, ...]  # axes of the rows
    minor: tuple[int, ...]  # axis of the points of a row, or none
    closure: Array  # uint64[rows, words]: points that can come up
    start: Array  # int64[rows]: where a row would begin at index 0, in a strip
    strip: int
    layers: tuple[Layer, ...]
    furthest: int  # how many layers back a read may lead

    @property
    def inner_step(self) -> int:
        """How far two inner points are apart."""
        return self.strip

    @property
    def size(self) -> int:
        """How far two tables are apart."""
        return self.strip * self.inner_points

    @property
    def inner_points(self) -> int:
        """How many inner points there are."""
        return prod(self.shape[axis] for axis in self.inner)

    @property
    def entries(self) -> int:
        """Values of a table that are kept."""
        return sum((layer.end - layer.begin) * layer.inner.size for layer in self.layers)

    @property
    def states(self) -> int:
        """States of a node that can come up."""
        return sum(layer.points * int(layer.entered.size) for layer in self.layers)

    def fingerprint(self) -> str:
        """A hash of all places."""
        digest = sha256(self.start.astype("<i8", copy=False).data)
        digest.update(self.closure.astype("<u8", copy=False).data)
        axes = (self.inner, self.major, self.minor)
        digest.update(f"{axes} {self.strip} {self.furthest}".encode())
        for layer in self.layers:
            inner = f"{layer.inner.tolist()} {layer.entered.tolist()}"
            digest.update(f"{layer.begin} {layer.end} {inner}".encode())
        return digest.hexdigest()

    def stand(self, positions: Array) -> Array:
        """Where the values of outer points (positions in a full table) stand in a strip, or -1."""
        rows, bits = (self._along(axes, positions) for axes in (self.major, self.minor))
        word = self.closure[rows, bits // 64] >> (bits % 64).astype(np.uint64)
        return np.where(word & np.uint64(1), self.start[rows] + bits, -1)

    def inner_of(self, positions: Array) -> Array:
        """The inner points of positions in a full table."""
        return self._along(self.inner, positions)

    def _along(self, axes: tuple[int, ...], positions: Array) -> Array:
        """Where positions in a full table lie on some of the axes, as one number."""
        point, flat = np.unravel_index(positions, self.shape), np.zeros(positions.size, np.int64)
        for axis in axes:
            flat = flat * self.shape[axis] + point[axis]
        return flat

    def layers_at(self, places: Array) -> Iterator[tuple[Layer, Array]]:
        """The layers in which places of a strip lie, each with the indices of its places."""
        begins = [layer.begin for layer in self.layers]
        numbers = np.searchsorted(begins, places, "right") - 1
        for number in np.unique(numbers[places >= 0]).tolist():
            yield self.layers[number], np.flatnonzero((numbers == number) & (places >= 0))

    def behind(self, layer: Layer) -> tuple[Layer, ...]:
        """The layers that a layer may read."""
        return self.layers[max(0, layer.number - self.furthest) : layer.number]

    # ---- how far moves go

    def parts(self, pairs: Assign) -> list[Assign]:
        """Assignments to the axes of the rows are one part."""
        major = tuple(pair for pair in pairs if pair[0] in self.major)
        return [(pair,) for pair in pairs if pair not in major] + ([major] if major else [])

    def looks(self, model: Model, part: Assign) -> list[Look]:
        """How far a part moves the place of a value."""
        axis, number = part[0]
        if axis in self.major:
            return [self._to_row(model, part)]  # made at once: few are as large as the tables
        if axis in self.inner:
            steps = strides([self.shape[a] for a in self.inner]) * self.strip
            return axis_looks(model, axis, number, int(steps[self.inner.index(axis)]))
        return axis_looks(model, axis, number, 0 if axis == GATE else 1)

    def _to_row(self, model: Model, part: Assign) -> Look:
        """How far it is from row to row."""
        lookups = {axis: model.lookups[number] for axis, number in part}
        axes = sorted({*self.major}.union(*(lookup.axes for lookup in lookups.values())))
        sizes = [self.shape[a] for a in axes]
        own, to = np.zeros(sizes, np.int64), np.zeros(sizes, np.int64)
        fits = np.ones(sizes, np.bool_)
        steps = strides([self.shape[a] for a in self.major])
        for axis, step in zip(self.major, steps.tolist(), strict=True):
            here = np.arange(self.shape[axis])
            index = here.reshape([-1 if a == axis else 1 for a in axes])
            own += index * step
            if axis in lookups:
                lookup = lookups[axis]
                index = over(axes, lookup.axes, lookup.values.astype(np.int64))
                fits &= index >= 0
            to += index * step
        begins = self.start[np.where(fits, to, 0)]
        fits &= (begins != NOWHERE) & (self.start[own] != NOWHERE)
        moved = np.where(fits, begins - self.start[own], NOWHERE)
        return tuple(axes), lambda: moved


@frozen(eq=False)
class ByLayers(LayerPlaces):
    """The places of all layers, and what they come from: all that solving asks for."""

    reach: Reach

    def points_of(self, layer: Layer, first: int, last: int) -> tuple[Array, Array]:
        """The outer points first..last of a layer: positions in a full table, places in a strip."""
        low = int(np.searchsorted(layer.before, first, side="right")) - 1
        rows = layer.rows[low : int(np.searchsorted(layer.before, last))]
        passed, end = int(layer.before[low]), int(layer.before[low + rows.size])
        position, place = np.empty((2, end - passed), np.int64)
        at = 0
        for which, bits, own in self.reach.points(rows):
            position[at : at + bits.size] = own
            place[at : at + bits.size] = self.start[rows[which]] + bits
            at += bits.size
        asked = slice(first - passed, last - passed)
        return position[asked], place[asked]


def find_places(
    model: Model, turn: Turn, reach: Reach, layered: Layered, rank: Array | None
) -> ByLayers:
    """Lay out the rows, those of a layer sorted by `rank`."""
    if reach.minor_layer.any():
        raise unfit("layers are told by the largest counter, so that they are no rows of points")
    rows = np.flatnonzero(reach.closure.any(axis=1))
    keys = [-reach.layer[rows]] if rank is None else [rank[rows], -reach.layer[rows]]
    rows = rows[np.lexsort(keys)]
    first, width, points = _spans(reach, rows)
    borders = np.flatnonzero(np.diff(reach.layer[rows])) + 1
    start = np.full(reach.layer.size, NOWHERE, np.int64)
    layers, at = list[Layer](), 0
    for number, (low, high) in enumerate(pairwise([0, *borders.tolist(), rows.size])):
        ends = at + np.cumsum(width[low:high])
        start[rows[low:high]] = ends - width[low:high] - first[low:high]
        place = len(layered.layers) - 1 - number
        inner, entered = map(np.flatnonzero, (layered.closure[place], layered.entered[place]))
        before = rows_begin(points[low:high])
        layers.append(Layer(number, rows[low:high], at, int(ends[-1]), inner, entered, before))
        at = -(-int(ends[-1]) // GRAIN) * GRAIN
    return ByLayers(
        model.shape, turn.inner, reach.major, reach.minor, reach.closure, start, at,
        tuple(layers), layered.furthest, reach,
    )  # fmt: skip


def _spans(reach: Reach, rows: Array) -> tuple[Array, Array, Array]:
    """The first point of each row, how many it spans, and how many of them can come up."""
    words = reach.closure[rows]
    count = np.bitwise_count(words)
    points = count.sum(axis=1, dtype=np.int64)
    first, last = (np.zeros(rows.size, np.int64) for _ in range(2))
    for k in range(words.shape[1]):
        word, some = words[:, k], count[:, k] > 0
        for shift in (1, 2, 4, 8, 16, 32):
            word |= word >> np.uint64(shift)  # all bits below the highest
        last = np.where(some, np.int64(64 * k) + np.bitwise_count(word), last)
    words = reach.closure[rows]
    for k in range(words.shape[1] - 1, -1, -1):
        word, some = words[:, k], count[:, k] > 0
        below = ~word & (word - np.uint64(1))  # the bits below the lowest
        first = np.where(some, np.int64(64 * k) + np.bitwise_count(below), first)
    return first, last - first, points
