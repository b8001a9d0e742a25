"""Whether an expression only adds a variable up."""

from __future__ import annotations

from collections.abc import Sequence

from dicegames.rules.parts.broken import RuleBroken
from dicegames.rules.parts.flow import Environment, Expression
from dicegames.rules.parts.game import Rules
from dicegames.rules.parts.types import Value
from dicegames.rules.parts.unknown import NeedsValue, Unknown, unknown


def linear_factor(expression: Expression, slot: int, game: Rules) -> int | None:
    """Return f if the expression is f * slot plus something that does not read the slot.

    All that it reads is open, and how many of the dice show each face.
    """
    try:
        return _factor(expression.run(open_values(game)), unknown("slot", slot))
    except (NeedsValue, RuleBroken):
        return None


def seat_factors(
    expressions: Sequence[Expression], slot: int, game: Rules
) -> tuple[int, ...] | None:
    """Return the factors of a slot in expressions, None if one of them does not only add it up.

    If there is one expression for each seat, the player to move first, the factors must stay as
    they are when the seats rotate: what is gained counts at once then, whoever moves at the end.
    """
    factors = [_factors(expressions, each, game) for each in of_all_seats(game, slot)]
    if any(None in of_slot for of_slot in factors):
        return None
    if len(expressions) > 1:
        rotated = [of_slot[-1:] + of_slot[:-1] for of_slot in factors[-1:] + factors[:-1]]
        if rotated != factors:
            return None
    return tuple(f or 0 for f in _factors(expressions, slot, game))


def _factors(expressions: Sequence[Expression], slot: int, game: Rules) -> list[int | None]:
    return [linear_factor(e, slot, game) if slot in e.reads else 0 for e in expressions]


def of_all_seats(game: Rules, slot: int) -> range:
    """Return the slots among which the values of a slot go round."""
    variable = game.names.slots[slot]
    if variable.scope != "player":
        return range(slot, slot + 1)
    first = slot - (slot - variable.base) % game.players
    return range(first, first + game.players)


def open_values(game: Rules) -> Environment:
    """Return an environment in which all is open, and of the dice how many show each face."""
    return [_open(game, slot) for slot in range(len(game.names.slots))]


def _open(game: Rules, slot: int) -> Value:
    """Return what stands for any value of a slot."""
    holds = game.names.slots[slot].type
    if holds.kind != "dice":
        return unknown("slot", slot)
    faces = range(len(game.names.kind_of(holds).faces))
    return tuple(unknown("count", slot, face) for face in faces)


def _factor(value: Value, leaf: Unknown) -> int | None:
    """Return the factor of a leaf in a sum, 0 if it is not there, None if it is not linear."""
    if value is leaf:
        return 1
    if not isinstance(value, Unknown) or value.name == "slot":
        return 0
    parts = [_factor(argument, leaf) for argument in value.arguments]
    if value.name in ("add", "subtract") and None not in parts:
        sign = 1 if value.name == "add" else -1
        return int(parts[0] or 0) + sign * int(parts[1] or 0)
    if value.name == "multiply" and parts[1] == 0 and isinstance(value.arguments[1], int):
        return None if parts[0] is None else int(parts[0]) * int(value.arguments[1])
    return 0 if all(part == 0 for part in parts) else None
