"""What a process is worth that was read from an exported file."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence

import numpy as np

Way = tuple[float, Sequence[tuple[float, Hashable]]]
"""A choice: what is won by it, and where it leads with which probability."""

SWEEPS = 200
NEARLY = 1e-12
"""What a way must gain to be taken in place of another one, which may be as good."""


def iterated(ways: Mapping[Hashable, Sequence[Way]], begin: Hashable, *, least: bool) -> float:
    """Return the most (or the least) that can be expected; a state without ways is worth nothing.

    States are swept from the last to the first. Where the values do not settle, the ways that look
    best by then are improved one after another, with their values by linear equations.
    """
    sign = -1 if least else 1
    value = dict.fromkeys(ways, 0.0)
    for _ in range(SWEEPS):
        change = 0.0
        for state in reversed(list(ways)):
            new = sign * max((sign * _worth(way, value) for way in ways[state]), default=0.0)
            change, value[state] = max(change, abs(new - value[state])), new
        if not change:
            return value[begin]
    policy = {s: max(own, key=lambda w: sign * _worth(w, value)) for s, own in ways.items() if own}
    while True:
        value = _evaluated(policy, list(ways))
        gains = {s: [sign * (_worth(w, value) - value[s]) for w in ways[s]] for s in policy}
        better = {s: ways[s][g.index(max(g))] for s, g in gains.items() if max(g) > NEARLY}
        if not better:
            return value[begin]
        policy |= better


def _worth(way: Way, value: Mapping[Hashable, float]) -> float:
    won, on = way
    return won + sum(p * value[to] for p, to in on)


def _evaluated(policy: Mapping[Hashable, Way], states: Sequence[Hashable]) -> dict[Hashable, float]:
    """Return what every state is worth if these ways are gone."""
    index = {state: number for number, state in enumerate(states)}
    matrix, side = np.eye(len(states)), np.zeros(len(states))
    for state, (won, on) in policy.items():
        side[index[state]] = won
        for p, to in on:
            matrix[index[state], index[to]] -= p
    return dict(zip(states, np.linalg.solve(matrix, side).tolist(), strict=True))
