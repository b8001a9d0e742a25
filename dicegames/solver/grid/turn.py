"""A turn as a graph: what is left of that of the model when equal nodes are one.

Inside a turn one counter may grow, points at risk say; its index is the *level* k. The ends of the
turn are nodes whose edges all leave it; everything else leads on at the same level (then targets
come before sources) or to a higher one. Levels are evaluated from the last to the
first. Beyond the last level the counter stays there: what is more counts as much as the last.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np
from attrs import define, field, frozen

from dicegames.solver.kernels.arrays import Matrix, Vector
from dicegames.solver.model import BRANCH, CHANCE, CHOICE, END, Array, Effect, Formula, Model
from dicegames.solver.status import SolveError, Status

Edge = tuple[int, int, int, tuple[float, ...]]
"""Target, levels up, guard (0: none), reward by seat."""


class TurnGraph(NamedTuple):
    """The merged nodes of a turn, the targets of edges at the same level before their sources."""

    chance: Vector[np.uint8]  # [N]: the mean of the edges, else the best of them
    first: Vector[np.int64]  # [N + 1]
    target: Vector[np.int64]  # [E]: node; -1 - k: the end k of the turn
    rise: Vector[np.int64]  # [E]: levels up
    weight: Vector[np.float64]  # [E]
    guard: Vector[np.int64]  # [E]: number among the guards that vary, -1: none
    reward: Matrix[np.float64]  # [E, seats], before them what is aimed at if that is something else


@frozen(eq=False)
class MergedTurn:
    """A turn: its graph, and where the nodes of the model are in it."""

    model: Model
    ends: tuple[int, ...]  # nodes of the model: the ends of the graph
    stored: tuple[int, ...]  # nodes of the model
    guards: tuple[int, ...]  # guards of the model that vary with what lasts or with the level
    graph: TurnGraph
    node_of: Array  # int64[nodes of the model]: node of the graph, -1: an end, -2: none

    @property
    def nodes(self) -> int:
        """How many nodes the graph has."""
        return self.graph.chance.size

    @property
    def inner(self) -> int:
        """The axis of the counter inside the turn, -1 if there is none."""
        return inner_axis(self.model)


def inner_axis(model: Model) -> int:
    """Return the axis of the counter that grows inside the turn, -1 if there is none."""
    found = [a for a, axis in enumerate(model.axes) if axis.inner]
    if len(found) > 1:
        raise SolveError(Status.UNSUPPORTED, "two counters change in a loop of the turn")
    return found[0] if found else -1


def plan(model: Model, *, aims: Array | None = None) -> MergedTurn:
    """Return the turn of a model.

    `aims` (int32[E]) are the rewards that the one to move plays for, where it is not the payoff.
    """
    return _planned(model) if aims is None else _Planner(model, aims).turn()


@lru_cache(maxsize=4)
def _planned(model: Model) -> MergedTurn:
    return _Planner(model, None).turn()


@define
class _Planner:
    model: Model
    aims: Array | None
    edges: list[list[Edge]] = field(factory=list)
    weights: list[list[float]] = field(factory=list)
    numbers: dict[Any, int] = field(factory=dict)
    node_of: dict[int, int] = field(factory=dict)  # node of the model -> merged node
    kinds: list[int] = field(factory=list)
    inner: int = -1
    entered: set[int] = field(factory=set)  # nodes whose values are kept for every level

    def turn(self) -> MergedTurn:
        model = self.model
        self.inner = inner_axis(model)
        ends = tuple(n for n in range(model.nodes) if self._is_end(n))
        stored = tuple(int(n) for n in np.flatnonzero(model.stored))
        order = self._in_order(set(ends))
        rises = [e for e in range(model.edges) if self._rise(int(model.effect[e])) > 0]
        risen = set(model.target[rises].tolist()) & set(order)
        self.entered = {*ends, *stored, *risen}
        for node in order:
            self._merge(node)
        used = sorted({g for edges in self.edges for _, _, g, _ in edges if g})
        node_of = np.full(model.nodes, -2, np.int64)
        for node, merged in self.node_of.items():
            node_of[node] = merged
        node_of[list(ends)] = -1
        return MergedTurn(model, ends, stored, tuple(used), self._graph(ends, used), node_of)

    def _is_end(self, node: int) -> bool:
        model = self.model
        first, last = int(model.first_edge[node]), int(model.first_edge[node + 1])
        return int(model.kind[node]) == BRANCH and all(self._leaves(e) for e in range(first, last))

    def _leaves(self, edge: int) -> bool:
        model = self.model
        if int(model.kind[model.target[edge]]) == END:
            return True
        if not model.stored[model.target[edge]]:
            return False
        effect = int(model.effect[edge])
        counts_on = self.inner >= 0 and (effect == 0 or self._rise(effect) >= 0)
        return bool(model.rotate[edge]) or not counts_on

    def _rise(self, effect: int) -> int:
        """Return by how many levels an effect rises, -1 if it does anything else."""
        assign = self.model.effects[effect].assign
        if not assign:
            return -1
        ((axis, number), *rest) = assign
        lookup = self.model.lookups[number]
        if rest or axis != self.inner or isinstance(lookup, Formula) or lookup.axes != (axis,):
            return -1
        taken = lookup.values >= 0  # elsewhere the guard does not hold
        up = (lookup.values - np.arange(len(lookup.values)))[taken]
        return int(up[0]) if up.size and (up == up[0]).all() and up[0] >= 0 else -1

    def _in_order(self, ends: set[int]) -> list[int]:
        """Return the nodes that a turn meets, targets at the same level before their sources."""
        order: list[int] = []
        state: dict[int, int] = dict.fromkeys(ends, 2)  # 1: begun, 2: done
        roots = [int(n) for n in np.flatnonzero(self.model.stored)]
        while roots:
            pending = [roots.pop()]
            while pending:
                node = pending[-1]
                if state.get(node):
                    pending.pop()
                    if state[node] == 1:
                        state[node] = 2
                        order.append(node)
                    continue
                state[node] = 1
                level, higher = self._targets(node)
                roots += higher
                if any(state.get(target) == 1 for target in level):
                    raise SolveError(Status.UNSUPPORTED, "a turn goes round without a change")
                pending += [target for target in level if target not in state]
        return order

    def _targets(self, node: int) -> tuple[list[int], list[int]]:
        """Return where the edges of a node lead at the same level, and above it."""
        model = self.model
        level, higher = list[int](), list[int]()
        for edge in range(int(model.first_edge[node]), int(model.first_edge[node + 1])):
            up = self._rise(int(model.effect[edge])) > 0
            (higher if up else level).append(int(model.target[edge]))
        return level, higher

    def _merge(self, node: int) -> None:
        """Give a node its merged number; `numbers` knows what has been met."""
        model, found = self.model, dict[Edge, float]()
        for e in range(int(model.first_edge[node]), int(model.first_edge[node + 1])):
            target, effect = int(model.target[e]), int(model.effect[e])
            up = self._rise(effect) if effect else 0
            if up < 0 or model.rotate[e] or model.kind[target] == END:
                raise SolveError(Status.UNSUPPORTED, "something that lasts changes inside a turn")
            if target in self.node_of and not up:
                target = -1 - self.node_of[target]  # merged nodes are negative here
            edge = (target, up, int(model.guard[e]), self._rewards(e))
            found[edge] = found.get(edge, 0.0) + float(model.weight[e])
        chance = int(model.kind[node]) == CHANCE
        weights = tuple(found.values()) if chance else (1.0,) * len(found)
        key = (chance, tuple(found), weights)
        plain = not chance and len(found) == 1
        ((target, up, guard, reward), *_) = found
        own = node in self.entered
        if plain and target < 0 and not (up or guard or any(reward) or own):
            self.node_of[node] = -1 - target
            return
        name = (*key, node) if own else key
        if name not in self.numbers:
            self.numbers[name] = len(self.edges)
            self.edges.append(list(found))
            self.weights.append(list(weights))
            self.kinds.append(CHANCE if chance else CHOICE)
        self.node_of[node] = self.numbers[name]

    def _rewards(self, edge: int) -> tuple[float, ...]:
        model = self.model
        numbers = [int(model.reward[edge])]
        numbers += [] if model.other_rewards is None else model.other_rewards[edge].tolist()
        aimed_at = [] if self.aims is None else [int(self.aims[edge])]
        sense = 1.0 if model.maximise else -1.0
        if any(model.rewards[n].lookups for n in (*aimed_at, *numbers)):
            raise SolveError(Status.UNSUPPORTED, "what is gained inside a turn varies")
        aims = [model.rewards[n].constant for n in aimed_at]
        return (*aims, *(sense * model.rewards[n].constant for n in numbers))

    def _graph(self, ends: tuple[int, ...], guards: list[int]) -> TurnGraph:
        end_of = {node: -1 - number for number, node in enumerate(ends)}
        rows: list[tuple[int, int, int]] = []
        for edges in self.edges:
            for target, up, guard, _ in edges:
                to = -1 - target  # a merged node
                if target >= 0:
                    to = end_of[target] if target in end_of else self.node_of[target]
                rows.append((to, up, guards.index(guard) if guard else -1))
        table = np.array(rows, np.int64).reshape(-1, 3).T
        targets, rises, guard_rows = (np.ascontiguousarray(column) for column in table)
        return TurnGraph(
            chance=(np.array(self.kinds) == CHANCE).astype(np.uint8),
            first=np.cumsum([0, *map(len, self.edges)]).astype(np.int64),
            target=targets,
            rise=rises,
            weight=np.array([w for weights in self.weights for w in weights], np.float64),
            guard=guard_rows,
            reward=np.array([e[3] for edges in self.edges for e in edges], np.float64),
        )


def resets(model: Model, effect: Effect) -> bool:
    """Whether an effect lets the counter of the turn begin anew, or leaves it alone."""
    inner = inner_axis(model)
    for axis, number in effect.assign:
        if axis == inner:
            lookup = model.lookups[number]
            return not isinstance(lookup, Formula) and not lookup.axes and int(lookup.values) == 0
    return True
