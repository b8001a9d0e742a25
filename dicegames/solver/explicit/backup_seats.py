"""Kernels for values that are vectors by seat: every chooser maximises the own component.

Such a fixpoint need not be unique and sweeps need not settle; what is
reported is the residual, the largest change that one more sweep would make.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from dicegames.solver.kernels.arrays import Matrix, Vector
from dicegames.solver.kernels.evaluate import INLINE, KERNEL_OPTIONS, PURE
from dicegames.solver.kernels.kernel import njit
from dicegames.solver.kernels.ties import as_good
from dicegames.solver.model import Array

MOST_SEAT_SWEEPS = 100_001
SEATS_SETTLED = 4e-16
"""What may still change in a sweep, in parts of the largest value: nothing but rounding."""
MAYBE_ROUNDING = 1e-13
"""So much of it may be rounding, where it has not become less in ..."""
PATIENT_BY_SEAT = 16
"""... so many sweeps."""


class Parts(NamedTuple):
    """The strongly connected components of the states, the last ones first."""

    order: Vector[np.int64]  # [states]: those of a component stand together
    ends: Vector[np.int64]  # [components + 1]: where they begin
    cyclic: Vector[np.bool_]  # [components]: whether play can come back to a state


class SeatSteps(NamedTuple):
    """Transitions of an expanded game in compressed rows (see `expand.expand`)."""

    first: Vector[np.int64]  # [states + 1]
    target: Vector[np.int32]  # -1 for the end
    weight: Vector[np.float64]
    reward: Matrix[np.float64]  # [transitions, seats], the mover of the source first
    rotate: Vector[np.int8]  # by how much the seats move on
    chooser: Vector[np.int8]  # [states]; -1: nobody
    sense: float  # 1 where much is best, else -1


@njit(**PURE)
def _component(s: SeatSteps, value: Array, k: int, seat: int) -> float:
    """What transition k brings to a seat of the source."""
    own = s.reward[k, seat]
    t = s.target[k]
    seen = seat - s.rotate[k]
    seen += value.shape[1] if seen < 0 else 0
    return float(own + value[t, seen]) if t >= 0 else float(own)


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


@njit(**INLINE)
def _answer(s: SeatSteps, response: Array, value: Array, state: int, new: Array) -> float:
    """Write what each seat has in a state to `response`; by how much that changed."""
    own = s.chooser[state]
    if own < 0:
        new[:] = 0.0
        for k in range(s.first[state], s.first[state + 1]):
            for seat in range(new.size):
                new[seat] += s.weight[k] * _component(s, response, k, seat)
    else:
        k = _best(s, value, state, own)
        for seat in range(new.size):
            new[seat] = _component(s, response, k, seat)
        new[own] = _component(s, response, _best(s, response, state, own), own)
    change = 0.0
    for seat in range(new.size):
        change = max(change, abs(new[seat] - response[state, seat]))
        response[state, seat] = new[seat]
    return change


@njit(**PURE)
def sweep_answers(
    s: SeatSteps, response: Array, value: Array, parts: Parts, part: int, last: int, sweeps: int,
    new: Array, stop: Array,
) -> tuple[int, float]:  # fmt: skip
    """Sweep parts one by one until they have settled, up to the last or one that does not.

    Returns the one after those that have settled, and the largest change that was left in a cycle.
    `response[state, seat]` is what a seat has that chooses as well as can be from a state on,
    while all others choose what is best by `value`.  Where both are the same array, the sweeps are
    for the values. Cycles are swept from their last states to the first: states are numbered as
    they were met, so that news comes from behind. `new` is room for a number for each seat.
    """
    worst = 0.0
    while part < last:
        begin, end = parts.ends[part], parts.ends[part + 1]
        change, least, fell, settled = 0.0, np.inf, 0, not parts.cyclic[part]
        for sweep in range(sweeps if parts.cyclic[part] else 1):
            change, largest = 0.0, 1.0
            for i in range(end - 1, begin - 1, -1):
                state = parts.order[i]
                if s.first[state] < s.first[state + 1]:  # else its value is known
                    change = max(change, _answer(s, response, value, state, new))
                    for seat in range(new.size):
                        largest = max(largest, abs(response[state, seat]))
            if change < least:
                least, fell = change, sweep
            is_rounding = change <= MAYBE_ROUNDING * largest and sweep - fell >= PATIENT_BY_SEAT
            settled |= (sweep > 0 and change <= SEATS_SETTLED * largest) or is_rounding
            if settled or stop[0] != 0:
                break
        if not settled:
            return part, max(worst, change)
        if parts.cyclic[part]:
            worst = max(worst, change)
        part += 1
    return part, worst


@njit(**PURE)
def choose(s: SeatSteps, value: Array, own: Array, policy: Array) -> bool:
    """Write the transition that is taken at each choice among some states; whether any is new."""
    any_new = False
    for i in range(own.size):
        if s.chooser[own[i]] >= 0:
            k = _best(s, value, own[i], s.chooser[own[i]])
            any_new |= k != policy[i]
            policy[i] = k
    return any_new


@njit(**PURE)
def _ways(s: SeatSteps, value: Array, state: int) -> tuple[int, int]:
    """The transitions that may be taken from a state in best play: all of a throw, else one."""
    if s.chooser[state] < 0:
        return int(s.first[state]), int(s.first[state + 1])
    k = _best(s, value, state, s.chooser[state])
    return k, k + 1


@njit(**PURE)
def _may_leave(s: SeatSteps, leaves: Array, value: Array, state: int, component: Array) -> bool:
    """Whether best play may lead from a state out of its component, or to one that it leaves."""
    begin, end = _ways(s, value, state)
    for k in range(begin, end):
        t = s.target[k]
        if t < 0 or component[t] != component[state] or leaves[t] != 0:
            return True
    return False


@njit(**PURE)
def mark_leaving(s: SeatSteps, leaves: Array, value: Array, parts: Parts, component: Array) -> None:
    """Mark the states from which best play may lead out of their component."""
    for part in range(parts.cyclic.size):
        begin, end = parts.ends[part], parts.ends[part + 1]
        more = parts.cyclic[part]
        if not more:
            leaves[parts.order[begin]] = 1
        while more:
            more = False
            for i in range(end - 1, begin - 1, -1):
                state = parts.order[i]
                if leaves[state] == 0 and _may_leave(s, leaves, value, state, component):
                    leaves[state], more = 1, True


@njit(**KERNEL_OPTIONS)
def mark_met(s: SeatSteps, met: Array, value: Array, start: int) -> None:
    """Mark the states to which best play may come from one."""
    pending = np.full(met.size, start)
    met[start], count = 1, 1
    while count > 0:
        count -= 1
        begin, end = _ways(s, value, pending[count])
        for k in range(begin, end):
            t = s.target[k]
            if t >= 0 and met[t] == 0:
                met[t] = 1
                pending[count] = t
                count += 1
