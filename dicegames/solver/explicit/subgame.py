"""Values of states outside the tables: the subgame from there, up to states whose values are known.

All that can follow from a state is listed as far as states with known values (see `expand`), and
solved like any list of states. So whatever a solution keeps (tables, listed states, lines), the
value of every other position is computed in one way.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Mapping, Sequence
from contextlib import suppress
from typing import Any, Protocol

import numpy as np
from attrs import define, evolve, field, frozen

from dicegames.ground.errors import TooFar
from dicegames.solver.explicit.scalar import solve_steps, steps_of
from dicegames.solver.explicit.seats import values_by_seat
from dicegames.solver.graph.expand import Known
from dicegames.solver.graph.states import (
    BRIEF_STATES,
    Graph,
    MoreStates,
    all_known,
    follow,
    number,
    with_rewards,
)
from dicegames.solver.kernels.flat import Flat, flatten
from dicegames.solver.kernels.workers import Workers
from dicegames.solver.model import END, Array, Model, rows_begin
from dicegames.solver.solved import Value
from dicegames.solver.status import SolveError, State, Status

SUBGAMES_KEPT = 16
"""Subgames that are kept, since questions about one turn come together."""
MOST_STARTS_AT_ONCE = 100
SUBGAME_STATES = 2_000_000
"""States of a subgame: where more follow before known ones are met, the position is not told."""

Point = tuple[int, ...]


@frozen(eq=False)
class _Subgame:
    keys: Array  # int64, ascending
    values: Array  # float64[states, seats]


def _solve(graph: Graph, known: Array, workers: Workers) -> Array:
    if not graph.model.scalar:
        return values_by_seat(graph, known, workers)
    return solve_steps(steps_of(graph), workers, known[:, 0])[1][:, None]


def _closed(graph: Graph, states: Array) -> Graph:
    """The graph with no transitions from some states, the values of which are known."""
    kept, rows = ~np.isin(graph.source, states), np.diff(graph.first)
    rows[states] = 0
    return evolve(graph, first=rows_begin(rows), target=graph.target[kept], edge=graph.edge[kept])


class NodeValues(Protocol):
    """The values of a node, wherever they are kept."""

    def __getitem__(self, point: Point) -> Any:
        """The value at a point."""

    def take(self, positions: Array) -> Array:
        """The values at positions in a full table."""


@define(eq=False)
class Subgames:
    """Values of states of a model, from those of others.

    `tables` are values of nodes (float64, shape of the axes, then the seats if each has a value of
    its own; NaN where nothing is known), `keys` and `values` those of states one by one (node *
    points + position, ascending; float64[states, seats]).
    """

    model: Model
    tables: Mapping[int, NodeValues]
    keys: Array = field(factory=lambda: np.zeros(0, np.int64))
    values: Array = field(factory=lambda: np.zeros((0, 1)))
    in_pieces: bool = False  # the tables are not in memory
    _parts: tuple[Flat, Known] | None = field(default=None, init=False)
    _met: OrderedDict[int, _Subgame] = field(factory=OrderedDict, init=False)
    _asked: Point | None = field(default=None, init=False)  # the point of the last question

    def value_at(self, node: int, point: Point) -> Value:
        """Value of a state; LookupError where it rests on states that are not known."""
        model = self.model
        seats = 1 if model.scalar else model.seats
        if model.kind[node] == END:
            found = np.zeros(seats)
        else:
            key = self._key(node, point)
            found = self._known(node, point, key)
            if np.isnan(found).any():
                found = self._followed(node, point, key)
        return float(found[0]) if model.scalar else tuple(found.tolist())

    def _key(self, node: int, point: Point) -> int:
        if any(index >= size for index, size in zip(point, self.model.shape, strict=True)):
            raise LookupError("the position is beyond the tables")
        return number(self.model, node, point)

    def _known(self, node: int, point: Point, key: int) -> Array:
        """What is known of a state, or has been found out; NaN where nothing is."""
        if node in self.tables:
            return np.atleast_1d(self.tables[node][point])
        for keys, values in ((self.keys, self.values), *((s.keys, s.values) for s in self._kept())):
            at = int(keys.searchsorted(key))
            if at < len(keys) and keys[at] == key:
                return np.asarray(values[at])
        return np.array([np.nan])

    def _kept(self) -> list[_Subgame]:
        return list(reversed(self._met.values()))

    def _followed(self, node: int, point: Point, key: int) -> Array:
        """Solve what follows from a state.

        With the second question about a point the turns that begin there are followed as well:
        more questions about the throws and moves of such a turn are likely.
        """
        starts = [key]
        if self._asked == point:
            begun = [n for n, table in self.tables.items() if np.isfinite(table[point]).all()]
            starts = list(dict.fromkeys([key, *(number(self.model, n, point) for n in begun)]))
        self._asked = point
        if 1 < len(starts) < MOST_STARTS_AT_ONCE:
            with suppress(SolveError):
                return self._solved(np.array(starts, np.int64))
        try:
            return self._solved(np.array([key], np.int64))
        except SolveError as error:
            if error.status is Status.TOO_MANY_STATES:
                states = f"more than {SUBGAME_STATES:,} states before known ones"
                raise TooFar(f"too much may follow in the turn: {states}") from None
            message = f"the value of node {node} at {point} rests on unknown positions: {error}"
            raise LookupError(message) from None

    def _solved(self, starts: Array) -> Array:
        """Solve what follows from some states, and keep it; the value of the first."""
        with Workers(1, here=bool(self._met)) as workers:  # the first one has it compiled
            graph = self._graph(starts, workers)
            if self.in_pieces and self._has_open_ends(graph.keys, starts):
                raise SolveError(Status.UNSUPPORTED)  # as `expand` says of tables in memory
            found = self._valued(graph, self._told(starts), workers)
        order = np.argsort(graph.keys)
        self._met[int(starts[0])] = _Subgame(graph.keys[order], found[order])
        if len(self._met) > SUBGAMES_KEPT:
            self._met.popitem(last=False)
        return np.asarray(found[0])

    def _graph(self, starts: Array, workers: Workers) -> Graph:
        """Return what follows from some states, up to known ones; SolveError."""
        flat, known = self._prepared()
        with suppress(MoreStates):
            return follow(self.model, flat, starts, known, workers, BRIEF_STATES)
        return follow(self.model, flat, starts, known, workers, SUBGAME_STATES)

    def values_in(self, graph: Graph, workers: Workers) -> Array:
        """Values of all states of a graph, from tables where they have one: float64[states, seats].

        Raises SolveError where one is not known.
        """
        found = self._valued(graph, self._told(graph.keys), workers)
        if not np.isfinite(found).all():
            raise SolveError(Status.UNSUPPORTED, "a state that comes up has no value")
        return found

    def _valued(self, graph: Graph, told: Array, workers: Workers) -> Array:
        """Solve a graph in which the values of some states are told, or known where it ends."""
        graph = with_rewards(_closed(graph, told), self._prepared()[0])
        return _solve(graph, self._ends(graph.keys), workers)

    def _told(self, keys: Array) -> Array:
        """Which of some states have values in tables, though what comes after was followed."""
        return np.flatnonzero(np.isfinite(self._in_tables(keys)[:, 0]))

    def _has_open_ends(self, keys: Array, starts: Array) -> bool:
        """Whether a search stopped at states to which no play comes, so that no value is there."""
        ends = keys[np.isin(keys // self.model.points, [*self.tables]) & ~np.isin(keys, starts)]
        return bool(np.isnan(self._in_tables(ends)).any())

    def _in_tables(self, keys: Array) -> Array:
        """Values of states in tables, NaN where they have none: float64[states, seats]."""
        seats = 1 if self.model.scalar else self.model.seats
        nodes, positions = np.divmod(keys, self.model.points)
        found = np.full((len(keys), seats), np.nan)
        for node in self.tables.keys() & set(nodes.tolist()):
            own = np.flatnonzero(nodes == node)
            at = positions[own, None] * seats + np.arange(seats)
            found[own] = self.tables[node].take(at.ravel()).reshape(at.shape)
        return found

    def prepare(self, states: Sequence[State]) -> None:
        """Solve what follows from those of some states at once that are not known."""
        with suppress(LookupError, SolveError):  # they will be asked for one by one
            open_ = [state for state in states if self.model.kind[state[0]] != END]
            found = {self._key(*state): state for state in open_}
            unknown = [k for k, state in found.items() if np.isnan(self._known(*state, k)).any()]
            if len(unknown) > 1:
                self._solved(np.array(unknown, np.int64))

    def _ends(self, keys: Array) -> Array:
        """Values of the states in a list that are known, 0 of others: float64[states, seats]."""
        found = np.nan_to_num(self._in_tables(keys), nan=0.0)
        if len(self.keys):
            at = np.minimum(np.searchsorted(self.keys, keys), len(self.keys) - 1)
            listed = self.keys[at] == keys
            found[listed] = self.values[at[listed]]
        return found

    def _prepared(self) -> tuple[Flat, Known]:
        if self._parts is None:
            self._parts = flatten(self.model), self._all_known()
        return self._parts

    def _all_known(self) -> Known:
        """The states whose values are known, as a search looks them up."""
        model, tables = self.model, self.tables
        if self.in_pieces:  # a search stops at every one of their states; see `_has_open_ends`
            return all_known(model, np.array([*tables]))
        seats = 1 if model.scalar else model.seats
        row = np.full(model.nodes, -1, np.int64)
        row[[*tables]] = np.arange(len(tables)) * model.points
        parts = [np.asarray(values).reshape(model.points, seats) for values in tables.values()]
        one = len(parts) == 1  # then nothing is copied: it may be large
        values = parts[0] if one else np.concatenate([np.zeros((0, seats)), *parts])
        partial = model.settled is not None or not model.scalar
        return Known(row, values, self.keys, partial)
