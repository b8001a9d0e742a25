"""How far the counter inside a turn can be driven: the bound behind the last level of a turn."""

from __future__ import annotations

import numpy as np

from dicegames.solver.grid.kernels import LANES, WIDTH, run_turn
from dicegames.solver.grid.turn import Turn
from dicegames.solver.status import SolveError, Status

MOST_LEVELS = 1 << 13


def chance_of_last(turn: Turn, levels: int) -> float:
    """Return the greatest probability, over all ways to play, that a turn comes to the last level.

    Guards inside the turn are passed over, so that it is an upper bound.
    """
    edges = len(turn.program.weight)
    program = turn.program._replace(
        guard=np.full(edges, -1, np.int64),
        reward=np.zeros((edges, 1)),
        plain=np.ones_like(turn.program.plain),
    )
    rows = np.zeros((turn.entries * levels + turn.slots, LANES))
    for end in range(len(turn.ends)):
        rows[end * levels + levels - 1] = 1.0
    flat, nothing = rows.ravel(), np.empty((0, 0))
    run_turn(program, levels, 1, turn.entries, turn.slots, flat, np.empty(0), nothing, WIDTH)
    first = len(turn.ends)
    return max(float(rows[(first + s) * levels, 0]) for s in range(len(turn.stored)))


def levels_for(turn: Turn, chance: float) -> int:
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
