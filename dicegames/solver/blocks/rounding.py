"""What rounding may have added up to in a solve by blocks.

Each row on the way from the end of a turn to its beginning is rounded; a mean of k numbers is wrong
by some sqrt(k) units in the last place of the largest of them, roundings being as often up as down
(Higham & Mary, SIAM J. Sci. Comput. 41, 2019). Inside a turn numbers may be larger than all that
are stored: what is paid on the way may cancel out. So both are read off the model as it was before
means were taken to make it smaller.
"""

from __future__ import annotations

from math import sqrt

import numpy as np

from dicegames.solver.blocks.plan import Plan
from dicegames.solver.graph.turn import levels
from dicegames.solver.model import CHANCE, END, Array, Formula, Lookup, Model

EPSILON = 2.3e-16


def rounding(plan: Plan, layers: int, largest: float) -> float:
    """Return the most, no stored value being larger."""
    model, points = plan.original, plan.turn.rank.size
    widest = np.diff(model.first_edge)[model.kind == CHANCE].max(initial=0)
    depth = plan.layout.levels + points + sqrt(widest)
    return float(layers * depth * EPSILON * _largest_inside(plan, points, largest))


def _largest_inside(plan: Plan, points: int, largest: float) -> float:
    """Return what no number inside a turn with so many inner points exceeds."""
    model = plan.original
    amounts = [
        abs(reward.constant) + sum(_largest(model.lookups[k]) for k in reward.lookups)
        for reward in model.rewards
    ]
    paid, reads = np.array(amounts)[model.reward], model.stored[model.target]
    inside, again = ~reads & (model.kind[model.target] != END) & _taken(plan), 1
    if paid[_comes_again(model, inside)].any():  # once at every inner point
        inside &= np.array([not effect.assign for effect in model.effects])[model.effect]
        again = points
    once = _farthest(model, paid + reads * largest, inside)
    return once + (again - 1) * _farthest(model, paid, inside)


def _taken(plan: Plan) -> Array:
    """Return which edges of the original model are taken in turns that are solved.

    Others may go round for ever: what never comes up, and moves that are worse than another one.
    """
    model, small, node_of = plan.original, plan.model, plan.node_of
    pairs = small.sources.astype(np.int64) * small.nodes + small.target
    ways = node_of[model.sources] * small.nodes + node_of[model.target]
    return np.isin(ways, pairs[np.isin(small.sources, plan.turn.nodes)])


def _comes_again(model: Model, inside: Array) -> Array:
    """Return which edges inside a turn lie on a way from a node to itself, or between two such."""
    source, target, nodes = model.sources, model.target, model.nodes
    ways = ((source, target), (target, source))
    after, before = (levels(*way, inside, nodes) < 0 for way in ways)
    ends = after & before
    return inside & ends[source] & ends[target]


def _farthest(model: Model, paid: Array, inside: Array) -> float:
    """Return the most that is paid along edges inside a turn and one that leads out of it."""
    own = np.flatnonzero(np.diff(model.first_edge))
    far, before = np.zeros(model.nodes), np.full(model.nodes, -1.0)
    while not np.array_equal(far, before):
        before = far.copy()
        far[own] = np.maximum.reduceat(paid + inside * far[model.target], model.first_edge[own])
    return float(far.max(initial=0))


def _largest(lookup: Lookup | Formula) -> float:
    """Return the largest of its entries."""
    assert isinstance(lookup, Lookup)
    entries = lookup.kept if lookup.few is None else lookup.few
    return max(float(entries.max(initial=0)), -float(entries.min(initial=0)))
