"""Turns with given values at their ends: exact choices, and where they lead.

The values at the ends of a turn are chances to win, known by where the turn ends, what has been won
by then, and what the others may still get:

    U0 = sum over z of D(e)[z] G(total + z)     play goes on as for the best mean,
    U1 = sum over b of q(b) H(e)[b - total]     as if the others' best result b were known,

with D and H the rows of the state e between turns, q the distribution of the best of the others and
G(n) the chance to win with a result of n. The best answer to the others lies between. Choices go by
U = (1 - w) U0 + w U1, w being told by how many turns are still to come; the turn is solved exactly
with U at its ends.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from attrs import evolve, frozen

from dicegames.solver.blocks.lookups import told_at
from dicegames.solver.chain.batch import BATCH_WIDTH, Batch, place
from dicegames.solver.chain.chain import CHAIN_LANES, Walk
from dicegames.solver.chain.forward import clear_laws, find_laws, find_pieces, know_exit
from dicegames.solver.chain.walker import Walker, begin_turns, make_walkers
from dicegames.solver.kernels.arrays import Matrix, Vector
from dicegames.solver.kernels.evaluate import INLINE, PURE
from dicegames.solver.kernels.flat import Flat
from dicegames.solver.kernels.generator import STEP, uniform
from dicegames.solver.kernels.kernel import njit
from dicegames.solver.kernels.workers import Workers
from dicegames.solver.model import Array
from dicegames.solver.results.curves import Curves
from dicegames.solver.results.rivals import ChainTables, Rivals

ENDS_SLACK = 1e-9
"""How far the probabilities of all ends may add up to something else than 1."""


class Seats(NamedTuple):
    """Whose turn it is in some games."""

    key: Vector[np.int64]  # [games]: the landing state in which the turn begins; the end: -1
    total: Vector[np.int64]  # [games]: what has been won, in units
    state: Vector[np.uint64]  # [games]: of the generator


class Ended(NamedTuple):
    """How turns ended."""

    key: Vector[np.int64]  # [games]
    paid: Vector[np.int64]  # [games]: in units
    before: Matrix[np.float64]  # [2, games]: U0 and U1 where the turn began
    after: Matrix[np.float64]  # [2, games]: their means where it may end


@njit(**INLINE)
def _products(
    begun: float, cells: Array, at: int, numbers: Array, begin: int, low: int, high: int
) -> tuple[float, float, float, float]:
    """Add up cells[at + k] * numbers[begin + k], for k from low up to high, to what has begun.

    In four sums, none of which has to wait for another.
    """
    one, two, three, four, k = begun, 0.0, 0.0, 0.0, low
    while k + 3 < high:
        one += cells[at + k] * numbers[begin + k]
        two += cells[at + k + 1] * numbers[begin + k + 1]
        three += cells[at + k + 2] * numbers[begin + k + 2]
        four += cells[at + k + 3] * numbers[begin + k + 3]
        k += 4
    for j in range(k, high):
        one += cells[at + j] * numbers[begin + j]
    return one, two, three, four


@njit(**INLINE)
def plain_chance(d: Curves, state: int, total: int, base: int, wins: Array) -> float:
    """U0: the chance to win if play goes on from a state as for the best mean."""
    at, length = d.at[state], d.length[state]
    begin, last = total + d.low[state] - base, wins.size - 1
    low = min(max(-begin, 0), length)
    high = min(max(last - begin, low), length)
    below = 0.0
    for k in range(low):
        below += d.cells[at + k] * wins[0]
    one, two, three, four = _products(below, d.cells, at, wins, begin, low, high)
    for j in range(high, length):
        two += d.cells[at + j] * wins[last]
    return one + two + three + four


@njit(**INLINE)
def knowing_chance(h: Curves, state: int, total: int, base: int, best: Array, much: bool) -> float:  # noqa: FBT001
    """U1: the chance to win if the best result of the others were known."""
    at, length = h.at[state], h.length[state]
    begin = base - total - h.low[state]  # where in the row the first result lies
    low = min(max(-begin, 0), best.size)
    high = min(max(length - begin, low), best.size)
    below = 0.0
    for k in range(low):
        below += best[k]
    one, two, three, four = _products(below, h.cells, at + begin, best, 0, low, high)
    found = one + two + three + four
    return found if much else 1.0 - found


@njit(**PURE)
def chances(
    d: Curves, h: Curves, state: Array, total: Array, base: int, wins: Array, best: Array,
    much: bool, plain: Array, knowing: Array,  # noqa: FBT001
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
def set_ends(
    f: Flat, w: Walk, b: Batch, homes: Array, games: Array, totals: Array, d: Curves, h: Curves,
    r: Rivals, weights: Array, left: Array, top: int, much: bool,  # noqa: FBT001
    given: Array, bounds: Array,
) -> None:  # fmt: skip
    """Write U at all ends of the turns of some games: see `Chooser.given`; U0, U1 to `bounds`."""
    points, exits, last = w.rank.size, w.exit_edge.size, r.wins.shape[1] - 1
    first = (w.hub_first.size - 1) * points
    for at in range(0, games.size, CHAIN_LANES):
        place(f, w, b, homes, at, min(at + CHAIN_LANES, games.size))
        for rank in range(top + 1):
            inner = w.ranked[rank]
            for k in range(exits):
                goal = k * points + inner
                to = told_at(at, k, exits, inner, points)
                know_exit(f, w, b, first + goal)
                for lane in range(CHAIN_LANES):
                    game = games[min(at + lane, games.size - 1)]
                    key, mine = b.exit_key[goal, lane], totals[game] + b.exit_sum[goal, 0, lane]
                    own = other = -np.inf
                    if weights[0] < 0.0:
                        mean = b.exit_mean[goal, 0, lane]
                        given[to + lane] = mean if much else -mean
                        continue
                    if key == -1:
                        own = other = r.wins[game, min(max(mine - r.base, 0), last)]
                    elif key >= 0 and d.length[key] >= 0 and h.length[key] >= 0:
                        own = plain_chance(d, key, mine, r.base, r.wins[game])
                        other = knowing_chance(h, key, mine, r.base, r.best[game], much)
                    bounds[0, to + lane], bounds[1, to + lane] = own, other
                    weight = weights[left[key % left.size]] if key >= 0 else 0.0
                    given[to + lane] = own if other == own else own + weight * (other - own)


@njit(**INLINE)
def _draw(w: Walk, b: Batch, lane: int, u: float) -> int:
    """The exit that chance takes, by a law just found."""
    first, left, found = (w.hub_first.size - 1) * w.rank.size, u, -1
    for k in range(b.count[0]):
        p = b.goal[b.touched[k] * CHAIN_LANES + lane]
        if p > 0.0:
            found = b.touched[k] - first
            left -= p
            if left < 0.0:
                break
    return found


@njit(**PURE)
def play_turns(
    width: tuple[float, ...], f: Flat, w: Walk, b: Batch, nodes: Array, homes: Array, inner: Array,
    games: Array, begin: int, d: Curves, h: Curves, s: Seats, r: Rivals, weights: Array,
    bounds: Array, much: bool, out: Ended,  # noqa: FBT001
) -> int:  # fmt: skip
    """Play the turns of some games from the one at `begin` on; how far there was room."""
    points, exits = w.rank.size, w.exit_edge.size
    first = (w.hub_first.size - 1) * points
    for at in range(begin, games.size, CHAIN_LANES):
        end, top = min(at + CHAIN_LANES, games.size), 0
        place(f, w, b, homes, at, end)
        for k in range(at, end):
            b.needed[w.hub[nodes[s.key[games[k]] // w.entries]] * points + inner[k]] = 1
            top = max(top, w.rank[inner[k]])
        if not find_pieces(width, f, w, b, top):
            return at
        for lane in range(end - at):
            game = games[at + lane]
            key = s.key[game]
            hub = w.hub[nodes[key // w.entries]]
            find_laws(width, f, w, b, hub, inner[at + lane])
            s.state[game] += STEP
            drawn = _draw(w, b, lane, uniform(s.state[game]))
            out.key[game] = b.exit_key[drawn, lane]
            out.paid[game] = b.exit_sum[drawn, 0, lane]
            if weights[0] >= 0.0:
                plain = knowing = mass = 0.0
                for k in range(b.count[0]):
                    p = b.goal[b.touched[k] * CHAIN_LANES + lane]
                    if p > 0.0:
                        goal = b.touched[k] - first
                        own = told_at(at, goal // points, exits, goal % points, points)
                        plain += p * bounds[0, own + lane]
                        knowing += p * bounds[1, own + lane]
                        mass += p
                mine = s.total[game]
                out.after[0, game], out.after[1, game] = plain / mass, knowing / mass
                out.before[0, game] = plain_chance(d, key, mine, r.base, r.wins[game])
                out.before[1, game] = knowing_chance(h, key, mine, r.base, r.best[game], much)
            clear_laws(width, b)
    return int(games.size)


@frozen(eq=False)
class Share:
    """Games that are looked at together, and where their turns begin."""

    games: Array  # int64: their numbers
    homes: Array  # int64: outer points
    inner: Array  # int64: flat inner points


@frozen(eq=False)
class TurnTable:
    """Turns of many games, played by `weights`: w by turns to come; below 0 for the best mean."""

    tables: ChainTables
    workers: Workers
    walkers: list[Walker]

    def play(self, seats: Seats, others: Rivals, weights: Array) -> Ended:
        """Play a turn in every game; `seats.state` moves on."""
        chain, count = self.tables.chain, len(seats.key)
        homes, inner = begin_turns(chain, seats.key)
        order = np.lexsort([seats.key, inner])  # games with the same inner point side by side
        out = Ended(np.zeros(count, np.int64), np.zeros(count, np.int64), *np.zeros((2, 2, count)))

        def play_share(walker: Walker) -> None:
            for games in walker.parts(order):
                share = Share(games, homes[games], inner[games])
                self._play(walker, share, seats, others, weights, out)

        self.workers.run_all([(play_share, (walker,)) for walker in self.walkers])
        return out

    def _play(
        self, walker: Walker, share: Share, seats: Seats, others: Rivals, weights: Array, out: Ended
    ) -> None:
        tables, chain = self.tables, self.tables.chain
        bounds = choose_moves(tables, walker, share, seats.total, others, weights)
        done, count = 0, share.games.size
        while done < count and walker.stop[0] == 0:
            done = play_turns(
                BATCH_WIDTH, chain.flat, chain.walk, walker.batch, chain.landing_nodes, share.homes,
                share.inner, share.games, done, tables.coming, tables.best, seats, others, weights,
                bounds, tables.maximise, out,
            )  # fmt: skip
            if done < count:
                walker.make_room()


def choose_moves(
    tables: ChainTables, walker: Walker, share: Share, totals: Array, others: Rivals, weights: Array
) -> Array:
    """Find the moves of turns with U at their ends; returned are U0, U1 there, as `Chooser.given`.

    `totals` and `others` are told for all games, `weights` by how many turns are to come.
    """
    chain, chooser = tables.chain, walker.chooser
    top = int(chain.walk.rank[share.inner].max())
    bounds = np.empty((2, *chooser.given.shape))
    set_ends(
        chain.flat, chain.walk, walker.batch, share.homes, share.games, totals, tables.coming,
        tables.best, others, weights, tables.left, top, tables.maximise, chooser.given, bounds,
    )  # fmt: skip
    chooser.choose(share.homes, top, walker.stop)
    return bounds


def make_table(tables: ChainTables, workers: Workers) -> TurnTable:
    """A table with the memory of its threads."""
    return TurnTable(tables, workers, make_walkers(tables.chain, workers, tables.greedy))


# ---- one turn of one game


class OneTurn:
    """One turn at an outer point, up to an inner rank, with given values at its ends."""

    def __init__(
        self, tables: ChainTables, walker: Walker, position: int, total: int, others: Rivals,
        weights: Array,
    ) -> None:  # fmt: skip
        """`position` is that in a full table; `others` is for one game, `weights` as in `Table`."""
        self._home, inner = begin_turns(tables.chain, np.array([position]))
        share = Share(np.zeros(1, np.int64), self._home, inner)
        choose_moves(tables, walker, share, np.array([total]), others, weights)
        moves = walker.batch.choice.copy()
        self._walker = evolve(walker, batch=walker.batch._replace(choice=moves))

    def ends(self, node: int, position: int) -> tuple[Array, Array, Array]:
        """Where the turn ends from a node on: keys, what is paid, and the probability of each.

        None where the turn does not come to the node.
        """
        inner = int(begin_turns(self._walker.chain, np.array([position]))[1][0])
        places, chance = self._walker.ends_within(self._home, node, inner)
        found = slice(None) if abs(chance.sum() - 1.0) < ENDS_SLACK else slice(0)
        batch, places = self._walker.batch, places[found]
        return batch.exit_key[places, 0], batch.exit_sum[places, 0, 0], chance[found]
