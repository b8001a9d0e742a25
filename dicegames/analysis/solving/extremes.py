"""The most and the least that can still be gained, whatever is thrown and chosen.

Where chance is taken for a choice, and all choices are for (or against) the player, the value is
the most (the least) that may still come. With it many states are settled before anything is
solved: the target is reached for certain, or out of reach.
"""

from __future__ import annotations

import numpy as np
from attrs import evolve
from numpy.typing import NDArray

from dicegames.compiler.compiled import Compiled
from dicegames.compiler.emitting.total import Total, told_at_once
from dicegames.ground.limits import Limits
from dicegames.solver.model import CHANCE, CHOICE, Model, Settled
from dicegames.solver.solve import solve
from dicegames.solver.solved import Solved

FAR = 2**40
"""More than any sum that an axis holds."""


def prepared(compiled: Compiled, threads: int | None = None) -> Compiled:
    """Return a compiled game with what is known of its values beforehand.

    Nothing is found out for objectives other than `reach`.
    """
    total, base = compiled.total, compiled.base
    if total is None or base is None:
        return compiled
    # also of nodes that have a value of their own only where the sum is counted
    base = evolve(base, stored=compiled.model.stored[: base.nodes])
    most, least = (solve(_extreme(base, most=m), Limits(threads=threads)) for m in (True, False))
    certain = _certain(total, _value(least, 0.0), _value(most, np.inf))
    if certain is not None:
        total = evolve(total, certain=certain)
        return evolve(compiled, model=told_at_once(base, total), total=total)
    if not base.axes:
        return compiled
    first = _limits(total, _tables(most, base, np.inf, np.fmax), by_most=True)
    last = _limits(total, _tables(least, base, 0.0, np.fmin), by_most=False)
    below, above = (0.0, 1.0) if total.at_least else (1.0, 0.0)
    known = Settled(total.axis, first, last, below, above)
    return evolve(compiled, model=evolve(compiled.model, settled=known))


def _certain(total: Total, least: float, most: float) -> bool | None:
    """Tell whether a target is reached whatever happens, or never; None where that depends."""
    target = float(total.target)
    if total.at_least:
        return True if least >= target else False if most < target else None
    return True if most <= target else False if least > target else None


def _extreme(model: Model, *, most: bool) -> Model:
    """Return the model in which chance is a choice, for or against the player."""
    kind = np.where(model.kind == CHANCE, CHOICE, model.kind).astype(np.int8)
    weight = np.ones_like(model.weight)
    return evolve(model, kind=kind, weight=weight, maximise=most)


def _value(solved: Solved, otherwise: float) -> float:
    if not solved.status.solved or isinstance(solved.value, tuple):
        return otherwise
    return float(solved.value)


def _tables(solved: Solved, base: Model, otherwise: float, join: np.ufunc) -> NDArray[np.float64]:
    """Return the extreme over all stored nodes at every point; NaN where play does not come."""
    stored = np.flatnonzero(base.stored).tolist()
    if not solved.status.solved or any(node not in solved.tables for node in stored):
        return np.full(base.shape, otherwise)
    found: NDArray[np.float64] = join.reduce([solved.tables[node] for node in stored])
    return found


def _limits(total: Total, still: NDArray[np.float64], *, by_most: bool) -> NDArray[np.int32]:
    """Return the first index at which the target is not out of reach, or from which it is sure.

    Few points being wanted, it is the first at which failure is not out of reach, or is sure.
    Nothing is known of points at which play does not come.
    """
    need = float(total.target) - np.round(still)  # what must have been gained already
    if total.at_least:
        index = np.ceil(need / total.step)
    else:
        index = np.floor(need / total.step) + 1
    index = np.where(np.isnan(index), 0 if by_most else FAR, np.clip(index, -1, FAR))
    return np.ascontiguousarray(np.clip(index, 0, total.last + 1), np.int32)
