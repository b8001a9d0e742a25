"""What comes of some states, side by side: how often each thing happens, and what it pays.

Several *columns* of probability begin at states of their own and are pushed forward under the
policy until all of it has come to the end; the labels of edges count what happens on the way, apart
for the turn that is being played and for all later ones. Where layers lead from one to the next
every state is looked at once; else the laws of all states are kept and gone round.
"""

from __future__ import annotations

from contextlib import suppress
from functools import cached_property
from typing import Final

import numpy as np
from attrs import define, evolve, field, frozen

from dicegames.solver.chain.chain import Chain
from dicegames.solver.chain.laws import Store, find_all_laws, laws_at, make_store, outer_of
from dicegames.solver.chain.layer_sweep import known_states, layers_of
from dicegames.solver.chain.walker import Walker, begin_turns, make_walker
from dicegames.solver.graph.turn import unfit
from dicegames.solver.kernels.evaluate import PURE
from dicegames.solver.kernels.kernel import njit
from dicegames.solver.kernels.workers import Workers
from dicegames.solver.model import Array
from dicegames.solver.status import SolveError

LEFT_ON_THE_WAY: Final = 1e-16
MOST_PUSHES: Final = 1_000_000
MOST_LOOKAHEAD_STATES: Final = 20_000_000

NEAR_MEAN: Final = 1e-6
"""How far the mean of the ends of a turn may be from a known value, of 1 or of that value."""


@frozen(eq=False)
class Frontier:
    """Where probability lies next: landing keys (-1: the end of play), and what leads there.

    All arrays are by end. At a landing state itself there is one end, with edge -1.
    """

    edge: Array
    key: Array
    paid: Array  # int64[ends, seats]: in units
    chance: Array


@frozen(eq=False)
class Begin:
    """Where some probability of a column begins, in the turn that is being played or a later one.

    `place` tells where the seat that is looked at sits, counted from the one to move.
    """

    column: int
    ends: Frontier
    chance: float
    turn_over: bool = False
    place: int = 0


@frozen(eq=False)
class Gathered:
    """How often each label comes up, and what its edges pay, by column.

    All have the shape (2 * columns, seats, labels): first the turn that is being played, then the
    later ones; seats say where the one that is looked at sits then. `positive` counts the edges
    that pay more than their label says of other payments.
    """

    count: Array
    paid: Array  # in the units of the rewards
    positive: Array


@njit(**PURE)
def _push(
    first: Array, to: Array, rotate: Array, label: Array, paid: Array, chance: Array, key: Array,
    states: int, crossed: Array, base: Array, mass: Array, count: Array, amount: Array,
    positive: Array,
) -> None:  # fmt: skip
    """Push the probability of some states along their laws."""
    seats, columns = paid.shape[1], mass.shape[1]
    for state in range(states):
        for seat in range(seats):
            row = key[state] * seats + seat
            for column in range(columns):
                own = mass[row, column]
                if own == 0.0:
                    continue
                mass[row, column] = 0.0
                for k in range(first[state], first[state + 1]):
                    part, name = own * chance[k], label[k]
                    count[column, seat, name] += part
                    amount[column, seat, name] += part * paid[k, seat]
                    if paid[k, seat] > base[name]:
                        positive[column, seat, name] += part
                    if to[k] >= 0:
                        later = crossed[name] and column < columns // 2
                        after = column + columns // 2 if later else column
                        mass[to[k] * seats + (seat - rotate[k]) % seats, after] += part


@define(eq=False)
class _ThreadShare:
    """What one thread pushes, and what came of it."""

    walker: Walker
    wanted: Array  # uint8[states]: those that it looks at
    mass: Array
    found: Gathered
    store: Store = field(factory=lambda: make_store(1 << 10, 1 << 12, 1))


def _nothing(shape: tuple[int, ...]) -> Gathered:
    return Gathered(np.zeros(shape), np.zeros(shape), np.zeros(shape))


@define(eq=False)
class Lookahead:
    """Looks ahead from some states of a chain.

    `crossed` tells by label whether a turn is over then, `base` what it pays for other things.
    """

    chain: Chain
    crossed: Array  # bool[labels]
    base: Array  # int64[labels], in units

    def gather(self, begins: list[Begin], columns: int, workers: Workers) -> Gathered:
        """Return what comes of the columns; SolveError where that takes too much."""
        seats = self.chain.walk.seats
        if self.chain.states * seats * columns > MOST_LOOKAHEAD_STATES:
            raise unfit("there are too many states between turns")
        found = _nothing((2 * columns, seats, len(self.crossed)))
        mass = np.zeros((self.chain.states * seats, 2 * columns))
        for begin in begins:
            self._lay(begin, columns, mass, found)
        if self.layered:
            self._in_layers(mass, found, workers)
        else:
            self._round(mass, found, workers)
        return found

    def ends_of(self, node: int, position: int, value: float, workers: Workers) -> Frontier | None:
        """Return where play leads from a node of the chain's model, at a position in a full table.

        None where play does not come to it: then what follows is not worth its `value`.
        """
        chain, walk = self.chain, self.chain.walk
        if walk.landing[node] >= 0:
            key = int(walk.landing[node]) * walk.entries + position
            nothing = np.zeros((1, walk.seats), np.int64)
            return Frontier(np.array([-1]), np.array([key]), nothing, np.ones(1))
        walker = make_walker(chain)
        home, inner = begin_turns(chain, np.array([position]))
        workers.run(walker.choose, home)
        places, chance = walker.ends_within(home, node, int(inner[0]))
        batch = walker.batch
        mean = float(chance @ batch.exit_mean[places, 0, 0])
        if not abs(mean - value) <= NEAR_MEAN * max(1.0, abs(value)):
            return None
        edges = walk.exit_edge[places // walk.rank.size]
        return Frontier(edges, batch.exit_key[places, 0], batch.exit_sum[places, :, 0], chance)

    @cached_property
    def layered(self) -> bool:
        """Whether every law leads on to the next layer."""
        with suppress(SolveError):
            layers_of(self.chain, known_states(self.chain))
            return True
        return False

    def _lay(self, begin: Begin, columns: int, mass: Array, found: Gathered) -> None:
        """Lay the probability of a column to the landing states that come next."""
        walk, flat, ends = self.chain.walk, self.chain.flat, begin.ends
        seats, column = walk.seats, begin.column + (columns if begin.turn_over else 0)
        part = begin.chance * ends.chance
        if ends.edge[0] < 0:
            mass[ends.key[0] * seats + begin.place, column] += part[0]
            return
        labels, rotate = walk.label[flat.reward[ends.edge]], flat.rotate[ends.edge]
        own = ends.paid[:, begin.place]
        np.add.at(found.count[column, begin.place], labels, part)
        np.add.at(found.paid[column, begin.place], labels, part * own)
        np.add.at(found.positive[column, begin.place], labels, part * (own > self.base[labels]))
        later = np.where(self.crossed[labels] & (column < columns), column + columns, column)
        on = ends.key >= 0
        rows = ends.key * seats + (begin.place - rotate) % seats
        np.add.at(mass, (rows[on], later[on]), part[on])

    def _in_layers(self, mass: Array, found: Gathered, workers: Workers) -> None:
        """Push layer after layer, in threads; the laws of a chunk of states are forgotten at once.

        The states of an outer point belong to one thread. Each adds up by itself what it pushes.
        """
        walk, threads = self.chain.walk, workers.threads
        shares = [
            _ThreadShare(
                evolve(make_walker(self.chain), stop=workers.stop),
                np.zeros(self.chain.states, np.uint8),
                np.zeros_like(mass),
                _nothing(found.count.shape),
            )
            for _ in range(threads)
        ]
        while (new := np.flatnonzero(mass.any(axis=1))).size:
            outer = new % walk.entries // walk.rank.size
            thread = np.unique(outer, return_inverse=True)[1] % threads
            workers.run_all(
                [(self._push_share, (s, new[thread == n], mass)) for n, s in enumerate(shares)]
            )
            mass[new] = 0.0
            for share in shares:
                mass += share.mass
                share.mass[:] = 0.0
        for part in (share.found for share in shares):
            found.count[:] += part.count
            found.paid[:] += part.paid
            found.positive[:] += part.positive

    def _push_share(self, share: _ThreadShare, new: Array, mass: Array) -> None:
        """Push the probability of some states on."""
        if not new.size:
            return
        share.wanted[new] = 1
        share.mass[new] = mass[new]
        points = outer_of(self.chain, new)
        for store in laws_at(share.walker, share.store, points, share.wanted):
            share.store = store
            states = int(store.count[0])
            _push(store.first, store.to, store.rotate, store.label, store.paid, store.chance,
                  store.key, states, self.crossed, self.base, share.mass, share.found.count,
                  share.found.paid, share.found.positive)  # fmt: skip
        share.wanted[new] = 0

    def _round(self, mass: Array, found: Gathered, workers: Workers) -> None:
        """Keep all laws, and go round until next to nothing is on the way."""
        seats = self.chain.walk.seats
        rows = np.flatnonzero(mass.any(axis=1))
        if not rows.size:
            return
        laws = find_all_laws(self.chain, workers, begin=rows // seats)
        own = mass.reshape(-1, seats, mass.shape[1])[laws.key].reshape(-1, mass.shape[1])
        numbers = np.arange(laws.states)
        for _ in range(MOST_PUSHES):
            if own.sum() <= LEFT_ON_THE_WAY:
                return
            workers.run(
                _push, laws.first, laws.to, laws.rotate, laws.label, laws.paid, laws.chance,
                numbers, laws.states, self.crossed, self.base, own, found.count, found.paid,
                found.positive,
            )  # fmt: skip
