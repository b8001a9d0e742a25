"""Whole throws: what is drawn at a chance node, in one go.

Dice are thrown one at a time in many models (see the compiler's `one_die_at_a_time`). An edge that
pays nothing, changes nothing and leads to another chance node is only a step on the way; so a
node's *outcomes* are the edges that chance takes at last. They are drawn from alias tables (Walker
1977, in Vose's form), one number for each throw.
"""

from __future__ import annotations

from typing import Final, NamedTuple

import numpy as np

from dicegames.solver.chain.chain import Walk
from dicegames.solver.graph.turn import LOCAL, levels
from dicegames.solver.kernels.arrays import Vector
from dicegames.solver.kernels.generator import alias_table
from dicegames.solver.model import CHANCE, Array, Model

MOST_DRAWN: Final = 20_000
"""Of one node; a throw with more of them is drawn step by step."""


class Draws(NamedTuple):
    """Outcomes by node: either `edge`, with the probability `keep`, or `other`."""

    first: Vector[np.int64]  # [N + 1]
    edge: Vector[np.int32]  # [outcomes]
    keep: Vector[np.float64]  # [outcomes]
    other: Vector[np.int32]  # [outcomes]: an edge as well


def make_draws(model: Model, walk: Walk) -> Draws:
    """Find the outcomes of every chance node that play enters."""
    chance = model.kind == CHANCE
    source = model.sources
    idle = (walk.sort == LOCAL) & (model.reward == 0) & (walk.label[model.reward] == 0)
    step = idle & chance[source] & chance[model.target]
    depth = levels(source, model.target, step, model.nodes)
    step &= depth[source] >= 0  # what goes round is drawn edge by edge
    edge = _alike(model)
    found: dict[int, tuple[Array, Array]] = {}
    for node in sorted(np.flatnonzero(chance).tolist(), key=lambda n: (depth[n], n)):
        found[node] = _outcomes(model, node, step, edge, found)
    entered = _entered(model, source, chance, found)
    first = np.zeros(model.nodes + 1, np.int64)
    edges, keeps, others = [np.zeros(0, np.int32)], [np.zeros(0)], [np.zeros(0, np.int32)]
    for node in entered:
        own, weight = found[node]
        keep, other = alias_table(weight)
        edges.append(own)
        keeps.append(keep)
        others.append(own[other])
        first[node + 1] = len(own)
    return Draws(
        np.cumsum(first),
        np.concatenate(edges).astype(np.int32),
        np.concatenate(keeps),
        np.concatenate(others).astype(np.int32),
    )


def _alike(model: Model) -> Array:
    """For every edge the first one that pays and leads the same."""
    columns = np.column_stack([model.target, model.effect, model.reward, model.rotate])
    _, one, number = np.unique(columns, axis=0, return_index=True, return_inverse=True)
    first: Array = one[number.ravel()]
    return first


def _outcomes(
    model: Model, node: int, step: Array, alike: Array, found: dict[int, tuple[Array, Array]]
) -> tuple[Array, Array]:
    """Edges at last and their probabilities; the node's own edges where there are too many."""
    own = np.arange(model.first_edge[node], model.first_edge[node + 1])
    parts = [
        found[int(model.target[e])] if step[e] else (alike[e : e + 1], np.ones(1)) for e in own
    ]
    edges = np.concatenate([edge for edge, _ in parts])
    weights = np.concatenate(
        [w * model.weight[e] for e, (_, w) in zip(own.tolist(), parts, strict=True)]
    )
    distinct, number = np.unique(edges, return_inverse=True)
    if len(distinct) > MOST_DRAWN:
        return own, np.asarray(model.weight[own])
    return distinct, np.bincount(number.ravel(), weights)


def _entered(
    model: Model, source: Array, chance: Array, found: dict[int, tuple[Array, Array]]
) -> list[int]:
    """Chance nodes that play enters: the start, after other nodes, and after outcomes."""
    met = np.zeros(model.nodes, np.bool_)
    met[model.target[~chance[source]]] = True
    met[model.start] = True
    pending = np.flatnonzero(met & chance).tolist()
    while pending:
        targets = model.target[found[pending.pop()][0]]
        new = np.unique(targets[chance[targets] & ~met[targets]])
        met[new] = True
        pending.extend(new.tolist())
    return np.flatnonzero(met & chance).tolist()
