"""Numbers by chance that depend on a seed and a game's number alone: splitmix64.

The state of a game's generator (Steele, Lea and Flood 2014) begins as a hash of the seed and of the
number of the game: a game is the same wherever, and with however many threads, it is played. Alias
tables (Walker 1977) draw one of many outcomes from two numbers.
"""

from __future__ import annotations

import numpy as np

from dicegames.solver.kernels.evaluate import INLINE, KERNEL_OPTIONS
from dicegames.solver.kernels.kernel import njit
from dicegames.solver.model import Array

STEP = np.uint64(0x9E3779B97F4A7C15)
"""What is added to the state before each number."""
_ONE = np.uint64(0xBF58476D1CE4E5B9)
_TWO = np.uint64(0x94D049BB133111EB)


@njit(**INLINE)
def mixed(z: np.uint64) -> np.uint64:
    """Return the number that belongs to a state: 64 bits."""
    z = (z ^ (z >> np.uint64(30))) * _ONE
    z = (z ^ (z >> np.uint64(27))) * _TWO
    return z ^ (z >> np.uint64(31))


@njit(**INLINE)
def begun(seed: int, game: int) -> int:
    """Return the state with which a game begins."""
    start = np.uint64(seed) * _ONE + STEP
    return mixed(mixed(start) + np.uint64(game) * _TWO)


@njit(**INLINE)
def uniform(state: int) -> float:
    """Return the number that belongs to a state, from 0 up to, but not including, 1."""
    return float(mixed(state) >> np.uint64(11)) * (1.0 / 9007199254740992.0)


@njit(**KERNEL_OPTIONS)
def begin(seed: int, games: Array) -> Array:
    """Return the states with which games begin, by their numbers: uint64[games]."""
    states = np.empty(games.size, np.uint64)
    for i in range(games.size):
        states[i] = begun(seed, games[i])
    return states


def alias_table(weight: Array) -> tuple[Array, Array]:
    """For every outcome: the probability to keep it, and the number of the one instead.

    In the form of M. D. Vose (1991); weights need not add up to 1.
    """
    keep, other = np.ones(len(weight)), np.arange(len(weight))
    scaled = (weight * (len(weight) / float(weight.sum()))).tolist()
    low = [i for i, p in enumerate(scaled) if p < 1]
    high = [i for i, p in enumerate(scaled) if p >= 1]
    while low and high:
        short, rich = low.pop(), high[-1]
        keep[short], other[short] = scaled[short], rich
        scaled[rich] -= 1 - scaled[short]
        if scaled[rich] < 1:
            low.append(high.pop())
    return keep, other
