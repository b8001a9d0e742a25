"""Backward through a turn whose ends have given values: the value of every node, and the choices.

The values at the ends differ from lane to lane, and nothing is paid on the way.
"""

from __future__ import annotations

from typing import Any, Final, NamedTuple

import numpy as np

from dicegames.solver.chain.batch import Batch, look, set_inner
from dicegames.solver.chain.chain import LANES, Chain, Walk
from dicegames.solver.kernels import lanes
from dicegames.solver.kernels.evaluate import INLINE, PURE
from dicegames.solver.kernels.flat import Flat
from dicegames.solver.kernels.kernel import njit
from dicegames.solver.kernels.ties import bar
from dicegames.solver.model import CHANCE, Array

CLOSED: Final = 0  # a guard in all lanes
OPEN: Final = 1
MIXED: Final = 2


class Turns(NamedTuple):
    """The turns in the lanes: memory of one thread. More is always better."""

    ends: Array  # float64[exits * inner points * LANES]: the given values
    rows: Array  # float64[(inner points * N + 1) * LANES]: the value of every node
    state: Array  # uint8[guards]
    bar: Array  # float64[guards * LANES]: 0 where the guard holds, -inf elsewhere


def make_turns(chain: Chain) -> Turns:
    """Memory for one thread."""
    model, walk = chain.model, chain.walk
    points = walk.rank.size
    return Turns(
        ends=np.zeros(walk.exit_edge.size * points * LANES),
        rows=np.zeros((points * model.nodes + 1) * LANES),
        state=np.zeros(len(model.guards), np.uint8),
        bar=np.zeros(len(model.guards) * LANES),
    )


@njit(**PURE)
def _set_guards(f: Flat, b: Batch, t: Turns) -> None:
    """Look at the guards."""
    for guard in range(t.state.size):
        count = 0
        for lane in range(LANES):
            holds = True
            for j in range(f.guard_first[guard], f.guard_first[guard + 1]):
                if f.bools[look(f, f.guard_lookup[j], b, lane)] == 0:
                    holds = False
                    break
            t.bar[guard * LANES + lane] = 0.0 if holds else -np.inf
            count += holds
        t.state[guard] = CLOSED if count == 0 else (OPEN if count == LANES else MIXED)


@njit(**INLINE)
def _after(width: tuple[float, ...], f: Flat, w: Walk, t: Turns, edge: int, inner: int) -> Any:
    """What an edge leads to."""
    if w.exit[edge] >= 0:
        return lanes.load(width, t.ends, (w.exit[edge] * w.rank.size + inner) * LANES)
    at = inner if w.shift[edge] < 0 else w.after[w.shift[edge], inner]
    if at < 0:
        return lanes.full(width, np.nan)
    return lanes.load(width, t.rows, (at * f.kind.size + f.target[edge]) * LANES)


@njit(**INLINE)
def _move(width: tuple[float, ...], f: Flat, w: Walk, t: Turns, edge: int, inner: int) -> Any:
    """What a move brings; -inf in the lanes in which it is not legal."""
    value = _after(width, f, w, t, edge, inner)
    guard = f.guard[edge]
    if t.state[guard] == MIXED:
        value = lanes.add(value, lanes.load(width, t.bar, guard * LANES))
    return value


@njit(**INLINE)
def _node(
    width: tuple[float, ...], f: Flat, w: Walk, b: Batch, t: Turns, node: int, inner: int
) -> None:
    """Value of a node and, where there is a choice or a branch, the edge taken."""
    first, last = f.first_edge[node], f.first_edge[node + 1]
    own = (inner * f.kind.size + node) * LANES
    if f.kind[node] == CHANCE:
        total = lanes.full(width, 0.0)
        for edge in range(first, last):
            part = _after(width, f, w, t, edge, inner)
            total = lanes.add_product(total, part, lanes.entry(f.weight, edge))
        lanes.store(total, t.rows, own)
        return
    best = lanes.full(width, -np.inf)
    for edge in range(first, last):
        if t.state[f.guard[edge]] != CLOSED:
            best = lanes.maximum(best, _move(width, f, w, t, edge, inner))
    least, nothing = bar(best, True), lanes.full(width, -1.0)
    taken = nothing
    for edge in range(last - 1, first - 1, -1):  # of equals the first
        if t.state[f.guard[edge]] != CLOSED:
            number = lanes.full(width, float(edge - first))
            taken = lanes.where_above(_move(width, f, w, t, edge, inner), least, number, taken)
    known = lanes.where_above(best, lanes.full(width, LEAST), taken, nothing)
    lanes.store(best, t.rows, own)
    lanes.store_small(known, b.choice, (inner * w.slots + w.slot[node]) * LANES)


LEAST: Final = -1.7e308
"""A choice that is worth less is one that play does not come to."""


@njit(**PURE)
def decide(width: tuple[float, ...], f: Flat, w: Walk, b: Batch, t: Turns, top: int) -> None:
    """Make the choices at all inner points up to rank `top`."""
    for rank in range(top + 1):
        inner = w.ranked[rank]
        set_inner(f, w, b, inner)
        _set_guards(f, b, t)
        for i in range(w.order.size):
            _node(width, f, w, b, t, w.order[i], inner)
