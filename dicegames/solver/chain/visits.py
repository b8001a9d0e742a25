"""Which states play comes to: layer by layer from the start, without probabilities.

What is possible at a node is a set of lanes, the bits of a byte, that is passed on along the
edges. Where play comes to nearly all states of a layer, those of the later layers are not told
apart any more: to take too many of them is not wrong, it only takes time.
"""

from __future__ import annotations

from typing import Final

import numpy as np

from dicegames.solver.chain.batch import Batch, place, set_inner
from dicegames.solver.chain.batch import jump as jump_of
from dicegames.solver.chain.chain import LANES, Chain, Walk
from dicegames.solver.chain.spread import mark_wanted
from dicegames.solver.chain.walker import Walker, make_walkers
from dicegames.solver.kernels.evaluate import INLINE, PURE
from dicegames.solver.kernels.flat import Flat
from dicegames.solver.kernels.kernel import njit
from dicegames.solver.kernels.workers import Workers
from dicegames.solver.model import CHANCE, END, Array

NEARLY_ALL: Final = 0.75


@njit(**INLINE)
def _pass(w: Walk, f: Flat, met: Array, gone: Array, edge: int, inner: int, bits: int) -> None:
    """Pass lanes on along an edge."""
    nodes, points = f.kind.size, w.rank.size
    if w.exit[edge] >= 0:
        gone[w.exit[edge] * points + inner] |= bits
        return
    at = inner if w.shift[edge] < 0 else w.after[w.shift[edge], inner]
    if at >= 0:
        met[at * nodes + f.target[edge]] |= bits


@njit(**PURE)
def _follow(f: Flat, w: Walk, b: Batch, met: Array, gone: Array, top: int) -> None:
    """Pass lanes on from the landing nodes to the exits."""
    nodes = f.kind.size
    for rank in range(top, -1, -1):
        inner = w.ranked[rank]
        for i in range(w.order.size - 1, -1, -1):
            node = w.order[i]
            bits = met[inner * nodes + node]
            if bits == 0:
                continue
            if f.kind[node] == CHANCE:
                for edge in range(f.first_edge[node], f.first_edge[node + 1]):
                    _pass(w, f, met, gone, edge, inner, bits)
                continue
            at = b.here[0] + (inner * w.slots + w.slot[node]) * LANES
            for lane in range(LANES):
                if bits & (1 << lane) and b.choice[at + lane] >= 0:
                    edge = f.first_edge[node] + b.choice[at + lane]
                    _pass(w, f, met, gone, edge, inner, 1 << lane)


@njit(**PURE)
def _mark(f: Flat, w: Walk, b: Batch, gone: Array, visited: Array) -> None:
    """Mark the states that the exits lead to."""
    points = w.rank.size
    for inner in range(points):
        set_inner(f, w, b, inner)
        for k in range(w.exit_edge.size):
            bits, edge = gone[k * points + inner], w.exit_edge[k]
            if bits == 0 or f.kind[f.target[edge]] == END:
                continue
            first = w.landing[f.target[edge]] * w.entries
            for lane in range(LANES):
                if bits & (1 << lane):
                    to = jump_of(f, b, f.effect[edge], lane)
                    if to >= 0:
                        visited[first + to] = 1


@njit(**PURE)
def visit_batches(
    f: Flat, w: Walk, b: Batch, points: Array, met: Array, gone: Array, visited: Array, stop: Array
) -> None:
    """Mark what the visited states at a chunk of outer points lead to."""
    nodes = f.kind.size
    for at in range(0, points.size, LANES):
        if stop[0] != 0:
            return
        filled = min(LANES, points.size - at)
        place(f, w, b, points, at, at + filled)
        top = mark_wanted(w, b, visited)
        met[:] = 0
        gone[:] = 0
        for node in range(nodes):
            if w.landing[node] < 0:
                continue
            for inner in range(w.rank.size):
                for lane in range(filled):
                    key = w.landing[node] * w.entries + b.home[lane] + w.inner_at[inner]
                    if visited[key] != 0:
                        met[inner * nodes + node] |= 1 << lane
        _follow(f, w, b, met, gone, top)
        _mark(f, w, b, gone, visited)


def visited_states(
    chain: Chain, known: Array, layers: list[Array], workers: Workers
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
                (_visit, (walker, own, t, workers.threads, visited, workers.stop))
                for t, walker in enumerate(walkers)
            ]
        )
    return visited, kept


def _visit(
    walker: Walker, points: Array, number: int, threads: int, visited: Array, stop: Array
) -> None:
    """Mark what the visited states of a thread's share of outer points lead to."""
    chain, walk = walker.chain, walker.chain.walk
    met = np.zeros(walk.rank.size * chain.model.nodes, np.uint8)
    gone = np.zeros(walk.exit_edge.size * walk.rank.size, np.uint8)
    for chunk in walker.chunks(points, number, threads, stop, visited):
        visit_batches(chain.flat, walk, walker.batch, chunk, met, gone, visited, stop)


def _keys(chain: Chain, points: Array) -> Array:
    """Keys of the landing states at outer points: int64[points, landing nodes, inner points]."""
    walk = chain.walk
    nodes = np.arange(len(chain.landing_nodes)) * walk.entries
    keys: Array = points[:, None, None] + nodes[None, :, None] + walk.inner_at[None, None, :]
    return keys
