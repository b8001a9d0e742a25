"""Solve a model by the method that fits it, or say beforehand what that takes."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from math import inf

import numpy as np
from attrs import evolve

from dicegames.ground.collector import collector_at_rest
from dicegames.ground.limits import UNLIMITED, Limits
from dicegames.solver.blocks.pieces import Keeping
from dicegames.solver.graph.states import MOST_LISTED_STATES
from dicegames.solver.kernels.workers import Workers
from dicegames.solver.methods.by_blocks import ByBlocks
from dicegames.solver.methods.by_states import ByStates
from dicegames.solver.methods.by_turns import ByTurns
from dicegames.solver.methods.method import Asked, Cost, Method
from dicegames.solver.methods.with_tail import WithTail
from dicegames.solver.model import Model
from dicegames.solver.solved import Solved
from dicegames.solver.status import SolveError, Status
from dicegames.solver.validation import validate

METHODS: tuple[type[Method], ...] = (ByTurns, WithTail, ByBlocks, ByStates)
"""In the order in which they are asked whether they fit."""


def method_for(model: Model, asked: Asked, wanted: str = "auto") -> Method:
    """The method that fits a model, made ready for it; `wanted` as in `solve`."""
    kinds, why = METHODS, ""
    if asked.in_folder:
        kinds = (ByBlocks,)
    elif wanted == "explicit":
        kinds = tuple(kind for kind in METHODS if kind is not ByBlocks)
    elif wanted != "auto" and model.axes:
        kinds = tuple(kind for kind in METHODS if kind is not ByStates)
    for kind in kinds:
        try:
            return kind.fit(model, asked, why)
        except SolveError as error:
            if error.status is not Status.UNSUPPORTED:
                raise
            why = error.detail
    if asked.in_folder:
        raise SolveError(Status.NOT_IN_FOLDER, why)
    raise SolveError(Status.UNSUPPORTED, why)


def cost_of(
    model: Model, limits: Limits = UNLIMITED, *, in_folder: bool = False, counted: float = inf
) -> Cost:
    """What solving a model will take, by the method that `solve` takes.

    `in_folder`: if values are kept there in place of memory.

    States are not counted beyond the memory (bytes) allowed; no more time (seconds) than allowed is
    spent, SolveError where that is not enough. In larger tables than `counted` (entries) it is
    not found out how many states can come up: what is told then is at most so.
    """
    with Workers(limits.threads, limits.left) as workers:
        asked = Asked(workers, limits.memory, in_folder=in_folder, counted=counted)
        asked = evolve(asked, solve=partial(_solved, asked=asked, wanted="auto"))
        return method_for(model, asked).cost(asked)


def solve(
    model: Model,
    limits: Limits = UNLIMITED,
    *,
    method: str = "auto",
    states: int = MOST_LISTED_STATES,
    accept: Callable[[Cost], None] | None = None,
    keeping: Keeping | None = None,
) -> Solved:
    """Solve a model; what went wrong, if anything, is in the status of the result.

    The memory that `limits` allow is that of tables and scratch; what they tell of progress is
    blocks done and blocks in all.  `method` is "auto", "blocks" or "explicit"; `states` limits the
    explicit one.  `accept` is told the cost before solving begins, and may raise.  `keeping` says
    where the values are kept, if not in memory; raises PiecesError.
    """
    validate(model)
    try:
        with collector_at_rest(), Workers(limits.threads, limits.left) as workers:
            asked = Asked(
                workers,
                limits.memory,
                states,
                limits.progress,
                goes_on=method == "auto",
                keeping=keeping,
                in_folder=keeping is not None,
            )
            return _solved(model, asked, method, accept)
    except SolveError as error:
        return _failed(model, error)


def _solved(
    model: Model, asked: Asked, wanted: str, accept: Callable[[Cost], None] | None = None
) -> Solved:
    """Solve a model or a part of one."""
    asked = evolve(asked, solve=partial(_solved, asked=asked, wanted=wanted))
    method = method_for(model, asked, wanted)
    if accept is not None:
        accept(method.cost(asked))
    return method.solve(asked)


def _failed(model: Model, error: SolveError) -> Solved:
    return Solved(
        model=model,
        status=error.status,
        detail=error.detail,
        trouble=error.states,
        value=float("nan"),
        error_bound=np.inf,
        method="none",
        seconds=0.0,
    )
