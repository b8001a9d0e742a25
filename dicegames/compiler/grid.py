"""Where the points of a grid lie: multiples of a step, the ends, and where the rules jump.

The rules compare a total with fixed numbers: at 10,000 the game ends, below 5,000 one pays more.
There the value may jump, so that the number and the values on both sides of it are always kept.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import numpy as np
from numpy.typing import NDArray

from dicegames.compiler.compiled import Compiled
from dicegames.compiler.objective import ObjectiveError
from dicegames.compiler.tables import slots_of
from dicegames.ground.diagnostic import did_you_mean
from dicegames.rules.types import Value
from dicegames.rules.unknown import COMPARISONS, Unknown

Kept = dict[int, NDArray[np.int64]]
"""Axis -> the indices that are kept."""


def grid_points(compiled: Compiled, steps: Mapping[str, int]) -> tuple[Kept, Kept]:
    """Return the points of a grid, and of one with twice the step, which is part of it.

    `steps` has the step for the name of each variable on the grid. Raises ObjectiveError for a
    name that is no number which lasts from turn to turn.
    """
    fine, wide = Kept(), Kept()
    for name, step in steps.items():
        slots = _slots(compiled, name)
        jumps = {n for slot in slots for n in _compared(compiled, slot)}
        for slot in slots:
            axis = compiled.emitter.axis_of(slot)
            values = np.asarray(compiled.emitter.values[slot])
            fine[axis] = _indices(values, step, jumps)
            wide[axis] = _indices(values, 2 * step, jumps)
    return fine, wide


def _slots(compiled: Compiled, name: str) -> list[int]:
    variables, axes = compiled.game.names.slots, compiled.model.axes
    there = {
        s: variables[s].name
        for s in compiled.emitter.slots
        if axes[compiled.emitter.axis_of(s)].kind == "counter"
        and variables[s].scope != "turn"
        and not axes[compiled.emitter.axis_of(s)].unbounded
    }
    found = [s for s, n in there.items() if n == name]
    if not found:
        names = sorted(set(there.values()) - {"seat", "round"})
        known = f"; there are: {', '.join(names)}" if names else ""
        hint = did_you_mean(name, names) or f"a grid is for a number that lasts{known}"
        raise ObjectiveError(f'"{name}" cannot be put on a grid: {hint}')
    return found


def _compared(compiled: Compiled, slot: int) -> set[int]:
    """Return the numbers that a variable, or a sum with it, is compared with.

    A sum is what the variable will be when the turn is over, and so what the tables hold.
    """
    found: set[int] = set()
    seen: set[int] = set()
    pending: list[Value] = list(_expressions(compiled))
    while pending:
        value = pending.pop()
        if not isinstance(value, Unknown) or id(value) in seen:
            continue
        seen.add(id(value))
        pending.extend(value.arguments)
        if value.name in COMPARISONS:
            one, other = value.arguments
            for side, number in ((one, other), (other, one)):
                if isinstance(side, Unknown) and isinstance(number, int) and slot in slots_of(side):
                    found.add(number)
    return found


def _expressions(compiled: Compiled) -> Iterator[Value]:
    for node in compiled.explorer.nodes:
        for edge in node.edges:
            yield from edge.guard
            yield from edge.reward
            yield from (value for _, value in edge.effect)


def _indices(values: NDArray[np.int64], step: int, jumps: set[int]) -> NDArray[np.int64]:
    """Return the indices of multiples of the step, of both ends, and around every jump."""
    kept = {0, len(values) - 1, *np.flatnonzero(values % step == 0).tolist()}
    for number in jumps:
        at = int(np.searchsorted(values, number))
        kept |= {at - 1, at, at + 1}
    return np.array(sorted(i for i in kept if 0 <= i < len(values)), np.int64)
