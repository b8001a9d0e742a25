"""The ranges of counters that the rules do not declare, derived from what the rules do.

The values that a counter can have are propagated along the steps of a turn, from turn to turn,
until nothing new appears. Where the number of turns is known to be bounded (`uses`), no more are
followed: that bounds a counter that grows by at most so much in each turn.
"""

from __future__ import annotations

from collections import OrderedDict, defaultdict
from collections.abc import Callable, Container, Iterable, Iterator, Mapping, Sequence
from functools import reduce
from heapq import heapify, heappop, heappush
from math import gcd, prod
from typing import Any

import numpy as np
from attrs import define, field, frozen

from dicegames.compiler.effort import Budget
from dicegames.compiler.graph import END_TARGET, AxisStep
from dicegames.compiler.open_values.tables import SMALL_TABLE, atoms_of, side_by_side, slots_of
from dicegames.ground.graphs import components
from dicegames.rules.parts.unknown import Unknown, unknown

MOST_VALUES = 20_000
MOST_IN_A_TURN = 1000
LARGEST_JOINT = 300_000
LARGEST_KEPT = 300
"""Of how many values an image is remembered: more are seldom met again."""
MOST_RANGE_WORK = 3_000_000
"""Values that are looked at while ranges grow; more means that a counter creeps on for ever."""
MOST_IN_LOOPS = 100_000
"""So many where the nodes can tell how often a loop is gone through, and instructions cannot."""
FEW_COMPARED = 16
"""So few values are compared, and numbered, as they come."""
FEW_FOLLOWED = 64
"""With more values than this it is asked whether a counter goes beyond what matters."""
CELLS = 30
"""How many cells of a table, in which counters are looked at together, cost as much as a value."""
AN_EXPRESSION = 100
"""As how many values counts an expression that is computed for some."""
MOST_RECENT = 8
"""Sets of values of several axes for which what was computed is remembered."""
FARTHEST_VALUE = 10**12
"""What gets beyond this is said to have no limit, however few the values are."""

Box = dict[int, frozenset[int]]
"""Slot of an axis -> the values that it may have."""
Bits = dict[int, int]
"""The same, each set of values as the bits of their numbers (see `Numbered`)."""
Place = tuple[int, int]
"""An instruction, and the value of the axis whose values are looked at apart."""


class Grows(Exception):
    """A counter grows without limit."""

    def __init__(self, slot: int):
        self.slot = slot
        super().__init__(str(slot))


@frozen
class Counter:
    """The range of a counter: first value, distance of two values, number of values."""

    offset: int
    step: int
    size: int


@define
class Numbered:
    """The values of a counter that have come up, with numbers in the order in which they did.

    Sets of them are the bits of a number: they are compared and joined again and again, and hardly
    grow from one time to the next.
    """

    values: list[int] = field(factory=list)
    number: dict[int, int] = field(factory=dict)
    far: int = 0
    """Those beyond `FARTHEST_VALUE`."""

    def bit(self, value: int) -> int:
        """Return the set of one value, which gets a number if it is new."""
        if value not in self.number:
            self.far |= (abs(value) > FARTHEST_VALUE) << len(self.values)
            self.number[value] = len(self.values)
            self.values.append(value)
        return 1 << self.number[value]

    def bits(self, values: Iterable[int]) -> int:
        """Return a set of values."""
        each = {value: self.bit(value) for value in values}
        if len(each) <= FEW_COMPARED:
            return sum(each.values())
        marked = np.zeros(len(self.values), np.uint8)
        marked[[self.number[value] for value in each]] = 1
        return int.from_bytes(np.packbits(marked, bitorder="little").tobytes(), "little")

    def members(self, bits: int) -> list[int]:
        """Return the values in a set, in their order."""
        packed = np.frombuffer(bits.to_bytes((bits.bit_length() + 7) // 8, "little"), np.uint8)
        numbers = np.flatnonzero(np.unpackbits(packed, bitorder="little"))
        return sorted(self.values[number] for number in numbers.tolist())


@frozen
class Looked:
    """Counters and other axes with values that are looked at together, and what was computed."""

    known: Mapping[int, np.ndarray]
    cells: int
    done: dict[int, Any]  # by expression; only what is small stays


@frozen
class Change:
    """What a step makes of a counter: what it is set to, if it is, and what is said of that.

    `own` are the slots that it follows from, `conditions` those of the step that speak of them.
    """

    slot: int
    value: Unknown | int | None
    own: frozenset[int]
    conditions: tuple[Unknown, ...]


Way = tuple[AxisStep, tuple[Change, ...]]


@define
class Search:
    """What the values of counters follow from; `values` finds them.

    `fixed` has the values of all other axes, `of_turn` are the variables of the turn, `limits` the
    declared ranges. Where `apart` (the seat to move) has different values, the other counters are
    looked at apart. A counter in `capped` stays at its value there when it would go on. `look` is
    called again and again with a slot of which more values have been found; `growth` counts them.
    """

    steps: list[AxisStep]
    fixed: Mapping[int, np.ndarray]
    of_turn: frozenset[int]
    limits: Mapping[int, range]
    apart: int | None
    capped: Mapping[int, int]
    suspect: Callable[[int], float]
    look: Callable[[int], None]
    most: int
    most_work: int
    growth: Budget
    ends: bool = False  # whether there are so many turns and no more
    work: int = 0
    cells: int = 0
    images_made: int = 0
    numbered: dict[int, Numbered] = field(factory=lambda: defaultdict(Numbered))
    """The values of each counter."""
    boxes: dict[Place, Bits] = field(factory=dict)
    images: dict[Any, int] = field(factory=dict)
    ways: dict[int, list[Way]] = field(factory=dict)
    """By the instruction at which they begin."""
    recent: OrderedDict[Any, Looked] = field(factory=OrderedDict)
    """What was looked at last: many steps ask for the same values."""
    earlier: dict[Any, tuple[Bits, int]] = field(factory=dict)
    """Of images of more values: those of which it was last computed, and what it was."""

    def values(self, start_at: int, start: Box, turns: int | None) -> Box:
        """Return the values that each counter in `start` may have when a node is reached.

        `turns` bounds their number. Raises Grows for a counter without limit, or with more than
        `most` values, and for one of many values that exceeds what `suspect` says of it.
        """
        if not start:
            return {}
        self.apart = self.apart if self.apart in start else None
        self.ends = turns is not None
        for step in dict.fromkeys(_of_counters(step, start) for step in self.steps):
            if step.target != END_TARGET:
                changes = tuple(_changes(step, start, self.capped))
                self.ways.setdefault(step.source, []).append((step, changes))
        begun = {slot: self.numbered[slot].bits(values) for slot, values in start.items()}
        following = dict(self.places(start_at, begun))
        if turns is None:
            self.turn(following, follow_all=True)
        for _ in range(turns or 0):
            if following:
                following = self.turn(following, follow_all=False)
        union = dict.fromkeys(start, 0)
        for box in self.boxes.values():
            for slot, values in box.items():
                union[slot] |= values
        return {s: frozenset(self.numbered[s].members(values)) for s, values in union.items()}

    def outputs(self, changes: Sequence[Change], at: Place, box: Bits) -> Bits | None:
        """Return the values after a step, None if its guard never holds."""
        result = dict(box)
        for change in changes:
            found = self._image(change, at, box)
            if not found:
                return None  # the guard never holds, or the rules break here
            result[change.slot] = found
        return result

    def places(self, at: int, box: Bits) -> list[tuple[Place, Bits]]:
        """Return the values at an instruction, apart for each value of the slot `apart`."""
        if self.apart is None:
            return [((at, 0), box)]
        slot, numbered = self.apart, self.numbered[self.apart]
        return [((at, v), {**box, slot: numbered.bit(v)}) for v in numbered.members(box[slot])]

    def _image(self, change: Change, at: Place, box: Bits) -> int:
        """Return the values of a counter after a step; each once computed."""
        slot, value = change.slot, change.value
        if isinstance(value, int):
            return self.numbered[slot].bit(value)
        wanted = self._connected(change, box)
        if value is None and not wanted and slot not in self.capped:
            return box[slot]
        used = sorted(change.own.union(*(slots_of(a) for a in wanted)))
        asked = (unknown("slot", slot) if value is None else value, *wanted)
        values = {s: box[s] for s in used if s in box}
        if sum(v.bit_count() for v in values.values()) > LARGEST_KEPT:
            return self._grown((at, slot, *asked), used, values)
        key = (slot, *asked, *values.values())
        if key not in self.images:
            self.images[key] = self._computed(slot, asked, used, values)
        return self.images[key]

    def _grown(self, key: tuple[Any, ...], used: list[int], box: Bits) -> int:
        """Return an image of ever more values: only what the new ones bring is computed."""
        _, slot, *asked = key
        before, found = self.earlier.get(key, (dict.fromkeys(box, 0), 0))
        for grown, values in box.items():
            if new := values & ~before[grown]:
                found |= self._computed(slot, asked, used, {**box, grown: new})
                if new == values:
                    break  # that was all
        self.earlier[key] = box, found
        return found

    def _computed(self, slot: int, asked: Sequence[Unknown], used: list[int], box: Bits) -> int:
        """Return the values of the first expression where the others hold, as the slot has them.

        Those outside of its declared range would break the rules.
        """
        self.images_made += 1
        looked = self._looked(used, box)
        cells, done = looked.cells, looked.done if looked.cells <= SMALL_TABLE else None
        found, *conditions = side_by_side(asked, used, looked.known, done)
        self.cells += cells
        self.growth.add(len(asked) * (AN_EXPRESSION + cells // CELLS))
        if conditions:
            found, holds = np.broadcast_arrays(found, reduce(np.logical_and, conditions))
            found = found[holds]
        values = _distinct(found)
        if slot in self.limits:
            low, high = self.limits[slot][0], self.limits[slot][-1]
            values = {value for value in values if low <= value <= high}
        if slot in self.capped:
            values = {min(value, self.capped[slot]) for value in values}
        return self.numbered[slot].bits(values)

    def _looked(self, used: list[int], box: Bits) -> Looked:
        """Return the values of some slots, with what was computed for them lately."""
        key = (tuple(used), *box.values())
        if key not in self.recent:
            known = {s: self._values(s, box) for s in used}
            self.recent[key] = Looked(known, prod(map(len, known.values())), {})
        self.recent.move_to_end(key)
        if len(self.recent) > MOST_RECENT:
            self.recent.popitem(last=False)
        return self.recent[key]

    def _connected(self, change: Change, box: Bits) -> list[Unknown]:
        """Return the conditions that speak of the same counters, as long as that is small."""
        wanted = []
        slots = change.own
        for atom in change.conditions:
            joint = slots.union(slots_of(atom))
            sizes = (box[s].bit_count() if s in box else len(self.fixed[s]) for s in joint)
            if prod(sizes) <= LARGEST_JOINT:
                wanted.append(atom)
                slots = joint
        return wanted

    def _values(self, slot: int, box: Bits) -> np.ndarray:
        if slot in box:
            return np.asarray(self.numbered[slot].members(box[slot]))
        return self.fixed[slot]

    def turn(self, start: dict[Place, Bits], *, follow_all: bool) -> dict[Place, Bits]:
        """Propagate until nothing new appears; return what is new at the start of the next turn."""
        pending = [at for at, box in start.items() if self._join(self.boxes, at, box)]
        following: dict[Place, Bits] = {}
        heapify(pending)
        while pending:  # the first instruction first: others come after it, mostly
            at = heappop(pending)
            for step, changes in self.ways.get(at[0], ()):
                out = self.outputs(changes, at, self.boxes[at])
                if out is None:
                    continue
                for target, part in self.places(step.target, out):
                    if step.crossed and not follow_all:
                        self._join(following, target, part)
                    elif self._join(self.boxes, target, part) and target not in pending:
                        heappush(pending, target)
        return following

    def _join(self, boxes: dict[Place, Bits], at: Place, box: Bits) -> bool:
        old = boxes.get(at)
        if old is None:
            boxes[at] = dict(box)
            return True
        grown = False
        for slot, values in box.items():
            if new := values & ~old[slot]:
                old[slot] |= new
                grown = True
                self.look(slot)
                limit = MOST_IN_A_TURN if slot in self.of_turn else self.most
                found = old[slot].bit_count()
                self.work += found
                self.growth.add(found)
                patient = self.ends or slot in self.limits
                work = self.work + (0 if patient else self.cells // CELLS)
                numbered = self.numbered[slot]
                above = found > FEW_FOLLOWED and numbered.members(values)[-1] > self.suspect(slot)
                if found > limit or values & numbered.far or above:
                    raise Grows(slot)
                if work > self.most_work:
                    raise Grows(max(old, key=lambda other: old[other].bit_count()))
        return grown


def _distinct(values: np.ndarray) -> set[int]:
    """Return the different values: of many that lie close together, without comparing them."""
    if values.size <= FEW_COMPARED:
        return {int(value) for value in values.flat}
    low = int(values.min())
    if values.size <= int(values.max()) - low:
        return set(np.unique(values).tolist())
    return set((np.flatnonzero(np.bincount(values.ravel() - low)) + low).tolist())


def _of_counters(step: AxisStep, counters: Box) -> AxisStep:
    """Return what a step says of counters: the rest of its conditions and effects left out."""
    effect = tuple((slot, value) for slot, value in step.effect if slot in counters)
    read = set(counters).union(*(slots_of(value) for _, value in effect))
    left, said = list(atoms_of(step.guard)), set[Unknown]()
    while more := [atom for atom in left if not read.isdisjoint(slots_of(atom))]:
        said.update(more)
        read.update(*(slots_of(atom) for atom in more))
        left = [atom for atom in left if atom not in said]
    guard = tuple(atom for atom in atoms_of(step.guard) if atom in said)
    return step._replace(guard=guard, effect=effect)


def _changes(step: AxisStep, counters: Box, capped: Mapping[int, int]) -> Iterator[Change]:
    """Yield what a step makes of counters, but of those which it leaves as they are."""
    effects = dict(step.effect)
    for slot in counters:
        value = effects.get(slot)
        if not isinstance(value, Unknown) and value is not None:
            yield Change(slot, int(value), frozenset(), ())
            continue
        own = frozenset({slot} if value is None else slots_of(value))
        said = tuple(atom for atom in step.guard if not own.isdisjoint(slots_of(atom)))
        if value is not None or said or slot in capped:
            yield Change(slot, value, own, said)


def loops_change(counters: Container[int], steps: Iterable[AxisStep]) -> bool:
    """Tell whether a counter follows from itself in a loop of the instructions of a turn.

    How often the loop is gone through is not known by the instruction at which play stands.
    """
    inside = [step for step in steps if not step.crossed and step.target != END_TARGET]
    after: dict[int, list[int]] = {}
    for step in inside:
        after.setdefault(step.source, []).append(step.target)
    found = enumerate(components(after, lambda at: after.get(at, ())))
    loop = {at: number for number, group in found for at in group}
    again = (step for step in inside if loop[step.source] == loop[step.target])
    effects = (effect for step in again for effect in step.effect)
    return any(slot in counters and slot in slots_of(value) for slot, value in effects)


def counter(values: frozenset[int]) -> Counter:
    """Return the narrowest range with equal steps that holds all values."""
    low, high = min(values), max(values)
    step = 0
    for value in values:
        step = gcd(step, value - low)
    step = step or 1
    return Counter(low, step, (high - low) // step + 1)
