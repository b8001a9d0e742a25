"""The ends of turns at many points: what is paid there, and where the next turn begins."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from attrs import define, evolve, field, frozen

from dicegames.solver.grid.kernels import GRID_LANES, between, copy_read
from dicegames.solver.grid.points import GridCell, GridPoints, entries
from dicegames.solver.grid.turn_model import MergedTurn, resets
from dicegames.solver.model import END, Array, Columns, Formula, Grid, Model, Shared
from dicegames.solver.status import SolveError, Status

NO_CELL = GridCell(np.full((1, 1), -1), {}, [], [])
"""In place of the points to which an end leads where play is over."""
UNREAD = -1
"""In place of an axis: an end does not read the counter inside the turn."""


@frozen(eq=False)
class Spots:
    """Where an end of turns is evaluated, over [rows, columns], and which spots turns end in.

    What does not depend on the level is evaluated once for each lane. Where only the sum counts of
    a total and what the turn adds to it, all turns that lead to a sum end in the same spot.
    """

    columns: Columns
    shape: tuple[int, int]
    used: Array  # bool, broadcasts: where a turn ends
    read: Array  # int64[levels or 1, lanes]: the spot of a turn, counted row by row
    shared: Shared = field(factory=dict)

    def spread(self, values: Array) -> Array:
        """Return values for the turns instead of the spots: [levels or 1, lanes]."""
        found: Array = np.broadcast_to(values, self.shape).ravel()[self.read]
        return found


@frozen(eq=False)
class Next:
    """Where a way out of a turn leads, at each spot: the lowest corner and the way up."""

    spots: Spots
    holds: Array  # bool[rows, columns]: where it is taken, to values that have a place
    beyond: str  # the axis that it would lead beyond somewhere, "" for none
    stored: int  # which of the stored nodes
    rotate: int
    cell: GridCell  # the points there, of this node

    def corners(self) -> Iterator[Array]:
        """Yield the points between which the turns end, also where it does not hold."""
        corners = [self.cell.base]
        for delta in self.cell.delta:
            corners += [corner + delta for corner in corners]
        return (np.broadcast_to(corner, self.holds.shape) for corner in corners)


@frozen(eq=False)
class Way:
    """A way out of a turn, for the lanes that take it."""

    lanes: Array  # int64[taken]: their numbers
    gains: Array  # float64[taken, seats]: what is paid there, to the player to move first
    shown: dict[int, Array] | None  # by axis, what it shows after it: [taken]; None: play is over
    rotate: int


@define(eq=False)
class EndValues:
    """Evaluates the ends of a turn; points are given by what their axes show."""

    points: GridPoints
    turn: MergedTurn
    told: int  # of how many seats the values are told; see `completed`
    sense: float = field(init=False)
    _paid: Array = field(init=False)  # int32[E, seats]: rewards
    _added: tuple[int | None, ...] = field(init=False)  # by end, see `_added_to`

    def __attrs_post_init__(self) -> None:
        self._paid = self.turn.model.rewards_by_seat
        self.sense = self.turn.model.sense
        for effect in self.turn.model.effects:
            if not resets(self.turn.model, effect) and effect.assign:
                inside = [axis for axis, _ in effect.assign] == [self.turn.inner]
                if not inside:
                    told = "the counter of the turn does not begin at its first value"
                    raise SolveError(Status.UNSUPPORTED, told)
        self._added = tuple(map(self._added_to, self.turn.ends))

    @property
    def added(self) -> int:
        """An axis of which only the sum with the counter of the turn is read; UNREAD if none."""
        return max((axis for axis in self._added if axis is not None), default=UNREAD)

    def _added_to(self, node: int) -> int | None:
        """Return the axis of which an end reads only the sum with the counter inside the turn.

        UNREAD if it does not read that counter, None if it reads it in another way.
        """
        model, inner, edges = self.turn.model, self.turn.inner, self._edges(node)
        changes = [dict(model.effects[model.effect[edge]].assign) for edge in edges]
        read = {k for edge in edges for k in model.guards[model.guard[edge]]}
        read |= {k for n in self._paid[edges].flat for k in model.rewards[n].lookups}
        read |= {k for change in changes for axis, k in change.items() if axis != inner}
        lookups = [model.lookups[k] for k in read]
        if not any(inner in lookup.axes for lookup in lookups):
            return UNREAD
        for axis in self.points.axes:
            new = all(
                axis in change or model.kind[model.target[edge]] == END
                for edge, change in zip(edges, changes, strict=True)
            )
            pair = {axis, inner}
            if new and all(
                pair.isdisjoint(lookup.axes)
                or (isinstance(lookup, Formula) and pair in lookup.sums)
                for lookup in lookups
            ):
                return axis
        return None

    def columns(self, shown: dict[int, Array], levels: Array) -> dict[int, Array]:
        """Return what all axes show, over [levels, lanes]."""
        found = {axis: np.asarray(values)[None, :] for axis, values in shown.items()}
        if self.turn.inner >= 0:
            found[self.turn.inner] = self.points.shown(self.turn.inner, levels)[:, None]
        return found

    def guards(self, shown: dict[int, Array], levels: int) -> Array:
        """Return where guards inside a turn fail, 1 there, else 0: as `Machine.run` takes it."""
        columns, shared = self.columns(shown, np.arange(levels)), Shared()
        lanes = len(next(iter(shown.values())))
        failed = np.zeros((len(self.turn.guards), levels, lanes // GRID_LANES, GRID_LANES))
        for row, guard in enumerate(self.turn.guards):
            fails = np.broadcast_to(~self._holds(guard, columns, shared), (levels, lanes))
            failed[row] = fails.reshape(failed.shape[1:])
        return np.ascontiguousarray(np.moveaxis(failed, 2, 0))

    def values(self, shown: dict[int, Array], levels: int, number: Array, values: Array) -> Array:
        """Return the values of all ends: float64[vectors, ends, levels, seats, lanes of a vector].

        They are NaN where they are not known. What would lead to values without a place is as good
        as can be: whoever can come to it does, and has no finite value.
        """
        found = self._unknown(shown, levels, self.told)
        for end, spots in self._spots(shown, np.arange(levels)):
            worth = np.full((*spots.shape, self.told), np.nan)
            for edge, holds in self._taken(end, spots):
                rewards = self._rewards(self._gains(edge), spots.columns, spots.shared)
                way = self._next(edge, holds, spots)
                if way is None:
                    _write(worth, holds, rewards, number, values)
                    continue
                _write(worth, way.holds, rewards, number, values, way.cell, way.rotate)
                if way.beyond:
                    worth[holds & ~way.holds] = np.inf  # values have signs, see `sense`
            copy_read(found, end, spots.read, worth.reshape(-1, self.told))
        return found

    def aimed(self, shown: dict[int, Array], levels: int, aims: Array) -> Array:
        """Return, as `values`, what is aimed at with rewards of the edges, the turn being all.

        Only differences matter: the first end is worth 0 at the first level.
        """
        found, nothing = self._unknown(shown, levels, 1), np.zeros((0, 1))
        spots = self._each(shown, np.arange(levels))
        for end in range(len(self.turn.ends)):
            worth = np.full((*spots.shape, 1), np.nan)
            for edge, holds in self._taken(end, spots):
                rewards = self._rewards([(int(aims[edge]), 1.0)], spots.columns, spots.shared)
                _write(worth, holds, rewards, np.zeros(0, np.int32), nothing)
            copy_read(found, end, spots.read, worth.reshape(-1, 1))
        return found - found[:, :1, :1]

    def _unknown(self, shown: dict[int, Array], levels: int, seats: int) -> Array:
        lanes = len(next(iter(shown.values())))
        return np.empty((lanes // GRID_LANES, len(self.turn.ends), levels, seats, GRID_LANES))

    def _each(self, shown: dict[int, Array], levels: Array) -> Spots:
        """Return a spot for each level and lane."""
        shape = len(levels), len(next(iter(shown.values())))
        spots = np.arange(shape[0] * shape[1]).reshape(shape)
        return Spots(self.columns(shown, levels), shape, np.ones((1, 1), np.bool_), spots)

    def _spots(self, shown: dict[int, Array], levels: Array) -> Iterator[tuple[int, Spots]]:
        """Yield the ends by number, and where they are evaluated."""
        known: dict[int | None, Spots] = {}
        for end, added in enumerate(self._added):
            if added not in known:
                if added == UNREAD:
                    known[added] = self._each(shown, levels[:1])
                else:
                    sums = None if added is None else self._sums(shown, levels, added)
                    known[added] = sums or self._each(shown, levels)
            yield end, known[added]

    def _sums(self, shown: dict[int, Array], levels: Array, axis: int) -> Spots | None:
        """Return a spot for each sum with an axis, if they are fewer than levels and lanes."""
        gained = self.points.shown(self.turn.inner, levels)[:, None]
        begun, own = np.unique(shown[axis], return_inverse=True)
        sums, row = np.unique(begun + gained, return_inverse=True)
        others = np.stack([values for a, values in shown.items() if a != axis])
        order = np.lexsort(others)
        new = np.append(True, (np.diff(others[:, order]) != 0).any(axis=0))
        column = np.empty_like(order)
        column[order] = np.cumsum(new) - 1
        one = order[new]
        shape = sums.size, one.size
        if sums.size * one.size >= levels.size * order.size:
            return None
        columns = {a: np.asarray(values)[None, one] for a, values in shown.items()}
        columns |= {axis: sums[:, None], self.turn.inner: np.zeros((1, 1), np.int64)}
        read = (row.reshape(levels.size, -1) * one.size)[:, own] + column
        used = np.zeros(shape, np.bool_)
        used.ravel()[read] = True
        return Spots(columns, shape, used, read)

    def _taken(self, end: int, spots: Spots) -> Iterator[tuple[int, Array]]:
        """Yield the edges that lead out of an end, and where they do: bool[rows, columns]."""
        for edge in self._edges(self.turn.ends[end]):
            guard = int(self.turn.model.guard[edge])
            holds = spots.used & self._holds(guard, spots.columns, spots.shared)
            if holds.any():
                yield edge, np.broadcast_to(holds, spots.shape)

    def between(self, stored: int, shown: Columns, number: Array, values: Array) -> Array:
        """Return what turns are worth before they begin, read between the points: [spots, told].

        `stored` tells which of the stored nodes they begin at, `shown` what the axes show.
        """
        cell = self.points.cell(shown)
        cell = evolve(cell, base=cell.base + stored * self.points.count)
        worth = np.full((*cell.base.shape, self.told), np.nan)
        holds, nothing = np.ones(cell.base.shape, np.bool_), np.zeros((self.told, 1, 1))
        _write(worth, holds, nothing, number, values, cell)
        return worth.reshape(-1, self.told)

    def leave(self, end: int, shown: dict[int, Array], level: Array) -> Iterator[Way]:
        """Yield the ways out of an end that lanes take, for the level at which each has ended."""
        model = self.turn.model
        columns, shared = {axis: values[None, :] for axis, values in shown.items()}, Shared()
        if self.turn.inner >= 0:
            columns[self.turn.inner] = self.points.shown(self.turn.inner, level)[None, :]
        for edge in self._edges(self.turn.ends[end]):
            holds = self._holds(int(model.guard[edge]), columns, shared)
            taken = np.flatnonzero(np.broadcast_to(holds, (1, len(level)))[0])
            if not taken.size:
                continue
            here, shared_here = {a: values[:, taken] for a, values in columns.items()}, Shared()
            gains = self._rewards(self._gains(edge, every=True), here, shared_here)
            gains = np.broadcast_to(gains, (len(gains), 1, taken.size))[:, 0].T
            if model.kind[model.target[edge]] == END:
                yield Way(taken, gains, None, 0)
                continue
            after = {axis: values[0] for axis, values in here.items() if axis != self.turn.inner}
            for axis, number in model.effects[model.effect[edge]].assign:
                if axis != self.turn.inner:
                    new = self.points.after(axis, number, here, shared_here)
                    after[axis] = np.broadcast_to(new, (1, taken.size))[0]
            yield Way(taken, gains, after, int(model.rotate[edge]))

    def demand_points(self, shown: dict[int, Array], levels: Array) -> None:
        """Raise SolveError where turns that begin at points lead past the last values kept.

        Where a counter has a limit nothing that can come up lies past it: what is led there begins
        at points that stand for lower values only, and reads the last one; so with the first one.
        """
        model = self.turn.model
        for end, spots in self._spots(shown, levels):
            for edge, holds in self._taken(end, spots):
                if model.kind[model.target[edge]] == END:
                    continue
                for axis, number in model.effects[model.effect[edge]].assign:
                    if axis not in self.points.low or not model.axes[axis].unbounded:
                        continue
                    new = self.points.after(axis, number, spots.columns, spots.shared)
                    if bool((holds & self.points.is_past(axis, new)).any()):
                        told = f'"{model.axes[axis].name}" may grow without end: '
                        told += 'give it a limit in the rules, such as "0 to 200 capped"'
                        raise SolveError(Status.UNSUPPORTED, told)

    def ways(self, shown: dict[int, Array], levels: Array) -> Iterator[Next]:
        """Yield where the turns lead that begin at points and end at some levels."""
        for end, spots in self._spots(shown, levels):
            for edge, holds in self._taken(end, spots):
                if (way := self._next(edge, holds, spots)) is not None:
                    yield way

    def _edges(self, node: int) -> range:
        model = self.turn.model
        return range(int(model.first_edge[node]), int(model.first_edge[node + 1]))

    def _holds(self, guard: int, columns: Columns, shared: Shared) -> Array:
        holds = np.ones((1, 1), np.bool_)
        for number in self.turn.model.guards[guard]:
            lookup = self.turn.model.lookups[number]
            if isinstance(lookup, Formula):
                holds = holds & lookup.compute(columns, shared)
            else:
                holds = holds & entries(self.points, number, columns)
            if not holds.any():
                break
        return holds

    def _gains(self, edge: int, *, every: bool = False) -> list[tuple[int, float]]:
        """Return the rewards of an edge by seat, and their sign: for those told, or every seat."""
        told = seats_of(self.turn.model) if every else self.told
        return [(n, self.sense) for n in self._paid[edge, :told].tolist()]

    def _rewards(self, numbers: list[tuple[int, float]], columns: Columns, shared: Shared) -> Array:
        """Return rewards with their signs: float64[how many, levels or 1, lanes or 1]."""
        model = self.turn.model
        gains = []
        for number, sign in numbers:
            gain = np.full((1, 1), model.rewards[number].constant)
            for k in model.rewards[number].lookups:
                lookup = model.lookups[k]
                if isinstance(lookup, Formula):
                    gain = gain + lookup.compute(columns, shared)
                else:
                    gain = gain + entries(self.points, k, columns)
            gains.append(sign * gain)
        return np.stack(np.broadcast_arrays(*gains))

    def _next(self, edge: int, holds: Array, spots: Spots) -> Next | None:
        """Return where a way out leads; None if play is over."""
        model, points, columns = self.turn.model, self.points, spots.columns
        if model.kind[model.target[edge]] == END:
            return None
        stored = self.turn.stored.index(int(model.target[edge]))
        shown = dict(columns)
        for axis, number in model.effects[model.effect[edge]].assign:
            if axis in points.axes:
                shown[axis] = points.after(axis, number, columns, spots.shared)
        cell, beyond = points.cell(shown), ""
        for axis, low in cell.low.items():
            has_place = (low >= 0) & (low < points.size(axis))
            if not (has_place | ~holds).all():
                holds, beyond = holds & has_place, model.axes[axis].name
        cell = evolve(cell, base=cell.base + stored * points.count)
        return Next(spots, holds, beyond, stored, int(model.rotate[edge]), cell)


def _write(
    out: Array, holds: Array, rewards: Array, number: Array, values: Array,
    cell: GridCell = NO_CELL, rotate: int = 0,
) -> None:  # fmt: skip
    """Write to [rows, columns, seats] what is paid, and what the next turn is worth, if any."""
    shape = holds.shape
    between(
        out.reshape(-1, out.shape[-1]), _full([holds], shape, np.bool_)[0],
        _full([cell.base], shape, np.int64)[0], _full(cell.delta, shape, np.int64),
        _full(cell.share, shape, np.float64), number, values, rotate,
        _full([*rewards], shape, np.float64),
    )  # fmt: skip


def _full(arrays: list[Array], shape: tuple[int, int], dtype: type) -> Array:
    """Return arrays that broadcast as one: [how many, spots]."""
    found: Array = np.empty((len(arrays), shape[0] * shape[1]), dtype)
    for row, array in zip(found, arrays, strict=True):
        row.reshape(shape)[:] = array
    return found


def seats_of(model: Model) -> int:
    """Return how many numbers a value has."""
    return 1 if model.other_rewards is None else model.seats


def told_of(model: Model, grid: Grid) -> int:
    """Return of how many seats values are computed: what the last one has may follow from them."""
    seats = seats_of(model)
    return seats - 1 if grid.balanced and seats > 1 else seats


def completed(values: Array, seats: int) -> Array:
    """Return values ([.., told]) for all seats ([.., seats])."""
    if values.shape[-1] == seats:
        return values
    with np.errstate(
        invalid="ignore"
    ):  # infinite ones may go together; `layers.table` refuses them
        return np.concatenate([values, -values.sum(axis=-1, keepdims=True)], axis=-1)
