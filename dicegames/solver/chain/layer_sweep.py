"""Run the sweep of `spread` over the layers of a game, in threads, with room for two layers.

Before it, the states that play comes to are found layer by layer from the start, by their laws.
Where play comes to nearly all states of a layer, those of the later layers are not told
apart any more: to take too many of them is not wrong, it only takes time.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

import numpy as np
from attrs import frozen

from dicegames.ground.arguments import OnProgress
from dicegames.ground.reading import told
from dicegames.ground.scratch import on_disk
from dicegames.solver.chain.batch import BATCH_WIDTH, Batch, place
from dicegames.solver.chain.blend import BLEND_WIDTH, TILE, Blend, Slots, make_blend, make_slots
from dicegames.solver.chain.chain import CHAIN_LANES, Chain, Walk
from dicegames.solver.chain.forward import clear_laws, find_pieces, join_pieces
from dicegames.solver.chain.piece_store import (
    MOST_PIECE_BYTES,
    NOTHING_KEPT,
    PieceStore,
    keep_pieces,
    make_piece_store,
)
from dicegames.solver.chain.spread import (
    DONE,
    END_ROW,
    NO_ROOM_FOR_PIECES,
    NO_ROOM_FOR_ROWS,
    SKIPS,
    RowTable,
    mark_wanted,
    spread_batches,
)
from dicegames.solver.chain.walker import Walker, make_walkers
from dicegames.solver.graph.must import find_musts
from dicegames.solver.graph.progress import find_progress, layer_shares
from dicegames.solver.graph.turn import unfit
from dicegames.solver.kernels.evaluate import INLINE, PURE
from dicegames.solver.kernels.flat import Flat
from dicegames.solver.kernels.kernel import njit
from dicegames.solver.kernels.workers import Workers
from dicegames.solver.model import Array
from dicegames.solver.status import SolveError, Status

NEARLY_ALL: Final = 0.75
NO_ROOM_TO_KEEP: Final = 6
FIRST_ROOM: Final = 1 << 12


@njit(**INLINE)
def _begin(w: Walk, b: Batch, visited: Array) -> None:
    """Lay probability 1 to the visited states among those of the lanes."""
    points = w.rank.size
    for node in range(w.landing.size):
        for inner in range(points if w.landing[node] >= 0 else 0):
            goal = w.hub[node] * points + inner
            first = w.landing[node] * w.entries + w.inner_at[inner]
            for lane in range(CHAIN_LANES if b.piece_of[goal] >= 0 else 0):
                b.goal[goal * CHAIN_LANES + lane] = visited[first + b.home[lane]] != 0


@njit(**PURE)
def visit_batches(
    width: tuple[float, ...], f: Flat, w: Walk, b: Batch, points: Array, visited: Array,
    kept: PieceStore, stop: Array,
) -> int:  # fmt: skip
    """Mark what the visited states at a chunk of outer points lead to; how that came out.

    The pieces are `kept` if that has room for batches.
    """
    first_exit = (w.hub_first.size - 1) * w.rank.size
    for at in range(0, points.size, CHAIN_LANES):
        if stop[0] != 0:
            return DONE
        place(f, w, b, points, at, min(at + CHAIN_LANES, points.size))
        if not find_pieces(width, f, w, b, mark_wanted(w, b, visited)):
            return NO_ROOM_FOR_PIECES
        if kept.piece.size > 1 and not keep_pieces(b, kept, at // CHAIN_LANES):
            return NO_ROOM_TO_KEEP
        _begin(w, b, visited)
        for k in range(join_pieces(width, f, w, b, np.int64(0))):
            for lane in range(CHAIN_LANES):
                to = b.exit_key[b.touched[k] - first_exit, lane]
                if to >= 0 and b.goal[b.touched[k] * CHAIN_LANES + lane] != 0.0:
                    visited[to] = 1
        clear_laws(width, b)
    return DONE


@frozen(eq=False)
class Visits:
    """Where play may come to, and the pieces that were found on the way there."""

    states: Array  # uint8, by key
    layers: list[Array]  # outer points
    kept: list[list[list[PieceStore]]]  # by layer, thread and chunk; those missing are not kept

    def kept_of(self, layer: int, thread: int) -> list[PieceStore]:
        """What is kept of the first chunks of a thread."""
        return self.kept[layer][thread] if layer < len(self.kept) else []


def visited_states(
    chain: Chain, known: Array, layers: list[Array], workers: Workers,
    demand: Callable[[Array], None],
) -> Visits:  # fmt: skip
    """Return the states that play may come to.

    `known` are all states that have values, `layers` their outer points. Those of a layer that play
    comes to are shown to `demand` at once. Where laws do not lead to later layers the result is of
    no use.
    """
    nodes = len(chain.landing_nodes)
    walkers = make_walkers(chain, workers)
    visited = np.zeros(chain.states, np.uint8)
    visited[chain.start] = 1
    found = Visits(visited, [], [])
    room = MOST_PIECE_BYTES
    for number, points in enumerate(layers):
        keys = _keys(chain, points)
        if visited[keys].sum() > NEARLY_ALL * known[keys].sum() and len(points) > CHAIN_LANES:
            for later in layers[number:]:
                demand(later)
                visited[_keys(chain, later)] = known[_keys(chain, later)]
            found.layers.extend(layers[number:])
            return found
        own = points[visited[keys].reshape(len(points), nodes, -1).any(axis=(1, 2))]
        demand(own)
        found.layers.append(own)
        each = room // workers.threads
        kept = workers.run_all([(_visit, (w, own, visited, each)) for w in walkers])
        found.kept.append(kept)
        room -= sum(store.bytes for part in kept for store in part)
    return found


def _visit(walker: Walker, points: Array, visited: Array, room: int) -> list[PieceStore]:
    """Mark what the visited states of a thread's share of outer points lead to; what is kept."""
    chain, found = walker.chain, list[PieceStore]()
    kept = make_piece_store(1, FIRST_ROOM, FIRST_ROOM)
    for chunk in walker.chunks(points, visited):
        kept = kept.emptied(-(-chunk.size // CHAIN_LANES)) if room > 0 else NOTHING_KEPT
        while (outcome := visit_batches(
            BATCH_WIDTH, chain.flat, chain.walk, walker.batch, chunk, visited, kept, walker.stop
        )) != DONE:  # fmt: skip
            if outcome == NO_ROOM_FOR_PIECES:
                walker.make_room()
            else:
                kept = kept.larger()
        if room > 0:
            found.append(kept.trimmed())
            room -= found[-1].bytes
    return found


def _keys(chain: Chain, points: Array) -> Array:
    """Keys of the landing states at outer points: int64[points, landing nodes, inner points]."""
    walk = chain.walk
    nodes = np.arange(len(chain.landing_nodes)) * walk.entries
    keys: Array = points[:, None, None] + nodes[None, :, None] + walk.inner_at[None, None, :]
    return keys


IN_MEMORY: Final = 250_000_000
"""Cells for the rows of a layer, 2 GB; larger layers lie in temporary files."""
MOST_LAYER_CELLS: Final = 2_500_000_000
"""The most cells for the rows of a layer, 20 GB; there are those of two layers at a time."""


@frozen(eq=False)
class Spread:
    """The distribution of all that is paid: `mass[i]` at `low + i` units."""

    low: int
    mass: Array  # float64
    worst: float  # by how much a law and a value differed at most


def sweep(
    chain: Chain,
    workers: Workers,
    report: OnProgress | None = None,
    keep: Callable[[RowTable, Array], None] | None = None,
) -> Spread:
    """Find the distribution layer by layer; SolveError where laws do not lead to the next one.

    With `keep` the rows of every state that has a value are found, and handed over layer by layer
    with their keys; else only those of states that play comes to.
    """
    known, walkers = known_states(chain), make_walkers(chain, workers)
    visits = Visits(known, layers_of(chain, known), [])

    def demand_room(points: Array) -> None:
        """Raise SolveError where the shortest rows of some points are too many."""
        _cells(walkers[0], points, 1 + chain.units.span)

    if keep is None:
        visits = visited_states(chain, known, visits.layers, workers, demand_room)
    rows = RowTable(
        layer=np.full(chain.states, -1, np.int32),
        low=np.zeros(chain.states, np.int32),
        length=np.zeros(chain.states, np.int32),
        at=np.zeros(chain.states, np.int64),
        new=_room(0),
        old=_room(0),
    )
    worst = np.zeros((workers.threads, 1))
    widest = 1
    layers = len(visits.layers)
    for number in range(layers - 1, -1, -1):
        rows = rows._replace(old=rows.new, new=rows.old)  # memory is used again: it is large
        rows = _fill_layer(walkers, workers, visits, number, rows, widest, worst)
        del visits.kept[number:]
        keys = np.flatnonzero(rows.layer == number)
        widest = int(rows.length[keys].max(initial=1))
        if keep is not None:
            keep(rows, keys)
        if report is not None:
            report(float(layers - number), float(layers))
    at, length = int(rows.at[chain.start]), int(rows.length[chain.start])
    mass = rows.new[at : at + length].copy()
    return Spread(int(rows.low[chain.start]), mass, float(worst.max()))


def _fill_layer(
    walkers: list[Walker], workers: Workers, visits: Visits, number: int, rows: RowTable,
    widest: int, worst: Array,
) -> RowTable:  # fmt: skip
    """Fill the rows of one layer; too little room is doubled, and the layer begun again."""
    threads, length = workers.threads, widest + walkers[0].chain.units.span
    while True:
        capacity = _cells(walkers[0], visits.layers[number], length)
        if rows.new.size < END_ROW + capacity * threads:
            rows = rows._replace(new=_room(capacity * threads))
        rooms = [END_ROW + np.array([t * capacity, (t + 1) * capacity]) for t in range(threads)]
        scratch = [(make_slots(walker.batch), make_blend(walker.batch)) for walker in walkers]
        shares = zip(walkers, scratch, rooms, worst, strict=True)
        outcomes = workers.run_all(
            [(_LayerFilling(visits, rows, number).fill, share) for share in shares]
        )
        if all(outcome == DONE for outcome in outcomes):
            return rows
        if SKIPS in outcomes:
            raise unfit("a turn may lead past the next layer")
        if NO_ROOM_FOR_PIECES in outcomes:
            for walker in walkers:
                walker.make_room()
        elif NO_ROOM_FOR_ROWS in outcomes:
            length *= 2
        else:
            raise SolveError(Status.BAD_EFFECT)


def _cells(walker: Walker, points: Array, length: int) -> int:
    """The cells for the rows of a thread's share of a layer; SolveError where they are too many."""
    chain, threads = walker.chain, walker.threads
    states = len(chain.landing_nodes) * chain.walk.rank.size * walker.share(len(points))
    cells = states * (length + TILE) + TILE
    if cells * threads > MOST_LAYER_CELLS:
        needed = f"the distributions of one layer take up to {8e-9 * cells * threads:.0f} GB"
        raise SolveError(Status.TOO_MANY_RESULTS, needed)
    return cells


@frozen(eq=False)
class _LayerFilling:
    """The rows of a layer, to be filled in threads."""

    visits: Visits
    rows: RowTable
    layer: int

    def fill(self, walker: Walker, scratch: tuple[Slots, Blend], room: Array, worst: Array) -> int:
        """Fill the rows of a thread's share; how that came out."""
        chain, visits = walker.chain, self.visits
        self.rows.new[room[0] : room[0] + TILE] = 0.0
        room[0] += TILE
        stores = iter(visits.kept_of(self.layer, walker.number))
        for chunk in walker.parts(visits.layers[self.layer]):
            kept = next(stores, NOTHING_KEPT)
            if kept is NOTHING_KEPT:
                walker.choose(chunk, visits.states)
            outcome = spread_batches(
                BATCH_WIDTH, BLEND_WIDTH, chain.flat, chain.walk, walker.batch, kept, *scratch,
                chunk, self.layer, visits.states, self.rows, room, worst, walker.stop,
            )  # fmt: skip
            if outcome != DONE:
                return int(outcome)
        return DONE


def _room(cells: int) -> Array:
    """Room for rows, after that of the end."""
    size = END_ROW + cells
    try:
        new = np.empty(size) if cells <= IN_MEMORY else on_disk(size)
    except OSError as error:
        needed = f"{told(error)}, the distributions of one layer take {8e-9 * size:.1f} GB"
        raise SolveError(Status.NO_ROOM_ON_DISK, needed) from None
    new[:END_ROW] = 0.0
    new[TILE] = 1.0
    return new


def known_states(chain: Chain) -> Array:
    """Which landing states have values: uint8 by key."""
    walk = chain.walk
    wanted = np.zeros((len(chain.landing_nodes), walk.entries), np.uint8)
    for own, node in zip(wanted, chain.landing_nodes.tolist(), strict=True):
        at = walk.table[node]
        if at < 0:
            continue
        np.isfinite(walk.values[at : at + walk.entries], out=own.view(np.bool_))
    return wanted.ravel()


def layers_of(chain: Chain, wanted: Array) -> list[Array]:
    """The outer points that have values, by layer, the first of the game first."""
    points = outer_points(chain, wanted)
    numbers = _turn_numbers(chain).ravel()[points]
    return [points[numbers == number] for number in np.unique(numbers)]


def turns_left(chain: Chain) -> Array:
    """How many turns are still to come at each position of a full table, where layers are turns."""
    numbers = _turn_numbers(chain)
    met = np.unique(numbers.ravel()[outer_points(chain, known_states(chain))])
    found: Array = (len(met) - np.searchsorted(met, numbers)).ravel()
    return found


def _turn_numbers(chain: Chain) -> Array:
    """The layer of every point, where a turn always leads on to a later one."""
    model = chain.model
    if model.seats > 1 or not model.stored[chain.landing_nodes].all():
        raise unfit("layers are for one seat that is paid at the end of turns")
    return layer_numbers(chain, turns=True)


def layer_numbers(chain: Chain, *, turns: bool = False) -> Array:
    """What never falls as play goes on, by point: int64 in the shape of the model.

    If it is to tell `turns` apart, it has to rise with each.
    """
    model, turn = chain.model, chain.turn
    layer = np.zeros(model.shape, np.int64)
    if not turn.outer and not turns:
        return layer
    progress = find_progress(model, turn, find_musts(model, turn))
    if turns and progress.cyclic:
        raise unfit("after a turn play may stand where it stood before")
    for axis, share in layer_shares(model, turn, progress).items():
        layer += share.reshape([-1 if a == axis else 1 for a in range(len(model.axes))])
    return layer


def outer_points(chain: Chain, wanted: Array) -> Array:
    """Positions in a table of the outer points of wanted landing states, inner axes at 0."""
    met = wanted.reshape(-1, *chain.model.shape).any(axis=0)
    inner = chain.turn.inner
    if not inner:
        return np.flatnonzero(met)
    positions = np.flatnonzero(np.asarray(met).any(axis=inner, keepdims=True))
    shape = tuple(1 if a in inner else axis.size for a, axis in enumerate(chain.model.axes))
    coords = np.unravel_index(positions, shape)
    found: Array = np.ravel_multi_index(coords, chain.model.shape)
    return found
