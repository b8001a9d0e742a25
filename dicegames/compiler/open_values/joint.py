"""Conditions that are looked at together: can they hold at once, and what is a value where they do?

Each condition is a table over the axes that it reads. Those that speak of the same axes are joined
as long as the joint table stays small; what is left out can only make more seem possible.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

import numpy as np

from dicegames.compiler.effort import Budget
from dicegames.compiler.graph import Guard
from dicegames.compiler.open_values.ranges import LARGEST_JOINT
from dicegames.compiler.open_values.tables import atoms_of, listed, side_by_side, slots_of
from dicegames.rules.parts.types import Value
from dicegames.rules.parts.unknown import Unknown

Values = Mapping[int, Sequence[Value]]
"""Slot of an axis -> the values that it may have."""


class Impossible(Exception):
    """The conditions on a path can never hold at once."""


class Possible:
    """What open expressions can be while the rules are explored, for values known so far."""

    def __init__(self, domain: Values, work: Budget):
        self.domain = domain
        self.work = work
        self.together: dict[Guard, bool] = {}

    def values(self, value: Unknown, guard: Guard = ()) -> set[Value]:
        """Return the plain values that an expression may have where a guard holds."""
        return values_where(value, atoms_of(guard), self.domain, self.work)

    def demand(self, guard: Guard) -> None:
        """Raise Impossible where the conditions of a guard cannot hold at once."""
        if guard not in self.together:
            atoms = atoms_of(guard)
            held = (True in values_where(a, atoms, self.domain, self.work) for a in atoms)
            self.together[guard] = all(held)
        if not self.together[guard]:
            raise Impossible


def values_where(
    value: Value, known: Iterable[Unknown], domain: Values, work: Budget
) -> set[Value]:
    """Return the values of an expression where known conditions hold that speak of the same."""
    slots = set(slots_of(value))
    joined = _joined(slots, list(known), domain)
    work.add(1 + len(joined))
    order = sorted(slots)
    shape = [len(domain[slot]) for slot in order]
    arrays = {slot: listed(domain[slot]) for slot in order}
    values, *conditions = side_by_side([value, *joined], order, arrays)
    holds = np.ones(shape, dtype=np.bool_)
    for condition in conditions:
        holds &= condition
    found = np.broadcast_to(values, shape)[holds]
    return set((found if found.dtype == object else np.unique(found)).tolist())


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
    size = 1
    for slot in slots:
        size *= len(domain[slot])
    return size
