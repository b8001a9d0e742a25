"""What a way of playing is worth, state by state, and how often each state comes up.

With `chosen` the transition that is taken at each choice and V the values::

    V(s) = toll(s) + r + V(s') at a choice, toll(s) + sum of w * (r + V(s')) elsewhere

States are visited in an order in which, cycles apart, all that follows comes before (`in_order`):
one sweep solves what has no cycles, and further sweeps are made until nothing changes.

This is no second engine for what `chain` does. That follows the greedy moves of a solution through
turns, at many points at once, and layer by layer. Here no solution says what is played: the moves
are those of a strategy that is being looked for, changed a few at a time, each time from the last
values; states are listed one by one, without turns or layers, and may lead back to each other.
"""

from __future__ import annotations

import numpy as np

from dicegames.solver.explicit.absorbing import AbsorbingChain
from dicegames.solver.explicit.backup import Steps
from dicegames.solver.kernels.evaluate import PURE
from dicegames.solver.kernels.kernel import njit
from dicegames.solver.kernels.workers import Workers
from dicegames.solver.model import Array
from dicegames.solver.status import SolveError, Status

MOST_PLAYED_SWEEPS = 500
PLAYED_SETTLED = 1e-11


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


def visits_played(steps: Steps, chosen: Array, starts: Array) -> Array:
    """Return how often each state comes up (float64[states]), from so many starts in each.

    Raises SolveError where what is chosen goes round for ever.
    """
    taken = np.repeat(chosen, np.diff(steps.first))
    weight = np.where(taken < 0, steps.weight, np.arange(len(taken)) == taken)
    with Workers(1) as workers:
        chain = AbsorbingChain.of(steps.first, steps.target, weight, workers)
        try:
            return chain.visits(starts)
        except SolveError as problem:
            endless = problem.status is Status.ENDLESS
            raise SolveError(Status.GOES_ROUND) if endless else problem from None
