"""The members of collections: dice, sets, boxes, players."""

from __future__ import annotations

from collections.abc import Callable

from dicegames.rules.parts.broken import RuleBroken
from dicegames.rules.parts.flow import Environment, Expression
from dicegames.rules.parts.names import Names
from dicegames.rules.parts.types import BOX, NUMBER, PLAYER, Type, Value
from dicegames.rules.parts.unknown import has_bit, plain
from dicegames.rules.reading.derive import constant, derived

Members = Callable[[Value], list[tuple[Value, Value]]]
"""From the value of a collection to its members, each with whether it is there."""


def member_type(names: Names, whole: Type) -> Type:
    """Return the type of a member of a collection."""
    if whole.kind == "boxes":
        return BOX
    if whole.kind == "players":
        return PLAYER
    if whole.kind == "dice":
        kind = names.kind_of(whole)
        return NUMBER if kind.numeric else Type("word", kind.faces)
    return NUMBER


def members(names: Names, whole: Type) -> Members:
    """Return how to list a collection's members."""
    if whole.kind == "boxes":
        return lambda boxes: boxes.members()
    if whole.kind == "players":
        return lambda players: [(p, True) for p in players]
    if whole.kind == "dice":
        faces = names.kind_of(whole).faces
        return lambda dice: [(f, True) for f, c in zip(faces, dice, strict=True) if c]
    numbers = whole.of
    return lambda mask: [(n, has_bit(mask, i)) for i, n in enumerate(numbers)]


def as_set_of(value: Expression, whole: Type) -> Expression:
    """Return a fixed set as a set of the members of another, if it is part of that."""
    if value.type.kind != "set" or whole.kind != "set" or not value.constant:
        return value
    mask = value.value()
    numbers = [n for i, n in enumerate(value.type.of) if mask >> i & 1]
    if not set(numbers) <= set(whole.of):
        return value
    return constant(whole, sum(1 << whole.of.index(n) for n in numbers), value.span)


def number_as_set(number: Expression, whole: Type) -> Expression:
    """Return a number as the set of just it, among the members of another set."""

    def run(env: Environment) -> Value:
        member = plain(number.run(env))
        if member not in whole.of:
            numbers = f"{whole.of[0]} to {whole.of[-1]}"
            message = f"{member} cannot be in this set: its numbers are {numbers}"
            raise RuleBroken(message, number.span, code="not-a-member")
        return 1 << whole.of.index(member)

    return derived(whole, run, number.span, number)
