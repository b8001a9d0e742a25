"""Cut the reachable outer points into layers and blocks.

Points of a layer are sorted by the truth of the guards at them, the guards on which the most work
hangs first: neighbours then share most of their guards, and a block of neighbours needs few mask
rows and can leave out what no lane needs.
"""

from __future__ import annotations

from collections.abc import Iterable
from itertools import pairwise
from typing import Self

import numpy as np
from attrs import frozen

from dicegames.solver.blocks.lookups import Blocks
from dicegames.solver.blocks.program import Layout
from dicegames.solver.graph.expand import components
from dicegames.solver.graph.must import Musts
from dicegames.solver.graph.progress import Progress
from dicegames.solver.graph.reach import Reach
from dicegames.solver.graph.symmetry import Renaming, first_images
from dicegames.solver.graph.turn import Turn
from dicegames.solver.kernels.flat import strides
from dicegames.solver.model import Array, Formula, Lookup, Model, over, rows_begin

MOST_SORTED = 1 << 24
"""Points of the axes by whose guards points are sorted, at most."""
FEW_POINTS = 8
"""Where all points are so many times those that are sorted, guards are looked up at these only."""
POINTS_AT_ONCE = 1 << 18
"""Points between which it is looked up at a time which lead to which, whole layers apart."""
LARGEST_RING = 8
"""Closed sets of more points are not looked at for rings."""
MOST_PAIRS = 8
"""So many pairs of points for each point are held before sets are joined."""


@frozen(eq=False)
class Grouping:
    """Blocks in the order of solving: last layers first."""

    points: Array  # int64: positions in a full table, inner axes at 0
    block_first: Array  # int64[blocks + 1], into `points`
    layer_first: Array  # int64[layers + 1], into the blocks
    closed_first: Array  # int64[closed sets + 1], into the blocks: see `linked`
    ring: Array  # int64[layers]: points of the largest closed set, if few and a multiple of others

    def closed(self, begin: int, end: int) -> Array:
        """Where the closed sets among the blocks begin..end of a layer begin, and the end."""
        first = self.closed_first
        return first[(first >= begin) & (first <= end)]


@frozen(eq=False)
class SortedPoints:
    """Outer points, last layers first; neighbours share guards."""

    position: Array  # int64: in a full table, inner axes at 0
    layer: Array  # int32 or int64
    closed: Array  # int64: the number of the closed set; ascending inside a layer


def row_ranks(model: Model, turn: Turn, musts: Musts, layout: Layout, reach: Reach) -> Array | None:
    """For each row a number that sorts by guards; None where they read more than rows have."""
    guards = Guards.of(model, turn, musts, layout)
    return guards.ranks(reach.begins()) if set(guards.axes) <= set(reach.major) else None


def sort_points(
    model: Model, turn: Turn, musts: Musts, layout: Layout, progress: Progress, reach: Reach
) -> SortedPoints:
    """All reachable outer points."""
    guards = Guards.of(model, turn, musts, layout)
    lanes = not turn.inner and bool(reach.minor)  # the bits of a row are points, too
    rows = np.flatnonzero(reach.closure.any(axis=1))
    begins = reach.begins(rows)
    own = guards.ranks(begins) if set(guards.axes) <= set(reach.major) else None
    if not lanes or (own is not None and not reach.minor_layer.any()):
        # Whole rows share guards and layer: sort the rows, then write out their bits.
        key = own if own is not None else np.zeros(rows.size, np.int64)
        order = np.lexsort([key, -reach.layer[rows]])
        rows, position = rows[order], begins[order]
        layer = reach.layer[rows].astype(np.int32)
        if lanes:
            count = np.bitwise_count(reach.closure[rows]).sum(axis=1, dtype=np.int64)
            position, layer, at = np.empty(int(count.sum()), np.int64), np.repeat(layer, count), 0
            for _, _, own in reach.points(rows):
                position[at : at + own.size] = own
                at += own.size
        return _closed(model, turn, progress, position, layer)
    parts = list(reach.points(rows))
    which, bits, position = (np.concatenate([part[k] for part in parts]) for k in range(3))
    layer = reach.layer[rows][which] + reach.minor_layer[bits]
    order = np.lexsort([guards.ranks(position), -layer])
    return _closed(model, turn, progress, position[order], layer[order])


def _closed(
    model: Model, turn: Turn, progress: Progress, position: Array, layer: Array
) -> SortedPoints:
    """Sort the points of a cyclic layer by closed sets, those of a set as they stood."""
    if not progress.cyclic:
        return SortedPoints(position, layer, layer)
    closed = np.zeros(position.size, np.int64)
    ends = np.append(np.flatnonzero(layer[1:] != layer[:-1]) + 1, position.size)
    begin = 0
    while begin < position.size:  # so many layers at a time
        end = int(ends[min(int(np.searchsorted(ends, begin + POINTS_AT_ONCE)), ends.size - 1)])
        here = slice(begin, end)
        own = linked(model, turn, progress, position[here], layer[here])
        order = np.lexsort([own, -layer[here]])
        position[here], closed[here] = position[here][order], own[order]
        begin = end
    return SortedPoints(position, layer, closed)


def linked(model: Model, turn: Turn, progress: Progress, position: Array, layer: Array) -> Array:
    """A number for each outer point: that of the points of its layer to which it leads, and back.

    Play stays among points of one number until it comes to a later layer: they are solved by
    themselves. Where it is not known which points a read leads to, a layer has one number.
    """
    axes = np.unravel_index(position, model.shape)
    order, number = np.argsort(position), np.arange(position.size)
    pairs, held = list[Array](), 0
    for read, strict in zip(progress.reads, progress.strict, strict=True):
        assign = [(axis, k) for axis, k in read.assign if axis >= 0 and axis in turn.outer]
        if strict:
            continue
        if any(set(model.lookups[k].axes) & set(turn.inner) for _, k in assign):
            return np.asarray(layer)
        after, valid = list(axes), np.ones(position.size, np.bool_)
        for axis, k in assign:
            lookup = model.lookups[k]
            new = np.broadcast_to(lookup.values[tuple(axes[a] for a in lookup.axes)], valid.shape)
            valid &= (new >= 0) & (new < model.axes[axis].size)
            after[axis] = np.where(valid, new, 0)
        to = np.ravel_multi_index(after, model.shape)
        place = order[np.minimum(np.searchsorted(position[order], to), position.size - 1)]
        near = np.flatnonzero(valid & (position[place] == to) & (layer[place] == layer))
        pair = number[np.stack([near, place[near]])]
        pairs.append(pair[:, pair[0] != pair[1]])
        held += pairs[-1].shape[1]
        if held > MOST_PAIRS * position.size:  # there may be hundreds of reads
            number, pairs, held = _joined(number, pairs), [], 0
    return _joined(number, pairs) if pairs else number


def _joined(number: Array, pairs: list[Array]) -> Array:
    """The numbers of sets in order of their first points, those of each pair having become one."""
    one, other = np.concatenate(pairs, axis=1)
    source, target = np.append(one, other), np.append(other, one)
    first = rows_begin(np.bincount(source, minlength=int(number.max(initial=-1)) + 1))
    _, found = components(first, target[np.argsort(source, kind="stable")].astype(np.int32))
    return np.asarray(found, np.int64)[number]


def cut_blocks(points: SortedPoints, lanes: int, threads: int) -> Grouping:
    """Blocks of at most `lanes` points; narrow layers are spread over the threads.

    Closed sets begin with a block; small ones share one.
    """
    layer = points.layer
    inside = np.flatnonzero(layer[1:] != layer[:-1]) + 1
    ends = [0, *inside.tolist(), layer.size]
    blocks, layers, closed, rings = [np.zeros(1, np.int64)], [0], [0], list[int]()
    for begin, end in pairwise(ends):
        share = -(-(end - begin) // threads)
        width = min(lanes, -(-share // 8) * 8)
        own = points.closed[begin:end]
        borders = begin + np.append(np.flatnonzero(own[1:] != own[:-1]) + 1, end - begin)
        sizes = np.diff(borders, prepend=begin)
        largest = int(sizes.max())
        rings.append(largest if largest <= LARGEST_RING and not (largest % sizes).any() else 0)
        if len(borders) == 1 or largest == 1:  # one set, or every point is one
            cuts = np.append(np.arange(begin + width, end, width), end)
            sets = [len(cuts)] if len(borders) == 1 else range(1, len(cuts) + 1)
        else:
            cuts, sets = _between(begin, borders, width)
        closed.extend(layers[-1] + k for k in sets)
        blocks.append(cuts)
        layers.append(layers[-1] + len(cuts))
    return Grouping(
        points.position,
        np.concatenate(blocks),
        np.array(layers, np.int64),
        np.array(closed, np.int64),
        np.array(rings, np.int64),
    )


def _between(begin: int, borders: Array, width: int) -> tuple[Array, list[int]]:
    """The ends of blocks that break no closed set which fits one, and how many end with a set."""
    cuts: list[int] = []
    sets: list[int] = []
    at = begin
    while at < borders[-1]:
        last = int(np.searchsorted(borders, at + width, side="right")) - 1
        to = int(borders[last]) if last >= 0 and borders[last] > at else -1
        if to < 0:  # a set that is wider than a block
            to = int(borders[np.searchsorted(borders, at, side="right")])
            cuts.extend(range(at + width, to, width))
        cuts.append(to)
        sets.append(len(cuts))
        at = to
    return np.array(cuts, np.int64), sets


@frozen(eq=False)
class Guards:
    """The guards that points are sorted by, those on which the most hangs first."""

    model: Model
    axes: list[int]  # all that they read
    lookups: list[Lookup | Formula]

    @classmethod
    def of(cls, model: Model, turn: Turn, musts: Musts, layout: Layout) -> Self:
        """Choose them."""
        cost = _costs(layout, len(musts.lookups))
        axes, chosen = _sorting(model, turn, musts, cost)
        first = sorted(chosen, key=lambda j: -cost[j])
        return cls(model, axes, [model.lookups[musts.lookups[j]] for j in first])

    def ranks(self, position: Array) -> Array:
        """A number that sorts by guards, for each of some positions in a full table.

        They are looked up at these positions, or where these are many everywhere.
        """
        sizes = [self.model.axes[a].size for a in self.axes]
        place, everywhere = self._places(sizes, position), int(np.prod(sizes, dtype=np.int64))
        at = None
        if position.size * FEW_POINTS < everywhere:
            at, place = np.unique(place, return_inverse=True)
        index = {} if at is None else dict(zip(self.axes, _along(sizes, at), strict=True))
        points = everywhere if at is None else at.size
        key = np.zeros((points, max(1, -(-len(self.lookups) // 64))), np.uint64)
        for n, lookup in enumerate(self.lookups):
            if at is None:
                values = over(self.axes, lookup.axes, lookup.values)
                truth = np.broadcast_to(values, sizes).ravel()
            else:
                truth = lookup.values[tuple(index[a] for a in lookup.axes)]
            key[:, n // 64] |= truth.astype(np.uint64) << np.uint64(63 - n % 64)
        order = np.lexsort(key.T[::-1])
        fresh = np.zeros(points, np.int64)
        fresh[1:] = (key[order][1:] != key[order][:-1]).any(axis=1)
        rank = np.empty(points, np.int64)
        rank[order] = np.cumsum(fresh)
        found: Array = rank[place]
        return found

    def _places(self, sizes: list[int], position: Array) -> Array:
        """Place among the points of the axes."""
        full = strides(self.model.shape)
        where = np.zeros(position.size, np.int64)
        for axis, size, step in zip(self.axes, sizes, strides(sizes), strict=True):
            where += position // full[axis] % size * step
        return where


def _along(sizes: list[int], at: Array) -> list[Array]:
    """Where some points lie on each of their axes, in the least room."""
    axes = zip(sizes, strides(sizes), strict=True)
    return [(at // step % size).astype(np.min_scalar_type(size)) for size, step in axes]


def _sorting(model: Model, turn: Turn, musts: Musts, cost: Array) -> tuple[list[int], list[int]]:
    """The bool lookups to sort by, and the axes that they read: as many as have room together."""
    axes, chosen = set[int](), []
    for j in np.argsort(-cost, kind="stable").tolist():
        joined = axes | set(model.lookups[musts.lookups[j]].axes)
        if (
            joined <= set(turn.outer)
            and np.prod([float(model.shape[a]) for a in joined]) <= MOST_SORTED
        ):
            axes = joined
            chosen.append(j)
    return sorted(axes), sorted(chosen)


def _costs(layout: Layout, bools: int) -> Array:
    """By bool lookup, how many operands hang on it."""
    program = layout.program
    cost = np.zeros(bools)
    degree = np.diff(program.first)
    by_cond = np.bincount(
        program.cond[: degree.size], degree, minlength=program.cond_first.size - 1
    )
    np.add.at(cost, program.cond_bool, np.repeat(by_cond, np.diff(program.cond_first)))
    return cost


# ---- points that have the values of others


@frozen(eq=False)
class Images:
    """Outer points and those, solved no later, whose values they have, layer by layer."""

    position: Array  # int64: in a full table
    of: Array  # int64
    layer_first: Array  # int64[layers + 1], into both

    @classmethod
    def spare(
        cls, model: Model, renamings: Iterable[Renaming], points: SortedPoints, entered: Array,
        *, cyclic: bool,
    ) -> tuple[SortedPoints, Self]:  # fmt: skip
        """The points that are to be solved, and the others.

        `entered` (bool, of all tables) tells where play can come to. A point that stands in a
        cycle with others is solved with these.
        """
        position, layer = points.position, points.layer
        first = first_images(model, renamings, position)
        spared = first != np.arange(position.size)
        for table in entered.reshape(-1, model.points):
            spared &= table[position] == table[position[first]]
        begins = np.append(True, layer[1:] != layer[:-1])
        if cyclic:
            new = begins | np.append(True, points.closed[1:] != points.closed[:-1])
            alone = new & np.append(new[1:], True)
            spared &= alone & alone[first]
        number = np.cumsum(begins) - 1
        kept = SortedPoints(position[~spared], layer[~spared], points.closed[~spared])
        solved = np.unique(number[~spared])  # the layers of which anything is left
        after = np.searchsorted(solved, number[spared], side="right") - 1
        begin = rows_begin(np.bincount(after, minlength=solved.size))
        return kept, cls(position[spared], position[first[spared]], begin)

    def fill(self, layer: int, blocks: Blocks) -> None:
        """Give the points of a layer their values."""
        own = slice(*self.layer_first[layer : layer + 2])
        for table in blocks.stored_table.tolist():
            blocks.values[table + self.position[own]] = blocks.values[table + self.of[own]]
