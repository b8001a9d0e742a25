"""Points that are not solved, since another one has the same values (see `graph/symmetry`)."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Self

import numpy as np
from attrs import frozen

from dicegames.solver.blocks.grouping import SortedPoints
from dicegames.solver.blocks.lookups import Blocks
from dicegames.solver.graph.symmetry import Renaming, first_images
from dicegames.solver.model import Array, Model, rows_begin


@frozen(eq=False)
class Images:
    """Outer points and those, solved no later, whose values they have, layer by layer."""

    position: Array  # int64: in a full table
    of: Array  # int64
    layer_first: Array  # int64[layers + 1], into both

    @classmethod
    def spare(
        cls, model: Model, renamings: Iterable[Renaming], points: SortedPoints, entered: Array,
        *, cyclic: bool,
    ) -> tuple[SortedPoints, Self]:  # fmt: skip
        """The points that are to be solved, and the others.

        `entered` (bool, of all tables) tells where play can come to. A point that stands in a
        cycle with others is solved with these.
        """
        position, layer = points.position, points.layer
        first = first_images(model, renamings, position)
        spared = first != np.arange(position.size)
        for table in entered.reshape(-1, model.points):
            spared &= table[position] == table[position[first]]
        begins = np.append(True, layer[1:] != layer[:-1])
        if cyclic:
            new = begins | np.append(True, points.closed[1:] != points.closed[:-1])
            alone = new & np.append(new[1:], True)
            spared &= alone & alone[first]
        number = np.cumsum(begins) - 1
        kept = SortedPoints(position[~spared], layer[~spared], points.closed[~spared])
        solved = np.unique(number[~spared])  # the layers of which anything is left
        after = np.searchsorted(solved, number[spared], side="right") - 1
        begin = rows_begin(np.bincount(after, minlength=solved.size))
        return kept, cls(position[spared], position[first[spared]], begin)

    def fill(self, layer: int, blocks: Blocks) -> None:
        """Give the points of a layer their values."""
        own = slice(*self.layer_first[layer : layer + 2])
        for table in blocks.stored_table.tolist():
            blocks.values[table + self.position[own]] = blocks.values[table + self.of[own]]
