"""A model without axes, whose nodes are the listed states of another one.

Where few of the states that tables have room for come up, it is walked much faster.
"""

from __future__ import annotations

import numpy as np
from attrs import evolve

from dicegames.solver.graph.states import Graph
from dicegames.solver.model import END, Effect, Model, Reward


def one_by_one(graph: Graph) -> Model:
    """The model of listed states: node n is state n, and the last node is the end of play.

    The graph has its rewards; edges are its transitions, in their order.
    """
    model, edge = graph.model, graph.edge
    paid, number = np.unique(graph.reward, return_inverse=True)
    reward = 1 + number.reshape(len(edge), -1).astype(np.int32)
    always = np.zeros(len(edge), np.int32)
    return evolve(
        model,
        axes=(),
        lookups=(),
        guards=((),),
        effects=(Effect(),),
        rewards=(Reward(), *(Reward(amount) for amount in paid.tolist())),
        kind=np.append(model.kind[graph.nodes], np.int8(END)),
        chooser=np.append(model.chooser[graph.nodes], np.int8(0)),
        stored=np.append(model.stored[graph.nodes], False),
        first_edge=np.append(graph.first, len(edge)),
        target=np.where(graph.target < 0, graph.states, graph.target).astype(np.int32),
        weight=model.weight[edge],
        guard=always,
        effect=always,
        reward=reward[:, 0],
        rotate=model.rotate[edge],
        start=0,
        start_point=(),
        drawn=None,
        settled=None,
        other_rewards=None if model.other_rewards is None else reward[:, 1:],
    )
