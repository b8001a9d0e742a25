"""From the explored control graph to the arrays of the solver's model."""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Iterator
from functools import reduce
from math import prod
from typing import Any

import numpy as np
from attrs import define, evolve, field
from numpy.typing import NDArray

from dicegames.compiler.effort import Effort
from dicegames.compiler.exploring.explore import Explorer
from dicegames.compiler.exploring.happenings import plainly
from dicegames.compiler.graph import END_TARGET, NEVER, Edge, Guard, Happening, Payment
from dicegames.compiler.graph import Effect as Changes
from dicegames.compiler.open_values.tables import atoms_of, slots_of, table
from dicegames.rules.parts.types import Value
from dicegames.rules.parts.unknown import OPPOSITE, Unknown, unknown
from dicegames.solver.model import (
    BRANCH,
    CHANCE,
    CHOICE,
    END,
    Array,
    Axis,
    Effect,
    Formula,
    Lookup,
    Model,
    Reward,
)

KIND_NUMBERS = {"chance": CHANCE, "choice": CHOICE, "branch": BRANCH}
LARGE = 1 << 16
"""A table with more entries is looked at twice: is it a number where the guard holds?"""


@define
class Emitter:
    """Turns open expressions into lookups, each distinct table once."""

    slots: list[int]
    axes: list[Axis]
    values: dict[int, Array]  # slot -> the values of its axis, in index order
    capped: dict[int, int] = field(factory=dict)  # slot -> from this value on all are alike
    lookups: list[Lookup | Formula] = field(factory=list)
    numbers: dict[Any, int] = field(factory=dict)
    guards: dict[tuple[int, ...], int] = field(factory=lambda: {(): 0})
    effects: dict[tuple[tuple[int, int], ...], int] = field(factory=lambda: {(): 0})
    rewards: dict[tuple[float, tuple[int, ...]], int] = field(factory=lambda: {(0.0, ()): 0})
    guard_memo: dict[tuple[Guard, Guard], int | None] = field(factory=dict)
    truths: dict[tuple[Unknown, ...], int | None] = field(factory=dict)
    effect_memo: dict[Any, int] = field(factory=dict)
    reward_memo: dict[Any, int] = field(factory=dict)
    large: dict[Unknown, bool] = field(factory=dict)
    """Which rewards have a part whose table is large."""
    tables: dict[Unknown, tuple[tuple[int, ...], Array]] = field(factory=dict)

    def axis_of(self, slot: int) -> int:
        """Return the number of the axis of a slot."""
        return self.slots.index(slot)

    def lengthen(self, slot: int, more: int) -> None:
        """Let the axis of a counter have so many values more, before anything is emitted."""
        number = self.axis_of(slot)
        axis = self.axes[number]
        if not axis.unbounded:
            axis = self.axes[number] = evolve(axis, size=axis.size + more)
            self.values[slot] = axis.offset + axis.step * np.arange(axis.size)

    def within(self, slot: int, value: Any) -> Any:
        """Return a value (or an array of them) as it is kept: what is alike is one."""
        return np.minimum(value, self.capped[slot]) if slot in self.capped else value

    def table(self, value: Unknown) -> tuple[tuple[int, ...], Array]:
        """Return the table of an expression, computed once."""
        if value not in self.tables:
            name = OPPOSITE.get(value.name)
            other = self.tables.get(unknown(name, *value.arguments)) if name else None
            found = (other[0], ~other[1]) if other else table(value, self.values)
            self.tables[value] = found
        return self.tables[value]

    def forget_large(self) -> None:
        """Let go of large tables; they are computed again where a position asks for them."""
        self.tables = {v: t for v, t in self.tables.items() if t[1].size <= LARGE}

    def lookup(self, slots: tuple[int, ...], values: Array) -> int:
        """Return the number of a table."""
        axes = tuple(self.axis_of(s) for s in slots)
        if axes != tuple(sorted(axes)):
            order = sorted(range(len(axes)), key=axes.__getitem__)
            axes = tuple(axes[i] for i in order)
            values = np.ascontiguousarray(values.transpose(order))
        found = Lookup.of(axes, values)
        number = self.numbers.setdefault(found, len(self.lookups))
        if number == len(self.lookups):
            self.lookups.append(found)
        return number

    def guard(self, guard: Guard, facts: Guard = ()) -> int | None:
        """Return the number of a guard, `facts` apart in it; None if it never holds."""
        if (guard, facts) not in self.guard_memo:
            found = self._never() if guard == NEVER else self._guard(guard, facts)
            self.guard_memo[guard, facts] = found
        return self.guard_memo[guard, facts]

    def kept(self, edges: Iterable[Edge]) -> list[Edge]:
        """Return the edges whose guards may hold."""
        return [edge for edge in edges if self.guard(edge.guard, edge.facts) is not None]

    def _never(self) -> int:
        return self.guards.setdefault((self.lookup((), np.array(False)),), len(self.guards))

    def _guard(self, guard: Guard, facts: Guard) -> int | None:
        joined: dict[tuple[int, ...], list[Unknown]] = {}
        for atom in atoms_of(guard):  # in a fixed order
            joined.setdefault(self.table(atom)[0], []).append(atom)
        parts = set()
        for atoms in map(tuple, joined.values()):
            if not self._truth(atoms).any():
                return None
            parts.add(self._true(atoms))
        parts |= {self._true((atom,)) for atom in atoms_of(facts)}
        return self.guards.setdefault(
            tuple(sorted(part for part in parts if part is not None)), len(self.guards)
        )

    def _truth(self, atoms: tuple[Unknown, ...]) -> NDArray[np.bool_]:
        """Return where conditions hold that read the same slots."""
        found = [self.table(atom)[1] for atom in atoms]
        return reduce(np.logical_and, found)

    def _true(self, atoms: tuple[Unknown, ...]) -> int | None:
        """Return the number of the table of such conditions; None if they always hold."""
        if atoms not in self.truths:
            values = self._truth(atoms).astype(np.bool_, copy=False)
            slots = self.table(atoms[0])[0]
            self.truths[atoms] = None if values.all() else self.lookup(slots, values)
        return self.truths[atoms]

    def effect(self, effect: Changes) -> int:
        """Return the number of an effect."""
        if effect not in self.effect_memo:
            assign = tuple(sorted((self.axis_of(s), self._index(s, v)) for s, v in effect))
            self.effect_memo[effect] = self.effects.setdefault(assign, len(self.effects))
        return self.effect_memo[effect]

    def _index(self, slot: int, value: Value) -> int:
        axis = self.axes[self.axis_of(slot)]
        if isinstance(value, Unknown):
            slots, values = self.table(value)
        else:
            slots, values = (), np.asarray(value)
        values = self.within(slot, values)
        return self.lookup(slots, indices(axis, values, self.values[slot]))

    def reward(self, value: Value, guard: Guard = ()) -> int:
        """Return the number of a reward; each part of a sum has a table of its own.

        Where the guard does not hold a table may say anything.
        """
        large = isinstance(value, Unknown) and self._is_large(value)
        known = self._known_where(guard) if large else {}
        key = (value, tuple(sorted((slot, holds.tobytes()) for slot, holds in known.items())))
        if key not in self.reward_memo:
            self.reward_memo[key] = self._reward(value, known)
        return self.reward_memo[key]

    def _is_large(self, value: Unknown) -> bool:
        if value not in self.large:
            parts = (slots_of(part) for _, part in addends(value))
            sizes = (prod(len(self.values[slot]) for slot in slots) for slots in parts)
            self.large[value] = any(size > LARGE for size in sizes)
        return self.large[value]

    def _known_where(self, guard: Guard) -> dict[int, NDArray[np.bool_]]:
        """Return which values slots may have where conditions hold that depend on one alone."""
        known: dict[int, NDArray[np.bool_]] = {}
        for atom in atoms_of(guard):
            slots, holds = self.table(atom)
            if len(slots) == 1:
                known[slots[0]] = known.get(slots[0], True) & np.asarray(holds, np.bool_)
        return {slot: holds for slot, holds in known.items() if holds.any()}

    def _reward_table(
        self, part: Value, known: dict[int, NDArray[np.bool_]]
    ) -> tuple[tuple[int, ...], Any]:
        """Return the table of a part of a reward: 0 where what is known does not hold."""
        if not isinstance(part, Unknown):
            return (), part
        if not known:
            return self.table(part)
        left = {slot: self.values[slot][holds] for slot, holds in known.items()}
        slots, values = table(part, {**self.values, **left})
        sizes = [len(self.values[slot]) for slot in slots]
        if values.shape == tuple(sizes):
            return slots, values
        whole = np.zeros(sizes)
        every = [known.get(s, np.ones(n, np.bool_)) for s, n in zip(slots, sizes, strict=True)]
        whole[np.ix_(*every)] = values
        return slots, whole

    def _reward(self, value: Value, known: dict[int, NDArray[np.bool_]]) -> int:
        joined: dict[tuple[int, ...], NDArray[np.float64]] = {}
        for factor, part in addends(value):
            slots, values = self._reward_table(part, known)
            floats = np.asarray(values, dtype=np.float64)
            floats = floats if factor == 1 else float(factor) * floats
            joined[slots] = joined[slots] + floats if slots in joined else floats
        constant, numbers = 0.0, set[int]()
        for slots, values in joined.items():
            if values.flat[-1] == values.flat[0] and (values == values.flat[0]).all():
                constant += float(values.flat[0])
            else:
                numbers.add(self.lookup(slots, np.ascontiguousarray(values)))
        return self.rewards.setdefault((constant, tuple(sorted(numbers))), len(self.rewards))


def addends(value: Value, factor: Value = 1) -> Iterator[tuple[Value, Value]]:
    """Yield the parts of a sum, each with the factor by which it counts."""
    name = value.name if isinstance(value, Unknown) else ""
    if name in ("add", "subtract"):
        one, other = value.arguments
        yield from addends(one, factor)
        yield from addends(other, factor if name == "add" else -factor)
    elif name == "multiply" and not isinstance(value.arguments[1], Unknown):
        yield from addends(value.arguments[0], factor * value.arguments[1])
    else:
        yield factor, value


def indices(axis: Axis, shown: Array, values: Array) -> NDArray[np.int32]:
    """Return the indices on an axis of shown values, -1 where they are not on it."""
    if axis.kind == "counter":
        distance = np.asarray(shown, dtype=np.int64) - axis.offset
        index, rest = np.divmod(distance, axis.step)
        outside = (rest != 0) | (index < 0)
        if not axis.unbounded:
            outside |= index >= axis.size
        return np.asarray(np.where(outside, -1, index), dtype=np.int32, order="C")
    if axis.kind == "enum":
        position = {value: i for i, value in enumerate(values.tolist())}
        flat = [position.get(v, -1) for v in np.asarray(shown).ravel().tolist()]
        return np.asarray(flat, dtype=np.int32).reshape(np.shape(shown))
    return np.asarray(shown, dtype=np.int32, order="C")


Label = tuple[tuple[Happening, ...], tuple[Payment, ...], bool]
"""What an edge is told apart by: what is noted, what pays, and whether a turn is over."""
UNTOLD: Label = ((), (), False)


def label_edges(
    explorer: Explorer,
    emitter: Emitter,
    known: tuple[Label, ...] = (UNTOLD,),
    *,
    offered: bool = False,
) -> tuple[NDArray[np.int64] | None, tuple[Label, ...]]:
    """Return a number for every edge of the model, and by number what happens there.

    There are no numbers where nothing is told apart. What is `known` keeps its numbers; `offered`
    is as in `ControlNode.ways`.
    """
    if not explorer.goal.noted and not explorer.goal.traced:
        return None, known
    numbers = {label: number for number, label in enumerate(known)}
    labels = [
        numbers.setdefault(_label(explorer, edge), len(numbers))
        for node in explorer.nodes
        for edge in _kept(explorer, emitter, node.ways(offered=offered))
    ]
    return np.array(labels, np.int64), tuple(numbers)


def _label(explorer: Explorer, edge: Edge) -> Label:
    crossed = explorer.goal.traced and edge.crossed
    return (edge.notes, plainly(edge.paid), crossed)


def emit(
    explorer: Explorer,
    emitter: Emitter,
    start: int,
    start_point: tuple[int, ...],
    effort: Effort,
    *,
    played: bool = False,
    offered: bool = False,
) -> Model:
    """Return the model of an explored game; `played` and `offered` as in `ControlNode.ways`."""
    nodes = explorer.nodes
    end = len(nodes)
    kind = [KIND_NUMBERS[n.kind] for n in nodes] + [END]
    first = [0]
    width = 5 + explorer.goal.seats
    rows = array("d")  # those of edges that differ, one after the other
    row_of: dict[int, int] = {}  # by the identity of an edge
    order = array("q")
    for node in nodes:
        for edge in _kept(explorer, emitter, node.ways(played=played, offered=offered)):
            row = row_of.get(id(edge))
            if row is None:
                effort.look()
                row = row_of[id(edge)] = len(row_of)
                rows.extend(_row(emitter, edge, end))
            order.append(row)
        first.append(len(order))
    first.append(len(order))
    goal = explorer.goal
    distinct = np.frombuffer(rows).reshape(-1, width)
    column = distinct[np.frombuffer(order, dtype=np.int64)].T
    sums_to = constant_sum(explorer)
    return Model(
        name=explorer.game.title,
        axes=tuple(emitter.axes),
        lookups=tuple(emitter.lookups),
        guards=tuple(emitter.guards),
        effects=tuple(Effect(assign) for assign in emitter.effects),
        rewards=tuple(Reward(constant, numbers) for constant, numbers in emitter.rewards),
        kind=np.asarray(kind, dtype=np.int8),
        chooser=np.zeros(len(kind), dtype=np.int8),
        stored=np.asarray([n.stored or n.again for n in nodes] + [False], dtype=np.bool_),
        first_edge=np.asarray(first, dtype=np.int64),
        target=column[0].astype(np.int32),
        weight=column[1].astype(np.float64),
        guard=column[2].astype(np.int32),
        effect=column[3].astype(np.int32),
        rotate=column[4].astype(np.int8),
        reward=column[5].astype(np.int32),
        other_rewards=np.ascontiguousarray(column[6:].T, np.int32) if goal.seats > 1 else None,
        start=start,
        start_point=start_point,
        seats=explorer.game.players if goal.rotates else 1,
        maximise=goal.maximise,
        constant_sum=sums_to,
    )


def _kept(explorer: Explorer, emitter: Emitter, edges: list[Edge]) -> list[Edge]:
    """Return the edges whose guards may hold; if there are none, one that stands for no way on."""
    return emitter.kept(edges) or [explorer.no_way]


def _row(emitter: Emitter, edge: Edge, end: int) -> tuple[float, ...]:
    """Return the numbers of an edge."""
    guard = emitter.guard(edge.guard, edge.facts)
    assert guard is not None
    target = end if edge.target == END_TARGET else edge.target
    rewards = (emitter.reward(value, edge.guard) for value in edge.reward)
    weight = float(edge.weight)
    return (target, weight, guard, emitter.effect(edge.effect), edge.rotate, *rewards)


def constant_sum(explorer: Explorer) -> float | None:
    """Return what the values of two opposed seats add up to: what is still to be gained."""
    found = explorer.goal.constant_sum
    if found is None:
        return None
    start = explorer.game.start()
    had = sum(f * start[slot] for slot, factors in explorer.roles.rewards.items() for f in factors)
    return float(found - had)
