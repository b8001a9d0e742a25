"""The unit of a counter: the greatest number of which all its values are multiples."""

from __future__ import annotations

from math import gcd

from dicegames.compiler.exploring.explore import Explorer
from dicegames.rules.parts.types import Value
from dicegames.rules.parts.unknown import Unknown

Changes = dict[int, set[Value]]
"""Variable (its first slot) -> what it is set to."""
Units = dict[int, int]
"""Variable -> its unit; 0 where only 0 is known so far, of which everything divides."""


def unit_of(explorer: Explorer, slot: int) -> int:
    """Return the unit of a counter, the same for all seats; 0 if it is always 0."""
    slots = explorer.game.names.slots
    changes: Changes = {}
    for step in explorer.steps:
        for changed, value in step.effect:
            changes.setdefault(slots[changed].base, set()).add(value)
    bases = [variable.base for variable in slots]
    units: Units = {base: _whole(slots[base].initial) for base in bases}
    settled = False
    while not settled:  # each round finds divisors of what was there before
        before = dict(units)
        for base, values in changes.items():
            units[base] = gcd(units[base], *(_unit(value, units, bases) for value in values))
        settled = units == before
    return units[bases[slot]]


def _unit(value: Value, units: Units, bases: list[int]) -> int:
    """Return a number of which all values of an expression are multiples."""
    if not isinstance(value, Unknown):
        return _whole(value)
    if value.name == "slot":
        return units[bases[value.arguments[0]]]
    if value.name in ("add", "subtract", "minimum", "maximum"):
        return gcd(*(_unit(part, units, bases) for part in value.arguments))
    if value.name == "select":
        return gcd(*(_unit(part, units, bases) for part in value.arguments[1:]))
    if value.name == "multiply" and isinstance(value.arguments[1], int):
        return _unit(value.arguments[0], units, bases) * abs(value.arguments[1])
    return 1


def _whole(value: Value) -> int:
    return abs(value) if isinstance(value, int) else 1
