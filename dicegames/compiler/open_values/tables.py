"""From open expressions to tables: an array over the values of the axes that they read."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from functools import lru_cache
from math import prod
from typing import Any

import numpy as np

from dicegames.rules.parts.types import Value
from dicegames.rules.parts.unknown import Unknown
from dicegames.solver.model import Array

LARGEST_TABLE = 1 << 24
"""Entries of a table of numbers; of truth values, a byte each, there may be eight times as many."""
TABLE_PIECE = 1 << 17
SMALL_TABLE = 1 << 10
"""Of so few entries it costs less to carry idle dimensions along than to look for them."""
_TRUTH_VALUED = frozenset({"eq", "ne", "lt", "le", "gt", "ge", "and", "or", "not", "has_bit"})

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


class TableTooLarge(Exception):
    """An expression reads so many axes together that its table would be too large."""

    def __init__(self, slots: tuple[int, ...], size: int):
        self.slots = slots
        self.size = size
        super().__init__(f"{size} entries")


def slots_of(value: Value) -> tuple[int, ...]:
    """Return the slots that an open expression reads, ascending."""
    return value.slots if isinstance(value, Unknown) else ()


@lru_cache(maxsize=200_000)
def atoms_of(guard: tuple[Value, ...]) -> tuple[Unknown, ...]:
    """Return the open conditions that a guard joins with `and`, each once, in their order."""
    found: dict[Unknown, None] = {}
    pending = list(reversed(guard))
    while pending:
        part = pending.pop()
        if isinstance(part, Unknown) and part.name == "and":
            pending += reversed(part.arguments)
        elif isinstance(part, Unknown):
            found[part] = None
    return tuple(found)


def listed(values: Any) -> Array:
    """Return values as an array in which words are words, and numbers among them numbers."""
    if isinstance(values, range):
        return np.arange(values.start, values.stop, values.step)
    found = np.asarray(values)
    return np.asarray(values, dtype=object) if found.dtype.kind == "U" else found


def table(value: Value, values: Mapping[int, Array]) -> tuple[tuple[int, ...], Array]:
    """Return the slots on which an expression depends, and its values over all theirs.

    `values` maps a slot to the array of its possible values; the result has one dimension for
    each slot, in ascending order. An expression need not depend on all that it reads: with totals
    below 100, whether any of three is at least 100 after 7 were added to one depends on that one.
    """
    slots = slots_of(value)
    found = without_idle(_piece_by_piece(value, slots, values))
    left = [k for k in range(found.ndim) if found.shape[k] > 1]
    kept = found.reshape([found.shape[k] for k in left])
    part = kept.base is not None and kept.base.size > kept.size  # which would keep all of it
    own = kept.copy(order="C") if part else np.asarray(kept, order="C")
    return tuple(slots[k] for k in left), own


def _piece_by_piece(value: Value, slots: tuple[int, ...], values: Mapping[int, Array]) -> Array:
    """Return the values of an expression; of a large table a piece of its first axis at a time.

    What is computed on the way then stays in memory that is at hand.
    """
    size = prod(len(values[slot]) for slot in slots)
    if not TABLE_PIECE < size <= LARGEST_TABLE:
        return side_by_side([value], slots, values)[0]
    at = next(k for k, slot in enumerate(slots) if len(values[slot]) > 1)
    whole = values[slots[at]]
    each = max(1, TABLE_PIECE * len(whole) // size)
    pieces = [whole[k : k + each] for k in range(0, len(whole), each)]
    found = [side_by_side([value], slots, {**values, slots[at]: piece})[0] for piece in pieces]
    first = found[0]
    if first.shape[at] == 1 and all(np.array_equal(part, first) for part in found):
        return first
    shape = np.max([part.shape for part in found], axis=0)
    for k, piece in enumerate(pieces):
        shape[at] = len(piece)
        found[k] = np.broadcast_to(found[k], shape)
    return np.concatenate(found, axis=at)


def side_by_side(
    expressions: Sequence[Value],
    slots: Sequence[int],
    values: Mapping[int, Array],
    done: dict[int, Any] | None = None,
) -> list[Array]:
    """Return the values of expressions with a dimension for each slot, in arrays that broadcast.

    What several of them have in common is computed once; `done` has what was computed before for
    the same values. Raises TableTooLarge.
    """
    many = [slot for slot in slots if len(values[slot]) > 1]
    spread = {slot: listed(values[slot])[0] for slot in slots}
    for k, slot in enumerate(many):
        spread[slot] = np.reshape(values[slot], [-1 if i == k else 1 for i in range(len(many))])
    done = {} if done is None else done
    small = prod(len(values[slot]) for slot in many) <= SMALL_TABLE
    found = []
    for expression in expressions:
        try:
            array = np.asarray(evaluate(expression, spread, done, None if small else _slim))
        except _ArrayTooWide as wide:
            raise TableTooLarge(slots_of(expression), wide.size) from None
        sizes = iter(array.shape if array.ndim else (1,) * len(many))
        found.append(array.reshape([next(sizes) if slot in many else 1 for slot in slots]))
    return found


class _ArrayTooWide(Exception):
    def __init__(self, size: int):
        self.size = size


def _slim(name: str, arguments: list[Any]) -> Any:
    """Apply an operation, without the dimensions on which the result does not depend."""
    shapes = [shape for shape in map(np.shape, arguments) if shape]
    size = prod(map(max, zip(*shapes, strict=True)))
    if size > (8 * LARGEST_TABLE if name in _TRUTH_VALUED else LARGEST_TABLE):
        raise _ArrayTooWide(size)
    return without_idle(np.asarray(_apply(name, arguments)))


def without_idle(found: Array) -> Array:
    """Return an array without the dimensions along which it does not change."""
    for k, length in enumerate(found.shape):
        if length > 1:
            before = (slice(None),) * k
            first, last = found[(*before, slice(1))], found[(*before, slice(-1, None))]
            if bool((last == first).all()) and bool((found == first).all()):
                found = first
    return found


def evaluate(
    value: Value,
    spread: Mapping[int, Array],
    done: dict[int, Any],
    apply: Callable[[str, list[Any]], Any] | None = None,
) -> Any:
    """Return the values of an expression for those of its slots, in arrays that broadcast.

    `done` has what was computed before for the same values; `apply` carries out an operation.
    """
    apply = apply or _apply
    if not isinstance(value, Unknown):
        if not isinstance(value, Fraction):
            return listed(value) if isinstance(value, str) else value
        return float(value) if value.denominator != 1 else int(value)
    if value.name == "slot":
        return spread[value.arguments[0]]
    key = id(value)
    if key not in done:
        if value.name == "weigh_bits":
            mask = evaluate(value.arguments[0], spread, done, apply)
            weights = enumerate(value.arguments[1])
            done[key] = sum(((mask >> i) & 1) * w for i, w in weights if w)
        else:
            arguments = [evaluate(a, spread, done, apply) for a in value.arguments]
            done[key] = apply(value.name, arguments)
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
        common = np.asarray(first & arguments[1])
        return np.bitwise_xor(first, common, out=common)
    if name == "reciprocal":
        return 1.0 / first
    raise AssertionError(f"no table for {name}")
