"""Making expressions out of parts."""

from __future__ import annotations

from collections.abc import Callable
from operator import itemgetter

from attrs import evolve

from dicegames.ground.source import Span
from dicegames.rules.parts.flow import Environment, Expression, Run, read_by
from dicegames.rules.parts.names import Reported
from dicegames.rules.parts.types import ANYTHING, TRUTH, Type, Value
from dicegames.rules.parts.unknown import KNOWN, either, known, negate, where

MOST_ANSWERS = 2_000
"""So many values of an expression are remembered."""


def constant(type: Type, value: Value, span: Span = Span(0, 0)) -> Expression:
    """Return an expression that is always `value`."""
    return Expression(type, lambda env: value, constant=True, span=span)


def nothing(span: Span) -> Expression:
    """Return a stand-in for an expression that has been reported."""
    return Expression(ANYTHING, lambda env: 0, span=span)


def demand_sound(*parts: Expression) -> None:
    """Raise Reported where one of some parts is mistaken."""
    if any(part.type is ANYTHING for part in parts):
        raise Reported


def derived(type: Type, run: Run, span: Span, *parts: Expression) -> Expression:
    """Return an expression made of parts; if all are constant it is computed now."""
    if any(p.type is ANYTHING for p in parts):
        return nothing(span)
    if all(p.constant for p in parts):
        return constant(type, run([]), span)
    return Expression(type, run, read_by(parts), False, span)


def applied(type: Type, how: Callable[..., Value], span: Span, *parts: Expression) -> Expression:
    """Return a function of the values of parts."""
    runs = [part.run for part in parts]
    if len(runs) == 1:
        (only,) = runs
        return derived(type, lambda env: how(only(env)), span, *parts)
    if len(runs) == 2:
        one, two = runs
        return derived(type, lambda env: how(one(env), two(env)), span, *parts)
    return derived(type, lambda env: how(*[run(env) for run in runs]), span, *parts)


def held(type: Type, slot: int, span: Span = Span(0, 0)) -> Expression:
    """Return what a slot holds."""
    return Expression(type, itemgetter(slot), frozenset({slot}), False, span)


def is_always(part: Expression, value: Value) -> bool:
    """Tell whether an expression is known to be `value` when the rules are read."""
    return part.constant and bool(part.value() == value)


def negation_of(part: Expression, span: Span) -> Expression:
    """Return the opposite of a condition."""
    return applied(TRUTH, negate, span, part)


def binding(type: Type, run: Run, span: Span, slot: int, *parts: Expression) -> Expression:
    """Return an expression that fills a slot for its own use while it runs.

    It goes through members, so what it found is remembered.
    """
    if any(p.type is ANYTHING for p in parts):
        return nothing(span)
    return remembered(Expression(type, run, read_by(parts) - {slot}, False, span))


def remembered(expression: Expression) -> Expression:
    """Return an expression that remembers what it found: the same is asked again and again."""
    if not expression.reads:
        return expression
    run, values_of = expression.run, itemgetter(*sorted(expression.reads))
    memory: dict[Value, Value] = {}

    def run_once(env: Environment) -> Value:
        if KNOWN:
            return run(env)  # what holds on one path only is not remembered
        found = memory.get(values := values_of(env))
        if found is None:
            found = run(env)
            if len(memory) >= MOST_ANSWERS:
                memory.clear()
            memory[values] = found
        return found

    return evolve(expression, run=run_once)


def reading(expression: Expression, slots: frozenset[int]) -> Expression:
    """Return an expression that also reads other slots."""
    if expression.type is ANYTHING or not slots:
        return expression
    reads = expression.reads | slots
    return Expression(expression.type, expression.run, reads, False, expression.span)


def joined(how: Callable[[Value, Value], Value], parts: list[Expression], span: Span) -> Expression:
    """Join conditions with `both` or `either`; what is decided by the first needs no second."""
    stop = how is either
    more = not stop  # what is asked next decides
    if any(is_always(p, stop) for p in parts):
        return constant(TRUTH, stop, span)
    if any(p.type is ANYTHING for p in parts):
        return nothing(span)
    asked = [p for p in parts if not p.constant]
    runs = [p.run for p in asked]

    def run(env: Environment) -> Value:
        result: Value = more
        for part in runs:
            asking = result is more
            found = part(env) if asking else where(negate(result) if stop else result, part, env)
            if found is more:
                continue
            result = found if found is stop else known(how(result, found))
            if result is stop:
                return stop
        return result

    equal = asked[0].equal if asked and not stop else ()
    alternatives = tuple(asked) if stop else ()
    return evolve(derived(TRUTH, run, span, *parts), equal=equal, alternatives=alternatives)
