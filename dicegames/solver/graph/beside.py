"""Several ways to play the same game in one model: a turn is played in one of them.

Each way has nodes of its own, and the turn that follows begins at the start of the first way: which
way that turn is played is decided where it begins. What ways have in common, such as what follows a
move, is one when equal nodes are merged.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np
from attrs import evolve

from dicegames.solver.graph.canonical import canonical
from dicegames.solver.graph.turn import unfit
from dicegames.solver.model import EDGE_ARRAYS, NODE_ARRAYS, Array, Effect, Model, Reward


def beside(models: Iterable[Model]) -> tuple[Model, Array]:
    """The models in one, which begins with a choice of them, and the start of each.

    All have the same axes, and so most tables in common, which are kept once. SolveError where
    turns do not all begin at the start of a model.
    """
    whole, starts = None, list[int]()
    for model in models:
        if np.flatnonzero(model.stored).tolist() != [model.start]:
            raise unfit("turns begin in several ways")
        starts.append(model.start + (0 if whole is None else whole.nodes))
        whole = canonical(model if whole is None else _appended(whole, model))
    assert whole is not None
    turns = np.isin(whole.target, starts)
    target = np.where(turns, starts[0], whole.target).astype(np.int32)
    begins = np.array(starts)
    begun = evolve(whole, target=target).begun_at(begins)
    return evolve(begun, stored=np.append(whole.stored, True)), begins


def _appended(one: Model, other: Model) -> Model:
    """One model with the nodes, edges and tables of another after its own."""
    lookups, nodes = len(one.lookups), one.nodes
    shifted = {
        "target": nodes,
        "guard": len(one.guards),
        "effect": len(one.effects),
        "reward": len(one.rewards),
    }
    arrays: dict[str, Any] = {
        name: np.append(getattr(one, name), getattr(other, name) + dtype(shifted.get(name, 0)))
        for name, dtype in EDGE_ARRAYS.items()
    }
    arrays |= {name: np.append(getattr(one, name), getattr(other, name)) for name in NODE_ARRAYS}
    guards = (tuple(k + lookups for k in guard) for guard in other.guards)
    effects = (
        Effect(tuple((axis, k + lookups) for axis, k in effect.assign)) for effect in other.effects
    )
    rewards = (
        Reward(reward.constant, tuple(k + lookups for k in reward.lookups))
        for reward in other.rewards
    )
    paid = None
    if one.other_rewards is not None or other.other_rewards is not None:
        own = other.rewards_by_seat + np.int32(len(one.rewards))
        paid = np.vstack([one.rewards_by_seat, own])[:, 1:]
    return evolve(
        one,
        lookups=(*one.lookups, *other.lookups),
        guards=(*one.guards, *guards),
        effects=(*one.effects, *effects),
        rewards=(*one.rewards, *rewards),
        first_edge=np.append(one.first_edge, other.first_edge[1:] + one.edges),
        other_rewards=paid,
        drawn=None,
        **arrays,
    )
