"""Make a model smaller without changing any value.

Three rewrites, repeated while they help:

* parallel edges become one: at CHANCE nodes the weights add up (differing constant rewards are
  averaged), at CHOICE nodes the better of two constant rewards stays;
* equal nodes become one: the coarsest partition in which nodes of a class have the same kind and
  the same edges into the same classes (bisimulation, found by refining hashes of the edges, then
  checked edge by edge);
* a CHOICE edge is dropped if another with the same guard and effect leads to a target of the same
  shape whose rewards, matched edge by edge through the control graph, are nowhere worse.  Every
  backup is monotone, so the dropped edge can never be the only best one.

Every node of the original maps to a node of the same value.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from attrs import evolve

from dicegames.solver.graph.canonical import canonical
from dicegames.solver.graph.dominate import ODD, dominated, mix, taken_apart
from dicegames.solver.model import (
    CHANCE,
    CHOICE,
    EDGE_ARRAYS,
    END,
    NODE_ARRAYS,
    Array,
    Model,
    Reward,
    rows_taken,
)

Reduced = tuple[Model, Array]
"""A smaller model, and for each original node its node there: int64[N]."""


def reduce(model: Model) -> Reduced:
    """Merge what is equal and drop what is dominated."""
    model, node_of = _merge_once(canonical(model), _merge_edges)
    gone = dominated(model)
    model = model.with_edges(~gone) if gone.any() else model
    model, classes = merge(model, _merge_edges)
    return model, classes[node_of]


def merge(model: Model, join: Callable[[Model], Model], ordered: tuple[int, ...] = ()) -> Reduced:
    """Join edges and merge equal nodes while that helps; for `ordered` see `bisimulation`."""
    node_of = np.arange(model.nodes)
    while True:
        before = (model.nodes, model.edges)
        model, classes = _merge_once(model, join, ordered)
        node_of = classes[node_of]
        if (model.nodes, model.edges) == before:
            return model, node_of


def _merge_once(
    model: Model, join: Callable[[Model], Model], ordered: tuple[int, ...] = ()
) -> Reduced:
    model = join(model)
    classes = bisimulation(model, ordered)
    return quotient(model, classes), classes


def _merge_edges(model: Model) -> Model:
    """Join parallel edges."""
    source = model.sources
    constant, kind = taken_apart(model.rewards)
    constant, kind = constant[model.reward], kind[model.reward]
    target = np.where(model.kind[model.target] == END, -1, model.target)
    columns = (source, target, model.guard, model.effect, model.rotate, kind)
    order = np.lexsort(columns[::-1])
    new = np.zeros(model.edges, np.bool_)
    for column in columns:
        sorted_column = column[order]
        new[1:] |= sorted_column[1:] != sorted_column[:-1]
    new[:1] = True
    if new.all():
        return model
    group = np.cumsum(new) - 1
    begins = np.flatnonzero(new)
    picked = order[begins]
    weight = np.add.reduceat(model.weight[order], begins)
    mean = np.add.reduceat((model.weight * constant)[order], begins) / weight
    best = np.maximum if model.maximise else np.minimum
    other = np.minimum if model.maximise else np.maximum
    most = best.reduceat(constant[order], begins)
    least = other.reduceat(constant[order], begins)
    node = source[picked]
    opposed = (model.chooser[node] == 1) & (model.kind[node] == CHOICE)
    value = np.where(model.kind[node] == CHANCE, mean, np.where(opposed, least, most))
    alone = np.bincount(group) == 1
    value = np.where(alone | (most == least), constant[picked], value)
    rewards, reward = _renumber(model, value, picked)
    weight = np.where(model.kind[node] == CHANCE, weight, 1.0)
    return model.with_edges(picked, weight=weight, reward=reward, rewards=rewards)


def _renumber(model: Model, value: Array, picked: Array) -> tuple[tuple[Reward, ...], Array]:
    """Rewards with the given constants and the lookups of the edges picked."""
    number = {reward: i for i, reward in enumerate(model.rewards)}
    rewards = list(model.rewards)
    out = model.reward[picked].copy()
    constants, _ = taken_apart(model.rewards)
    for i in np.flatnonzero(value != constants[out]):
        reward = Reward(float(value[i]), rewards[out[i]].lookups)
        if reward not in number:
            number[reward] = len(rewards)
            rewards.append(reward)
        out[i] = number[reward]
    return tuple(rewards), out


def bisimulation(model: Model, ordered: tuple[int, ...] = ()) -> Array:
    """Class of every node, numbered by first appearance; stored nodes apart from others.

    The edges of nodes of the kinds that are `ordered` come in the same order within a class.
    """
    chooser = np.where(model.kind == CHOICE, model.chooser, 0)
    drawn = np.zeros(model.nodes, np.bool_) if model.drawn is None else model.drawn
    labels = mix(model.kind, chooser, model.stored, drawn)
    source = model.sources
    place = np.arange(model.edges) - model.first_edge[source]
    rank = np.where(np.isin(model.kind[source], ordered), place, 0)
    plain = mix(model.weight, model.guard, model.effect, model.reward, model.rotate, rank)
    plain[model.kind[model.target] == END] ^= ODD
    count = 0
    while True:
        classes = _classes(labels)
        if classes.max(initial=-1) + 1 == count:
            break
        count = int(classes.max()) + 1
        sums = np.append(np.uint64(0), np.cumsum(mix(plain, labels[model.target]), dtype=np.uint64))
        labels = mix(labels, np.diff(sums[model.first_edge]))
    _prove(model, classes, rank)
    return classes


def _classes(labels: Array) -> Array:
    _, where, inverse = np.unique(labels, return_index=True, return_inverse=True)
    number = np.empty(len(where), np.int64)
    number[np.argsort(where)] = np.arange(len(where))
    return number[inverse]


def _leaders(classes: Array) -> Array:
    """The first node of every class."""
    return np.unique(classes, return_index=True)[1]


def _prove(model: Model, classes: Array, rank: Array) -> None:
    """Check that nodes of one class have equal edges: hashes alone prove nothing."""
    leader = _leaders(classes)
    if len(leader) == model.nodes:
        return
    own = leader[classes]
    degree = np.diff(model.first_edge)
    source = model.sources
    columns = [classes[model.target], model.guard, model.effect, model.reward, model.rotate, rank]
    order = np.lexsort([model.weight, *columns, source])
    place = np.arange(model.edges) - model.first_edge[source]
    twin = order[model.first_edge[own[source]] + place]
    same = bool((degree == degree[own]).all()) and bool((model.kind == model.kind[own]).all())
    for column in [*columns, model.weight]:
        same = same and bool((column[order] == column[twin]).all())
    if not same:  # pragma: no cover - a collision of 64-bit hashes
        raise ArithmeticError("two different nodes have the same hash")


def quotient(model: Model, classes: Array) -> Model:
    """The model with one node for each class."""
    leader = _leaders(classes)
    if len(leader) == model.nodes:
        return model
    first, picked = rows_taken(model.first_edge, leader)
    edges = {name: getattr(model, name)[picked] for name in EDGE_ARRAYS}
    edges["target"] = classes[edges["target"]].astype(np.int32)
    return evolve(
        model,
        **{name: getattr(model, name)[leader] for name in NODE_ARRAYS},
        **edges,
        drawn=None if model.drawn is None else model.drawn[leader],
        first_edge=first,
        start=int(classes[model.start]),
    )
