"""Which states play comes to: layer by layer from the start, by their laws.

Where play comes to nearly all states of a layer, those of the later layers are not told
apart any more: to take too many of them is not wrong, it only takes time.
"""

from __future__ import annotations

from typing import Final

import numpy as np

from dicegames.solver.chain.batch import WIDTH, Batch, place
from dicegames.solver.chain.chain import LANES, Chain, Walk
from dicegames.solver.chain.forward import clear_laws, find_laws, find_pieces
from dicegames.solver.chain.spread import mark_wanted
from dicegames.solver.chain.units import Units
from dicegames.solver.chain.walker import Walker, make_walkers
from dicegames.solver.kernels.evaluate import PURE
from dicegames.solver.kernels.flat import Flat
from dicegames.solver.kernels.kernel import njit
from dicegames.solver.kernels.workers import Workers
from dicegames.solver.model import Array

NEARLY_ALL: Final = 0.75


@njit(**PURE)
def _mark(w: Walk, b: Batch, node: int, inner: int, filled: int, visited: Array) -> None:
    """Mark what the law just found leads to from the visited states among those of the lanes."""
    first_exit = (w.hub_first.size - 1) * w.rank.size
    for lane in range(filled):
        if visited[w.landing[node] * w.entries + b.home[lane] + w.inner_at[inner]] == 0:
            continue
        for k in range(b.count[0]):
            to = b.exit_key[b.touched[k] - first_exit, lane]
            if to >= 0 and b.goal[b.touched[k] * LANES + lane] != 0.0:
                visited[to] = 1


@njit(**PURE)
def visit_batches(
    width: tuple[float, ...], f: Flat, w: Walk, b: Batch, points: Array, units: Array,
    lookup_units: Array, visited: Array, stop: Array,
) -> bool:  # fmt: skip
    """Mark what the visited states at a chunk of outer points lead to; False for lack of room."""
    for at in range(0, points.size, LANES):
        if stop[0] != 0:
            return True
        filled = min(LANES, points.size - at)
        place(f, w, b, points, at, at + filled)
        if not find_pieces(width, f, w, b, mark_wanted(w, b, visited)):
            return False
        for node in range(w.landing.size):
            for inner in range(w.rank.size if w.landing[node] >= 0 else 0):
                if b.piece_of[w.hub[node] * w.rank.size + inner] >= 0:
                    find_laws(width, f, w, b, w.hub[node], inner, units, lookup_units)
                    _mark(w, b, node, inner, filled, visited)
                    clear_laws(width, b)
    return True


def visited_states(
    chain: Chain, units: Units, known: Array, layers: list[Array], workers: Workers
) -> tuple[Array, list[Array]]:
    """Return the states that play may come to, uint8 by key, and their outer points by layer.

    `known` are all states that have values, `layers` their outer points. Where laws do not lead to
    later layers the result is of no use.
    """
    nodes = len(chain.landing_nodes)
    walkers = make_walkers(chain, workers.threads)
    visited = np.zeros(chain.states, np.uint8)
    visited[chain.start] = 1
    kept: list[Array] = []
    for number, points in enumerate(layers):
        keys = _keys(chain, points)
        if visited[keys].sum() > NEARLY_ALL * known[keys].sum() and len(points) > LANES:
            for later in layers[number:]:
                visited[_keys(chain, later)] = known[_keys(chain, later)]
            return visited, kept + layers[number:]
        own = points[visited[keys].reshape(len(points), nodes, -1).any(axis=(1, 2))]
        kept.append(own)
        workers.run_all(
            [
                (_visit, (walker, units, own, t, workers.threads, visited, workers.stop))
                for t, walker in enumerate(walkers)
            ]
        )
    return visited, kept


def _visit(
    walker: Walker, units: Units, points: Array, number: int, threads: int, visited: Array,
    stop: Array,
) -> None:  # fmt: skip
    """Mark what the visited states of a thread's share of outer points lead to."""
    chain = walker.chain
    for chunk in walker.chunks(points, number, threads, stop, visited):
        while not visit_batches(
            WIDTH, chain.flat, chain.walk, walker.batch, chunk, units.constant, units.floats,
            visited, stop,
        ):  # fmt: skip
            walker.make_room()


def _keys(chain: Chain, points: Array) -> Array:
    """Keys of the landing states at outer points: int64[points, landing nodes, inner points]."""
    walk = chain.walk
    nodes = np.arange(len(chain.landing_nodes)) * walk.entries
    keys: Array = points[:, None, None] + nodes[None, :, None] + walk.inner_at[None, None, :]
    return keys
