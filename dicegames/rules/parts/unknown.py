"""Values that are not known yet: expressions over the variables that the compiler keeps open.

The referee computes with plain numbers. The compiler runs the very same rules with some variables
left open; then arithmetic yields an `Unknown`, a node of an expression graph. Equal expressions are
one object, so they can be compared and hashed at no cost. Every operation on values that may be
open goes through the functions of this module.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import lru_cache
from typing import Any

from dicegames.rules.parts.broken import RuleBroken
from dicegames.rules.parts.types import Value

Run = Callable[[list[Value]], Value]


class Unknown:
    """An operation on open values; made by `unknown` only, never twice for equal parts.

    Where it is used as a plain condition, its value is needed. `==` tells whether two of them are
    the same expression.
    """

    __slots__ = ("arguments", "name", "number", "slots")

    def __init__(self, name: str, arguments: tuple[Any, ...], number: int):
        self.name = name
        self.arguments = arguments
        self.number = number  # the order in which they were made
        self.slots: tuple[int, ...] = arguments if name == "slot" else _all_slots(arguments)

    def __repr__(self) -> str:
        return f"{self.name}({', '.join(map(repr, self.arguments))})"

    def __bool__(self) -> bool:
        return bool(plain(self))

    def __lt__(self, other: Value) -> Value:
        return compare("lt", self, other)

    def __le__(self, other: Value) -> Value:
        return compare("le", self, other)

    def __gt__(self, other: Value) -> Value:
        return compare("gt", self, other)

    def __ge__(self, other: Value) -> Value:
        return compare("ge", self, other)

    def __add__(self, other: Value) -> Value:
        return _shifted(self, other, 1)

    __radd__ = __add__

    def __sub__(self, other: Value) -> Value:
        return _shifted(self, other, -1)

    def __rsub__(self, other: Value) -> Value:
        return unknown("subtract", other, self)

    def __neg__(self) -> Value:
        return unknown("subtract", 0, self)

    def __mul__(self, other: Value) -> Value:
        if isinstance(other, int) and other in (0, 1):
            return self if other else 0
        return unknown("multiply", self, other)

    __rmul__ = __mul__


def _all_slots(arguments: tuple[Any, ...]) -> tuple[int, ...]:
    """Return the slots that the parts of an operation read, ascending, each once."""
    found = {part.slots for part in arguments if isinstance(part, Unknown)}
    return next(iter(found), ()) if len(found) < 2 else tuple(sorted(set().union(*found)))


_INTERNED: dict[tuple[Any, ...], Unknown] = {}


def unknown(name: str, *arguments: Value) -> Unknown:
    """Return the one node for an operation and its arguments."""
    key = (name, arguments, *map(type, arguments))  # True is not 1 here
    found = _INTERNED.get(key)
    if found is None:
        found = _INTERNED[key] = Unknown(name, arguments, len(_INTERNED))
    return found


def _shifted(value: Unknown, other: Value, sign: int) -> Value:
    """Add or subtract, keeping a chain of constants folded: (x + 2) - 1 is x + 1."""
    if not isinstance(other, int):
        return unknown("add" if sign > 0 else "subtract", value, other)
    base, constant = value, sign * other
    if value.name == "add" and isinstance(value.arguments[1], int):
        base, constant = value.arguments[0], constant + value.arguments[1]
    return base if constant == 0 else unknown("add", base, constant)


class NeedsValue(Exception):
    """The rules need the plain value of an open expression; the compiler tries all of them."""

    def __init__(self, value: Unknown):
        self.value = value
        super().__init__(value.name)  # its whole text may be as long as a book


KNOWN: dict[Unknown, Value] = {}
"""Open expressions that have a plain value on the path which is being followed."""


@contextmanager
def nothing_known() -> Iterator[None]:
    """Follow another path, on which nothing is known, before going on with this one."""
    before = dict(KNOWN)
    KNOWN.clear()
    try:
        yield
    finally:
        KNOWN.clear()
        KNOWN.update(before)


def known(value: Value) -> Value:
    """Return what an open value is known to be on the path which is being followed, else itself."""
    if not KNOWN or not isinstance(value, Unknown):
        return value
    if value in KNOWN:
        return KNOWN[value]
    opposite = negate(value)
    return not KNOWN[opposite] if opposite in KNOWN else value


def plain(value: Value) -> Value:
    """Return a plain value, or raise NeedsValue."""
    found = known(value)
    if isinstance(found, Unknown):
        raise NeedsValue(found)
    return found


def where(condition: Value, run: Run, env: list[Value], *, otherwise: Value = False) -> Value:
    """Return what `run` gives where a condition holds, which may be open; else something else.

    Nobody asks for it where the condition does not hold. So if it breaks the rules, the condition
    must be known first.
    """
    if condition is True:
        return run(env)
    if known(condition) is False:
        return otherwise
    try:
        return run(env)
    except RuleBroken:
        plain(condition)
        raise


def is_open(*values: Value) -> bool:
    """Tell whether any of the values is open."""
    return Unknown in map(type, values)


def compare(name: str, a: Value, b: Value) -> Value:
    """Compare two numbers; `name` is one of eq, ne, lt, le, gt, ge."""
    if type(a) is Unknown or type(b) is Unknown:
        if a is b:
            return name in ("eq", "le", "ge")
        return unknown(name, a, b)
    return bool(COMPARISONS[name](a, b))


COMPARISONS: dict[str, Callable[[Any, Any], Any]] = {
    name: getattr(operator, name) for name in ("eq", "ne", "lt", "le", "gt", "ge")
}
OPPOSITE = {"eq": "ne", "ne": "eq", "lt": "ge", "ge": "lt", "gt": "le", "le": "gt"}


def negate(a: Value) -> Value:
    """Return `not a`."""
    if not isinstance(a, Unknown):
        return not a
    if a.name == "not":
        return a.arguments[0]
    if a.name in OPPOSITE:
        return unknown(OPPOSITE[a.name], *a.arguments)
    if a.name == "or":
        return both(negate(a.arguments[0]), negate(a.arguments[1]))
    return unknown("not", a)


def both(a: Value, b: Value) -> Value:
    """Return `a and b`, both already evaluated."""
    if not isinstance(a, Unknown):
        return b if a else False
    if not isinstance(b, Unknown):
        return a if b else False
    return a if a is b else unknown("and", a, b)


def either(a: Value, b: Value) -> Value:
    """Return `a or b`, both already evaluated."""
    if not isinstance(a, Unknown):
        return True if a else b
    if not isinstance(b, Unknown):
        return True if b else a
    return a if a is b else unknown("or", a, b)


def select(condition: Value, yes: Value, no: Value) -> Value:
    """Return `yes if condition else no`."""
    if not isinstance(condition, Unknown):
        return yes if condition else no
    if yes is no or (not is_open(yes, no) and yes == no):
        return yes
    return unknown("select", condition, yes, no)


def smaller(a: Value, b: Value) -> Value:
    """Return the minimum."""
    return unknown("minimum", a, b) if is_open(a, b) else min(a, b)


def larger(a: Value, b: Value) -> Value:
    """Return the maximum."""
    return unknown("maximum", a, b) if is_open(a, b) else max(a, b)


def has_bit(mask: Value, bit: int) -> Value:
    """Tell whether a member is in a set."""
    if isinstance(mask, Unknown):
        if mask.name == "with_bit":
            return True if mask.arguments[1] == bit else has_bit(mask.arguments[0], bit)
        return unknown("has_bit", mask, bit)
    return bool(mask >> bit & 1)


def with_bit(mask: Value, bit: int) -> Value:
    """Add a member to a set."""
    return unknown("with_bit", mask, bit) if isinstance(mask, Unknown) else mask | 1 << bit


def without_bits(mask: Value, bits: Value) -> Value:
    """Take members out of a set."""
    return unknown("without_bits", mask, bits) if is_open(mask, bits) else mask & ~bits


def with_bits(mask: Value, bits: Value) -> Value:
    """Add members to a set."""
    return unknown("with_bits", mask, bits) if is_open(mask, bits) else mask | bits


def has_bits(mask: Value, bits: Value) -> Value:
    """Tell whether all of `bits` are in a set."""
    if is_open(mask, bits):
        return unknown("eq", without_bits(bits, mask), 0)
    return bits & ~mask == 0


def weigh_bits(mask: Value, weights: tuple[int, ...]) -> Value:
    """Return the sum of the weights of a set's members (all weights 1: its size)."""
    if isinstance(mask, Unknown):
        return unknown("weigh_bits", mask, weights)
    return _weight(mask, weights)


@lru_cache(maxsize=1 << 16)
def _weight(mask: int, weights: tuple[int, ...]) -> int:
    """Return the sum of the weights of the bits that are set; asked for the same parts often."""
    return sum(w for i, w in enumerate(weights) if mask >> i & 1)
