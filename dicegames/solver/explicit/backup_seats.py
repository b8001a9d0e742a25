"""Kernels for values that are vectors by seat: every chooser maximises the own component.

Such a fixpoint need not be unique and sweeps need not settle; what is
reported is the residual, the largest change that one more sweep would make.
"""

from __future__ import annotations

import numpy as np

from dicegames.solver.kernels.evaluate import OPTIONS, PURE
from dicegames.solver.kernels.kernel import njit
from dicegames.solver.kernels.ties import as_good
from dicegames.solver.model import Array


@njit(**PURE)
def _component(
    value: Array, target: Array, reward: Array, rotate: Array, k: int, seat: int
) -> float:
    """What transition k brings to a seat of the source; reward[k, seat] included."""
    seats = value.shape[1]
    own = reward[k, seat]
    t = target[k]
    return float(own + value[t, (seat - rotate[k]) % seats]) if t >= 0 else float(own)


@njit(**PURE)
def _best(
    value: Array,
    first: Array,
    target: Array,
    reward: Array,
    rotate: Array,
    state: int,
    seat: int,
    sense: float,
) -> int:
    """The first transition that is as good for a seat as the best one."""
    begin, end = first[state], first[state + 1]
    best = sense * _component(value, target, reward, rotate, begin, seat)
    for k in range(begin + 1, end):
        best = max(best, sense * _component(value, target, reward, rotate, k, seat))
    for k in range(begin, end):
        if as_good(_component(value, target, reward, rotate, k, seat), sense * best, sense):
            return int(k)
    return int(begin)


@njit(**OPTIONS)
def sweep_responses(
    response: Array,
    value: Array,
    first: Array,
    target: Array,
    weight: Array,
    reward: Array,
    rotate: Array,
    chooser: Array,
    states: Array,
    sense: float,
) -> float:
    """One sweep over the states (chooser -1: chance); the largest change.

    `response[state, seat]` is what a seat has that chooses as well as can be from a state on,
    while all others choose what is best by `value`.  Where both are the same array, the sweep is
    one for the values.
    """
    seats = value.shape[1]
    change = 0.0
    new = np.zeros(seats)
    for i in range(states.size):
        state = states[i]
        if first[state] == first[state + 1]:
            continue  # its value is known
        new[:] = 0.0
        if chooser[state] < 0:
            for k in range(first[state], first[state + 1]):
                for seat in range(seats):
                    new[seat] += weight[k] * _component(response, target, reward, rotate, k, seat)
        else:
            own = chooser[state]
            k = _best(value, first, target, reward, rotate, state, own, sense)
            for seat in range(seats):
                new[seat] = _component(response, target, reward, rotate, k, seat)
            k = _best(response, first, target, reward, rotate, state, own, sense)
            new[own] = _component(response, target, reward, rotate, k, own)
        for seat in range(seats):
            change = max(change, abs(new[seat] - response[state, seat]))
            response[state, seat] = new[seat]
    return change


@njit(**PURE)
def _ways(
    value: Array,
    first: Array,
    target: Array,
    reward: Array,
    rotate: Array,
    chooser: Array,
    state: int,
    sense: float,
) -> tuple[int, int]:
    """The transitions that may be taken from a state in best play: all of a throw, else one."""
    if chooser[state] < 0:
        return int(first[state]), int(first[state + 1])
    k = _best(value, first, target, reward, rotate, state, chooser[state], sense)
    return k, k + 1


@njit(**PURE)
def mark_leaving(
    leaves: Array,
    value: Array,
    first: Array,
    target: Array,
    reward: Array,
    rotate: Array,
    chooser: Array,
    states: Array,
    component: Array,
    sense: float,
) -> None:
    """Mark those states of one component from which best play may lead out of it."""
    own = component[states[0]]
    more = True
    while more:
        more = False
        for state in states:
            if leaves[state] != 0:
                continue
            begin, end = _ways(value, first, target, reward, rotate, chooser, state, sense)
            for k in range(begin, end):
                t = target[k]
                if t < 0 or component[t] != own or leaves[t] != 0:
                    leaves[state] = 1
                    more = True
                    break


@njit(**OPTIONS)
def mark_met(
    met: Array,
    value: Array,
    first: Array,
    target: Array,
    reward: Array,
    rotate: Array,
    chooser: Array,
    sense: float,
) -> None:
    """Mark the states to which best play may come from state 0."""
    pending = np.zeros(met.size, np.int64)
    met[0], count = 1, 1
    while count > 0:
        count -= 1
        begin, end = _ways(value, first, target, reward, rotate, chooser, pending[count], sense)
        for k in range(begin, end):
            t = target[k]
            if t >= 0 and met[t] == 0:
                met[t] = 1
                pending[count] = t
                count += 1
