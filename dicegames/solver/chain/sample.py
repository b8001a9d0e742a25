"""Simulated games: every choice from a table, every throw from a generator that counts.

The choices are looked up by outer point, inner point and choice node, the outcomes of throws in
the tables of `draws`, for numbers by chance that depend on the seed and the game alone.

The table of choices is filled as games come to points: all games of a lot go on as far as moves are
known, then the moves are found for all points at which some of them wait. Where the table is full
it is emptied, so that neither the choices nor the values have to fit into memory.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise
from math import prod
from time import perf_counter
from typing import Final, NamedTuple

import numpy as np

from dicegames.ground.arguments import OnProgress
from dicegames.solver.chain.chain import CHAIN_LANES, OFF_TABLES, Chain, Walk, greedy_for_choices
from dicegames.solver.chain.draws import Draws, make_draws
from dicegames.solver.chain.walker import Walker, make_walkers
from dicegames.solver.graph.turn import LOCAL
from dicegames.solver.kernels import lanes
from dicegames.solver.kernels.arrays import Matrix, Vector
from dicegames.solver.kernels.evaluate import INLINE, PURE, guard_holds, lookup_position, reward_at
from dicegames.solver.kernels.flat import Flat, strides
from dicegames.solver.kernels.generator import STEP, begin, uniform
from dicegames.solver.kernels.kernel import njit
from dicegames.solver.kernels.workers import Workers
from dicegames.solver.model import BRANCH, CHANCE, CHOICE, END, Array
from dicegames.solver.status import SolveError, Status

MOST_CHOICE_BYTES: Final = 1_000_000_000
"""Of the table of choices."""
LONGEST_SAMPLE: Final = 1_000_000
"""Steps after which a game is given up."""

FINISHED: Final = 0
BEYOND_TABLES: Final = 1
LOST: Final = 2  # play came to where no values are
ENDLESS: Final = 3
PAUSED: Final = 4  # at a choice
WAITING: Final = 5  # at a choice that is not in the table

GAME_ENDED: Final = -1
"""The node of a game that has ended."""
ABREAST: Final = 128
"""Games that one thread plays side by side."""


class Lookups(NamedTuple):
    """All that simulated games look up."""

    choice: Array  # uint8 or int16: by row, then rank of the inner point, then choice
    choices: int
    row: Vector[np.int32]  # [outer points]: its row in the table, 0: none
    begin: Vector[np.int64]  # [rows]: where it begins
    ranks: Vector[np.int64]  # [rows]: inner points that are in it, in the order of their ranks
    draws: Draws
    inner_of: Vector[np.int64]  # [axes]: step of an inner axis in a flat inner point, 0 of others
    outer_of: Vector[np.int64]  # [axes]: step of an outer axis in a flat outer point, 0 of others


class Hands(NamedTuple):
    """The games of a lot."""

    node: Vector[np.int64]  # [games]
    state: Vector[np.uint64]  # [games]: of the generator
    paid: Vector[np.int64]  # [games]
    seat: Vector[np.int64]  # [games]: the one looked at, counted from the one to move
    steps: Vector[np.int64]  # [games]
    point: Matrix[np.int64]  # [games, axes]


def deal(chain: Chain, seed: int, first: int, games: int, seat: int) -> Hands:
    """The games first, first + 1, ... at their start; what they will be follows from that."""
    model = chain.model
    node, paid, steps = (np.zeros(games, np.int64) for _ in range(3))
    node[:] = model.start
    point = np.tile(np.array(model.start_point, np.int64), (games, 1))
    state = begin(seed, np.arange(first, first + games))
    return Hands(node, state, paid, np.full(games, seat), steps, point)


@njit(**INLINE)
def _entry(w: Walk, p: Lookups, point: Array, node: int) -> int:
    """Where a choice stands in the table, -1 where it does not."""
    inner = outer = 0
    for axis in range(point.size):
        inner += point[axis] * p.inner_of[axis]
        outer += point[axis] * p.outer_of[axis]
    row, rank = p.row[outer], w.rank[inner]
    return p.begin[row] + rank * p.choices + w.slot[node] if rank < p.ranks[row] else -1


@njit(**INLINE)
def _drawn(p: Lookups, node: int, state: int) -> int:
    """The edge that chance takes."""
    at = p.draws.first[node]
    count = p.draws.first[node + 1] - at
    u = uniform(state) * count
    k = min(int(u), count - 1)
    return p.draws.edge[at + k] if u - k < p.draws.keep[at + k] else p.draws.other[at + k]


@njit(**INLINE)
def _moved(f: Flat, effect: int, point: Array, after: Array) -> bool:
    """Move the point; False where the effect is not defined."""
    first, last = f.effect_first[effect], f.effect_first[effect + 1]
    for k in range(first, last):
        index = f.indices[lookup_position(f, f.effect_lookup[k], point)]
        if index < 0:
            return False
        after[k - first] = index
    for k in range(first, last):
        point[f.effect_axis[k]] = after[k - first]
    return True


@njit(**INLINE)
def _play_on(f: Flat, w: Walk, p: Lookups, t: Hands, game: int, after: Array) -> int:
    """Play a game up to its next choice: PAUSED, or WAITING before it, or FINISHED at its end."""
    point, node, state = t.point[game], t.node[game], t.state[game]
    paid, seat, steps = t.paid[game], t.seat[game], t.steps[game]
    outcome = PAUSED
    while True:
        steps += 1
        if steps > LONGEST_SAMPLE:
            return ENDLESS
        edge, last = f.first_edge[node], f.first_edge[node + 1]
        if f.kind[node] == CHANCE:
            state += STEP
            edge = _drawn(p, node, state)
        elif f.kind[node] == BRANCH:
            while edge < last and not guard_holds(f, f.guard[edge], point):
                edge += 1
        else:
            at = _entry(w, p, point, node)
            if at < 0:
                steps -= 1
                outcome = WAITING
                break
            edge += p.choice[at]
        if edge >= last and f.kind[node] != CHANCE:  # nothing was decided here
            return LOST
        reward = f.reward[edge]
        if reward != 0:
            if w.label[reward] == OFF_TABLES:
                return BEYOND_TABLES
            paid += reward_at(f, reward + seat * w.each, point, w.paid, w.paid_pool)
        node = f.target[edge]
        if f.kind[node] == END:
            outcome, node = FINISHED, GAME_ENDED
            break
        if w.sort[edge] != LOCAL:
            if not _moved(f, f.effect[edge], point, after):
                return LOST
            seat = (seat - f.rotate[edge]) % w.seats
        if f.kind[node] == CHOICE:
            lanes.prefetch(p.choice, max(_entry(w, p, point, node), 0))
            break
    t.node[game], t.state[game], t.paid[game] = node, state, paid
    t.seat[game], t.steps[game] = seat, steps
    return outcome


@njit(**PURE)
def play_games(
    f: Flat, w: Walk, p: Lookups, t: Hands, which: Array, hands: Array, after: Array, stop: Array
) -> int:
    """Play some games of a lot as far as moves are known.

    As many games as there are `hands` are played in turn, each up to its next choice, which is
    called for ahead. `after` is scratch, int64[axes].
    """
    dealt = running = min(hands.size, which.size)
    for hand in range(dealt):
        hands[hand] = which[hand]
    while running > 0 and stop[0] == 0:
        hand = 0
        while hand < running:
            outcome = _play_on(f, w, p, t, hands[hand], after)
            if outcome == PAUSED:
                hand += 1
            elif outcome not in (FINISHED, WAITING):
                return outcome
            elif dealt < which.size:
                hands[hand] = which[dealt]
                dealt += 1
                hand += 1
            else:
                running -= 1
                hands[hand] = hands[running]
    return FINISHED


class Sampler:
    """Plays games of a chain, and keeps the moves that it has found.

    `learning` seconds went into finding them; `emptied` tells whether they have been forgotten.
    """

    def __init__(self, chain: Chain, workers: Workers) -> None:
        model, walk, turn = chain.model, chain.walk, chain.turn
        self.chain, self.workers = chain, workers
        self.learning, self.emptied = 0.0, False
        self._walkers = make_walkers(chain, workers, greedy_for_choices(chain))
        choices = int(np.count_nonzero((walk.slot >= 0) & (model.kind == CHOICE)))
        small = int(np.diff(model.first_edge)[model.kind == CHOICE].max(initial=0)) < 256
        outer = [1 if a in turn.inner else size for a, size in enumerate(model.shape)]
        points = prod(outer)
        room = min(points * walk.rank.size * choices, MOST_CHOICE_BYTES // (1 if small else 2))
        if walk.rank.size * choices > room:
            raise SolveError(Status.TOO_MUCH_MEMORY, f"{choices:,} choices in a turn")
        rows = min(points, room // max(choices, 1)) + 1
        inner_of = np.zeros(len(model.axes), np.int64)
        inner_of[list(turn.inner)] = walk.inner_step
        outer_of = strides(outer)
        outer_of[list(turn.inner)] = 0
        self._position = strides(model.shape)
        self._position[list(turn.inner)] = 0
        self._lookups = Lookups(
            np.empty(room, np.uint8 if small else np.int16), choices, np.zeros(points, np.int32),
            np.zeros(rows, np.int64), np.zeros(rows, np.int64), make_draws(model, walk), inner_of,
            outer_of,
        )  # fmt: skip
        self._rows, self._used = 1, 0  # of the table
        self._steps = 0.0  # of a game, on average
        self._known: list[Array] = []  # the outer points that are in it
        self._go_on(deal(chain, 0, 0, 0, 0), np.zeros(0, np.int64))  # so that kernels are loaded

    def play(
        self, seed: int, first: int, games: int, seat: int = 0, report: OnProgress | None = None
    ) -> Array | None:
        """Payoffs of so many games from `first` on, in units: int64; None beyond the tables.

        They are those of a seat, counted from the one that begins. What is reported is the share of
        their steps that has been played, if they are like those of the lot before.
        """
        lot = deal(self.chain, seed, first, games, seat)
        if not self._go_on(lot, np.arange(games)):
            return None
        while (waiting := np.flatnonzero(lot.node != GAME_ENDED)).size:
            for portion in self._learnt(lot, waiting):
                if not self._go_on(lot, portion):
                    return None
                if report is not None and self._steps:
                    report(min(lot.steps.mean() / self._steps, 1.0), 1.0)
        self._steps = float(lot.steps.mean()) if games else 0.0
        return lot.paid

    def _go_on(self, lot: Hands, which: Array) -> bool:
        """Play games as far as moves are known; whether they stayed within the tables."""
        chain, workers = self.chain, self.workers
        threads = min(workers.threads, max(1, which.size // 1000))
        cuts = np.linspace(0, which.size, threads + 1).astype(int).tolist()
        parts = (chain.flat, chain.walk, self._lookups, lot)
        outcomes = workers.run_all(
            [
                (play_games, (*parts, which[one:other], np.empty(ABREAST, np.int64),
                              np.empty(lot.point.shape[1], np.int64), workers.stop))
                for one, other in pairwise(cuts)
            ]
        )  # fmt: skip
        if ENDLESS in outcomes:
            raise SolveError(
                Status.TOO_LONG, f"a game goes on for more than {LONGEST_SAMPLE:,} steps"
            )
        if LOST in outcomes:
            raise SolveError(Status.BAD_EFFECT)
        return BEYOND_TABLES not in outcomes

    def _learnt(self, lot: Hands, waiting: Array) -> Iterator[Array]:
        """Yield games in portions, having found the moves at the points where they wait."""
        lookups, point = self._lookups, lot.point[waiting]
        outer, inner = point @ lookups.outer_of, point @ lookups.inner_of
        if not self.chain.ready(point @ self._position, inner):
            raise SolveError(Status.BAD_EFFECT)
        order = np.argsort(outer, kind="stable")
        waiting = waiting[order]
        outer, first = np.unique(outer[order], return_index=True)
        ranks = np.maximum.reduceat(self.chain.walk.rank[inner[order]] + 1, first)
        position = point[order[first]] @ self._position
        ends, at = [*first.tolist(), waiting.size], 0
        while at < outer.size:
            last = at + self._learn(outer[at:], position[at:], ranks[at:])
            yield waiting[ends[at] : ends[last]]
            at = last

    def _learn(self, outer: Array, position: Array, ranks: Array) -> int:
        """Find the moves at the first of some points, as many as there is room for; how many.

        `ranks` are how many inner points each needs.
        """
        began, lookups = perf_counter(), self._lookups
        needed = np.where(lookups.ranks[lookups.row[outer]] < ranks, ranks, 0)
        fits = self._fitting(needed)
        if fits == 0:
            for known in self._known:
                lookups.row[known] = 0
            self._known, self._rows, self._used, self.emptied = [], 1, 0, True
            needed = ranks
            fits = self._fitting(needed)
        new = np.flatnonzero(needed[:fits])
        own = ranks[new]
        begins = self._used + (np.cumsum(own) - own) * lookups.choices
        self.workers.run_all(
            [(_choose, (each, position[new], begins, own, lookups)) for each in self._walkers]
        )
        rows = np.arange(self._rows, self._rows + new.size)
        lookups.begin[rows], lookups.ranks[rows], lookups.row[outer[new]] = begins, own, rows
        self._known.append(outer[new])
        self._rows += new.size
        self._used += int(own.sum()) * lookups.choices
        self.learning += perf_counter() - began
        return fits

    def _fitting(self, needed: Array) -> int:
        """For how many of some points, which need so many inner points, there is room."""
        lookups = self._lookups
        room = np.cumsum(needed) * lookups.choices <= lookups.choice.size - self._used
        room &= np.cumsum(needed > 0) <= lookups.begin.size - self._rows
        return int(np.count_nonzero(room))


def _choose(walker: Walker, points: Array, begins: Array, ranks: Array, lookups: Lookups) -> None:
    """Tabulate the choices at a thread's share of outer points, in order of position."""
    walk, slots = walker.chain.walk, walker.chooser.greedy.rows.size
    for own in walker.parts(np.arange(points.size)):
        walker.chooser.choose(points[own], int(ranks[own].max()) - 1, walker.stop)
        _tabulate(
            walk, slots, walker.batch.choice, begins[own], ranks[own], lookups.choices,
            lookups.choice,
        )  # fmt: skip


@njit(**PURE)
def _tabulate(
    w: Walk, slots: int, choice: Array, begins: Array, ranks: Array, choices: int, table: Array
) -> None:
    """Lay the choices of a chunk point by point, those of branches left out."""
    inner_points = w.rank.size
    for point in range(begins.size):
        batch, lane = point // CHAIN_LANES * inner_points, point % CHAIN_LANES
        for rank in range(ranks[point]):
            source = (batch + w.ranked[rank]) * slots
            to = begins[point] + rank * choices
            for slot in range(choices):
                table[to + slot] = choice[(source + slot) * CHAIN_LANES + lane]
