"""Two seats of opposed payoffs seen as seats of which each is paid and has a value of its own.

With payoffs that add up to C, what one is paid the other one loses, and at the end the other has
all of C that is left: the values of the seats are V and C - V.
"""

from __future__ import annotations

import numpy as np
from attrs import evolve

from dicegames.solver.model import END, Array, Lookup, Model, Reward


def write_seats(model: Model, table: Array, out: Array) -> None:
    """Write the values of a stored node seat after seat: float64[seats, entries]."""
    own = table.reshape(model.points, -1).T
    out[: len(own)] = own
    if model.constant_sum is not None:
        np.subtract(model.constant_sum, own[0], out=out[1])


def by_seat(model: Model) -> Model:
    """The model with what edges pay to the other seats, two of opposed payoffs included."""
    if model.constant_sum is None:
        return model
    begin, count = len(model.lookups), len(model.rewards)
    lookups = [
        Lookup(k.axes, -k.values if k.dtype == np.float64 else k.values) for k in model.lookups
    ]
    rewards = list(model.rewards)
    for left in (0.0, model.constant_sum):  # at the end all that is left goes to the other seat
        for reward in model.rewards:
            own = tuple(k + begin for k in reward.lookups)
            rewards.append(Reward(left - reward.constant, own))
    ends = model.kind[model.target] == END
    others = model.reward + np.where(ends, 2 * count, count)
    return evolve(
        model,
        lookups=(*model.lookups, *lookups),
        rewards=tuple(rewards),
        other_rewards=others[:, None].astype(np.int32),
        constant_sum=None,
    )
