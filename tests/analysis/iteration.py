"""What a process is worth that was read from an exported file, by value iteration."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence

Way = tuple[float, Sequence[tuple[float, Hashable]]]
"""A choice: what is won by it, and where it leads with which probability."""

SWEEPS = 2000


def iterated(ways: Mapping[Hashable, Sequence[Way]], begin: Hashable, *, least: bool) -> float:
    """Return the most (or the least) that can be expected; a state without ways is worth nothing.

    States are swept from the last to the first.
    """
    pick = min if least else max
    value = dict.fromkeys(ways, 0.0)
    for _ in range(SWEEPS):
        change = 0.0
        for state in reversed(list(ways)):
            found = (won + sum(p * value[to] for p, to in on) for won, on in ways[state])
            new = pick(found, default=0.0)
            change, value[state] = max(change, abs(new - value[state])), new
        if change < 1e-13:
            break
    return value[begin]
