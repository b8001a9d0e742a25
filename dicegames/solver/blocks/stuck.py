"""Choices at which there may be no legal move.

Such a choice would be the worst that can happen to the player, who would avoid it without a word.
It is looked for where play can come: at the points that the search for reachable points has found,
as far as what must hold on every way to the node holds there. The search follows no dice, so that
what is found is a doubt; where nothing is found there always is a move.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import cached_property, lru_cache, reduce
from typing import Final

import numpy as np
from attrs import frozen

from dicegames.solver.blocks.plan import Plan
from dicegames.solver.model import CHOICE, Array

ROWS_TOGETHER: Final = 256
"""Rows that are looked at point by point together."""
BYTES_KEPT: Final = 1 << 26
"""For what is looked up at rows."""


def find_stuck(plan: Plan) -> int | None:
    """The number, in the original model, of a node that may be without a legal move, if any."""
    model, seen = plan.model, set[tuple[frozenset[int], bytes]]()
    rows = np.flatnonzero(plan.reach.closure.any(axis=1))
    everywhere = _AtRows(plan, rows, None)
    for node in np.flatnonzero(model.kind == CHOICE).tolist():
        guards = frozenset(
            model.guard[model.first_edge[node] : model.first_edge[node + 1]].tolist()
        )
        must = plan.musts.node[node]
        key = (guards, must.tobytes())
        if key in seen or any(not model.guards[g] for g in guards):
            continue
        seen.add(key)
        taken = plan.musts.names(must)
        left = rows[everywhere.stuck(guards, taken)[:, 0]]
        for first in range(0, left.size, ROWS_TOGETHER):
            some = left[first : first + ROWS_TOGETHER]
            met = plan.reach.bits(plan.reach.closure[some])
            if (met & _AtRows(plan, some, met.shape[1]).stuck(guards, taken)).any():
                return int(np.flatnonzero(plan.node_of == node)[0])
    return None


@frozen(eq=False, slots=False)
class _AtRows:
    """Rows of points, with so many `minor` points each, or without: then some are unknown."""

    plan: Plan
    rows: Array
    minor: int | None

    def stuck(self, guards: Iterable[int], taken: Iterable[int]) -> Array:
        """Whether no guard holds, though what is `taken` for granted does: bool[rows, minor or 1].

        Without the minor points, whether that may be so at some of them.
        """
        stuck = np.ones((self.rows.size, self.minor or 1), np.bool_)
        for guard in guards:
            conditions = [self._holds(k, False) for k in self.plan.model.guards[guard]]
            stuck &= ~reduce(np.logical_and, conditions)
        for k in taken if stuck.any() else ():
            stuck &= self._holds(k, True)
        return stuck

    @cached_property
    def _holds(self) -> Callable[[int, bool], Array]:
        """Whether a lookup is true; the second where it reads an axis that is not looked at."""
        lookups, axes = self.plan.model.lookups, self._indices()

        @lru_cache(BYTES_KEPT // max(1, self.rows.size * (self.minor or 1)))
        def holds(lookup: int, unknown: bool) -> Array:  # noqa: FBT001
            found = lookups[lookup]
            if not set(found.axes) <= axes.keys():
                return np.array(unknown)
            return np.asarray(found.values[tuple(axes[axis] for axis in found.axes)], np.bool_)

        return holds

    def _indices(self) -> dict[int, Array]:
        """Indices on the axes: int64[rows, 1] on major ones, [1, minor points] on minor ones."""
        reach = self.plan.reach
        own = np.unravel_index(self.rows, reach.major_shape) if reach.major else ()
        found = {axis: index[:, None] for axis, index in zip(reach.major, own, strict=True)}
        if self.minor is not None and reach.minor:
            inside = np.unravel_index(np.arange(self.minor), reach.minor_shape)
            found |= {axis: index[None] for axis, index in zip(reach.minor, inside, strict=True)}
        return found
