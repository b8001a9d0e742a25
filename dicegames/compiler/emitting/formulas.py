"""Emitting a graph whose variables have too many values for tables: formulas take their place."""

from __future__ import annotations

from functools import partial
from math import prod
from typing import Any

import numpy as np
from attrs import define, field

from dicegames.compiler.emitting.emit import Emitter
from dicegames.compiler.graph import Guard
from dicegames.compiler.open_values.tables import atoms_of, evaluate, slots_of
from dicegames.ground.graphs import reached
from dicegames.rules.parts.types import Value
from dicegames.rules.parts.unknown import Unknown, compare, select
from dicegames.solver.model import Array, Columns, Formula, Shared

LARGEST_SMALL = 1 << 16
"""A table with more entries than this is not made."""


@define
class FormulaEmitter(Emitter):
    """An emitter for which the variables in `many` have too many values to be listed together."""

    many: frozenset[int] = field(kw_only=True)

    def _small(self, value: Value) -> bool:
        slots = slots_of(value)
        if self.many.intersection(slots):
            return False
        return prod(len(self.values[slot]) for slot in slots) <= LARGEST_SMALL

    def _formula(self, value: Value, dtype: type) -> int:
        slots = slots_of(value)
        key = ("formula", value, dtype)
        if key not in self.numbers:
            axes = tuple(sorted(map(self.axis_of, slots)))
            self.numbers[key] = len(self.lookups)
            words = {s: self.values[s] for s in slots if self._holds_words(s)}
            compute = partial(_compute, value, {self.axis_of(s): s for s in slots}, words)
            sums = frozenset(frozenset(map(self.axis_of, pair)) for pair in _summed(value))
            self.lookups.append(Formula(axes, compute, outline(value), np.dtype(dtype), sums))
        return self.numbers[key]

    def _guard(self, guard: Guard, facts: Guard) -> int | None:
        atoms = list(atoms_of((*guard, *facts)))
        small = tuple(a for a in atoms if self._small(a))
        number = super()._guard(small, ())
        if number is None:
            return None
        rest = {self._formula(a, np.bool_) for a in atoms if not self._small(a)}
        parts = next(parts for parts, n in self.guards.items() if n == number)
        return self.guards.setdefault(tuple(sorted({*parts, *rest})), len(self.guards))

    def _index(self, slot: int, value: Value) -> int:
        if self._small(value) and slot not in self.many:
            return super()._index(slot, value)
        if self._holds_words(slot):
            value = _number_of(value, self.values[slot].tolist())
        return self._formula(value, np.int32)

    def _holds_words(self, slot: int) -> bool:
        return self.axes[self.axis_of(slot)].kind == "enum"

    def reward(self, value: Value, guard: Guard = ()) -> int:
        """Return the number of a reward."""
        if self._small(value):
            return super().reward(value, guard)
        key = (0.0, (self._formula(value, np.float64),))
        return self.rewards.setdefault(key, len(self.rewards))


def _compute(
    value: Value, slots: dict[int, int], words: dict[int, Array], columns: Columns, shared: Shared
) -> Any:
    """Evaluate an expression; columns of words have their numbers."""
    shown = {slot: columns[axis] for axis, slot in slots.items()}
    return evaluate(value, shown | {s: each[shown[s]] for s, each in words.items()}, shared)


def _number_of(value: Value, words: list[Value]) -> Value:
    """Return the place of a word among all that there are."""
    found: Value = 0
    for number, word in enumerate(words):
        found = found + number * select(compare("eq", value, word), 1, 0)
    return found


def _summed(value: Value) -> frozenset[frozenset[int]]:
    """Return the pairs of slots of which an expression reads nothing but the sum."""
    used: dict[int, set[frozenset[int]]] = {}
    for part in reached([value], lambda v: getattr(v, "arguments", ())):
        if not isinstance(part, Unknown) or part.name == "slot":
            continue
        own = frozenset(s.arguments[0] for s in part.arguments if getattr(s, "name", "") == "slot")
        for slot in own:
            used.setdefault(slot, set()).add(own if part.name == "add" else frozenset())
    alone = [pair for pairs in used.values() if len(pairs) == 1 for pair in pairs if len(pair) == 2]
    return frozenset(pair for pair in alone if all(used[slot] == {pair} for slot in pair))


def outline(value: Value) -> str:
    """Return an expression as text, shared parts written once."""
    lines: list[str] = []
    numbers: dict[int, int] = {}

    def number(part: Value) -> str:
        if not isinstance(part, Unknown):
            return repr(part)
        if id(part) not in numbers:
            line = f"{part.name}({', '.join(map(number, part.arguments))})"
            numbers[id(part)] = len(lines)
            lines.append(line)
        return f"#{numbers[id(part)]}"

    last = number(value)
    return "; ".join([*lines, last])
