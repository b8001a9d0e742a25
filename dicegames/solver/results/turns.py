"""Turns with given values at their ends: exact choices, and where they lead.

Some games are looked at side by side, one in each lane. The values at the ends of a turn are
chances to win, known by where the turn ends, what has been won by then, and what the others may
still get:

    U0 = sum over z of D(e)[z] G(total + z)     play goes on as for the best mean,
    U1 = sum over b of q(b) H(e)[b - total]     as if the others' best result b were known,

with D and H the rows of the state e between turns, q the distribution of the best of the others and
G(n) the chance to win with a result of n. The best answer to the others lies between. Choices go by
U = (1 - w) U0 + w U1, and the turn is solved exactly with U at its ends.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from attrs import frozen

from dicegames.solver.chain.batch import WIDTH, Batch, make_batch, place, roomier
from dicegames.solver.chain.chain import LANES, Chain, Walk
from dicegames.solver.chain.pieces import clear_laws, find_laws, find_pieces, know_exit
from dicegames.solver.kernels.evaluate import INLINE, PURE
from dicegames.solver.kernels.flat import Flat
from dicegames.solver.kernels.generator import STEP, uniform
from dicegames.solver.kernels.kernel import njit
from dicegames.solver.kernels.workers import Workers
from dicegames.solver.model import Array
from dicegames.solver.results.curves import Rows
from dicegames.solver.results.decide import Turns, decide, make_turns
from dicegames.solver.results.rivals import Rivals, Tables


class Seats(NamedTuple):
    """Whose turn it is in some games."""

    key: Array  # int64[games]: the landing state in which the turn begins; the end: -1
    total: Array  # int64[games]: what has been won, in units
    state: Array  # uint64[games]: of the generator


class Lanes(NamedTuple):
    """What each lane holds: scratch memory of one thread."""

    home: Array  # int64[LANES]
    total: Array  # int64[LANES]
    weight: Array  # float64[LANES]: w
    wins: Array  # float64[LANES, results]: G
    best: Array  # float64[LANES, results]: q
    plain: Array  # float64[exits * inner points * LANES]: U0 at the ends


class Ended(NamedTuple):
    """How turns ended."""

    key: Array  # int64[games]
    paid: Array  # int64[games]: in units
    before: Array  # float64[games]: U0 where the turn began
    after: Array  # float64[games]: the mean of U0 where it may end


@njit(**INLINE)
def plain_chance(d: Rows, state: int, total: int, base: int, wins: Array) -> float:
    """U0: the chance to win if play goes on from a state as for the best mean."""
    at, length = d.at[state], d.length[state]
    begin, last = total + d.low[state] - base, wins.size - 1
    low = min(max(-begin, 0), length)
    high = min(max(last - begin, low), length)
    one = two = three = four = 0.0
    for k in range(low):
        one += d.cells[at + k] * wins[0]
    k = low
    while k + 3 < high:
        one += d.cells[at + k] * wins[begin + k]
        two += d.cells[at + k + 1] * wins[begin + k + 1]
        three += d.cells[at + k + 2] * wins[begin + k + 2]
        four += d.cells[at + k + 3] * wins[begin + k + 3]
        k += 4
    for j in range(k, high):
        one += d.cells[at + j] * wins[begin + j]
    for j in range(high, length):
        two += d.cells[at + j] * wins[last]
    return one + two + three + four


@njit(**INLINE)
def knowing_chance(h: Rows, state: int, total: int, base: int, best: Array, much: bool) -> float:  # noqa: FBT001
    """U1: the chance to win if the best result of the others were known."""
    at, length = h.at[state], h.length[state]
    begin = base - total - h.low[state]  # where in the row the first result lies
    low = min(max(-begin, 0), best.size)
    high = min(max(length - begin, low), best.size)
    one = two = three = four = 0.0
    for k in range(low):
        one += best[k]
    k = low
    while k + 3 < high:
        one += best[k] * h.cells[at + begin + k]
        two += best[k + 1] * h.cells[at + begin + k + 1]
        three += best[k + 2] * h.cells[at + begin + k + 2]
        four += best[k + 3] * h.cells[at + begin + k + 3]
        k += 4
    for j in range(k, high):
        one += best[j] * h.cells[at + begin + j]
    found = one + two + three + four
    return found if much else 1.0 - found


@njit(**PURE)
def chances(
    d: Rows, h: Rows, state: Array, total: Array, base: int, wins: Array, best: Array, much: bool,  # noqa: FBT001
    plain: Array, knowing: Array,
) -> None:  # fmt: skip
    """U0 and U1 of states between turns, by game; -1 is the end of play."""
    for k in range(state.size):
        row = min(max(k, 0), wins.shape[0] - 1)
        if state[k] < 0:
            index = min(max(total[k] - base, 0), wins.shape[1] - 1)
            plain[k] = knowing[k] = wins[row, index]
        else:
            plain[k] = plain_chance(d, state[k], total[k], base, wins[row])
            knowing[k] = knowing_chance(h, state[k], total[k], base, best[row], much)


@njit(**PURE)
def inner_of(f: Flat, w: Walk, position: int) -> int:
    """The flat inner point of a position in a full table."""
    inner = 0
    for k in range(w.inner.size):
        axis = w.inner[k]
        inner += position // f.stride[axis] % f.size[axis] * w.inner_step[k]
    return inner


@njit(**PURE)
def home_of(f: Flat, w: Walk, position: int) -> int:
    """The position with its inner axes at 0."""
    home = position
    for k in range(w.inner.size):
        axis = w.inner[k]
        home -= position // f.stride[axis] % f.size[axis] * f.stride[axis]
    return home


@njit(**INLINE)
def set_ends(
    f: Flat, w: Walk, b: Batch, t: Turns, d: Rows, h: Rows, units: Array,
    lookup_units: Array, top: int, base: int, much: bool, m: Lanes,  # noqa: FBT001
) -> None:  # fmt: skip
    """Write U at all ends of the turns in the lanes, and U0 to `plain`."""
    total, wins, best = m.total, m.wins, m.best
    weight, plain = m.weight, m.plain
    points, last = w.rank.size, wins.shape[1] - 1
    first = (w.hub_first.size - 1) * points
    for rank in range(top + 1):
        inner = w.ranked[rank]
        for k in range(w.exit_edge.size):
            goal = k * points + inner
            know_exit(f, w, b, first + goal, units, lookup_units)
            for lane in range(LANES):
                key, mine = b.exit_key[goal, lane], total[lane] + b.exit_sum[goal, 0, lane]
                own = other = np.nan
                if weight[lane] < 0.0:
                    mean = b.exit_mean[goal, 0, lane]
                    t.ends[goal * LANES + lane] = mean if much else -mean
                    continue
                if key == -1:
                    own = other = wins[lane, min(max(mine - base, 0), last)]
                elif key >= 0 and d.length[key] >= 0 and h.length[key] >= 0:
                    own = plain_chance(d, key, mine, base, wins[lane])
                    if weight[lane] > 0.0:
                        other = knowing_chance(h, key, mine, base, best[lane], much)
                    else:
                        other = own
                plain[goal * LANES + lane] = own
                t.ends[goal * LANES + lane] = own + weight[lane] * (other - own)


@njit(**INLINE)
def begin_turns(
    f: Flat, w: Walk, b: Batch, nodes: Array, keys: Array, order: Array, begin: int, filled: int,
    homes: Array,
) -> int:  # fmt: skip
    """Lay games into the lanes, each at the state where its turn begins; the highest rank."""
    points, top = w.rank.size, 0
    for lane in range(filled):
        homes[lane] = home_of(f, w, keys[order[begin + lane]] % w.entries)
    place(f, w, b, homes, 0, filled)
    for lane in range(filled):
        key = keys[order[begin + lane]]
        inner = inner_of(f, w, key % w.entries)
        b.needed[w.hub[nodes[key // w.entries]] * points + inner] = 1
        top = max(top, w.rank[inner])
    return top


@njit(**INLINE)
def _draw(w: Walk, b: Batch, lane: int, u: float) -> int:
    """The exit that chance takes, by a law just found."""
    first, left, found = (w.hub_first.size - 1) * w.rank.size, u, -1
    for k in range(b.count[0]):
        p = b.goal[b.touched[k] * LANES + lane]
        if p > 0.0:
            found = b.touched[k] - first
            left -= p
            if left < 0.0:
                break
    return found


@njit(**PURE)
def play_turns(
    width: tuple[float, ...], f: Flat, w: Walk, b: Batch, t: Turns, nodes: Array, d: Rows, h: Rows,
    units: Array, lookup_units: Array, s: Seats, r: Rivals, weight: Array, much: bool,  # noqa: FBT001
    order: Array, begin: int, step: int, m: Lanes, out: Ended, stop: Array,
) -> bool:  # fmt: skip
    """Play the turns of every `step`-th batch of games from `begin` on; False if no room."""
    points, plain = w.rank.size, m.plain
    for at in range(begin * LANES, order.size, step * LANES):
        if stop[0] != 0:
            return True
        filled = min(LANES, order.size - at)
        top = begin_turns(f, w, b, nodes, s.key, order, at, filled, m.home)
        for lane in range(LANES):
            game = order[at + min(lane, filled - 1)]
            m.total[lane], m.weight[lane] = s.total[game], weight[game]
            for k in range(r.wins.shape[1]):
                m.wins[lane, k], m.best[lane, k] = r.wins[game, k], r.best[game, k]
        set_ends(f, w, b, t, d, h, units, lookup_units, top, r.base, much, m)
        b.here[0] = 0
        decide(width, f, w, b, t, top)
        if not find_pieces(width, f, w, b, top):
            return False
        for lane in range(filled):
            game = order[at + lane]
            key = s.key[game]
            inner = inner_of(f, w, key % w.entries)
            find_laws(width, f, w, b, w.hub[nodes[key // w.entries]], inner, units, lookup_units)
            s.state[game] += STEP
            end = _draw(w, b, lane, uniform(s.state[game]))
            out.key[game] = b.exit_key[end, lane]
            out.paid[game] = b.exit_sum[end, 0, lane]
            if weight[game] >= 0.0:
                mean = mass = 0.0
                for k in range(b.count[0]):
                    p = b.goal[b.touched[k] * LANES + lane]
                    if p > 0.0:
                        goal = b.touched[k] - (w.hub_first.size - 1) * points
                        mean += p * plain[goal * LANES + lane]
                        mass += p
                out.after[game] = mean / mass
                out.before[game] = plain_chance(d, key, m.total[lane], r.base, m.wins[lane])
            clear_laws(width, b)
    return True


def make_lanes(batch: Batch, others: Rivals) -> Lanes:
    """Lanes of a thread, with nothing in them."""
    width = others.wins.shape[1]
    return Lanes(
        home=np.zeros(LANES, np.int64),
        total=np.zeros(LANES, np.int64),
        weight=np.zeros(LANES),
        wins=np.zeros((LANES, width)),
        best=np.zeros((LANES, width)),
        plain=np.zeros(batch.exit_known.size * LANES),
    )


@frozen(eq=False)
class Thread:
    """The memory of one thread."""

    batch: Batch
    turns: Turns


def make_thread(chain: Chain) -> Thread:
    """The memory of a thread, with room for the moves of one turn in each lane."""
    walk = chain.walk
    moves = np.full(walk.rank.size * walk.slots * LANES, -1, np.int16)
    return Thread(make_batch(chain, moves), make_turns(chain))


class Table:
    """Turns of many games, played as `weight` says for each: w, or below 0 for the best mean."""

    def __init__(self, tables: Tables, workers: Workers) -> None:
        self.tables, self.workers = tables, workers
        self._threads = [make_thread(tables.chain) for _ in range(workers.threads)]

    def play(self, seats: Seats, others: Rivals, weight: Array) -> Ended:
        """Play a turn in every game; `seats.state` moves on."""
        tables, threads = self.tables, self.workers.threads
        games = len(seats.key)
        out = Ended(np.zeros(games, np.int64), np.zeros(games, np.int64), *np.zeros((2, games)))
        order = np.lexsort([seats.key, self._inner(seats.key)])
        state = seats.state.copy()
        while True:
            done = self.workers.run_all(
                [
                    (play_turns, (WIDTH, tables.chain.flat, tables.chain.walk, own.batch, own.turns,
                                  tables.chain.landing_nodes, tables.coming, tables.best,
                                  tables.units.constant, tables.units.floats, seats, others,
                                  weight, tables.maximise, order, number, threads,
                                  make_lanes(own.batch, others), out, self.workers.stop))
                    for number, own in enumerate(self._threads)
                ]
            )  # fmt: skip
            if all(done):
                return out
            seats.state[:] = state
            self._threads = [
                Thread(roomier(thread.batch), thread.turns) for thread in self._threads
            ]

    def _inner(self, keys: Array) -> Array:
        """Something by which games with the same inner point stand together."""
        chain = self.tables.chain
        coords = np.unravel_index(keys % chain.walk.entries, chain.model.shape or (1,))
        found = np.zeros(len(keys), np.int64)
        for axis in chain.turn.inner:
            found = found * chain.model.axes[axis].size + coords[axis]
        return found
