"""What tells situations apart at one instruction."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from operator import itemgetter

from dicegames.compiler.objective import Objective
from dicegames.compiler.readers import readers
from dicegames.compiler.roles import Roles
from dicegames.rules.broken import RuleBroken
from dicegames.rules.flow import Environment, Expression
from dicegames.rules.types import Value
from dicegames.rules.unknown import KNOWN, NeedsValue

Getter = Callable[[Environment], tuple[Value, ...]]


class Reader:
    """An expression, and its values for what it was computed of."""

    def __init__(self, expression: Expression):
        self.run = expression.run
        self.slots = _getter(sorted(expression.reads))
        self.answers: dict[tuple[Value, ...], Value] = {}

    def answer(self, env: Environment) -> Value:
        """Return the value of the expression; what holds on one path only is not remembered."""
        if KNOWN:
            return self.run(env)
        slots = self.slots(env)
        if slots not in self.answers:
            self.answers[slots] = self.run(env)
        return self.answers[slots]


class Keeper:
    """Makes the keys of situations at one instruction.

    `control` are the live slots that are not axes; `readers` says for piles of dice which
    expressions stand for them (see the module of that name). `asked` holds the readers of all
    instructions: many ask the same.
    """

    def __init__(
        self,
        goal: Objective,
        roles: Roles,
        at: int,
        control: list[int],
        leaves: Iterable[int],
        asked: dict[int, Reader],
    ):
        game = goal.game
        self.control = control
        self.readers: list[Reader] = []
        plain = []
        for slot in control:
            found = None
            if game.names.slots[slot].type.kind == "dice":
                found = readers(game.flow, roles.live, goal.ends, at, slot)
            if found is None:
                plain.append(slot)
            else:
                self.readers += [asked.setdefault(id(e), Reader(e)) for e in found]
        self.raw = _getter([*control, *leaves])
        self.plain = _getter([*plain, *leaves])
        self.control_raw = _getter(control)
        self.control_plain = _getter(plain)

    def key(self, env: Environment) -> tuple[Value, ...]:
        """Return what distinguishes a situation from others at the instruction."""
        return self._key(env, self.plain, self.raw)

    def control_key(self, env: Environment) -> tuple[Value, ...]:
        """Return the part of the key that does not speak of axes."""
        return self._key(env, self.control_plain, self.control_raw)

    def _key(self, env: Environment, plain: Getter, raw: Getter) -> tuple[Value, ...]:
        if not self.readers:
            return raw(env)
        try:
            return (plain(env), *(reader.answer(env) for reader in self.readers))
        except (RuleBroken, NeedsValue):
            return ("raw", raw(env))  # a reader that is not always asked cannot be computed here


def _getter(slots: list[int]) -> Getter:
    if len(slots) > 1:
        return itemgetter(*slots)
    if slots:
        slot = slots[0]
        return lambda env: (env[slot],)
    return lambda env: ()
