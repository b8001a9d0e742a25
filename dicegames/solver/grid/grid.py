"""Solving on a grid: values at the start of turns are kept at some points, and read in between.

Let an axis keep the values K. A turn that leads to a value f between two neighbours a < b in K is
worth what the straight line from the value at a to the value at b says at f; with several such axes
the same holds in each of them. Inside a turn that rises by several levels at once what is worth to
go on is interpolated, too (`levels_apart`). So the result is approximate, and says so; with all
values kept it is exact.

The points that can come up are found from the start. They are solved in *layers*: turns are counted
as long as rounds are; where they are not (any more), the sum of all that never falls says how far
the game is. What is left of cycles inside a layer is swept until it settles.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import cached_property
from itertools import pairwise

import numpy as np
from attrs import define, field, frozen

from dicegames.ground.limits import PROGRAM_BYTES
from dicegames.solver.grid.end_values import EndValues, completed, seats_of, told_of
from dicegames.solver.grid.kernels import GRID_LANES
from dicegames.solver.grid.machine import Machine, machine
from dicegames.solver.grid.points import GridPoints
from dicegames.solver.grid.turn_model import MergedTurn, plan
from dicegames.solver.kernels.workers import Workers
from dicegames.solver.model import Array, Grid, Model
from dicegames.solver.status import SolveError, Status

GRID_CHUNK = 1024
"""Points that are evaluated together."""
BYTES_PER_POINT = 6
"""What the numbers of points take, and whether they are met."""
BYTES_PER_ROW = 56
"""What a point that comes up takes while all are put in order."""
BYTES_OF_SOLVED = 24
"""What it takes while all are solved, but for its values."""


@frozen(eq=False)
class GridTable:
    """Values at the points that can come up.

    `points` (int64[rows], in the order in which they are solved) are the numbers of points, with
    s times the number of all points added for the stored node s; `values` (float64[rows, seats])
    are those of the player to move first, with the sign that all seats want much. `number` leads
    from points to rows, see `numbered`.
    """

    grid: Grid
    points: Array
    values: Array
    number: Array


@frozen(eq=False)
class GridLayer:
    """Rows that are solved together, and which of them are read by which."""

    rows: Array  # int64: consecutive
    reader: Array  # int32[pairs]: a row that needs the value ..
    read: Array  # int32[pairs]: .. of this one

    def readers(self, of: Array) -> Array:
        """Return the rows that read some of these: int64, sorted."""
        among = np.zeros(self.rows.size, np.bool_)
        among[of - self.rows[0]] = True
        return np.unique(self.reader[among[self.read - self.rows[0]]])

    @cached_property
    def around(self) -> Array:
        """The rows from which play can go round in the layer."""
        left, count = self.rows, -1
        while left.size != count:
            count, left = left.size, np.intersect1d(left, self.readers(left))
        return left


def levels_apart(turn: MergedTurn, grid: Grid, added: int) -> int:
    """Return how far the levels of a turn are apart that are evaluated while solving.

    The least rise at most, so that what a level reads is known, and no more than the step of the
    grid for `added`, the total that the turn adds to. Where what lasts forbids moves it is 1.
    """
    if added not in grid.kept or turn.guards:
        return 1
    step = int(np.diff(grid.kept[added]).max(initial=0)) // turn.model.axes[turn.inner].step
    rises = [rise for rise in turn.rises.values() if rise > 0]
    return max(1, min([*rises, step]))


def numbered(points: GridPoints, rows: Array, stored: int) -> Array:
    """Return the row of each point (int32, -1: it cannot come up), for so many stored nodes."""
    number = np.full(points.count * stored, -1, np.int32)
    number[rows] = np.arange(len(rows))
    return number


def table_bytes(points: int, rows: int, seats: int) -> int:
    """Return what a table takes while it is solved, in bytes: so many points, so many come up."""
    solved = BYTES_OF_SOLVED + np.dtype(np.float64).itemsize * seats
    return BYTES_PER_POINT * points + max(BYTES_PER_ROW, solved) * rows


@define(eq=False, slots=False)
class Filling:
    """The solving of a model on a grid."""

    model: Model
    grid: Grid
    workers: Workers
    points: GridPoints = field(init=False)
    turn: MergedTurn = field(init=False)
    ends: EndValues = field(init=False)
    seats: int = field(init=False)
    told: int = field(init=False)
    paid: int | None = field(init=False, default=None)  # how many of them are paid inside a turn
    falls: Array = field(init=False)  # bool: which of the sums do not only rise
    beyond: str = field(init=False, default="")  # what some end of a turn would lead beyond
    number: Array = field(init=False)
    rows: Array = field(init=False)  # int64: points with the number of their node, by row
    begins: list[int] = field(init=False, factory=list)  # first rows of layers; how many rows
    values: Array = field(init=False)
    machines: dict[tuple[int, int], Machine] = field(init=False, factory=dict)
    known: dict[int, GridLayer] = field(init=False, factory=dict)  # with cycles, by first row
    evaluate: Callable[[Array], Array] = field(init=False)  # `by_threads`, or what does as much

    def __attrs_post_init__(self) -> None:
        self.points = GridPoints(self.model, self.grid)
        self.turn = plan(self.model)
        self.seats = seats_of(self.model)
        self.told = told_of(self.model, self.grid)
        self.ends = EndValues(self.points, self.turn, self.told)
        self.falls = np.zeros(len(self.grid.sums), np.bool_)
        self.evaluate = self.by_threads

    @property
    def table(self) -> GridTable:
        """The values that have been found."""
        return GridTable(self.grid, self.rows, self.values, self.number)

    @property
    def largest(self) -> float:
        """The largest value, whatever its sign; NaN if one is unknown."""
        return float(np.maximum(self.values.max(), -self.values.min()))

    # ---- the points that can come up

    @cached_property
    def _levels(self) -> Array:
        """The levels at which turns may end: those of the tables, and beyond what leads to a point.

        A turn that is played out by itself goes further (`farthest`), and has to find values there.
        """
        inner, levels = self.turn.inner, np.arange(self.grid.levels)
        if inner < 0:
            return levels
        unit = self.model.axes[inner].step
        for kept in self.grid.kept.values():
            far = (kept[None, :] - kept[:, None]).ravel() // unit
            levels = np.union1d(levels, far[(far > 0) & (far < self.grid.farthest)])
        return levels

    @property
    def start(self) -> int:
        """The number of the point with which the game begins; it is always kept."""
        found = self.turn.stored.index(self.model.start) * self.points.count
        for axis in self.points.axes:
            shown = self.points.shown(axis, np.asarray(self.model.start_point[axis]))
            low, _ = self.points.place(axis, shown)
            found += int(self.points.steps[axis]) * int(low)
        return found

    def find(self, memory: float = np.inf) -> None:
        """Find them, and number them in the order in which they are solved.

        Once is enough. Raises SolveError where they take more than this memory, in bytes.
        """
        if self.begins:
            return
        met = self._met()
        rows = np.flatnonzero(met)
        del met
        self.demand_room(rows.size, memory)
        layer, order = self._layers(rows), self._alike(rows)
        layer = np.negative(layer[order])
        order = order[np.argsort(layer, kind="stable")]
        layer.sort()
        steps = np.flatnonzero(layer[1:] != layer[:-1]) + 1
        self.take_points(rows[order], [0, *steps.tolist(), rows.size])

    def demand_room(self, rows: int, memory: float) -> None:
        """Raise SolveError where so many points that come up take more than this memory."""
        places = self.points.count * len(self.turn.stored)
        needed = PROGRAM_BYTES + table_bytes(places, rows, self.seats)
        if needed > memory:
            told = f"the {rows:,} points that come up of a grid of {places:,} take about "
            told += f"{needed / 1e6:,.0f} MB, allowed are {memory / 1e6:,.0f} MB"
            raise SolveError(Status.TOO_MUCH_MEMORY, told)

    def take_points(self, rows: Array, begins: list[int]) -> None:
        """Take points in the order in which they are solved, and where layers begin among them."""
        self.rows, self.begins = rows, begins
        self.number = numbered(self.points, rows, len(self.turn.stored))
        self.values = np.zeros((rows.size, self.seats))

    def _met(self) -> Array:
        """Return which points come up: bool, by number of the point and its node."""
        met, found = np.zeros((2, self.points.count * len(self.turn.stored)), np.bool_)
        found[self.start] = True
        while (new := np.flatnonzero(found)).size:
            met[new], found[new] = True, False
            new = new[self._alike(new)]
            parts = np.array_split(new, -(-new.size // GRID_CHUNK))
            falls = self.workers.run_all([(self._reach, (part, found)) for part in parts])
            self.falls |= np.any(falls, axis=0)
            np.greater(found, met, out=found)
        return met

    def _alike(self, rows: Array) -> Array:
        """Return an order of points; those whose turns end in the same spots are side by side."""
        axis = self.ends.added
        if axis < 0:
            return np.argsort(rows)
        index = self.points.along(axis, rows)
        others = rows - index * self.points.steps[axis]
        return np.argsort(others * self.points.size(axis) + index)

    def _reach(self, part: Array, found: Array) -> Array:
        """Mark the points that turns lead to; return which sums fall."""
        points = part % self.points.count
        shown, index = self.points.columns(points), self.points.indices(points)
        falls = np.zeros(len(self.grid.sums), np.bool_)
        self.ends.demand_points(shown, np.arange(self.grid.levels))
        for way in self.ends.ways(shown, self._levels):
            self.beyond = self.beyond or way.beyond
            for i, group in enumerate(self.grid.sums):
                begun, then = (sum(at[axis] for axis in group) for at in (index, way.cell.low))
                then = way.spots.spread(np.where(way.holds, then, np.iinfo(np.int64).max))
                falls[i] |= bool((then < begun).any())
            for corner in way.corners():
                found[corner[way.holds]] = True
        return falls

    def _layers(self, rows: Array) -> Array:
        """Return the layer of each point; play never leads to a lower one."""
        layer, counted = np.zeros(rows.size, np.int64), np.zeros(rows.size, np.bool_)
        if self.grid.turns is not None:
            rounds, seats = self.grid.turns
            players, last = self.model.axes[seats].size, self.model.axes[rounds].size - 1
            layer = self.points.along(rounds, rows)
            counted = layer < last
            layer = layer * players + np.where(counted, self.points.along(seats, rows), 0)
        total = np.zeros_like(layer)
        for group, falls in zip(self.grid.sums, self.falls, strict=True):
            for axis in () if falls else group:
                total += self.points.along(axis, rows)
        return layer * (int(total.max()) + 1) + np.where(counted, 0, total)

    # ---- solving

    def each_layer(self, row: int = 0) -> Iterator[GridLayer]:
        """Yield the layers from a row on, the last of the game first."""
        for first, last in pairwise(begin for begin in self.begins if begin >= row):
            rows = np.arange(first, last)
            if self._acyclic(first):
                yield GridLayer(rows, rows[:0], rows[:0])
                continue
            if first not in self.known:
                self.known[first] = self._layer(rows)
            yield self.known[first]

    def _layer(self, rows: Array) -> GridLayer:
        """Find which rows of a layer are read by which."""
        parts = np.array_split(rows, -(-rows.size // GRID_CHUNK))
        pairs = np.concatenate(self.workers.run_all([(self._reads, (p, rows)) for p in parts]))
        return GridLayer(rows, *np.ascontiguousarray(pairs.T, np.int32))

    def _reads(self, part: Array, layer: Array) -> Array:
        """Return the rows of a layer that turns from some of them lead to: int64[pairs, 2]."""
        shown = self.points.columns(self.rows[part] % self.points.count)
        found = [np.zeros(0, np.int64)]
        for way in self.ends.ways(shown, np.arange(self.grid.levels)):
            for corner in way.corners():
                read = np.where(way.holds, self.number[np.where(way.holds, corner, 0)], -1)
                read = way.spots.spread(read - layer[0])
                level, lane = np.nonzero((read >= 0) & (read < layer.size))
                found.append(np.unique(lane * layer.size + read[level, lane]))
        lane, read = np.divmod(np.unique(np.concatenate(found)), layer.size)
        return np.column_stack([part[lane], layer[read]])

    def sweep(self, rows: Array) -> None:
        """Evaluate rows of a layer once."""
        for group in self.by_seat(rows):
            self.values[group] = self.evaluate(group)

    def by_threads(self, rows: Array) -> Array:
        """Return the values of rows, from those of the turns after: float64[rows, seats]."""
        parts = self.parts(rows, min(GRID_CHUNK, -(-rows.size // self.workers.threads)))
        found = self.workers.run_all([(self._evaluated, (rows[part],)) for part in parts])
        return self.together(parts, found)

    def parts(self, rows: Array, each: int) -> list[Array]:
        """Return the places of rows in parts of about so many, each of one stored node.

        Which turns are side by side does not depend on it: their last level settles together.
        """
        stored, each = self.rows[rows] // self.points.count, -(-each // GRID_LANES) * GRID_LANES
        runs = [np.flatnonzero(stored == node) for node in np.unique(stored)]
        return [run[at : at + each] for run in runs for at in range(0, run.size, each)]

    def together(self, parts: list[Array], found: list[Array]) -> Array:
        """Return what was found for parts as one array: float64[rows, seats]."""
        values = np.empty((sum(part.size for part in parts), self.seats))
        for part, own in zip(parts, found, strict=True):
            values[part] = own
        return values

    def by_seat(self, rows: Array) -> list[Array]:
        """Return the rows of a layer, those of the last seat first."""
        if self.grid.turns is None:
            return [rows]
        seat = self.points.along(self.grid.turns[1], self.rows[rows])
        return [rows[seat == s] for s in np.unique(seat)[::-1]]

    def _acyclic(self, row: int) -> bool:
        """Whether rounds are still counted, so that a turn leads on to another layer."""
        if self.grid.turns is None:
            return False
        rounds = self.grid.turns[0]
        return bool(self.points.along(rounds, self.rows[row]) < self.model.axes[rounds].size - 1)

    def _evaluated(self, rows: Array) -> Array:
        """Return the same for rows of one stored node, in one thread."""
        points = self.rows[rows]
        return self._turns(int(points[0] // self.points.count), points % self.points.count)

    def _turns(self, stored: int, points: Array) -> Array:
        """Return the values at points: float64[points, seats]."""
        units = -(-points.size // GRID_LANES)
        padded = np.append(points, np.repeat(points[-1:], units * GRID_LANES - points.size))
        shown = self.points.columns(padded)
        guards = self.ends.guards(shown, self.grid.levels)
        values = self.played(stored, shown, guards)
        return completed(values[: points.size], self.seats)

    def played(self, stored: int, shown: dict[int, Array], guards: Array) -> Array:
        """Return what turns are worth that begin at what the axes show: float64[lanes, told]."""
        ends = self.ends.values(shown, self.grid.levels, self.number, self.values)
        return self.evaluated(stored, ends, guards)

    def evaluated(self, stored: int, ends: Array, guards: Array) -> Array:
        """Return the same from the values of the ends: float64[lanes, seats that these tell]."""
        told = ends.shape[3]
        turns = self._machine(stored, told)
        apart = levels_apart(self.turn, self.grid, self.ends.added)
        values = turns.run(self.grid.levels, ends, guards, self.workers, apart=apart)[:, 0]
        return values.transpose(0, 2, 1).reshape(-1, told)

    def _machine(self, stored: int, told: int) -> Machine:
        """The turn that begins at a stored node, for so many components."""
        if (stored, told) not in self.machines:
            node = int(self.turn.node_of[self.turn.stored[stored]])
            rows = [(node, component) for component in range(told)]
            self.machines[stored, told] = machine(self.turn, told, rows, paid=self.paid)
        return self.machines[stored, told]
