"""Backward through a turn: the value of every node at every inner point, and the choices."""

from __future__ import annotations

from typing import Any, Final

import numpy as np

from dicegames.solver.chain.batch import (
    CLOSED,
    MIXED,
    Batch,
    set_alive,
    set_guards,
    set_inner,
    set_jumps,
    set_rewards,
)
from dicegames.solver.chain.chain import LANES, Walk
from dicegames.solver.graph.turn import LOCAL, SHIFT
from dicegames.solver.kernels import lanes
from dicegames.solver.kernels.evaluate import INLINE, PURE
from dicegames.solver.kernels.flat import Flat
from dicegames.solver.kernels.kernel import njit
from dicegames.solver.kernels.ties import bar
from dicegames.solver.model import CHANCE, END

LEAST: Final = -1.7e308
"""A choice that is worth less is one that play does not come to."""


@njit(**INLINE)
def _edge_row(f: Flat, w: Walk, b: Batch, edge: int, inner: int) -> int:
    """Offset of the row of what an edge brings."""
    target, sort, nodes = f.target[edge], w.sort[edge], f.kind.size
    spare = w.rank.size * nodes * LANES
    pay = f.reward[edge] * LANES
    if f.kind[target] == END:
        for lane in range(LANES):
            b.rows[spare + lane] = b.pay[pay + lane]
        return int(spare)
    if sort in (LOCAL, SHIFT):
        at = inner if sort == LOCAL else w.after[w.shift[edge], inner]
        row = (at * nodes + target) * LANES
        for lane in range(LANES):
            b.rows[spare + lane] = b.rows[row + lane] + b.pay[pay + lane] if at >= 0 else np.nan
        return int(spare)
    for lane in range(LANES):
        to = b.jump[f.effect[edge], lane]
        value = w.values[w.read[edge] + to] if to >= 0 else np.nan
        b.rows[spare + lane] = w.sign * value + b.pay[pay + lane]
    return int(spare)


@njit(**INLINE)
def _move(width: tuple[float, ...], f: Flat, w: Walk, b: Batch, edge: int, inner: int) -> Any:
    """What a move brings; -inf in the lanes in which it is not legal."""
    begin = inner * f.kind.size * LANES
    row = begin + lanes.entry(w.plain, edge)
    if row < begin:
        row = _edge_row(f, w, b, edge, inner)
    value = lanes.load(width, b.rows, row)
    guard = lanes.entry(f.guard, edge)
    if b.state[guard] == MIXED:
        value = lanes.add(value, lanes.load(width, b.bar, guard * LANES))
    return value


@njit(**INLINE)
def _node(width: tuple[float, ...], f: Flat, w: Walk, b: Batch, node: int, inner: int) -> None:
    """Value of a node and, where there is a choice or a branch, the edge taken."""
    nodes = f.kind.size
    first, last = f.first_edge[node], f.first_edge[node + 1]
    begin = inner * nodes * LANES
    if f.kind[node] == CHANCE:
        total = lanes.full(width, 0.0)
        for edge in range(first, last):
            row = begin + lanes.entry(w.plain, edge)
            if row < begin:
                row = _edge_row(f, w, b, edge, inner)
            part = lanes.load(width, b.rows, row)
            total = lanes.add_product(total, part, lanes.entry(f.weight, edge))
        lanes.store(total, b.rows, begin + node * LANES)
        return
    best = lanes.full(width, -np.inf)
    for edge in range(first, last):
        if b.state[lanes.entry(f.guard, edge)] != CLOSED:
            best = lanes.maximum(best, _move(width, f, w, b, edge, inner))
    least, nothing = bar(best, True), lanes.full(width, -1.0)
    taken = nothing
    for edge in range(last - 1, first - 1, -1):  # of equals the first
        if b.state[lanes.entry(f.guard, edge)] != CLOSED:
            number = lanes.full(width, float(edge - first))
            taken = lanes.where_above(_move(width, f, w, b, edge, inner), least, number, taken)
    known = lanes.where_above(best, lanes.full(width, LEAST), taken, nothing)
    lanes.store(best, b.rows, begin + node * LANES)
    lanes.store_small(known, b.choice, (inner * w.slots + w.slot[node]) * LANES)


@njit(**PURE)
def decide(width: tuple[float, ...], f: Flat, w: Walk, b: Batch, top: int) -> None:
    """Make the choices at all inner points up to rank `top`."""
    for rank in range(top + 1):
        inner = w.ranked[rank]
        set_inner(f, w, b, inner)
        set_guards(f, w, b, rank == 0)
        set_rewards(f, w, b, rank == 0)
        set_jumps(f, w, b)
        if rank == 0:
            set_alive(f, w, b)
        for i in range(w.order.size):
            if b.alive[w.order[i]] != 0:
                _node(width, f, w, b, w.order[i], inner)
