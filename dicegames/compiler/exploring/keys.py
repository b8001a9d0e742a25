"""What tells situations apart at one instruction: those that later play answers alike are one.

When a combination is being completed, all that matters of the dice is which are needed and how many
are spare; four dice 2 3 3 6 and 1 3 3 4 may be the same situation. For an instruction and a pile,
`readers` collects the expressions that read the pile before it is thrown or changed. If all of them
can be computed already at that instruction, their values take the place of the dice in the key of a
situation.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from operator import itemgetter

from dicegames.compiler.exploring.roles import Roles
from dicegames.compiler.goal import Goal
from dicegames.rules.parts.broken import RuleBroken
from dicegames.rules.parts.flow import (
    Choose,
    Environment,
    Expression,
    Instruction,
    Note,
    Set,
    Throw,
    TurnEnds,
    expressions_of,
)
from dicegames.rules.parts.types import Value
from dicegames.rules.parts.unknown import KNOWN, NeedsValue
from dicegames.rules.running.liveness import Slots, matters


def readers(
    flow: list[Instruction],
    live: list[Slots],
    ends: Mapping[int, Slots],
    start: int,
    slot: int,
    watched: frozenset[int],
) -> list[Expression] | None:
    """Return the expressions that read a slot from `start` on, None if that is not all.

    None is the answer too if one of them also reads something that is changed on the way. The
    instructions in `watched` are carried out although nobody reads what they set.
    """
    found: dict[int, Expression] = {}
    changed: dict[int, frozenset[int]] = {start: frozenset()}
    pending = [start]
    while pending:
        at = pending.pop()
        if slot not in live[at]:
            continue
        if at in ends:
            return None
        instruction = flow[at]
        if _is_opaque(instruction, slot):
            return None
        matter = at in watched or matters(instruction, live[instruction.next])
        for expression in expressions_of(instruction) if matter else ():  # it may be gone
            if slot in expression.reads and _is_asked(instruction, expression, live[at]):
                if (expression.reads - {slot}) & changed[at]:
                    return None
                found[id(expression)] = expression
        for target, written in _onward(instruction, slot):
            after = changed[at] | written
            if target not in changed or not after <= changed[target]:
                changed[target] = changed.get(target, frozenset()) | after
                pending.append(target)
    return list(found.values())


def _is_asked(instruction: Instruction, expression: Expression, live: Slots) -> bool:
    """Tell whether an expression is computed: what is noted only is where notes are asked for."""
    return not isinstance(instruction, Note) or expression.reads <= live


def _is_opaque(instruction: Instruction, slot: int) -> bool:
    if isinstance(instruction, Choose):
        if instruction.decision is not None and slot in instruction.decision.reads:
            return True
        return any(
            slot in option.reads or any({slot, option.slot} <= c.reads for c in option.conditions)
            for option in instruction.options
        )
    return isinstance(instruction, Throw) and slot in (instruction.pile, instruction.source)


def _onward(instruction: Instruction, slot: int) -> list[tuple[int, frozenset[int]]]:
    """Return the instructions that follow while the slot keeps its value, with what is changed."""
    match instruction:
        case Set(slot=target, width=width, addition=addition):
            if target == slot and addition is None:
                return []
            return [(instruction.next, frozenset(range(target, target + width)))]
        case Choose(options=options, other=other):
            ways = [(o.entry, frozenset({o.slot})) for o in options]
            return [*ways, (other, frozenset())] if other >= 0 else ways
        case Throw(pile=pile, count=count):
            return [(instruction.next, frozenset({pile, count}))]
        case TurnEnds():
            return []
    return [(target, frozenset()) for target in instruction.successors()]


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
