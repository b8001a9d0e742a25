"""Sampled models: some chance nodes are estimated from N samples, all else is exact.

For every chance node n that is drawn and every point p, N outcomes k(1), ..., k(N) are drawn by
their weights, once and for all, and stand for the node::

    V(n, p) = sum over i of (r(k(i)) + V(target of k(i))) / N

Nodes with the same outcomes are one state at the same point, and have the same samples: a throw
that opens a turn and its repetition with as much in hand, say.

At the start of the game nothing is drawn: otherwise N throws alone would decide about the value.

V is what the sampled model *promises*.  Its strategy takes the best choices by V; what that is
*worth*, W, is a component that follows V: at choices W has what the choice by V leads to, at chance
nodes the true weights count.
"""

from __future__ import annotations

from attrs import evolve

from dicegames.solver.blocks.blocks import make_plan, make_run, run_layers
from dicegames.solver.blocks.components import promised_and_worth
from dicegames.solver.blocks.samples import make_samples
from dicegames.solver.kernels.workers import Workers
from dicegames.solver.model import Model
from dicegames.solver.status import SolveError, Status


def solve_sampled(
    model: Model, samples: int, seed: int, *, threads: int | None = None, time: float | None = None
) -> tuple[float, float]:
    """What a model whose `drawn` nodes are estimated promises at the start, and what that is worth.

    Raises SolveError where it cannot be solved.
    """
    with Workers(threads, time) as workers:
        plan = make_plan(model, workers, promised_and_worth)
        if plan.progress.cyclic:
            raise SolveError(Status.UNSUPPORTED, "samples need play that never comes back")
        plan = evolve(plan, samples=make_samples(plan.model, plan.layout, samples, seed))
        run = make_run(plan, workers)
        run_layers(run, workers, None)
        small = plan.model
        promised, worth = (
            float(run.blocks.values[run.position(small.start, small.start_point, c)])
            for c in range(2)
        )
    return promised, worth
