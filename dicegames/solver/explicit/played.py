"""What a way of playing is worth, state by state, and how often each state comes up.

With `chosen` the transition that is taken at each choice, V the values and m the expected number of
visits from the starts::

    V(s) = toll(s) + r + V(s') at a choice, toll(s) + sum of w * (r + V(s')) elsewhere
    m(s) = starts(s) + sum of m(s') * w over the transitions that lead from s' to s

States are visited in an order in which, cycles apart, all that follows comes before (`in_order`):
one sweep solves what has no cycles, and further sweeps are made until nothing changes.

This is no second engine for what `chain` does. That follows the greedy moves of a solution through
turns, at many points at once, and layer by layer. Here no solution says what is played: the moves
are those of a strategy that is being looked for, changed a few at a time, each time from the last
values; states are listed one by one, without turns or layers, and may lead back to each other.
"""

from __future__ import annotations

import numpy as np

from dicegames.solver.explicit.backup import Steps
from dicegames.solver.kernels.evaluate import PURE
from dicegames.solver.kernels.kernel import njit
from dicegames.solver.model import Array

MOST_PLAYED_SWEEPS = 500
PLAYED_SETTLED = 1e-11
LEFT = 1e-16
"""What may be left on the way where it is sent on."""


@njit(**PURE)
def _values(
    steps: Steps, chosen: Array, toll: Array, order: Array, farthest: float, value: Array
) -> float:
    """Find the values; the largest change, relative to the largest value, of the last sweep."""
    change, begun = 0.0, value[0]
    for _ in range(MOST_PLAYED_SWEEPS):
        change, largest = 0.0, 1.0
        for s in order:
            lo, hi = steps.first[s], steps.first[s + 1]
            if lo == hi:
                continue
            if chosen[s] >= 0:
                lo, hi = chosen[s], chosen[s] + 1
            new = toll[s]
            for k in range(lo, hi):
                after = value[steps.target[k]] if steps.target[k] >= 0 else 0.0
                new += steps.weight[k] * (steps.reward[k] + after)
            change = max(change, abs(new - value[s]))
            largest = max(largest, abs(new))
            value[s] = new
        change /= largest
        if change <= PLAYED_SETTLED or abs(value[0] - begun) > farthest:
            break
    return change


@njit(**PURE)
def _flow(
    steps: Steps, chosen: Array, counted: Array, order: Array, flow: Array, met: Array,
    after: Array, ended: Array,
) -> float:  # fmt: skip
    """Send on what flows in, as far as the next counted transition; what is left on the way."""
    left = 0.0
    for _ in range(MOST_PLAYED_SWEEPS):
        for i in range(order.size - 1, -1, -1):
            s = order[i]
            here = flow[s]
            if here == 0.0:
                continue
            flow[s] = 0.0
            met[s] += here
            lo, hi = steps.first[s], steps.first[s + 1]
            if chosen[s] >= 0:
                lo, hi = chosen[s], chosen[s] + 1
            for k in range(lo, hi):
                part = here * steps.weight[k]
                if steps.target[k] < 0:
                    ended[counted[k]] += part
                elif counted[k] != 0:
                    after[steps.target[k]] += part
                else:
                    flow[steps.target[k]] += part
        left = 0.0
        for s in range(flow.size):
            left += flow[s]
        if left <= LEFT:
            break
    return left


def values_played(
    steps: Steps, chosen: Array, toll: Array, order: Array, known: Array, farthest: float = np.inf
) -> tuple[Array, bool]:
    """Return the values of all states (float64), and whether they have settled.

    `chosen` is the transition that is taken at each choice, -1 elsewhere (int64[states]); `toll` is
    paid in a state (float64). States without transitions keep the values that are `known`; those of
    the others are a first guess. It is given up where state 0 is farther from its guess: sweep
    by sweep what is lost against best play only grows.
    """
    value = known.copy()
    change = _values(steps, chosen, toll, order, farthest, value)
    return value, bool(change <= PLAYED_SETTLED)


def visits_played(steps: Steps, chosen: Array, order: Array, starts: Array) -> Array:
    """Return how often each state comes up (float64[states]), from so many starts in each."""
    met = np.zeros(len(order))
    nothing = np.zeros(len(steps.target), np.uint8)
    _flow(steps, chosen, nothing, order, starts.copy(), met, np.zeros(0), np.zeros(2))
    return met


def sent_on(
    steps: Steps, chosen: Array, counted: Array, order: Array, starts: Array
) -> tuple[Array, Array]:
    """Return where play is after one counted transition: float64[states], and [2] where it ended.

    The first is what came to the end without one, the second what did by one. `counted` is
    uint8[transitions].
    """
    after, ended = np.zeros(len(order)), np.zeros(2)
    met = np.zeros(len(order))
    _flow(steps, chosen, counted, order, starts.copy(), met, after, ended)
    return after, ended
