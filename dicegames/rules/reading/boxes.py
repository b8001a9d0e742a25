"""Boxes: the rows of tables as values, open or used, and what they pay."""

from __future__ import annotations

from collections.abc import Callable
from functools import reduce

from attrs import evolve

from dicegames.ground.source import Span
from dicegames.rules.parts.broken import RuleBroken
from dicegames.rules.parts.flow import Environment, Expression, read_by
from dicegames.rules.parts.names import Names, Scope
from dicegames.rules.parts.patterns import matches
from dicegames.rules.parts.rows import Box, Boxes
from dicegames.rules.parts.types import BOX, BOXES, DICE, NUMBER, TRUTH, Type, Value
from dicegames.rules.parts.unknown import both, negate, plain
from dicegames.rules.reading.checker import Checker, Handler, negated
from dicegames.rules.reading.derive import applied, constant, derived, reading
from dicegames.rules.reading.pattern_reader import named_box, read_for_one_kind, read_pattern
from dicegames.syntax.nodes import Node

# ---- open and used


def _is_box(checker: Checker, node: Node, scope: Scope) -> Expression:
    box = checker.check(node.child(0), scope, BOX)
    used = checker.used_boxes(scope, node.span)
    wanted = node.child(1).text == "used"

    def is_so(named: Value, mask: Value) -> Value:
        has = named.row.used_in(mask)
        return has if wanted else negate(has)

    return applied(TRUTH, is_so, node.span, box, used)


def _all_boxes(checker: Checker, node: Node, scope: Scope) -> Expression:
    boxes = checker.check(node.child(0), scope, BOXES)
    whose = range(checker.names.players) if scope.everyone else (scope.player,)
    used = [checker.used_boxes(evolve(scope, player=p), node.span) for p in whose]
    excluded = "open" if node.child(1).text == "used" else "used"

    def none_is(every: Boxes, *masks: Value) -> Value:
        return reduce(both, (every.restricted(excluded, mask).empty() for mask in masks))

    return applied(TRUTH, none_is, node.span, boxes, *used)


def _open(checker: Checker, node: Node, scope: Scope) -> Expression:
    boxes = checker.check(node.child(0), scope, BOXES)
    used = checker.used_boxes(scope, node.span)
    return applied(BOXES, lambda all_, mask: all_.restricted("open", mask), node.span, boxes, used)


def is_among(box: Box, boxes: Boxes) -> Value:
    """Tell whether a box is one of several."""
    for candidate, present in boxes.members():
        if candidate.row.label == box.row.label:
            return present
    return False


def _label(checker: Checker, node: Node, scope: Scope) -> Expression:
    text = node.child(0).text
    return constant(BOX, checker.names.row_called(text, node.span).box(), node.span)


# ---- what the dice show


def _shows(checker: Checker, node: Node, scope: Scope) -> Expression:
    dice = checker.sound(node.child(0), scope, DICE)
    box = named_box(checker, node.child(1), scope)
    if box is not None:

        def run(env: Environment) -> Value:
            shown = box.run(env)
            return shown.shown(dice.run(env), env)

        result = derived(TRUTH, run, node.span, dice, box)
        return reading(result, row_reads(checker.names, box))
    kind, said = checker.names.kind_of(dice.type), node.child(0)
    if said.kind == "name" and scope.called(said.child(0).text) != said.child(0).text:
        pattern = read_for_one_kind(checker, node.child(1), scope, kind)  # in `each k in hand`
    else:
        pattern = read_pattern(checker, node.child(1), scope, kind)
    if pattern is None:
        return constant(TRUTH, False, node.span)
    return applied(TRUTH, lambda shown: bool(matches(pattern, shown)), node.span, dice)


# ---- what they pay


def points(checker: Checker, part: Expression, span: Span) -> Expression | None:
    """Check `points of BOX`: what the dice on the table score in it, 0 without a match."""

    def found(box: Value, dice: Value, env: Environment) -> Value:
        return box.points(dice, env) if box else 0

    return _with_dice(checker, part, BOX, NUMBER, found, span)


def best(checker: Checker, part: Expression, span: Span) -> Expression | None:
    """Check `best of BOXES`: the row that pays most for the dice on the table."""

    def found(boxes: Value, dice: Value, env: Environment) -> Value:
        box = boxes.best(dice, env)
        if box is None:
            message = "the dice show no row of the table"
            hint = 'add a last row that they always show: "Nothing"  any dice  pays 0'
            raise RuleBroken(message, span, code="no-row", help=hint)
        return box

    return _with_dice(checker, part, BOXES, BOX, found, span)


def spare(checker: Checker, part: Expression, span: Span) -> Expression | None:
    """Check `spare of BOX`: the dice on the table that it does not need."""

    def found(box: Value, dice: Value, env: Environment) -> Value:
        ways = box.spare(dice, env)
        if len(ways) == 1:
            (only,) = ways
            return only
        is_shown = plain(box.shown(dice, env))
        message = f'which dice "{box}" needs is open' + _NOT_SHOWN * (not is_shown)
        hint = _to_know_spare(box, is_shown=is_shown)
        raise RuleBroken(message, span, code="spare-open", help=hint)

    pile = checker.names.main_pile()
    return _with_dice(checker, part, BOX, pile.type if pile else DICE, found, span)


_NOT_SHOWN = ", since the dice do not show it"
_ONLY_SHOWN = "do not let it be picked then: one of ... as NAME where dice show NAME"
_NAMED = "let the player name its faces: one of ... as NAME naming its faces"


def _to_know_spare(box: Box, *, is_shown: bool) -> str:
    """Say how the rules can make clear which dice a row needs."""
    is_run = any(alternative.pattern.run for alternative in box.row.alternatives)
    letters = "write the run with letters, as in x y z where y = x + 1 and z = x + 2, and "
    named = letters * is_run + _NAMED
    return named if is_shown else f"{_ONLY_SHOWN}; or {named}"


def _with_dice(
    checker: Checker,
    part: Expression,
    wanted: Type,
    type: Type,
    found: Callable[[Value, Value, Environment], Value],
    span: Span,
) -> Expression | None:
    """Return what is found for `part` and the dice on the table; it reads what its rows read."""
    pile = checker.names.main_pile()
    if part.type is not wanted or pile is None:
        return None
    slot = pile.base

    def run(env: Environment) -> Value:
        return found(part.run(env), env[slot], env)

    reads = part.reads | {slot} | row_reads(checker.names, part)
    return Expression(type, run, reads, False, span)


def row_reads(names: Names, part: Expression) -> frozenset[int]:
    """Return the slots that the rows of an expression may read."""
    rows = [row for table in names.tables.values() for row in table]
    if part.constant and isinstance(part.value(), Box):
        rows = [part.value().row]
    elif part.constant and isinstance(part.value(), Boxes):
        rows = list(part.value().rows)
    return read_by(rows)


HANDLERS: dict[str, Handler] = {
    "is_box": _is_box,
    "is_not_box": negated(_is_box),
    "all_boxes": _all_boxes,
    "open_": _open,
    "label": _label,
    "shows": _shows,
}
