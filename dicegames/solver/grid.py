"""Grids: values are kept at some points of an axis only, and found by interpolation elsewhere.

Let an axis keep the indices K. A step that would lead to an index f between two neighbours a < b in
K leads to a with probability (b - f) / (b - a), and else to b: the value there is then the straight
line between the values at a and b. So the game on the grid is a model like any other, with fewer
points and a few nodes more, and every method solves it; only the steps between turns are rounded,
a turn itself is exact. `GridValues` gives values at all points of the model as it was: on the grid
those of the tables; elsewhere the turn is played out at the true point, and where it leads to, the
tables are interpolated in all axes together.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from itertools import product

import numpy as np
from attrs import define, evolve, field, frozen

from dicegames.solver.model import BRANCH, CHANCE, Array, Effect, Lookup, Model
from dicegames.solver.recurse import Point, Recursion, Vector
from dicegames.solver.solved import Solved, Value
from dicegames.solver.status import SolveError, Status

Kept = Mapping[int, Array]
"""Axis -> the indices that are kept, ascending; the first and the last index are among them."""
PLACES = 12


def thinned(model: Model, kept: Kept) -> Model:
    """Return the model on a grid; SolveError where a step changes two thinned axes at once."""
    return _Thinning(model, kept).model()


@define
class _Edge:
    target: int
    weight: float
    guard: int
    effect: int
    reward: int
    rotate: int
    others: list[int]


@define
class _Node:
    kind: int
    edges: list[_Edge]


@define
class _Thinning:
    """Builds the thinned model: the old nodes under their numbers, then the new ones."""

    old: Model
    kept: Kept
    lookups: list[Lookup] = field(init=False)
    guards: list[tuple[int, ...]] = field(init=False)
    effects: list[Effect] = field(init=False)
    added: list[_Node] = field(factory=list)
    splits: dict[tuple[int, int, int], int] = field(factory=dict)  # effect, target, rotation
    on_grid: dict[int, int] = field(factory=dict)  # effect -> effect

    def __attrs_post_init__(self) -> None:
        self.lookups = [self._lookup(k) for k in self.old.lookups]
        self.guards = list(self.old.guards)
        self.effects = [Effect()]

    def _lookup(self, lookup: Lookup) -> Lookup:
        values = lookup.values
        for place, axis in enumerate(lookup.axes):
            if axis in self.kept:
                values = values.take(self.kept[axis], axis=place)
        return Lookup(lookup.axes, np.array(values, order="C"))

    def model(self) -> Model:
        """Return the whole."""
        old = self.old
        nodes = [_Node(int(k), []) for k in old.kind]
        for number, node in enumerate(nodes):
            for edge in range(int(old.first_edge[number]), int(old.first_edge[number + 1])):
                node.edges.append(self._edge(edge))
        nodes += self.added
        edges = [e for node in nodes for e in node.edges]
        extra = len(self.added)
        others = np.array([e.others for e in edges], np.int32).reshape(len(edges), -1)
        point = list(old.start_point)
        for axis, indices in self.kept.items():
            point[axis] = int(np.searchsorted(indices, point[axis]))
        return evolve(
            old,
            axes=tuple(
                evolve(axis, size=len(self.kept[a]), offset=0, step=1) if a in self.kept else axis
                for a, axis in enumerate(old.axes)
            ),
            lookups=tuple(self.lookups),
            guards=tuple(self.guards),
            effects=tuple(self.effects),
            kind=np.array([n.kind for n in nodes], np.int8),
            chooser=np.append(old.chooser, np.zeros(extra, np.int8)),
            stored=np.append(old.stored, np.zeros(extra, np.bool_)),
            first_edge=np.cumsum([0, *(len(n.edges) for n in nodes)]).astype(np.int64),
            target=np.array([e.target for e in edges], np.int32),
            weight=np.array([e.weight for e in edges], np.float64),
            guard=np.array([e.guard for e in edges], np.int32),
            effect=np.array([e.effect for e in edges], np.int32),
            reward=np.array([e.reward for e in edges], np.int32),
            rotate=np.array([e.rotate for e in edges], np.int8),
            start_point=tuple(point),
            settled=None,
            other_rewards=None if old.other_rewards is None else others,
        )

    def _edge(self, edge: int) -> _Edge:
        old = self.old
        target, rotate = int(old.target[edge]), int(old.rotate[edge])
        number, effect = int(old.effect[edge]), 0
        off = self._off_grid(number)
        if off is None:
            effect = self._plain(number)
        else:
            target, rotate = self._split(number, target, rotate, off), 0
        others = [] if old.other_rewards is None else old.other_rewards[edge].tolist()
        weight, guard, reward = float(old.weight[edge]), int(old.guard[edge]), int(old.reward[edge])
        return _Edge(target, weight, guard, effect, reward, rotate, others)

    def _off_grid(self, number: int) -> int | None:
        """Return the axis that an effect moves off the grid, None if there is none."""
        found = [
            axis
            for axis, lookup in self.old.effects[number].assign
            if axis in self.kept and (self._weights(axis, lookup)[2] > 0).any()
        ]
        if len(found) > 1:
            raise SolveError(Status.UNSUPPORTED, "one step changes two axes that are on a grid")
        return found[0] if found else None

    def _weights(self, axis: int, lookup: int) -> tuple[Array, Array, Array]:
        """Return the neighbours on the grid (-1: undefined) and the weight of the upper one."""
        wanted, kept = self.lookups[lookup].values, self.kept[axis]
        low = np.searchsorted(kept, wanted, side="right") - 1
        high = np.minimum(low + 1, len(kept) - 1)
        width = np.maximum(1, kept[high] - kept[low])
        weight = np.where(wanted < 0, 0.0, (wanted - kept[low]) / width)
        weight = np.round(weight, PLACES)
        low = np.where(wanted < 0, -1, low)
        return low, np.where(weight > 0, high, low), weight

    def _plain(self, number: int) -> int:
        if number == 0:
            return 0
        if number not in self.on_grid:
            assign = [self._moved(a, k, upper=False) for a, k in self.old.effects[number].assign]
            self.on_grid[number] = self._new_effect(assign)
        return self.on_grid[number]

    def _moved(self, axis: int, lookup: int, *, upper: bool) -> tuple[int, int]:
        if axis not in self.kept:
            return axis, lookup
        low, high, _ = self._weights(axis, lookup)
        values = np.array(high if upper else low, np.int32, order="C")
        return axis, self._new_lookup(Lookup(self.lookups[lookup].axes, values))

    def _new_lookup(self, lookup: Lookup) -> int:
        self.lookups.append(lookup)
        return len(self.lookups) - 1

    def _new_effect(self, assign: list[tuple[int, int]]) -> int:
        self.effects.append(Effect(tuple(assign)))
        return len(self.effects) - 1

    def _split(self, number: int, target: int, rotate: int, off: int) -> int:
        """Return the node that leads an effect to the neighbours on the grid."""
        key = (number, target, rotate)
        if key in self.splits:
            return self.splits[key]
        assign = self.old.effects[number].assign
        both = [
            self._new_effect([self._moved(a, k, upper=u and a == off) for a, k in assign])
            for u in (False, True)
        ]
        lookup = dict(assign)[off]
        low, _, weights = self._weights(off, lookup)
        branch = self.splits[key] = self._new_node(BRANCH, [])
        ways = self.added[branch - self.old.nodes].edges
        for weight in np.unique(weights[low >= 0]).tolist():
            holds = Lookup(self.lookups[lookup].axes, (weights == weight) & (low >= 0))
            self.guards.append((self._new_lookup(holds),))
            guard = len(self.guards) - 1
            if weight == 0:
                ways.append(self._way(target, 1.0, guard, both[0], rotate))
                continue
            lottery = [
                self._way(target, 1 - weight, 0, both[0], rotate),
                self._way(target, weight, 0, both[1], rotate),
            ]
            ways.append(self._way(self._new_node(CHANCE, lottery), 1.0, guard, 0, 0))
        return branch

    def _way(self, target: int, weight: float, guard: int, effect: int, rotate: int) -> _Edge:
        others = [0] * (0 if self.old.other_rewards is None else self.old.seats - 1)
        return _Edge(target, weight, guard, effect, 0, rotate, others)

    def _new_node(self, kind: int, edges: list[_Edge]) -> int:
        self.added.append(_Node(kind, edges))
        return self.old.nodes + len(self.added) - 1


# ---- values at all points


@frozen(eq=False)
class GridValues:
    """Values of the model as it was (`fine`) from the solved model on a grid."""

    fine: Model
    on_grid: Solved
    kept: Kept

    def value_at(self, node: int, point: Point) -> Value:
        """Value of a state; LookupError where it is not known."""
        place = self._place(point)
        if place is not None:
            return self.on_grid.value_at(node, place)

        def known(other: int, at: Point) -> Vector | None:
            if not self.fine.stored[other] or (other, at) == (node, point):
                return None
            return self.between(other, at)

        value = Recursion(self.fine, known).value(node, point)
        return value[0] if self.fine.scalar else value

    def between(self, node: int, point: Point) -> Vector:
        """Interpolate in all thinned axes together."""
        ways = [self._neighbours(axis, index) for axis, index in enumerate(point)]
        total = np.zeros(1 if self.fine.scalar else self.fine.seats)
        for corner in product(*ways):
            weight = float(np.prod([w for _, w in corner]))
            total += weight * np.asarray(self.on_grid.value_at(node, tuple(i for i, _ in corner)))
        return tuple(total.tolist())

    def _place(self, point: Point) -> Point | None:
        ways = [self._neighbours(axis, index) for axis, index in enumerate(point)]
        return None if any(len(w) > 1 for w in ways) else tuple(w[0][0] for w in ways)

    def _neighbours(self, axis: int, index: int) -> list[tuple[int, float]]:
        if axis not in self.kept:
            return [(index, 1.0)]
        kept = self.kept[axis]
        low = int(np.searchsorted(kept, index, side="right")) - 1
        if kept[low] == index:
            return [(low, 1.0)]
        weight = float((index - kept[low]) / (kept[low + 1] - kept[low]))
        return [(low, 1 - weight), (low + 1, weight)]


def solve_on_grid(
    model: Model, kept: Kept, wider: Kept, solve: Callable[[Model], Solved]
) -> Solved:
    """Solve a model on a grid, and on a wider one (part of it) to see how much that matters.

    The result is for the model as it was. Its estimates are the difference between both at the
    start, and the largest at all stored states that both have; nothing is proven by them.
    """
    found = solve(thinned(model, kept))
    if not found.status.solved:
        return found
    other = solve(thinned(model, wider))
    at_start = anywhere = float("nan")
    if other.status.solved:
        at_start = float(np.abs(np.subtract(found.value, other.value)).max())
        anywhere = max(at_start, _difference(found, other, kept, wider))
    return evolve(
        found,
        model=model,
        status=Status.APPROXIMATE,
        error_bound=float("inf"),
        lower=_everywhere(found.value, -np.inf),
        upper=_everywhere(found.value, np.inf),
        method=f"{found.method}, on a grid",
        tables={},
        evaluator=GridValues(model, found, kept),
        residual=found.error_bound,
        estimate=at_start,
        estimate_anywhere=anywhere,
    )


def _everywhere(value: Value, bound: float) -> Value:
    return (bound,) * len(value) if isinstance(value, tuple) else bound


def _difference(found: Solved, other: Solved, kept: Kept, wider: Kept) -> float:
    """Return the largest difference of two solutions where both have a value in a table."""
    worst = 0.0
    for node, table in other.tables.items():
        finer = found.tables[node]
        for axis, indices in wider.items():
            finer = finer.take(np.searchsorted(kept[axis], indices), axis=axis)
        gap = np.abs(finer - table)
        if np.isfinite(gap).any():
            worst = max(worst, float(np.nanmax(gap)))
    return worst
