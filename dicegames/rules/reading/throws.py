"""Statements about dice: throw them, move them between piles."""

from __future__ import annotations

import re

from dicegames.ground import multiset
from dicegames.ground.diagnostic import did_you_mean
from dicegames.ground.source import Span
from dicegames.rules.parts.broken import RuleBroken
from dicegames.rules.parts.flow import Environment, Expression, Set, Throw
from dicegames.rules.parts.names import NOT_NAMES, Mistake, Scope, Variable
from dicegames.rules.parts.types import DICE, NUMBER, Value
from dicegames.rules.parts.unknown import plain
from dicegames.rules.reading.builder import Builder, Handler, Place
from dicegames.rules.reading.collections import dice_literal
from dicegames.rules.reading.derive import applied, constant, demand_sound, held
from dicegames.syntax.nodes import Node


def _roll_all(builder: Builder, node: Node, scope: Scope, place: Place) -> int:
    """Collect the dice of every kind from all piles, and throw them."""
    names, span, entry = builder.names, node.span, place.next
    if not names.thrown:
        raise names.no_dice(span)
    for name, kind in reversed(names.thrown.items()):
        entry, counter = _throw(builder, span, name, entry, place)
        none = constant(names.variables[name].type, multiset.empty(len(kind.faces)))
        for pile, of in names.piles.items():
            if of == name:
                entry = builder.emit(Set(span, entry, names.variables[pile].base, none))
        entry = builder.emit(Set(span, entry, counter, constant(NUMBER, kind.count)))
    return entry


def _roll_count(builder: Builder, node: Node, scope: Scope, place: Place) -> int:
    """Build `roll 2 red`: of the dice that lie in no pile; with `more`, to those that lie."""
    first = node.child(0)
    wanted = Node("name", first.span, (first,)) if first.kind == "NAME" else first
    count = builder.checker.check(wanted, scope, NUMBER)
    more = any(part.kind == "MORE" for part in node.parts())
    of = node.parts()[-1] if node.parts()[-1].kind == "NAME" else None
    name = _kind(builder, of, scope, node.span)
    demand_sound(count)
    names, kind = builder.names, builder.names.kinds[name]
    table = names.variables[name].base
    piles = [p for p, of_kind in names.piles.items() if of_kind == name]
    away = [names.variables[p].base for p in piles if more or p != name]

    def run(env: Environment) -> Value:
        number = plain(count.run(env))
        left = kind.count - sum(sum(env[slot]) for slot in away)
        if not 0 <= number <= left:
            where = " in no pile" if left < kind.count else ""
            where = " beside those on the table" if more else where
            there = "there is" if left == 1 else "there are"
            message = f"{_to_throw(number)}, but {there} {left}{where}"
            raise RuleBroken(message, first.span, code="too-many-thrown")
        return number

    if count.constant and not 0 <= count.value() <= kind.count:
        there = "there is one" if kind.count == 1 else f"there are {kind.count}"
        message = f"{_to_throw(count.value())}, but {there}"
        raise RuleBroken(message, first.span, code="too-many-thrown")
    number = Expression(NUMBER, run, count.reads | frozenset(away), False, node.span)
    entry, counter = _throw(builder, node.span, name, place.next, place)
    if not more:
        none = constant(names.variables[name].type, multiset.empty(len(kind.faces)))
        entry = builder.emit(Set(node.span, entry, table, none))
    return builder.emit(Set(node.span, entry, counter, number))


def _to_throw(number: int) -> str:
    return "one die is to be thrown" if number == 1 else f"{number} dice are to be thrown"


def _kind(builder: Builder, word: Node | None, scope: Scope, span: Span) -> str:
    """Return the kind of dice that is named, else the first; raises Mistake."""
    kinds = builder.names.thrown
    if not kinds:
        raise builder.names.no_dice(span)
    name = next(iter(kinds)) if word is None else scope.called(word.text)
    if word is None or name in kinds:
        return name
    hint = NOT_NAMES.get(word.text) or did_you_mean(word.text, kinds)
    hint = hint or f"declare them: dice {word.text} = 2d6"
    if re.fullmatch(r"d\d+", word.text):  # roll 3d6
        number = builder.checker.text(span).removesuffix(word.text).strip()
        hint = f"what dice there are is declared once; here write: {number} dice"
    if name != word.text or word.text in scope.bound:
        hint = "only each k in ... goes through dice; else write a choice for each kind: roll 1 red"
    message = f'no dice are called "{word.text}"'
    raise Mistake("unknown-name", message, word.span, hint, missing=word.text)


def _roll_pile(builder: Builder, node: Node, scope: Scope, place: Place) -> int:
    dice = builder.checker.sound(node.child(0), scope)
    if dice.type is NUMBER:
        text = builder.checker.text(dice.span)
        several = text if text.isidentifier() or text.isdigit() else f"({text})"
        message = "what is thrown is dice, and this is a number"
        raise Mistake("wrong-type", message, node.span, f"write: roll {several} dice")
    builder.checker.demand(dice, node.child(0), DICE)
    name = dice.type.of[0]
    if name not in builder.names.thrown:
        message = f'what lies in "{name}" is drawn, not thrown'
        raise Mistake("wrong-type", message, node.span, f"write: draw 1 from {name} to PILE")
    pile = builder.names.variables[name]
    slot = pile.base
    aside = [other for other, kind in builder.names.piles.items() if kind == name != other]
    aside.sort(key=lambda other: other != builder.checker.text(dice.span))

    def count(env: Environment) -> Value:
        thrown = dice.run(env)
        if not multiset.contains(env[slot], thrown):
            message = "dice are thrown that do not lie on the table"
            hint = f"move them back first: move {aside[0]} to {name}" if aside else ""
            raise RuleBroken(message, node.child(0).span, code="not-on-the-table", help=hint)
        return sum(thrown)

    number = Expression(NUMBER, count, dice.reads | {slot}, False, node.span)
    throw, counter = _throw(builder, node.span, name, place.next, place, again=True)
    there = held(pile.type, slot, node.span)
    rest = applied(pile.type, multiset.subtract, node.span, there, dice)
    entry = builder.emit(Set(node.span, throw, slot, rest))
    return builder.emit(Set(node.span, entry, counter, number))


def _throw(
    builder: Builder, span: Span, kind_name: str, next: int, place: Place, *, again: bool = False
) -> tuple[int, int]:
    """Add the throw itself; return its number, and the slot that counts the dice to be thrown."""
    names = builder.names
    kind, pile = names.kinds[kind_name], names.variables[kind_name]
    counter = names.variables[f"{kind_name}.thrown"].base
    name = builder.node_name(place)
    throw = Throw(span, next, kind, pile.base, counter, name, again=again)
    return builder.emit(throw), counter


def _move_dice(builder: Builder, node: Node, scope: Scope, place: Place) -> int:
    what, from_node, to_node = node.child(0), node.children[1], node.child(2)
    target = _pile(builder, to_node)
    if what.kind == "literal":
        kind = (target if from_node is None else _pile(builder, from_node)).type.of[0]
        moved = dice_literal(builder.checker, what, scope, kind)
    else:
        moved = builder.checker.check(what, scope, DICE)
    demand_sound(moved)
    kind = moved.type.of[0]
    if from_node is None and what.kind == "name":
        named = what.child(0)
        from_node = named if named.text in builder.names.piles else None
    source = builder.names.variables[kind] if from_node is None else _pile(builder, from_node)
    if not moved.type == source.type == target.type:
        message = "dice are moved between piles of their own kind"
        fits = target.type == moved.type
        hint = "" if fits else f"declare it: pile {target.name} of {kind}"
        if target.name in builder.names.kinds and source.name not in builder.names.kinds:
            hint = f"declare it: pile {source.name} of {target.name}"
        raise Mistake("wrong-type", message, node.span, hint)
    return _emit_move(builder, node.span, moved, (source, target), place.next)


def _emit_move(
    builder: Builder, span: Span, moved: Expression, piles: tuple[Variable, Variable], next: int
) -> int:
    source, target = piles
    temporary = builder.names.local("moved.dice", moved.type, span).base
    a = source.base

    def taken(env: Environment) -> Value:
        dice = moved.run(env)
        if not multiset.contains(env[a], dice):
            message = f'dice are moved that are not in "{source.name}"'
            raise RuleBroken(message, span, code="not-in-the-pile")
        return dice

    entry = _emit_shift(builder, span, (a, target.base), temporary, next)
    value = Expression(moved.type, taken, moved.reads | {a}, False, span)
    return builder.emit(Set(span, entry, temporary, value))


def _emit_shift(builder: Builder, span: Span, piles: tuple[int, int], moved: int, next: int) -> int:
    """Take the dice in slot `moved` from one pile and put them onto another."""
    dice, entry = builder.names.slots[moved].type, next
    for slot, how in zip(piles, (multiset.subtract, multiset.add), strict=True):
        value = applied(dice, how, span, held(dice, slot, span), held(dice, moved, span))
        entry = builder.emit(Set(span, entry, slot, value))
    return entry


def _draw(builder: Builder, node: Node, scope: Scope, place: Place) -> int:
    """Build `draw 3 from cup to hand`: chance takes so many from one pile to another."""
    names, span = builder.names, node.span
    count = builder.checker.check(node.child(0), scope, NUMBER)
    target = _pile(builder, node.child(2))
    from_node = node.children[1]
    demand_sound(count)
    source = names.variables[target.type.of[0]] if from_node is None else _pile(builder, from_node)
    if source.type != target.type:
        message = "what is drawn goes to a pile of its own kind"
        hint = f"declare it: pile {target.name} of {source.type.of[0]}"
        raise Mistake("wrong-type", message, span, hint)
    a, kind = source.base, names.kind_of(source.type)

    def run(env: Environment) -> Value:
        number, left = plain(count.run(env)), sum(env[a])
        if not 0 <= number <= left:
            message = f'{number} are to be drawn, but "{source.name}" holds {left}'
            hint = f"write: draw lowest of (..., size of {source.name}) ..."
            raise RuleBroken(message, node.child(0).span, code="too-many-drawn", help=hint)
        return number

    none = multiset.empty(len(kind.faces))
    aside = Variable(f"{kind.name}.drawn", source.type, "turn", -1, 1, span, none)
    drawn = names.add_variable(aside).base
    counter = names.variables[f"{kind.name}.thrown"].base
    entry = _emit_shift(builder, span, (a, target.base), drawn, place.next)
    entry = builder.emit(Throw(span, entry, kind, drawn, counter, builder.node_name(place), a))
    entry = builder.emit(Set(span, entry, drawn, constant(source.type, none)))
    number = Expression(NUMBER, run, count.reads | {a}, False, span)
    return builder.emit(Set(span, entry, counter, number))


def _pile(builder: Builder, word: Node) -> Variable:
    if word.text not in builder.names.piles:
        hint = f"declare it: pile {word.text}"
        message = f'no pile is called "{word.text}"'
        raise Mistake("unknown-pile", message, word.span, hint, missing=word.text)
    return builder.names.variables[word.text]


HANDLERS: dict[str, Handler] = {
    "roll_all": _roll_all,
    "roll_count": _roll_count,
    "roll_pile": _roll_pile,
    "move_dice": _move_dice,
    "draw": _draw,
}
