"""Making expressions out of parts."""

from __future__ import annotations

from collections.abc import Callable

from attrs import evolve

from dicegames.ground.source import Span
from dicegames.rules.parts.flow import Environment, Expression, Run
from dicegames.rules.parts.types import ANYTHING, TRUTH, Type, Value
from dicegames.rules.parts.unknown import either, known, negate, where


def constant(type: Type, value: Value, span: Span = Span(0, 0)) -> Expression:
    """Return an expression that is always `value`."""
    return Expression(type, lambda env: value, constant=True, span=span)


def nothing(span: Span) -> Expression:
    """Return a stand-in for an expression that has been reported."""
    return Expression(ANYTHING, lambda env: 0, span=span)


def derived(type: Type, run: Run, span: Span, *parts: Expression) -> Expression:
    """Return an expression made of parts; if all are constant it is computed now."""
    if any(p.type is ANYTHING for p in parts):
        return nothing(span)
    if all(p.constant for p in parts):
        return constant(type, run([]), span)
    reads = frozenset[int]().union(*(p.reads for p in parts))
    return Expression(type, run, reads, False, span)


def negation_of(part: Expression, span: Span) -> Expression:
    """Return the opposite of a condition."""
    return derived(TRUTH, lambda env: negate(part.run(env)), span, part)


def binding(type: Type, run: Run, span: Span, slot: int, *parts: Expression) -> Expression:
    """Return an expression that fills a slot for its own use while it runs."""
    if any(p.type is ANYTHING for p in parts):
        return nothing(span)
    reads = frozenset[int]().union(*(p.reads for p in parts)) - {slot}
    return Expression(type, run, reads, False, span)


def reading(expression: Expression, slots: frozenset[int]) -> Expression:
    """Return an expression that also reads other slots."""
    if expression.type is ANYTHING or not slots:
        return expression
    reads = expression.reads | slots
    return Expression(expression.type, expression.run, reads, False, expression.span)


def joined(how: Callable[[Value, Value], Value], parts: list[Expression], span: Span) -> Expression:
    """Join conditions with `both` or `either`; what is decided by the first needs no second."""
    stop = how is either
    if any(p.type is ANYTHING for p in parts):
        return nothing(span)
    if any(p.constant and p.value() is stop for p in parts):
        return constant(TRUTH, stop, span)
    asked = [p for p in parts if not p.constant]
    runs = [p.run for p in asked]

    def run(env: Environment) -> Value:
        result: Value = not stop
        for part in runs:
            found = where(negate(result) if stop else result, part, env)
            result = stop if found is stop else known(how(result, found))
            if result is stop:
                return stop
        return result

    equal = asked[0].equal if asked and not stop else ()
    return evolve(derived(TRUTH, run, span, *parts), equal=equal)
