"""How many values the variables of the turn take: those that take too many become axes."""

from __future__ import annotations

from collections.abc import Iterable

from attrs import define, field

from dicegames.compiler.graph import TooWide
from dicegames.rules.parts.names import Variable
from dicegames.rules.parts.types import Value

WIDE_VARIABLE = 25
"""If there are too many nodes, a variable with so many values becomes an axis, if there is one."""
WIDE_AT_NEED = 10
"""The same where the turn is too large as it is, so that else it would be refused."""
MOST_CONTROL_VALUES = 400
"""A variable of the turn with more values than this becomes an axis."""
MOST_CARRIED = 100
"""In a turn that is played as a whole, so many changes of what outlasts it are told apart."""
MOST_LISTED_VALUES = 1000
"""With more, positions are no longer listed where that is an attempt: they are hardly few."""


@define
class Widths:
    """The values met so far, by slot; more than `most` are too many."""

    slots: list[Variable]
    most: float
    values: dict[int, set[Value]] = field(factory=dict)
    wide: dict[int, int] = field(factory=dict)  # how many values those take that have many

    def looked_at(self, slots: Iterable[int]) -> dict[int, set[Value]]:
        """Return those of some slots that can be too wide, with the values met so far.

        Counters of `repeat` and what no rules name, such as `dice.thrown`, are never axes.
        """
        named = ((slot, self.slots[slot]) for slot in slots)
        wide = [slot for slot, own in named if own.scope != "local" and "." not in own.name]
        return {slot: self.values.setdefault(slot, set()) for slot in wide}

    def meet(self, slot: int, value: Value) -> None:
        """Note a value; raise TooWide for a variable that takes ever more of them."""
        if not isinstance(value, int):
            return
        values = self.values.setdefault(slot, set())
        values.add(value)
        if len(values) >= WIDE_AT_NEED:
            self.wide[slot] = len(values)
        if len(values) > self.most:
            raise self._too_wide(slot)

    def carry(self, slot: int, value: Value) -> None:
        """Note what becomes of a variable in a turn; raise TooWide where there is no end of it."""
        values = self.values.setdefault(slot, set())
        values.add(value)
        if len(values) > MOST_CARRIED:
            raise self._too_wide(slot)

    def widest(self, least: int = WIDE_VARIABLE) -> TooWide | None:
        """Say which variable of the turn makes the nodes so many, if one does."""
        slot = max(self.wide, key=self.wide.__getitem__, default=None)
        return None if slot is None or self.wide[slot] < least else self._too_wide(slot)

    def _too_wide(self, slot: int) -> TooWide:
        return TooWide(self.slots[slot].name, self.slots[slot].span)
