"""How many states there can be between turns, told by the rules alone: no turn is explored.

Each variable that outlasts a turn has so many values; their product is a bound. States in which
play is over are none: they are left out where the rules that ask for it look at declared ranges.
For that the axes get their values one after the other. What is left to ask is an open value, and
prefixes of values that leave the same to ask are counted once.
"""

from __future__ import annotations

from collections import Counter
from math import prod

from attrs import define, field, frozen

from dicegames.compiler.exploring.roles import Roles
from dicegames.compiler.exploring.turn_ends import most_rounds
from dicegames.compiler.goal import Goal
from dicegames.rules.parts.broken import RuleBroken
from dicegames.rules.parts.flow import Environment, Note, Set, Test, TurnEnds
from dicegames.rules.parts.names import Variable
from dicegames.rules.parts.types import Value
from dicegames.rules.parts.unknown import (
    COMPARISONS,
    NeedsValue,
    Unknown,
    both,
    either,
    is_open,
    negate,
    unknown,
)
from dicegames.rules.running.liveness import Slots

MOST_RUNS = 5_000
"""How often it is asked whether play goes on, before the product is left as it is."""
MOST_COMBINATIONS = 10**12
"""Of more combinations it is not asked in how many play is over: too many are left."""
MOST_VALUES_TRIED = 1_000
"""A variable with more values is not tried value by value."""


@frozen
class Lasting:
    """A variable that outlasts a turn: so many slots, each with so many values.

    `values` is None where no range is declared.
    """

    name: str
    slots: int
    values: int | None


@frozen
class Between:
    """The states between turns: what they are made of, and how many there can be at most.

    `product` is that of the ranges of variables that have one; `states` leaves out those in which
    play is over, and is None where a variable has no declared range. Each state has so many
    `numbers` as its value, one for each seat that plays for itself.
    """

    lasting: tuple[Lasting, ...]
    product: int
    states: int | None
    numbers: int

    @property
    def without_range(self) -> list[str]:
        """The variables that have no declared range."""
        return [found.name for found in self.lasting if found.values is None]


def sizes_of(goal: Goal, roles: Roles) -> dict[int, int | None]:
    """Return how many values each slot that outlasts a turn can have; None: none is declared."""
    slots = goal.game.names.slots
    if goal.objective.one_turn:
        return {}
    return {s: _values(goal, slots[s]) for s in roles.axes if slots[s].scope != "turn"}


def product_of(goal: Goal, roles: Roles) -> int:
    """Return the product of the declared ranges; 1 where there is none."""
    return prod(size for size in sizes_of(goal, roles).values() if size is not None)


def between(goal: Goal, roles: Roles, runs: int = MOST_RUNS) -> Between:
    """Return what is known of the states between turns, after so many `runs` of the rules."""
    sizes, slots = sizes_of(goal, roles), goal.game.names.slots
    many = Counter((slots[slot].name, size) for slot, size in sizes.items())
    lasting = tuple(Lasting(name, slots, values) for (name, values), slots in many.items())
    declared = {slot: size for slot, size in sizes.items() if size is not None}
    everything = prod(declared.values())
    states = everything if len(declared) == len(sizes) else None
    if states is not None and states <= MOST_COMBINATIONS:
        states = _Count(goal, declared, runs).states()
    return Between(lasting, everything, states, goal.seats)


class _TooMuch(Exception):
    """It was asked too often whether play goes on."""


@define
class _Count:
    """Counts the states in which play may go on, as they are when a turn is over.

    Whoever is next begins in one of them: the seats change places, and no two become the same. What
    cannot be decided by the values of `sizes` alone may go on.
    """

    goal: Goal
    sizes: dict[int, int]  # by slot
    runs: int  # that are left
    _order: list[int] = field(init=False)  # slots that get their values one by one
    _open: Environment = field(init=False)
    _found: dict[Value, int] = field(factory=dict)  # by what is left to ask

    def __attrs_post_init__(self) -> None:
        slots = self.goal.game.names.slots
        number = [s for s in self.sizes if slots[s].within is not None]
        self._order = [s for s in number if self.sizes[s] <= MOST_VALUES_TRIED]
        self._open = [unknown("slot", slot) for slot in range(len(slots))]

    def states(self) -> int:
        """Return how many there are at most, the start of the game included."""
        everything = prod(self.sizes.values())
        try:
            found = self._of(self._goes_on(self._open), 0, self._open)
            initial = [variable.initial for variable in self.goal.game.names.slots]
            over = self._goes_on(initial) is False  # it is the start nevertheless
        except (_TooMuch, NeedsValue, RuleBroken):
            return everything
        return min(everything, found + over)

    def _of(self, asked: Value, at: int, env: Environment) -> int:
        """Return the states that go on where the slots from place `at` on are open."""
        order = self._order
        if asked is False:
            return 0
        reads = asked.slots if isinstance(asked, Unknown) else ()
        place = next((n for n in range(at, len(order)) if order[n] in reads), None)
        rest = prod(self.sizes[slot] for slot in order[at:place])
        if place is None:
            others = prod(size for slot, size in self.sizes.items() if slot not in order)
            return rest * others
        known = self._found.get(asked)
        if known is None:
            within = self.goal.game.names.slots[order[place]].within
            assert within is not None
            known = 0
            for value, many in _alike(asked, order[place], within).items():
                given = env.copy()
                given[order[place]] = value
                known += many * self._of(self._goes_on(given), place + 1, given)
            self._found[asked] = known
        return rest * known

    def _goes_on(self, env: Environment) -> Value:
        """Return whether play goes on after a turn, which may be open."""
        self.runs -= 1
        if self.runs < 0:
            raise _TooMuch
        return self._after(self.goal.game.end_turn, env, asked=False, changed=frozenset())

    def _after(self, at: int, env: Environment, *, asked: bool, changed: Slots) -> Value:
        """Return the same from an instruction on.

        `changed` are slots whose values are no longer those that were asked for; then nothing is
        known of them.
        """
        game = self.goal.game
        while at != game.turn:
            if at in self.goal.ends:
                return False
            instruction = game.flow[at]
            match instruction:
                case Test(condition=condition):
                    if not condition.reads <= self.sizes.keys() - changed:
                        return True
                    holds = condition.run(env)
                    ways = instruction.next, instruction.other
                    if isinstance(holds, Unknown):
                        then, no = (
                            self._after(way, env, asked=True, changed=changed) for way in ways
                        )
                        return either(both(holds, then), both(negate(holds), no))
                    at, asked = ways[not holds], True
                case Set() | Note():
                    changed |= frozenset(instruction.targets) if asked else frozenset()
                    at = instruction.next
                case TurnEnds():
                    changed |= frozenset(self.sizes)
                    at = instruction.next
                case _:
                    return True
        return True


def _alike(asked: Value, slot: int, within: range) -> dict[int, int]:
    """Return values of a slot, and of each how many answer alike what is asked, itself included."""
    leaf, todo, seen = unknown("slot", slot), [asked], set[Value]()
    comparisons: list[Unknown] = []
    while todo:
        part = todo.pop()
        if part in seen or not isinstance(part, Unknown) or slot not in part.slots:
            continue
        seen.add(part)
        if leaf not in part.arguments:
            todo += part.arguments
        elif part.name in COMPARISONS and not is_open(part.arguments[part.arguments[0] is leaf]):
            comparisons.append(part)
        else:
            return dict.fromkeys(within, 1)
    first: dict[tuple[bool, ...], int] = {}
    found: Counter[int] = Counter()
    for value in within:
        pairs = ([value if a is leaf else a for a in part.arguments] for part in comparisons)
        told = tuple(COMPARISONS[p.name](*pair) for p, pair in zip(comparisons, pairs, strict=True))
        found[first.setdefault(told, value)] += 1
    return found


def _values(goal: Goal, variable: Variable) -> int | None:
    kind = variable.type
    if variable.within is not None:
        return len(variable.within)
    if kind.kind == "number":
        if variable.name == "round":
            return most_rounds(goal.game)
        return goal.game.players if variable.name == "seat" else None
    if kind.kind == "set":
        return 1 << len(kind.of)
    return 2 if kind.kind == "truth" else max(1, len(kind.of))
