"""The values of a solved model as plain arrays, and back: what a saved solution consists of.

Each method has its own: the block method the tables of the stored nodes (`table NODE`), the
explicit one every state (`keys`, `values`), a proven tail its lines (`slopes`, `intercepts`,
`size`) with the arrays of the part below it; turn by turn it is what each turn begins with
(`starts`) and its worth (`worths`). On a grid it is the numbers of the points (`points`) with their
values; the grid itself is known from the model.

Whatever comes back is compared with the model before it is used: kernels do not look where they
read.
"""

from __future__ import annotations

import numpy as np

from dicegames.solver.methods.method import Packed, Unfit
from dicegames.solver.methods.on_grid import OnGrid
from dicegames.solver.model import Array, Grid
from dicegames.solver.solve import METHODS, solve
from dicegames.solver.solved import Solved, Value

SAME_VALUE = 1e-9


def packed(solved: Solved) -> dict[str, Array]:
    """Return the values of a solved model as arrays by name."""
    if isinstance(solved.evaluator, OnGrid.values):
        return OnGrid.pack(solved)
    method = next(each for each in METHODS if isinstance(solved.evaluator, each.values))
    return method.pack(solved, packed)


def unpacked(bare: Solved, arrays: Packed, grid: Grid | None = None) -> Solved:
    """Return a solved model with its values, from the same without them; raises Unfit.

    `grid` is the one that it was solved on, if it was.
    """
    model = bare.model
    solved = _unpacked(bare, arrays) if grid is None else OnGrid.unpack(bare, arrays, grid)
    if not model.average and not _same(solved.value_at(model.start, model.start_point), bare):
        raise Unfit("its values do not come to what it says")
    return solved


def _unpacked(bare: Solved, arrays: Packed) -> Solved:
    marked = [each for each in METHODS if each.mark in arrays.names]
    method = marked[0] if marked else next(each for each in METHODS if not each.mark)
    return method.unpack(bare, arrays, _unpacked, solve)


def _same(value: Value, bare: Solved) -> bool:
    """Whether the value of the start is the one that is told, but for rounding."""
    return np.shape(value) == np.shape(bare.value) and np.allclose(
        value, bare.value, rtol=SAME_VALUE, atol=SAME_VALUE
    )
