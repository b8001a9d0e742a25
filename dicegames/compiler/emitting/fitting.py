"""Points of the axes at which a node of the control graph stands for a position.

At a node, changes of axes may be pending: what a variable holds there is an expression over the
values that the axes had before. A position tells what the variables hold. Wanted are values from
before that lead to just this. There may be many, since what was set in this turn may as well have
been set before; those come first at which the axes have the values of the position.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import chain, product
from typing import Any

import numpy as np
from attrs import define, field

from dicegames.compiler.emitting.emit import Emitter, indices
from dicegames.compiler.graph import ControlNode
from dicegames.compiler.open_values.tables import evaluate, listed, slots_of
from dicegames.ground.errors import TooFar
from dicegames.rules.parts.types import Value
from dicegames.rules.parts.unknown import Unknown, unknown
from dicegames.solver.model import Array

MOST_FITTED_TOGETHER = 1 << 22
"""Values from before that are looked at together."""
MOST_POINTS = 20_000
"""So many points are given; where there are more, whoever still asks is told so."""
MOST_KNOWN = 1_000

Point = tuple[int, ...]
Known = dict[tuple[tuple[Value, Value, bool], ...], "_Fitting"]
"""What has been found out, by what nodes and positions have on the axes, and what is live."""


def fitting_points(
    emitter: Emitter, node: ControlNode, env: list[Value], live: frozenset[int], known: Known
) -> Iterator[Point]:
    """Give the points at which the pending changes of a node lead to the values of a position.

    A variable that no later play asks for may have had any value. Positions that differ in the
    dice alone often ask for the same: what has been found out is `known`. Raises TooFar where more
    points are asked for than are given.
    """
    key = tuple([(node.env[slot], env[slot], slot in live) for slot in emitter.slots])
    if any(asked and not isinstance(own, Unknown) and own != wanted for own, wanted, asked in key):
        return
    if key not in known:
        if len(known) >= MOST_KNOWN:
            known.clear()
        known[key] = _fitted(emitter, node, env, live)
    for count, point in enumerate(known[key].points()):
        if count == MOST_POINTS:
            raise TooFar(f"its turn may have begun in more than {MOST_POINTS:,} ways")
        yield point


def _fitted(
    emitter: Emitter, node: ControlNode, env: list[Value], live: frozenset[int]
) -> _Fitting:
    """Return what the axes may have been before the pending changes of a node."""
    found = _Fitting(emitter)
    for slot in emitter.slots:
        here, index = node.env[slot], found.index(slot, env[slot])
        if slot not in live or not isinstance(here, Unknown):
            found.free[slot] = max(0, index)
        elif here is unknown("slot", slot):
            found.possible &= index >= 0
            found.fixed[slot] = index
        else:
            found.free[slot] = max(0, index)
            found.wanted[slot] = here
    if found.possible:
        found.values = {slot: listed(emitter.within(slot, env[slot])) for slot in found.fixed}
        for slot, expression in found.ordered():
            found.restrict(slot, expression, env[slot])
    return found


@define
class _Fitting:
    """What the axes may have been: one index, any, or those of some rows of `joint`."""

    emitter: Emitter
    fixed: dict[int, int] = field(factory=dict)
    free: dict[int, int] = field(factory=dict)  # slot -> the index that is tried first
    wanted: dict[int, Unknown] = field(factory=dict)  # slot -> what it is set to
    values: dict[int, Array] = field(factory=dict)  # of the fixed slots
    joint: dict[int, Array] = field(factory=dict)  # slot -> index, in each row
    possible: bool = True

    def index(self, slot: int, value: Value) -> int:
        """Return where a value lies on the axis of a slot, -1 if it does not."""
        axis = self.emitter.axes[self.emitter.axis_of(slot)]
        shown = np.asarray(self.emitter.within(slot, value))
        index = int(indices(axis, shown, self.emitter.values[slot]))
        return index if index < axis.size or axis.unbounded else -1

    def ordered(self) -> list[tuple[int, Unknown]]:
        """Return what slots are set to, what asks for the fewest free slots first."""
        return sorted(self.wanted.items(), key=lambda item: len(self._open(item[1])))

    def _open(self, expression: Unknown) -> list[int]:
        return [slot for slot in slots_of(expression) if slot in self.free]

    def restrict(self, slot: int, expression: Unknown, value: Value) -> None:
        """Keep the rows in which an expression has the value that a slot must have."""
        for new in self._open(expression):
            if new not in self.joint:
                self._extend(new)
        spread: Mapping[int, Any] = {
            **self.values,
            **{s: self.emitter.values[s][rows] for s, rows in self.joint.items()},
        }
        found = self.emitter.within(slot, evaluate(expression, spread, {}))
        wanted = self.emitter.within(slot, value)
        rows = np.broadcast_to(found == wanted, self._rows())
        self.joint = {s: index[rows] for s, index in self.joint.items()}
        self.possible = self.possible and bool(rows.any())

    def _rows(self) -> tuple[int, ...]:
        return next((index.shape for index in self.joint.values()), ())

    def _extend(self, slot: int) -> None:
        """Combine all rows with all values of one more slot, the likely one first."""
        size, rows = len(self.emitter.values[slot]), int(np.prod(self._rows(), dtype=np.int64))
        if size * rows > MOST_FITTED_TOGETHER:
            raise TooFar("its turn may have begun with too many values of what has changed since")
        own = np.roll(np.arange(size), -self.free[slot])
        self.joint = {s: np.repeat(index, size) for s, index in self.joint.items()}
        self.joint[slot] = np.tile(own, rows)

    def points(self) -> Iterator[Point]:
        """Give the points, each once."""
        if not self.possible:
            return
        alone = [slot for slot in self.free if slot not in self.joint]
        sizes = {slot: len(self.emitter.values[slot]) for slot in alone}
        others = [_from(self.free[slot], sizes[slot]) for slot in alone]
        rows = zip(*(index.tolist() for index in self.joint.values()), strict=True)
        for picked in product(rows if self.joint else [()], *others):
            joint = dict(zip(self.joint, picked[0], strict=True))
            known = {**self.fixed, **joint, **dict(zip(alone, picked[1:], strict=True))}
            yield tuple(known[slot] for slot in self.emitter.slots)


def _from(first: int, size: int) -> Iterator[int]:
    """Give all indices of an axis, the likely one first."""
    return chain([first], (index for index in range(size) if index != first))
