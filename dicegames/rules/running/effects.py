"""What the instructions of the rules change: variables, money, and who sits where.

Values may be open, so that the compiler carries out the same changes as the referee.
"""

from __future__ import annotations

from dicegames.rules.parts.broken import RuleBroken
from dicegames.rules.parts.flow import Environment, Pay, Set
from dicegames.rules.parts.game import Rules
from dicegames.rules.parts.types import Value
from dicegames.rules.parts.unknown import is_open, larger, plain, select, smaller
from dicegames.rules.reading.arithmetic import LARGEST_NUMBER


def assign(instruction: Set, env: Environment) -> int:
    """Carry out an assignment and return its slot."""
    slot = instruction.slot
    if instruction.index is not None:
        slot += plain(instruction.index.run(env))
    if instruction.addition is not None:
        change = instruction.addition.run(env)
        value = env[slot] + (change if instruction.scale == 1 else -change)
    else:
        assert instruction.value is not None
        value = instruction.value.run(env)
    within = instruction.range_of(slot) if instruction.ranges else instruction.within
    if within is not None:
        inside = type(value) is int and value in within
        value = value if inside else _within(value, within, instruction)
    elif type(value) is int and abs(value) > LARGEST_NUMBER:
        message = f"a number becomes too large here: {value}"
        raise RuleBroken(message, instruction.span, code="number-too-large")
    env[slot] = value
    return slot


def _within(value: Value, within: range, instruction: Set) -> Value:
    low, high = within[0], within[-1]
    if instruction.capped:
        return larger(smaller(value, high), low)
    if not is_open(value) and not low <= value <= high:
        message = f"the value leaves its range here: it becomes {value}, not {low} to {high}"
        hint = "widen the range where it is declared, or write capped after it"
        raise RuleBroken(message, instruction.span, code="out-of-range", help=hint)
    return value


def pay(instruction: Pay, env: Environment, *, holds: Value = True) -> None:
    """Carry out a payment between two players, if a condition (which may be open) holds."""
    amount = select(holds, instruction.amount.run(env), 0)
    env[instruction.money + instruction.payer] = env[instruction.money + instruction.payer] - amount
    env[instruction.money + instruction.payee] = env[instruction.money + instruction.payee] + amount


def rotate(game: Rules, env: Environment) -> None:
    """Seat the next player first, and start the variables of the turn anew."""
    names, players = game.names, game.players
    for slot in names.seated:
        values = env[slot : slot + players]
        env[slot : slot + players] = values[1:] + values[:1]
    for slot in names.of_turn:
        env[slot] = names.slots[slot].initial


def paid_for(game: Rules, instruction: Set, env: Environment) -> tuple[str, Value]:
    """Return what an addition pays for, in the words of the rules, and how much; may be open.

    That is the name of the row where the addition reads one box, else the addition's own text.
    """
    addition = instruction.addition
    assert addition is not None
    amount = addition.run(env)
    rows = [row for s in sorted(addition.reads) if (row := getattr(env[s], "row", None))]
    if len(rows) == 1:
        name = str(rows[0].label)
    else:
        name = game.source.words(addition.span)
    return name, amount if instruction.scale == 1 else -amount
