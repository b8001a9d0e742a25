"""Simulated games: every choice from a table, every throw from a generator that counts.

The choices are looked up by outer point, inner point and choice node, the outcomes of throws in
the tables of `draws`, for numbers by chance that depend on the seed and the game alone.
"""

from __future__ import annotations

from itertools import pairwise
from typing import Final, NamedTuple

import numpy as np

from dicegames.solver.chain.chain import LANES, Chain, Walk
from dicegames.solver.chain.draws import Draws, make_draws
from dicegames.solver.chain.lattice import Units
from dicegames.solver.chain.sweep import known_states, layers_of, outer_points
from dicegames.solver.chain.visits import visited_states
from dicegames.solver.chain.walker import Walker, make_walkers
from dicegames.solver.graph.turn import LOCAL
from dicegames.solver.kernels import lanes
from dicegames.solver.kernels.arrays import Matrix, Vector
from dicegames.solver.kernels.evaluate import INLINE, PURE, guard_holds, lookup_position
from dicegames.solver.kernels.flat import Flat
from dicegames.solver.kernels.generator import STEP, begun, uniform
from dicegames.solver.kernels.kernel import njit
from dicegames.solver.kernels.workers import Workers
from dicegames.solver.model import BRANCH, CHANCE, CHOICE, END, Array
from dicegames.solver.status import SolveError, Status

MOST_BYTES: Final = 2_000_000_000
LONGEST: Final = 1_000_000
"""Steps after which a game is given up."""

DONE: Final = 0
BEYOND: Final = 1
LOST: Final = 2  # play came to where no values are
ENDLESS: Final = 3
PAUSED: Final = 4  # at a choice

ABREAST: Final = 128
"""Games that one thread plays side by side."""


class Lookups(NamedTuple):
    """All that simulated games look up."""

    choice: Array  # uint8 or int16[outer points * inner points * choices]
    choices: int
    row: Vector[np.int32]  # [entries]: number of an outer point, by its position in a table
    draws: Draws
    inner_of: Vector[np.int64]  # [axes]: step of an inner axis in a flat inner point, 0 of others
    outer_of: Vector[np.int64]  # [axes]: stride of an outer axis, 0 of others
    start: int
    start_point: Vector[np.int64]  # [axes]
    beyond: int  # label of steps beyond the tables


def make_player(chain: Chain, workers: Workers, beyond: int) -> Lookups:
    """Tabulate the choices; SolveError where they take too much memory."""
    model, walk, turn = chain.model, chain.walk, chain.turn
    points = _visited_points(chain, workers)
    met = walk.slot >= 0
    choices = int(np.count_nonzero(met & (model.kind == CHOICE)))
    small = int(np.diff(model.first_edge)[model.kind == CHOICE].max(initial=0)) < 256
    size = len(points) * walk.rank.size * choices
    if size * (1 if small else 2) > MOST_BYTES:
        raise SolveError(Status.TOO_MUCH_MEMORY, f"the choices take {size / 1e9:.1f} GB")
    choice = np.empty(size, np.uint8 if small else np.int16)
    row = np.full(walk.entries, -1, np.int32)
    row[points] = np.arange(len(points))
    walkers = make_walkers(chain, workers.threads)
    workers.run_all(
        [
            (_choose, (walker, points, t, workers.threads, choices, row, choice, workers.stop))
            for t, walker in enumerate(walkers)
        ]
    )
    inner_of = np.zeros(len(model.axes), np.int64)
    inner_of[list(turn.inner)] = walk.inner_step
    outer_of = chain.flat.stride.copy()
    outer_of[list(turn.inner)] = 0
    start_point = np.array(model.start_point, np.int64)
    return Lookups(
        choice, choices, row, make_draws(model, walk), inner_of, outer_of, model.start, start_point,
        beyond,
    )  # fmt: skip


def _visited_points(chain: Chain, workers: Workers) -> Array:
    """Outer points that play comes to; where there are no layers, all that have values."""
    known = known_states(chain)
    try:
        layers = layers_of(chain, known)
    except SolveError:
        return outer_points(chain, known)
    visited, _ = visited_states(chain, known, layers, workers)
    return outer_points(chain, visited)


def _choose(
    walker: Walker, points: Array, number: int, threads: int, choices: int, row: Array,
    table: Array, stop: Array,
) -> None:  # fmt: skip
    """Tabulate the choices at a thread's share of the outer points."""
    walk = walker.chain.walk
    for chunk in walker.chunks(points, number, threads, stop):
        _tabulate(walk, walker.batch.choice, chunk, row, choices, table)


@njit(**PURE)
def _tabulate(w: Walk, choice: Array, chunk: Array, row: Array, choices: int, table: Array) -> None:
    """Lay the choices of a chunk point by point, those of branches left out."""
    inner_points = w.rank.size
    for point in range(chunk.size):
        batch, lane = point // LANES * inner_points, point % LANES
        to = row[chunk[point]] * inner_points * choices
        for inner in range(inner_points):
            source = (batch + inner) * w.slots
            for slot in range(choices):
                table[to + inner * choices + slot] = choice[(source + slot) * LANES + lane]


class Hands(NamedTuple):
    """The games that a thread plays side by side."""

    game: Vector[np.int64]  # [ABREAST]: -1 where no game is left
    node: Vector[np.int64]  # [ABREAST]
    state: Vector[np.uint64]  # [ABREAST]: of the generator
    paid: Vector[np.int64]  # [ABREAST]
    seat: Vector[np.int64]  # [ABREAST]: the one looked at, counted from the one to move
    steps: Vector[np.int64]  # [ABREAST]
    point: Matrix[np.int64]  # [ABREAST, axes]
    after: Vector[np.int64]  # [axes]: scratch


def make_tables(axes: int) -> Hands:
    """Room for the games of one thread."""
    numbers = [np.zeros(ABREAST, np.int64) for _ in range(5)]
    game, node, paid, seat, steps = numbers
    point, after = np.zeros((ABREAST, axes), np.int64), np.zeros(axes, np.int64)
    return Hands(game, node, np.zeros(ABREAST, np.uint64), paid, seat, steps, point, after)


@njit(**INLINE)
def _begin(p: Lookups, t: Hands, slot: int, game: int, seed: int, first: int, seat: int) -> None:
    """Begin a game: all that it will be follows from the seed and its number."""
    t.state[slot] = begun(seed, first + game)
    t.game[slot], t.node[slot] = game, p.start
    t.paid[slot] = t.steps[slot] = 0
    t.seat[slot] = seat
    for axis in range(p.start_point.size):
        t.point[slot, axis] = p.start_point[axis]


@njit(**INLINE)
def _entry(f: Flat, w: Walk, p: Lookups, point: Array, node: int) -> int:
    """Where a choice stands in the table, -1 where no values are."""
    inner = outer = 0
    for axis in range(point.size):
        inner += point[axis] * p.inner_of[axis]
        outer += point[axis] * p.outer_of[axis]
    row = p.row[outer]
    return (row * w.rank.size + inner) * p.choices + w.slot[node] if row >= 0 else -1


@njit(**INLINE)
def _drawn(p: Lookups, node: int, state: int) -> int:
    """The edge that chance takes."""
    at = p.draws.first[node]
    count = p.draws.first[node + 1] - at
    u = uniform(state) * count
    k = min(int(u), count - 1)
    return p.draws.edge[at + k] if u - k < p.draws.keep[at + k] else p.draws.other[at + k]


@njit(**INLINE)
def _amount(f: Flat, units: Array, lookup_units: Array, reward: int, point: Array) -> int:
    """What is paid, in units."""
    amount = units[reward]
    for j in range(f.reward_first[reward], f.reward_first[reward + 1]):
        amount += lookup_units[lookup_position(f, f.reward_lookup[j], point)]
    return amount


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
def _play_on(
    f: Flat, w: Walk, p: Lookups, t: Hands, slot: int, units: Array, lookup_units: Array
) -> int:
    """Play a game up to its next choice: PAUSED, or DONE at its end."""
    point, node, state = t.point[slot], t.node[slot], t.state[slot]
    paid, seat, steps = t.paid[slot], t.seat[slot], t.steps[slot]
    outcome = PAUSED
    while True:
        steps += 1
        if steps > LONGEST:
            return ENDLESS
        edge, last = f.first_edge[node], f.first_edge[node + 1]
        if f.kind[node] == CHANCE:
            state += STEP
            edge = _drawn(p, node, state)
        elif f.kind[node] == BRANCH:
            while edge < last and not guard_holds(f, f.guard[edge], point):
                edge += 1
        else:
            at = _entry(f, w, p, point, node)
            if at < 0:
                return LOST
            edge += p.choice[at]
        if edge >= last and f.kind[node] != CHANCE:  # nothing was decided here
            return LOST
        reward = f.reward[edge]
        if reward != 0:
            if w.label[reward] == p.beyond:
                return BEYOND
            paid += _amount(f, units, lookup_units, reward + seat * w.each, point)
        node = f.target[edge]
        if f.kind[node] == END:
            outcome = DONE
            break
        if w.sort[edge] != LOCAL:
            if not _moved(f, f.effect[edge], point, t.after):
                return LOST
            seat = (seat - f.rotate[edge]) % w.seats
        if f.kind[node] == CHOICE:
            lanes.prefetch(p.choice, max(_entry(f, w, p, point, node), 0))
            break
    t.node[slot], t.state[slot], t.paid[slot] = node, state, paid
    t.seat[slot], t.steps[slot] = seat, steps
    return outcome


@njit(**PURE)
def play_games(
    f: Flat, w: Walk, p: Lookups, t: Hands, seed: int, first: int, seat: int, result: Array,
    units: Array, lookup_units: Array, stop: Array,
) -> int:  # fmt: skip
    """Play the games first, first + 1, ...; what a seat gets, in units, in `result`.

    ABREAST games are played in turn, each up to its next choice, which is called for ahead.
    """
    begun = running = min(ABREAST, result.size)
    t.game[:] = -1
    for slot in range(begun):
        _begin(p, t, slot, slot, seed, first, seat)
    while running > 0 and stop[0] == 0:
        for slot in range(ABREAST):
            if t.game[slot] < 0:
                continue
            outcome = _play_on(f, w, p, t, slot, units, lookup_units)
            if outcome == PAUSED:
                continue
            if outcome != DONE:
                return outcome
            result[t.game[slot]] = t.paid[slot]
            if begun < result.size:
                _begin(p, t, slot, begun, seed, first, seat)
                begun += 1
            else:
                t.game[slot] = -1
                running -= 1
    return DONE


def simulate_games(
    chain: Chain, units: Units, player: Lookups, workers: Workers, seed: int, first: int,
    games: int, seat: int = 0,
) -> Array | None:  # fmt: skip
    """Payoffs of so many games from `first` on, in units: int64; None beyond the tables.

    They are those of a seat, counted from the one that begins.
    """
    result = np.zeros(games, np.int64)
    axes = len(chain.model.axes)
    threads = min(workers.threads, max(1, games // 1000))
    cuts = np.linspace(0, games, threads + 1).astype(int).tolist()
    outcomes = workers.run_all(
        [
            (play_games, (chain.flat, chain.walk, player, make_tables(axes), seed, first + begin,
                          seat, result[begin:end], units.constant, units.floats, workers.stop))
            for begin, end in pairwise(cuts)
        ]
    )  # fmt: skip
    if ENDLESS in outcomes:
        raise SolveError(Status.TOO_LONG, f"a game goes on for more than {LONGEST:,} steps")
    if LOST in outcomes:
        raise SolveError(Status.BAD_EFFECT)
    return None if BEYOND in outcomes else result
