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

from collections.abc import Set as AbstractSet
from math import prod
from typing import Protocol

import numpy as np
from attrs import evolve

from dicegames.solver.explicit.explicit import ExplicitValues
from dicegames.solver.explicit.subgame import of_tables
from dicegames.solver.explicit.tail import Lines, TailValues, bounded
from dicegames.solver.explicit.turns import MOST_STARTS, Turns, TurnValues
from dicegames.solver.grid.ends import seats_of
from dicegames.solver.grid.grid import GridTable
from dicegames.solver.grid.points import Points
from dicegames.solver.grid.values import GridValues
from dicegames.solver.model import Array, Grid
from dicegames.solver.solve import solve
from dicegames.solver.solved import Solved, Value

TABLE = "table "
LINES = ("slopes", "intercepts")
NEAR = 1e-9


class Unfit(ValueError):
    """Arrays that are not what a model asks for; the message says in what."""


class Packed(Protocol):
    """Arrays by name, each of which is unpacked in the form that is asked for, or not at all."""

    @property
    def names(self) -> AbstractSet[str]:
        """The names of the arrays."""

    def take(self, name: str, kind: str, *shape: int | None) -> Array:
        """Return an array of floats ("f") or whole numbers ("i"); None is any length."""


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
            return {"points": table.points, "values": table.values}
        case ExplicitValues(keys=keys, values=values):
            return {"keys": keys, "values": values}
    return {f"{TABLE}{node}": table for node, table in solved.tables.items()}


def unpacked(bare: Solved, arrays: Packed, grid: Grid | None = None) -> Solved:
    """Return a solved model with its values, from the same without them; raises Unfit.

    `grid` is the one that it was solved on, if it was.
    """
    model = bare.model
    solved = _on_grid(bare, arrays, grid) if grid is not None else _unpacked(bare, arrays)
    if not model.average and not _same(solved.value_at(model.start, model.start_point), bare):
        raise Unfit("its values do not come to what it says")
    return solved


def _unpacked(bare: Solved, arrays: Packed) -> Solved:
    if "size" in arrays.names:
        return _with_tail(bare, arrays)
    if "starts" in arrays.names:
        return _turns(bare, arrays)
    if "keys" in arrays.names:
        return _explicit(bare, arrays)
    return _tables(bare, arrays)


def _tables(bare: Solved, arrays: Packed, *besides: str) -> Solved:
    """Take the tables of all stored nodes; NaN stands at points to which play does not come."""
    model = bare.model
    shape = model.shape if model.scalar else (*model.shape, model.seats)
    stored = {node: f"{TABLE}{node}" for node in np.flatnonzero(model.stored).tolist()}
    _demand_names(arrays, *stored.values(), *besides)
    tables = {node: arrays.take(name, "f", *shape) for node, name in stored.items()}
    if any(np.isinf(table).any() for table in tables.values()):
        raise Unfit("a value is not finite")
    return evolve(bare, tables=tables, evaluator=of_tables(model, tables))


def _explicit(bare: Solved, arrays: Packed, *besides: str) -> Solved:
    model = bare.model
    _demand_names(arrays, "keys", "values", *besides)
    keys = _ascending(arrays.take("keys", "i", None), model.nodes * prod(model.shape))
    values = arrays.take("values", "f", len(keys), 1 if model.scalar else model.seats)
    return evolve(bare, evaluator=ExplicitValues(model, keys, _finite(values)))


def _with_tail(bare: Solved, arrays: Packed) -> Solved:
    model = bare.model
    if len(model.axes) != 1 or not model.axes[0].unbounded:
        raise Unfit("there is no counter without limit")
    (size,) = arrays.take("size", "i", 1).tolist()
    if not 1 <= size <= model.axes[0].size:
        raise Unfit("the tail begins nowhere")
    lines = Lines(*(_finite(arrays.take(name, "f", model.nodes)) for name in LINES))
    inner = evolve(bare, model=bounded(model, size, lines))
    one = _explicit if "keys" in arrays.names else _tables
    inside = one(inner, arrays, "size", *LINES)
    return evolve(inside, model=model, evaluator=TailValues(model, lines, inside, size))


def _turns(bare: Solved, arrays: Packed) -> Solved:
    model = bare.model
    _demand_names(arrays, "starts", "worths")
    starts = arrays.take("starts", "i", None)
    _ascending(np.sort(starts), int(model.stored.sum()) * prod(model.shape))
    if len(starts) > MOST_STARTS:
        raise Unfit("turns begin in too many ways")
    worths = _finite(arrays.take("worths", "f", len(starts)))
    pairs = zip(starts.tolist(), worths.tolist(), strict=True)
    return evolve(bare, evaluator=TurnValues(Turns(model, solve), dict(pairs)))


def _on_grid(bare: Solved, arrays: Packed, grid: Grid) -> Solved:
    model = bare.model
    _demand_names(arrays, "points", "values")
    points = arrays.take("points", "i", None)
    _ascending(np.sort(points), Points(model, grid).count * int(model.stored.sum()))
    values = _finite(arrays.take("values", "f", len(points), seats_of(model)))
    return evolve(bare, evaluator=GridValues(model, GridTable(grid, points, values)))


def _demand_names(arrays: Packed, *names: str) -> None:
    if arrays.names != set(names):
        raise Unfit("its arrays are not those of the game")


def _ascending(numbers: Array, end: int) -> Array:
    """Return whole numbers that rise, from 0 up to, but not including, `end`."""
    if not numbers.size or numbers[0] < 0 or numbers[-1] >= end or not (np.diff(numbers) > 0).all():
        raise Unfit("a state is listed twice, or is none of the game")
    return numbers


def _finite(values: Array) -> Array:
    if not np.isfinite(values).all():
        raise Unfit("a value is not finite")
    return values


def _same(value: Value, bare: Solved) -> bool:
    """Whether the value of the start is the one that is told, but for rounding."""
    return np.shape(value) == np.shape(bare.value) and np.allclose(
        value, bare.value, rtol=NEAR, atol=NEAR
    )
