"""Loops of chance alone: throws that are made again until they show something else.

Nobody chooses in such a loop and nothing changes, so where it leads in the end is known beforehand.
With the probabilities P between its nodes and Q of its ways out, these are taken with (I - P)^-1 Q
(absorbing chains: Kemeny and Snell, Finite Markov Chains, 1960, theorem 3.3.7).
"""

from __future__ import annotations

import numpy as np
from attrs import evolve

from dicegames.solver.graph.expand import components
from dicegames.solver.model import CHANCE, Array, Model, rows_begin


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
