"""Inner points by layer: where rows of them for every outer point would be too many to keep.

What play can do to the inner axes is followed by itself, from layer to layer of the outer points:
in a layer an inner point counts as possible if play can come to it at some outer point. So each
layer is a rectangle, a superset of what can come up; in a game where every turn of a layer may
change the inner axes alike (two more throws in hand, less those that are used) it is no more.
"""

from __future__ import annotations

import numpy as np
from attrs import frozen

from dicegames.solver.graph.progress import Progress
from dicegames.solver.graph.reach import Reach
from dicegames.solver.graph.turn import Assign, Turn, entries, points_after, points_of
from dicegames.solver.model import Array, Model, met_along


@frozen(eq=False)
class Layered:
    """The layers in the order of play, and the inner points in each."""

    layers: Array  # int64[layers]: their numbers, ascending
    entered: Array  # bool[layers, inner points]: where a turn may begin
    closure: Array  # bool[layers, inner points]: where it may go on
    furthest: int  # how many layers on a read may lead


def inner_by_layer(model: Model, turn: Turn, progress: Progress, reach: Reach) -> Layered:
    """Follow the inner axes from layer to layer; `reach` is that of the outer points."""
    layers = np.unique(reach.layer[reach.closure.any(axis=1)])
    steps = _steps(model, turn, progress)
    inner = turn.rank.size
    entered = np.zeros((layers.size, inner), np.bool_)
    begin = [model.start_point[a] for a in turn.inner]
    entered[0, int(np.ravel_multi_index(begin, turn.inner_shape)) if begin else 0] = True
    closure, moves = np.zeros_like(entered), turn.moves
    furthest = 1
    for place, layer in enumerate(layers.tolist()):
        closure[place] = met_along(entered[place], *moves)
        for after, allowed, low, high in steps:
            own = np.flatnonzero(closure[place] & allowed)
            ahead = (layers >= layer + low) & (layers <= layer + high)
            entered[np.ix_(ahead, np.unique(after[own][after[own] >= 0]))] = True
            furthest = max(furthest, int(np.flatnonzero(ahead).max(initial=place)) - place)
    return Layered(layers, entered, closure, furthest)


Step = tuple[Array, Array, int, int]


def _steps(model: Model, turn: Turn, progress: Progress) -> list[Step]:
    """What reads do: inner point after it, where it is possible, and how many layers it goes on."""
    changes, inner = progress.changes, set(turn.inner)
    index, count = points_of(model, turn.inner), turn.rank.size
    found: dict[tuple[Assign, tuple[int, ...], int, int], Step] = {}
    for read in progress.reads:
        low, high = 1, 1 << 40  # by several forms: any later layer
        if len(progress.forms) == 1:
            low, high = changes.span(progress.forms[0], read)
        along = tuple(pair for pair in read.assign if pair[0] in inner)
        holds = tuple(k for k in read.holds if set(model.lookups[k].axes) <= inner)
        key = (along, holds, low, high)
        if key not in found:
            after = points_after(model, turn.inner, along)
            allowed = after >= 0
            for k in holds:
                allowed &= entries(model, k, index, count)
            found[key] = after, allowed, low, high
    return list(found.values())
