"""Axes that may trade places: a board and its mirror image, tracks that are alike.

Where a model is the same with its axes renamed, up to the names of its nodes, a value at a point is
that at its *image*, the point with the axes renamed. Both models beside each other have a coarsest
bisimulation (`reduce`): if it pairs all their nodes, that is so. Values are kept by node: each node
that has some must be paired with itself.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import numpy as np
from attrs import evolve

from dicegames.solver.graph.canonical import canonical
from dicegames.solver.graph.fold import GATE
from dicegames.solver.graph.reduce import bisimulation
from dicegames.solver.kernels.flat import strides
from dicegames.solver.model import Array, Effect, Lookup, Model, Reward, rows_begin

WEIGHTS_ROUNDED = 1e-14
"""In parts of a weight, what sums of weights may be wrong by."""
Renaming = tuple[int, ...]
"""The axis that each axis becomes; done twice, all is as it was."""


def symmetries(model: Model) -> tuple[Renaming, ...]:
    """Renamings of the axes that change no value: of a table that lasts, two entries, or all.

    The model is scalar; none where axes inside turns would be renamed.
    """
    found: list[Renaming] = []
    for places in _families(model):
        size = len(places[0])
        swaps = [_renaming(model, places, _swapped(size, k)) for k in range(size - 1)]
        own = [swap for swap in swaps if _is_symmetry(model, swap)]
        if len(own) < size - 1 and size > 2:  # else all orders come of these
            mirror = _renaming(model, places, tuple(reversed(range(size))))
            own += [mirror] if _is_symmetry(model, mirror) else []
        found += own
    return tuple(found)


def _families(model: Model) -> Iterator[list[list[int]]]:
    """The axes of each table, and those of all tables of one length: these may change together.

    They are told by their names, such as "field of 3 of the next player"; each seat has its own.
    """
    families: dict[tuple[str, ...], list[int]] = {}
    for number, axis in enumerate(model.axes):
        table, _, *seat = [*axis.name.split(" of "), ""]
        families.setdefault((table, *seat), []).append(number)
    tables = [axes for axes in families.values() if len(axes) > 1]
    yield from ([axes] for axes in tables)
    for size in sorted({len(axes) for axes in tables}):
        together = [axes for axes in tables if len(axes) == size]
        if len(together) > 1:
            yield together


def _swapped(size: int, k: int) -> tuple[int, ...]:
    return (*range(k), k + 1, k, *range(k + 2, size))


def _renaming(model: Model, families: list[list[int]], order: tuple[int, ...]) -> Renaming:
    """The renaming that puts the axes of families in another order."""
    becomes = list(range(len(model.axes)))
    for axes in families:
        for place, other in enumerate(order):
            becomes[axes[place]] = axes[other]
    return tuple(becomes)


def _is_symmetry(model: Model, becomes: Renaming) -> bool:
    axes = [evolve(axis, name="") for axis in model.axes]
    moved = [axis for axis, to in enumerate(becomes) if axis != to]
    if any(axes[k] != axes[becomes[k]] or axes[k].inner for k in moved):
        return False
    if any(model.start_point[k] != model.start_point[becomes[k]] for k in moved):
        return False
    if model.settled is not None or model.drawn is not None:
        return False
    own = canonical(model)
    both = canonical(_beside(own, becomes))
    columns = (both.guard, both.effect, both.reward)
    used = (np.sort(column.reshape(2, -1)) for column in columns)
    if len(both.lookups) > len(own.lookups) or any((one != other).any() for one, other in used):
        return False  # told sooner than by comparing nodes
    classes = bisimulation(evolve(both, weight=_told_apart(both.weight)))
    one, other = classes.reshape(2, -1)
    itself = own.stored | (np.arange(own.nodes) == own.start)
    return bool((one[itself] == other[itself]).all()) and set(one.tolist()) == set(other.tolist())


def _told_apart(weights: Array) -> Array:
    """Weights, numbered: those that sums in another order may have made differ are the same."""
    every, place = np.unique(weights, return_inverse=True)
    number = np.append(0, np.cumsum(np.diff(every) > WEIGHTS_ROUNDED * every[1:]))
    return number[place].astype(np.float64)


def _beside(model: Model, becomes: Renaming) -> Model:
    """A model and itself with its axes renamed, both in one."""

    def renamed(lookup: Lookup) -> Lookup:
        to = [becomes[axis] for axis in lookup.axes]
        kept = np.ascontiguousarray(lookup.kept.transpose(np.argsort(to)))
        return Lookup(tuple(sorted(to)), kept, lookup.few)

    def other(lookups: Iterable[int]) -> tuple[int, ...]:
        return tuple(k + len(model.lookups) for k in lookups)

    def twice(array: Array, by: int = 0) -> Array:
        return np.concatenate([array, (array + by).astype(array.dtype)])

    places = {GATE: GATE, **dict(enumerate(becomes))}
    effects = (
        Effect(tuple(sorted((places[a], k + len(model.lookups)) for a, k in effect.assign)))
        for effect in model.effects
    )
    return evolve(
        model,
        lookups=(*model.lookups, *map(renamed, model.lookups)),  # type: ignore[arg-type]
        guards=(*model.guards, *map(other, model.guards)),
        effects=(*model.effects, *effects),
        rewards=(*model.rewards, *(Reward(r.constant, other(r.lookups)) for r in model.rewards)),
        kind=twice(model.kind),
        chooser=twice(model.chooser),
        stored=np.tile(model.stored, 2),
        first_edge=rows_begin(np.tile(np.diff(model.first_edge), 2)),
        target=twice(model.target, model.nodes),
        guard=twice(model.guard, len(model.guards)),
        effect=twice(model.effect, len(model.effects)),
        reward=twice(model.reward, len(model.rewards)),
        weight=twice(model.weight),
        rotate=twice(model.rotate),
        other_rewards=None,
    )


def first_images(model: Model, renamings: Iterable[Renaming], positions: Array) -> Array:
    """For each of some points the one that stands first of it and its images: the index, int64.

    Points are told by their positions in a full table.
    """
    order, steps, first = np.argsort(positions), strides(model.shape), np.arange(positions.size)
    images = []
    for becomes in renamings:
        image = np.zeros(positions.size, np.int64)
        for axis, other in enumerate(becomes):
            image += positions // steps[axis] % model.shape[axis] * steps[other]
        place = np.searchsorted(positions, image, sorter=order)
        place = order[np.minimum(place, order.size - 1)]
        images.append(np.where(positions[place] == image, place, first))
    while True:
        before = first
        for where in images:
            first = np.minimum(first, first[where])
        if np.array_equal(first, before):
            return first
