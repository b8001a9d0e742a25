"""Solve a model by the method that fits it."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from dicegames.ground.collector import collector_at_rest
from dicegames.solver.blocks.blocks import solve_blocks
from dicegames.solver.explicit.explicit import BYTES_PER_STATE, solve_explicit
from dicegames.solver.explicit.tail import solve_with_tail
from dicegames.solver.explicit.turns import solve_average, solve_turns
from dicegames.solver.graph.states import MAX_STATES
from dicegames.solver.kernels.workers import Workers
from dicegames.solver.model import Model
from dicegames.solver.solved import Solved
from dicegames.solver.status import SolveError, Status
from dicegames.solver.validation import validate

Progress = Callable[[float, float], None]
UNFIT = (Status.UNSUPPORTED, Status.NOT_CONVERGED, Status.ENDLESS)
"""Where the blocks find this, the explicit method goes on: it also says where play never ends."""


def solve(
    model: Model,
    *,
    threads: int | None = None,
    memory: int | None = None,
    time: float | None = None,
    progress: Progress | None = None,
    method: str = "auto",
    states: int = MAX_STATES,
) -> Solved:
    """Solve a model; what went wrong, if anything, is in the status of the result.

    `threads`: how many, all processors by default.  `memory` (bytes) and `time` (seconds) are
    limits.  `progress` is told blocks done and blocks in all.  `method` is "auto", "blocks",
    "plain" (blocks without vectors) or "explicit"; `states` limits the explicit one.
    """
    validate(model)
    try:
        with collector_at_rest(), Workers(threads, time) as workers:

            def plain(part: Model) -> Solved:
                return _solve(part, workers, progress, method, states, memory)

            def with_tail(part: Model) -> Solved:
                endless = any(axis.unbounded for axis in part.axes)
                return solve_with_tail(part, plain) if endless else plain(part)

            if model.average:
                return solve_average(model, with_tail)
            if len(model.axes) > 1 and any(axis.unbounded for axis in model.axes):
                return solve_turns(model, with_tail)
            return with_tail(model)
    except SolveError as error:
        return _failed(model, error)


def _solve(
    model: Model,
    workers: Workers,
    progress: Progress | None,
    method: str,
    states: int,
    memory: int | None,
) -> Solved:
    unsettled: SolveError | None = None
    if model.axes and method in ("auto", "blocks", "plain"):
        try:
            return solve_blocks(model, workers, progress, vector=method != "plain", memory=memory)
        except SolveError as error:
            if method != "auto" or error.status not in UNFIT:
                raise
            unsettled = error if error.status is not Status.UNSUPPORTED else None
    if memory is not None:
        states = min(states, max(1, memory // BYTES_PER_STATE))
    try:
        return solve_explicit(model, workers, states)
    except SolveError as error:
        if unsettled is not None and error.status is Status.TOO_MANY_STATES:
            raise unsettled from None
        raise


def _failed(model: Model, error: SolveError) -> Solved:
    nothing = float("nan")
    return Solved(
        model=model,
        status=error.status,
        detail=error.detail,
        trouble=error.states,
        value=nothing,
        lower=-np.inf,
        upper=np.inf,
        error_bound=np.inf,
        method="none",
        seconds=0.0,
    )
