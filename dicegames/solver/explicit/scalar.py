"""One number for each state: components solved sinks first, cycles by sweeps (see `backup`)."""

from __future__ import annotations

import numpy as np

from dicegames.solver.explicit.backup import (
    ALL_MOVES,
    BEST_TO_LEAVE,
    FEW_SWEEPS,
    MAX_OF,
    MEAN_OF,
    MIN_OF,
    NEARLY_BEST,
    Steps,
    carried,
    encloses,
    longest_stay,
    one_signed,
    settle,
    solve_alone,
    solve_easy,
)
from dicegames.solver.explicit.direct import FIRST_SWEEPS, closed, solve_directly
from dicegames.solver.graph.expand import components
from dicegames.solver.graph.states import BRIEF_STATES, Graph, NoValue, in_order
from dicegames.solver.kernels.workers import Workers
from dicegames.solver.model import CHANCE, CHOICE, Array
from dicegames.solver.status import Status

MOST_SCALAR_SWEEPS = 100_000
MOST_STAYS = 20_000
"""So often the expected steps inside a component are swept."""


def steps_of(graph: Graph) -> Steps:
    """The transitions with one number per state: seats by sign, choosers by mode.

    Where each seat has a number of its own, payments are those to the seat to move.
    """
    model = graph.model
    kind = model.kind[graph.nodes]
    opposed = model.chooser[graph.nodes] == 1
    largest = (opposed != model.maximise) | (kind != CHOICE)
    mode = np.where(kind == CHANCE, MEAN_OF, np.where(largest, MAX_OF, MIN_OF)).astype(np.uint8)
    opposed_seats = model.constant_sum is not None
    turned = (model.rotate[graph.edge] != 0) & (graph.target >= 0) & opposed_seats
    reward = np.ascontiguousarray(graph.reward if graph.reward.ndim == 1 else graph.reward[:, 0])
    return Steps(
        first=graph.first,
        target=graph.target,
        weight=model.weight[graph.edge],
        reward=reward + turned * model.constant_sum if opposed_seats else reward,
        sign=np.where(turned, -1.0, 1.0),
        mode=mode,
    )


def staying(part: Steps) -> Array:
    """In which states choices can keep play for ever, whatever chance does: bool[states].

    What leads out of these states leads to the end (`closed`).
    """
    number = np.diff(part.first)
    source = np.repeat(np.arange(len(number)), number)
    needed = np.maximum(1, number * (part.mode == MEAN_OF))
    stays, count = np.ones(len(number), np.bool_), 0
    while count != (count := int(np.count_nonzero(stays))):
        inside = (part.target >= 0) & stays[part.target]
        stays &= np.bincount(source[inside], minlength=len(number)) >= needed
    return stays


def _longest_that_counts(
    steps: Steps, value: Array, states: Array, component: Array, stay: Array, rest: float
) -> float:
    """Bound the expected steps inside a component that all play leaves; else inf (see `backup`).

    Those over all moves where they are soon found: they may be very many.
    """
    given = (steps, value, states, component, stay)
    longest = longest_stay(*given, ALL_MOVES, FEW_SWEEPS)
    if np.isfinite(longest):
        return longest
    longest = longest_stay(*given, NEARLY_BEST, MOST_STAYS)
    if np.isfinite(longest) and encloses(*given, rest):
        return longest
    return longest_stay(*given, ALL_MOVES, MOST_STAYS)


def _solve_cycle(
    steps: Steps,
    value: Array,
    errors: Array,
    stay: Array,
    states: Array,
    component: Array,
    workers: Workers,
) -> Status:
    """Solve one component with a cycle; its error bound is written to `errors`."""
    given = (steps, value, states, component, stay)
    part = closed(steps, states, value)
    stays = bool(staying(part).any())
    proven = one_signed(steps, states, MIN_OF) or one_signed(steps, states, MAX_OF)
    known = carried(steps, errors, states, component)
    rest, largest, settled = workers.run(settle, *given, FIRST_SWEEPS, workers.stop)
    if not settled:
        found = None
        if proven or not stays:
            found = solve_directly(part, None if stays else value[states], workers)
        if found is not None:
            value[states], errors[states] = found[0], known + found[1]
            return Status.SOLVED
        rest, largest, settled = workers.run(settle, *given, MOST_SCALAR_SWEEPS, workers.stop)
    if not np.isfinite(value[states]).all() or rest > 1e-9 * largest:
        endless = largest > 1e15 or stays
        return Status.ENDLESS if endless else Status.NOT_CONVERGED
    longest = np.inf
    if not stays:  # else sweeps would go on up to the last one, for nothing
        longest = _longest_that_counts(*given, rest)
    status = Status.SOLVED
    if not np.isfinite(longest):
        longest = longest_stay(*given, BEST_TO_LEAVE, MOST_STAYS)
        status = Status.SOLVED if proven else Status.ONE_SIDED
        rest += 1e-11 * largest
    if not np.isfinite(longest):
        return Status.ENDLESS if stays else Status.NOT_CONVERGED
    errors[states] = known + rest * longest
    return status


def solve_steps(
    steps: Steps, workers: Workers, known: Array | None = None
) -> tuple[Status, Array, Array, int, int]:
    """Values and error bounds of all states, number of components and of cycles.

    States without transitions keep the values that are `known` (float64[states]).
    """
    count = len(steps.first) - 1
    few = count <= BRIEF_STATES
    found, component = workers.run(components, steps.first, steps.target, brief=few)
    order, ends = in_order(component, found)
    value = np.zeros(count) if known is None else known.copy()
    errors, stay = np.zeros(count), np.zeros(count)
    given = (steps, value, errors, order, ends)
    status, cycles = Status.SOLVED, 0
    at = workers.run(solve_alone, *given, 0, component, brief=few)
    while at < found:  # else there are no cycles, and nothing is compiled for them
        at, easy = workers.run(solve_easy, *given, at, component, stay, workers.stop)
        cycles += easy
        if at == found:
            break
        states = order[ends[at] : ends[at + 1]]
        new = _solve_cycle(steps, value, errors, stay, states, component, workers)
        if not new.solved:
            among = staying(closed(steps, states, value)) & (new is Status.ENDLESS)
            raise NoValue(new, states[among])
        status = new if new is not Status.SOLVED else status
        cycles += 1
        at += 1
    return status, value, errors, found, cycles
