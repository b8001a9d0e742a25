"""`F of X`: named expressions, variables of players, maps, and the functions of the language."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial, reduce

from attrs import evolve

from dicegames.ground.diagnostic import did_you_mean
from dicegames.ground.source import Span
from dicegames.rules.parts.broken import RuleBroken
from dicegames.rules.parts.flow import Environment, Expression
from dicegames.rules.parts.names import Mistake, Reported, Scope, Variable
from dicegames.rules.parts.rows import Boxes
from dicegames.rules.parts.types import ANYTHING, NUMBER, PLAYER, PLAYERS, VALUES, WORD, Type, Value
from dicegames.rules.parts.unknown import (
    compare,
    either,
    larger,
    plain,
    select,
    smaller,
    weigh_bits,
)
from dicegames.rules.parts.value_text import members_text
from dicegames.rules.reading import boxes
from dicegames.rules.reading.checker import Checker, Handler, arguments
from dicegames.rules.reading.derive import applied, constant, demand_sound, derived, remembered
from dicegames.rules.reading.members import can_be_one, member_type, members
from dicegames.rules.reading.places import place
from dicegames.syntax.hints import CALLED
from dicegames.syntax.mistakes import SIMILAR
from dicegames.syntax.nodes import Node

Function = Callable[[Checker, Expression, Span], Expression | None]
"""Applies a function to what follows `of`; None if it does not go with that."""
USUAL_MEANING = (
    'a variable is called "{0}": give it another name, and "{0} of" has its usual meaning'
)
_WITH_PLAYERS = "it goes with a player, such as: {0} of mover"
_WITH_DICE = (
    "it goes with dice and sets: {0} of dice; how often a face lies there is: number of 6 in dice"
)
GOES_WITH = {
    **{word: _WITH_PLAYERS.format(word) for word in ("others", "left", "right", "place")},
    **{word: _WITH_DICE.format(word) for word in ("sum", "size", "highest", "lowest", "distinct")},
    "points": "it goes with a row or a box that is picked, such as: one of open boxes as c",
    "spare": "it goes with a row or a box that is picked, such as: one of open boxes as c",
    "best": "it goes with a table: points of best of worth, where the table is: patterns worth",
}
"""What a function of the language goes with."""
NOT_FIXED = "who the winner is shows only at the end: each p in players, if place of p = 1: ..."


def _name(checker: Checker, node: Node, scope: Scope) -> Expression:
    name, wanted = node.child(0).text, checker.wanted
    found = checker.find(name, node.span, scope)
    if found is None:
        fits = partial(checker.can_be, span=node.span, scope=scope, wanted=wanted)
        raise checker.names.unknown_name(name, node.span, scope, fits)
    return found


def _of(checker: Checker, node: Node, scope: Scope) -> Expression:
    word, argument = node.child(0), node.child(1)
    name, names = word.text, checker.names
    if name in names.macros:
        return checker.expand(name, argument, node.span, scope)
    if name in names.variables and name not in scope.bound and name not in CALLS:
        return _variable(checker, node, scope)
    if name in names.maps:
        return _map(checker, node, scope)
    if name not in CALLS:
        hint = did_you_mean(name, [*CALLS, *names.known_before_of()], SIMILAR)
        hint = f"write: {CALLED[name]} of ..." if name in CALLED else hint
        is_face = argument.kind in ("integer", "name") and argument.child(0).text not in names.piles
        if name == "count" and is_face:  # of so many in the dice
            hint = f"write: number of {argument.child(0).text} in dice"
        hint = hint or f"say what it is: {name} of n means ...; or in a table: map {name}"
        message = f'"{name} of ..." is not known'
        raise Mistake("unknown-function", message, word.span, hint, missing=name)
    part = checker.sound(argument, scope)
    if name in names.variables and part.type in (PLAYER, NUMBER):
        return _variable(checker, node, scope)
    result = CALLS[name](checker, part, node.span)
    if result is None:
        message = f'"{name} of" does not go with {part.type}'
        words = part.type.kind == "dice" and not names.kind_of(part.type).numeric
        hint = "some faces are words: sum of (worth of f) over each die f in dice, with a map worth"
        hint = hint if words else NOT_FIXED if part.type is PLAYER and not part.constant else ""
        hint = hint or (checker.set_meant(part) if part.type is NUMBER else "")
        raise Mistake("wrong-type", message, argument.span, hint or GOES_WITH[name])
    return result


def _variable(checker: Checker, node: Node, scope: Scope) -> Expression:
    """Check `total of p`: the variable of a player."""
    variable = checker.names.variables[node.child(0).text]
    if variable.keys:
        return _keyed(checker, variable, node, scope)
    argument = checker.sound(node.child(1), scope)
    if variable.type is ANYTHING:
        raise Reported
    message, hint = f'"{variable.name} of" does not go with {argument.type}', ""
    if variable.scope != "player" and variable.name != "seat":
        hint = f'there is one "{variable.name}" for all: leave out "of ..."'
    elif argument.type is PLAYER and argument.constant:
        return checker.read(variable, evolve(scope, player=argument.value()), node.span)
    elif argument.type is PLAYER:  # the winner
        if variable.type is NUMBER:
            return _of_some_player(checker, variable, argument, scope, node.span)
        hint = NOT_FIXED
    hint = usual_meaning(variable) or hint
    raise Mistake("wrong-type", message, node.child(1).span, hint)


def usual_meaning(variable: Variable) -> str:
    """Return what to do where a variable has the name of a function, such as `left`; else ""."""
    return USUAL_MEANING.format(variable.name) if variable.name in CALLS else ""


def _of_some_player(
    checker: Checker, variable: Variable, player: Expression, scope: Scope, span: Span
) -> Expression:
    """Return the number of the player whom an expression tells."""
    everyone = range(checker.names.players)
    numbers = [checker.read(variable, evolve(scope, player=p), span) for p in everyone]

    def number(who: Value, first: Value, *others: Value) -> Value:
        choice = enumerate(others, 1)
        return reduce(lambda rest, p: select(compare("eq", who, p[0]), p[1], rest), choice, first)

    return applied(NUMBER, number, span, player, *numbers)


def _keyed(checker: Checker, variable: Variable, node: Node, scope: Scope) -> Expression:
    """Check `progress of 7`: one of the several values of a variable."""
    argument, player = key_of(checker, variable, node.child(1), scope)
    positions = variable.positions(player)

    def run(env: Environment) -> Value:
        key = plain(argument.run(env))
        if key not in positions:
            message = f'"{variable.name}" has no value for {key}'
            raise RuleBroken(message, node.span, code="no-value")
        return env[variable.base + positions[key]]

    slots = frozenset(variable.base + p for p in positions.values())
    return Expression(variable.type, run, slots | argument.reads, False, node.span)


def key_of(
    checker: Checker, variable: Variable, said: Node, scope: Scope
) -> tuple[Expression, int]:
    """Return the key after `of`, and whose value it is: `progress of 7`, `progress of (7, p)`.

    Raises Reported for what is no such thing.
    """
    own = variable.scope == "player"
    if own and said.kind == "of_" and said.child(0).text in scope.bound:
        word = said.child(0).text
        hint = f"write: {variable.name} of ({word}, {checker.text(said.child(1).span)})"
        raise Mistake("unknown-function", f'"{word} of ..." is not known', said.child(0).span, hint)
    given = arguments(said, 2 if own else 1)
    key, sample = checker.check(given[0], scope), f"{variable.name} of ({variable.keys[0]}, p)"
    if key.type not in (NUMBER, ANYTHING):
        message = f"expected a number, but this is {key.type}"
        hint = f"say of which: {variable.name} of {variable.keys[0]}"
        hint += f", or {sample}" if own else ""
        hint = checker.what_instead(key, NUMBER) or hint
        raise Mistake("wrong-type", message, given[0].span, hint)
    if variable.type is ANYTHING:
        raise Reported
    demand_sound(key)
    if len(given) == 1:
        return key, scope.player
    player = checker.sound(given[1], scope, PLAYER)
    if len(given) > 2 or not player.constant:
        message = f'"{variable.name} of" does not go with this'
        hint = f"write: {sample}, with a player such as left of mover"
        raise Mistake("wrong-type", message, said.span, hint)
    return key, player.value()


def _map(checker: Checker, node: Node, scope: Scope) -> Expression:
    """Check `jump of square`: the entry of a map."""
    name = node.child(0).text
    entries, otherwise, of = checker.names.maps[name]
    argument = checker.check(node.child(1), scope, NUMBER, WORD)
    if name in checker.names.doubtful and otherwise is None:
        raise Reported  # the entry may be one of those with mistakes
    is_number = node.child(1).kind == "integer"  # 3, as it is written
    no_number = not any(isinstance(key, int) for key in entries)
    if entries and (not can_be_one(argument, tuple(entries)) or (is_number and no_number)):
        message = f'the map "{name}" has entries for {members_text(tuple(entries))}, not for this'
        hint = f"write, for example: {name} of {next(iter(entries))}"
        raise Mistake("wrong-type", message, argument.span, hint)

    def run(env: Environment) -> Value:
        key = plain(argument.run(env))
        if key in entries:
            return entries[key]
        if otherwise is None:
            message = f'the map "{name}" has no entry for {key}'
            raise RuleBroken(message, node.span, code="no-entry", help="add: otherwise -> ...")
        return otherwise.run(env)

    parts = [argument] if otherwise is None else [argument, otherwise]
    return derived(of, run, node.span, *parts)


# ---- the functions of the language


def _sum(checker: Checker, part: Expression, span: Span) -> Expression | None:
    if part.type.kind == "set" and member_type(checker.names, part.type) is NUMBER:
        weights = part.type.of
        return applied(NUMBER, lambda mask: weigh_bits(mask, weights), span, part)
    if part.type.kind == "dice" and (kind := checker.names.kind_of(part.type)).numeric:
        return applied(NUMBER, kind.total, span, part)
    return None


def _size(checker: Checker, part: Expression, span: Span) -> Expression | None:
    ones = (1,) * len(part.type.of)
    sizes: dict[str, Callable[[Value], Value]] = {
        "set": lambda mask: weigh_bits(mask, ones),
        "dice": sum,
        "boxes": Boxes.size,
        "players": len,
    }
    how = sizes.get(part.type.kind)
    return None if how is None else applied(NUMBER, how, span, part)


def _extreme(checker: Checker, part: Expression, span: Span, word: str) -> Expression | None:
    if part.type == Type(VALUES.kind, ("number",)):
        join = larger if word == "highest" else smaller
        return applied(NUMBER, partial(reduce, join), span, part)
    if part.type.kind not in ("dice", "set"):
        return None
    if member_type(checker.names, part.type) is not NUMBER:
        return None
    list_members = members(checker.names, part.type)

    def extreme(whole: Value) -> Value:
        found = [one for one in list_members(whole) if one[1] is not False]
        if not found or not plain(reduce(either, (there for _, there in found))):
            raise RuleBroken(f"the {word} of nothing is asked for", span, code="of-nothing")
        found.sort(reverse=word == "lowest")  # what is asked for first comes last
        return reduce(lambda rest, one: select(one[1], one[0], rest), found[1:], found[0][0])

    return remembered(applied(NUMBER, extreme, span, part))


def _distinct(checker: Checker, part: Expression, span: Span) -> Expression | None:
    if part.type.kind != "dice":
        return None
    return applied(NUMBER, lambda dice: sum(1 for count in dice if count), span, part)


def _others(checker: Checker, part: Expression, span: Span) -> Expression | None:
    if part.type is not PLAYER or not part.constant:
        return None
    checker.names.ask_players()
    left = tuple(p for p in range(checker.names.players) if p != part.value())
    return constant(PLAYERS, left, span)


def _away(checker: Checker, part: Expression, span: Span, places: int) -> Expression | None:
    """Return the player so many places after one: play goes round to the left."""
    if part.type is not PLAYER or not part.constant:
        return None
    checker.names.ask_players()
    return constant(PLAYER, (part.value() + places) % checker.names.players, span)


CALLS: dict[str, Function] = {
    "others": _others,
    "left": partial(_away, places=1),
    "right": partial(_away, places=-1),
    "place": lambda checker, part, span: place(checker.names, part, span),
    "sum": _sum,
    "size": _size,
    "highest": partial(_extreme, word="highest"),
    "lowest": partial(_extreme, word="lowest"),
    "distinct": _distinct,
    "points": boxes.points,
    "best": boxes.best,
    "spare": boxes.spare,
}

HANDLERS: dict[str, Handler] = {"name": _name, "of_": _of}
