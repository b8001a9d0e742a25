"""Statements that direct the course of a turn: cases, repetitions, jumps, notes."""

from __future__ import annotations

from functools import partial
from operator import itemgetter

from attrs import evolve

from dicegames.ground.diagnostic import did_you_mean
from dicegames.rules.parts.flow import Expression, Note, Set, Test
from dicegames.rules.parts.names import Mistake, Scope
from dicegames.rules.parts.types import BOX, BOXES, NUMBER, PLAYERS, TRUTH, Type, Value
from dicegames.rules.parts.unknown import compare
from dicegames.rules.reading.builder import Builder, Handler, Place
from dicegames.rules.reading.collections import is_in
from dicegames.rules.reading.derive import applied, constant, held, is_always
from dicegames.rules.reading.members import member_type
from dicegames.syntax.nodes import Node

# ---- cases


def _if(builder: Builder, node: Node, scope: Scope, place: Place) -> int:
    condition_node, block, *others = node.parts()
    return _cases(builder, condition_node, block, others, scope, place)


def _cases(
    builder: Builder, asked: Node, block: Node, others: list[Node], scope: Scope, place: Place
) -> int:
    """Build a case and, before it, those that follow."""
    condition = builder.checker.check(asked, scope, TRUTH)
    other = place.next
    with builder.checker.never(when=is_always(condition, True)):
        if others and others[0].kind == "else_block":
            other = builder.build(others[0].child(0), scope, place)
        elif others:
            first, *rest = others
            other = _cases(builder, first.child(0), first.child(1), rest, scope, place)
    with builder.checker.never(when=is_always(condition, False)):
        entry = builder.build(block, scope, place)
    if condition.constant:
        return entry if condition.value() else other
    return builder.emit(Test(asked.span, entry, condition, other))


# ---- repetitions


def _repeat(builder: Builder, node: Node, scope: Scope, place: Place) -> int:
    parts = node.parts()
    if len(parts) == 2 and not _is_until(builder, node, parts[0]):
        return _repeat_times(builder, node, scope, place)
    head, test = builder.placeholder(node.span, place.next)
    inner = evolve(place, next=head, leave=place.next, again=head)
    if len(parts) == 1:
        test.next = builder.build(parts[0], scope, inner)
        return head
    test.condition = builder.checker.check(parts[0], scope, TRUTH)
    test.next, test.other = place.next, builder.build(parts[1], scope, inner)
    return head


def _repeat_times(builder: Builder, node: Node, scope: Scope, place: Place) -> int:
    times_node, block = node.parts()
    head, test = builder.placeholder(node.span, place.next)
    times = builder.checker.check(times_node, scope, NUMBER)
    counter = builder.names.local("repeat", NUMBER, node.span).base
    given, first = times, -1
    if not times.constant:  # what the number is at the beginning counts
        first = builder.names.local("times", NUMBER, node.span).base
        times = held(NUMBER, first, node.span)
    one = constant(NUMBER, 1)
    step = builder.emit(Set(node.span, head, counter, None, one, counts=True))
    inner = evolve(place, next=step, leave=place.next, again=step)
    now = held(NUMBER, counter, node.span)
    test.condition = applied(TRUTH, partial(compare, "le"), node.span, now, times)
    with builder.checker.never(when=times.constant and times.value() < 1):
        test.next = builder.build(block, scope, inner)
    entry = builder.emit(Set(node.span, head, counter, one))
    return entry if first < 0 else builder.emit(Set(node.span, entry, first, given))


def _is_until(builder: Builder, node: Node, condition: Node) -> bool:
    text = builder.names.diagnostics.source.text[node.span.start : condition.span.start]
    return "until" in text


def _each(builder: Builder, node: Node, scope: Scope, place: Place) -> int:
    word, whole_node, block = node.parts()
    whole = builder.checker.sound(whole_node, scope, PLAYERS, Type("set"), Type("dice"), BOXES)
    builder.names.is_free(word.text, word.span)
    _remark_on_order(builder, whole_node, word.text)
    if whole.type is PLAYERS:
        builder.passes.append(node.span)
    entry = place.next
    for value, present in reversed(_universe(builder, whole)):
        inner = _bound(builder, scope, word, whole, value)
        around = evolve(place, next=entry, leave=place.next, again=entry)
        with builder.checker.never(when=present is not None and is_always(present, False)):
            body = builder.build(block, inner, around)
        entry = body if present is None else builder.emit(Test(node.span, body, present, entry))
    return entry


def _remark_on_order(builder: Builder, whole: Node, word: str) -> None:
    """Remark on numbers that are gone through in another order than that in which they stand."""
    parts = whole.parts() if whole.kind == "several" else []
    if not all(part.kind == "integer" for part in parts):
        return
    said = [int(part.child(0).text) for part in parts]
    order = sorted(said)
    if said != order and len({*said}) == len(said):  # else it is remarked that one stands twice
        message = f"numbers are gone through in order: {', '.join(map(str, order))}"
        hint = f"to count down, write {said[0] + said[-1]} - {word} in place of {word}"
        turned = said == [said[0] + said[-1] - number for number in order]
        builder.names.diagnostics.remark("in-order", message, whole.span, hint if turned else "")


def _each_die(builder: Builder, node: Node, scope: Scope, place: Place) -> int:
    """Build what is done for every die: for each face, as often as it is there then."""
    word, span = node.child(1), node.span
    whole = builder.checker.sound(node.child(2), scope, Type("dice"))
    builder.names.is_free(word.text, word.span)
    entry = place.next
    for at, face in reversed([*enumerate(builder.names.kind_of(whole.type).faces)]):
        left = builder.names.local("left", NUMBER, span).base
        head, test = builder.placeholder(span, entry)
        step = builder.emit(Set(span, head, left, addition=constant(NUMBER, 1), scale=-1))
        inner = _bound(builder, scope, word, whole, face)
        around = evolve(place, next=step, leave=place.next, again=step)
        test.next = builder.build(node.child(3), inner, around)
        now = held(NUMBER, left, span)
        test.condition = applied(TRUTH, lambda number: compare("gt", number, 0), span, now)
        entry = builder.emit(Set(span, head, left, applied(NUMBER, itemgetter(at), span, whole)))
    return entry


def _bound(builder: Builder, scope: Scope, word: Node, whole: Expression, value: Value) -> Scope:
    """Return the scope in which a word names a member: of what is drawn, dice called like it.

    Then it is their pile, so that what may be said of `red` may be said of it.
    """
    if value in builder.names.thrown:
        return scope.bind(word.text, builder.names.variables[value])
    return scope.bind(word.text, constant(member_type(builder.names, whole.type), value))


def _universe(builder: Builder, whole: Expression) -> list[tuple[Value, Expression | None]]:
    """Return all that a collection may hold, each with the condition that it does."""
    if whole.type is PLAYERS:
        return [(p, None) for p in whole.value()]
    if whole.type is BOXES:
        every: list[Value] = [row.box() for table in builder.names.tables.values() for row in table]
    elif whole.type.kind == "dice":
        every = list(builder.names.kind_of(whole.type).faces)
    else:
        every = list(whole.type.of)
    member = member_type(builder.names, whole.type)
    held = [is_in(builder.checker, constant(member, v), whole, whole.span) for v in every]
    return [(v, None if h.constant and h.value() else h) for v, h in zip(every, held, strict=True)]


# ---- jumps


ELSEWHERE = "write: pass; it does nothing (end turn ends the turn)"


def _jump(word: str, to: str, inside: str) -> Handler:
    """Return how to build a jump to what the place names, for a word that stands inside of it."""

    def build(builder: Builder, node: Node, scope: Scope, place: Place) -> int:
        target: int = getattr(place, to)
        if target < 0:
            hint = ELSEWHERE if place.end_turn >= 0 else ""
            raise Mistake("jump-outside", f'"{word}" is used outside {inside}', node.span, hint)
        return target

    return build


def _go_to(builder: Builder, node: Node, scope: Scope, place: Place) -> int:
    word = node.child(0)
    if place.end_turn < 0:
        raise Mistake("jump-outside", '"go to" is used outside a turn', node.span)
    if word.text not in builder.names.steps:
        hint = did_you_mean(word.text, builder.names.steps) or f"declare it: step {word.text}"
        message = f'no step is called "{word.text}"'
        raise Mistake("unknown-step", message, word.span, hint, missing=word.text)
    return builder.step(word.text, place)


# ---- events


def _note(builder: Builder, node: Node, scope: Scope, place: Place) -> int:
    part = node.child(0)
    if part.kind == "label":
        return builder.emit(Note(node.span, place.next, part.child(0).text))
    name = part.child(0).text if part.kind == "name" else ""
    if name and name not in builder.names.known_names(scope):
        message = f'nothing here is called "{name}"'
        hint = f'what is noted is written in quotes: note "{name}"'
        raise Mistake("unknown-name", message, part.span, hint, missing=name)
    what = builder.checker.sound(part, scope, BOX)
    return builder.emit(Note(node.span, place.next, "", what))


HANDLERS: dict[str, Handler] = {
    "if_": _if,
    "repeat": _repeat,
    "each": _each,
    "each_die": _each_die,
    "choose_again": _jump("choose again", "choose", "a choice"),
    "leave": _jump("leave", "leave", "a repetition"),
    "next_": _jump("next", "again", "a repetition"),
    "end_turn": _jump("end turn", "end_turn", "a turn"),
    "end_game": _jump("end game", "end_game", "a turn"),
    "go_to": _go_to,
    "pass_": lambda builder, node, scope, place: place.next,
    "note": _note,
}
