"""Reachable points: a forward search over bit rows.

The points of a table are cut into rows: a *row* fixes the major axes, its bits run over the minor
points (all inner axes together, or the largest outer counter).  For every stored node and row there
is one bit row of the points at which play can enter the node, and one (its closure) of the points
that the block behind it can visit by moving inner axes.  Edges that read tables carry the closure
of a row on to other rows; most of them shift the bits and change the major axes alone, the others
are followed bit by bit.

What must hold on every path to an edge is tested, the dice are not: the result is a superset of
the reachable points, closed under play, and equal to them in all games without dead rolls.
"""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import Future
from typing import Any

import numpy as np
from attrs import evolve, frozen

from dicegames.solver.graph.fold import GATE
from dicegames.solver.graph.must import bit_rows
from dicegames.solver.graph.progress import Progress, Read, layer_shares
from dicegames.solver.graph.reach_kernels import GATHER, Crossing, Items, search
from dicegames.solver.graph.turn import (
    LOCAL,
    SHIFT,
    Assign,
    Turn,
    entries,
    points_after,
    points_of,
    reachable_nodes,
)
from dicegames.solver.kernels.flat import flatten, rows, strides
from dicegames.solver.kernels.workers import Workers
from dicegames.solver.model import Array, Model
from dicegames.solver.status import SolveError, Status

WIDEST_COUNTER = 1 << 14
MAX_SHIFTS = 4
ROWS_AT_ONCE = 1 << 14


@frozen(eq=False)
class Reach:
    """Bit rows of reachable points; `closure` is the union over the stored nodes."""

    major: tuple[int, ...]  # axes of the rows, C order
    minor: tuple[int, ...]  # axes of the bits, C order
    major_shape: tuple[int, ...]
    minor_shape: tuple[int, ...]
    steps: Array  # int64[axes]: strides of a full table
    entered: Array  # uint64[stored nodes, rows, words]
    closure: Array  # uint64[rows, words]
    layer: Array  # int64[rows]: the share of the major axes in the number of the layer
    minor_layer: Array  # int64[minor points]
    settled: Array | None  # uint64[rows, words]: points whose value is known beforehand

    @property
    def minor_points(self) -> int:
        """Number of bits in use of a row."""
        return int(np.prod(self.minor_shape, dtype=np.int64))

    def bits(self, words: Array) -> Array:
        """Bit rows as booleans, [..., minor points]."""
        flat = np.unpackbits(words.view(np.uint8), axis=-1, bitorder="little")
        return flat[..., : self.minor_points].view(np.bool_)

    def begins(self, rows: Array | None = None) -> Array:
        """Position in a full table of the first point of some rows, of all if none is told."""
        rows = np.arange(self.layer.size) if rows is None else rows
        index = np.unravel_index(rows, self.major_shape) if self.major else ()
        at = np.zeros(rows.size, np.int64)
        for axis, own in zip(self.major, index, strict=True):
            at += own * self.steps[axis]
        return at

    def points(self, rows: Array) -> Iterator[tuple[Array, Array, Array]]:
        """Yield the points in some rows, a chunk of rows at a time.

        They are told by the place of their row among these, their bit, and the position in a full
        table.
        """
        step = int(self.steps[self.minor[0]]) if self.minor else 0
        begins = self.begins(rows)
        for first in range(0, rows.size, ROWS_AT_ONCE):
            flat = np.flatnonzero(self.bits(self.closure[rows[first : first + ROWS_AT_ONCE]]))
            which = flat // self.minor_points
            bits = flat - which * self.minor_points
            yield which + first, bits, begins[which + first] + bits * step


def outer_only(model: Model, turn: Turn, progress: Progress) -> tuple[Turn, Progress]:
    """The same without the inner axes: where play leads to on the outer ones, if no inner forbids.

    For models in which rows of inner points would be too many; see `layered`.
    """
    inner = set(turn.inner)
    reads = tuple(
        Read(
            tuple(pair for pair in read.assign if pair[0] not in inner),
            tuple(k for k in read.holds if not inner & set(model.lookups[k].axes)),
        )
        for read in progress.reads
    )
    return evolve(turn, inner=(), inner_shape=(), shifts={}), evolve(progress, reads=reads)


def start_reach(
    model: Model, turn: Turn, progress: Progress, workers: Workers, *, every: bool = False
) -> Future[Reach]:
    """Begin the search from the start in a thread; `every`: none, all points count as reachable."""
    minor = turn.inner or _largest_counter(model, turn)
    major = tuple(sorted({*turn.outer, *turn.inner} - {*minor}))
    maker = _ItemGroups(model, turn, progress, major, minor)
    if maker.bits > 1 << 22:
        raise SolveError(Status.TOO_MUCH_MEMORY, "the inner axes have too many points")
    items, crossings = maker.items(), maker.crossings()
    shape = tuple(model.axes[a].size for a in major)
    shares = layer_shares(model, turn, progress)
    layer = np.zeros(shape, np.int64)
    for place, axis in enumerate(major):
        layer += shares[axis].reshape([-1 if p == place else 1 for p in range(len(major))])
    minor_layer = np.zeros(maker.bits, np.int64)
    for axis, index in maker.index.items():
        if axis in shares:
            minor_layer += shares[axis][index]
    stored = np.flatnonzero(model.stored)
    entered = np.zeros((len(stored), layer.size, maker.words), np.uint64)
    start = np.zeros(maker.bits, np.bool_)
    start[maker.minor_index(model.start_point)] = True
    row = int(np.ravel_multi_index([model.start_point[a] for a in major], shape)) if major else 0
    entered[int(np.searchsorted(stored, model.start)), row] = bit_rows(start)
    closure = np.zeros((layer.size, maker.words), np.uint64)
    small = layer.size > 0 and layer.min() >= 0 and layer.max() < 1 << 16  # sorted much faster
    order = np.argsort(layer.ravel().astype(np.uint16 if small else np.int64), kind="stable")
    minor_shape = tuple(model.axes[a].size for a in minor)
    settled = settled_bits(model, major, minor)
    done = np.zeros_like(entered)
    if settled is not None:
        done[:] = settled  # play is not followed from there
    reach = Reach(
        major, minor, shape, minor_shape, strides(model.shape), entered, closure, layer.ravel(),
        minor_layer, settled,
    )  # fmt: skip
    if every:
        entered[:] = closure[:] = bit_rows(np.ones(maker.bits, np.bool_))
        return workers.start(_search, reach, ())
    read = {*items.assign_lookup.tolist(), *items.hold_lookup.tolist()}
    arguments = (
        flatten(model, read), items, crossings, order, np.array(major, np.int64),
        np.array(minor, np.int64), strides(shape), maker.step, entered, closure,
        done, entered.any(axis=2), np.zeros((2, maker.words), np.uint64),
        np.zeros((2, len(model.axes)), np.int64), workers.stop,
    )  # fmt: skip
    return workers.start(_search, reach, arguments)


def _search(reach: Reach, arguments: tuple[Any, ...]) -> Reach:
    if arguments:
        search(*arguments)
    if reach.settled is not None:
        np.bitwise_and(reach.closure, ~reach.settled, out=reach.closure)  # nothing to compute
    return reach


def settled_bits(model: Model, major: tuple[int, ...], minor: tuple[int, ...]) -> Array | None:
    """Bit rows of the points whose value is known beforehand; None if there are none."""
    known = model.settled
    if known is None or minor != (known.axis,):
        return None
    rest = [a for a in range(len(model.axes)) if a != known.axis]
    assert rest == list(major)
    bits = model.axes[known.axis].size
    low, high = known.first.reshape(-1, 1), known.last.reshape(-1, 1)
    index = np.arange(bits)
    packed = [
        bit_rows((index < low[k : k + ROWS_AT_ONCE]) | (index >= high[k : k + ROWS_AT_ONCE]))
        for k in range(0, len(low), ROWS_AT_ONCE)
    ]
    return np.concatenate(packed)


def _largest_counter(model: Model, turn: Turn) -> tuple[int, ...]:
    fit = [
        a
        for a in turn.outer
        if model.axes[a].kind != "set" and model.axes[a].size <= WIDEST_COUNTER
    ]
    return (max(fit, key=lambda a: model.axes[a].size),) if fit else ()


Found = tuple[int, int, Assign, tuple[int, ...], bool]


def _widest(found: list[Found]) -> list[Found]:
    """Without the items that another one covers: the same move under fewer conditions."""
    alike: dict[tuple[int, int, Assign, bool], list[set[int]]] = {}
    for source, target, assign, holds, inside in found:
        alike.setdefault((source, target, assign, inside), []).append(set(holds))
    out: list[Any] = []
    for (source, target, assign, inside), sets in alike.items():
        least = [s for s in sets if not any(other < s for other in sets)]
        kept = {tuple(sorted(s)) for s in least}
        out.extend((source, target, assign, holds, inside) for holds in sorted(kept))
    return out


class _ItemGroups:
    """Prepares the edges that read tables for the search."""

    def __init__(
        self,
        model: Model,
        turn: Turn,
        progress: Progress,
        major: tuple[int, ...],
        minor: tuple[int, ...],
    ) -> None:
        self._model, self._turn, self._progress = model, turn, progress
        self._major, self._minor = set(major), minor
        shape = [model.axes[a].size for a in minor]
        self.step = strides(shape)
        self.bits = int(np.prod(shape, dtype=np.int64))
        self.words = -(-self.bits // 64)
        self.index = points_of(model, minor)

    def minor_index(self, point: tuple[int, ...]) -> int:
        """Bit of a point."""
        return sum(point[a] * int(s) for a, s in zip(self._minor, self.step, strict=True))

    def _edges_from(self, node: int) -> Array:
        """Edges in the block behind a stored node."""
        model, sort = self._model, self._turn.sort
        within = (sort == LOCAL) | (sort == SHIFT)
        met = reachable_nodes(model, node, within)
        return np.flatnonzero(met[model.sources])

    def items(self) -> Items:
        """One item for each (stored source, stored target, read) that occurs."""
        model, turn, reads = self._model, self._turn, self._progress.reads
        stored = np.flatnonzero(model.stored)
        found: list[Found] = []
        for place, node in enumerate(stored):
            edges = self._edges_from(int(node))
            own = edges[self._progress.read_of[edges] >= 0]  # none behind what play never meets
            pairs = np.column_stack([model.target[own], self._progress.read_of[own]])
            for target, read in np.unique(pairs, axis=0).tolist():
                to = int(np.searchsorted(stored, target))
                found.append((place, to, reads[read].assign, reads[read].holds, False))
            inside = (turn.sort[edges] == LOCAL) | (turn.sort[edges] == SHIFT)
            inside &= model.stored[model.target[edges]]
            for target in np.unique(model.target[edges[inside]]).tolist():
                to = int(np.searchsorted(stored, target))
                found.append((place, to, (), self._common(edges[inside], target), True))
        return self._packed(_widest(found))

    def _common(self, edges: Array, target: int) -> tuple[int, ...]:
        """Guard lookups on all of the edges into a target."""
        into = edges[self._model.target[edges] == target]
        outer = set(self._turn.outer)
        sets = [set(self._model.guards[g]) for g in np.unique(self._model.guard[into]).tolist()]
        common = set.intersection(*sets)
        return tuple(sorted(k for k in common if set(self._model.lookups[k].axes) <= outer))

    def _packed(self, found: list[Found]) -> Items:
        minor, major = set(self._minor), self._major
        axes = {k: set(lookup.axes) for k, lookup in enumerate(self._model.lookups)}
        inside = {k for k, own in axes.items() if own and own <= minor}  # lookups of bits alone

        def alike(item: Found) -> tuple[Any, ...]:
            source, target, assign, names, _ = item
            across = tuple(pair for pair in assign if pair[0] not in minor)
            return source, target, across, tuple(k for k in names if k not in inside)

        found = sorted(found, key=alike)
        slow, kept, masks, assigns, holds = [], [], [], [], []
        maps: dict[tuple[tuple[int, int], ...], int] = {}
        for _, _, assign, names, _ in found:
            along = tuple((a, k) for a, k in assign if a in minor)
            across = tuple((a, k) for a, k in assign if a in major or a == GATE)
            mixed = any(not axes[k] <= minor for _, k in along)
            mixed = mixed or any(not axes[k] <= major for _, k in across)
            rest = [k for k in names if k not in inside]
            mixed = mixed or any(not axes[k] <= major for k in rest)
            slow.append(mixed)
            kept.append(maps.setdefault(() if mixed else along, len(maps)))
            assigns.append(assign if mixed else across)
            masks.append(self._mask([k for k in names if k in inside]))
            holds.append(rest)
        tables = [points_after(self._model, self._minor, along) for along in maps]
        shift_first, shift_by, shift_mask = self._shifts(tables)
        assign_first, assign_axis = rows([[a for a, _ in assign] for assign in assigns])
        hold_first, hold_lookup = rows(holds)
        again = [k > 0 and alike(found[k]) == alike(found[k - 1]) for k in range(len(found))]
        again = [a and not (slow[k] or slow[k - 1]) for k, a in enumerate(again)]
        early = [all(axes[k] <= major for k in names) for names in holds]
        return Items(
            source=np.array([f[0] for f in found], np.int64),
            target=np.array([f[1] for f in found], np.int64),
            again=np.array(again, np.bool_),
            slow=np.array(slow, np.bool_),
            early=np.array(early, np.bool_),
            map=np.array(kept, np.int64),
            mask=np.array(masks, np.uint64).reshape(len(found), self.words),
            tables=np.array(tables, np.int32).reshape(len(tables), self.bits),
            shift_first=shift_first,
            shift_by=shift_by,
            shift_mask=shift_mask,
            assign_first=assign_first,
            assign_axis=assign_axis,
            assign_lookup=rows([[k for _, k in assign] for assign in assigns])[1],
            hold_first=hold_first,
            hold_lookup=hold_lookup,
        )

    def _mask(self, holds: list[int]) -> Array:
        bits = np.ones(self.bits, np.bool_)
        for k in holds:
            bits &= entries(self._model, k, self.index, self.bits)
        return bit_rows(bits)

    def _shifts(self, tables: list[Array]) -> tuple[Array, Array, Array]:
        """Maps taken apart into shifts of masked bits and bits that meet (a cap), if few do."""
        first, by, masks = [0], list[Any](), list[Any]()
        for after in tables:
            moved = after - np.arange(self.bits)
            pieces = []
            crowded = np.flatnonzero(np.bincount(after[after >= 0], minlength=self.bits) > 1)
            for bit in crowded[: MAX_SHIFTS + 1].tolist():
                pieces.append((GATHER + bit, after == bit))
            single = (after >= 0) & ~np.isin(after, crowded)
            for shift in np.unique(moved[single])[: MAX_SHIFTS + 1].tolist():
                pieces.append((shift, single & (moved == shift)))
            if len(pieces) <= MAX_SHIFTS:
                by.extend(piece[0] for piece in pieces)
                masks.extend(bit_rows(piece[1]) for piece in pieces)
            first.append(len(by))
        mask = np.array(masks, np.uint64).reshape(len(by), self.words)
        return np.array(first, np.int32), np.array(by, np.int64), mask

    def crossings(self) -> Crossing:
        """The moves of the inner axes inside a block, by stored source."""
        model, turn = self._model, self._turn
        stored = np.flatnonzero(model.stored)
        effects = sorted(turn.shifts)
        tables = [
            np.where(turn.shifts[e] < self.bits, turn.shifts[e], -1).astype(np.int64)
            for e in effects
        ]
        first, by, mask = self._shifts(tables)
        own = []
        for node in stored:
            edges = self._edges_from(int(node))
            used = set(np.unique(model.effect[edges[turn.sort[edges] == SHIFT]]).tolist())
            own.append([i for i, e in enumerate(effects) if e in used])
        own_first, own_map = rows(own)
        return Crossing(
            first=own_first,
            map=own_map,
            tables=np.array(tables, np.int32).reshape(len(tables), self.bits),
            shift_first=first,
            shift_by=by,
            shift_mask=mask,
        )
