"""Cut the reachable outer points into layers and blocks.

Points of a layer are sorted by the truth of the guards at them, the guards on which the most work
hangs first: neighbours then share most of their guards, and a block of neighbours needs few mask
rows and can leave out what no lane needs.
"""

from __future__ import annotations

from itertools import pairwise

import numpy as np
from attrs import frozen

from dicegames.solver.blocks.program import Layout
from dicegames.solver.graph.must import Musts
from dicegames.solver.graph.reach import Reach
from dicegames.solver.graph.turn import Turn
from dicegames.solver.kernels.flat import strides
from dicegames.solver.model import Array, Model

CHUNK = 1 << 14


@frozen(eq=False)
class Grouping:
    """Blocks in the order of solving: last layers first."""

    points: Array  # int64: positions in a full table, inner axes at 0
    block_first: Array  # int64[blocks + 1], into `points`
    layer_first: Array  # int64[layers + 1], into the blocks


@frozen(eq=False)
class SortedPoints:
    """Outer points, last layers first; neighbours share guards."""

    position: Array  # int64: in a full table, inner axes at 0
    layer: Array  # int32 or int64


def sort_points(
    model: Model, turn: Turn, musts: Musts, layout: Layout, reach: Reach
) -> SortedPoints:
    """All reachable outer points."""
    axes, rank = _guard_ranks(model, turn, musts, layout)
    lanes = not turn.inner and bool(reach.minor)  # the bits of a row are points, too
    rows = np.flatnonzero(reach.closure.any(axis=1))
    grid = row_positions(model, reach)
    own = rank[_places(model, axes, grid[rows])] if set(axes) <= set(reach.major) else None
    if not lanes or (own is not None and not reach.minor_layer.any()):
        # Whole rows share guards and layer: sort the rows, then write out their bits.
        key = own if own is not None else np.zeros(rows.size, np.int64)
        rows = rows[np.lexsort([key, -reach.layer[rows]])]
        position, layer = grid[rows], reach.layer[rows].astype(np.int32)
        if lanes:
            position, count = _written_out(model, reach, rows, position)
            layer = np.repeat(layer, count)
        return SortedPoints(position, layer)
    which, bits = _bits(reach, reach.closure[rows])
    position = grid[rows][which] + bits * int(strides(model.shape)[reach.minor[0]])
    layer = reach.layer[rows][which] + reach.minor_layer[bits]
    order = np.lexsort([rank[_places(model, axes, position)], -layer])
    return SortedPoints(position[order], layer[order])


def _written_out(model: Model, reach: Reach, rows: Array, begins: Array) -> tuple[Array, Array]:
    """The points of rows that begin at some positions, and how many each row has."""
    step = int(strides(model.shape)[reach.minor[0]])
    words = reach.closure[rows]
    count = np.bitwise_count(words).sum(axis=1, dtype=np.int64)
    found = np.empty(int(count.sum()), np.int64)
    at = 0
    for k in range(0, len(rows), CHUNK):
        which, bits = _bits(reach, words[k : k + CHUNK])
        found[at : at + bits.size] = begins[k : k + CHUNK][which] + bits * step
        at += bits.size
    return found, count


def _bits(reach: Reach, words: Array) -> tuple[Array, Array]:
    """The bits set in bit rows: which of the rows, and the bit."""
    found = np.flatnonzero(reach.bits(words))
    which = found // reach.minor_points
    return which, found - which * reach.minor_points


def cut_blocks(points: SortedPoints, lanes: int, threads: int) -> Grouping:
    """Blocks of at most `lanes` points; narrow layers are spread over the threads."""
    layer = points.layer
    inside = np.flatnonzero(layer[1:] != layer[:-1]) + 1
    ends = [0, *inside.tolist(), layer.size]
    blocks, layers = [np.zeros(1, np.int64)], [0]
    for begin, end in pairwise(ends):
        share = -(-(end - begin) // threads)
        width = min(lanes, -(-share // 8) * 8)
        cuts = np.append(np.arange(begin + width, end, width), end)
        blocks.append(cuts)
        layers.append(layers[-1] + len(cuts))
    return Grouping(points.position, np.concatenate(blocks), np.array(layers, np.int64))


def row_positions(model: Model, reach: Reach) -> Array:
    """Position in a full table of the first point of every row."""
    full = strides(model.shape)
    grid = np.zeros(reach.major_shape, np.int64)
    for place, axis in enumerate(reach.major):
        index = np.arange(reach.major_shape[place]) * full[axis]
        grid += index.reshape([-1 if p == place else 1 for p in range(len(reach.major))])
    return grid.ravel()


def _places(model: Model, axes: list[int], position: Array) -> Array:
    """Place among the points of some axes, of positions in a full table."""
    full = strides(model.shape)
    where = np.zeros(position.size, np.int64)
    sizes = [model.axes[a].size for a in axes]
    for axis, size, step in zip(axes, sizes, strides(sizes), strict=True):
        where += position // full[axis] % size * step
    return where


def _guard_ranks(model: Model, turn: Turn, musts: Musts, layout: Layout) -> tuple[list[int], Array]:
    """The axes that guards read, and for each of their points a number that sorts by guards."""
    outer = set(turn.outer)
    chosen = [j for j, k in enumerate(musts.lookups) if set(model.lookups[k].axes) <= outer]
    axes = sorted({a for j in chosen for a in model.lookups[musts.lookups[j]].axes})
    sizes = [model.axes[a].size for a in axes]
    cost = _costs(layout, len(musts.lookups))
    key = np.zeros((int(np.prod(sizes, dtype=np.int64)), max(1, -(-len(chosen) // 64))), np.uint64)
    for place, j in enumerate(sorted(chosen, key=lambda j: -cost[j])):
        lookup = model.lookups[musts.lookups[j]]
        shape = [model.axes[a].size if a in lookup.axes else 1 for a in axes]
        truth = np.broadcast_to(lookup.values.reshape(shape), sizes).ravel()
        key[:, place // 64] |= truth.astype(np.uint64) << np.uint64(63 - place % 64)
    order = np.lexsort(key.T[::-1])
    fresh = np.zeros(len(key), np.int64)
    fresh[1:] = (key[order][1:] != key[order][:-1]).any(axis=1)
    rank = np.empty(len(key), np.int64)
    rank[order] = np.cumsum(fresh)
    return axes, rank


def _costs(layout: Layout, bools: int) -> Array:
    """By bool lookup, how many operands hang on it."""
    program = layout.program
    cost = np.zeros(bools)
    degree = np.diff(program.first)
    by_cond = np.bincount(
        program.cond[: degree.size], degree, minlength=program.cond_first.size - 1
    )
    for c in range(program.cond_first.size - 1):
        for k in range(program.cond_first[c], program.cond_first[c + 1]):
            cost[program.cond_bool[k]] += by_cond[c]
    return cost
