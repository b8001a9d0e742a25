"""Conditions: and, or, not, comparisons, `... if ... else ...`."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from attrs import evolve

from dicegames.ground.diagnostic import did_you_mean
from dicegames.ground.source import Span
from dicegames.rules.parts.flow import Environment, Expression
from dicegames.rules.parts.names import Mistake, Scope
from dicegames.rules.parts.types import ANYTHING, BOX, NUMBER, TRUTH, Type, Value, alike, common
from dicegames.rules.parts.unknown import both, compare, either, known, negate, plain, select, where
from dicegames.rules.parts.value_text import told_apart
from dicegames.rules.reading.checker import Checker, Handler
from dicegames.rules.reading.derive import (
    applied,
    constant,
    demand_sound,
    derived,
    is_always,
    joined,
    negation_of,
)
from dicegames.rules.reading.members import as_face, as_number, as_set_of, named
from dicegames.syntax.nodes import Node

NEVER_OPEN = ("dice", "box", "boxes")
"""What is never open: of such things, one is chosen."""
COMPARISON_NAMES = {"!=": "ne", "<": "lt", "<=": "le", ">": "gt", ">=": "ge"}


# ---- and, or, not


def _chain(
    checker: Checker, node: Node, scope: Scope, how: Callable[[Value, Value], Value]
) -> Expression:
    for part in node.parts():
        mixed = part.kind in ("and_", "or_") and part.kind != node.kind
        if mixed and not part.bracketed:
            message = '"and" and "or" are mixed without brackets'
            hint = 'put brackets around what belongs together: "a or (b and c)"'
            checker.names.report("mixed-and-or", message, part.span, hint)
    parts, decided = [], False
    for part in node.parts():
        with checker.never(when=decided):
            parts.append(checker.check(part, scope, TRUTH))
        decided = decided or is_always(parts[-1], how is either)
    _remark_on_players(checker, node, parts)
    return joined(how, parts, node.span)


def _remark_on_players(checker: Checker, node: Node, parts: list[Expression]) -> None:
    """Remark on `any player has a and b` where b is asked of the player to move only."""
    names, said = checker.names, node.parts()
    first = next((p for p in said if p.kind == "players_have" and not p.bracketed), None)
    later = parts[said.index(first) + 1 :] if first else []
    read = [names.players_read(part.reads).items() for part in later]
    of_mover = next((name for each in read for name, of in each if len(of) < names.players), None)
    if first is None or of_mover is None:
        return
    condition, end = first.child(1).span, said[-1].span.end
    begin = checker.text(Span(first.span.start, condition.start))
    message = f'"{begin.strip()}" applies only to what comes right after it: '
    message += f'"{of_mover}" is that of the player to move'
    hint = f"write: {begin}({checker.text(Span(condition.start, end))}), "
    hint += f"or ({checker.text(first.span)}){checker.text(Span(first.span.end, end))}"
    names.diagnostics.remark("applies-to-less", message, first.span, hint)


# ---- cases


def _conditional(checker: Checker, node: Node, scope: Scope) -> Expression:
    condition = checker.check(node.child(1), scope, TRUTH)
    with checker.never(when=is_always(condition, False)):
        yes = checker.check(node.child(0), scope)
    with checker.never(when=is_always(condition, True)):
        no = checker.check(node.child(2), scope)
    if condition.constant and ANYTHING in (yes.type, no.type):
        return yes if condition.value() else no
    demand_sound(yes, condition, no)
    if not alike(yes.type, no.type):
        one, other = told_apart(yes.type, no.type)
        message = f"one case is {one}, the other {other}"
        raise Mistake("wrong-type", message, node.span)
    if condition.constant:
        return yes if condition.value() else no

    def run(env: Environment) -> Value:
        decided = known(condition.run(env))
        if yes.type.kind in NEVER_OPEN:
            decided = plain(decided)
        if decided is True:
            return yes.run(env)
        if decided is False:
            return no.run(env)
        one = where(decided, yes.run, env)
        return select(decided, one, where(negate(decided), no.run, env))

    return derived(common(yes.type, no.type), run, node.span, yes, condition, no)


# ---- comparison


def _equal(checker: Checker, node: Node, scope: Scope) -> Expression:
    return _same(checker, *_sides(checker, node.child(0), node.child(1), scope), node.span)


def _sides(checker: Checker, one: Node, other: Node, scope: Scope) -> tuple[Expression, Expression]:
    """Check what is compared; a name that nothing has, is meant as a word of the other side."""
    kinds = [named(side, scope, checker.names.thrown) for side in (one, other)]
    if kinds[0] and kinds[1] and any(side.child(0).text in scope.bound for side in (one, other)):
        both_words = common(kinds[0].type, kinds[1].type)
        return evolve(kinds[0], type=both_words), evolve(kinds[1], type=both_words)
    left = checker.check(one, scope)
    if other.kind != "name" or left.type.kind not in ("word", ANYTHING.kind) or _is_one_word(left):
        right = checker.check(other, scope)
        return _as_word(left, one, right.type, scope), right
    word = other.child(0).text
    if checker.find(word, other.span, scope) is not None or word in checker.names.doubtful:
        return left, _as_word(checker.check(other, scope), other, left.type, scope)
    demand_sound(left)
    raise _no_such_word(word, left.type, other.span)


def _as_word(side: Expression, node: Node, wanted: Type, scope: Scope) -> Expression:
    """Return the word that the name of a kind of dice is, where that is one of the other side."""
    if side.type.kind != "dice" or wanted.kind != "word":
        return side
    return named(node, scope, wanted.of) or side


def _no_such_word(word: str, possible: Type, span: Span) -> Mistake:
    words = [str(w) for w in possible.of]
    hint = did_you_mean(word, words) or "possible are " + ", ".join(words)
    message = f'"{word}" is none of the words that it is compared with'
    return Mistake("wrong-word", message, span, hint)


def _same(checker: Checker, left: Expression, right: Expression, span: Span) -> Expression:
    if left.type.kind == "set" and right.type.kind == "set":
        left, right = as_set_of(left, right.type), as_set_of(right, left.type)
    left, right = as_face(left, right.type), as_face(right, left.type)
    _demand_comparable(checker, left, right, span)
    if left.type is BOX:
        return applied(TRUTH, lambda a, b: a.row.label == b.row.label, span, left, right)
    return evolve(applied(TRUTH, partial(compare, "eq"), span, left, right), equal=(left, right))


def _compare(checker: Checker, node: Node, scope: Scope) -> Expression:
    name = COMPARISON_NAMES[node.child(1).text]
    if name == "ne":
        sides = _sides(checker, node.child(0), node.child(2), scope)
        return negation_of(_same(checker, *sides, node.span), node.span)
    left, right = (checker.check(node.child(i), scope) for i in (0, 2))
    kind = BOX if BOX in (left.type, right.type) else NUMBER
    checker.demand(left, node.child(0), kind)
    checker.demand(right, node.child(2), kind)
    if kind is BOX:
        left, right = (_rank(checker, side) for side in (left, right))
    return applied(TRUTH, partial(compare, name), node.span, left, right)


def _rank(checker: Checker, box: Expression) -> Expression:
    """Return which row of the file a box is."""
    rows = checker.names.rows
    return applied(NUMBER, lambda b: list(rows).index(b.row.label), box.span, box)


def _for_dice(checker: Checker, left: Expression, right: Expression) -> str:
    """Say what to write in place of a comparison of dice with dice."""
    for drawn, kind in ((left, right), (right, left)):
        if (name := checker.text(kind.span)) in checker.names.kind_of(drawn.type).faces:
            return f"write: {name} in {checker.text(drawn.span)}"
    return f"measure them: sum of {checker.text(left.span)} = ..."


def _demand_comparable(checker: Checker, left: Expression, right: Expression, span: Span) -> None:
    demand_sound(left, right)
    if left.type.kind == "boxes" or not alike(left.type, right.type):
        message = " is compared with ".join(told_apart(left.type, right.type))
        hint = as_number(left.type) or as_number(right.type)
        if {left.type.kind, right.type.kind} == {"dice", "word"}:
            dice, word = sorted((left, right), key=lambda side: side.type.kind)
            hint = f"write: {checker.text(word.span)} in {checker.text(dice.span)}"
        if left.type.kind == right.type.kind == "dice":
            hint = _for_dice(checker, left, right)
        if {left.type.kind, right.type.kind} == {"dice", "number"}:
            hint = "dice are measured: sum of dice; a face is looked for: 6 in dice"
        if {left.type.kind, right.type.kind} == {"players", "number"}:
            players = left if left.type.kind == "players" else right
            hint = f"their number: size of {checker.text(players.span)}"
        if {left.type.kind, right.type.kind} == {"player", "number"}:
            player = left if left.type.kind == "player" else right
            hint = f"a player's number is that of the seat: seat of {checker.text(player.span)}"
        raise Mistake("wrong-type", message, span, hint)
    if left.type.kind == "word":
        for one, other in ((left, right), (right, left)):
            if _is_handed(one, span) or _is_handed(other, span):
                continue
            if _is_one_word(one) and one.value() not in other.type.of:
                raise _no_such_word(str(one.value()), other.type, one.span)


def _is_one_word(side: Expression) -> bool:
    return side.constant and len(side.type.of) == 1


def _is_handed(side: Expression, span: Span) -> bool:
    """Tell whether one word is handed to a name: that does not say which others are possible."""
    return _is_one_word(side) and not span.start <= side.span.start < span.end


HANDLERS: dict[str, Handler] = {
    "yes": lambda checker, node, scope: constant(TRUTH, True, node.span),
    "no": lambda checker, node, scope: constant(TRUTH, False, node.span),
    "and_": partial(_chain, how=both),
    "or_": partial(_chain, how=either),
    "negation": lambda checker, node, scope: negation_of(
        checker.check(node.child(0), scope, TRUTH), node.span
    ),
    "conditional": _conditional,
    "equal": _equal,
    "compare": _compare,
}
