"""Cycles in which play stays too long for sweeps: policies, each valued by linear equations.

A policy fixes one transition of every choice; its values solve V = toll + r + P V.  Unknowns are
the states with which a search comes back to its own path; the values of the others are sums of
these, written down from the last to the first.  From a policy by which play comes to an end, every
choice takes what is better by more than rounding, until none can (Howard 1960).

Nothing rests on how the values were found: one evaluation T leaves the residual rho = |T V - V|,
state by state, and V is off by e at most if ``e >= rho + P e`` where chance acts and ``e >= rho +
e(k) - lost(k)`` where one of the ways k is chosen, which loses so much against the value:
then V + e is a supersolution and V - e a subsolution.  The least such e is found in the same way:
the value of a game in which each state pays its residual and all choices go for much.  There is
none where play could stay for ever at no cost.
"""

from __future__ import annotations

from typing import Self

import numpy as np
from attrs import evolve, frozen
from threadpoolctl import threadpool_limits

from dicegames.solver.explicit.backup import (
    MAX_OF,
    MEAN_OF,
    MIN_OF,
    ROUNDOFF,
    Steps,
    backup,
    rounded,
    term,
)
from dicegames.solver.kernels.evaluate import PURE
from dicegames.solver.kernels.kernel import njit
from dicegames.solver.kernels.workers import Workers
from dicegames.solver.model import Array, rows_taken

FIRST_SWEEPS = 2_000
"""After so many sweeps equations are tried."""
MOST_UNKNOWNS = 2_000
MOST_ROOM = 1 << 24
"""Numbers in the sums of all states."""
MOST_POLICIES = 100
BETTER = 1e-14
"""What is better by no more than this part of the largest value may be rounding."""
ERROR_SLACK = 1e-3
"""By this part errors are taken larger than found, so that their inequality certainly holds."""
LONGEST_STAY = 1e6
"""What a transition loses, in parts of the largest residual, counts up to here."""


def place_among(own: Array, target: Array) -> Array:
    """Where states stand among some that are in ascending order: int64, -1 for those beyond."""
    place = np.minimum(np.searchsorted(own, target), len(own) - 1)
    return np.where(own[place] == target, place, -1)


def closed(steps: Steps, own: Array, beyond: Array) -> Steps:
    """The transitions of some states by themselves, which are in ascending order.

    Those that lead beyond them lead to the end, for what is there.
    """
    begin, taken = rows_taken(steps.first, own)
    target, sign = steps.target[taken], steps.sign[taken]
    place = place_among(own, target)
    paid = np.where((place >= 0) | (target < 0), 0.0, sign * beyond[target])
    return Steps(
        first=begin,
        target=place.astype(np.int32),
        weight=steps.weight[taken],
        reward=steps.reward[taken] + paid,
        sign=sign,
        mode=steps.mode[own],
    )


@njit(**PURE)
def search(
    first: Array, target: Array, order: Array, returned: Array, path: Array, at: Array
) -> None:
    """Write all states to `order`, the last ones first, and mark those to which a path returns.

    `at` is 0 at first: then 1 + the next transition to follow, or -1 for what is done.
    """
    count = 0
    for start in range(order.size):
        depth = -1
        if at[start] == 0:
            depth, path[0], at[start] = 0, start, first[start] + 1
        while depth >= 0:
            state = path[depth]
            k = at[state] - 1
            if k == first[state + 1]:
                at[state], order[count] = -1, state
                count, depth = count + 1, depth - 1
                continue
            at[state] += 1
            t = target[k]
            if t >= 0 and at[t] > 0:
                returned[t] = 1
            elif t >= 0 and at[t] == 0:
                depth += 1
                path[depth], at[t] = t, first[t] + 1


@njit(**PURE)
def _write_sums(
    s: Steps, chosen: Array, toll: Array, order: Array, unknown: Array, sums: Array
) -> None:
    """Write the value of each state as a sum of unknown ones, the constant last."""
    last = sums.shape[1] - 1
    for state in order:
        sums[state, :] = 0.0
        sums[state, last] = toll[state]
        lo, hi = s.first[state], s.first[state + 1]
        if chosen[state] >= 0:
            lo, hi = chosen[state], chosen[state] + 1
        for k in range(lo, hi):
            sums[state, last] += s.weight[k] * s.reward[k]
            t, part = s.target[k], s.weight[k] * s.sign[k]
            if t >= 0 and unknown[t] >= 0:
                sums[state, unknown[t]] += part
            elif t >= 0:
                for column in range(last + 1):
                    sums[state, column] += part * sums[t, column]


@njit(**PURE)
def _improve(s: Steps, value: Array, chosen: Array, least: float) -> bool:
    """Choose what is better by more than the least; whether anything is."""
    any_better = False
    for state in range(chosen.size):
        if s.mode[state] == MEAN_OF:
            continue
        sign = 1.0 if s.mode[state] == MAX_OF else -1.0
        best, bar = chosen[state], sign * term(s, value, chosen[state]) + least
        for k in range(s.first[state], s.first[state + 1]):
            if sign * term(s, value, k) > bar:
                best, bar = k, sign * term(s, value, k)
        any_better |= best != chosen[state]
        chosen[state] = best
    return any_better


@njit(**PURE)
def _residuals(s: Steps, toll: Array, value: Array, moved: Array, rounding: Array) -> None:
    """Write what one evaluation changes in each state, and what rounding may hide of it."""
    for state in range(value.size):
        moved[state] = toll[state] + backup(s, value, state) - value[state]
        rounding[state] = rounded(s, value, state) + ROUNDOFF * toll[state]


@frozen(eq=False)
class _Equations:
    """States that lead to each other, or to the end: linear equations for the values of a policy.

    A policy is int64[states]: the transition that is taken at each choice, -1 elsewhere.
    """

    steps: Steps
    order: Array  # int64[states]: sums are written in this order
    unknown: Array  # int64[states]: the number of an unknown, or -1
    workers: Workers

    @classmethod
    def of(cls, steps: Steps, workers: Workers) -> Self | None:
        """Return them, None where there are too many."""
        count = len(steps.mode)
        order, path, at = np.zeros((3, count), np.int64)
        returned = np.zeros(count, np.uint8)
        workers.run(search, steps.first, steps.target, order, returned, path, at)
        found = np.flatnonzero(returned)
        if len(found) > MOST_UNKNOWNS or count * (len(found) + 1) > MOST_ROOM:
            return None
        unknown = np.full(count, -1)
        unknown[found] = np.arange(len(found))
        return cls(steps, order, unknown, workers)

    def values(self, policy: Array, toll: Array) -> Array | None:
        """Return the values of a policy, None where play never ends."""
        unknown = np.flatnonzero(self.unknown >= 0)
        sums = np.empty((len(toll), len(unknown) + 1))
        self.workers.run(_write_sums, self.steps, policy, toll, self.order, self.unknown, sums)
        matrix, right = np.eye(len(unknown)) - sums[unknown, :-1], sums[unknown, -1]
        try:
            with threadpool_limits(1, "blas"):  # the same bits with any number of threads
                found = sums[:, :-1] @ np.linalg.solve(matrix, right) + sums[:, -1]
        except np.linalg.LinAlgError:
            return None
        return found if np.isfinite(found).all() else None

    def residuals(self, toll: Array, value: Array) -> tuple[Array, Array]:
        """Return what one evaluation changes in each state, and what rounding may hide of it."""
        moved, rounding = np.empty((2, len(toll)))
        self.workers.run(_residuals, self.steps, toll, value, moved, rounding)
        return moved, rounding

    def leaving(self) -> Array:
        """Return a policy by which play may come to the end from everywhere."""
        steps = self.steps
        policy = np.where(steps.mode == MEAN_OF, -1, steps.first[:-1])
        source = np.repeat(np.arange(len(policy)), np.diff(steps.first))
        near, count = np.zeros(len(policy), np.bool_), -1
        while count != (count := int(np.count_nonzero(near))):
            leads = np.flatnonzero(((steps.target < 0) | near[steps.target]) & ~near[source])
            new, at = np.unique(source[leads], return_index=True)
            near[new] = True
            policy[new] = np.where(steps.mode[new] == MEAN_OF, -1, leads[at])
        return policy

    def best(self, policy: Array, toll: Array) -> Array | None:
        """Return the values of the best policy that is found from this one, if play ends by it."""
        found, least = None, np.inf
        for _ in range(MOST_POLICIES):
            self.workers.look()
            value = self.values(policy, toll)
            if value is None:
                break
            left = float(np.abs(self.residuals(toll, value)[0]).max())
            if left < least:
                found, least = value, left
            margin = BETTER * max(1.0, float(np.abs(value).max()))
            if not self.workers.run(_improve, self.steps, value, policy, margin):
                break
        return found

    def off_by(self, value: Array, policy: Array) -> Array | None:
        """Return by how much values may be off in each state, by the module's inequality.

        A policy that attains the values is where the search begins. None if nothing is proven.
        """
        steps = self.steps
        moved, rounding = self.residuals(np.zeros(len(value)), value)
        unit = max(float((np.abs(moved) + rounding).max()), ROUNDOFF)
        rest = np.maximum((np.abs(moved) + rounding) / unit, ERROR_SLACK)
        lost = np.minimum(self._lost(value) / unit, LONGEST_STAY)
        game = steps._replace(
            reward=-(1 - ERROR_SLACK) * lost,
            sign=np.ones(len(lost)),
            mode=np.where(steps.mode == MEAN_OF, MEAN_OF, MAX_OF).astype(np.uint8),
        )
        found = evolve(self, steps=game).best(policy, rest)
        if found is None or not (found > 0).all():
            return None
        found *= 1 + ERROR_SLACK
        whole = evolve(self, steps=game._replace(reward=-lost))
        moved, rounding = whole.residuals(rest, found)
        return unit * found if (moved + rounding <= 0).all() else None

    def _lost(self, value: Array) -> Array:
        """Return what each transition of a choice loses against the value of its state."""
        steps, rows = self.steps, np.diff(self.steps.first)
        mode = np.repeat(steps.mode, rows)
        after = np.where(steps.target >= 0, steps.sign * value[steps.target], 0.0)
        behind = np.repeat(value, rows) - (steps.reward + after)
        behind[mode == MIN_OF] *= -1.0
        behind[mode == MEAN_OF] = 0.0
        return np.maximum(behind, 0.0)


def solve_directly(
    steps: Steps, begun: Array | None, workers: Workers
) -> tuple[Array, Array] | None:
    """Values of states that lead to each other or to the end, and their errors, if they are found.

    The search begins from what is best by some values, or from a policy by which play ends.
    """
    equations = _Equations.of(steps, workers)
    if equations is None:
        return None
    policy = equations.leaving()
    if begun is not None:
        workers.run(_improve, steps, begun, policy, 0.0)
    value = equations.best(policy, np.zeros(len(policy)))
    errors = None if value is None else equations.off_by(value, policy)
    return None if value is None or errors is None else (value, errors)
