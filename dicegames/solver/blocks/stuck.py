"""Choices at which there may be no legal move.

Such a choice would be the worst that can happen to the player, who would avoid it without a word.
It is looked for where play can come: at the points that the search for reachable points has found,
as far as what must hold on every way to the node holds there. The search follows no dice, so that
what is found is a doubt; where nothing is found there always is a move.
"""

from __future__ import annotations

from typing import Final

import numpy as np

from dicegames.solver.blocks.plan import Plan
from dicegames.solver.model import CHOICE, Array, Model

ROWS_TOGETHER: Final = 256
"""Rows that are looked at point by point together."""


def find_stuck(plan: Plan) -> int | None:
    """The number, in the original model, of a node that may be without a legal move, if any."""
    model, seen = plan.model, set[tuple[frozenset[int], bytes]]()
    rows = np.flatnonzero(plan.reach.closure.any(axis=1))
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
        left = rows[_stuck(plan, guards, taken, rows, None)]
        for first in range(0, left.size, ROWS_TOGETHER):
            some = left[first : first + ROWS_TOGETHER]
            met = plan.reach.bits(plan.reach.closure[some])
            if (met & _stuck(plan, guards, taken, some, met.shape[1])).any():
                return int(np.flatnonzero(plan.node_of == node)[0])
    return None


def _stuck(
    plan: Plan, guards: frozenset[int], taken: tuple[int, ...], rows: Array, minor: int | None
) -> Array:
    """Whether no guard holds, though what is `taken` for granted does: bool[rows(, minor points)].

    Without the minor points, whether that may be so at some of them.
    """
    model, axes = plan.model, _indices(plan, rows, minor)
    stuck = np.ones((len(rows), minor or 1), np.bool_)
    for k in taken:
        stuck &= _holds(model, k, axes, unknown=True)
    for guard in guards:
        holds = np.ones_like(stuck)
        for k in model.guards[guard]:
            holds &= _holds(model, k, axes, unknown=False)
        stuck &= ~holds
    return stuck if minor is not None else stuck[:, 0]


def _indices(plan: Plan, rows: Array, minor: int | None) -> dict[int, Array]:
    """Indices on the axes: int64[rows, 1] on major ones, [1, minor points] on minor ones."""
    reach = plan.reach
    own = np.unravel_index(rows, reach.major_shape) if reach.major else ()
    found = {axis: index[:, None] for axis, index in zip(reach.major, own, strict=True)}
    if minor is not None and reach.minor:
        inside = np.unravel_index(np.arange(minor), reach.minor_shape)
        found |= {axis: index[None, :] for axis, index in zip(reach.minor, inside, strict=True)}
    return found


def _holds(model: Model, lookup: int, axes: dict[int, Array], *, unknown: bool) -> Array:
    """Whether a lookup is true; `unknown` where it reads an axis that is not looked at."""
    found = model.lookups[lookup]
    if not set(found.axes) <= axes.keys():
        return np.array(unknown)
    return np.asarray(found.values[tuple(axes[axis] for axis in found.axes)], np.bool_)
