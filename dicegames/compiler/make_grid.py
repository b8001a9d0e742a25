"""Where the points of a grid lie: multiples of a step, the ends, the start, and where rules jump.

The rules compare a total with fixed numbers: at 10,000 the game ends, below 5,000 one pays more.
There the value may jump, so that the values on both sides of it are always kept, and after the last
one the next as well: past it players end up close together, and one unit may decide.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import numpy as np

from dicegames.compiler.compiled import Compiled
from dicegames.compiler.form import many_of
from dicegames.compiler.goal import sum_of_payoffs
from dicegames.ground.graphs import reached
from dicegames.rules.parts.types import Value
from dicegames.rules.parts.unknown import COMPARISONS, Unknown
from dicegames.solver.model import Grid

ADDING = ("add", "subtract", "minimum", "maximum")
FLIPPED = {"lt": "gt", "le": "ge", "gt": "lt", "ge": "le", "eq": "eq", "ne": "ne"}


def grid_of(
    compiled: Compiled, steps: Mapping[str, int], levels: int, farthest: int | None = None
) -> Grid:
    """Return the grid with these steps, by the names of the variables on it.

    `levels` is how many values the counter inside a turn has, `farthest` how many where a turn is
    played out by itself (as many, if not given). The variables without limit go as far as one turn
    of the tables leads from the last jump; without jumps, as far as all turns of the longest kind.
    What passes from seat to seat has the same points everywhere.
    """
    names, many = compiled.game.names, many_of(compiled)
    met: dict[str, set[int]] = {}
    for slot in many.values():
        met.setdefault(names.slots[slot].name, set()).update(jumps_of(compiled, slot))
    kept = {}
    for axis, slot in many.items():
        shape, values = compiled.model.axes[axis], compiled.emitter.values[slot]
        jumps, start = sorted(met[names.slots[slot].name]), compiled.model.start_point[axis]
        top = int(values[-1])
        if shape.unbounded:
            most = _most_added(compiled)
            if jumps:
                top = jumps[-1] + levels * shape.step + most
            else:
                most += steps[names.slots[slot].name]  # above what begins between two points
                top = ((farthest or levels) * shape.step + most) * _turns_at_most(compiled)
        found = values[values <= max(top, values[start])]
        kept[axis] = _kept(found, steps[names.slots[slot].name], jumps, start)
    balanced = sum_of_payoffs(compiled.game) is not None
    return Grid(kept, levels, farthest or levels, balanced, _turns(compiled), _sums(compiled))


def jumps_of(compiled: Compiled, slot: int) -> set[int]:
    """Return where the value may jump: the first number after, of those that are compared with.

    What is compared may be a sum with the variable: that is what it will be after the turn.
    """
    found: set[int] = set()
    unit = compiled.model.axes[compiled.emitter.axis_of(slot)].step
    parts = reached(_expressions(compiled), lambda v: getattr(v, "arguments", ()))
    for value in parts:
        if not isinstance(value, Unknown) or value.name not in COMPARISONS:
            continue
        one, other = value.arguments
        for side, number, name in ((one, other, value.name), (other, one, FLIPPED[value.name])):
            if isinstance(number, int) and slot in _added(side):
                after = {"lt": [0], "ge": [0], "le": [1], "gt": [1]}.get(name, [0, 1])
                found |= {number + more * unit for more in after}
    return found


def _added(value: Value) -> set[int]:
    """Return the slots whose values an expression adds up."""

    def summed(part: Value) -> tuple[Value, ...]:
        adds = isinstance(part, Unknown) and part.name in ADDING
        return part.arguments if adds else ()

    parts = (part for part in reached([value], summed) if isinstance(part, Unknown))
    return {part.arguments[0] for part in parts if part.name == "slot"}


def _most_added(compiled: Compiled) -> int:
    """Return the largest number that one turn adds at once to something that is on the grid."""
    found, many = [0], set(many_of(compiled).values())
    for node in compiled.explorer.nodes:
        for edge in node.edges:
            values = [v for slot, v in edge.effect if slot in many]
            sums = [v for v in values if isinstance(v, Unknown) and v.name == "add"]
            found += [v.arguments[1] for v in sums if isinstance(v.arguments[1], int)]
    return max(found)


def _expressions(compiled: Compiled) -> Iterator[Value]:
    for node in compiled.explorer.nodes:
        for edge in node.edges:
            yield from edge.guard
            yield from edge.reward
            yield from (value for _, value in edge.effect)


def _kept(values: np.ndarray, step: int, jumps: list[int], start: int) -> np.ndarray:
    """Return the multiples of the step, both ends, the start, and both sides of every jump."""
    kept = {0, start, len(values) - 1, *np.flatnonzero(values % step == 0).tolist()}
    for number in jumps:
        at = int(np.searchsorted(values, number))
        kept |= {at - 1, at, at + (number == jumps[-1])}
    return values[sorted(i for i in kept if 0 <= i < len(values))]


def _turns(compiled: Compiled) -> tuple[int, int] | None:
    """Return the axes that count rounds and seats; None if not both are looked at."""
    names, slots = compiled.game.names, compiled.emitter.slots
    both = [names.variables[name].base for name in ("round", "seat")]
    if not set(both) <= set(slots):
        return None
    return (slots.index(both[0]), slots.index(both[1]))


def _turns_at_most(compiled: Compiled) -> int:
    """Return how many turns a player has at most, where rounds are counted; else 1."""
    turns = _turns(compiled)
    return 1 if turns is None else compiled.model.axes[turns[0]].size


def _sums(compiled: Compiled) -> tuple[tuple[int, ...], ...]:
    """Return the axes of each variable that all players have."""
    groups: dict[int, list[int]] = {}
    for axis, slot in enumerate(compiled.emitter.slots):
        variable = compiled.game.names.slots[slot]
        if variable.scope == "player":
            groups.setdefault(variable.base, []).append(axis)
    return tuple(tuple(group) for group in groups.values())
