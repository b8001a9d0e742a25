"""Turn by turn: games whose counter without limit lives inside a turn, and the long run.

A turn begins at a *start*: a stored node with a point. Within a turn only some axes change (the
counter, say); the others are fixed at the start, so that a turn is a small model of its own: every
edge into a stored node ends it, with the value of the start to which it leads as reward. With h the
values of the starts, F(h) are the values of all turns.

* A game that ends: no start comes again, so one F for each start, the last ones first, is enough.
* The long run (`Model.average`): the value g is the reward per turn. For any h whatever::

      min (F(h) - h) <= g <= max (F(h) - h)

  over all starts that can come up (Odoni 1969, the bounds of value iteration). h is replaced by
  F(h), shifted so that the first start has 0, until both bounds meet. Where the distance does not
  fall (turns may alternate), steps of half the length are made.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from time import perf_counter

import numpy as np
from attrs import define, evolve, field

from dicegames.solver.kernels.flat import strides
from dicegames.solver.model import END, Array, Effect, Formula, Lookup, Model, Reward
from dicegames.solver.solved import Solved, Value
from dicegames.solver.status import SolveError, Status

MOST_STARTS = 5000
MOST_ROUNDS = 500
CLOSE = 1e-13  # relative
Solve = Callable[[Model], Solved]
Point = tuple[int, ...]


@define(eq=False)
class Turns:
    """The turns of a model, each start by its number: place of the stored node, and the point."""

    model: Model
    solve: Solve
    within: tuple[int, ...] = ()  # axes that change inside a turn
    between: tuple[int, ...] = ()
    ends: dict[tuple[int, int, int], Array] = field(factory=dict)  # effect, target, guard -> edges
    stuck: int | None = None  # as of what is solved
    models: dict[int, Model] = field(factory=dict)  # of the turn from a start
    after: dict[int, dict[tuple[int, int], tuple[Point, Array]]] = field(factory=dict)

    def __attrs_post_init__(self) -> None:
        model = self.model
        if model.seats > 1:
            raise SolveError(Status.UNSUPPORTED, "turn by turn for several seats")
        closing = model.stored[model.target]
        changed = {
            axis
            for number in np.unique(model.effect[~closing]).tolist()
            for axis, _ in model.effects[number].assign
        }
        axes = range(len(model.axes))
        self.within = tuple(a for a in axes if a in changed or model.axes[a].unbounded)
        self.between = tuple(a for a in axes if a not in self.within)
        if any(not (model.axes[a].inner or model.axes[a].unbounded) for a in self.within):
            raise SolveError(Status.UNSUPPORTED, "an axis changes inside and between turns")
        found: dict[tuple[int, int, int], list[int]] = {}
        for edge in np.flatnonzero(closing).tolist():
            parts = (model.effect[edge], model.target[edge], model.guard[edge])
            found.setdefault((int(parts[0]), int(parts[1]), int(parts[2])), []).append(edge)
        self.ends = {key: np.asarray(edges) for key, edges in found.items()}

    # ---- starts

    def number(self, node: int, point: Point) -> int:
        """Number of a start."""
        place = int(np.searchsorted(np.flatnonzero(self.model.stored), node))
        return int(place * np.prod(self.model.shape, dtype=np.int64) + self._flat(point))

    def _flat(self, point: Point) -> int:
        steps = strides(self.model.shape)
        return sum(i * int(s) for i, s in zip(point, steps, strict=True))

    def start(self, number: int) -> tuple[int, Point]:
        """Node and point of a start."""
        place, left = divmod(number, int(np.prod(self.model.shape, dtype=np.int64)))
        point = tuple(int(i) for i in np.unravel_index(left, self.model.shape))
        return int(np.flatnonzero(self.model.stored)[place]), point

    def following(self, number: int) -> list[int]:
        """Starts to which the turn from a start may lead."""
        if number not in self.models:
            self._prepare(number)
        found = [ids[ids >= 0] for _, ids in self.after[number].values()]
        return np.unique(np.concatenate(found)).tolist() if found else []

    def all_starts(self) -> list[int]:
        """All starts that may come up, the first one first."""
        first = self.number(self.model.start, self.model.start_point)
        met, pending = {first: None}, [first]
        while pending:
            for number in self.following(pending.pop()):
                if number not in met:
                    met[number] = None
                    pending.append(number)
                if len(met) > MOST_STARTS:
                    raise SolveError(Status.TOO_MANY_STATES, f"turns begin in {len(met)} ways")
        return list(met)

    # ---- one turn

    def _at(self, lookup: Lookup | Formula, point: Point) -> Lookup:
        """A lookup with the axes between turns fixed, the others numbered anew."""
        index = tuple(slice(None) if a in self.within else point[a] for a in lookup.axes)
        axes = tuple(self.within.index(a) for a in lookup.axes if a in self.within)
        return Lookup(
            axes,
            np.ascontiguousarray(lookup.values[index]).reshape(
                [self.model.axes[self.within[a]].size for a in axes]
            ),
        )

    def _prepare(self, number: int) -> None:
        """Make the model of a turn; where it ends, its last lookups wait for the values."""
        model = self.model
        node, point = self.start(number)
        lookups = [self._at(lookup, point) for lookup in model.lookups]
        rewards, after = list(model.rewards), {}
        target, effect, reward = model.target.copy(), model.effect.copy(), model.reward.copy()
        end = int(np.flatnonzero(model.kind == END)[0])
        places: dict[tuple[int, int], int] = {}
        for (change, to, guard), edges in self.ends.items():
            if not all(lookups[k].values.any() for k in model.guards[guard]):
                continue  # it never comes to that
            if (change, to) not in places:
                axes, ids = self._after(to, model.effects[change], point, lookups)
                places[change, to] = len(lookups)
                after[change, to] = (axes, ids)
                lookups.append(Lookup(axes, np.zeros(ids.shape)))
            for edge in edges.tolist():
                own = rewards[reward[edge]]
                rewards.append(Reward(own.constant, (*own.lookups, places[change, to])))
                target[edge], effect[edge], reward[edge] = end, 0, len(rewards) - 1
        closing = np.concatenate([np.zeros(0, np.int64), *self.ends.values()]).astype(np.int64)
        target[closing], effect[closing] = end, 0
        kept = [a for a, axis in enumerate(model.axes) if a in self.within]
        effects = tuple(
            Effect(tuple((kept.index(a), k) for a, k in e.assign if a in self.within))
            for e in model.effects
        )
        stored = np.zeros_like(model.stored)
        stored[node] = True
        self.after[number] = after
        self.models[number] = evolve(
            model,
            axes=tuple(model.axes[a] for a in kept),
            lookups=tuple(lookups),
            effects=effects,
            rewards=tuple(rewards),
            target=target,
            effect=effect,
            reward=reward,
            stored=stored,
            start=node,
            start_point=tuple(point[a] for a in kept),
            average=False,
        )

    def _after(
        self, node: int, effect: Effect, point: Point, lookups: list[Lookup]
    ) -> tuple[Point, Array]:
        """Numbers of the starts after an effect, over the axes of the turn that it reads."""
        model, assigned = self.model, dict(effect.assign)
        axes = tuple(sorted({a for k in assigned.values() for a in lookups[k].axes}))
        sizes = [model.axes[self.within[a]].size for a in axes]
        steps = strides(model.shape)
        ids = np.full(sizes, self.number(node, (0,) * len(model.axes)), np.int64)
        valid = np.ones(sizes, np.bool_)
        for axis in range(len(model.axes)):
            if axis in assigned:
                own = lookups[assigned[axis]]
                shape = [s if a in own.axes else 1 for a, s in zip(axes, sizes, strict=True)]
                new = own.values.reshape(shape)
                valid &= (new >= 0) & (new < model.axes[axis].size)
            else:  # an axis of the turn that nothing sets anew is not read before it is
                new = np.asarray(point[axis] if axis in self.between else 0)
            ids = ids + new * int(steps[axis])
        return axes, np.where(valid, ids, -1)

    def solved(self, number: int, values: Mapping[int, float]) -> Solved:
        """Solve the turn from a start, the values of the starts after it being known."""
        if number not in self.models:
            self._prepare(number)
        model = self.models[number]
        lookups = list(model.lookups)
        begin = len(lookups) - len(self.after[number])
        for place, (axes, ids) in enumerate(self.after[number].values(), begin):
            known, where = np.unique(ids, return_inverse=True)
            worth = np.array([values.get(k, 0.0) for k in known.tolist()])
            lookups[place] = Lookup(axes, worth[where].reshape(ids.shape))
        solved = self.solve(evolve(model, lookups=tuple(lookups)))
        if not solved.status.solved:
            raise SolveError(solved.status, solved.detail)
        self.stuck = solved.stuck if self.stuck is None else self.stuck
        return solved


@define(eq=False)
class TurnValues:
    """Values of all states: those of the turns in which they come up."""

    turns: Turns
    values: Mapping[int, float]  # of the starts, at the end of a turn
    solved: dict[int, Solved] = field(factory=dict)  # by number of the start; others on demand

    def value_at(self, node: int, point: Point) -> Value:
        """Value of a state; LookupError where it is not known."""
        own = tuple(point[a] for a in self.turns.within)
        for number in self.values:
            _, start = self.turns.start(number)
            if all(start[a] == point[a] for a in self.turns.between):
                if number not in self.solved:
                    self.solved[number] = self.turns.solved(number, self.values)
                try:
                    return self.solved[number].value_at(node, own)
                except LookupError:
                    continue  # a turn that begins elsewhere may come to it
        raise LookupError(f"node {node} at {point} comes up in no turn")


def solve_turns(model: Model, solve: Solve) -> Solved:
    """Solve turn by turn; SolveError where the turns do not fit or come again."""
    begun = perf_counter()
    turns = Turns(model, solve)
    starts = turns.all_starts()
    values: dict[int, float] = {}
    solved: dict[int, Solved] = {}
    errors: dict[int, float] = {}
    for number in _last_first(turns, starts):
        found = solved[number] = turns.solved(number, values)
        values[number] = float(found.value)  # type: ignore[arg-type]
        later = max((errors[k] for k in turns.following(number)), default=0.0)
        errors[number] = found.error_bound + later
    first = starts[0]
    inside = TurnValues(turns, values, solved)
    return _result(inside, values[first], errors[first], perf_counter() - begun)


def _last_first(turns: Turns, starts: list[int]) -> list[int]:
    """The starts in an order in which each comes after all those to which it leads."""
    done: dict[int, bool] = {}
    order = []
    for root in starts:
        stack = [(root, False)]
        while stack:
            number, ready = stack.pop()
            if ready:
                done[number] = True
                order.append(number)
            elif number not in done:
                done[number] = False
                stack.append((number, True))
                for later in turns.following(number):
                    if done.get(later) is False:
                        raise SolveError(Status.UNSUPPORTED, "turns come again, without a limit")
                    stack.append((later, False))
    return order


def solve_average(model: Model, solve: Solve) -> Solved:
    """Solve the long run; SolveError where the bounds do not meet."""
    begun = perf_counter()
    turns = Turns(model, solve)
    starts = turns.all_starts()
    values = dict.fromkeys(starts, 0.0)
    step, best, low, high = 1.0, np.inf, -np.inf, np.inf
    for _ in range(MOST_ROUNDS):
        solved = {number: turns.solved(number, values) for number in starts}
        found = {number: float(s.value) for number, s in solved.items()}  # type: ignore[arg-type]
        gains = np.array([found[number] - values[number] for number in starts])
        error = max(s.error_bound for s in solved.values())
        low, high = max(low, gains.min() - error), min(high, gains.max() + error)
        largest = max(1.0, *(abs(v) for v in found.values()))
        distance = float(gains.max() - gains.min())
        if distance <= CLOSE * largest:
            value = float((gains.max() + gains.min()) / 2)
            bound = max(high - value, value - low)
            inside = TurnValues(turns, values, solved)
            return _result(inside, value, bound, perf_counter() - begun)
        if distance > 0.95 * best:
            step = 0.5
        best = min(best, distance)
        base = values[starts[0]] + step * gains[0]
        values = {
            number: values[number] + step * gain - base
            for number, gain in zip(starts, gains.tolist(), strict=True)
        }
    detail = f"the long run lies between {low:.9g} and {high:.9g}"
    raise SolveError(Status.NOT_CONVERGED, detail)


def _result(inside: TurnValues, value: float, error: float, seconds: float) -> Solved:
    methods = {s.method for s in inside.solved.values()}
    return Solved(
        model=inside.turns.model,
        status=Status.SOLVED,
        value=value,
        lower=value - error,
        upper=value + error,
        error_bound=error,
        method=f"turn by turn ({max(methods, key=len)})",
        seconds=seconds,
        stuck=inside.turns.stuck,
        states_stored=len(inside.values),
        states_reachable=len(inside.values),
        evaluator=inside,
    )
