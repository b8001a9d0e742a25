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
from attrs import frozen

from dicegames.solver.blocks.plan import Plan
from dicegames.solver.graph.turn import Turn, levels
from dicegames.solver.model import CHANCE, END, Array, Formula, Lookup, Model

EPSILON = 2.3e-16


@frozen
class Rounding:
    """What is rounded in one evaluation of a turn."""

    depth: float
    """So many roundings follow one another."""
    paid: tuple[float, float]
    """The most that is paid on a way to the end of the game, and to another turn."""

    def of(self, largest: float) -> float:
        """Return the most, no value at the end of a turn being larger."""
        over, on = self.paid
        return self.depth * EPSILON * max(over, on + largest)


def rounding(plan: Plan) -> Rounding:
    """Return what is rounded in the turns of a plan."""
    model, points = plan.original, _most_points(plan.turn)
    widest = np.diff(model.first_edge)[model.kind == CHANCE].max(initial=0)
    depth = plan.layout.levels + points + sqrt(widest)
    return Rounding(float(depth), _most_paid(plan, points))


def _most_points(turn: Turn) -> int:
    """Return how many inner points a turn comes to at most, one after the other."""
    source, target = turn.moves
    every = np.ones(source.size, np.bool_)
    return int(levels(source, target, every, turn.ranked.size).max()) + 1


def _most_paid(plan: Plan, points: int) -> tuple[float, float]:
    """Return the most that is paid on ways to the end of the game and to another turn.

    A turn comes to so many inner points.
    """
    model = plan.original
    amounts = [
        abs(reward.constant) + sum(_largest(model.lookups[k]) for k in reward.lookups)
        for reward in model.rewards
    ]
    paid, reads = np.array(amounts)[model.reward], model.stored[model.target]
    over = ~reads & (model.kind[model.target] == END)
    inside, again = ~reads & ~over & _taken(plan), 1
    if paid[_comes_again(model, inside)].any():  # once at every inner point
        inside &= np.array([not effect.assign for effect in model.effects])[model.effect]
        again = points
    rest = (again - 1) * _farthest(model, paid, inside)
    ways = (np.where(other, -np.inf, paid) for other in (reads, over))
    to_end, onward = (_farthest(model, way, inside) for way in ways)
    return rest + to_end, rest + onward


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
        further = paid + np.where(inside, far[model.target], 0)
        far[own] = np.maximum.reduceat(further, model.first_edge[own])
    return float(far.max(initial=0))


def _largest(lookup: Lookup | Formula) -> float:
    """Return the largest of its entries."""
    assert isinstance(lookup, Lookup)
    entries = lookup.kept if lookup.few is None else lookup.few
    return max(float(entries.max(initial=0)), -float(entries.min(initial=0)))
