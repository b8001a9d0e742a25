"""The situations that are met while the rules are explored: the nodes of the control graph.

Variables of the turn that take too many values become axes.
"""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Iterable
from decimal import Decimal
from math import inf

from attrs import define, field

from dicegames.compiler.effort import Effort
from dicegames.compiler.exploring.between import product_of
from dicegames.compiler.exploring.keys import KeyMaker, Shared
from dicegames.compiler.exploring.roles import Roles
from dicegames.compiler.goal import Goal
from dicegames.compiler.graph import ControlNode, TooWide
from dicegames.rules.parts.flow import Environment
from dicegames.rules.parts.names import Variable
from dicegames.rules.parts.types import Value
from dicegames.rules.parts.unknown import unknown
from dicegames.solver.model import VALUE_BYTES

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
MOST_NODES = 60_000
"""With more nodes than this a turn is too large, unless there is a limit of time instead.

With a fortieth of them a variable with many values becomes an axis, where players stay apart.
"""
MOST_BETWEEN_TURNS = 400_000_000
"""With more states than this between turns no table holds them, and even a turn of a tenth of the
nodes is too large."""
VARIABLES_NAMED = 2
"""Variables that are named as those that differ most."""


class NodesByKey:
    """Nodes by their keys; those that are still to be explored are `pending`."""

    def __init__(self, goal: Goal, roles: Roles, effort: Effort):
        """Begin with nothing; with a limit of time only variables can be too wide, not a turn."""
        self.goal = goal
        self.roles = roles
        self.leaves = {slot: unknown("slot", slot) for slot in roles.axes}
        self.nodes: list[ControlNode] = []
        self.pending: deque[int] = deque()
        self._keys: dict[tuple[Value, ...], int] = {}
        self._keepers: dict[int, KeyMaker] = {}
        self._shared: Shared = {}
        self._initial: Environment = [variable.initial for variable in goal.game.names.slots]
        tried = inf if effort.nodes is None else MOST_LISTED_VALUES
        most = MOST_CONTROL_VALUES if roles.listed else tried  # else nothing can become an axis
        self._widths = Widths(goal.game.names.slots, most)
        self._looked_at: dict[int, dict[int, set[Value]]] = {}  # what was met, by instruction
        self._most = effort.nodes or MOST_NODES
        self._patient = effort.nodes is None and effort.time is not None
        self._between = 1 if goal.apart else product_of(goal, roles)

    def keeper(self, at: int) -> KeyMaker:
        """Return how to make the key of a situation at an instruction."""
        found = self._keepers.get(at)
        if found is None:
            aside = set(self.leaves) | set(self.roles.rewards)
            control = sorted(self.roles.live[at] - aside)
            found = KeyMaker(self.goal, self.roles, at, control, self.leaves, self._shared)
            self._keepers[at] = found
        return found

    def node(self, key: tuple[Value, ...], at: int, env: Environment, kind: str) -> int:
        """Return the number of the node with a key; if it is new it has yet to be explored."""
        found = self._keys.get(key)
        if found is None:
            found = self._keys[key] = len(self.nodes)
            kept = self._initial.copy()
            for slot in self.keeper(at).kept:
                kept[slot] = env[slot]
            env = kept
            self.nodes.append(ControlNode(at, env, kind))
            self.pending.append(found)
            self._watch(at, env)
        return found

    def _watch(self, at: int, env: Environment) -> None:
        """Notice a variable that takes ever more values, and a turn that is too large."""
        if at not in self._looked_at:
            self._looked_at[at] = self._widths.looked_at(self.keeper(at).control)
        for slot, met in self._looked_at[at].items():
            if env[slot] not in met:
                self._widths.meet(slot, env[slot])
        for slot in self.roles.carried:
            self._widths.carry(slot, env[slot])
        number, large = len(self.nodes), self._between > MOST_BETWEEN_TURNS
        if number <= self._most // 40:
            return
        wide = self._widths.widest() if self.roles.listed else None  # else all is control
        most = self._most if self.goal.rotates else self._most // 40  # it can be an axis at once
        if wide is not None and number > most:
            raise wide
        most = self._most // 10 if large else self._most
        if wide is None and number > most and not self._patient:
            few = self._widths.widest(WIDE_AT_NEED) if self.roles.listed else None
            if few is not None and self.goal.game.names.variables[few.name].width == 1:
                raise few
            why = f"more than {most:,}"
            if large:
                states = Decimal(self._between)
                why += f", and between turns there are {states:.2g} states, whose values alone "
                why += f"take {states * VALUE_BYTES / 10**9:.2g} GB"
            span, varied = self.goal.game.flow[at].span, self._most_varied(at)
            raise TooWide("", span, why, varied, hopeless=large)

    def told(self) -> str:
        """Say how many situations there are, where most of them are, and what differs there."""
        game = self.goal.game
        places = Counter(node.at for node in self.nodes if node.at >= 0)
        if not places:
            return "not one throw or choice has been reached"
        at, _ = places.most_common(1)[0]
        line, _ = game.source.line_column(game.flow[at].span.start)
        number = len(self.nodes)
        text = f"{number:,} positions have been listed so far"
        if self.roles.listed:
            text = f"a turn has {number:,} situation{'s'[: number > 1]} so far"
        text += f", most of them at line {line}"
        varied = [f'"{name}" takes {values:,} values' for name, values in self._most_varied(at)]
        return f"{text}, where {' and '.join(varied)}" if varied else text

    def _most_varied(self, at: int) -> list[tuple[str, int]]:
        """Return the variables with most values at an instruction, all slots of each together."""
        slots: dict[str, list[int]] = {}
        for slot in self.keeper(at).control:
            name = self.goal.game.names.slots[slot].name
            if "." not in name:  # the compiler's own have one
                slots.setdefault(name, []).append(slot)
        found = [
            (name, len({tuple([n.env[s] for s in own]) for n in self.nodes if n.at == at}))
            for name, own in slots.items()
        ]
        ranked = sorted(found, key=lambda pair: -pair[1])
        return [(name, values) for name, values in ranked if values > 1][:VARIABLES_NAMED]


# ---- how many values variables take


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
