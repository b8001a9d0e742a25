"""What later play still asks of the dice: situations that answer alike are one.

When a combination is being completed, all that matters of the dice is which are needed and how many
are spare; four dice 2 3 3 6 and 1 3 3 4 may be the same situation. For an instruction and a pile,
`readers` collects the expressions that read the pile before it is thrown or changed. If all of them
can be computed already at that instruction, their values take the place of the dice in the key of a
situation.
"""

from __future__ import annotations

from collections.abc import Mapping

from dicegames.rules.parts.flow import (
    Choose,
    Expression,
    Instruction,
    Note,
    Set,
    Throw,
    TurnEnds,
    expressions_of,
)
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
