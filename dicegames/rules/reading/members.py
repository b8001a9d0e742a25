"""The members of collections: dice, sets, boxes, players."""

from __future__ import annotations

from collections.abc import Callable, Collection, Container

from dicegames.ground.source import Span
from dicegames.rules.parts.broken import RuleBroken
from dicegames.rules.parts.flow import Environment, Expression
from dicegames.rules.parts.names import Names, Scope
from dicegames.rules.parts.types import ANYTHING, BOX, NUMBER, PLAYER, Type, Value, type_of_face
from dicegames.rules.parts.unknown import has_bit, plain
from dicegames.rules.parts.value_text import members_text
from dicegames.rules.reading.derive import applied, constant
from dicegames.syntax.nodes import Node

Members = Callable[[Value], list[tuple[Value, Value]]]
"""From the value of a collection to its members, each with whether it is there."""


ONE_DIE = "the number on one die that is picked as d: sum of d"


def member_type(names: Names, whole: Type) -> Type:
    """Return the type of a member of a collection."""
    if whole.kind == "boxes":
        return BOX
    if whole.kind == "players":
        return PLAYER
    return type_of_face(names.kind_of(whole).faces if whole.kind == "dice" else whole.of)


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


def listing(names: Names, whole: Expression) -> Callable[[Environment], list[tuple[Value, Value]]]:
    """Return how to list the members of what an expression yields; those of a fixed set once."""
    list_members = members(names, whole.type)
    if whole.constant:
        fixed = list_members(whole.value())
        return lambda env: fixed
    return lambda env: list_members(whole.run(env))


def named(node: Node, scope: Scope, words: Container[Value]) -> Expression | None:
    """Return one of some words where it is named, whatever else is called so."""
    word = scope.called(node.child(0).text) if node.kind == "name" else None
    return constant(Type("word", (word,)), word, node.span) if word in words else None


def can_be_one(value: Expression, of: Collection[Value]) -> bool:
    """Tell whether a number or a word may be one of some faces; what is fixed is not looked at.

    A fixed one may be one of several that a loop goes through.
    """
    if value.constant or value.type is ANYTHING:
        return True
    if value.type is NUMBER:
        return any(isinstance(face, int) for face in of)
    return not value.type.of or not {*value.type.of}.isdisjoint(of)


def as_set_of(value: Expression, whole: Type) -> Expression:
    """Return a fixed set as a set of the members of another, if it is part of that."""
    if value.type.kind != "set" or whole.kind != "set" or not value.constant:
        return value
    mask = value.value()
    numbers = [n for i, n in enumerate(value.type.of) if mask >> i & 1]
    if not set(numbers) <= set(whole.of):
        return value
    return constant(whole, sum(1 << whole.of.index(n) for n in numbers), value.span)


def as_face(value: Expression, wanted: Type) -> Expression:
    """Return a fixed number as a word, where words are meant some of which are numbers."""
    if wanted.kind != "word" or value.type is not NUMBER or not value.constant:
        return value
    if not any(isinstance(word, int) for word in wanted.of):
        return value
    return constant(Type("word", (value.value(),)), value.value(), value.span)


def as_number(words: Type) -> str:
    """Say how a number is declared, where words are given that are all numbers."""
    if words.kind != "word" or not all(type(word) is int for word in words.of):
        return ""
    ends = f"from {min(words.of)} to {max(words.of)}"
    return f"what is listed are words; a number is declared so: = {words.of[0]} {ends}"


def is_member(value: Type, whole: Type) -> bool:
    """Tell whether a value is of the kind of a set's members."""
    return whole.kind == "set" and value.kind == type_of_face(whole.of).kind


def member_as_set(member: Expression, whole: Type, span: Span) -> Expression:
    """Return a number or a word as the set of just it, among the members of another set."""

    def alone(found: Value) -> Value:
        value = plain(found)
        if value not in whole.of:
            message = f"{value} cannot be in this set: it holds {members_text(whole.of)}"
            raise RuleBroken(message, span, code="not-a-member")
        return 1 << whole.of.index(value)

    return applied(whole, alone, span, member)
