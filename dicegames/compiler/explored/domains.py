"""What values the axes take: the rules are explored again until all that is asked is known."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import cache, partial
from math import inf, prod

import numpy as np
from attrs import define, field

from dicegames.compiler.effort import AN_IMAGE, Effort
from dicegames.compiler.explored.decided import Range, decided_from
from dicegames.compiler.explored.multiples import first_multiples, sample, unit_of
from dicegames.compiler.explored.uses import most_turns, most_turns_in_all
from dicegames.compiler.exploring.explore import Explorer
from dicegames.compiler.exploring.refusals import grows_on
from dicegames.compiler.exploring.roles import Roles, slot_name
from dicegames.compiler.exploring.turn_ends import Ends, most_rounds
from dicegames.compiler.goal import Goal
from dicegames.compiler.graph import AxisStep
from dicegames.compiler.open_values.ranges import (
    MOST_IN_LOOPS,
    MOST_RANGE_WORK,
    MOST_VALUES,
    Box,
    Counter,
    Grows,
    Search,
    counter,
    loops_change,
)
from dicegames.compiler.open_values.tables import LARGEST_TABLE, TableTooLarge, listed, slots_of
from dicegames.ground.limits import LimitReached
from dicegames.rules.parts.game import Rules
from dicegames.rules.parts.names import Variable
from dicegames.rules.parts.types import Value
from dicegames.rules.running.linear import of_all_seats
from dicegames.solver.model import Array, Axis

MOST_EXPLORATIONS = 12
"""How often the rules are explored again because more values of an axis turned up."""
FAR_BEYOND = 64
"""How far a counter may go beyond the value from which on it does not matter."""
MOST_UNGRIDDED = 200
"""With more values than this, a variable that lasts is put on a grid where one is asked for."""
FAR_APART = 4
"""If one of so many numbers or fewer is a value of a counter, it has no place for the others."""
MOST_APART = 20_000
"""With more nodes, values are told apart by the instruction at which play stands only."""
MOST_DECIDED = 100_000_000
"""With more states than this, a game is put on a grid or played turn by turn, where it can be."""
MOST_DECIDED_NODES = 10_000
"""With more nodes than this for all values of what is counted in a turn, too."""


class DecidedInTurn(Exception):
    """Variables of the turn need not be kept beyond a value: if these are few, they are no axes."""

    def __init__(self, kept_to: dict[int, int], *, few: bool):
        self.kept_to = kept_to
        self.few = few
        super().__init__(kept_to)


@define
class Domains:
    """The values of the axes with which the rules are explored, until all that is asked is known.

    Counters without limit that outlast a turn are refused, but `on_grid`. Values of counters in
    `least` belong to them in any case.
    """

    goal: Goal
    roles: Roles
    effort: Effort
    both: bool
    on_grid: bool
    least: Box
    ends: Ends
    undecided: set[int]  # slots that need not be asked from which value on all is decided
    fixed: dict[int, Sequence[Value]] = field(init=False)  # of what is no counter
    box: Box = field(init=False)
    own: Box = field(init=False)  # the same seat by seat: who moves has had fewer turns, perhaps
    unbounded: set[int] = field(factory=set)  # the counters without limit
    decided: dict[tuple[int, ...], int] = field(factory=dict)  # by the slots for all seats
    by_node: bool = False  # whether values have to be told apart by more than the instruction
    explorer: Explorer = field(init=False)
    start: int = field(init=False)  # the node at which the game begins

    def __attrs_post_init__(self) -> None:
        slots = self.goal.game.names.slots
        counters = [s for s in self.roles.axes if slots[s].type.kind == "number"]
        self.fixed = {s: _listed(slots[s]) for s in self.roles.axes if s not in counters}
        self.box = {s: frozenset({slots[s].initial}) for s in counters}

    @property
    def known(self) -> dict[int, Sequence[Value]]:
        """The values of all axes."""
        return self._with_fixed(self.box)

    @property
    def known_of_seats(self) -> dict[int, Sequence[Value]]:
        """The same seat by seat, where they differ."""
        return self._with_fixed(self.own)

    def _with_fixed(self, box: Box) -> dict[int, Sequence[Value]]:
        return {**self.fixed, **{s: tuple(sorted(v)) for s, v in box.items()}}

    @property
    def points(self) -> int:
        """How many points tables over all axes have; 0 where a counter has no limit."""
        sizes = [*map(len, self.fixed.values()), *map(self._size, self.box)]
        return 0 if self.unbounded else prod(sizes)

    def _size(self, slot: int) -> int:
        """Return how long the axis of a counter is."""
        values = self.box[slot]
        return len(values) if self._is_sparse(slot) else counter(values).size

    def _is_sparse(self, slot: int) -> bool:
        """Tell whether values of a counter lie far apart: then those alone are on its axis."""
        if self.on_grid or self.unbounded or slot in self.roles.inner:
            return False  # of what has no limit, and of what depends on it, not all are known
        values = self.box[slot]
        return counter(values).size > FAR_APART * len(values)

    def explore(self) -> None:
        """Explore until the values of the axes on which the rules depend are all known."""
        self.box = self._joined(self.box)
        asked: set[int] = set()
        for _ in range(MOST_EXPLORATIONS):
            self.explorer = explorer = Explorer(
                self.goal,
                self.roles,
                self.known,
                both=self.both,
                effort=self.effort,
                ends=self.ends,
            )
            self.start = explorer.explore()
            found, grown = self._ranges(explorer)
            self.box = self._joined(found)
            if not explorer.asked or not grown:
                self._tell_decided()
                return
            asked.update(slot for value in explorer.asked for slot in slots_of(value))
        raise grows_on(self.goal.game, self.goal.game.names.slots[min(asked)])

    def _joined(self, box: Box) -> Box:
        return {slot: values | self.least.get(slot, frozenset()) for slot, values in box.items()}

    def _ranges(self, explorer: Explorer) -> tuple[Box, bool]:
        """Return the values of the counters, and whether there are more than before."""
        slots = explorer.game.names.slots
        sets = {s: len(slots[s].type.of) for s in self.fixed if slots[s].type.kind == "set"}
        first: Box = {s: frozenset({int(explorer.at_start[s] or 0)}) for s in self.box}
        rounds = most_rounds(explorer.game)
        turns = most_turns(explorer, sets) or (rounds and rounds * explorer.game.players)
        steps, at = self._steps(explorer)
        alike = cache(partial(_alike_from, explorer))
        capped = {s: max(v, alike(s)) for s, v in explorer.roles.capped.items() if alike(s)}
        found: Box | None = None
        given: Box = {s: first_multiples(explorer, s) for s in self.unbounded}  # not followed
        grew: dict[object, int] = {}  # the slot that did, by what it was searched with
        while found is None:
            explorer.roles.capped = {**capped, **self._caps}  # with more values more may be asked
            asked = (self.by_node, turns, *map(frozenset, (given, explorer.roles.capped.items())))
            try:
                if asked in grew:  # the guess from where on all is decided was wrong
                    raise Grows(grew[asked])
                search = self._search(explorer, steps, given, alike)
                bounded = {s: v for s, v in first.items() if s not in given}
                found = search.values(at, bounded, turns)
                self.effort.work.add(AN_IMAGE * search.images_made)
                if self.decided and not self._still_decided(explorer, {**found, **given}):
                    found = None
            except Grows as grows:
                grew[asked] = grows.slot
                variable = slots[grows.slot]
                if grows.slot not in capped and alike(grows.slot):
                    capped[grows.slot] = alike(grows.slot)
                elif self._decide(explorer, grows.slot):
                    continue
                elif variable.scope != "turn" and not self.on_grid:
                    if turns is None and (turns := most_turns_in_all(explorer, sets)):
                        continue
                    if self.by_node or len(explorer.nodes) > MOST_APART:
                        raise grows_on(explorer.game, variable) from None
                    self.by_node = True  # in the rounds to come, too: they bring more values
                    steps, at = self._steps(explorer)
                else:
                    more = range(variable.base, variable.base + variable.width)
                    whole = None if self.on_grid else self._declared(variable)
                    self.unbounded.update(more if whole is None else ())
                    given |= dict.fromkeys(more, whole or first_multiples(explorer, grows.slot))
        box = {**self.box, **given}
        self.own = self._joined({**found, **given})
        found = _for_all_seats(explorer.game, {**found, **given})
        return found, any(not found[s] <= box[s] for s in box)

    def _search(
        self, explorer: Explorer, steps: list[AxisStep], given: Box, alike: Callable[[int], int]
    ) -> Search:
        """Return a search for values of the counters; those of some are `given`."""
        slots, capped = explorer.game.names.slots, explorer.roles.capped
        rest = {s: tuple(sorted(v)) for s, v in given.items()}
        known = {**self.fixed, **rest, **{s: sample(rest[s]) for s in self.unbounded}}
        return Search(
            steps,
            {s: listed(v) for s, v in known.items()},
            frozenset(s for s in self.box if slots[s].scope == "turn"),
            {s: v.within for s, v in enumerate(slots) if v.within is not None},
            explorer.game.names.variables["seat"].base,
            capped,
            lambda slot: alike(slot) + FAR_BEYOND if alike(slot) and slot not in capped else inf,
            partial(_look, explorer.game, self.effort),
            MOST_UNGRIDDED if self.on_grid else MOST_VALUES,
            self._patience(explorer),
            self.effort.growth,
        )

    def _tell_decided(self) -> None:
        """Raise DecidedInTurn where variables of the turn have an end now."""
        slots = self.goal.game.names.slots
        found = {slot: most for slot, most in self._caps.items() if slots[slot].scope == "turn"}
        if found:
            states = self.points * len(self.explorer.nodes)
            nodes = len(self.explorer.nodes) * prod(map(self._size, found))
            few = 0 < states <= MOST_DECIDED and nodes <= MOST_DECIDED_NODES
            raise DecidedInTurn(found, few=few)

    @property
    def ranges(self) -> dict[int, Range]:
        """The least and the largest value of every counter."""
        return {s: (min(v), max(v)) for s, v in self.box.items()} | self._endless

    @property
    def _endless(self) -> dict[int, Range]:
        return dict.fromkeys(self.unbounded, (0, inf))

    @property
    def _caps(self) -> dict[int, int]:
        return {slot: most for seats, most in self.decided.items() for slot in seats}

    def _decide(self, explorer: Explorer, slot: int) -> bool:
        """Guess from which value on a counter without limit decides all that is asked of it."""
        seats = tuple(s for s in of_all_seats(explorer.game, slot) if s in self.box)
        if self.decided.pop(seats, None) is not None:  # up to there are too many values as well
            self.undecided.update(seats)
        variable = explorer.game.names.slots[slot]
        if variable.scope == "turn" and slot not in explorer.roles.inner:
            return False  # it is told anew at every node
        if self.on_grid or variable.within is not None or not self.undecided.isdisjoint(seats):
            return False
        ranges = self.ranges
        self._decided_from(explorer, seats, {**ranges, slot: (ranges[slot][0], inf)})
        return seats in self.decided

    def _still_decided(self, explorer: Explorer, found: Box) -> bool:
        """Tell whether all is decided with the values found, too; if not, keep more, or all."""
        ranges: dict[int, Range] = {s: (min(v), max(v)) for s, v in found.items()}
        capped = explorer.roles.capped.items()
        ranges |= {s: (ranges[s][0], inf) for s, v in capped if ranges[s][1] >= v} | self._endless
        enough = [self._decided_from(explorer, seats, ranges) for seats in list(self.decided)]
        return all(enough)

    def _decided_from(
        self, explorer: Explorer, seats: tuple[int, ...], ranges: Mapping[int, Range]
    ) -> bool:
        """Keep a counter up to where all is decided with these ranges; whether that was enough."""
        found, kept = decided_from(explorer, seats, ranges), self.decided.pop(seats, -1)
        if found is None:
            self.undecided.update(seats)
            return False
        unit = unit_of(explorer, seats[0]) or 1
        most = -(-found // unit) * unit
        self.decided[seats] = most if most <= kept else max(most, 2 * kept)  # soon it is enough
        return most <= kept

    def _steps(self, explorer: Explorer) -> tuple[list[AxisStep], int]:
        """Return what happens to values from place to place, and where the game begins."""
        if self.by_node:
            return explorer.apart(), self.start
        return list(explorer.steps), explorer.nodes[self.start].at

    def _patience(self, explorer: Explorer) -> int:
        """Return for how long values are followed: not for long where nodes may tell more."""
        if self.by_node or self.on_grid or len(explorer.nodes) > MOST_APART:
            return MOST_RANGE_WORK
        lasting = {s for s in self.box if explorer.game.names.slots[s].scope != "turn"}
        return MOST_IN_LOOPS if loops_change(lasting, explorer.steps) else MOST_RANGE_WORK

    def _declared(self, variable: Variable) -> frozenset[int] | None:
        """Return all values of a declared range, None if there is none."""
        if variable.within is None:
            return None
        if len(variable.within) > LARGEST_TABLE:
            raise grows_on(self.goal.game, variable)
        self.effort.look(values=len(variable.within))
        return frozenset(variable.within)

    def axes(self) -> tuple[list[Axis], dict[int, Array]]:
        """Return the axes of the variables that are state, and by slot the values of each."""
        game = self.goal.game
        axes, values = [], {}
        for slot in self.roles.axes:
            name, inner = slot_name(game, slot), slot in self.roles.inner
            if slot in self.box:
                if self._is_sparse(slot):
                    values[slot] = np.array(sorted(self.box[slot]), np.int64)
                    axes.append(Axis(name, len(values[slot]), "enum"))
                    continue
                found: Counter = counter(self.box[slot])
                if found.size > LARGEST_TABLE:
                    raise TableTooLarge((slot,), found.size)
                values[slot] = found.offset + found.step * np.arange(found.size)
                shown = (found.size, "counter", found.offset, found.step)
                axes.append(Axis(name, *shown, inner, slot in self.unbounded))
                continue
            kind = {"truth": "flag", "set": "set"}.get(game.names.slots[slot].type.kind, "enum")
            values[slot] = listed(self.fixed[slot])
            axes.append(Axis(name, len(self.fixed[slot]), kind, inner=inner))
        return axes, values


def _listed(variable: Variable) -> Sequence[Value]:
    """Return the values of an axis that is not a number."""
    kind = variable.type
    if kind.kind == "truth":
        return (False, True)
    if kind.kind == "set":
        return range(1 << len(kind.of))  # of 24 members a tuple would take 700 MB
    return tuple(kind.of)


def _look(game: Rules, effort: Effort, slot: int) -> None:
    """Look at the limits while more and more values of a counter are found."""
    try:
        effort.look()
    except LimitReached as reached:
        told = f'there are ever more values of "{slot_name(game, slot)}"'
        raise LimitReached(f"{reached}: {told}") from None


def _alike_from(explorer: Explorer, slot: int) -> int:
    """Return from which value on all values of a counter that lasts are alike; 0: from none.

    That is so whatever values all others have: of these nothing is known yet.
    """
    variable = explorer.game.names.slots[slot]
    if variable.scope == "turn" or variable.within is not None:
        return 0
    return decided_from(explorer, (slot,), {slot: (0, inf)}) or 0


def _for_all_seats(game: Rules, found: Box) -> Box:
    """Give the seats the same values: they change places, and their axes with them."""
    joined: dict[tuple[int, int], frozenset[int]] = {}
    groups = {}
    for slot, values in found.items():
        variable = game.names.slots[slot]
        key = (slot - variable.base) // game.players if variable.scope == "player" else 0
        groups[slot] = (variable.base, key)
        joined[groups[slot]] = joined.get(groups[slot], frozenset()) | values
    return {slot: joined[group] for slot, group in groups.items()}
