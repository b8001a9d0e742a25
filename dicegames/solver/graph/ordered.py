"""Merge what is alike and keep every choice in its place: for whatever follows a policy.

`reduce` may drop moves that are no better than others, and change their order; then the values
stay, but not who gets what by which of two equally good moves. Here nothing is dropped or averaged.
"""

from __future__ import annotations

import numpy as np
from attrs import evolve

from dicegames.solver.graph.canonical import canonical
from dicegames.solver.graph.reduce import Reduced, merge
from dicegames.solver.model import CHANCE, CHOICE, END, Array, Model, Reward


def merge_by_seat(
    model: Model, labels: Array | int = 0, ordered: tuple[int, ...] = (CHOICE,)
) -> tuple[Model, Array, Array]:
    """The merged model, its node of every node, and the label of every reward.

    The rewards are those of the seat to move, then, in the same order, those of the next one.
    `labels` (int[E], 0: none) tell edges apart that pay the same. Nodes whose edges come in another
    order are told apart if their kind is `ordered`.
    """
    model = canonical(model)
    paid = np.column_stack([model.rewards_by_seat, np.broadcast_to(labels, model.edges)])
    paid = np.vstack([np.zeros((1, paid.shape[1]), np.int64), paid])
    rows, number = np.unique(paid, axis=0, return_inverse=True)
    # While edges are joined and nodes compared, a reward is nothing but a name.
    names = tuple(Reward(0.0, (i,) if i else ()) for i in range(len(rows)))
    named = evolve(
        model, rewards=names, reward=number.ravel()[1:].astype(np.int32), other_rewards=None
    )
    named, node_of = merge_alike(named, ordered)
    rewards = tuple(model.rewards[number] for number in rows[:, :-1].T.ravel().tolist())
    return evolve(named, rewards=rewards), node_of, rows[:, -1].astype(np.int32)


def merge_alike(model: Model, ordered: tuple[int, ...] = ()) -> Reduced:
    """The model with equal edges joined and nodes that behave alike merged; the node of every node.

    Rewards are told apart by their numbers. No choice is lost; for `ordered` see `bisimulation`.
    """
    return merge(model, _join, ordered)


def _join(model: Model) -> Model:
    """Join edges that are equal; the others keep their order, which is that of the rules."""
    source = model.sources
    target = np.where(model.kind[model.target] == END, -1, model.target)
    columns = [source, target, model.guard, model.effect, model.rotate, model.reward]
    _, where, group = np.unique(
        np.column_stack(columns), axis=0, return_index=True, return_inverse=True
    )
    if len(where) == model.edges:
        return model
    total = np.bincount(group.ravel(), model.weight)
    order = np.argsort(where)
    picked = where[order]
    chance = model.kind[source[picked]] == CHANCE
    return model.with_edges(picked, weight=np.where(chance, total[order], 1.0))
