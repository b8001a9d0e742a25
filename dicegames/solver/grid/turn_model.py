"""A turn as a model by itself: what is left between where it begins and where it ends.

Inside a turn one counter may grow, points at risk say; its index is the *level*. The ends of the
turn are nodes whose edges all leave it; everything else leads on at the same level or to a higher
one. Whether guards hold that depend on what lasts is given from outside: each is a flag. What is
alike is merged, and edges are sorted, as for blocks (`graph.ordered`, `graph.turn`). Beyond the
last level of an evaluation the counter stays there: what is more counts as much as the last.

In loops of chance alone throws are made again until they show something else. Nobody chooses there
and nothing changes, so where a loop leads in the end is known beforehand. With the probabilities P
between its nodes and Q of its ways out, these are taken with (I - P)^-1 Q (absorbing chains: Kemeny
and Snell, Finite Markov Chains, 1960, theorem 3.3.7).
"""

from __future__ import annotations

from functools import lru_cache

import numpy as np
from attrs import evolve, frozen

from dicegames.solver.graph.expand import components
from dicegames.solver.graph.ordered import merge_by_seat
from dicegames.solver.graph.turn import READ, Turn, plan_turn, reachable_nodes
from dicegames.solver.model import (
    BRANCH,
    CHANCE,
    CHOICE,
    END,
    Array,
    Axis,
    Effect,
    Formula,
    Lookup,
    Model,
    Reward,
    rows_begin,
)
from dicegames.solver.status import SolveError, Status


@frozen(eq=False)
class MergedTurn:
    """A turn: the model of its inside, and where the nodes of the whole model are in it.

    Flag k of the inside tells whether the guard `guards[k]` of the whole holds; rewards are those
    of every seat, with the sign that all want much, before them what is aimed at if that is
    something else. Play that has begun comes from a node of its own.
    """

    model: Model
    ends: tuple[int, ...]  # nodes of the model
    stored: tuple[int, ...]  # nodes of the model
    guards: tuple[int, ...]  # guards of the model that vary with what lasts or with the level
    inside: Model
    order: Turn  # of the inside
    end: Array  # int64[E of the inside]: number of the end that an edge leads to, -1: none
    node_of: Array  # int64[nodes of the model]: node of the inside, -1: an end, -2: none

    @property
    def nodes(self) -> Array:
        """The nodes of the inside, in the order of evaluation."""
        kind = self.inside.kind[self.order.nodes]
        return self.order.nodes[kind != END]

    @property
    def rises(self) -> dict[int, int]:
        """By how many levels effects of the inside rise."""
        return {effect: int(after[0]) for effect, after in self.order.shifts.items()}

    @property
    def columns(self) -> int:
        """How many numbers an edge pays."""
        return self.inside.seats

    def reward(self, column: int) -> Array:
        """Return the rewards of the edges in a column: int32[E of the inside]."""
        each = len(self.inside.rewards) // self.columns
        return (self.inside.reward + column * each).astype(np.int32)

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
    return _planned(model) if aims is None else _plan(model, aims)


def _plan(model: Model, aims: Array | None = None) -> MergedTurn:
    inner, source = inner_axis(model), model.sources
    rise = np.array([_rise(model, effect, inner) for effect in model.effects])[model.effect]
    over = model.kind[model.target] == END
    leaves = over | (model.stored[model.target] & ((model.rotate != 0) | (rise < 0) | (inner < 0)))
    goes_on = np.bincount(source, ~leaves, model.nodes) > 0
    ends = np.flatnonzero((model.kind == BRANCH) & ~goes_on)
    within = ~np.isin(source, ends)
    met = reachable_nodes(model, model.stored, within)
    within &= met[source]
    if bool((within & (over | (rise < 0) | (model.rotate != 0))).any()):
        raise SolveError(Status.UNSUPPORTED, "something that lasts changes inside a turn")
    met[ends] = False
    nodes, edges = np.flatnonzero(met), np.flatnonzero(within)
    guards = np.setdiff1d(model.guard[edges], [0])
    inside, end = _inside(model, nodes, edges, ends, rise, guards, aims)
    inside, label = without_chance_loops(inside, end + 1)
    inside, merged, label = merge_by_seat(inside, label, (CHOICE, CHANCE))
    order = plan_turn(inside)
    if bool((order.sort == READ).any()):
        why = "a turn may come back to where it was, which no grid takes"
        if inner >= 0:  # with a limit it needs no grid
            why += "; give a limit to what grows in it, such as: points = 0 to 1000 capped"
        raise SolveError(Status.UNSUPPORTED, why)
    node_of = np.full(model.nodes, -2, np.int64)
    node_of[nodes], node_of[ends] = merged[: nodes.size], -1
    return MergedTurn(
        model=model,
        ends=tuple(ends.tolist()),
        stored=tuple(np.flatnonzero(model.stored).tolist()),
        guards=tuple(guards.tolist()),
        inside=inside,
        order=order,
        end=label[inside.reward].astype(np.int64) - 1,
        node_of=node_of,
    )


_planned = lru_cache(maxsize=4)(_plan)


def _rise(model: Model, effect: Effect, inner: int) -> int:
    """Return by how many levels an effect rises, -1 if it does anything else."""
    if not effect.assign:
        return 0
    ((axis, number), *rest) = effect.assign
    lookup = model.lookups[number]
    if rest or axis != inner or isinstance(lookup, Formula) or lookup.axes != (axis,):
        return -1
    taken = lookup.values >= 0  # elsewhere the guard does not hold
    up = (lookup.values - np.arange(len(lookup.values)))[taken]
    return int(up[0]) if up.size and (up == up[0]).all() and up[0] >= 0 else -1


def _inside(
    model: Model, nodes: Array, edges: Array, ends: Array, rise: Array, guards: Array,
    aims: Array | None,
) -> tuple[Model, Array]:  # fmt: skip
    """Return the inside of a turn, and by edge the number of the end that it leads to, or -1.

    Its nodes are those given, then the ends that are entered from a lower level, so that lower
    levels can read them; then the end of all, and where play comes from.
    """
    rise, target = rise[edges], model.target[edges]
    end_of = np.full(model.nodes, -1, np.int64)
    end_of[ends] = np.arange(ends.size)
    end = end_of[target]
    entered = np.unique(end[(end >= 0) & (rise > 0)])
    more, last = np.zeros(entered.size, np.int32), nodes.size + entered.size
    number = np.full(model.nodes, last, np.int32)
    number[nodes] = np.arange(nodes.size)
    number[ends[entered]] = nodes.size + np.arange(entered.size)
    ups = np.union1d(rise, [0])
    rewards, paid = _rewards(model, edges, aims)
    paid = np.pad(paid, [(0, entered.size), (0, 0)]).astype(np.int32)
    flag = np.searchsorted(guards, model.guard[edges], "right")  # 0: none
    flags = [Axis(f"guard {guard}", 2, "flag") for guard in guards.tolist()]
    level = Axis("level", int(ups[-1]) + 2, "counter", inner=True)
    shifts = [Lookup((len(flags),), (up + np.arange(level.size)).astype(np.int32)) for up in ups]
    inside = evolve(
        model,
        axes=(*flags, level),
        lookups=(*(Lookup((k,), np.array([False, True])) for k in range(len(flags))), *shifts),
        guards=((), *((k,) for k in range(len(flags)))),
        effects=(Effect(), *(Effect(((len(flags), len(flags) + k),)) for k in range(1, ups.size))),
        rewards=rewards,
        kind=np.array([*model.kind[nodes], *(more + BRANCH), END], np.int8),
        chooser=np.zeros(last + 1, np.int8),
        stored=np.append(model.stored[nodes], np.zeros(entered.size + 1, np.bool_)),
        first_edge=rows_begin(np.array([*np.diff(model.first_edge)[nodes], *(more + 1), 0])),
        target=np.append(np.where((end >= 0) & (rise == 0), last, number[target]), more + last),
        weight=np.append(model.weight[edges], more + 1.0),
        guard=np.append(flag, more).astype(np.int32),
        effect=np.append(np.searchsorted(ups, rise), more).astype(np.int32),
        reward=paid[:, 0],
        other_rewards=paid[:, 1:],
        rotate=np.zeros(len(paid), np.int8),
        start_point=(0,) * (len(flags) + 1),
        seats=paid.shape[1],
        maximise=True,
        constant_sum=None,
        drawn=None,
        settled=None,
    )
    begins = np.flatnonzero(inside.stored)
    end = np.concatenate([np.where(rise > 0, -1, end), entered, np.full(begins.size, -1)])
    return inside.begun_at(begins), end


def _rewards(model: Model, edges: Array, aims: Array | None) -> tuple[tuple[Reward, ...], Array]:
    """Return rewards with the sign of what is wanted, and those of edges: int64[edges, columns]."""
    seats = 1 if model.other_rewards is None else model.seats
    numbers = model.rewards_by_seat[edges, :seats].astype(np.int64)
    rewards = [Reward(model.sense * reward.constant) for reward in model.rewards]
    if aims is not None:
        numbers = np.column_stack([aims[edges] + len(rewards), numbers])
        rewards += [Reward(reward.constant) for reward in model.rewards]
    varies = [number for number, reward in enumerate(model.rewards) if reward.lookups]
    if bool(np.isin(numbers % len(model.rewards), varies).any()):
        raise SolveError(Status.UNSUPPORTED, "what is gained inside a turn varies")
    return tuple(rewards), numbers


def resets(model: Model, effect: Effect) -> bool:
    """Whether an effect lets the counter of the turn begin anew, or leaves it alone."""
    inner = inner_axis(model)
    for axis, number in effect.assign:
        if axis == inner:
            lookup = model.lookups[number]
            return not isinstance(lookup, Formula) and not lookup.axes and int(lookup.values) == 0
    return True


# ---- loops of chance alone


def without_chance_loops(model: Model, labels: Array) -> tuple[Model, Array]:
    """Return a model in which each node of such a loop leads straight to the ways out.

    `labels` (int[edges], 0: none) tell edges apart that are otherwise alike; those of the new edges
    are returned as well. Loops without a way out, and those with guards, are left as they are.
    """
    source, quiet = model.sources, _quiet(model, labels)
    first = rows_begin(np.bincount(source[quiet], minlength=model.nodes))
    _, component = components(first, model.target[quiet].astype(np.int64))
    within = quiet & (component[source] == component[model.target])
    within &= np.bincount(component[source], ~within)[component[source]] > 0
    loops = np.unique(component[source[within]])
    kept = [np.flatnonzero(~np.isin(component[source], loops))]
    begins, weights = [source[kept[0]]], [model.weight[kept[0]]]
    for loop in loops.tolist():
        nodes = np.flatnonzero(component == loop)
        ways, chances = _ways_out(model, labels, nodes, within)
        for node, row in zip(nodes, chances, strict=True):
            kept.append(ways[row > 0])
            begins.append(np.full(kept[-1].size, node))
            weights.append(row[row > 0])
    begun, edges = np.concatenate(begins), np.concatenate(kept)
    order = np.argsort(begun, kind="stable")
    straight = model.with_edges(edges[order], weight=np.concatenate(weights)[order])
    first = rows_begin(np.bincount(begun, minlength=model.nodes))
    return evolve(straight, first_edge=first), labels[edges[order]]


def _quiet(model: Model, labels: Array) -> Array:
    """Which edges lead from chance to chance, and do nothing else: bool[edges]."""
    free = np.array([not reward.lookups and reward.constant == 0.0 for reward in model.rewards])
    idle = np.array([not effect.assign for effect in model.effects])
    chance = model.kind == CHANCE
    guarded = np.bincount(model.sources, model.guard != 0, model.nodes) > 0
    return (
        (chance & ~guarded)[model.sources] & chance[model.target] & idle[model.effect]
        & free[model.rewards_by_seat].all(axis=1) & (model.rotate == 0) & (labels == 0)
    )  # fmt: skip


def _ways_out(model: Model, labels: Array, nodes: Array, within: Array) -> tuple[Array, Array]:
    """Return the ways out of a loop, and how likely each is from its nodes: float64[nodes, ways].

    Of edges that are alike the first stands for all.
    """
    edges = np.flatnonzero(np.isin(model.sources, nodes))
    out, stays = edges[~within[edges]], edges[within[edges]]
    columns = (model.target, model.effect, model.rotate, *model.rewards_by_seat.T, labels)
    alike = np.column_stack([column[out] for column in columns])
    _, first, way = np.unique(alike, axis=0, return_index=True, return_inverse=True)
    stay, leave = np.zeros((nodes.size, nodes.size)), np.zeros((nodes.size, first.size))
    at, to = (np.searchsorted(nodes, ends[stays]) for ends in (model.sources, model.target))
    np.add.at(stay, (at, to), model.weight[stays])
    np.add.at(leave, (np.searchsorted(nodes, model.sources[out]), way.ravel()), model.weight[out])
    return out[first], np.linalg.solve(np.eye(nodes.size) - stay, leave)
