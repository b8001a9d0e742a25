"""The values of a solved model as plain arrays, and back: what a saved solution consists of.

Each method has its own: the block method the tables of the stored nodes (`table NODE`), the
explicit one every state (`keys`, `values`), a proven tail its lines (`slopes`, `intercepts`,
`size`) with the arrays of the part below it; turn by turn it is what each turn begins with
(`starts`) and its worth (`worths`). On a grid it is what is kept of each axis (`grid AXIS`), the
numbers of the points (`points`) with their values, and the rest of the grid (`form`).
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from attrs import evolve

from dicegames.solver.explicit.explicit import ExplicitValues
from dicegames.solver.explicit.subgame import of_tables
from dicegames.solver.explicit.tail import Lines, TailValues, bounded
from dicegames.solver.explicit.turns import Turns, TurnValues
from dicegames.solver.grid.grid import GridTable
from dicegames.solver.grid.values import GridValues
from dicegames.solver.model import Array, Grid
from dicegames.solver.solve import solve
from dicegames.solver.solved import Solved

TABLE = "table "
GRID = "grid "


def packed(solved: Solved) -> dict[str, Array]:
    """Return the values of a solved model as arrays by name."""
    match solved.evaluator:
        case TailValues(lines=lines, inside=Solved() as inside, size=size):
            tail = {"slopes": lines.alpha, "intercepts": lines.beta, "size": np.array([size])}
            return tail | packed(inside)
        case TurnValues(values=values):
            starts = np.array(list(values), np.int64)
            return {"starts": starts, "worths": np.array(list(values.values()))}
        case GridValues(table=table):
            kept = {f"{GRID}{axis}": values for axis, values in table.grid.kept.items()}
            return {**kept, "points": table.points, "values": table.values, **_form(table.grid)}
        case ExplicitValues(keys=keys, values=values):
            return {"keys": keys, "values": values}
    return {f"{TABLE}{node}": table for node, table in solved.tables.items()}


def unpacked(bare: Solved, arrays: Mapping[str, Array]) -> Solved:
    """Return a solved model with its values, from the same without them."""
    model = bare.model
    if "points" in arrays:
        table = GridTable(_grid(arrays), arrays["points"], arrays["values"])
        return evolve(bare, evaluator=GridValues(model, table))
    if "size" in arrays:
        lines, size = Lines(arrays["slopes"], arrays["intercepts"]), int(arrays["size"][0])
        rest = {name: array for name, array in arrays.items() if name != "size"}
        inside = unpacked(evolve(bare, model=bounded(model, size, lines)), rest)
        return evolve(inside, model=model, evaluator=TailValues(model, lines, inside, size))
    if "starts" in arrays:
        pairs = zip(arrays["starts"].tolist(), arrays["worths"].tolist(), strict=True)
        return evolve(bare, evaluator=TurnValues(Turns(model, solve), dict(pairs)))
    if "keys" in arrays:
        return evolve(bare, evaluator=ExplicitValues(model, arrays["keys"], arrays["values"]))
    names = [name for name in arrays if name.startswith(TABLE)]
    tables = {int(name.removeprefix(TABLE)): arrays[name] for name in names}
    return evolve(bare, tables=tables, evaluator=of_tables(model, tables))


def _form(grid: Grid) -> dict[str, Array]:
    """Return what a grid is besides the values that are kept."""
    sums = [(group, axis) for group, axes in enumerate(grid.sums) for axis in axes]
    return {
        "form": np.array(
            [grid.levels, grid.farthest, grid.balanced, *(grid.turns or ())], np.int64
        ),
        "sums": np.array(sums, np.int64).reshape(-1, 2),
    }


def _grid(arrays: Mapping[str, Array]) -> Grid:
    kept = {
        int(name.removeprefix(GRID)): values
        for name, values in arrays.items()
        if name.startswith(GRID)
    }
    levels, farthest, balanced, *turns = arrays["form"].tolist()
    groups: dict[int, list[int]] = {}
    for group, axis in arrays["sums"].tolist():
        groups.setdefault(group, []).append(axis)
    return Grid(
        kept,
        levels,
        farthest,
        bool(balanced),
        (turns[0], turns[1]) if turns else None,
        tuple(tuple(axes) for axes in groups.values()),
    )
