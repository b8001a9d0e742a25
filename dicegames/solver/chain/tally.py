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

from collections.abc import Callable, Hashable, Sequence
from typing import Final, NamedTuple

import numpy as np
from attrs import define, field, frozen

from dicegames.ground.arguments import OnProgress
from dicegames.solver.chain.chain import Chain
from dicegames.solver.chain.lattice import Units
from dicegames.solver.chain.laws import Finder, Laws
from dicegames.solver.chain.sweep import layer_numbers
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
FEW_SIGNS: Final = 1 << 20
NO_LAYER: Final = (1 << 63) - 1

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


class Waiting(NamedTuple):
    """Probability at states of layers to come; in a row those of a state and a seat to move.

    That seat is so many behind the one that began: `turned`.
    """

    row_of: Array  # int32[keys * seats], -1: none
    where: Array  # int64[rows]: key * seats + turned
    layer: Array  # int64[rows]; NO_LAYER: the row is free
    free: Array  # int64[rows]: rows that are free again
    count: Array  # type: ignore[assignment]  # int64[2]: rows so far; those that are free again
    mass: Array  # float64[rows, seats looked at, accounts]


@njit(**PURE)
def _step(
    first: Array, within: Array, rotate: Array, sign: Array, chance: Array, seats: int,
    looked_at: Array, table: Array, mass: Array, after: Array,
) -> float:  # fmt: skip
    """Push all mass one step on within the layer; what is still in it."""
    left = 0.0
    for row in range(mass.shape[0]):
        state, turned = row // seats, row % seats
        for n in range(looked_at.size):
            seat = (looked_at[n] - turned) % seats
            for account in range(mass.shape[2]):
                m = mass[row, n, account]
                if m == 0.0:
                    continue
                for k in range(first[state], first[state + 1]):
                    if within[k] >= 0:
                        new, part = table[account, sign[k, seat]], m * chance[k]
                        after[within[k] * seats + (turned + rotate[k]) % seats, n, new] += part
                        left += part
    return left


@njit(**PURE)
def _go_round(
    first: Array, within: Array, rotate: Array, sign: Array, chance: Array, seats: int,
    looked_at: Array, inside: Array, table: Array, now: Array, after: Array, total: Array,
    enough: float, stop: Array,
) -> float:  # fmt: skip
    """Push mass on within the layer until hardly any is left; how much, -1 where the table ends.

    The signs `inside` are those of ways that do not leave it.
    """
    left = 0.0
    for _ in range(MOST_STEPS):
        for account in range(now.shape[2]):
            if not now[:, :, account].any():
                continue
            for k in inside:
                if not 0 <= table[account, k] < now.shape[2]:
                    return -1.0
        left = _step(first, within, rotate, sign, chance, seats, looked_at, table, now, after)
        for row in range(now.shape[0]):
            for n in range(now.shape[1]):
                for account in range(now.shape[2]):
                    now[row, n, account] = after[row, n, account]
                    total[row, n, account] += after[row, n, account]
                    after[row, n, account] = 0.0
        if left <= enough or stop[0] != 0:
            break
    return left


@njit(**PURE)
def _take(keys: Array, rows: Array, seats: int, waiting: Waiting, mass: Array) -> None:
    """Take rows of the waiting; `keys` are those of the states, ascending, by number."""
    for row in rows:
        key, turned = waiting.where[row] // seats, waiting.where[row] % seats
        to = np.searchsorted(keys, key) * seats + turned
        for n in range(mass.shape[1]):
            for account in range(mass.shape[2]):
                mass[to, n, account] = waiting.mass[row, n, account]
                waiting.mass[row, n, account] = 0.0
        waiting.row_of[waiting.where[row]] = -1
        waiting.layer[row] = NO_LAYER
        waiting.free[waiting.count[1]] = row
        waiting.count[1] += 1


@njit(**PURE)
def _leave(
    first: Array, to: Array, within: Array, rotate: Array, sign: Array, chance: Array, seats: int,
    looked_at: Array, table: Array, mass: Array, layers: Array, layer: int, waiting: Waiting,
    ended: Array,
) -> bool:  # fmt: skip
    """Push all that has been at the states of a layer out of it; False where that leads back."""
    for row in range(mass.shape[0]):
        if not mass[row].any():
            continue
        state, turned = row // seats, row % seats
        for k in range(first[state], first[state + 1]):
            if within[k] >= 0:
                continue
            new_row = -1
            if to[k] >= 0:
                where = to[k] * seats + (turned + rotate[k]) % seats
                new_row = waiting.row_of[where]
                if new_row < 0:
                    if waiting.count[1] > 0:
                        waiting.count[1] -= 1
                        new_row = waiting.free[waiting.count[1]]
                    else:
                        new_row = waiting.count[0]
                        waiting.count[0] += 1
                    waiting.row_of[where] = new_row
                    waiting.where[new_row] = where
                    waiting.layer[new_row] = layers[to[k] % layers.size]
                    if waiting.layer[new_row] <= layer:
                        return False
            for n in range(looked_at.size):
                seat = (looked_at[n] - turned) % seats
                for account in range(mass.shape[2]):
                    m = mass[row, n, account]
                    if m != 0.0:
                        new = table[account, sign[k, seat]]
                        if new_row < 0:
                            ended[n, new] += m * chance[k]
                        else:
                            waiting.mass[new_row, n, new] += m * chance[k]
    return True


class _Accounts:
    """Accounts by number, and where steps lead from them."""

    def __init__(self, start: Account, advance: Advance) -> None:
        self.found: list[Account] = [start]
        self._number: dict[Account, int] = {start: 0}
        self._signs: dict[Sign, int] = {}
        self._advance = advance
        self.table = np.full((1, 1), -1, np.int64)

    def sign_numbers(self, laws: Laws, seats: int, *, paid: bool) -> Array:
        """The number of the sign of every entry, by seat: int32[entries, seats]."""
        amounts = laws.paid if paid else np.zeros((len(laws.to), 1), np.int64)
        low = int(amounts.min(initial=0))
        width = int(amounts.max(initial=0)) - low + 1
        distinct, number = _distinct(
            (laws.label[:, None] * np.int64(width) + amounts - low).ravel()
        )
        signs = [Sign(code % width + low, code // width) for code in distinct.tolist()]
        numbers = [self._signs.setdefault(sign, len(self._signs)) for sign in signs]
        return np.array(numbers, np.int32)[number].reshape(-1, seats)

    def extend(self, held: Array, signs: Array) -> None:
        """Fill the table for some accounts and signs; that may bring up others."""
        self._grow()
        new = self.table[np.ix_(held, signs)] < 0
        known = list(self._signs)
        for h, s in np.argwhere(new).tolist():
            account, sign = int(held[h]), int(signs[s])
            reached = self._advance(self.found[account], known[sign])
            if reached not in self._number:
                self._number[reached] = len(self.found)
                self.found.append(reached)
            self.table[account, sign] = self._number[reached]

    def _grow(self) -> None:
        shape = self.table.shape
        if len(self.found) > shape[0] or len(self._signs) > shape[1]:
            sizes = (2 * len(self.found), max(shape[1], 2 * len(self._signs)))
            larger = np.full(sizes, -1, np.int64)
            larger[: shape[0], : shape[1]] = self.table
            self.table = larger


def _distinct(codes: Array) -> tuple[Array, Array]:
    """The different numbers (none below 0), and of each its place among these."""
    if int(codes.max(initial=0)) >= FEW_SIGNS:
        found, places = np.unique(codes, return_inverse=True)
        return found, places
    there = np.zeros(int(codes.max(initial=0)) + 1, np.bool_)
    there[codes] = True
    return np.flatnonzero(there), (np.cumsum(there) - 1)[codes]


@define(eq=False)
class _Tallying:
    """Accounts that are followed from the start of a chain to its end."""

    chain: Chain
    finder: Finder
    accounts: _Accounts
    looked_at: Array  # int64: seats, counted from the one that begins
    seats: int  # 1: nobody is paid
    paid: bool
    workers: Workers
    layers: Array = field(init=False)  # int64: by position
    waiting: Waiting = field(init=False)
    ended: Array = field(init=False)  # float64[seats looked at, accounts]
    left: Array = field(init=False)  # float64[seats looked at]: at the end the tail
    pays_early: bool = False

    def __attrs_post_init__(self) -> None:
        numbers = layer_numbers(self.chain)
        self.layers = numbers.ravel()
        looked_at = len(self.looked_at)
        self.waiting = Waiting(
            row_of=np.full(self.chain.states * self.seats, -1, np.int32),
            where=np.zeros(1, np.int64),
            layer=np.full(1, NO_LAYER, np.int64),
            free=np.zeros(1, np.int64),
            count=np.array([1, 0]),
            mass=np.ones((1, looked_at, 1)),
        )
        where = self.chain.start * self.seats
        self.waiting.row_of[where], self.waiting.where[0] = 0, where
        self.waiting.layer[0] = self.layers[self.chain.start % self.layers.size]
        self.ended = np.zeros((looked_at, 1))
        self.left = np.zeros(looked_at)

    def follow(self, report: OnProgress | None) -> None:
        """Push layer after layer until all has come to the end."""
        while (layer := int(self.waiting.layer[: self.waiting.count[0]].min())) != NO_LAYER:
            rows = np.flatnonzero(self.waiting.layer[: self.waiting.count[0]] == layer)
            keys = np.unique(self.waiting.where[rows] // self.seats)
            laws = self.finder.closure(keys, self.layers)
            self.pays_early |= bool(laws.paid[laws.to >= 0].any())
            self._push(laws, layer, rows)
            if report is not None:
                report(float(self.ended[0].sum()), 1.0)

    def _push(self, laws: Laws, layer: int, rows: Array) -> None:
        """Push what waits in some rows, all of a layer, out of it."""
        sign = self.accounts.sign_numbers(laws, self.seats, paid=self.paid)
        within, order = laws.within(), np.argsort(laws.key)
        columns = self.waiting.mass.shape[2]
        now = np.zeros((laws.states * self.seats, len(self.looked_at), columns))
        self._demand_room(now.size)
        ordered = np.zeros_like(now)
        _take(laws.key[order], rows, self.seats, self.waiting, ordered)
        blocks = (laws.states, self.seats, *now.shape[1:])
        now.reshape(blocks)[order] = ordered.reshape(blocks)
        inside = np.unique(sign[within >= 0])
        ways = (laws.first, within, laws.rotate, sign, laws.chance, self.seats, self.looked_at)
        total, enough = now.copy(), ENOUGH * float(now.sum())
        left = -1.0 if inside.size else 0.0
        while left < 0.0:
            held = _held(now)
            self.accounts.extend(held, inside)
            table = self.accounts.table
            columns = 1 + max(int(held.max()), int(table[np.ix_(held, inside)].max()))
            self._demand_room(3 * now.shape[0] * now.shape[1] * columns)
            now, total = _wider(now, columns), _wider(total, columns)
            left = self.workers.run(
                _go_round, *ways, inside, table, now, np.zeros_like(now), total, enough,
                self.workers.stop,
            )  # fmt: skip
        self.left += now.sum(axis=(0, 2)) if inside.size else 0.0
        self._leave(laws, layer, within, sign, total)

    def _leave(self, laws: Laws, layer: int, within: Array, sign: Array, total: Array) -> None:
        """Push all that has been at the states of a layer out of it."""
        held, leaves = _held(total), within < 0
        onward = np.unique(sign[leaves & (laws.to >= 0)])
        self.accounts.extend(held, onward)  # first: these have columns
        columns = int(self.accounts.table[np.ix_(held, onward)].max(initial=0)) + 1
        self.accounts.extend(held, np.unique(sign[leaves]))
        self._make_room(int(np.count_nonzero(leaves & (laws.to >= 0))), columns)
        ended = np.zeros((len(self.looked_at), len(self.accounts.found)))  # fewer roundings
        fine = self.workers.run(
            _leave, laws.first, laws.to, within, laws.rotate, sign, laws.chance, self.seats,
            self.looked_at, self.accounts.table, total, self.layers, layer, self.waiting, ended,
        )  # fmt: skip
        if not fine:
            raise unfit("play leads back to a layer that it has left")
        ended[:, : self.ended.shape[1]] += self.ended
        self.ended = ended

    def _make_room(self, ways: int, columns: int) -> None:
        """Have room for rows to which so many ways lead, and for so many accounts."""
        waiting = self.waiting
        rows, looked_at, held = waiting.mass.shape
        needed = int(waiting.count[0] - waiting.count[1]) + ways * self.seats
        needed = min(needed, self.chain.states * self.seats)
        if needed <= rows and columns <= held:
            return
        rows = rows if needed <= rows else max(2 * rows, needed)
        held = max(held, columns)
        self._demand_room(rows * looked_at * held)
        mass = np.zeros((rows, looked_at, held))
        mass[: len(waiting.mass), :, : waiting.mass.shape[2]] = waiting.mass
        longer = [np.zeros(rows, np.int64) for _ in range(3)]
        for new, old in zip(longer, (waiting.where, waiting.layer, waiting.free), strict=True):
            new[: len(old)] = old
        where, layer, free = longer
        self.waiting = waiting._replace(where=where, layer=layer, free=free, mass=mass)

    def _demand_room(self, cells: int) -> None:
        if cells > MOST_CELLS:
            count = len(self.accounts.found)
            raise SolveError(Status.TOO_MANY_STATES, f"{count} sums in too many positions")


def _held(mass: Array) -> Array:
    """Which accounts any probability has."""
    return np.flatnonzero(mass.any(axis=(0, 1)))


def _wider(mass: Array, columns: int) -> Array:
    """The same with room for so many accounts."""
    more = max(0, columns - mass.shape[2])
    return np.pad(mass, ((0, 0), (0, 0), (0, more))) if more else mass


def tally(
    chain: Chain, units: Units, start: Account, advance: Advance, *, workers: Workers,
    seats: Sequence[int] = (), report: OnProgress | None = None,
) -> list[Tally]:  # fmt: skip
    """Follow the accounts from the start to the end; SolveError where they are too many.

    `seats`, counted from the one that begins, are looked at, each by itself; if none is, nothing is
    paid.
    """
    tallying = _Tallying(
        chain,
        Finder(chain, units, workers),
        _Accounts(start, advance),
        np.array(list(seats) or [0]),
        chain.walk.seats if seats else 1,
        bool(seats),
        workers,
    )
    tallying.follow(report)
    found = tallying.accounts.found
    return [
        Tally(
            {a: float(p) for a, p in zip(found, ended, strict=False) if p > 0},
            float(left),
            tallying.pays_early,
        )
        for ended, left in zip(tallying.ended, tallying.left, strict=True)
    ]
