"""Simulated games: every choice from a table, every throw from a generator that counts.

The choices are looked up by outer point, inner point and choice node. Throws are drawn from alias
tables (Walker 1977, in Vose's form), one number for each node. Numbers come from splitmix64
(Steele, Lea and Flood 2014) with a state that is a hash of the seed and of the number of the game:
a game is the same wherever, and with however many threads, it is simulated.
"""

from __future__ import annotations

from itertools import pairwise
from typing import Final, NamedTuple

import numpy as np
from numba import njit

from dicegames.solver.batch import WIDTH, Batch, make_batch, place
from dicegames.solver.chain import LANES, Chain, Walk
from dicegames.solver.decide import decide
from dicegames.solver.evaluate import INLINE, PURE, guard_holds, lookup_position, move
from dicegames.solver.flat import Flat
from dicegames.solver.lattice import Units
from dicegames.solver.model import BRANCH, CHANCE, CHOICE, END, Array
from dicegames.solver.status import SolveError, Status
from dicegames.solver.sweep import known_states, outer_points
from dicegames.solver.turn import LOCAL
from dicegames.solver.workers import Workers

MOST_BYTES: Final = 2_000_000_000
LONGEST: Final = 10_000_000
"""Steps after which a game is given up."""

DONE: Final = 0
BEYOND: Final = 1
LOST: Final = 2  # play came to where no values are

_STEP = np.uint64(0x9E3779B97F4A7C15)
_ONE = np.uint64(0xBF58476D1CE4E5B9)
_TWO = np.uint64(0x94D049BB133111EB)


class Player(NamedTuple):
    """All that simulated games look up."""

    choice: Array  # uint8 or int16[outer points * inner points * choices]
    choices: int
    row: Array  # int32[entries]: number of an outer point, by its position in a table
    keep: Array  # float64[E]: alias tables: which edge of the two
    other: Array  # int32[E]
    inner_of: Array  # int64[axes]: step of an inner axis in a flat inner point, 0 of others
    outer_of: Array  # int64[axes]: stride of an outer axis, 0 of others
    start: int
    start_point: Array  # int64[axes]
    beyond: int  # label of steps beyond the tables
    seats: int


def make_player(chain: Chain, workers: Workers, beyond: int) -> Player:
    """Tabulate the choices; SolveError where they take too much memory."""
    model, walk, turn = chain.model, chain.walk, chain.turn
    points = outer_points(chain, known_states(chain))
    met = walk.slot >= 0
    choices = int(np.count_nonzero(met & (model.kind == CHOICE)))
    small = int(np.diff(model.first_edge)[model.kind == CHOICE].max(initial=0)) < 256
    size = len(points) * walk.rank.size * choices
    if size * (1 if small else 2) > MOST_BYTES:
        raise SolveError(Status.TOO_MUCH_MEMORY, f"the choices take {size / 1e9:.1f} GB")
    choice = np.empty(size, np.uint8 if small else np.int16)
    batches = [make_batch(chain) for _ in range(workers.threads)]
    workers.run_all(
        [
            (_tabulate, (WIDTH, chain.flat, walk, batch, points, t, workers.threads, choices,
                         choice, workers.stop))
            for t, batch in enumerate(batches)
        ]
    )  # fmt: skip
    row = np.full(walk.entries, -1, np.int32)
    row[points] = np.arange(len(points))
    keep, other = alias_tables(model.kind == CHANCE, model.first_edge, model.weight)
    inner_of = np.zeros(len(model.axes), np.int64)
    inner_of[list(turn.inner)] = walk.inner_step
    outer_of = chain.flat.stride.copy()
    outer_of[list(turn.inner)] = 0
    start_point = np.array(model.start_point, np.int64)
    return Player(
        choice, choices, row, keep, other, inner_of, outer_of, model.start, start_point, beyond,
        model.seats,
    )  # fmt: skip


@njit(**PURE)
def _tabulate(
    width: tuple[float, ...], f: Flat, w: Walk, b: Batch, points: Array, begin: int, step: int,
    choices: int, table: Array, stop: Array,
) -> None:  # fmt: skip
    inner_points = w.rank.size
    for at in range(begin * LANES, points.size, step * LANES):
        if stop[0] != 0:
            return
        place(f, w, b, points, at, min(at + LANES, points.size))
        decide(width, f, w, b, inner_points - 1)
        for lane in range(min(LANES, points.size - at)):
            row = (at + lane) * inner_points
            for inner in range(inner_points):
                to, source = (row + inner) * choices, inner * w.slots
                for slot in range(choices):
                    table[to + slot] = b.choice[(source + slot) * LANES + lane]


def alias_tables(chance: Array, first_edge: Array, weight: Array) -> tuple[Array, Array]:
    """For every edge of a chance node: the probability to keep it, and the edge instead."""
    keep, other = np.ones(len(weight)), np.arange(len(weight), dtype=np.int32)
    for node in np.flatnonzero(chance).tolist():
        first, last = int(first_edge[node]), int(first_edge[node + 1])
        total = float(weight[first:last].sum())
        scaled = (weight[first:last] * ((last - first) / total)).tolist()
        low = [i for i, p in enumerate(scaled) if p < 1]
        high = [i for i, p in enumerate(scaled) if p >= 1]
        while low and high:
            short, rich = low.pop(), high[-1]
            keep[first + short], other[first + short] = scaled[short], first + rich
            scaled[rich] -= 1 - scaled[short]
            if scaled[rich] < 1:
                low.append(high.pop())
    return keep, other


@njit(**INLINE)
def _mixed(z: int) -> int:
    z = (z ^ (z >> np.uint64(30))) * _ONE
    z = (z ^ (z >> np.uint64(27))) * _TWO
    return z ^ (z >> np.uint64(31))


@njit(**PURE)
def play_games(
    f: Flat, w: Walk, p: Player, seed: int, first: int, result: Array, units: Array,
    lookup_units: Array, plus: int, point: Array, after: Array, stop: Array,
) -> int:  # fmt: skip
    """Play the games first, first + 1, ...; what seat 0 gets, in units, in `result`."""
    inner_points = w.rank.size
    for game in range(result.size):
        if stop[0] != 0:
            return DONE
        state = _mixed(_mixed(np.uint64(seed) * _ONE + _STEP) + np.uint64(first + game) * _TWO)
        node, paid, seat, inner, outer = p.start, 0, 0, 0, 0
        for axis in range(point.size):
            point[axis] = p.start_point[axis]
            inner += point[axis] * p.inner_of[axis]
            outer += point[axis] * p.outer_of[axis]
        row = p.row[outer]
        for _ in range(LONGEST):
            begin = f.first_edge[node]
            if f.kind[node] == CHANCE:
                state += _STEP
                count = f.first_edge[node + 1] - begin
                u = float(_mixed(state) >> np.uint64(11)) * (1.0 / 9007199254740992.0) * count
                k = min(int(u), count - 1)
                edge = begin + k if u - k < p.keep[begin + k] else p.other[begin + k]
            elif f.kind[node] == BRANCH:
                edge = begin
                while not guard_holds(f, f.guard[edge], point):
                    edge += 1
            else:
                if row < 0:
                    return LOST
                edge = begin + p.choice[(row * inner_points + inner) * p.choices + w.slot[node]]
            reward = f.reward[edge]
            if w.label[reward] == p.beyond:
                return BEYOND
            if reward != 0:
                amount = units[reward]
                for j in range(f.reward_first[reward], f.reward_first[reward + 1]):
                    amount += lookup_units[lookup_position(f, f.reward_lookup[j], point)]
                paid += -amount if seat == 1 else amount
            target = f.target[edge]
            if f.kind[target] == END:
                paid += plus if seat == 1 else 0
                break
            if w.sort[edge] != LOCAL:
                if not move(f, f.effect[edge], point, after):
                    return LOST
                inner = outer = 0
                for axis in range(point.size):
                    point[axis] = after[axis]
                    inner += point[axis] * p.inner_of[axis]
                    outer += point[axis] * p.outer_of[axis]
                row = p.row[outer]
                if p.seats == 2 and f.rotate[edge] != 0:
                    seat = 1 - seat
            node = target
        result[game] = paid
    return DONE


def simulate_games(
    chain: Chain, units: Units, player: Player, workers: Workers, seed: int, first: int, games: int
) -> Array | None:
    """Payoffs of so many games from `first` on, in units: int64; None beyond the tables."""
    result = np.zeros(games, np.int64)
    plus = round((chain.model.constant_sum or 0.0) / float(units.unit))
    axes = len(chain.model.axes)
    threads = min(workers.threads, max(1, games // 1000))
    cuts = np.linspace(0, games, threads + 1).astype(int).tolist()
    outcomes = workers.run_all(
        [
            (play_games, (chain.flat, chain.walk, player, seed, first + begin, result[begin:end],
                          units.constant, units.floats, plus, np.zeros(axes, np.int64),
                          np.zeros(axes, np.int64), workers.stop))
            for begin, end in pairwise(cuts)
        ]
    )  # fmt: skip
    if LOST in outcomes:
        raise SolveError(Status.BAD_EFFECT)
    return None if BEYOND in outcomes else result
