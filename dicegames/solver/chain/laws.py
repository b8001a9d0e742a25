"""The laws of the landing states that play comes to.

They are found from the start: the laws of what is known name what is to be found next. Those of a
layer can be dropped once play has left it.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import zip_longest
from typing import Final, NamedTuple

import numpy as np
from attrs import define, evolve, field, frozen

from dicegames.solver.chain.batch import BATCH_WIDTH, Batch, place
from dicegames.solver.chain.chain import CHAIN_LANES, Chain, Walk
from dicegames.solver.chain.forward import clear_laws, find_laws, find_pieces
from dicegames.solver.chain.spread import (
    DONE,
    LAW_SLACK,
    NO_ROOM_FOR_PIECES,
    UNDEFINED,
    mark_wanted,
)
from dicegames.solver.chain.walker import Walker, make_walkers
from dicegames.solver.kernels.arrays import Matrix, Vector
from dicegames.solver.kernels.evaluate import PURE
from dicegames.solver.kernels.flat import Flat
from dicegames.solver.kernels.kernel import njit
from dicegames.solver.kernels.workers import Workers
from dicegames.solver.model import Array, rows_begin, rows_taken
from dicegames.solver.status import SolveError, Status

NO_ROOM_FOR_LAWS: Final = 5
MOST_LAW_ENTRIES: Final = 120_000_000
ONE_WAY: Final = np.zeros(0, np.int64)
LAW_ENTRIES: Final = ("to", "paid", "label", "rotate", "chance")
"""The arrays with a number, or a row, for each entry of a law."""


class Store(NamedTuple):
    """Laws found so far; `count` is states, entries, and the next point of the chunk."""

    key: Vector[np.int64]  # [states]
    first: Vector[np.int64]  # [states + 1]
    to: Vector[np.int64]  # [entries]: key, -1: the end
    paid: Matrix[np.int64]  # [entries, seats]: in units
    label: Vector[np.int32]  # [entries]
    rotate: Vector[np.int8]  # [entries]: by how many the seats move on
    chance: Vector[np.float64]  # [entries]
    mean: Vector[np.float64]  # [seats]: scratch
    count: Vector[np.int64]  # type: ignore[assignment]  # [3]
    worst: Vector[np.float64]  # [1]


@frozen(eq=False)
class Laws:
    """Laws of the states 0, 1, ..."""

    key: Array  # int64[states]: landing key
    first: Array  # int64[states + 1]
    to: Array  # int64[entries]: landing key, or number of the state; -1: the end
    paid: Array  # int64[entries, seats]: in units
    label: Array  # int32[entries]
    rotate: Array  # int8[entries]
    chance: Array  # float64[entries]
    worst: float  # by how much a law and a value differed at most

    @property
    def states(self) -> int:
        """Number of landing states."""
        return len(self.key)

    def numbers(self, keys: Array) -> Array:
        """The numbers of the states with some keys, -1 where it is none of these."""
        return places_among(self.key, keys)


def places_among(keys: Array, wanted: Array) -> Array:
    """The places of what is wanted among keys in any order, -1 where it is not there."""
    order = np.argsort(keys)
    place_ = np.searchsorted(keys, wanted, sorter=order)
    number = order[np.minimum(place_, len(keys) - 1)]
    return np.where(keys[number] == wanted, number, -1)


@njit(**PURE)
def _store_law(f: Flat, w: Walk, b: Batch, out: Store, node: int, key: int, lane: int) -> int:
    """Write the law of one lane down, the key being that of a landing node at a position."""
    points = w.rank.size
    first_exit = (w.hub_first.size - 1) * points
    state, at = out.count[0], out.count[1]
    out.mean[:] = 0.0
    if state + 1 >= out.key.size or at + b.count[0] > out.to.size:
        return NO_ROOM_FOR_LAWS
    for k in range(b.count[0]):
        goal = b.touched[k]
        p = b.goal[goal * CHAIN_LANES + lane]
        if p == 0.0:
            continue
        place_ = goal - first_exit
        edge = w.exit_edge[place_ // points]
        if b.exit_key[place_, lane] < -1:
            return UNDEFINED
        for seat in range(w.seats):
            out.mean[seat] += p * b.exit_mean[place_, seat, lane]
            out.paid[at, seat] = b.exit_sum[place_, seat, lane]
        out.to[at] = b.exit_key[place_, lane]
        out.label[at] = w.label[f.reward[edge]]
        out.rotate[at] = f.rotate[edge]
        out.chance[at] = p
        at += 1
    total = 0.0
    for k in range(out.count[1], at):
        total += out.chance[k]
    if abs(total - 1.0) > LAW_SLACK:
        return UNDEFINED
    for k in range(out.count[1], at):
        out.chance[k] /= total  # so that rounding does not add up over many turns
    for seat in range(w.seats if w.table[node] >= 0 else 0):
        off = abs(out.mean[seat] - w.values[w.table[node] + seat * w.entries + key % w.entries])
        if not np.isnan(off):
            out.worst[0] = max(out.worst[0], off)
    out.key[state] = key
    out.count[0] = state + 1
    out.count[1] = out.first[state + 1] = at
    return DONE


@njit(**PURE)
def store_batches(
    width: tuple[float, ...], f: Flat, w: Walk, b: Batch, points: Array, wanted: Array, out: Store,
    stop: Array,
) -> int:  # fmt: skip
    """Store the laws of the wanted landing states at a chunk's points from `count[2]` on."""
    inner_points = w.rank.size
    while out.count[2] < points.size and stop[0] == 0:
        at, states, entries = out.count[2], out.count[0], out.count[1]
        place(f, w, b, points, at, min(at + CHAIN_LANES, points.size))
        top = mark_wanted(w, b, wanted)
        if not find_pieces(width, f, w, b, top):
            return NO_ROOM_FOR_PIECES
        for node in range(w.landing.size):
            if w.landing[node] < 0:
                continue
            for inner in range(inner_points):
                if b.piece_of[w.hub[node] * inner_points + inner] < 0:
                    continue
                find_laws(width, f, w, b, w.hub[node], inner)
                for lane in range(min(CHAIN_LANES, points.size - at)):
                    position = b.home[lane] + w.inner_at[inner]
                    key = w.landing[node] * w.entries + position
                    if wanted[key] != 0:
                        outcome = _store_law(f, w, b, out, node, key, lane)
                        if outcome != DONE:
                            clear_laws(width, b)
                            out.count[0], out.count[1] = states, entries
                            return outcome
                clear_laws(width, b)
        out.count[2] = at + CHAIN_LANES
    return DONE


@define(eq=False)
class LawFinder:
    """Finds the laws of more and more states, in threads."""

    chain: Chain
    workers: Workers
    starts: Array = ONE_WAY  # int64: landings at which turns begin, by the way they are played
    walkers: list[Walker] = field(init=False)
    stores: list[Store] = field(init=False)
    wanted: Array = field(init=False)  # uint8[states]
    met: Array = field(init=False)  # bool[states]: those whose laws have been found

    def __attrs_post_init__(self) -> None:
        self.walkers = make_walkers(self.chain, self.workers)
        self.stores = [make_store(1 << 10, 1 << 12, self.chain.walk.seats) for _ in self.walkers]
        self.wanted = np.zeros(self.chain.states, np.uint8)
        self.met = np.zeros(self.chain.states, np.bool_)

    def closure(self, new: Array, layers: Array) -> Laws:
        """Return the laws of states and of all in their layer that play comes to from them.

        `layers` has the number of the layer by position, that of these states being one; none of
        them has been asked for. SolveError where they are too many, or play goes round for ever.
        """
        found: list[Laws] = []
        layer, entries = layers[new[0] % layers.size], 0
        while new.size:
            new = self.in_all_ways(new)
            self.met[new] = True
            parts = self._laws_of(new)
            entries += sum(len(part.to) for part in parts)
            _demand_room(entries, self.chain.walk.seats)
            found.extend(parts)
            new = np.unique(np.concatenate([part.to for part in parts]))
            new = new[(new >= 0) & ~self.met[new]]
            new = new[layers[new % layers.size] == layer]
        laws = _joined(found)
        _demand_a_way_out(laws)
        return laws

    def in_all_ways(self, keys: Array) -> Array:
        """Return keys and, where turns begin, those of the other ways in which they are played."""
        entries = self.chain.walk.entries
        begun = keys[keys // entries == self.starts[0]] if self.starts.size else keys[:0]
        others = (self.starts[1:, None] - self.starts[:1]) * entries + begun
        return np.unique(np.concatenate([keys, others.ravel()]))

    def _laws_of(self, keys: Array) -> list[Laws]:
        """Return the laws of some states, chunk by chunk in an order that is always the same."""
        self.wanted[keys] = 1
        points = outer_of(self.chain, keys)
        shares = self.workers.run_all([(self._share, (points, each)) for each in self.walkers])
        self.wanted[keys] = 0
        chunks = zip_longest(*shares)  # as they were shared out
        return [laws for beside in chunks for laws in beside if laws is not None]

    def _share(self, points: Array, walker: Walker) -> list[Laws]:
        """Return the laws at a thread's share of some points."""
        found, number = [], walker.number
        for store in laws_at(walker, self.stores[number], points, self.wanted):
            self.stores[number] = store
            found.append(_copied(store))
        return found


def find_all_laws(chain: Chain, workers: Workers, begin: Array | None = None) -> Laws:
    """Find the laws of everything that play comes to; SolveError where they are too many.

    It is raised as well where the first of equally good moves is one that goes round for ever.

    Play begins at the start, or in the landing states with the keys `begin`. A law leads to the
    numbers of states.
    """
    new = np.array([chain.start]) if begin is None else np.unique(begin)
    laws = LawFinder(chain, workers).closure(new, np.zeros(chain.walk.entries, np.int8))
    return evolve(laws, to=laws.numbers(laws.to))


def _demand_a_way_out(laws: Laws) -> None:
    """Raise SolveError where play comes to states from which it never leaves these."""
    to = laws.numbers(laws.to)
    source = np.repeat(np.arange(laws.states), np.diff(laws.first))
    leaves = np.zeros(laws.states, np.bool_)
    leaves[source[to < 0]] = True
    if leaves.all():
        return
    order = np.argsort(to, kind="stable")
    begin = np.searchsorted(to[order], np.arange(laws.states + 1))
    new = np.flatnonzero(leaves)
    while new.size:
        reached = np.unique(source[order[rows_taken(begin, new)[1]]])
        new = reached[~leaves[reached]]
        leaves[new] = True
    if not leaves.all():
        raise SolveError(Status.GOES_ROUND)


def laws_at(walker: Walker, store: Store, points: Array, wanted: Array) -> Iterator[Store]:
    """Yield the store with the laws of wanted keys, a chunk at a time and without those before.

    They are those at the walker's share of some outer points.
    """
    for chunk in walker.chunks(points, wanted):
        store = _store_chunk(walker, store, chunk, wanted)
        yield store


def _store_chunk(walker: Walker, store: Store, chunk: Array, wanted: Array) -> Store:
    """Store the laws at a chunk of points alone; too little room is doubled."""
    chain = walker.chain
    store.count[:] = 0
    while True:
        outcome = store_batches(
            BATCH_WIDTH, chain.flat, chain.walk, walker.batch, chunk, wanted, store, walker.stop
        )
        if outcome == DONE:
            return store
        if outcome == NO_ROOM_FOR_PIECES:
            walker.make_room()
        elif outcome == NO_ROOM_FOR_LAWS:
            store = _larger(store)
        else:
            raise SolveError(Status.BAD_EFFECT)


def _demand_room(entries: int, seats: int) -> None:
    if entries * seats > MOST_LAW_ENTRIES:
        raise SolveError(Status.TOO_MANY_RESULTS, f"{entries * seats:,} of all turns")


def make_store(states: int, entries: int, seats: int) -> Store:
    """Room for the laws of so many states; SolveError where it is too much."""
    _demand_room(entries // 2, seats)
    return Store(
        key=np.zeros(states, np.int64),
        first=np.zeros(states + 1, np.int64),
        to=np.zeros(entries, np.int64),
        paid=np.zeros((entries, seats), np.int64),
        label=np.zeros(entries, np.int32),
        rotate=np.zeros(entries, np.int8),
        chance=np.zeros(entries),
        mean=np.zeros(seats),
        count=np.zeros(3, np.int64),
        worst=np.zeros(1),
    )


def _larger(store: Store) -> Store:
    larger = make_store(2 * len(store.key), 2 * len(store.to), len(store.mean))
    arrays: zip[tuple[Array, Array]] = zip(store, larger, strict=True)
    for old, new in arrays:
        new[: len(old)] = old
    return larger


def outer_of(chain: Chain, keys: Array) -> Array:
    """Positions of the outer points of keys, inner axes at 0."""
    model = chain.model
    if not model.axes:
        return np.zeros(1, np.int64)
    coords = list(np.unravel_index(keys % chain.walk.entries, model.shape))
    for axis in chain.turn.inner:
        coords[axis] = np.zeros_like(coords[axis])
    return np.unique(np.ravel_multi_index(coords, model.shape))


def _copied(store: Store) -> Laws:
    states, entries = int(store.count[0]), int(store.count[1])
    own = {name: getattr(store, name)[:entries].copy() for name in LAW_ENTRIES}
    key, first = store.key[:states].copy(), store.first[: states + 1].copy()
    return Laws(key=key, first=first, worst=float(store.worst[0]), **own)


def _joined(parts: list[Laws]) -> Laws:
    together = {
        name: np.concatenate([getattr(part, name) for part in parts])
        for name in ("key", *LAW_ENTRIES)
    }
    first = rows_begin(np.concatenate([np.diff(part.first) for part in parts]))
    return Laws(**together, first=first, worst=max(part.worst for part in parts))
