"""Values of states outside the tables, by plain recursion through the control graph.

Used where a value is asked for at a point that play cannot reach: it is computed if all stored
successors are known, and refused with LookupError otherwise.
"""

from __future__ import annotations

from collections.abc import Callable

from dicegames.solver.model import BRANCH, CHANCE, END, Model

Point = tuple[int, ...]
Key = tuple[int, Point]
Vector = tuple[float, ...]


class Recursion:
    """Evaluates nodes of a model from the known values of other states."""

    def __init__(self, model: Model, known: Callable[[int, Point], Vector | None]) -> None:
        self._model = model
        self._known = known
        self._memo: dict[Key, Vector] = {}
        self._open: set[Key] = set()

    def value(self, node: int, point: Point) -> Vector:
        """Value by component; LookupError where a successor is unknown."""
        if self._model.kind[node] == END:
            return (0.0,) * (1 if self._model.scalar else self._model.seats)
        key = (node, point)
        if key not in self._memo:
            known = self._known(node, point)
            self._memo[key] = self._evaluate(key) if known is None else known
        return self._memo[key]

    def _evaluate(self, key: Key) -> Vector:
        node, point = key
        model = self._model
        if key in self._open:
            raise LookupError(f"play cannot reach this position, and it leads back to {key}")
        self._open.add(key)
        try:
            options = [
                (float(model.weight[edge]), self._term(edge, point))
                for edge in range(model.first_edge[node], model.first_edge[node + 1])
                if self._holds(int(model.guard[edge]), point)
            ]
        finally:
            self._open.discard(key)
        if not options or (model.kind[node] == BRANCH and len(options) != 1):
            raise LookupError(f"play cannot reach node {node} at point {point}")
        values = [value for _, value in options]
        if model.kind[node] == CHANCE:
            weights = [weight for weight, _ in options]
            columns = zip(*values, strict=True)
            return tuple(sum(w * v for w, v in zip(weights, c, strict=True)) for c in columns)
        return self._best(values, int(model.chooser[node]))

    def _best(self, values: list[Vector], chooser: int) -> Vector:
        opposed = self._model.scalar and chooser == 1
        largest = self._model.maximise != opposed
        seat = 0 if self._model.scalar else chooser
        pick = max if largest else min
        return pick(values, key=lambda value: value[seat])

    def _term(self, edge: int, point: Point) -> Vector:
        model = self._model
        target = int(model.target[edge])
        gains = self._gains(edge, point)
        own = gains[0]
        rotate = int(model.rotate[edge])
        if model.kind[target] == END:
            rotate, inner = 0, self.value(target, point)
        else:
            inner = self.value(target, self._move(int(model.effect[edge]), point))
        if model.scalar:
            return (
                (own + inner[0],) if rotate == 0 else (own + (model.constant_sum or 0) - inner[0],)
            )
        seats = model.seats
        turned = tuple(inner[(seat - rotate) % seats] for seat in range(seats))
        return tuple(gain + value for gain, value in zip(gains, turned, strict=True))

    def _gains(self, edge: int, point: Point) -> Vector:
        """What an edge brings to each seat that has a number of its own."""
        model = self._model
        numbers = [int(model.reward[edge])]
        if not model.scalar:
            others = model.other_rewards
            numbers += [0] * (model.seats - 1) if others is None else others[edge].tolist()
        return tuple(self._reward(number, point) for number in numbers)

    def _entry(self, lookup: int, point: Point) -> float:
        table = self._model.lookups[lookup]
        return float(table.values[tuple(point[axis] for axis in table.axes)])

    def _holds(self, guard: int, point: Point) -> bool:
        return all(self._entry(lookup, point) for lookup in self._model.guards[guard])

    def _reward(self, reward: int, point: Point) -> float:
        found = self._model.rewards[reward]
        return found.constant + sum(self._entry(lookup, point) for lookup in found.lookups)

    def _move(self, effect: int, point: Point) -> Point:
        out = list(point)
        for axis, lookup in self._model.effects[effect].assign:
            out[axis] = int(self._entry(lookup, point))
            if not 0 <= out[axis] < self._model.axes[axis].size:
                raise LookupError(f"play cannot reach point {point}: effect {effect} is undefined")
        return tuple(out)
