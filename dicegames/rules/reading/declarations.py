"""Declarations of variables, maps, named expressions, and tables of rows."""

from __future__ import annotations

import re
from functools import reduce
from typing import Any

from attrs import evolve

from dicegames.ground.numbers import whole_number
from dicegames.ground.source import Span
from dicegames.rules.parts.flow import Expression
from dicegames.rules.parts.names import Mistake, Names, Scope, Variable
from dicegames.rules.parts.types import ANYTHING, NUMBER, TRUTH, Type, alike, common
from dicegames.rules.parts.value_text import told_apart
from dicegames.rules.reading import table_rows
from dicegames.rules.reading.checker import Checker
from dicegames.rules.reading.derive import constant, demand_sound
from dicegames.rules.reading.members import as_set_of
from dicegames.syntax.nodes import Node

SCOPES = {"each": "player", "table": "table", "this": "turn"}
MOST_BOXES = 24


def fixed(checker: Checker, node: Node, what: str) -> int:
    """Return a number that is known when the rules are read; raises Reported."""
    number = checker.sound(node, Scope(), NUMBER)
    demand_fixed(number, node.span, what)
    return int(number.value())


def demand_fixed(expression: Expression, span: Span, what: str = "this") -> None:
    """Raise Reported unless an expression is constant."""
    demand_sound(expression)
    if not expression.constant:
        message = f"{what} must be a fixed number"
        raise Mistake("not-fixed", message, span, "numbers and options are fixed")


# ---- variables


def range_meant(text: str) -> tuple[str, str] | None:
    """Return the ends of a range that is written as a difference, as `0-50`; None for all else."""
    found = re.fullmatch(r"(\d+) ?- ?(\d+)", text)
    return (found[1], found[2]) if found and int(found[1]) < int(found[2]) else None


def declare_variables(checker: Checker, nodes: list[Node]) -> None:
    """Declare the variables of the players, the table and the turn."""
    for node in nodes:
        scope = SCOPES[node.child(0).text.split()[0]]
        for part in node.parts()[1:]:
            _variable(checker, part, scope)


def _variable(checker: Checker, node: Node, scope: str) -> None:
    names = checker.names
    word, key, keys_node, _, bounds, capped = node.children
    assert word is not None
    if not names.declare(word.text, word.span):
        return
    keys: tuple[int, ...] = ()
    if keys_node is not None:
        keys = checker.check(keys_node, Scope(), Type("set")).type.of
    if bounds is None and capped is not None:
        low, high = range_meant(checker.text(node.child(3).span)) or ("0", "63")
        hint = f"write: {word.text} = {low} to {high} capped"
        names.report("capped", '"capped" needs a limit', capped.span, hint)
    whole = Variable(word.text, ANYTHING, scope, -1, 1, word.span, 0)
    whole = evolve(whole, capped=capped is not None, keys=keys)
    scopes = [Scope()]
    if key is not None and names.is_free(key.text, key.span):
        scopes = [Scope().bind(key.text, constant(NUMBER, k, key.span)) for k in keys]
    each = [_within(checker, node, inner, whole) for inner in scopes]
    first = each[0] if each else whole
    if any(v.type != first.type for v in each):
        message = f'"{word.text}" is not of one kind for all its numbers'
        names.report("wrong-type", message, node.child(3).span)
    width = (names.players if scope == "player" else 1) * max(1, len(keys))
    names.variables[word.text] = names.add_variable(evolve(first, width=width), each)


def _within(checker: Checker, node: Node, scope: Scope, whole: Variable) -> Variable:
    """Return a variable with its type, first value and limits, as they are in a scope."""
    bounds, found = node.children[4], whole
    with checker.names.going_on():
        begun = _begun(checker, node.child(3), scope, whole)
        if bounds is not None and begun.type.kind == "set":
            return _part_of(checker, bounds, scope, begun)
        found = begun
        if bounds is not None:
            return _limited(checker, bounds, scope, begun, node.child(3).span)
    return found


def _begun(checker: Checker, node: Node, scope: Scope, whole: Variable) -> Variable:
    """Return a variable with its type and first value; raises Reported."""
    if node.kind == "words":
        words = tuple(_word(part) for part in node.parts())
        checker.names.words.update(str(word) for word in words)
        return evolve(whole, type=Type("word", words), initial=words[0])
    value = checker.sound(node, scope, NUMBER, TRUTH, Type("set"), Type("word"))
    if not value.constant:
        hint = "what is known only in play is set there: if round = 1: ..."
        raise Mistake("not-fixed", "a variable starts with a fixed value", node.span, hint)
    return evolve(whole, type=value.type, initial=value.value())


def _limited(
    checker: Checker, bounds: Node, scope: Scope, variable: Variable, start: Span
) -> Variable:
    """Return a number with its limits; raises Reported."""
    limits, name = bounds.parts(), variable.name
    if bounds.kind == "bounds" and len(limits) < 2:
        message = f'"{name}" is {variable.type}: its limits are not given'
        raise Mistake("limit", message, limits[0].span, "write: from 0 to 9")
    found = [checker.check(limit, scope, NUMBER) for limit in limits]
    for value, limit in zip(found, limits, strict=True):
        demand_fixed(value, limit.span, "a limit")
    if variable.type is not NUMBER:
        message = f'"{name}" is {variable.type}: only numbers have a limit'
        raise Mistake("limit", message, limits[0].span)
    ends = [value.value() for value in found]
    low, high = sorted(ends if len(ends) == 2 else (variable.initial, *ends))
    if not low <= variable.initial <= high:
        message = f'"{name}" starts with {variable.initial}, outside of {low} to {high}'
        checker.names.report("limit", message, start)
    return evolve(variable, within=range(low, high + 1))


def _part_of(checker: Checker, bounds: Node, scope: Scope, variable: Variable) -> Variable:
    """Return a set that begins with some members of those it may have: `() from (1 to 6)`."""
    ends = bounds.parts()
    node = ends[0] if len(ends) < 2 else Node("range", bounds.span, tuple(ends))
    if bounds.kind == "up_to":
        message = f'"{variable.name}" is a set: say what it may hold'
        raise Mistake("limit", message, bounds.span, "write: from (1 to 9)")
    whole = checker.sound(node, scope, Type("set"))
    demand_fixed(whole, node.span)
    begin = as_set_of(constant(variable.type, variable.initial), whole.type)
    if begin.type != whole.type:
        message = f'"{variable.name}" starts with what it cannot hold'
        checker.names.report("limit", message, node.span)
    return evolve(variable, type=whole.type, initial=begin.value())


def _word(node: Node) -> str | int:
    number = whole_number(node.text)
    return node.text if number is None else number


# ---- maps and named expressions


def declare_maps(checker: Checker, nodes: list[Node]) -> None:
    """Declare the maps from numbers or faces to values of one type."""
    names = checker.names
    for node in nodes:
        word = node.child(0)
        if not names.declare(word.text, word.span):
            continue
        entries: dict[Any, Any] = {}
        otherwise, values = None, list[Expression]()
        for part in node.parts()[1:]:
            *key, value = [checker.check(p, Scope()) for p in part.parts()]
            values.append(value)
            if part.kind == "map_otherwise":
                otherwise = value
                continue
            with names.going_on():
                _demand_one(key[0], part.parts()[0])
                for said in (*key, value):
                    demand_fixed(said, said.span)
                if key[0].value() in entries:
                    hint = "each has one entry: leave one of them out"
                    raise Mistake("name-taken", "this entry is given twice", part.span, hint)
                entries[key[0].value()] = value.value()
        of = ANYTHING
        with names.going_on():
            of = _type_of_all(values)
        names.maps[word.text] = (entries, otherwise, of)


def _type_of_all(values: list[Expression]) -> Type:
    """Return the type of the values of a map: faces, if one is a word."""
    if any(value.type is ANYTHING for value in values):
        return ANYTHING
    of_faces, found = any(value.type.kind == "word" for value in values), list[Type]()
    for value in values:
        is_face = of_faces and value.constant and value.type is NUMBER
        found.append(Type("word", (value.value(),)) if is_face else value.type)
        if not alike(found[0], found[-1]):
            one, other = told_apart(found[0], found[-1])
            message = f"one value of the map is {one}, this is {other}"
            raise Mistake("wrong-type", message, value.span)
    return reduce(common, found)


def _demand_one(key: Expression, node: Node) -> None:
    """Raise Mistake where an entry of a map is for several things, such as for 1-3."""
    of_two = node.kind == "minus" and [part.kind for part in node.parts()] == ["integer", "integer"]
    if of_two or key.type.kind in ("set", "values"):
        message = "an entry of a map is for one number or one face"
        raise Mistake("wrong-type", message, node.span, "write a line for each of them")


def declare_macros(names: Names, nodes: list[Node]) -> None:
    """Declare the named expressions."""
    for node in nodes:
        word, given = node.child(0), node.children[1]
        if names.declare(word.text, word.span):
            body = node.child(2)
            if node.kind != "means":
                body = Node(node.kind, node.span, node.children[2:])
            parameters = [] if given is None else given.parts()
            names.macros[word.text] = (tuple(p.text for p in parameters), body)
            _report_twice(names, parameters)


def _report_twice(names: Names, parameters: list[Node]) -> None:
    for at, word in enumerate(parameters):
        if word.text in [before.text for before in parameters[:at]]:
            message = f'the name "{word.text}" is used twice'
            names.report("name-taken", message, word.span, "give each of them its own")


def declare_steps(names: Names, nodes: list[Node]) -> None:
    """Declare the steps of a turn."""
    for node in nodes:
        if names.declare(node.child(0).text, node.child(0).span):
            names.steps[node.child(0).text] = node


# ---- tables


def declare_tables(checker: Checker, nodes: list[Node]) -> None:
    """Declare the tables of rows, and for each player the set of used boxes."""
    names = checker.names
    shells: list[table_rows.Shell] = []
    boxes = 0
    for node in nodes:
        word = node.child(1)
        if not names.declare(word.text, word.span):
            continue
        one_use = node.child(0).text == "boxes"
        found: list[table_rows.Shell] = []
        with names.going_on(node.child(0).text, *(part.child(2).text for part in node.parts()[2:])):
            found = table_rows.shells(checker, node, word.text, boxes if one_use else -1)
        shells.extend(found)
        boxes += len(found) if one_use else 0
        names.tables[word.text] = [row for row, _, _ in found]
        if one_use:
            names.boxes.append(word.text)
        for row, part, _ in found:
            if row.label in names.rows:
                message = f'two rows are called "{row.label}"'
                hint = "give one of them another name"
                names.report("name-taken", message, part.child(2).span, hint)
            names.rows[row.label] = row
    if boxes > MOST_BOXES:
        message = f"{boxes} boxes are too many, {MOST_BOXES} at most"
        names.report("too-many-boxes", message, nodes[-1].child(1).span)
    if boxes:
        whole = Type("set", tuple(range(boxes)))
        used = Variable("used", whole, "player", -1, names.players, Span(0, 0), 0)
        names.variables["used"] = names.add_variable(used)
    _fill(checker, shells)


def _fill(checker: Checker, shells: list[table_rows.Shell]) -> None:
    """Check the rows; once more if what a row reads was not known when another used it."""
    for _ in range(3):
        before = [row.reads for row, _, _ in shells]
        for row, node, scope in shells:
            with checker.names.going_on():
                table_rows.fill(checker, row, node, scope)
        if before == [row.reads for row, _, _ in shells]:
            return
