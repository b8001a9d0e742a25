"""Values at single points: the block of one outer point, evaluated node by node.

This plain kernel reads the model itself, not the operations made of it.  It gives the value of any
node at any point from the stored tables, for advice and play, and is a second opinion on the block
method.  Unknown table entries are NaN and make NaN of whatever rests on them.
"""

from __future__ import annotations

from collections import OrderedDict
from typing import NamedTuple

import numpy as np

from dicegames.solver.graph.turn import LOCAL, SHIFT, Turn, plan_turn
from dicegames.solver.kernels.evaluate import INLINE, PURE, flat_index, guard_holds, move, reward_at
from dicegames.solver.kernels.flat import Flat, flatten, strides
from dicegames.solver.kernels.kernel import njit
from dicegames.solver.model import BRANCH, CHANCE, END, Array, Model

KEPT = 64


class Tables(NamedTuple):
    """Where the kernel finds tables and turns."""

    values: Array  # float64: all tables
    table: Array  # int64[N]: offset of a stored node's table, -1 otherwise
    sort: Array  # uint8[E]
    nodes: Array  # int32: in order of evaluation
    inner: Array  # int64: axes
    inner_step: Array  # int64
    ranked: Array  # int64: flat inner points in order of progress
    maximise: bool
    plus: float  # constant sum
    turning: bool  # two seats


@njit(**INLINE)
def _edge(f: Flat, t: Tables, edge: int, point: Array, after: Array, block: Array) -> float:
    """What an edge brings; NaN where it is not known."""
    target = f.target[edge]
    own = reward_at(f, f.reward[edge], point)
    if f.kind[target] == END:
        return own
    if t.sort[edge] == LOCAL:
        inner = 0
        for k in range(t.inner.size):
            inner += point[t.inner[k]] * t.inner_step[k]
        return float(own + block[inner, target])
    if not move(f, f.effect[edge], point, after):
        return np.nan
    for axis in range(after.size):
        if after[axis] >= f.size[axis]:
            return np.nan
    if t.sort[edge] == SHIFT:
        inner = 0
        for k in range(t.inner.size):
            inner += after[t.inner[k]] * t.inner_step[k]
        return float(own + block[inner, target])
    value = t.values[t.table[target] + flat_index(f, after)]
    if t.turning and f.rotate[edge] != 0:
        return float(own + t.plus - value)
    return float(own + value)


@njit(**INLINE)
def _node(f: Flat, t: Tables, node: int, point: Array, after: Array, block: Array) -> float:
    kind, total, found = f.kind[node], 0.0, 0
    largest = t.maximise != (f.chooser[node] == 1)
    for edge in range(f.first_edge[node], f.first_edge[node + 1]):
        if kind != CHANCE and not guard_holds(f, f.guard[edge], point):
            continue
        value = _edge(f, t, edge, point, after, block)
        if kind == CHANCE:
            total += f.weight[edge] * value
        elif found == 0 or np.isnan(value):
            total = value
        elif not np.isnan(total):
            total = max(total, value) if largest else min(total, value)
        found += 1
    if found == 0 or (kind == BRANCH and found != 1):
        return np.nan
    return total


@njit(**PURE)
def evaluate_point(f: Flat, t: Tables, point: Array, after: Array, last: int, block: Array) -> None:
    """Fill block[flat inner point, node] up to the inner point `last`, in order of progress."""
    for i in range(t.ranked.size):
        left = t.ranked[i]
        for k in range(t.inner.size):
            point[t.inner[k]] = left // t.inner_step[k]
            left %= t.inner_step[k]
        for j in range(t.nodes.size):
            node = t.nodes[j]
            if f.kind[node] != END:
                block[t.ranked[i], node] = _node(f, t, node, point, after, block)
        if t.ranked[i] == last:
            return


class PointValues:
    """Values of any node from the tables of the stored ones; the last blocks are kept."""

    def __init__(self, model: Model, tables: dict[int, Array]) -> None:
        self._model, self._tables = model, tables
        self._kept: OrderedDict[tuple[int, ...], tuple[Array, Array]] = OrderedDict()
        self._parts: tuple[Flat, Tables, Turn] | None = None

    def _prepared(self) -> tuple[Flat, Tables, Turn]:
        if self._parts is None:
            model, turn = self._model, plan_turn(self._model)
            entries = int(np.prod(model.shape, dtype=np.int64))
            table = np.full(model.nodes, -1, np.int64)
            stored = [n for n in np.flatnonzero(model.stored).tolist() if n in self._tables]
            parts = []
            for place, node in enumerate(stored):
                table[node] = place * entries
                parts.append(self._tables[node].ravel())
            one = len(parts) == 1  # then nothing is copied: it may be large
            tables = Tables(
                values=parts[0] if one else np.concatenate([np.zeros(0), *parts]),
                table=table,
                sort=turn.sort,
                nodes=turn.nodes,
                inner=np.array(turn.inner, np.int64),
                inner_step=strides(turn.inner_shape),
                ranked=turn.ranked,
                maximise=model.maximise,
                plus=model.constant_sum or 0.0,
                turning=model.seats == 2,
            )
            self._parts = (flatten(model), tables, turn)
        return self._parts

    def value_at(self, node: int, point: tuple[int, ...]) -> float:
        """Value of a state; LookupError where it is not known."""
        model = self._model
        if model.kind[node] == END:
            return 0.0
        value = float(self._tables[node][point]) if node in self._tables else float("nan")
        if np.isnan(value):
            value = self._evaluated(node, point)
        if np.isnan(value):
            raise LookupError(f"the value of node {node} at {point} rests on unknown positions")
        return value

    def _evaluated(self, node: int, point: tuple[int, ...]) -> float:
        flat, tables, turn = self._prepared()
        inner = sum(point[a] * int(s) for a, s in zip(turn.inner, tables.inner_step, strict=True))
        outer = tuple(point[a] for a in turn.outer)
        block, done = self._kept.pop(outer, (None, None))
        if block is None or done is None:
            block = np.full((turn.rank.size, self._model.nodes), np.nan)
            done = np.array([-1])
        if turn.rank[inner] > done[0]:
            at = np.array(point, np.int64)
            evaluate_point(flat, tables, at, np.zeros_like(at), inner, block)
            done[0] = turn.rank[inner]
        self._kept[outer] = (block, done)
        if len(self._kept) > KEPT:
            self._kept.popitem(last=False)
        return float(block[inner, node])
