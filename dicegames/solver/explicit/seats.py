"""Selfish players: values are vectors by seat, found from the last states to the first.

Where states lead to each other, sweeps are made until they settle: the residual is the change that
one more sweep would make. Then each seat is allowed to depart from its choices alone, everywhere,
as well as it can: what it gains at the start shows how far the values are from an equilibrium.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from attrs import frozen

from dicegames.solver.explicit.backup_seats import (
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

Sweep = Callable[[Array, Array], float]
"""Updates some states of an array of values; returns the largest change."""


@frozen(eq=False)
class SeatValues:
    """`values[state, seat]`, the residual, and what each seat could gain at the start."""

    values: Array
    residual: float
    gains: tuple[float, ...]
    components: int
    cycles: int


@frozen(eq=False)
class _Listed:
    """A graph as the kernels read it, its states in the order in which they can be solved."""

    arrays: tuple[Array, ...]
    sense: float
    component: Array
    components: int
    parts: list[tuple[Array, bool]]


def _listed(graph: Graph, workers: Workers) -> _Listed:
    model = graph.model
    found, component = workers.run(components, graph.first, graph.target)
    order, ends = in_order(component, found)
    kind, chooser = model.kind[graph.nodes], model.chooser[graph.nodes].astype(np.int64)
    chooser[kind == CHANCE] = -1
    arrays = (
        graph.first,
        graph.target,
        model.weight[graph.edge],
        graph.reward,
        model.rotate[graph.edge].astype(np.int64),
        chooser,
    )
    cyclic = np.diff(ends) > 1
    sources = np.repeat(np.arange(graph.states), np.diff(graph.first))
    cyclic[component[sources[sources == graph.target]]] = True
    parts = _parts(order, ends, np.flatnonzero(cyclic))
    return _Listed(arrays, 1.0 if model.maximise else -1.0, component, found, parts)


def settle_seats(listed: _Listed, value: Array, response: Array, workers: Workers) -> float:
    """Sweep until best answers to `value` settle in `response`, which may be the same array.

    Returns the largest change that was left.
    """
    return _settle(
        listed.parts,
        response,
        lambda v, states: workers.run(
            sweep_responses, v, value, *listed.arrays, states, listed.sense
        ),
    )


def values_by_seat(graph: Graph, known: Array, workers: Workers) -> Array:
    """Values of the states of a graph: float64[states, seats]; those without ways on are known."""
    value = known.copy()
    settle_seats(_listed(graph, workers), value, value, workers)
    return value


def solve_seats(graph: Graph, workers: Workers) -> SeatValues:
    """Solve the states of several selfish players."""
    listed = _listed(graph, workers)
    value = np.zeros((graph.states, graph.model.seats))
    rest = settle_seats(listed, value, value, workers)
    response = value.copy()
    settle_seats(listed, value, response, workers)
    _demand_an_end(value, listed, workers)
    gains = np.maximum(0.0, listed.sense * (response[0] - value[0])).tolist()
    cycles = sum(in_cycle for _, in_cycle in listed.parts)
    return SeatValues(value, rest, tuple(gains), listed.components, cycles)


def _demand_an_end(value: Array, listed: _Listed, workers: Workers) -> None:
    """Raise NoValue if best play comes to states which it never leaves."""
    first, target, _, *choosing = listed.arrays
    component, sense = listed.component, listed.sense
    leaves, met = np.ones(len(value), np.uint8), np.zeros(len(value), np.uint8)
    for states, in_cycle in listed.parts:
        if in_cycle:
            leaves[states] = 0
            workers.run(
                mark_leaving, leaves, value, first, target, *choosing, states, component, sense
            )
    if not leaves.all():
        workers.run(mark_met, met, value, first, target, *choosing, sense)
        endless = np.flatnonzero((met != 0) & (leaves == 0))
        if len(endless):
            raise NoValue(Status.ENDLESS, endless)


def _parts(order: Array, ends: Array, cyclic: Array) -> list[tuple[Array, bool]]:
    """States in the order in which they can be solved; those in a cycle together, and marked."""
    parts, begin = [], 0
    for c in [*cyclic.tolist(), len(ends) - 1]:
        if c > begin:
            parts.append((order[ends[begin] : ends[c]], False))
        if c < len(ends) - 1:
            parts.append((order[ends[c] : ends[c + 1]], True))
        begin = c + 1
    return parts


def _settle(parts: list[tuple[Array, bool]], value: Array, sweep: Sweep) -> float:
    """Sweep over all states until nothing changes; return the largest change that was left."""
    worst = 0.0
    for states, in_cycle in parts:
        change = sweep(value, states)
        for _ in range(SWEEPS if in_cycle else 0):
            change = sweep(value, states)
            if change <= SETTLED:
                break
        worst = max(worst, change if in_cycle else 0.0)
    return worst
