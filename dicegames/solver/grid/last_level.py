"""How far the counter inside a turn can be driven: the bound behind the last level of a turn."""

from __future__ import annotations

from functools import lru_cache

import numpy as np

from dicegames.solver.grid.kernels import GRID_LANES
from dicegames.solver.grid.machine import Machine, machine
from dicegames.solver.grid.turn_model import MergedTurn
from dicegames.solver.status import SolveError, Status

MOST_LEVELS = 1 << 13


def chance_of_last(turn: MergedTurn, levels: int) -> float:
    """Return the greatest probability, over all ways to play, that a turn comes to the last level.

    Guards inside the turn are passed over, so that it is an upper bound.
    """
    ends = np.zeros((1, len(turn.ends), levels, 1, GRID_LANES))
    ends[:, :, -1] = 1.0
    guards = np.zeros((1, len(turn.guards), levels, GRID_LANES))
    found = _bare(turn).run(levels, ends, guards, lanes=1)
    return float(found.max(initial=0.0))


@lru_cache(maxsize=4)
def _bare(turn: MergedTurn) -> Machine:
    """The turn without guards and rewards, from all of its beginnings."""
    return machine(turn, 1, [(int(turn.node_of[node]), 0) for node in turn.stored], paid=0)


def levels_for(turn: MergedTurn, chance: float) -> int:
    """Return how many levels are enough that a turn comes to the last one no more often than that.

    Raises SolveError where the counter can be driven up too easily.
    """
    if turn.inner < 0:
        return 1
    axis = turn.model.axes[turn.inner]
    enough = 2
    while chance_of_last(turn, enough) > chance:
        enough *= 2
        if not axis.unbounded and enough >= axis.size:
            return axis.size  # there is nothing beyond
        if enough > MOST_LEVELS:
            raise SolveError(Status.NO_TAIL)
    low = enough // 2
    while enough - low > 1:
        middle = (low + enough) // 2
        low, enough = (low, middle) if chance_of_last(turn, middle) <= chance else (middle, enough)
    return enough
