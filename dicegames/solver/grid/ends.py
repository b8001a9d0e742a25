"""The ends of turns at many points: what is paid there, and where the next turn begins."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from attrs import define, field, frozen

from dicegames.solver.grid.kernels import GRID_LANES, between
from dicegames.solver.grid.points import GridPoints, entries
from dicegames.solver.grid.turn_model import MergedTurn, resets
from dicegames.solver.model import END, Array, Columns, Formula, Grid, Model, Shared
from dicegames.solver.status import SolveError, Status


@frozen(eq=False)
class Next:
    """Where a way out of a turn leads, over [levels, lanes]: the lowest corner and the way up."""

    holds: Array  # bool: where it is taken, to values that have a place
    beyond: str  # the axis that it would lead beyond somewhere, "" for none
    stored: int  # which of the stored nodes
    rotate: int
    base: Array  # int64: number of the point at the lowest corner
    low: dict[int, Array]  # axis -> index at the lowest corner
    delta: list[Array]  # for each axis between two values: from the corner to the upper one
    share: list[Array]  # how near that is

    def corners(self) -> Iterator[Array]:
        """Yield the points between which the turns end, also where it does not hold."""
        corners = [self.base]
        for delta in self.delta:
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

    def __attrs_post_init__(self) -> None:
        self._paid = self.turn.model.rewards_by_seat
        self.sense = self.turn.model.sense
        for effect in self.turn.model.effects:
            if not resets(self.turn.model, effect) and effect.assign:
                inside = [axis for axis, _ in effect.assign] == [self.turn.inner]
                if not inside:
                    told = "the counter of the turn does not begin at its first value"
                    raise SolveError(Status.UNSUPPORTED, told)

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
        columns, shared = self.columns(shown, np.arange(levels)), Shared()
        found = self._unknown(shown, levels, self.told)
        for end, edge, holds in self._taken(columns, shared):
            way, rewards = None, self._rewards(self._gains(edge), columns, shared)
            if self.turn.model.kind[self.turn.model.target[edge]] != END:
                way = self._next(edge, holds, columns, shared)
            taken = holds if way is None else way.holds
            _write(found[:, end], taken, rewards, way, number, values)
            if way is not None and way.beyond:
                lost = np.broadcast_to(holds & ~taken, (levels, found.shape[0] * GRID_LANES))
                lost = np.moveaxis(lost.reshape(levels, -1, 1, GRID_LANES), 1, 0)
                np.copyto(found[:, end], np.inf, where=lost)  # values have signs, see `sense`
        return found

    def aimed(self, shown: dict[int, Array], levels: int, aims: Array) -> Array:
        """Return, as `values`, what is aimed at with rewards of the edges, the turn being all.

        Only differences matter: the first end is worth 0 at the first level.
        """
        columns, shared = self.columns(shown, np.arange(levels)), Shared()
        found, nothing = self._unknown(shown, levels, 1), np.zeros((0, 1))
        for end, edge, holds in self._taken(columns, shared):
            rewards = self._rewards([(int(aims[edge]), 1.0)], columns, shared)
            _write(found[:, end], holds, rewards, None, np.zeros(0, np.int32), nothing)
        return found - found[:, :1, :1]

    def _unknown(self, shown: dict[int, Array], levels: int, seats: int) -> Array:
        lanes = len(next(iter(shown.values())))
        return np.full(
            (lanes // GRID_LANES, len(self.turn.ends), levels, seats, GRID_LANES), np.nan
        )

    def _taken(self, columns: Columns, shared: Shared) -> Iterator[tuple[int, int, Array]]:
        """Yield the edges that lead out of a turn, by number of the end, and where they do."""
        for end, node in enumerate(self.turn.ends):
            for edge in self._edges(node):
                holds = self._holds(int(self.turn.model.guard[edge]), columns, shared)
                if holds.any():
                    yield end, edge, holds

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
        at points that stand for lower values only, and reads the last one.
        """
        model, columns, shared = self.turn.model, self.columns(shown, levels), Shared()
        for edge in (edge for node in self.turn.ends for edge in self._edges(node)):
            effect = model.effects[model.effect[edge]]
            counted = [
                (a, k) for a, k in effect.assign
                if a in self.points.low and model.axes[a].unbounded
            ]  # fmt: skip
            if not counted or model.kind[model.target[edge]] == END:
                continue
            holds = self._holds(int(model.guard[edge]), columns, shared)
            for axis, number in counted:
                new = self.points.after(axis, number, columns, shared)
                if bool((holds & self.points.is_past(axis, new)).any()):
                    name = model.axes[axis].name
                    told = (
                        f'"{name}" grows past the last point of the grid: give it a limit in the '
                    )
                    raise SolveError(Status.UNSUPPORTED, told + 'rules, such as "0 to 200 capped"')

    def ways(self, shown: dict[int, Array], levels: Array) -> Iterator[Next]:
        """Yield where the turns lead that begin at points and end at some levels."""
        columns, shared = self.columns(shown, levels), Shared()
        shape = len(levels), len(next(iter(shown.values())))
        for _, edge, holds in self._taken(columns, shared):
            if self.turn.model.kind[self.turn.model.target[edge]] != END:
                yield self._next(edge, np.broadcast_to(holds, shape), columns, shared)

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

    def _next(self, edge: int, holds: Array, columns: Columns, shared: Shared) -> Next:
        model, points = self.turn.model, self.points
        stored = self.turn.stored.index(int(model.target[edge]))
        new = dict(model.effects[model.effect[edge]].assign)
        base, delta, share = np.full((1, 1), stored * points.count, np.int64), [], []
        lowest, beyond = {}, ""
        for axis in points.axes:
            shown = columns[axis]
            if axis in new:
                shown = points.after(axis, new[axis], columns, shared)
            low, near = points.place(axis, np.atleast_2d(shown))
            base = base + low * points.steps[axis]
            lowest[axis] = low
            has_place = (low >= 0) & (low < points.sizes[points.axes.index(axis)])
            if not (has_place | ~holds).all():
                holds, beyond = holds & has_place, model.axes[axis].name
            if near is not None:
                delta.append(np.where(near > 0, points.steps[axis], 0))
                share.append(near)
        return Next(holds, beyond, stored, int(model.rotate[edge]), base, lowest, delta, share)


def _write(
    out: Array, holds: Array, rewards: Array, way: Next | None, number: Array, values: Array
) -> None:
    """Write rewards and what the next turn is worth, if there is one.

    What does not depend on the level is written for all.
    """
    base, delta, share, rotate = np.full((1, 1), -1), list[Array](), list[Array](), 0
    if way is not None:
        base, delta, share, rotate = way.base, way.delta, way.share, way.rotate
    levels = max(array.shape[0] for array in (holds, base, *delta, *share, rewards[0]))
    shape = (levels, out.shape[0] * GRID_LANES)
    holds = np.broadcast_to(holds, shape)
    into = out[:, :levels].copy()
    between(
        into, holds, np.broadcast_to(base, shape), _stacked(delta, shape, np.int64),
        _stacked(share, shape, np.float64), number, values, rotate,
        np.broadcast_to(rewards, (len(rewards), *shape)),
    )  # fmt: skip
    if levels == out.shape[1]:
        out[:] = into
    else:
        np.copyto(out, into, where=holds.reshape(out.shape[0], 1, 1, GRID_LANES))


def _stacked(arrays: list[Array], shape: tuple[int, int], dtype: type) -> Array:
    """Return arrays that broadcast as one: [how many, levels, lanes]."""
    found: Array = np.empty((len(arrays), *shape), dtype)
    for row, array in zip(found, arrays, strict=True):
        row[:] = array
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
