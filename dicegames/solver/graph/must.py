"""What must hold at the outer point whenever a node is reached.

For every node the set of bool lookups that are true on all paths to it from a stored node, inside
one turn: the greatest fixpoint of ``must(target) = intersection over edges of (must(source) +
guard)``.  Where an inner axis moves, lookups that read inner axes are forgotten.  The sets are bit
rows, uint64[nodes, words].
"""

from __future__ import annotations

import numpy as np
from attrs import frozen

from dicegames.solver.graph.turn import LOCAL, SHIFT, Turn
from dicegames.solver.kernels.evaluate import OPTIONS
from dicegames.solver.kernels.kernel import njit
from dicegames.solver.model import Array, Model

FULL = np.uint64(0xFFFFFFFFFFFFFFFF)


@frozen(eq=False)
class Musts:
    """Bit rows over the bool lookups, numbered by `lookups`."""

    lookups: tuple[int, ...]  # lookup of each bit
    node: Array  # uint64[N, words]
    guard: Array  # uint64[guards, words]

    def edge(self, source: int, guard: int) -> Array:
        """What holds on an edge: uint64[words]."""
        row: Array = self.node[source] | self.guard[guard]
        return row

    def names(self, row: Array) -> tuple[int, ...]:
        """The lookups in a bit row."""
        bits = np.unpackbits(row.view(np.uint8), bitorder="little")
        return tuple(self.lookups[i] for i in np.flatnonzero(bits))


@njit(**OPTIONS)
def _flow(
    first: Array, target: Array, guard: Array, sort: Array, nodes: Array, masks: Array,
    outer: Array, must: Array,
) -> None:  # fmt: skip
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


def find_musts(model: Model, turn: Turn) -> Musts:
    """The sets of all nodes and guards."""
    used = np.unique(model.guard).tolist()
    lookups = tuple(sorted({k for guard in used for k in model.guards[guard]}))
    place = {k: i for i, k in enumerate(lookups)}
    words = max(1, -(-len(lookups) // 64))
    masks = np.zeros((len(model.guards), words), np.uint64)
    for number in used:
        for k in model.guards[number]:
            masks[number, place[k] // 64] |= np.uint64(1) << np.uint64(place[k] % 64)
    outer = np.zeros(words, np.uint64)
    inner = set(turn.inner)
    for k in lookups:
        if not inner & set(model.lookups[k].axes):
            outer[place[k] // 64] |= np.uint64(1) << np.uint64(place[k] % 64)
    must = np.full((model.nodes, words), FULL, np.uint64)
    must[model.stored] = 0
    _flow(model.first_edge, model.target, model.guard, turn.sort, turn.nodes, masks, outer, must)
    idle = np.ones(model.nodes, np.bool_)
    idle[turn.nodes] = False
    must[idle] = 0
    return Musts(lookups, must, masks)
