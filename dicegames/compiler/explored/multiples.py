"""Of what all values of a counter are multiples, and so what a counter without limit takes."""

from __future__ import annotations

from collections.abc import Sequence
from math import gcd

from dicegames.compiler.exploring.explore import Explorer
from dicegames.compiler.exploring.refusals import grows_on
from dicegames.compiler.open_values.ranges import FARTHEST_VALUE
from dicegames.rules.parts.types import Value
from dicegames.rules.parts.unknown import Unknown

SAMPLE = 256
"""How many values of a counter without limit are looked at to find out what else grows with it."""
BEYOND_ALL = 1_000 * FARTHEST_VALUE
"""The largest value looked at, in units of the counter: what is added to it has no limit."""
UNBOUNDED_SIZE = 16384
"""How many values of a counter without limit the tables hold."""


def first_multiples(explorer: Explorer, slot: int) -> frozenset[int]:
    """Return the first values of a counter without limit: multiples of what is added to it.

    None is below 0: a turn that would come to one is refused.
    """
    variable = explorer.game.names.slots[slot]
    if isinstance(variable.initial, int) and variable.initial < 0:
        raise grows_on(explorer.game, variable)
    unit = unit_of(explorer, slot) or 1
    return frozenset(range(0, unit * UNBOUNDED_SIZE, unit))


def sample(values: Sequence[int]) -> Sequence[int]:
    """Return some values of a counter without limit; the last one shows what else has none."""
    unit = values[1] - values[0]
    return (*values[:SAMPLE], *values[SAMPLE::SAMPLE], BEYOND_ALL * unit)


def unit_of(explorer: Explorer, slot: int) -> int:
    """Return of what all values of a counter are multiples, in all seats; 0 if it is always 0."""
    slots = explorer.game.names.slots
    changes: dict[int, set[Value]] = {}  # by first slot of a variable
    for step in explorer.steps:
        for changed, value in step.effect:
            changes.setdefault(slots[changed].base, set()).add(value)
    bases = [variable.base for variable in slots]
    # The unit of a variable is 0 where only 0 is known so far, of which everything divides.
    units: dict[int, int] = {base: _whole(slots[base].initial) for base in bases}
    settled = False
    while not settled:  # each round finds divisors of what was there before
        before = dict(units)
        for base, values in changes.items():
            units[base] = gcd(units[base], *(_unit(value, units, bases) for value in values))
        settled = units == before
    return units[bases[slot]]


def _unit(value: Value, units: dict[int, int], bases: list[int]) -> int:
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
