"""Conditions that are looked at together: can they hold at once, and what is a value where they do?

Each condition is a table over the axes that it reads. Those that speak of the same axes are joined
as long as the joint table stays small; what is left out can only make more seem possible.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from math import prod
from typing import Any

import numpy as np

from dicegames.compiler.effort import Budget
from dicegames.compiler.graph import Guard
from dicegames.compiler.open_values.ranges import LARGEST_JOINT
from dicegames.compiler.open_values.tables import atoms_of, listed, side_by_side, slots_of
from dicegames.rules.parts.types import Value
from dicegames.rules.parts.unknown import Unknown

Values = Mapping[int, Sequence[Value]]
"""Slot of an axis -> the values that it may have."""


MOST_TABLE_ENTRIES = 1 << 23
"""Entries of tables that are kept, since the same is asked again and again."""


class Impossible(Exception):
    """The conditions on a path can never hold at once."""


class Possible:
    """What open expressions can be, for the values that the axes may have."""

    def __init__(self, domain: Values, work: Budget | None = None):
        self.domain = domain
        self.work = work or Budget()
        self._together: dict[Guard, bool] = {}
        self._tables: dict[tuple[int, ...], dict[int, Any]] = {}  # by the slots of their axes
        self._kept = 0  # entries of these tables, at most

    def values(self, value: Value, known: Iterable[Value] = ()) -> set[Value]:
        """Return the values of an expression where known conditions hold that speak of the same."""
        slots = set(slots_of(value))
        joined = _joined(slots, list(atoms_of(tuple(known))), self.domain)
        order = tuple(sorted(slots))
        shape = [len(self.domain[slot]) for slot in order]
        arrays = {slot: listed(self.domain[slot]) for slot in order}
        done = self._tables.setdefault(order, {})
        before = len(done)
        self.work.add(1 + sum(id(condition) not in done for condition in joined))
        try:
            found, *conditions = side_by_side([value, *joined], order, arrays, done)
        finally:  # parts of what turns out too large are no longer needed either
            self._kept += (len(done) - before) * prod(shape)
            if self._kept > MOST_TABLE_ENTRIES:
                self.forget()
        holds = np.ones(shape, dtype=np.bool_)
        for condition in conditions:
            holds &= condition
        found = np.broadcast_to(found, shape)[holds]
        return set((found if found.dtype == object else np.unique(found)).tolist())

    def demand(self, guard: Guard) -> None:
        """Raise Impossible where the conditions of a guard cannot hold at once."""
        if guard not in self._together:
            atoms = atoms_of(guard)
            self._together[guard] = all(True in self.values(atom, atoms) for atom in atoms)
        if not self._together[guard]:
            raise Impossible

    def forget(self) -> None:
        """Forget the tables; what is asked later is computed anew."""
        self._tables.clear()
        self._kept = 0


def in_order(values: Iterable[Value]) -> list[Value]:
    """Return values in order, numbers before words."""
    return sorted(values, key=lambda value: (isinstance(value, str), value))


def _joined(slots: set[int], known: list[Unknown], domain: Values) -> list[Unknown]:
    """Return the conditions that speak of the same slots as others; `slots` becomes all theirs."""
    joined: list[Unknown] = []
    pending, before = known, -1
    while len(joined) > before:
        before, left = len(joined), list[Unknown]()
        for condition in pending:
            read = slots_of(condition)
            joint = slots.union(read)
            if slots.isdisjoint(read) or _size(joint, domain) > LARGEST_JOINT:
                left.append(condition)
                continue
            joined.append(condition)
            slots |= joint
        pending = left
    return joined


def combinations(conditions: Iterable[Value], domain: Values) -> int:
    """Return how many combinations of values conditions look at."""
    return _size({slot for value in conditions for slot in slots_of(value)}, domain)


def _size(slots: Iterable[int], domain: Values) -> int:
    return prod(len(domain[slot]) for slot in slots)
