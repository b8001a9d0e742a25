"""Sentences over the members of a collection: every, some, no, those, sum of ... over."""

from __future__ import annotations

from collections.abc import Callable
from functools import reduce

from attrs import evolve

from dicegames.rules.parts.flow import Environment, Expression
from dicegames.rules.parts.names import Mistake, Scope, Variable
from dicegames.rules.parts.types import (
    BOXES,
    DICE,
    NUMBER,
    PLAYER,
    PLAYERS,
    SET,
    TRUTH,
    Type,
    Value,
)
from dicegames.rules.parts.unknown import (
    both,
    either,
    known,
    larger,
    negate,
    plain,
    select,
    smaller,
    where,
)
from dicegames.rules.reading.checker import Checker, Handler
from dicegames.rules.reading.derive import binding, constant, derived, joined, negation_of
from dicegames.rules.reading.members import listing, member_type
from dicegames.syntax.nodes import Node

Join = Callable[[Value, Value], Value]
JOINS: dict[str, Join] = {"sum": lambda a, b: a + b, "highest": larger, "lowest": smaller}


def _member(checker: Checker, word: Node, whole: Expression) -> Variable:
    """Return the variable that stands for each member."""
    of = member_type(checker.names, whole.type)
    return checker.names.named(word, of)


def _quantified(checker: Checker, node: Node, scope: Scope) -> Expression:
    quantity, word = node.child(0).text, node.child(1)
    whole = checker.sound(node.child(2), scope, DICE, SET, BOXES, PLAYERS)
    if whole.type is PLAYERS:
        return _quantity(quantity, _each_player(checker, node.child(3), word, whole, scope), node)
    member = _member(checker, word, whole)
    condition = checker.check(node.child(3), scope.bind(word.text, member), TRUTH)
    list_members, slot = listing(checker.names, whole), member.base
    every = quantity == "every"

    def run(env: Environment) -> Value:
        result: Value = every
        for value, present in list_members(env):
            if present is False:
                continue
            env[slot] = value
            asked = both(present, result if every else negate(result))
            holds = where(asked, condition.run, env)
            if every:
                result = known(both(result, either(negate(present), holds)))
            else:
                result = known(either(result, both(present, holds)))
            if result is (not every):
                break
        return negate(result) if quantity == "no" else result

    return binding(TRUTH, run, node.span, slot, whole, condition)


def _players_have(checker: Checker, node: Node, scope: Scope) -> Expression:
    quantity = node.child(0).text
    parts = [
        checker.check(node.child(1), evolve(scope, player=p, everyone=False), TRUTH)
        for p in range(checker.names.players)
    ]
    return _quantity(quantity, parts, node)


def _quantity(quantity: str, parts: list[Expression], node: Node) -> Expression:
    result = joined(both if quantity == "every" else either, parts, node.span)
    return negation_of(result, node.span) if quantity == "no" else result


def _each_player(
    checker: Checker, node: Node, word: Node, whole: Expression, scope: Scope, type: Type = TRUTH
) -> list[Expression]:
    """Check a sentence once for each of some players."""
    checker.names.is_free(word.text, word.span)
    scopes = [scope.bind(word.text, constant(PLAYER, p, word.span)) for p in whole.value()]
    return [checker.check(node, inner, type) for inner in scopes]


def _over(checker: Checker, node: Node, scope: Scope) -> Expression:
    how, word = node.child(0), node.child(2)
    if how.text not in JOINS:
        message = f'"{how.text} of ... over ..." is not known'
        hint = "use sum, highest or lowest"
        if how.text in checker.names.variables or how.text in checker.names.macros:
            hint = f"what is added up is written in brackets: sum of ({how.text} of ...) over ..."
        raise Mistake("unknown-function", message, how.span, hint)
    whole = checker.sound(node.child(3), scope, DICE, SET, BOXES, PLAYERS)
    if whole.type is PLAYERS:
        parts = _each_player(checker, node.child(1), word, whole, scope, NUMBER)
        return _over_parts(JOINS[how.text], parts, node)
    member = _member(checker, word, whole)
    each = checker.check(node.child(1), scope.bind(word.text, member), NUMBER)
    list_members, slot, join = listing(checker.names, whole), member.base, JOINS[how.text]
    if how.text == "sum" and whole.type.kind == "dice" and slot in each.reads:
        _remark_on_faces(checker, node, whole, each)

    def run(env: Environment) -> Value:
        result: Value = None
        for value, present in list_members(env):
            there = plain(present) if result is None and how.text != "sum" else present
            if there is False:
                continue
            env[slot] = value
            found = where(there, each.run, env, otherwise=0)
            if result is None:
                result = select(there, found, 0)
            elif how.text == "sum":
                result = result + select(there, found, 0)  # each part counts by itself as a reward
            else:
                result = select(there, join(result, found), result)
        return 0 if result is None else result

    return binding(NUMBER, run, node.span, slot, whole, each)


def _remark_on_faces(checker: Checker, node: Node, whole: Expression, each: Expression) -> None:
    """Remark a sum over faces that never asks how many dice show them: all dice may be meant."""
    names = checker.names
    if whole.reads & each.reads or names.kind_of(whole.type).count == 1:
        return
    word, of = node.child(2).text, node.child(3).span
    text = names.diagnostics.source.at(of)
    message = f"each face of {text} counts once here, however many dice show it"
    hint = f"for every die write: over each die {word} in {text}"
    names.diagnostics.remark("each-face-once", message, node.span, hint)


def _over_dice(checker: Checker, node: Node, scope: Scope) -> Expression:
    """Check `sum of (...) over each die f in dice`: each die counts, not each face."""
    how, word = node.child(0), node.child(3)
    if how.text != "sum":
        message = f'"{how.text} of ... over each die" is not known'
        hint = f"write: {how.text} of ... over {word.text} in ..."
        raise Mistake("unknown-function", message, how.span, hint)
    whole = checker.sound(node.child(4), scope, DICE)
    member = _member(checker, word, whole)
    each = checker.check(node.child(1), scope.bind(word.text, member), NUMBER)
    faces, slot = checker.names.kind_of(whole.type).faces, member.base

    def run(env: Environment) -> Value:
        result: Value = 0
        for face, count in zip(faces, whole.run(env), strict=True):
            if count:
                env[slot] = face
                result = result + count * each.run(env)
        return result

    return binding(NUMBER, run, node.span, slot, whole, each)


def _over_parts(join: Join, parts: list[Expression], node: Node) -> Expression:
    if not parts:
        return constant(NUMBER, 0, node.span)
    return derived(NUMBER, lambda env: reduce(join, (p.run(env) for p in parts)), node.span, *parts)


def _those(checker: Checker, node: Node, scope: Scope) -> Expression:
    word = node.child(0)
    whole = checker.sound(node.child(1), scope, DICE, SET)
    member = _member(checker, word, whole)
    condition = checker.check(node.child(2), scope.bind(word.text, member), TRUTH)
    slot = member.base
    if whole.type.kind == "set":
        list_members = listing(checker.names, whole)

        def subset(env: Environment) -> Value:
            mask: Value = 0
            for bit, (number, present) in enumerate(list_members(env)):
                env[slot] = number
                if present is not False:
                    holds = both(present, where(present, condition.run, env))
                    mask = mask + select(holds, 1 << bit, 0)
            return mask

        return binding(whole.type, subset, node.span, slot, whole, condition)
    faces = checker.names.kind_of(whole.type).faces

    def run(env: Environment) -> Value:
        kept = []
        for face, count in zip(faces, whole.run(env), strict=True):
            env[slot] = face
            kept.append(count if count and plain(condition.run(env)) else 0)
        return tuple(kept)

    return binding(whole.type, run, node.span, slot, whole, condition)


HANDLERS: dict[str, Handler] = {
    "quantified": _quantified,
    "players_have": _players_have,
    "over": _over,
    "over_dice": _over_dice,
    "those": _those,
}
