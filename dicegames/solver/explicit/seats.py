"""Selfish players: values are vectors by seat, found from the last states to the first.

Where states lead to each other, sweeps are made until they settle: the residual is the change that
one more sweep would make. Then each seat is allowed to depart from its choices alone, everywhere,
as well as it can: what it gains at the start shows how far the values are from an equilibrium.
"""

from __future__ import annotations

from itertools import pairwise

import numpy as np
from attrs import frozen

from dicegames.solver.explicit.backup_seats import (
    SeatSteps,
    mark_leaving,
    mark_met,
    sweep_responses,
)
from dicegames.solver.graph.expand import components
from dicegames.solver.graph.states import Graph, NoValue, in_order
from dicegames.solver.kernels.workers import Workers
from dicegames.solver.model import CHANCE, Array
from dicegames.solver.status import Status

SWEEPS = 100_000
SETTLED = 1e-13


@frozen(eq=False)
class _Listed:
    """A graph as the kernels read it, and its states in parts in which they can be solved.

    The states of a cycle are a part of their own, and marked.
    """

    steps: SeatSteps
    component: Array
    components: int
    parts: list[tuple[Array, bool]]
    workers: Workers

    @classmethod
    def of(cls, graph: Graph, workers: Workers) -> _Listed:
        """Return the parts of a graph, the last states first."""
        model = graph.model
        found, component = workers.run(components, graph.first, graph.target)
        order, ends = in_order(component, found)
        chooser = model.chooser[graph.nodes].astype(np.int64)
        chooser[model.kind[graph.nodes] == CHANCE] = -1
        steps = SeatSteps(
            first=graph.first,
            target=graph.target,
            weight=model.weight[graph.edge],
            reward=graph.reward,
            rotate=model.rotate[graph.edge].astype(np.int64),
            chooser=chooser,
            sense=model.sense,
        )
        cyclic = np.diff(ends) > 1
        cyclic[component[graph.target[graph.source == graph.target]]] = True
        borders = [0, *(1 + np.flatnonzero(cyclic[1:] | cyclic[:-1])).tolist(), found]
        parts = [(order[ends[b] : ends[e]], bool(cyclic[b])) for b, e in pairwise(borders)]
        return cls(steps, component, found, parts, workers)

    def settle(self, value: Array, response: Array) -> float:
        """Sweep until best answers to `value` settle in `response`, which may be the same array.

        Returns the largest change that was left.
        """
        worst = 0.0
        for states, in_cycle in self.parts:
            change = 0.0
            for sweep in range(1 + SWEEPS if in_cycle else 1):
                arrays = (self.steps, response, value, states)
                change = self.workers.run(sweep_responses, *arrays)
                if sweep > 0 and change <= SETTLED:
                    break
            worst = max(worst, change if in_cycle else 0.0)
        return worst

    def demand_an_end(self, value: Array) -> None:
        """Raise NoValue if best play comes to states which it never leaves."""
        leaves, met = np.ones(len(value), np.uint8), np.zeros(len(value), np.uint8)
        for states, in_cycle in self.parts:
            if in_cycle:
                leaves[states] = 0
                self.workers.run(mark_leaving, self.steps, leaves, value, states, self.component)
        if not leaves.all():
            self.workers.run(mark_met, self.steps, met, value)
            endless = np.flatnonzero((met != 0) & (leaves == 0))
            if len(endless):
                raise NoValue(Status.ENDLESS, endless)


def values_by_seat(graph: Graph, known: Array, workers: Workers) -> Array:
    """Values of the states of a graph: float64[states, seats]; those without ways on are known."""
    value = known.copy()
    _Listed.of(graph, workers).settle(value, value)
    return value


def solve_seats(graph: Graph, workers: Workers) -> tuple[Array, float, tuple[float, ...], int, int]:
    """Values of the states of several selfish players: float64[states, seats], and the residual.

    Then what each seat could gain at the start, and the numbers of components and of cycles.
    """
    listed = _Listed.of(graph, workers)
    value = np.zeros((graph.states, graph.model.seats))
    rest = listed.settle(value, value)
    response = value.copy()
    listed.settle(value, response)
    listed.demand_an_end(value)
    gains = np.maximum(0.0, listed.steps.sense * (response[0] - value[0])).tolist()
    cycles = sum(in_cycle for _, in_cycle in listed.parts)
    return value, rest, tuple(gains), listed.components, cycles
