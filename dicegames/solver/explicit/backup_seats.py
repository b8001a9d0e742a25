"""Kernels for values that are vectors by seat: every chooser maximises the own component.

Such a fixpoint need not be unique and sweeps need not settle; what is
reported is the residual, the largest change that one more sweep would make.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from dicegames.solver.kernels.arrays import Matrix, Vector
from dicegames.solver.kernels.evaluate import OPTIONS, PURE
from dicegames.solver.kernels.kernel import njit
from dicegames.solver.kernels.ties import as_good
from dicegames.solver.model import Array


class SeatSteps(NamedTuple):
    """Transitions of an expanded game in compressed rows (see `expand.expand`)."""

    first: Vector[np.int64]  # [states + 1]
    target: Vector[np.int32]  # -1 for the end
    weight: Vector[np.float64]
    reward: Matrix[np.float64]  # [transitions, seats], the mover of the source first
    rotate: Vector[np.int64]  # by how much the seats move on
    chooser: Vector[np.int64]  # [states]; -1: chance
    sense: float  # 1 where much is best, else -1


@njit(**PURE)
def _component(s: SeatSteps, value: Array, k: int, seat: int) -> float:
    """What transition k brings to a seat of the source."""
    seats = value.shape[1]
    own = s.reward[k, seat]
    t = s.target[k]
    return float(own + value[t, (seat - s.rotate[k]) % seats]) if t >= 0 else float(own)


@njit(**PURE)
def _best(s: SeatSteps, value: Array, state: int, seat: int) -> int:
    """The first transition that is as good for a seat as the best one."""
    begin, end = s.first[state], s.first[state + 1]
    best = s.sense * _component(s, value, begin, seat)
    for k in range(begin + 1, end):
        best = max(best, s.sense * _component(s, value, k, seat))
    for k in range(begin, end):
        if as_good(_component(s, value, k, seat), s.sense * best, s.sense):
            return int(k)
    return int(begin)


@njit(**OPTIONS)
def sweep_responses(s: SeatSteps, response: Array, value: Array, states: Array) -> float:
    """One sweep over the states; the largest change.

    `response[state, seat]` is what a seat has that chooses as well as can be from a state on,
    while all others choose what is best by `value`.  Where both are the same array, the sweep is
    one for the values.
    """
    seats = value.shape[1]
    change = 0.0
    new = np.zeros(seats)
    for i in range(states.size):
        state = states[i]
        if s.first[state] == s.first[state + 1]:
            continue  # its value is known
        new[:] = 0.0
        own = s.chooser[state]
        if own < 0:
            for k in range(s.first[state], s.first[state + 1]):
                for seat in range(seats):
                    new[seat] += s.weight[k] * _component(s, response, k, seat)
        else:
            k = _best(s, value, state, own)
            for seat in range(seats):
                new[seat] = _component(s, response, k, seat)
            new[own] = _component(s, response, _best(s, response, state, own), own)
        for seat in range(seats):
            change = max(change, abs(new[seat] - response[state, seat]))
            response[state, seat] = new[seat]
    return change


@njit(**PURE)
def _ways(s: SeatSteps, value: Array, state: int) -> tuple[int, int]:
    """The transitions that may be taken from a state in best play: all of a throw, else one."""
    if s.chooser[state] < 0:
        return int(s.first[state]), int(s.first[state + 1])
    k = _best(s, value, state, s.chooser[state])
    return k, k + 1


@njit(**PURE)
def mark_leaving(
    s: SeatSteps, leaves: Array, value: Array, states: Array, component: Array
) -> None:
    """Mark those states of one component from which best play may lead out of it."""
    own = component[states[0]]
    more = True
    while more:
        more = False
        for state in states:
            if leaves[state] != 0:
                continue
            begin, end = _ways(s, value, state)
            for k in range(begin, end):
                t = s.target[k]
                if t < 0 or component[t] != own or leaves[t] != 0:
                    leaves[state] = 1
                    more = True
                    break


@njit(**OPTIONS)
def mark_met(s: SeatSteps, met: Array, value: Array) -> None:
    """Mark the states to which best play may come from state 0."""
    pending = np.zeros(met.size, np.int64)
    met[0], count = 1, 1
    while count > 0:
        count -= 1
        begin, end = _ways(s, value, pending[count])
        for k in range(begin, end):
            t = s.target[k]
            if t >= 0 and met[t] == 0:
                met[t] = 1
                pending[count] = t
                count += 1
