"""From open expressions to tables: an array over the values of the axes that they read."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import reduce
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dicegames.rules.parts.types import Value
from dicegames.rules.parts.unknown import Unknown

Array = NDArray[Any]
LARGEST_TABLE = 1 << 24

_NUMPY: dict[str, Callable[..., Any]] = {
    "add": np.add,
    "subtract": np.subtract,
    "multiply": np.multiply,
    "eq": np.equal,
    "ne": np.not_equal,
    "lt": np.less,
    "le": np.less_equal,
    "gt": np.greater,
    "ge": np.greater_equal,
    "and": np.logical_and,
    "or": np.logical_or,
    "not": np.logical_not,
    "minimum": np.minimum,
    "maximum": np.maximum,
    "select": np.where,
    "quotient": np.floor_divide,
    "remainder": np.mod,
}


class TooLarge(Exception):
    """An expression reads so many axes together that its table would be too large."""

    def __init__(self, slots: tuple[int, ...], size: int):
        self.slots = slots
        self.size = size
        super().__init__(f"{size} entries")


def slots_of(value: Value) -> tuple[int, ...]:
    """Return the slots that an open expression reads, ascending."""
    found: set[int] = set()
    pending = [value]
    seen: set[int] = set()
    while pending:
        item = pending.pop()
        if isinstance(item, Unknown) and id(item) not in seen:
            seen.add(id(item))
            if item.name == "slot":
                found.add(item.arguments[0])
            else:
                pending.extend(item.arguments)
    return tuple(sorted(found))


def table(value: Value, values: Mapping[int, Array]) -> tuple[tuple[int, ...], Array]:
    """Return the slots an expression reads and its values over all theirs.

    `values` maps a slot to the array of its possible values; the result has one dimension for
    each slot, in ascending order.
    """
    slots = slots_of(value)
    sizes = [len(values[slot]) for slot in slots]
    size = reduce(lambda a, b: a * b, sizes, 1)
    if size > LARGEST_TABLE:
        raise TooLarge(slots, size)
    spread = {
        slot: values[slot].reshape([-1 if i == k else 1 for i in range(len(slots))])
        for k, slot in enumerate(slots)
    }
    computed = evaluate(value, spread, {})
    return slots, np.ascontiguousarray(np.broadcast_to(computed, sizes))


def evaluate(value: Value, spread: Mapping[int, Array], done: dict[int, Any]) -> Any:
    """Return the values of an expression for those of its slots, in arrays that broadcast.

    `done` has what was computed before for the same values.
    """
    if not isinstance(value, Unknown):
        return float(value) if hasattr(value, "denominator") and value.denominator != 1 else value
    if value.name == "slot":
        return spread[value.arguments[0]]
    key = id(value)
    if key not in done:
        if value.name == "weigh_bits":
            done[key] = _weigh(evaluate(value.arguments[0], spread, done), value.arguments[1])
        else:
            arguments = [evaluate(a, spread, done) for a in value.arguments]
            done[key] = _apply(value.name, arguments)
    return done[key]


def _apply(name: str, arguments: list[Any]) -> Any:
    if name in _NUMPY:
        return _NUMPY[name](*arguments)
    first = arguments[0]
    if name == "has_bit":
        return np.right_shift(first, arguments[1]) & 1 == 1
    if name == "with_bit":
        return first | (1 << arguments[1])
    if name == "with_bits":
        return first | arguments[1]
    if name == "without_bits":
        return first & ~np.asarray(arguments[1])
    if name == "reciprocal":
        return 1.0 / first
    raise AssertionError(f"no table for {name}")


def _weigh(mask: Any, weights: tuple[int, ...]) -> Any:
    return sum(((mask >> i) & 1) * w for i, w in enumerate(weights) if w)


def values_of(value: Unknown, domain: Mapping[int, tuple[int, ...]]) -> set[Value]:
    """Return all values that an expression can have for the values of the axes known so far."""
    arrays = {slot: np.asarray(domain[slot]) for slot in slots_of(value)}
    _, found = table(value, arrays)
    return {v.item() for v in np.unique(found)}
