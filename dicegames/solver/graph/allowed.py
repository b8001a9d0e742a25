"""Which values an axis may have on an edge, whatever way led there.

Where nodes are merged that were reached under different conditions (a row's last number was below
6, or below 7), no condition holds on all ways to them, but the values that fulfil one of them are
still not all. For every node the values of each small outer axis that some path from a stored node
leaves possible, inside one turn: all but those that are excluded on every path.
"""

from __future__ import annotations

import numpy as np
from attrs import frozen

from dicegames.solver.graph.must import FULL, bit_rows, on_all_paths
from dicegames.solver.graph.turn import Turn
from dicegames.solver.model import Array, Model

LARGEST_AXIS = 256
"""Axes with more values are left out: there is one bit for each of them at every node."""


@frozen(eq=False)
class Allowed:
    """Rows of truth values, the axes one after another; `first` says where each begins."""

    first: dict[int, int]
    size: dict[int, int]
    node: Array  # bool[N, values]
    guard: Array  # bool[guards, values]

    def on_edge(
        self, source: int, guard: int, axes: frozenset[int]
    ) -> tuple[tuple[int, bytes], ...]:
        """Return the axes, of some, that cannot have all values on an edge, with those they may."""
        found = []
        for axis in sorted(axes & set(self.first)):
            at = slice(self.first[axis], self.first[axis] + self.size[axis])
            row = self.node[source, at] & self.guard[guard, at]
            if not row.all():
                found.append((axis, row.tobytes()))
        return tuple(found)


def find_allowed(model: Model, turn: Turn) -> Allowed:
    """Return the rows of all nodes and guards."""
    size = {a: model.axes[a].size for a in turn.outer if model.axes[a].size <= LARGEST_AXIS}
    begins = np.cumsum([0, *size.values()])
    first = dict(zip(size, begins.tolist(), strict=False))
    masks = np.ones((len(model.guards), int(begins[-1])), np.bool_)
    for number in np.unique(model.guard).tolist():
        for lookup in (model.lookups[k] for k in model.guards[number]):
            if len(lookup.axes) == 1 and lookup.axes[0] in size:
                (axis,) = lookup.axes
                masks[number, first[axis] : first[axis] + size[axis]] &= lookup.values
    outer = np.full(-(-masks.shape[1] // 64) or 1, FULL)
    excluded = on_all_paths(model, turn, bit_rows(~masks), outer)
    bits = np.unpackbits(excluded.view(np.uint8), axis=1, bitorder="little")
    return Allowed(first, size, bits[:, : masks.shape[1]] == 0, masks)
