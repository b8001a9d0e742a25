"""The explicit method: one row per reachable state, solved component by component.

All states reachable from the start are expanded, the strongly connected components are solved
sinks first (`backup` holds the mathematics and the proof of the bounds).  It fits every model whose
states can be listed, cycles and selfish players included, and is the oracle of the fast method.
"""

from __future__ import annotations

from functools import cached_property
from time import perf_counter

import numpy as np
from attrs import frozen

from dicegames.solver.explicit.scalar import solve_steps, steps_of
from dicegames.solver.explicit.seats import solve_seats
from dicegames.solver.explicit.subgame import Point, Subgames
from dicegames.solver.graph.states import MOST_LISTED_STATES, Graph, NoValue, expand_states
from dicegames.solver.kernels.workers import Workers
from dicegames.solver.model import END, Array, Model
from dicegames.solver.solved import Solved, Value
from dicegames.solver.status import SolveError, Status

BYTES_PER_STATE = 250
LARGEST_PACKED = 50_000_000
MOST_ENDLESS = 1000
"""Of so many states where there is no end one is shown."""


@frozen(eq=False, slots=False)
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

    def table(self, node: int) -> Array:
        """Values of a node in the shape of the axes, and of the seats if there are several numbers.

        NaN where a state is not listed.
        """
        points, shape = self.model.points, self.model.shape
        begin, end = np.searchsorted(self.keys, [node * points, (node + 1) * points])
        table = np.full((points, self.values.shape[1]), np.nan)
        table[self.keys[begin:end] - node * points] = self.values[begin:end]
        return table.reshape(shape if self.model.scalar else (*shape, self.model.seats))

    def values_of(self, keys: Array) -> Array:
        """Values of states: float64[keys, components], NaN where one is not listed."""
        at = np.minimum(np.searchsorted(self.keys, keys), len(self.keys) - 1)
        known = (self.keys[at] == keys)[:, None]
        return np.where(known, self.values[at], np.nan)

    def value_at(self, node: int, point: Point) -> Value:
        """Value of a state; LookupError where it is not known."""
        return self._subgames.value_at(node, point)

    @cached_property
    def _subgames(self) -> Subgames:
        return Subgames(self.model, {}, self.keys, self.values)


def _tables(found: ExplicitValues) -> dict[int, Array]:
    """Full tables of the stored nodes, if they are not too large."""
    model = found.model
    stored = np.flatnonzero(model.stored).tolist()
    if model.points * len(stored) * found.values.shape[1] > LARGEST_PACKED:
        return {}
    return {node: found.table(node) for node in stored}


def solve_explicit(model: Model, workers: Workers, limit: int = MOST_LISTED_STATES) -> Solved:
    """Solve by listing all states; SolveError where that fails."""
    begun = perf_counter()
    graph = expand_states(model, workers, limit)
    gains: tuple[float, ...] = ()
    try:
        if model.scalar:
            status, flat, errors, found, cycles = solve_steps(steps_of(graph), workers)
            values, gap = flat[:, None], float(errors[0])
        else:
            status = Status.RESIDUAL
            values, gap, gains, found, cycles = solve_seats(graph, workers)
    except NoValue as error:
        named = tuple(graph.state(s) for s in error.among[:MOST_ENDLESS].tolist())
        raise SolveError(error.status, states=named) from None
    if not np.isfinite(values).all():
        raise SolveError(Status.ENDLESS)
    first = tuple(float(v) for v in values[0])
    stored = model.stored[graph.nodes]
    listed = ExplicitValues.of(graph, values)
    return Solved(
        model=model,
        status=status,
        value=first[0] if model.scalar else first,
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
