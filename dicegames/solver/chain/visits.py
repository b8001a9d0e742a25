"""Which states play comes to: layer by layer from the start, by their laws.

Where play comes to nearly all states of a layer, those of the later layers are not told
apart any more: to take too many of them is not wrong, it only takes time.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

import numpy as np
from attrs import frozen

from dicegames.solver.chain.batch import BATCH_WIDTH, Batch, place
from dicegames.solver.chain.chain import CHAIN_LANES, Chain, Walk
from dicegames.solver.chain.forward import clear_laws, find_pieces, join_pieces
from dicegames.solver.chain.piece_store import (
    MOST_PIECE_BYTES,
    NOTHING_KEPT,
    PieceStore,
    keep_pieces,
    make_piece_store,
)
from dicegames.solver.chain.spread import DONE, NO_ROOM_FOR_PIECES, mark_wanted
from dicegames.solver.chain.units import Units
from dicegames.solver.chain.walker import Walker, make_walkers
from dicegames.solver.kernels.evaluate import INLINE, PURE
from dicegames.solver.kernels.flat import Flat
from dicegames.solver.kernels.kernel import njit
from dicegames.solver.kernels.workers import Workers
from dicegames.solver.model import Array

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
    width: tuple[float, ...], f: Flat, w: Walk, b: Batch, points: Array, units: Array,
    lookup_units: Array, visited: Array, kept: PieceStore, stop: Array,
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
        for k in range(join_pieces(width, f, w, b, np.int64(0), units, lookup_units)):
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
    chain: Chain, units: Units, known: Array, layers: list[Array], workers: Workers,
    demand: Callable[[Array], None],
) -> Visits:  # fmt: skip
    """Return the states that play may come to.

    `known` are all states that have values, `layers` their outer points. Those of a layer that play
    comes to are shown to `demand` at once. Where laws do not lead to later layers the result is of
    no use.
    """
    nodes = len(chain.landing_nodes)
    walkers = make_walkers(chain, workers.threads)
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
        kept = workers.run_all(
            [
                (_visit, (walker, units, own, t, workers.threads, visited, each, workers.stop))
                for t, walker in enumerate(walkers)
            ]
        )
        found.kept.append(kept)
        room -= sum(store.bytes for part in kept for store in part)
    return found


def _visit(
    walker: Walker, units: Units, points: Array, number: int, threads: int, visited: Array,
    room: int, stop: Array,
) -> list[PieceStore]:  # fmt: skip
    """Mark what the visited states of a thread's share of outer points lead to; what is kept."""
    chain, found = walker.chain, list[PieceStore]()
    kept = make_piece_store(1, FIRST_ROOM, FIRST_ROOM)
    for chunk in walker.chunks(points, number, threads, stop, visited):
        kept = kept.emptied(-(-chunk.size // CHAIN_LANES)) if room > 0 else NOTHING_KEPT
        while (outcome := visit_batches(
            BATCH_WIDTH, chain.flat, chain.walk, walker.batch, chunk, units.constant, units.floats,
            visited, kept, stop,
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
