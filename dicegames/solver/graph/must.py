"""What must hold at the outer point whenever a node is reached.

For every node the set of bool lookups that are true on all paths to it from a stored node, inside
one turn: the greatest fixpoint of ``must(target) = intersection over edges of (must(source) +
guard)``.  Where an inner axis moves, lookups that read inner axes are forgotten.  The sets are bit
rows, uint64[nodes, words].
"""

from __future__ import annotations

from math import prod

import numpy as np
from attrs import frozen

from dicegames.solver.graph.turn import LOCAL, SHIFT, Turn
from dicegames.solver.kernels.arrays import Matrix, Vector
from dicegames.solver.kernels.evaluate import KERNEL_OPTIONS
from dicegames.solver.kernels.kernel import njit
from dicegames.solver.model import Array, Lookup, Model, over

MOST_ENTRIES_COMPARED = 1 << 26
"""Entries of tables that are compared with each other at once; what is larger implies nothing."""
FULL = np.uint64(0xFFFFFFFFFFFFFFFF)


@frozen(eq=False)
class Musts:
    """Bit rows over the bool lookups, numbered by `lookups`."""

    lookups: tuple[int, ...]  # lookup of each bit
    node: Array  # uint64[N, words]
    guard: Array  # uint64[guards, words]

    def names(self, row: Array) -> tuple[int, ...]:
        """The lookups in a bit row."""
        bits = np.unpackbits(row.view(np.uint8), bitorder="little")
        return tuple(self.lookups[i] for i in np.flatnonzero(bits))


@njit(**KERNEL_OPTIONS)
def flow(
    first: Vector[np.int64], target: Vector[np.int32], guard: Vector[np.int32],
    sort: Vector[np.uint8], nodes: Vector[np.int32], masks: Matrix[np.uint64],
    outer: Vector[np.uint64], must: Matrix[np.uint64],
) -> None:  # fmt: skip
    """Lower `must` until it holds on all paths."""
    changed = True
    while changed:
        changed = False
        for i in range(nodes.size - 1, -1, -1):
            node = nodes[i]
            for edge in range(first[node], first[node + 1]):
                if sort[edge] != LOCAL and sort[edge] != SHIFT:
                    continue
                for w in range(must.shape[1]):
                    row = must[node, w] | masks[guard[edge], w]
                    if sort[edge] == SHIFT:
                        row &= outer[w]
                    new = must[target[edge], w] & row
                    if new != must[target[edge], w]:
                        must[target[edge], w] = new
                        changed = True


def on_all_paths(model: Model, turn: Turn, masks: Array, outer: Array) -> Array:
    """Return what holds at each node on all paths of a turn: uint64[N, words].

    `masks`, uint64[guards, words], are the facts that guards add, `outer` those that survive where
    an inner axis moves. Nothing holds where the turn does not come.
    """
    must = np.full((model.nodes, masks.shape[1]), FULL, np.uint64)
    must[model.stored] = 0
    flow(model.first_edge, model.target, model.guard, turn.sort, turn.nodes, masks, outer, must)
    idle = np.ones(model.nodes, np.bool_)
    idle[turn.nodes] = False
    must[idle] = 0
    return must


def bit_rows(truths: Array) -> Array:
    """Pack rows of truth values, bool[..., n], into words: uint64[..., words], at least one."""
    words = max(1, -(-truths.shape[-1] // 64))
    packed = np.zeros((*truths.shape[:-1], 8 * words), np.uint8)
    found = np.packbits(truths, axis=-1, bitorder="little")
    packed[..., : found.shape[-1]] = found
    return packed.view(np.uint64)


def find_musts(model: Model, turn: Turn, *, with_implied: bool = False) -> Musts:
    """The sets of all nodes and guards, on demand with what lookups imply of each other."""
    used = np.unique(model.guard).tolist()
    lookups = tuple(sorted({k for guard in used for k in model.guards[guard]}))
    place = {k: i for i, k in enumerate(lookups)}
    said = _implied(model, lookups) if with_implied else np.eye(len(lookups), dtype=np.bool_)
    rows = bit_rows(said)
    masks = np.zeros((len(model.guards), rows.shape[1]), np.uint64)
    for number in used:
        own = [place[k] for k in model.guards[number]]
        masks[number] = np.bitwise_or.reduce(rows[own], axis=0)
    inner = set(turn.inner)
    outer = np.array([not inner & set(model.lookups[k].axes) for k in lookups], np.bool_)
    return Musts(lookups, on_all_paths(model, turn, masks, bit_rows(outer)), masks)


def _implied(model: Model, lookups: tuple[int, ...]) -> Array:
    """Return whether each lookup (a row) implies each other one (a column): bool[n, n].

    A lookup is compared with those of the same axes, or of some of them.
    """
    found = np.eye(len(lookups), dtype=np.bool_)
    tables = {i: own for i, k in enumerate(lookups) if isinstance(own := model.lookups[k], Lookup)}
    for axes in {table.axes for table in tables.values()}:
        rows = [i for i, table in tables.items() if table.axes == axes]
        columns = [i for i, table in tables.items() if set(table.axes) <= set(axes)]
        shape = tuple(model.axes[axis].size for axis in axes)
        if prod(shape) * (len(rows) + len(columns)) > MOST_ENTRIES_COMPARED:
            continue
        given = np.array([tables[i].values.ravel() for i in rows], np.float32)
        missing = np.empty((len(columns), *shape), np.float32)
        for place, i in enumerate(columns):
            missing[place] = ~over(axes, tables[i].axes, tables[i].values)
        against = given @ missing.reshape(len(columns), -1).T  # points: none is not rounded away
        found[np.ix_(rows, columns)] = against == 0
    return found
