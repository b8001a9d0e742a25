"""What a game brings to who makes each legal move as often as another, exactly.

The states are listed as for best play, choices being a throw of as many faces as there are moves.
With V what is still to come, r what a transition pays and W the mean of the square of what is still
to come, ::

    V(s) = sum of w * (r + V(s'))        W(s) = sum of w * (r * r + 2 * r * V(s') + W(s'))
"""

from __future__ import annotations

import numpy as np

from dicegames.analysis.solution import Solution
from dicegames.rules.running.referee import start
from dicegames.solver.explicit.backup import SUM
from dicegames.solver.explicit.scalar import solve_steps, steps_of
from dicegames.solver.graph.states import expand_states
from dicegames.solver.kernels.workers import Workers
from dicegames.solver.model import CHOICE
from dicegames.solver.status import SolveError

MOST_LISTED = 1_000_000


def random_play(solution: Solution) -> tuple[float, float] | None:
    """Return mean and standard deviation; None where players meet, or states are too many."""
    compiled = solution.compiled
    model = compiled.in_order()[0]
    alone = model.seats == 1 and model.constant_sum is None
    if not alone or solution.by_seat or any(axis.unbounded for axis in model.axes):
        return None
    try:
        with Workers(None) as workers:
            graph = expand_states(model, workers, MOST_LISTED)
            steps = steps_of(graph)
            ways = np.diff(steps.first)
            chooses = np.repeat(model.kind[graph.nodes] == CHOICE, ways)
            even = steps._replace(
                weight=np.where(chooses, 1.0 / np.repeat(ways, ways), steps.weight),
                mode=np.full_like(steps.mode, SUM),
            )
            value = solve_steps(even, workers)[1]
            paid = even.reward
            after = np.where(even.target >= 0, value[even.target], 0.0)
            squares = even._replace(reward=paid * paid + 2.0 * paid * after)
            square = solve_steps(squares, workers)[1]
    except SolveError:
        return None
    spread = float(np.sqrt(max(0.0, square[0] - value[0] ** 2)))
    first = start(compiled.game).node
    return float(value[0]) + compiled.offset(list(first.env))[0], spread
