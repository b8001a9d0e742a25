"""The starts of turns, and the small model of the turn from each of them (see `turns`)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from graphlib import CycleError, TopologicalSorter

import numpy as np
from attrs import define, evolve, field

from dicegames.solver.graph.states import MOST_LISTED_STATES, Graph, list_states
from dicegames.solver.kernels.flat import strides
from dicegames.solver.kernels.workers import Workers
from dicegames.solver.model import Array, Effect, Formula, Lookup, Model, Reward, over
from dicegames.solver.solved import Solve, Solved
from dicegames.solver.status import SolveError, State, Status

MOST_TURN_STARTS = 5000
Point = tuple[int, ...]


@define(eq=False)
class TurnStarts:
    """The turns of a model, each start by its number: place of the stored node, and the point."""

    model: Model
    solve: Solve
    within: tuple[int, ...] = ()  # axes that change inside a turn
    between: tuple[int, ...] = ()
    ends: dict[tuple[int, int, int], Array] = field(factory=dict)  # effect, target, guard -> edges
    read: Array = field(
        factory=lambda: np.zeros((0, 0), np.bool_)
    )  # [nodes, axes], see `axes_read`
    stuck: int | None = None  # as of what is solved
    models: dict[int, Model] = field(factory=dict)  # of the turn from a start
    after: dict[int, dict[tuple[int, int], tuple[Point, Array]]] = field(factory=dict)
    led: dict[int, list[int]] = field(factory=dict)  # see `following`

    def __attrs_post_init__(self) -> None:
        model = self.model
        if model.seats > 1:
            raise SolveError(Status.UNSUPPORTED, "turn by turn for several seats")
        closing = model.stored[model.target] & self.comes_again
        changed = {
            axis
            for number in np.unique(model.effect[~closing]).tolist()
            for axis, _ in model.effects[number].assign
        }
        axes = range(len(model.axes))
        self.within = tuple(a for a in axes if a in changed or model.axes[a].unbounded)
        self.between = tuple(a for a in axes if a not in self.within)
        self.read = axes_read(model)
        found: dict[tuple[int, int, int], list[int]] = {}
        for edge in np.flatnonzero(closing).tolist():
            parts = (model.effect[edge], model.target[edge], model.guard[edge])
            found.setdefault((int(parts[0]), int(parts[1]), int(parts[2])), []).append(edge)
        self.ends = {key: np.asarray(edges) for key, edges in found.items()}

    @property
    def comes_again(self) -> bool:
        """Whether what is stored is where turns begin: else nothing lasts, and all is one turn."""
        lasting = any(axis.size > 1 and not axis.unbounded for axis in self.model.axes)
        return lasting or self.model.average

    @property
    def is_one_turn(self) -> bool:
        """Whether the turn from the start is all there is."""
        return not self.between and int(self.model.stored.sum()) == 1 and not self.ends

    # ---- starts

    def number(self, node: int, point: Point) -> int:
        """Number of a start."""
        place = int(np.searchsorted(np.flatnonzero(self.model.stored), node))
        return place * self.model.points + self.model.position(point)

    def start(self, number: int) -> tuple[int, Point]:
        """Node and point of a start."""
        place, left = divmod(number, self.model.points)
        return int(np.flatnonzero(self.model.stored)[place]), self.model.point_at(left)

    def following(self, number: int) -> list[int]:
        """Starts to which the turn from a start may lead.

        Where a counter has no limit these may be more: those after all that the axes may hold.
        """
        if number not in self.models:
            self._prepare(number)
        if number not in self.led:
            ids = self._all_after(number) if self.model.unbounded else self._met_after(number)
            self.led[number] = np.unique(ids[ids >= 0]).tolist()
        return self.led[number]

    def _all_after(self, number: int) -> Array:
        """Numbers of the starts after a turn, whatever the axes hold at its end; -1 for none."""
        found = [ids.ravel() for _, ids in self.after[number].values()]
        return np.concatenate([np.zeros(0, np.int64), *found])

    def _met_after(self, number: int) -> Array:
        """The same after the states of the turn that come up."""
        turn, found = self.models[number], [np.zeros(0, np.int64)]
        if not self.within:
            return self._all_after(number)
        graph = _states_of(turn)
        source, inside = graph.source, np.unravel_index(graph.keys % graph.points, turn.shape)
        for (change, to, _), edges in self.ends.items():
            if (change, to) in self.after[number]:
                axes, ids = self.after[number][change, to]
                met = source[np.isin(graph.edge, edges)]
                led = ids[tuple(inside[axis][met] for axis in axes)]
                found.append(np.broadcast_to(led, met.shape))
        return np.concatenate(found)

    def all_starts(self) -> list[int]:
        """All starts that may come up, the first one first."""
        first = self.number(self.model.start, self.model.start_point)
        met, pending = {first: None}, [first]
        while pending:
            for number in self.following(pending.pop()):
                if number not in met:
                    met[number] = None
                    pending.append(number)
                if len(met) > MOST_TURN_STARTS:
                    endless = self.model.unbounded
                    status = Status.UNSUPPORTED if endless else Status.TOO_MANY_STATES
                    raise SolveError(status, f"turns begin in {len(met)} ways")
        return list(met)

    def last_first(self) -> list[int]:
        """All starts, each after all others to which it leads; SolveError where these lead back."""
        after = {number: set(self.following(number)) - {number} for number in self.all_starts()}
        try:
            return list(TopologicalSorter(after).static_order())
        except CycleError:
            raise SolveError(Status.UNSUPPORTED, "turns come again, without a limit") from None

    def demand_a_difference(self) -> None:
        """Raise SolveError where all games bring the same and turns may be lost at no cost.

        That is what a lone player wins, or pays to nobody, when a turn may lead back to its start.
        """
        model = self.model
        rewards = [model.rewards[k] for k in np.unique(model.reward).tolist()]
        last = model.target == model.end
        paid = np.array([reward.constant for reward in model.rewards])[model.reward]
        fixed = not any(reward.lookups for reward in rewards)
        same = fixed and not paid[~last].any() and np.unique(paid[last]).size == 1
        if same and any(number in self.following(number) for number in self.all_starts()):
            raise SolveError(Status.NO_COST, f"every game brings {paid[last][0]:g}")

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
        places: dict[tuple[int, int], int] = {}
        outside: dict[int, tuple[Point, Array]] = {}  # edge -> axes, where it leads off the tables
        for (change, to, guard), edges in self.ends.items():
            if not all(lookups[k].values.any() for k in model.guards[guard]):
                continue  # it never comes to that
            if (change, to) not in places:
                axes, ids = self._after(to, model.effects[change], point, lookups)
                places[change, to] = len(lookups)
                after[change, to] = (axes, ids)
                lookups.append(Lookup(axes, np.zeros(ids.shape)))
            off = _leading_off([lookups[k] for k in model.guards[guard]], *after[change, to])
            if off[1].any():
                outside |= dict.fromkeys(edges.tolist(), off)
            for edge in edges.tolist():
                own = rewards[reward[edge]]
                rewards.append(Reward(own.constant, (*own.lookups, places[change, to])))
                target[edge], effect[edge], reward[edge] = model.end, 0, len(rewards) - 1
        closing = np.concatenate([np.zeros(0, np.int64), *self.ends.values()]).astype(np.int64)
        target[closing], effect[closing] = model.end, 0
        effects = tuple(
            Effect(tuple((self.within.index(a), k) for a, k in e.assign if a in self.within))
            for e in model.effects
        )
        stored = np.zeros_like(model.stored) if self.comes_again else model.stored.copy()
        stored[node] = True
        self.after[number] = after
        self.models[number] = evolve(
            model,
            axes=tuple(model.axes[a] for a in self.within),
            lookups=tuple(lookups),
            effects=effects,
            rewards=tuple(rewards),
            target=target,
            effect=effect,
            reward=reward,
            stored=stored,
            start=node,
            start_point=tuple(point[a] for a in self.within),
            average=False,
        )
        if outside:
            _demand_inside(self.models[number], outside)

    def _after(
        self, node: int, effect: Effect, point: Point, lookups: list[Lookup]
    ) -> tuple[Point, Array]:
        """Numbers of the starts after an effect, over the axes of the turn on which they depend."""
        model, assigned = self.model, dict(effect.assign)
        kept = [a for a in self.within if a not in assigned and self.read[node, a]]
        place = {axis: self.within.index(axis) for axis in kept}
        axes = tuple(
            sorted({*place.values(), *(a for k in assigned.values() for a in lookups[k].axes)})
        )
        sizes = [model.axes[self.within[a]].size for a in axes]
        steps = strides(model.shape)
        ids = np.full(sizes, self.number(node, (0,) * len(model.axes)), np.int64)
        valid = np.ones(sizes, np.bool_)
        for axis in range(len(model.axes)):
            new = np.asarray(point[axis] if axis in self.between else 0)
            if axis in assigned:
                changed = lookups[assigned[axis]]
                new = over(axes, changed.axes, changed.values)
                valid &= (new >= 0) & (new < model.axes[axis].size)
            elif axis in place:
                own = np.arange(model.axes[axis].size)
                new = over(axes, (place[axis],), own)
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
        try:
            solved = self.solve(evolve(model, lookups=tuple(lookups)))
        except SolveError as error:
            told = [state for state in error.states if len(state[1]) == len(self.within)]
            states = tuple(self._whole(number, state) for state in told)
            raise SolveError(error.status, error.detail, states) from None
        if not solved.status.solved:
            raise SolveError(solved.status, solved.detail)
        self.stuck = solved.stuck if self.stuck is None else self.stuck
        return solved

    def _whole(self, number: int, state: State) -> State:
        """A state of the model, from one of the turn from a start."""
        node, inside = state
        point = list(self.start(number)[1])
        for axis, index in zip(self.within, inside, strict=True):
            point[axis] = index
        return node, tuple(point)


def _leading_off(guard: list[Lookup], axes: Point, ids: Array) -> tuple[Point, Array]:
    """Where a guard holds and no start follows: bool over the axes on which it depends."""
    whole = tuple(sorted({*axes, *(a for lookup in guard for a in lookup.axes)}))
    off = over(whole, axes, ids < 0)
    for lookup in guard:
        off = off & over(whole, lookup.axes, lookup.values)
    return whole, off


def _states_of(turn: Model) -> Graph:
    """List the states of a turn that come up."""
    with Workers(1) as workers:
        return list_states(turn, workers, MOST_LISTED_STATES)


def _demand_inside(turn: Model, outside: Mapping[int, tuple[Point, Array]]) -> None:
    """Raise SolveError where a turn comes to an edge that leads off the axes between turns.

    What the axes hold would not be all there is. Edges to which no play comes do no harm: what
    keeps it away may have been asked anywhere before in the turn.
    """
    graph = _states_of(turn)
    ends = np.flatnonzero(np.isin(graph.edge, list(outside)))
    for edge, state in zip(graph.edge[ends].tolist(), graph.source[ends].tolist(), strict=True):
        axes, off = outside[edge]
        _, point = graph.state(state)
        if off[tuple(point[axis] for axis in axes)]:
            raise SolveError(Status.NO_TAIL, "a turn leads to values that are not in the tables")


def axes_read(model: Model) -> Array:
    """Whether an axis may still be read from a node on, before it is set: bool[nodes, axes]."""

    def reading(parts: Iterable[tuple[int, ...]]) -> Array:
        """Which axes lookups read, of guards, say: bool[parts, axes]."""
        axes = [[a for k in part for a in model.lookups[k].axes] for part in parts]
        return _marked(axes, len(model.axes))

    sets = _marked([[a for a, _ in effect.assign] for effect in model.effects], len(model.axes))
    effects = reading(tuple(k for _, k in effect.assign) for effect in model.effects)
    guards, rewards = reading(model.guards), reading(r.lookups for r in model.rewards)
    source = model.sources
    by_edge = guards[model.guard] | rewards[model.reward] | effects[model.effect]
    read = np.zeros((model.nodes, len(model.axes)), np.bool_)
    count = -1
    while count != (count := int(np.count_nonzero(read))):
        np.logical_or.at(read, source, by_edge | (read[model.target] & ~sets[model.effect]))
    return read


def _marked(places: list[list[int]], size: int) -> Array:
    """Rows of so many truth values, true at some places: bool[rows, size]."""
    found = np.zeros((len(places), size), np.bool_)
    for row, own in zip(found, places, strict=True):
        row[own] = True
    return found
