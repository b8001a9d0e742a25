"""Numbers, sums and products; also the union and difference of dice and of sets."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from operator import add, neg, sub

from dicegames.ground import multiset
from dicegames.ground.source import Span
from dicegames.rules.parts.broken import RuleBroken
from dicegames.rules.parts.flow import Expression
from dicegames.rules.parts.names import Mistake, Scope
from dicegames.rules.parts.types import DICE, NUMBER, Type, Value
from dicegames.rules.parts.unknown import is_open, plain, unknown, with_bits, without_bits
from dicegames.rules.parts.value_text import told_apart
from dicegames.rules.reading.checker import Checker, Handler
from dicegames.rules.reading.derive import applied, constant, demand_sound
from dicegames.rules.reading.members import as_set_of, is_member, member_as_set
from dicegames.syntax.nodes import Node

LITERAL_DIGITS = 12
LARGEST_NUMBER = 10**15
LARGEST_EXPONENT = 64  # already too large, for any base but 0 and 1
Operation = Callable[[Value, Value], Value]


def _integer(checker: Checker, node: Node, scope: Scope) -> Expression:
    text = node.child(0).text
    if len(text) > LITERAL_DIGITS:
        message = f"this number is too large: it has {len(text)} digits"
        hint = f"numbers have at most {LITERAL_DIGITS} digits"
        raise Mistake("number-too-large", message, node.span, hint)
    return constant(NUMBER, int(text), node.span)


def _sum(checker: Checker, node: Node, scope: Scope, sign: int) -> Expression:
    left = checker.check(node.child(0), scope, NUMBER, DICE, Type("set"))
    right = checker.check(node.child(1), scope)
    demand_sound(left, right)
    if left.type.kind in ("dice", "set"):
        if left.type.kind == "dice" and right.type is NUMBER:
            raise _not_a_die(checker, left, right)
        return _joined(left, right, sign, node.span)
    for part in (left, right):
        if part.type is not NUMBER:
            word, to = ("added", "to") if sign > 0 else ("subtracted", "from")
            message = f"only numbers, dice and sets can be {word}, this is {part.type}"
            hint = _brackets_missing(checker, node) if part is right else ""
            if part.type.kind in ("dice", "set"):
                message = f"{part.type} cannot be {word} {to} a number"
                name = checker.text(part.span)
                hint = hint or (f"write: sum of {name}" if name.isidentifier() else "")
            raise Mistake("wrong-type", message, part.span, hint)
    _remark_on_reach(checker, node, scope)
    return applied(NUMBER, add if sign > 0 else sub, node.span, left, right)


def _remark_on_reach(checker: Checker, node: Node, scope: Scope) -> None:
    """Remark on `bonus of score + 1` where the name could as well be used of the sum."""
    names, right = checker.names, node.child(1)
    last, name, whole = _reach(checker, node)
    named = last.kind == "of_" and last.child(0).text in {**names.macros, **names.maps}
    if not whole or not named or right.kind not in ("integer", "name"):
        return
    if last.child(1).bracketed or checker.check(last.child(1), scope).type is not NUMBER:
        return
    message = f'"{name}" applies only to what comes right after it'
    rest = checker.text(Span(last.span.end, right.span.end))
    hint = f"write: {whole}, or ({checker.text(last.span)}){rest}"
    names.diagnostics.remark("applies-to-less", message, last.span, hint)


def _brackets_missing(checker: Checker, node: Node) -> str:
    """Say what to write where `sum of dice + kept` was meant to speak of both."""
    _, name, whole = _reach(checker, node)
    return f'"{name}" applies only to what comes right after it; write: {whole}' if whole else ""


def _reach(checker: Checker, node: Node) -> tuple[Node, str, str]:
    """Return what stands before the sign of a sum, its name, and how that applies to the whole.

    Of `sum of dice + kept` these are `sum of dice`, "sum of" and "sum of (dice + kept)"; the two
    texts are empty where no name is applied.
    """
    last = node.child(0)
    while last.kind in ("plus", "minus", "times") and not last.bracketed:
        last = last.child(1)
    if last.kind not in ("of_", "number_of") or last.bracketed:
        return last, "", ""
    first = last.child(1).span.start
    name = checker.text(Span(last.span.start, first)).strip()
    return last, name, f"{name} ({checker.text(Span(first, node.child(1).span.end))})"


def _not_a_die(checker: Checker, left: Expression, right: Expression) -> Mistake:
    """Say how a die with a face is written that is to be added or taken away."""
    name = checker.text(right.span)
    hint = f"one with this face is written: {{{name if name.isalnum() else f'({name})'}}}"
    message = f"{right.type} cannot be joined with {left.type}"
    return Mistake("wrong-type", message, right.span, hint)


def _joined(left: Expression, right: Expression, sign: int, span: Span) -> Expression:
    """Check the sum or the difference of dice or of sets."""
    if left.type.kind == "set":
        left = as_set_of(left, right.type)
        single = is_member(right.type, left.type)
        right = member_as_set(right, left.type, span) if single else as_set_of(right, left.type)
    if right.type != left.type:
        whole, part = told_apart(left.type, right.type)
        raise Mistake("wrong-type", f"{part} cannot be joined with {whole}", right.span)
    if left.type.kind == "dice":
        return applied(left.type, (multiset.add, multiset.subtract)[sign < 0], span, left, right)
    return applied(left.type, (with_bits, without_bits)[sign < 0], span, left, right)


def _divide(checker: Checker, node: Node, scope: Scope) -> Expression:
    how = _quotient if node.child(1).text == "div" else _remainder
    divisor = node.child(2)
    if divisor.kind == "integer" and not int(divisor.child(0).text[:9]):
        raise RuleBroken("this divides by zero", code="division-by-zero")
    return _of_two_numbers(checker, node, scope, how, (0, 2))


def _of_two_numbers(
    checker: Checker, node: Node, scope: Scope, how: Operation, which: tuple[int, int] = (0, 1)
) -> Expression:
    left, right = (checker.check(node.child(i), scope, NUMBER) for i in which)
    return applied(NUMBER, how, node.span, left, right)


def _negative(checker: Checker, node: Node, scope: Scope) -> Expression:
    return applied(NUMBER, neg, node.span, checker.check(node.child(0), scope, NUMBER))


def limited(value: Value) -> Value:
    """Return a number, if it is not too large to be meant."""
    if isinstance(value, int) and abs(value) > LARGEST_NUMBER:
        message = "a number becomes too large here: it has more than 15 digits"
        raise RuleBroken(message, code="number-too-large")
    return value


def _raised(a: Value, b: Value) -> Value:
    exponent, base = plain(b), plain(a)
    if exponent < 0:
        raise RuleBroken(f"the power {exponent} is negative", code="negative-power")
    if abs(base) > 1:
        exponent = min(exponent, LARGEST_EXPONENT)
    return limited(base**exponent)


def _quotient(a: Value, b: Value) -> Value:
    divisor = _divisor(b)
    return unknown("quotient", a, divisor) if is_open(a) else a // divisor


def _remainder(a: Value, b: Value) -> Value:
    divisor = _divisor(b)
    return unknown("remainder", a, divisor) if is_open(a) else a % divisor


def _divisor(b: Value) -> Value:
    divisor = plain(b)
    if divisor == 0:
        raise RuleBroken("this divides by zero", code="division-by-zero")
    return divisor


HANDLERS: dict[str, Handler] = {
    "integer": _integer,
    "plus": partial(_sum, sign=1),
    "minus": partial(_sum, sign=-1),
    "times": partial(_of_two_numbers, how=lambda a, b: limited(a * b)),
    "power": partial(_of_two_numbers, how=_raised),
    "divide": _divide,
    "negative": _negative,
}
