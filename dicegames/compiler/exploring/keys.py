"""What tells situations apart at one instruction."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from operator import itemgetter

from dicegames.compiler.exploring.readers import readers
from dicegames.compiler.exploring.roles import Roles
from dicegames.compiler.goal import Goal
from dicegames.rules.parts.broken import RuleBroken
from dicegames.rules.parts.flow import Environment, Expression
from dicegames.rules.parts.types import Value
from dicegames.rules.parts.unknown import KNOWN, NeedsValue

Getter = Callable[[Environment], tuple[Value, ...]]

UNASKED = -1


class Readers:
    """Expressions that read the same slots, and what they say, computed once for what they read.

    What they say together has a number, so that it is compared and hashed at no cost.
    """

    def __init__(self, expressions: list[Expression]):
        self._runs = [expression.run for expression in expressions]
        self._slots = getter(sorted(expressions[0].reads))
        self._known: dict[tuple[Value, ...], int | None] = {}
        self._numbers: dict[tuple[Value, ...], int] = {}

    def answer(self, env: Environment) -> int | None:
        """Return the number of what is said; None if an expression cannot be computed."""
        if KNOWN:
            return self._asked(env)  # what holds on one path only is not remembered
        slots = self._slots(env)
        found = self._known.get(slots, UNASKED)
        if found == UNASKED:
            found = self._known[slots] = self._asked(env)
        return found

    def _asked(self, env: Environment) -> int | None:
        try:
            said = tuple([run(env) for run in self._runs])
        except (RuleBroken, NeedsValue):
            return None
        numbers = self._numbers
        return numbers.setdefault(said, len(numbers))


Shared = dict[frozenset[int], Readers]
"""By the identities of expressions: those that are asked together at many instructions."""


class KeyMaker:
    """Makes the keys of situations at one instruction.

    `control` are the live slots that are not axes, `plain` takes the values of those that are kept
    as they are; where expressions stand for piles of dice (see
    `readers`), what they say takes the place of the dice.
    """

    def __init__(
        self,
        goal: Goal,
        roles: Roles,
        at: int,
        control: list[int],
        leaves: Mapping[int, Value],
        shared: Shared,
    ):
        game = goal.game
        self.control = control
        self.kept = [*control, *leaves]
        self._leaves = leaves
        stops = {**goal.ends, game.end_turn: frozenset()} if goal.looks_ahead else goal.ends
        plain, asked = [], dict[int, Expression]()
        for slot in control:
            found = None
            if game.names.slots[slot].type.kind == "dice":
                found = readers(game.flow, roles.live, stops, at, slot, roles.watched)
            if found is None:
                plain.append(slot)
            else:
                asked |= {id(expression): expression for expression in found}
        self._readers = _by_slots(asked.values(), shared)
        self.raw = getter(self.kept)
        self._plain = getter([*plain, *leaves])
        self.control_raw = getter(control)
        self.plain = getter(plain)

    def key(self, env: Environment) -> tuple[Value, ...]:
        """Return what distinguishes a situation from others at the instruction."""
        return self._key(env, self._plain, self.raw)

    def control_key(self, env: Environment) -> tuple[Value, ...]:
        """Return the part of the key that does not speak of axes, which are open here."""
        open_ = list(env)
        for slot, leaf in self._leaves.items():
            open_[slot] = leaf
        return self._key(open_, self.plain, self.control_raw)

    def _key(self, env: Environment, plain: Getter, raw: Getter) -> tuple[Value, ...]:
        if not self._readers:
            return raw(env)
        answers = [reader.answer(env) for reader in self._readers]
        if None in answers:  # a reader that is not always asked cannot be computed here
            return ("raw", *raw(env))
        return (*answers, *plain(env))


def _by_slots(expressions: Iterable[Expression], shared: Shared) -> list[Readers]:
    """Join the expressions that read the same slots."""
    groups: dict[frozenset[int], list[Expression]] = {}
    for expression in expressions:
        groups.setdefault(expression.reads, []).append(expression)
    return [
        shared.setdefault(frozenset(map(id, group)), Readers(group)) for group in groups.values()
    ]


def getter(slots: list[int]) -> Getter:
    """Return what takes the values of some slots out of an environment."""
    if len(slots) > 1:
        return itemgetter(*slots)
    if slots:
        slot = slots[0]
        return lambda env: (env[slot],)
    return lambda env: ()
