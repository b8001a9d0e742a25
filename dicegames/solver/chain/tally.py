"""Distributions of whatever is gathered along the way, layer by layer from the start.

What has been gathered so far is an *account*: a sum, the number of turns, which events happened how
often. Probability waits at the states to which play has come, by account; a seat that is looked at
has accounts of its own. A layer's laws are found when play has come to it, and dropped when it is
left. Within a layer play may go round: probability is pushed on until next to nothing of it is
left, which is the tail; all that has been at a state together then leaves the layer.

Accounts are found as they come up; `table[account, sign]` names the one after a step, where a sign
stands for all that distinguishes steps.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Hashable, Sequence
from typing import Final

import numpy as np
from attrs import define, field, frozen

from dicegames.ground.arguments import OnProgress
from dicegames.solver.chain.chain import Chain
from dicegames.solver.chain.laws import Finder, Laws
from dicegames.solver.chain.layer_sweep import layer_numbers
from dicegames.solver.chain.units import Units
from dicegames.solver.graph.turn import unfit
from dicegames.solver.kernels.evaluate import PURE
from dicegames.solver.kernels.kernel import njit
from dicegames.solver.kernels.workers import Workers
from dicegames.solver.model import Array
from dicegames.solver.status import SolveError, Status

ENOUGH: Final = 1e-19
"""What may be left in a layer, as a part of what has come to it."""
MOST_CELLS: Final = 200_000_000
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
    pays_early: bool  # whether anything is paid before the end


Advance = Callable[[Account, Sign], Account]


@njit(**PURE)
def _push(
    first: Array, target: Array, rotate: Array, sign: Array, chance: Array, looked_at: Array,
    table: Array, mass: Array, after: Array,
) -> float:  # fmt: skip
    """Push all mass one step on, along the ways that have a target (not -1); how much that is.

    The axes are the state or the target, how many seats the one to move is behind the one that
    began, the seat that is looked at, and its account.
    """
    pushed, seats = 0.0, mass.shape[1]
    for state in range(mass.shape[0]):
        for turned in range(seats):
            for n in range(looked_at.size):
                seat = (looked_at[n] - turned) % seats
                for account in range(mass.shape[3]):
                    m = mass[state, turned, n, account]
                    if m == 0.0:
                        continue
                    for k in range(first[state], first[state + 1]):
                        if target[k] >= 0:
                            new, part = table[account, sign[k, seat]], m * chance[k]
                            after[target[k], (turned + rotate[k]) % seats, n, new] += part
                            pushed += part
    return pushed


class _Accounts:
    """Accounts by number, and where steps lead from them."""

    def __init__(self, start: Account, advance: Advance) -> None:
        self.found: list[Account] = [start]
        self._number: dict[Account, int] = {start: 0}
        self._signs: dict[Sign, int] = {}
        self._advance = advance
        self._table = np.full((1, 1), -1, np.int64)

    def sign_numbers(self, laws: Laws, seats: int, *, paid: bool) -> Array:
        """The number of the sign of every entry, by seat: int32[entries, seats]."""
        amounts = laws.paid if paid else np.zeros((len(laws.to), 1), np.int64)
        low = int(amounts.min(initial=0))
        width = int(amounts.max(initial=0)) - low + 1
        codes = (laws.label[:, None] * np.int64(width) + amounts - low).ravel()
        distinct, number = np.unique(codes, return_inverse=True)
        signs = [Sign(code % width + low, code // width) for code in distinct.tolist()]
        numbers = [self._signs.setdefault(sign, len(self._signs)) for sign in signs]
        return np.array(numbers, np.int32)[number].reshape(-1, seats)

    def table(self, held: Array, signs: Array) -> Array:
        """The account after a step, filled for some accounts and signs: int64[accounts, signs]."""
        short = [
            max(0, n - had)
            for n, had in zip((len(self.found), len(self._signs)), self._table.shape, strict=True)
        ]
        if any(short):
            self._table = np.pad(self._table, [(0, 2 * n) for n in short], constant_values=-1)
        known = list(self._signs)
        for h, s in np.argwhere(self._table[np.ix_(held, signs)] < 0).tolist():
            account, sign = int(held[h]), int(signs[s])
            reached = self._advance(self.found[account], known[sign])
            if reached not in self._number:
                self._number[reached] = len(self.found)
                self.found.append(reached)
            self._table[account, sign] = self._number[reached]
        return self._table


@define(eq=False)
class _Tallying:
    """Accounts that are followed from the start of a chain to its end."""

    finder: Finder
    accounts: _Accounts
    looked_at: Array  # int64: seats, counted from the one that begins
    seats: int  # 1: nobody is paid
    paid: bool
    layers: Array  # int64: by position
    waiting: dict[int, tuple[Array, Array]] = field(factory=dict)  # by layer: keys, mass
    ended: Array = field(init=False)  # float64[seats looked at, accounts]
    left: Array = field(init=False)  # float64[seats looked at]: at the end the tail
    pays_early: bool = False

    def __attrs_post_init__(self) -> None:
        start, looked_at = self.finder.chain.start, len(self.looked_at)
        mass = np.zeros((1, self.seats, looked_at, 1))
        mass[:, 0] = 1.0
        self.waiting[int(self.layers[start % self.layers.size])] = np.array([start]), mass
        self.ended, self.left = np.zeros((looked_at, 1)), np.zeros(looked_at)

    def follow(self, report: OnProgress | None) -> None:
        """Push layer after layer until all has come to the end."""
        while self.waiting:
            layer = min(self.waiting)
            keys, mass = self.waiting.pop(layer)
            laws = self.finder.closure(keys, self.layers)
            self.pays_early |= bool(laws.paid[laws.to >= 0].any())
            now = self._room(laws.states, mass.shape[3])
            now[laws.numbers(keys)] = mass
            self._leave(layer, laws, now)
            if report is not None:
                report(float(self.ended[0].sum()), 1.0)

    def _leave(self, layer: int, laws: Laws, now: Array) -> None:
        """Push what is at the states of a layer on, until it has left that."""
        sign = self.accounts.sign_numbers(laws, self.seats, paid=self.paid)
        within, total = laws.numbers(laws.to), now
        enough = ENOUGH * float(now.sum())
        if (within >= 0).any():
            for _ in range(MOST_STEPS):
                now, left = self._pushed(laws, within, sign, now, laws.states)
                total = _sum(total, now)
                if left <= enough:
                    break
            self.left += now.sum(axis=(0, 1, 3))
        onward, target = np.unique(laws.to[(laws.to >= 0) & (within < 0)], return_inverse=True)
        way = np.full(len(laws.to), -1)
        way[(laws.to >= 0) & (within < 0)] = target
        self._wait(layer, onward, self._pushed(laws, way, sign, total, len(onward))[0])
        way = np.where(laws.to < 0, 0, -1)
        ended = self._pushed(laws, way, sign, total, 1)[0].sum(axis=(0, 1))
        self.ended = _sum(self.ended, ended)

    def _pushed(
        self, laws: Laws, target: Array, sign: Array, mass: Array, targets: int
    ) -> tuple[Array, float]:
        """What comes to targets from the states of laws, and how much of it there is."""
        held = np.flatnonzero(mass.any(axis=(0, 1, 2)))
        if not targets or not held.size:
            return self._room(targets, 1), 0.0
        signs = np.unique(sign[target >= 0])
        table = self.accounts.table(held, signs)
        after = self._room(targets, int(table[np.ix_(held, signs)].max(initial=0)) + 1)
        pushed = self.finder.workers.run(
            _push, laws.first, target, laws.rotate, sign, laws.chance, self.looked_at, table,
            mass, after,
        )  # fmt: skip
        return after, float(pushed)

    def _wait(self, layer: int, keys: Array, mass: Array) -> None:
        """Let mass wait at states, by keys that ascend, of layers to come."""
        layers = self.layers[keys % self.layers.size]
        if layers.min(initial=layer + 1) <= layer:
            raise unfit("play leads back to a layer that it has left")
        for to in np.unique(layers).tolist():
            here, own = keys[layers == to], mass[layers == to]
            before, other = self.waiting.get(to, (here[:0], own[:0]))
            both = np.union1d(before, here)
            joined = self._room(len(both), max(own.shape[3], other.shape[3]))
            joined[np.searchsorted(both, before), ..., : other.shape[3]] = other
            joined[np.searchsorted(both, here), ..., : own.shape[3]] += own
            self.waiting[to] = both, joined

    def _room(self, states: int, accounts: int) -> Array:
        """Mass of none at so many states."""
        shape = (states, self.seats, len(self.looked_at), accounts)
        if math.prod(shape) > MOST_CELLS:
            count = len(self.accounts.found)
            raise SolveError(Status.TOO_MANY_STATES, f"{count} sums in {states} positions")
        return np.zeros(shape)


def _sum(one: Array, other: Array) -> Array:
    """The sum of mass by account where one of the two may have more accounts."""
    longer, shorter = (one, other) if one.shape[-1] >= other.shape[-1] else (other, one)
    found = longer.copy()
    found[..., : shorter.shape[-1]] += shorter
    return found


def tally(
    chain: Chain, units: Units, start: Account, advance: Advance, *, workers: Workers,
    seats: Sequence[int] = (), report: OnProgress | None = None,
) -> list[Tally]:  # fmt: skip
    """Follow the accounts from the start to the end; SolveError where they are too many.

    `seats`, counted from the one that begins, are looked at, each by itself; if none is, nothing is
    paid.
    """
    tallying = _Tallying(
        finder=Finder(chain, units, workers),
        accounts=_Accounts(start, advance),
        looked_at=np.array(list(seats) or [0]),
        seats=chain.walk.seats if seats else 1,
        paid=bool(seats),
        layers=layer_numbers(chain).ravel(),
    )
    tallying.follow(report)
    return [
        Tally(
            {a: float(p) for a, p in zip(tallying.accounts.found, ended, strict=False) if p > 0},
            float(left),
            tallying.pays_early,
        )
        for ended, left in zip(tallying.ended, tallying.left, strict=True)
    ]
