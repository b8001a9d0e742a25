"""Selfish players: values are vectors by seat, found from the last states to the first.

Where states lead to each other, sweeps are made until they settle: the residual is the change that
one more sweep would make. Then each seat is allowed to depart from its choices alone, everywhere,
as well as it can: what it gains at the start shows how far the values are from an equilibrium.
"""

from __future__ import annotations

import numpy as np
from attrs import frozen

from dicegames.solver.explicit.backup import MAX_OF, MEAN_OF, MIN_OF, Steps
from dicegames.solver.explicit.backup_seats import (
    MOST_SEAT_SWEEPS,
    Parts,
    SeatSteps,
    choose,
    mark_leaving,
    mark_met,
    sweep_answers,
)
from dicegames.solver.explicit.direct import (
    FIRST_SWEEPS,
    MOST_POLICIES,
    place_among,
    solve_directly,
)
from dicegames.solver.graph.expand import components
from dicegames.solver.graph.states import BRIEF_STATES, Graph, NoValue, in_order
from dicegames.solver.kernels.workers import Workers
from dicegames.solver.model import CHOICE, Array, rows_begin, rows_taken
from dicegames.solver.status import Status


@frozen(eq=False)
class _CollapsedGraph:
    """A graph as the kernels read it: without the states that lead on in one way, for nothing.

    Their values are those of others, by `leads` (the number of a state among those that are `kept`)
    seen `turned` seats further on.
    """

    steps: SeatSteps
    component: Array
    parts: Parts
    kept: Array  # int64: of the graph
    leads: Array  # int32[states of the graph]
    turned: Array  # int8[states of the graph]
    workers: Workers

    @classmethod
    def of(cls, graph: Graph, workers: Workers) -> _CollapsedGraph:
        """Return what is left of a graph, in its parts."""
        model = graph.model
        chooser = model.chooser[graph.nodes].astype(np.int8)
        chooser[model.kind[graph.nodes] != CHOICE] = -1
        steps = SeatSteps(
            first=graph.first,
            target=graph.target,
            weight=model.weight[graph.edge],
            reward=graph.reward,
            rotate=model.rotate[graph.edge],
            chooser=chooser,
            sense=model.sense,
        )
        steps, kept, leads, turned = led_through(steps)
        few = len(kept) <= BRIEF_STATES
        found, component = workers.run(components, steps.first, steps.target, brief=few)
        order, ends = in_order(component, found)
        cyclic = np.diff(ends) > 1
        source = np.repeat(np.arange(len(component)), np.diff(steps.first))
        cyclic[component[steps.target[source == steps.target]]] = True
        parts = Parts(order, ends, cyclic)
        return cls(steps, component, parts, kept, leads, turned, workers)

    def settle(self, response: Array, value: Array) -> float:
        """Sweep best answers to `value`, which may be the same array; the largest change left."""
        room, part, worst = np.zeros(value.shape[1]), 0, 0.0
        brief = len(self.kept) <= BRIEF_STATES and not self.parts.cyclic.any()

        def sweep(last: int, sweeps: int) -> tuple[int, float]:
            given = (self.steps, response, value, self.parts, part, last, sweeps, room)
            return self.workers.run(sweep_answers, *given, self.workers.stop, brief=brief)

        while part < len(self.parts.cyclic):
            part, change = sweep(len(self.parts.cyclic), FIRST_SWEEPS)
            if part < len(self.parts.cyclic):
                found = self._solve_directly(response, value, part)
                _, change = sweep(part + 1, 1 if found else MOST_SEAT_SWEEPS)
                part += 1
            worst = max(worst, change)
        return worst

    def _solve_directly(self, response: Array, value: Array, part: int) -> bool:
        """Find the answers in a cycle by linear equations; False where that fails.

        For the values, policies are improved until all seats keep to theirs.
        """
        own = self.parts.order[self.parts.ends[part] : self.parts.ends[part + 1]]
        policy, kept = np.full(len(own), -1), response[own].copy()
        for turn in range(MOST_POLICIES):
            if not self.workers.run(choose, self.steps, value, own, policy) and turn > 0:
                return True
            steps = by_seat(self.steps, own, response, policy, open=response is not value)
            found = solve_directly(steps, None, self.workers)
            if found is None:
                break
            response[own] = found[0].reshape(kept.shape)
            if response is not value:
                return True
        response[own] = kept
        return False

    def demand_an_end(self, value: Array) -> None:
        """Raise NoValue if best play comes to states which it never leaves."""
        leaves, met = np.zeros(len(value), np.uint8), np.zeros(len(value), np.uint8)
        self.workers.run(mark_leaving, self.steps, leaves, value, self.parts, self.component)
        if not leaves.all():
            self.workers.run(mark_met, self.steps, met, value, int(self.leads[0]))
            endless = np.flatnonzero((met != 0) & (leaves == 0))
            if len(endless):
                raise NoValue(Status.ENDLESS, self.kept[endless])

    def everywhere(self, value: Array) -> Array:
        """Values of all states of the graph, from those of the states that are kept."""
        seats = np.arange(value.shape[1])
        seen = (seats - self.turned[:, None]) % len(seats)
        return np.asarray(value[self.leads[:, None], seen])


def by_seat(s: SeatSteps, own: Array, beyond: Array, policy: Array, *, open: bool) -> Steps:
    """The transitions of some states, by themselves as `closed`, as they look to each seat.

    To the seat that is `place` on from the one to move a state is number state * seats + place.
    Choices are made by a policy; those of the own seat are open if that is asked for.
    """
    seats = s.reward.shape[1]
    begin, taken = rows_taken(s.first, own)
    source = np.repeat(np.arange(len(own)), np.diff(begin))
    chooser = s.chooser[own][source]
    is_own = open & (chooser[:, None] == np.arange(seats))
    kept = is_own | ((chooser < 0) | (taken == policy[source]))[:, None]
    way, seat = np.nonzero(kept)
    row = source[way] * seats + seat
    order = np.argsort(row, kind="stable")
    way, seat, edge = way[order], seat[order], taken[way[order]]
    target, after = s.target[edge], (seat - s.rotate[edge]) % seats
    place = place_among(own, target)
    paid = np.where((place >= 0) | (target < 0), 0.0, beyond[target, after])
    mode = np.full(len(own) * seats, MEAN_OF, np.uint8)
    mode[row[order][is_own[way, seat]]] = MAX_OF if s.sense > 0 else MIN_OF
    return Steps(
        first=rows_begin(np.bincount(row, minlength=len(mode))),
        target=np.where(place >= 0, place * seats + after, -1).astype(np.int32),
        weight=s.weight[edge],
        reward=s.reward[edge, seat] + paid,
        sign=np.ones(len(edge)),
        mode=mode,
    )


def led_through(steps: SeatSteps) -> tuple[SeatSteps, Array, Array, Array]:
    """Lead transitions through states of which there is one way on, for which nothing is paid.

    Returns the states that are left, their numbers before, and for each one before to which of
    these it leads, and by how much the seats move on until there. States that lead to each other
    alone are left.
    """
    count, rows = len(steps.first) - 1, np.diff(steps.first)
    begin = np.minimum(steps.first[:-1], len(steps.target) - 1)
    only = (rows == 1) & (steps.target[begin] >= 0) & (steps.weight[begin] == 1)
    only &= ~steps.reward[begin].any(axis=1)
    seats, to, turned = steps.reward.shape[1], np.arange(count), np.zeros(count, np.int8)
    to[only], turned[only] = steps.target[begin[only]], steps.rotate[begin[only]]
    for _ in range(count.bit_length()):  # twice as far each time
        if not only[to].any():
            break
        turned, to = (turned + turned[to]) % seats, to[to]
    round_ = only[to]  # and round again
    only &= ~round_
    to[round_], turned[round_] = np.flatnonzero(round_), 0
    kept = np.flatnonzero(~only)
    number = np.zeros(count, np.int32)
    number[kept] = np.arange(len(kept))
    first, taken = rows_taken(steps.first, kept)
    target, rotate = steps.target[taken], steps.rotate[taken]
    inside = target >= 0
    rotate = np.where(inside, (rotate + turned[target]) % seats, rotate).astype(np.int8)
    short = SeatSteps(
        first=first,
        target=np.where(inside, number[to[target]], -1).astype(np.int32),
        weight=steps.weight[taken],
        reward=steps.reward[taken],
        rotate=rotate,
        chooser=steps.chooser[kept],
        sense=steps.sense,
    )
    return short, kept, number[to], turned


def values_by_seat(graph: Graph, known: Array, workers: Workers) -> Array:
    """Values of the states of a graph: float64[states, seats]; those without ways on are known."""
    listed = _CollapsedGraph.of(graph, workers)
    value = known[listed.kept]
    listed.settle(value, value)
    return listed.everywhere(value)


def solve_seats(graph: Graph, workers: Workers) -> tuple[Array, float, tuple[float, ...], int, int]:
    """Values of the states of several selfish players: float64[states, seats], and the residual.

    Then what each seat could gain at the start, and the numbers of components and of cycles.
    """
    listed = _CollapsedGraph.of(graph, workers)
    value = np.zeros((len(listed.kept), graph.model.seats))
    rest, response = listed.settle(value, value), value
    if (listed.steps.chooser >= 0).any():  # else there is nothing to depart from
        response = value.copy()
        listed.settle(response, value)
    listed.demand_an_end(value)
    value, response = (listed.everywhere(found) for found in (value, response))
    gains = np.maximum(0.0, listed.steps.sense * (response[0] - value[0])).tolist()
    parts = listed.parts.cyclic
    return value, rest, tuple(gains), len(parts), int(np.count_nonzero(parts))
