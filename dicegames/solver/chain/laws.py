"""The laws of all landing states that play comes to, one after the other.

They are found from the start: the laws of what is known name what is to be found next. This takes
memory for every law, and suits games that go round, have several seats, or are small.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final, NamedTuple

import numpy as np
from attrs import frozen

from dicegames.ground.arguments import OnProgress
from dicegames.solver.chain.batch import WIDTH, Batch, place
from dicegames.solver.chain.chain import LANES, Chain, Walk
from dicegames.solver.chain.lattice import Units
from dicegames.solver.chain.pieces import clear_laws, find_laws, find_pieces
from dicegames.solver.chain.spread import CLOSE, DONE, NO_ROOM_FOR_PIECES, UNDEFINED, mark_wanted
from dicegames.solver.chain.walker import Walker, make_walkers
from dicegames.solver.kernels.arrays import Matrix, Vector
from dicegames.solver.kernels.evaluate import PURE
from dicegames.solver.kernels.flat import Flat
from dicegames.solver.kernels.kernel import njit
from dicegames.solver.kernels.workers import Workers
from dicegames.solver.model import Array
from dicegames.solver.status import SolveError, Status

NO_ROOM_FOR_LAWS: Final = 5
MOST_ENTRIES: Final = 60_000_000


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
    """Laws of the states 0, 1, ...; the first one is the start."""

    key: Array  # int64[states]: landing key
    first: Array  # int64[states + 1]
    to: Array  # int64[entries]: state, -1: the end
    paid: Array  # int64[entries, seats]: in units
    label: Array  # int32[entries]
    rotate: Array  # int8[entries]
    chance: Array  # float64[entries]
    worst: float  # by how much a law and a value differed at most

    @property
    def states(self) -> int:
        """Number of landing states."""
        return len(self.key)


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
        p = b.goal[goal * LANES + lane]
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
    if abs(total - 1.0) > CLOSE:
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
    width: tuple[float, ...], f: Flat, w: Walk, b: Batch, points: Array, wanted: Array,
    units: Array, lookup_units: Array, out: Store, stop: Array,
) -> int:  # fmt: skip
    """Store the laws of the wanted landing states at a chunk's points from `count[2]` on."""
    inner_points = w.rank.size
    while out.count[2] < points.size and stop[0] == 0:
        at, states, entries = out.count[2], out.count[0], out.count[1]
        place(f, w, b, points, at, min(at + LANES, points.size))
        top = mark_wanted(w, b, wanted)
        if not find_pieces(width, f, w, b, top):
            return NO_ROOM_FOR_PIECES
        for node in range(w.landing.size):
            if w.landing[node] < 0:
                continue
            for inner in range(inner_points):
                if b.piece_of[w.hub[node] * inner_points + inner] < 0:
                    continue
                find_laws(width, f, w, b, w.hub[node], inner, units, lookup_units)
                for lane in range(min(LANES, points.size - at)):
                    position = b.home[lane] + w.inner_at[inner]
                    key = w.landing[node] * w.entries + position
                    if wanted[key] != 0:
                        outcome = _store_law(f, w, b, out, node, key, lane)
                        if outcome != DONE:
                            clear_laws(width, b)
                            out.count[0], out.count[1] = states, entries
                            return outcome
                clear_laws(width, b)
        out.count[2] = at + LANES
    return DONE


def find_all_laws(
    chain: Chain,
    units: Units,
    workers: Workers,
    report: OnProgress | None = None,
    begin: Array | None = None,
) -> Laws:
    """Find the laws of everything that play comes to; SolveError where they are too many.

    It is raised as well where the first of equally good moves is one that goes round for ever.

    Play begins at the start, or in the landing states with the keys `begin`.
    """
    walker = make_walkers(chain, 1)[0]
    store = make_store(1 << 10, 1 << 12, chain.walk.seats)
    wanted = np.zeros(chain.states, np.uint8)
    met = np.zeros(chain.states, np.bool_)
    new = np.array([chain.start]) if begin is None else np.unique(begin)
    while new.size:
        met[new] = True
        wanted[new] = 1
        before = int(store.count[1])
        chunks = walker.chunks(_outer(chain, new), 0, 1, workers.stop, wanted)
        while (chunk := workers.run(next, chunks, None)) is not None:
            store = _store_chunk(walker, units, workers, store, chunk, wanted)
        wanted[new] = 0
        new = np.unique(store.to[before : store.count[1]])
        new = new[(new >= 0) & ~met[new]]
        if report is not None:
            report(float(store.count[0]), 0.0)
    laws = _finished(store)
    _demand_an_end(laws)
    return laws


def _demand_an_end(laws: Laws) -> None:
    """Raise SolveError where play comes to states from which it goes round for ever."""
    source = np.repeat(np.arange(laws.states), np.diff(laws.first))
    order = np.argsort(laws.to, kind="stable")
    begin = np.searchsorted(laws.to[order], np.arange(-1, laws.states + 1))
    met = np.zeros(laws.states + 1, np.bool_)  # one for each target, the end being the first
    new = np.array([0])
    while new.size:
        met[new] = True
        ways = [order[begin[n] : begin[n + 1]] for n in new.tolist()]
        new = np.unique(source[np.concatenate(ways)]) + 1
        new = new[~met[new]]
    if not met.all():
        raise SolveError(Status.GOES_ROUND)


def laws_at(
    walker: Walker, units: Units, workers: Workers, store: Store, new: Array, wanted: Array
) -> Iterator[Store]:
    """Yield the store with the laws of some keys, a chunk at a time and without those before.

    `wanted` marks the keys `new`, and no others.
    """
    for chunk in walker.chunks(_outer(walker.chain, new), 0, 1, workers.stop, wanted):
        store.count[:] = 0
        store = _store_chunk(walker, units, workers, store, chunk, wanted)
        yield store


def _store_chunk(
    walker: Walker, units: Units, workers: Workers, store: Store, chunk: Array, wanted: Array
) -> Store:
    """Store the laws at a chunk of points; too little room is doubled."""
    chain = walker.chain
    store.count[2] = 0
    while True:
        outcome = workers.run(
            store_batches, WIDTH, chain.flat, chain.walk, walker.batch, chunk, wanted,
            units.constant, units.floats, store, workers.stop,
        )  # fmt: skip
        if outcome == DONE:
            return store
        if outcome == NO_ROOM_FOR_PIECES:
            walker.make_room()
        elif outcome == NO_ROOM_FOR_LAWS:
            store = _larger(store)
        else:
            raise SolveError(Status.BAD_EFFECT)


def make_store(states: int, entries: int, seats: int) -> Store:
    """Room for the laws of so many states; SolveError where it is too much."""
    if entries * seats > 2 * MOST_ENTRIES:
        raise SolveError(
            Status.TOO_MANY_STATES,
            "the laws of all positions take too much memory; `simulate` plays games instead",
        )
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


def _outer(chain: Chain, keys: Array) -> Array:
    """Positions of the outer points of keys, inner axes at 0."""
    model = chain.model
    if not model.axes:
        return np.zeros(1, np.int64)
    coords = list(np.unravel_index(keys % chain.walk.entries, model.shape))
    for axis in chain.turn.inner:
        coords[axis] = np.zeros_like(coords[axis])
    return np.unique(np.ravel_multi_index(coords, model.shape))


def _finished(store: Store) -> Laws:
    states, entries = int(store.count[0]), int(store.count[1])
    key, to = store.key[:states], store.to[:entries]
    order = np.argsort(key)
    place_ = np.searchsorted(key, np.maximum(to, 0), sorter=order)
    return Laws(
        key=key,
        first=store.first[: states + 1],
        to=np.where(to < 0, -1, order[np.minimum(place_, states - 1)]),
        paid=store.paid[:entries],
        label=store.label[:entries],
        rotate=store.rotate[:entries],
        chance=store.chance[:entries],
        worst=float(store.worst[0]),
    )
