"""The values of a solved model as plain arrays, and back: what a saved solution consists of.

Each method has its own: the block method the tables of the stored nodes (`table NODE`), the
explicit one every state (`keys`, `values`), a proven tail its lines (`slopes`, `intercepts`,
`size`) with the arrays of the part below it; turn by turn it is what each turn begins with
(`starts`) and its worth (`worths`). On a grid it is the indices that are kept of each axis
(`grid AXIS`), and the arrays of the model on the grid.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from attrs import evolve

from dicegames.solver.explicit import ExplicitValues
from dicegames.solver.grid import GridValues, thinned
from dicegames.solver.model import Array
from dicegames.solver.point import PointValues
from dicegames.solver.solve import solve
from dicegames.solver.solved import Solved
from dicegames.solver.tail import Lines, TailValues, bounded
from dicegames.solver.turns import Turns, TurnValues

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
        case GridValues(on_grid=inside, kept=kept):
            return {f"{GRID}{axis}": indices for axis, indices in kept.items()} | packed(inside)
        case ExplicitValues(keys=keys, values=values):
            return {"keys": keys, "values": values}
    return {f"{TABLE}{node}": table for node, table in solved.tables.items()}


def unpacked(bare: Solved, arrays: Mapping[str, Array]) -> Solved:
    """Return a solved model with its values, from the same without them."""
    model = bare.model
    grids = [name for name in arrays if name.startswith(GRID)]
    if grids:
        kept = {int(name.removeprefix(GRID)): arrays[name] for name in grids}
        rest = {name: array for name, array in arrays.items() if name not in grids}
        inside = unpacked(evolve(bare, model=thinned(model, kept)), rest)
        return evolve(bare, evaluator=GridValues(model, inside, kept))
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
    return evolve(bare, tables=tables, evaluator=PointValues(model, tables))
