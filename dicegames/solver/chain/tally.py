"""Distributions of whatever is gathered along the way, step by step from the start.

What has been gathered so far is an *account*: a sum, the number of turns, which events happened how
often. `mass[state, account]` is pushed along the laws, one landing state further with every step,
until all of it has come to the end, or less than `ENOUGH` is still on the way: that is the tail.
Accounts are found as they come up; `table[account, sign]` names the one after a step, where a sign
stands for all that distinguishes steps.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable
from typing import Final

import numpy as np
from attrs import frozen

from dicegames.ground.arguments import OnProgress
from dicegames.solver.chain.laws import Laws
from dicegames.solver.kernels.evaluate import PURE
from dicegames.solver.kernels.kernel import njit
from dicegames.solver.kernels.workers import Workers
from dicegames.solver.model import Array
from dicegames.solver.status import SolveError, Status

ENOUGH: Final = 1e-16
MOST_CELLS: Final = 100_000_000
MOST_STEPS: Final = 1_000_000

Account = Hashable


@frozen
class Sign:
    """What distinguishes steps: what the seat is paid, in units, and the label."""

    paid: int
    label: int


@frozen(eq=False)
class Tally:
    """Probabilities of the accounts at the end, and the probability still on the way."""

    mass: dict[Account, float]
    tail: float
    steps: int


Advance = Callable[[Account, Sign], Account]


@njit(**PURE)
def _step(
    first: Array, to: Array, rotate: Array, sign: Array, chance: Array, seats: int, table: Array,
    mass: Array, after: Array, ended: Array,
) -> float:  # fmt: skip
    """Push all mass one step on; what is still on the way.

    A row is for a state and where the seat that is looked at is then, counted from the one to move.
    """
    left = 0.0
    for place in range(mass.shape[0]):
        state, seat = place // seats, place % seats
        for account in range(mass.shape[1]):
            m = mass[place, account]
            if m == 0.0:
                continue
            mass[place, account] = 0.0
            for k in range(first[state], first[state + 1]):
                new = table[account, sign[k, seat]]
                part = m * chance[k]
                if to[k] < 0:
                    ended[new] += part
                else:
                    after[to[k] * seats + (seat - rotate[k]) % seats, new] += part
                    left += part
    return left


class _Accounts:
    """Accounts by number, and where steps lead from them."""

    def __init__(self, start: Account, signs: list[Sign], advance: Advance) -> None:
        self.found: list[Account] = [start]
        self.number = {start: 0}
        self._signs, self._advance = signs, advance
        self.table = np.zeros((0, len(signs)), np.int64)

    def extend(self, known: int) -> None:
        """Fill the table for the first `known` accounts; that may bring up others."""
        rows = []
        for account in self.found[len(self.table) : known]:
            row = []
            for sign in self._signs:
                new = self._advance(account, sign)
                if new not in self.number:
                    self.number[new] = len(self.found)
                    self.found.append(new)
                row.append(self.number[new])
            rows.append(row)
        if rows:
            self.table = np.vstack([self.table, np.array(rows, np.int64)])


def tally(
    laws: Laws, start: Account, advance: Advance, *, workers: Workers, seat: int | None = None,
    report: OnProgress | None = None,
) -> Tally:  # fmt: skip
    """Follow the accounts from the start to the end; SolveError where they are too many.

    `seat`, counted from the one that begins, is looked at; if none is, nothing is paid.
    """
    seats = 1 if seat is None else laws.paid.shape[1]
    paid = laws.paid if seat is not None else np.zeros((len(laws.to), 1), np.int64)
    columns = np.column_stack([paid.ravel(), np.repeat(laws.label, seats)])
    distinct, number = np.unique(columns, axis=0, return_inverse=True)
    accounts = _Accounts(start, [Sign(int(p), int(label)) for p, label in distinct], advance)
    mass = np.zeros((laws.states * seats, 1))
    mass[seat or 0, 0] = 1.0
    ended = np.zeros(1)
    left, steps = 1.0, 0
    while left > ENOUGH and steps < MOST_STEPS:
        held = int(np.flatnonzero(mass.any(axis=0)).max(initial=-1)) + 1
        accounts.extend(held)
        count = len(accounts.found)
        if laws.states * seats * count > MOST_CELLS:
            raise SolveError(Status.TOO_MANY_STATES, f"{count} sums in {laws.states} positions")
        after = np.zeros((mass.shape[0], count))
        now = np.zeros(count)  # summed apart: fewer roundings of large numbers
        left = workers.run(
            _step, laws.first, laws.to, laws.rotate, number.reshape(-1, seats), laws.chance, seats,
            accounts.table, mass, after, now,
        )  # fmt: skip
        now[: len(ended)] += ended
        ended = now
        mass = after
        steps += 1
        if report is not None:
            report(1.0 - left, 1.0)
    found = {a: float(p) for a, p in zip(accounts.found, ended, strict=False) if p > 0}
    return Tally(found, left, steps)
