"""The explicit method: one row per reachable state, solved component by component.

All states reachable from the start are expanded, the strongly connected components are solved
sinks first (`backup` holds the mathematics and the proof of the bounds).  It fits every model whose
states can be listed, cycles and selfish players included, and is the oracle of the fast method.
"""

from __future__ import annotations

from math import prod
from time import perf_counter

import numpy as np
from attrs import frozen

from dicegames.solver.explicit.backup import (
    MAX,
    MIN,
    SUM,
    Steps,
    carried,
    exit_value,
    iterate,
    longest_stay,
    one_signed,
    solve_easy,
)
from dicegames.solver.explicit.recurse import Point, Recursion, Vector
from dicegames.solver.explicit.seats import solve_seats
from dicegames.solver.graph.expand import (
    components,
)
from dicegames.solver.graph.states import MAX_STATES, Graph, NoValue, expand_states, in_order
from dicegames.solver.kernels.workers import Workers
from dicegames.solver.model import CHANCE, CHOICE, END, Array, Model
from dicegames.solver.solved import Solved, Value
from dicegames.solver.status import SolveError, Status

BYTES_PER_STATE = 250
MAX_TABLE = 50_000_000
SWEEPS = 100_000
MOST_NAMED = 1000
"""Of so many states where there is no end one is shown."""


@frozen(eq=False)
class ExplicitValues:
    """Values of the listed states: `keys` (node * points + flat point, ascending) and `values`."""

    model: Model
    keys: Array  # int64[states]
    values: Array  # float64[states, components]

    @classmethod
    def of(cls, graph: Graph, values: Array) -> ExplicitValues:
        """Return the values of the expanded states, sorted by their keys."""
        order = np.argsort(graph.keys)
        return cls(graph.model, graph.keys[order], values[order])

    def known(self, node: int, point: Point) -> Vector | None:
        """Value of a listed state by component, None of another."""
        shape = self.model.shape
        if any(i >= size for i, size in zip(point, shape, strict=True)):
            return None
        position = int(np.ravel_multi_index(point, shape)) if point else 0
        key = node * prod(shape) + position
        state = int(np.searchsorted(self.keys, key))
        if state == len(self.keys) or self.keys[state] != key:
            return None
        return tuple(float(v) for v in self.values[state])

    def table(self, node: int) -> Array:
        """Values of a node in the shape of the axes, and of the seats if there are several numbers.

        NaN where a state is not listed.
        """
        points, shape = prod(self.model.shape), self.model.shape
        begin, end = np.searchsorted(self.keys, [node * points, (node + 1) * points])
        table = np.full((points, self.values.shape[1]), np.nan)
        table[self.keys[begin:end] - node * points] = self.values[begin:end]
        return table.reshape(shape if self.model.scalar else (*shape, self.model.seats))

    def value_at(self, node: int, point: Point) -> Value:
        """Value of a state; LookupError where it is not known."""
        value = Recursion(self.model, self.known).value(node, point)
        return value[0] if self.model.scalar else value


def steps_of(graph: Graph) -> Steps:
    """The transitions with one number per state: seats by sign, choosers by mode.

    Where each seat has a number of its own, payments are those to the seat to move.
    """
    model = graph.model
    kind = model.kind[graph.nodes]
    opposed = model.chooser[graph.nodes] == 1
    largest = (opposed != model.maximise) | (kind != CHOICE)
    mode = np.where(kind == CHANCE, SUM, np.where(largest, MAX, MIN)).astype(np.uint8)
    opposed_seats = model.constant_sum is not None
    turned = (model.rotate[graph.edge] != 0) & (graph.target >= 0) & opposed_seats
    return Steps(
        first=graph.first,
        target=graph.target,
        weight=model.weight[graph.edge],
        reward=graph.reward.reshape(len(turned), -1)[:, 0] + turned * (model.constant_sum or 0.0),
        sign=np.where(turned, -1.0, 1.0),
        mode=mode,
    )


def staying(steps: Steps, states: Array) -> Array:
    """Those of some states among which choices can keep play for ever, whatever chance does."""
    stays = np.zeros(len(steps.mode), np.bool_)
    stays[states] = True
    edges = np.concatenate([np.arange(steps.first[s], steps.first[s + 1]) for s in states])
    source = np.repeat(states, steps.first[states + 1] - steps.first[states])
    count = 0
    while count != (count := int(np.count_nonzero(stays))):
        inside = stays[steps.target[edges]] & (steps.target[edges] >= 0)
        ways = np.bincount(source[inside], minlength=len(stays))[states]
        all_ways = (steps.first[states + 1] - steps.first[states]) * (steps.mode[states] == SUM)
        stays[states] &= ways >= np.maximum(1, all_ways)
    return states[stays[states]]


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
    value[states] = exit_value(steps, value, states, component)
    rest = workers.run(iterate, steps, value, states, SWEEPS, workers.stop)
    largest = max(1.0, float(np.abs(value[states]).max()))
    if not np.isfinite(largest) or rest > 1e-9 * largest:
        endless = largest > 1e15 or len(staying(steps, states)) > 0
        return Status.ENDLESS if endless else Status.NOT_CONVERGED
    rest += 4e-16 * largest
    longest = np.inf
    if not len(staying(steps, states)):  # else sweeps would go on up to the last one, for nothing
        longest = longest_stay(steps, value, states, component, stay, False, 20_000)
    status = Status.SOLVED
    if not np.isfinite(longest):
        longest = longest_stay(steps, value, states, component, stay, True, 20_000)
        proven = one_signed(steps, states, MIN) or one_signed(steps, states, MAX)
        status = Status.SOLVED if proven else Status.ONE_SIDED
        rest += 1e-11 * largest
    if not np.isfinite(longest):
        return Status.ENDLESS
    errors[states] = carried(steps, errors, states, component) + rest * longest
    return status


def solve_steps(steps: Steps, workers: Workers) -> tuple[Status, Array, Array, int, int]:
    """Values and error bounds of all states, number of components and of cycles."""
    count = len(steps.first) - 1
    found, component = workers.run(components, steps.first, steps.target)
    order, ends = in_order(component, found)
    value = np.zeros(count)
    errors, stay = np.zeros(count), np.zeros(count)
    status, cycles, at = Status.SOLVED, 0, 0
    while True:
        at = workers.run(solve_easy, steps, value, errors, order, ends, at, component)
        if at == found:
            return status, value, errors, found, cycles
        states = order[ends[at] : ends[at + 1]]
        new = _solve_cycle(steps, value, errors, stay, states, component, workers)
        if not new.solved:
            raise NoValue(new, staying(steps, states) if new is Status.ENDLESS else states[:0])
        status = new if new is not Status.SOLVED else status
        cycles += 1
        at += 1


def _tables(found: ExplicitValues) -> dict[int, Array]:
    """Full tables of the stored nodes, if they are not too large."""
    model = found.model
    stored = np.flatnonzero(model.stored).tolist()
    if prod(model.shape) * len(stored) * found.values.shape[1] > MAX_TABLE:
        return {}
    return {node: found.table(node) for node in stored}


def solve_explicit(model: Model, workers: Workers, limit: int = MAX_STATES) -> Solved:
    """Solve by listing all states; SolveError where that fails."""
    begun = perf_counter()
    graph = expand_states(model, workers, limit)
    gains: tuple[float, ...] = ()
    try:
        if model.scalar:
            status, flat, errors, found, cycles = solve_steps(steps_of(graph), workers)
            values, gap = flat[:, None], float(errors[0])
        else:
            answer = solve_seats(graph, workers)
            values, gap, gains = answer.values, answer.residual, answer.gains
            found, cycles, status = answer.components, answer.cycles, Status.RESIDUAL
    except NoValue as error:
        named = tuple(graph.state(s) for s in error.among[:MOST_NAMED].tolist())
        raise SolveError(error.status, states=named) from None
    if not np.isfinite(values).all():
        raise SolveError(Status.ENDLESS)
    first = tuple(float(v) for v in values[0])
    bounds = [tuple(v + d for v in first) for d in (-gap, 0.0, gap)]
    lower, value, upper = [b[0] if model.scalar else b for b in bounds]
    stored = model.stored[graph.nodes]
    listed = ExplicitValues.of(graph, values)
    return Solved(
        model=model,
        status=status,
        value=value,
        lower=lower,
        upper=upper,
        error_bound=gap,
        method="explicit",
        seconds=perf_counter() - begun,
        states_stored=int(np.count_nonzero(stored)),
        states_reachable=int(np.count_nonzero(model.kind[graph.nodes] != END)),
        layers=found,
        cycles=cycles,
        tables=_tables(listed),
        evaluator=listed,
        gains=gains,
    )
