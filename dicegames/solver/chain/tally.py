"""Distributions of whatever is gathered along the way, layer by layer from the start.

What has been gathered so far is an *account* (see `accounts`). Probability waits at the states to
which play has come, by account; a seat that is looked at has accounts of its own, and may play in a
way of its own against the others. A layer's laws are found when play has come to it, and dropped
when it is left. Within a layer play may go round. Where nothing is gathered on the way, all that
comes by a state until it leaves the layer is found by linear equations; else probability is pushed
on until next to nothing of it is left, which is the tail. Each state of layers to come has a row,
for each seat that may be to move there; when a layer is gone through its rows are free again.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from itertools import pairwise
from typing import Final

import numpy as np
from attrs import define, field, frozen

from dicegames.ground.arguments import OnProgress
from dicegames.solver.chain.accounts import Account, Accounts, Advance
from dicegames.solver.chain.chain import Chain
from dicegames.solver.chain.laws import ONE_WAY, LawFinder, Laws
from dicegames.solver.chain.layer_sweep import layer_numbers
from dicegames.solver.explicit.absorbing import AbsorbingChain
from dicegames.solver.graph.turn import unfit
from dicegames.solver.kernels.evaluate import PURE
from dicegames.solver.kernels.kernel import njit
from dicegames.solver.kernels.workers import Workers
from dicegames.solver.model import Array, rows_taken
from dicegames.solver.status import SolveError, Status

MOST_WAITING_CELLS: Final = 200_000_000


@njit(**PURE)
def take_rows(
    first: Array, target: Array, rotate: Array, seats: int, state: Array, turned: Array,
    looked_at: Array, way: Array, mass: Array, place: Array, free: Array, left: int, taken: Array,
) -> int:  # fmt: skip
    """Give rows to the targets of mass that have none; how many, -1 where too few are free.

    `free[:left]` are rows, the last being taken first, and `taken` is which targets got one.
    """
    count = 0
    for row in range(mass.shape[0]):
        plain = False
        for n in range(looked_at.size):
            own = state[way[n] if (looked_at[n] - turned[row]) % seats == 0 else 0, row]
            if (own == state[0, row] and plain) or not mass[row, n].any():
                continue
            plain |= own == state[0, row]
            for k in range(first[own], first[own + 1]):
                to = target[k] * seats + (turned[row] + rotate[k]) % seats
                if target[k] < 0 or place[to] != 0:
                    continue
                if count == left:
                    for i in range(count):
                        place[taken[i]] = 0
                    return -1
                place[to] = free[left - 1 - count] + 1
                taken[count] = to
                count += 1
    return count


@define(eq=False)
class Waiting:
    """Mass that waits at states of layers to come, each in a row of its own."""

    layers: Array  # int64: by position
    seats: int
    mass: Array  # float64[rows, seats looked at, accounts]
    place: Array  # int32[states * seats]: the row of a state, plus 1, by who is to move; 0: none
    free: Array = field(factory=lambda: np.zeros(1, np.int64))  # int64[rows]: those to be taken
    left: int = 0  # how many: the first ones, the last of which is taken first
    codes: dict[int, list[Array]] = field(factory=lambda: defaultdict(list))  # by layer: places

    def note(self, codes: Array, after: int) -> None:
        """Note where mass waits: all of it comes up after a layer."""
        if not codes.size:
            return
        own = self.layers[codes // self.seats % self.layers.size]
        if own.min() <= after:
            raise unfit("play leads back to a layer that it has left")
        order = np.argsort(own, kind="stable")
        found, first = np.unique(own[order], return_index=True)
        for layer, part in zip(found.tolist(), np.split(codes[order], first[1:]), strict=True):
            self.codes[layer].append(part)

    def pop(self) -> tuple[int, Array, Array]:
        """Return the next layer, where mass waits in it, and that mass; its rows are free again."""
        layer = min(self.codes)
        codes = np.sort(np.concatenate(self.codes.pop(layer)))
        rows = self.place[codes] - 1
        mass = self.mass[rows]
        self.mass[rows] = 0.0
        self.place[codes] = 0
        self.free[self.left : self.left + rows.size] = rows
        self.left += rows.size
        return layer, codes, mass

    def make_room(self, rows: int, accounts: int) -> None:
        """Have at least so many rows and accounts in all."""
        had, columns, width = self.mass.shape
        if rows <= had and accounts <= width:
            return
        accounts = width if accounts <= width else max(accounts, width + width // 2)
        new = room(max(rows, had), columns, accounts)
        new[:had, :, :width] = self.mass
        self.mass, more = new, np.arange(len(new) - 1, had - 1, -1)
        self.free = np.concatenate([self.free[: self.left], more, np.zeros(had, np.int64)])
        self.left += more.size


def room(rows: int, columns: int, accounts: int) -> Array:
    """Mass of none; SolveError where it takes too much."""
    if rows * columns * accounts > MOST_WAITING_CELLS:
        raise SolveError(Status.TOO_MANY_RESULTS, f"{accounts:,} sums in {rows:,} positions")
    return np.zeros((rows, columns, accounts))


LEFT_IN_LAYER: Final = 1e-19
"""What may be left in a layer, as a part of what has come to it."""
MOST_TALLY_STEPS: Final = 1_000_000


@frozen(eq=False)
class Tally:
    """Probabilities of the accounts at the end, and the probability still on the way."""

    mass: dict[Account, float]
    paid: float  # on average, in units
    tail: float
    pays_early: bool  # whether anything is paid before the end


@frozen(eq=False)
class Ways:
    """Ways to play a turn: the landings at which it begins, and which way each seat takes.

    All others play in the first way.
    """

    starts: Array  # int64
    taken: Sequence[int]  # by seat that is looked at


@njit(**PURE)
def _push(
    first: Array, target: Array, rotate: Array, sign: Array, paid: Array, chance: Array,
    state: Array, turned: Array, looked_at: Array, way: Array, table: Array, place: Array,
    mass: Array, after: Array, seats: int, amount: Array, pushed: Array, begin: int, end: int,
) -> None:  # fmt: skip
    """Push the mass of some seats that are looked at one step on, along what has a target (not -1).

    The axes of `mass` are the row, the seat that is looked at, and its account. In a row play is at
    `state[way, row]`, and the seat to move is `turned` behind the one that began. A target has a
    row, `place[target * seats + turned] - 1`, for each seat that may be to move there.
    """
    for row in range(mass.shape[0]):
        for n in range(begin, end):
            seat = (looked_at[n] - turned[row]) % seats
            own = state[way[n] if seat == 0 else 0, row]
            for account in range(mass.shape[2]):
                m = mass[row, n, account]
                if m == 0.0:
                    continue
                for k in range(first[own], first[own + 1]):
                    if target[k] >= 0:
                        to = place[target[k] * seats + (turned[row] + rotate[k]) % seats] - 1
                        part = m * chance[k]
                        after[to, n, table[account, sign[k, seat % sign.shape[1]]]] += part
                        amount[n] += part * paid[k, seat]
                        pushed[n] += part


@frozen(eq=False)
class _LawStep:
    """One step from the states of a layer: in each row its law by the way of playing."""

    laws: Laws
    state: Array  # int64[ways, rows]
    turned: Array  # int64[rows]: how many seats the one to move is behind the one that began
    sign: Array  # int32[entries, seats]


@define(eq=False)
class _Tallying:
    """Accounts that are followed from the start of a chain to its end."""

    finder: LawFinder
    accounts: Accounts
    looked_at: Array  # int64: seats, counted from the one that begins
    way: Array  # int64: the way in which each of them plays, see `LawFinder.starts`
    paid: bool  # whether accounts depend on what is paid
    seats: int  # 1: nobody is paid
    layers: Array  # int64: by position
    waiting: Waiting = field(init=False)
    ended: Array = field(init=False)  # float64[seats looked at, accounts]
    amount: Array = field(init=False)  # float64[seats looked at]: what has been paid, in units
    left: Array = field(init=False)  # float64[seats looked at]: at the end the tail
    pays_early: bool = False

    def __attrs_post_init__(self) -> None:
        columns, chain = len(self.looked_at), self.finder.chain
        begin = chain.start * self.seats
        place = np.zeros(chain.states * self.seats, np.int32)
        place[begin] = 1
        self.waiting = Waiting(self.layers, self.seats, np.ones((1, columns, 1)), place)
        self.waiting.note(np.array([begin]), -1)
        self.ended = np.zeros((columns, 1))
        self.amount, self.left = np.zeros((2, columns))

    def follow(self, report: OnProgress | None) -> None:
        """Push layer after layer until all has come to the end."""
        while self.waiting.codes:
            layer, codes, mass = self.waiting.pop()
            laws = self.finder.closure(np.unique(codes // self.seats), self.layers)
            self.pays_early |= bool(laws.paid[laws.to >= 0].any())
            self._leave(layer, laws, codes, mass)
            if report is not None:
                report(float(self.ended[0].sum()), 1.0)

    def _leave(self, layer: int, laws: Laws, codes: Array, now: Array) -> None:
        """Push what is at the states of a layer on, until it has left that."""
        inside = (laws.to >= 0) & (self.layers[laws.to % self.layers.size] == layer)
        if inside.any():
            codes, now = self._everywhere(laws, codes, now)
        step, total = self._step(laws, codes), now
        if inside.any():
            place = np.zeros(laws.states * self.seats, np.int32)
            place[laws.numbers(codes // self.seats) * self.seats + codes % self.seats] = (
                np.arange(len(codes)) + 1
            )
            target = np.where(inside, laws.numbers(laws.to), -1)
            around = self._around(step, target, place, now)
            total = self._pushed_on(step, target, place, now) if around is None else around
        self._wait(layer, step, np.where((laws.to >= 0) & ~inside, laws.to, -1), total)
        target = np.where(laws.to < 0, 0, -1)
        table, accounts = self._table(step, target, total)
        ended = room(1, len(self.looked_at), accounts)
        self._push(step, target, table, np.ones(self.seats, np.int32), total, ended)
        self.ended = _sum(self.ended, ended[0])

    def _around(self, step: _LawStep, target: Array, place: Array, now: Array) -> Array | None:
        """Return all that is at the rows until it leaves, by linear equations.

        None where accounts change on the way round, or play may not leave.
        """
        held = np.flatnonzero(now.any(axis=(0, 1)))
        signs = np.unique(step.sign[target >= 0])
        if (self.accounts.table(held, signs)[np.ix_(held, signs)] != held[:, None]).any():
            return None
        laws, total, amount = step.laws, np.zeros_like(now), np.zeros_like(self.amount)
        rows = np.arange(len(now))
        for n, seat in enumerate(self.looked_at.tolist()):
            away = (seat - step.turned) % self.seats
            own = step.state[np.where(away == 0, self.way[n], 0), rows]
            first, taken = rows_taken(laws.first, own)
            row, to = np.repeat(rows, np.diff(first)), target[taken]
            turned = (step.turned[row] + laws.rotate[taken]) % self.seats
            after = np.where(to >= 0, place[to * self.seats + turned] - 1, -1)
            chance = laws.chance[taken]
            try:
                chain = AbsorbingChain.of(first, after, chance, self.finder.workers)
                total[:, n, held] = chain.visits(now[:, n, held].T).T
            except SolveError as problem:
                if problem.status not in (Status.ENDLESS, Status.NOT_CONVERGED):
                    raise
                return None
            paid = np.where(after >= 0, chance * laws.paid[taken, away[row]], 0.0)
            amount[n] = total[:, n].sum(axis=1)[row] @ paid
        self.amount += amount
        return total

    def _pushed_on(self, step: _LawStep, target: Array, place: Array, now: Array) -> Array:
        """Return the same step by step, until next to nothing is left."""
        total, enough = now, LEFT_IN_LAYER * float(now.sum())
        for _ in range(MOST_TALLY_STEPS):
            table, accounts = self._table(step, target, now)
            after = room(len(now), len(self.looked_at), accounts)
            left = self._push(step, target, table, place, now, after)
            now, total = after, _sum(total, after)
            if left <= enough:
                break
        self.left += now.sum(axis=(0, 2))
        return total

    def _everywhere(self, laws: Laws, codes: Array, mass: Array) -> tuple[Array, Array]:
        """Return mass with a row for each state of laws and each seat that may be to move."""
        others = np.isin(laws.key // self.finder.chain.walk.entries, self.finder.starts[1:])
        keys = np.sort(laws.key[~others])
        found = (keys[:, None] * self.seats + np.arange(self.seats)).ravel()
        wide = room(len(found), *mass.shape[1:])
        wide[np.searchsorted(found, codes)] = mass
        return found, wide

    def _step(self, laws: Laws, codes: Array) -> _LawStep:
        keys, entries = codes // self.seats, self.finder.chain.walk.entries
        starts = self.finder.starts
        state = np.tile(laws.numbers(keys), (max(1, starts.size), 1))
        begun = np.flatnonzero(keys // entries == starts[0]) if starts.size else keys[:0]
        for way in range(1, starts.size):
            state[way, begun] = laws.numbers(keys[begun] + (starts[way] - starts[0]) * entries)
        sign = self.accounts.sign_numbers(laws, paid=self.paid)
        return _LawStep(laws, state, codes % self.seats, sign)

    def _table(self, step: _LawStep, target: Array, mass: Array) -> tuple[Array, int]:
        """Return where steps to targets lead from the accounts of mass, and how many there are."""
        held = np.flatnonzero(mass.any(axis=(0, 1)))
        signs = np.unique(step.sign[target >= 0])
        table = self.accounts.table(held, signs)
        return table, int(table[np.ix_(held, signs)].max(initial=0)) + 1

    def _wait(self, layer: int, step: _LawStep, target: Array, mass: Array) -> None:
        """Push mass to targets in later layers, and let it wait there."""
        laws, waiting = step.laws, self.waiting
        table, accounts = self._table(step, target, mass)
        waiting.make_room(1, accounts)
        while True:
            taken = np.zeros(waiting.left, np.int64)
            count = self.finder.workers.run(
                take_rows, laws.first, target, laws.rotate, self.seats, step.state, step.turned,
                self.looked_at, self.way, mass, waiting.place, waiting.free, waiting.left, taken,
            )  # fmt: skip
            if count >= 0:
                break
            waiting.make_room(2 * len(waiting.mass), 1)
        waiting.left -= count
        waiting.note(taken[:count], layer)
        self._push(step, target, table, waiting.place, mass, waiting.mass)

    def _push(
        self, step: _LawStep, target: Array, table: Array, place: Array, mass: Array, after: Array
    ) -> float:
        """Push mass to rows of `after`; how much it is."""
        laws, workers = step.laws, self.finder.workers
        pushed = np.zeros(len(self.looked_at))
        shares = np.linspace(0, len(self.looked_at), workers.threads + 1).astype(np.int64).tolist()
        workers.run_all(
            [
                (
                    _push,
                    (laws.first, target, laws.rotate, step.sign, laws.paid, laws.chance,
                     step.state, step.turned, self.looked_at, self.way, table, place, mass, after,
                     self.seats, self.amount, pushed, begin, end),
                )
                for begin, end in pairwise(shares)
            ]
        )  # fmt: skip
        return float(pushed.sum())


def _sum(one: Array, other: Array) -> Array:
    """The sum of mass by account where one of the two may have more accounts."""
    longer, shorter = (one, other) if one.shape[-1] >= other.shape[-1] else (other, one)
    found = longer.copy()
    found[..., : shorter.shape[-1]] += shorter
    return found


def tally(
    chain: Chain, start: Account, advance: Advance | None, *, workers: Workers,
    seats: Sequence[int] = (), ways: Ways | None = None, report: OnProgress | None = None,
) -> list[Tally]:  # fmt: skip
    """Follow the accounts from the start to the end; SolveError where they are too many.

    `seats`, counted from the one that begins, are looked at, each by itself; if none is, nothing is
    paid. In their own turns they may play in `ways` of their own. Without `advance` the account
    stays as it is, and only what is paid on average is of interest.
    """
    tallying = _Tallying(
        finder=LawFinder(chain, workers, ONE_WAY if ways is None else ways.starts),
        accounts=Accounts(start, advance or (lambda account, sign: account)),
        looked_at=np.array(list(seats) or [0]),
        way=np.zeros(max(1, len(seats)), np.int64) if ways is None else np.array(ways.taken),
        seats=chain.walk.seats if seats else 1,
        paid=bool(seats) and advance is not None,
        layers=layer_numbers(chain).ravel(),
    )
    tallying.follow(report)
    return [
        Tally(
            {a: float(p) for a, p in zip(tallying.accounts.found, ended, strict=False) if p > 0},
            float(amount),
            float(left),
            tallying.pays_early,
        )
        for ended, amount, left in zip(tallying.ended, tallying.amount, tallying.left, strict=True)
    ]
