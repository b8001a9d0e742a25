"""The turn: which edges stay at one outer point, and in which order nodes can be evaluated.

An edge is one of four sorts.  LOCAL: the point does not change.  SHIFT: only inner axes change, and
strictly forward in one order of the inner points.  READ: anything else; it must enter a stored node
and reads its table.  FINISH: it enters an END.  Everything LOCAL and SHIFT at one outer point is a
block: for each inner point in order of progress, the nodes in topological order of the LOCAL edges.
GIVEN is an edge to where a question ends the turn, with a value of its own there.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from math import prod
from typing import Final

import numpy as np
from attrs import frozen

from dicegames.solver.graph.expand import components
from dicegames.solver.model import (
    BRANCH,
    END,
    Array,
    Effect,
    Model,
    met_along,
    rows_begin,
    rows_taken,
)
from dicegames.solver.status import SolveError, Status

LOCAL: Final = 0
SHIFT: Final = 1
READ: Final = 2
FINISH: Final = 3
GIVEN: Final = 4

Assign = tuple[tuple[int, int], ...]
"""Axes, and the lookups with their new indices."""


@frozen(eq=False)
class Turn:
    """The edges of a model by sort, and the orders of evaluation."""

    sort: Array  # uint8[E]
    nodes: Array  # int32: nodes that can be reached, targets of LOCAL edges before their sources
    outer: tuple[int, ...]  # axes
    inner: tuple[int, ...]
    inner_shape: tuple[int, ...]
    ranked: Array  # int64[inner points]: flat inner point by rank, in order of progress
    rank: Array  # int64[inner points]: its inverse
    shifts: dict[int, Array]  # effect -> flat inner point after it, by flat inner point; -1: none

    @property
    def banks(self) -> int:
        """How many inner points must be remembered at once."""
        source, target = self.moves
        return int((self.rank[source] - self.rank[target]).max(initial=0)) + 1

    @property
    def moves(self) -> Array:
        """All moves of inner points inside a block, from where and to where: int64[2, moves]."""
        pairs = [np.stack(pair) for pair in _moves(self.shifts, self.rank.size)]
        return np.concatenate([np.zeros((2, 0), np.int64), *pairs], axis=1)


def trim(model: Model, effect: Effect) -> Effect:
    """The effect without assignments that change nothing."""
    kept = []
    for axis, number in effect.assign:
        axes, values = model.lookups[number].axes, model.lookups[number].values
        same = axes == (axis,) and values[0] == 0  # never so for a gate, see `fold`
        if not (same and np.array_equal(values, np.arange(model.axes[axis].size))):
            kept.append((axis, number))
    return Effect(tuple(kept))


UP_AND_DOWN = (
    "what lasts goes up and down inside a turn; what may be lost again is solved much sooner in a "
    "variable of the turn that is added at the end, such as: total + points"
)
MOST_INNER = 1 << 27
"""So many indices of points of inner axes fit into a gigabyte."""


def unfit(reason: str) -> SolveError:
    """The block method does not fit; `solve` falls back to the explicit one."""
    return SolveError(Status.UNSUPPORTED, reason)


def plan_turn(model: Model) -> Turn:
    """Sort the edges; SolveError(UNSUPPORTED) where blocks do not fit the model."""
    inner = tuple(a for a, axis in enumerate(model.axes) if axis.inner)
    outer = tuple(a for a, axis in enumerate(model.axes) if not axis.inner)
    shape = tuple(model.axes[a].size for a in inner)
    if len(shape) * prod(shape) > MOST_INNER:
        raise unfit("what changes inside a turn has too many values together")
    effects = [trim(model, effect) for effect in model.effects]
    sort, forced, free = _sort_edges(model, effects, set(inner))
    maps = {e: points_after(model, inner, effects[e].assign) for e in forced | free}
    ranked, rank = _order(shape, {e: maps[e] for e in forced}, {e: maps[e] for e in free})
    steady = {e for e, after in maps.items() if _progresses(after, rank)}
    stray = (sort == SHIFT) & ~np.isin(model.effect, sorted(steady))
    if bool((stray & ~model.stored[model.target]).any()):
        raise unfit("an inner axis does not move in one direction")
    sort[stray] = READ
    nodes = _topological(model, sort)
    used = set(np.unique(model.effect[sort == SHIFT]).tolist())
    shifts = {e: maps[e] for e in sorted(used)}
    return Turn(sort, nodes, outer, inner, shape, ranked, rank, shifts)


def _sort_edges(
    model: Model, effects: list[Effect], inner: set[int]
) -> tuple[Array, set[int], set[int]]:
    """First sort of every edge; effects that must and that may progress."""
    changes = [{axis for axis, _ in effect.assign} for effect in effects]
    narrow = [
        all(set(model.lookups[k].axes) <= inner for _, k in effect.assign) for effect in effects
    ]
    idle = np.array([not c for c in changes])[model.effect] & (model.rotate == 0)
    turning = np.array([bool(c) and c <= inner for c in changes])[model.effect]
    turning &= np.array(narrow)[model.effect] & (model.rotate == 0)
    sort = np.where(idle, LOCAL, np.where(turning, SHIFT, READ)).astype(np.uint8)
    sort[model.kind[model.target] == END] = FINISH
    into = model.stored[model.target]
    if bool(((sort == READ) & ~into).any()):
        raise unfit("an outer axis changes on the way to a node that is not stored")
    forced = set(np.unique(model.effect[(sort == SHIFT) & ~into]).tolist())
    free = set(np.unique(model.effect[(sort == SHIFT) & into]).tolist()) - forced
    return sort, forced, free


def points_of(model: Model, axes: tuple[int, ...]) -> dict[int, Array]:
    """The indices of all points of some axes, by axis: int64[points]."""
    shape = [model.axes[a].size for a in axes]
    return dict(zip(axes, np.indices(shape).reshape(len(axes), prod(shape)), strict=True))


def entries(model: Model, number: int, index: Mapping[int, Array], count: int) -> Array:
    """What a lookup says at so many points, given by their indices; unfit where it reads more."""
    lookup = model.lookups[number]
    if not set(lookup.axes) <= set(index):
        raise unfit("an inner axis takes a value from outside the turn")
    return np.broadcast_to(lookup.values[tuple(index[a] for a in lookup.axes)], (count,))


def points_after(model: Model, axes: tuple[int, ...], assign: Assign) -> Array:
    """Flat point of some axes after assignments to them, by flat point; -1 where undefined.

    Over a tail it may lie beyond the end.
    """
    index, changed = points_of(model, axes), dict(assign)
    count = prod(model.axes[a].size for a in axes)
    after, valid = np.zeros(count, np.int64), np.ones(count, np.bool_)
    for axis in axes:
        new = index[axis]
        if axis in changed:
            new = entries(model, changed[axis], index, count)
            valid &= new >= 0
        after = after * model.axes[axis].size + new
    return np.where(valid, after, -1)


def _progresses(after: Array, rank: Array) -> bool:
    """Whether every defined move goes to an earlier rank (beyond the end counts as earlier)."""
    valid = (after >= 0) & (after < rank.size)
    return bool((rank[after[valid]] < rank[valid]).all())


def _order(
    shape: tuple[int, ...], forced: dict[int, Array], free: dict[int, Array]
) -> tuple[Array, Array]:
    """An order of the inner points in which effects go to earlier ranks: all forced ones.

    Points are compared axis by axis, up or down. An axis along which no move that is still
    undecided goes the wrong way may always come next: what orders the others without it does so
    with it. If none suits the free effects as well, the one that spoils fewest of them is taken.
    """
    count = int(np.prod(shape, dtype=np.int64))
    axes = np.indices(shape).reshape(len(shape), -1) if shape else np.zeros((0, 1), np.int64)
    left = {number: axis for number, axis in enumerate(axes) if shape[number] > 1}
    demanded, wished = list(_moves(forced, count)), list(_moves(free, count))
    keys: list[Array] = []
    while left:
        found: tuple[int, int, Array] | None = None
        for number, axis in left.items():
            for key in (axis, -axis):
                if any(_against(key, *move) for move in demanded):
                    continue
                spoiled = sum(_against(key, *move) for move in wished)
                if found is None or spoiled < found[0]:
                    found = (spoiled, number, key)
        if found is None:
            raise unfit(UP_AND_DOWN)
        _, number, key = found
        keys.append(key)
        del left[number]
        wished = [move for move in wished if not _against(key, *move)]
        demanded = [_undecided(key, *move) for move in demanded]
        wished = [_undecided(key, *move) for move in wished]
    if any(len(source) for source, _ in demanded):
        raise unfit(UP_AND_DOWN)
    ranked = np.lexsort(keys[::-1]) if keys else np.zeros(1, np.int64)
    rank = np.empty(count, np.int64)
    rank[ranked] = np.arange(count)
    return ranked.astype(np.int64), rank


def _moves(effects: dict[int, Array], count: int) -> Iterator[tuple[Array, Array]]:
    """The moves of every effect: inner points, and those after it, as far as there are any."""
    for after in effects.values():
        source = np.flatnonzero((after >= 0) & (after < count))
        yield source, after[source]


def _against(key: Array, source: Array, target: Array) -> bool:
    return bool((key[target] > key[source]).any())


def _undecided(key: Array, source: Array, target: Array) -> tuple[Array, Array]:
    """The moves along which a key stays as it is."""
    same = key[target] == key[source]
    return source[same], target[same]


def _topological(model: Model, sort: Array) -> Array:
    """Reachable nodes, LOCAL targets first; LOCAL edges of a cycle turn READ.

    These are edges into stored nodes, one node of each component after the other until there is no
    cycle left: those from nodes that it leads to. What they read is of the sweep before. Branches
    come first: if one read another node instead, its value would be no nearer to the true one than
    what it has read.
    """
    source, target = model.sources, model.target
    met = reachable_nodes(model, model.start)
    level = levels(source, target, sort == LOCAL, model.nodes)
    while bool((level[met] < 0).any()):
        left = met & (level < 0)
        local = (sort == LOCAL) & left[source] & left[target]
        first = rows_begin(np.bincount(source[local], minlength=model.nodes))
        _, component = components(first, target[local])
        back = local & (component[source] == component[target])
        into = np.bincount(target[local & model.stored[target]], minlength=model.nodes)
        ranked = np.lexsort([-into, model.kind != BRANCH])
        ranked = ranked[np.isin(ranked, target[back & model.stored[target]])]
        found, at = np.unique(component[ranked], return_index=True)
        if not np.isin(component[target[back]], found).all():
            raise unfit("the turn goes round without a change of point")
        sort[back & np.isin(target, ranked[at])] = READ
        level = levels(source, target, sort == LOCAL, model.nodes)
    order = np.argsort(level, kind="stable")
    return order[met[order]].astype(np.int32)


def reachable_nodes(model: Model, begun: Array | int, chosen: Array | None = None) -> Array:
    """Which nodes are met from some (numbers, or bool[N]) along edges, all or chosen ones: bool[N].

    Guards are not looked at; `chosen` is bool[E].
    """
    source, target, met = model.sources, model.target, np.zeros(model.nodes, np.bool_)
    met[begun] = True
    if chosen is not None:
        source, target = source[chosen], target[chosen]
    return met_along(met, source, target)


def levels(source: Array, target: Array, chosen: Array, nodes: int) -> Array:
    """Longest path along the chosen edges from each node; -1 on and behind a cycle."""
    source, target = source[chosen], target[chosen]
    level = np.full(nodes, -1, np.int64)
    waiting = np.bincount(source, minlength=nodes)
    before = source[np.argsort(target, kind="stable")]
    first = rows_begin(np.bincount(target, minlength=nodes))  # of the nodes before each node
    ready = np.flatnonzero(waiting == 0)
    depth = 0
    while ready.size:
        level[ready] = depth
        _, entries = rows_taken(first, ready)
        met, times = np.unique(before[entries], return_counts=True)
        waiting[met] -= times
        ready = met[waiting[met] == 0]
        depth += 1
    return level
