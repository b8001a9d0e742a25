"""Statements that change variables: set, add, subtract, use a box; and payments."""

from __future__ import annotations

from fractions import Fraction
from functools import partial

from attrs import evolve

from dicegames.ground.source import Span
from dicegames.rules.parts.broken import RuleBroken
from dicegames.rules.parts.flow import Environment, Expression, Pay, Set
from dicegames.rules.parts.names import OWN_NAMES, Mistake, Reported, Scope, Variable
from dicegames.rules.parts.types import ANYTHING, BOX, NUMBER, PLAYER, PLAYERS, TRUTH, Value
from dicegames.rules.parts.unknown import (
    both,
    compare,
    plain,
    select,
    where,
    with_bit,
    with_bits,
    without_bits,
)
from dicegames.rules.parts.value_text import told_apart
from dicegames.rules.reading.builder import Builder, Handler, Place
from dicegames.rules.reading.derive import applied, demand_sound, derived, held, joined
from dicegames.rules.reading.functions import key_of, usual_meaning
from dicegames.rules.reading.members import (
    ONE_DIE,
    as_face,
    as_number,
    as_set_of,
    is_member,
    member_as_set,
)
from dicegames.syntax.hints import MEASURES
from dicegames.syntax.nodes import Node

# ---- what is changed


def target(builder: Builder, node: Node, scope: Scope) -> tuple[Variable, int]:
    """Return the variable that a statement changes, and its slot; raises Reported."""
    word, index = node.child(0), node.children[1]
    variable = _variable(builder, word, scope, measured=index is not None)
    if index is None:
        builder.checker.read(variable, scope, word.span)  # it is one that has one value
        return variable, variable.base + (scope.player if variable.scope == "player" else 0)
    if variable.type is ANYTHING:
        raise Reported
    argument = builder.checker.sound(index, scope)
    if variable.scope == "player" and argument.type is PLAYER and argument.constant:
        return variable, variable.base + argument.value()
    message = f'"{variable.name} of" does not go with {argument.type} here'
    raise Mistake("wrong-type", message, index.span, usual_meaning(variable))


def _variable(builder: Builder, word: Node, scope: Scope, *, measured: bool) -> Variable:
    """Return the variable of this name; `measured`: a word of what follows, as "sum of dice"."""
    names = builder.names
    if word.text in names.contested:
        raise Reported
    variable = names.variables.get(word.text)
    is_own = word.text in OWN_NAMES and word.text not in MEASURES
    known = is_own or any(word.text in n for n in (scope.bound, names.declared, names.words))
    if variable is not None and word.text not in scope.bound and word.text not in OWN_NAMES:
        return variable
    if known or variable is not None:
        message = f'"{word.text}" cannot be changed'
        hint = "only variables of a player, the table or the turn can"
        if word.text in scope.bound:
            hint += '; what changes in a turn is declared below "this turn"'
        raise Mistake("not-a-variable", message, word.span, hint)
    if word.text in MEASURES:
        hint = f"declare it: {word.text} = 0, below each player, table or this turn"
        if word.text in OWN_NAMES:
            hint = (
                f"it cannot be a name; keep it under another one: let thrown = {word.text} of dice"
            )
        if measured:
            hint = "what is changed stands first: score + sum of dice"
        message = f'"{word.text}" is no variable'
        raise Mistake("unknown-name", message, word.span, hint, missing=word.text)
    changing = names.variables.keys() - OWN_NAMES - scope.bound.keys()
    raise names.unknown_name(word.text, word.span, scope, changing.__contains__)


# ---- set, add, subtract


def change(builder: Builder, node: Node, scope: Scope, place: Place, sign: int) -> int:
    """Build an assignment (sign 0), an addition (1) or a subtraction (-1)."""
    if sign < 0:
        _demand_one_amount(builder, node)
    named = builder.names.variables.get(node.child(0).child(0).text)
    if not sign and named is not None and named.type is NUMBER:
        node, sign = _as_addition(builder, node)
    target_node, value_node = node.child(0), node.child(1)
    if named is not None and named.keys and target_node.children[1] is not None:
        return _change_keyed(builder, node, named, scope, place, sign)
    value = builder.checker.check(value_node, scope)
    variable, slot = found = target(builder, target_node, scope)
    demand_sound(value)
    if variable.type.kind == "dice":
        message = "dice are moved, thrown or kept, never assigned"
        raise Mistake("dice-assigned", message, node.span, "use: move DICE to PILE")
    value = as_face(as_set_of(value, variable.type), variable.type)
    if variable.type.kind == "set" and sign:
        return _change_set(builder, node, found, value, place, sign)
    _demand_fit(builder, variable, value, value_node.span, sign)
    if variable.name == "money" and builder.names.has_payments:
        message = "in a game with payments money moves by payments only"
        builder.names.report("money-changed", message, node.span, "write: pay 5 from A to B")
    instruction = Set(
        node.span, place.next, slot, within=variable.within, capped=variable.capped, scale=sign or 1
    )
    if sign:
        instruction.addition = value
    else:
        instruction.value = value
    return builder.emit(instruction)


def _as_addition(builder: Builder, node: Node) -> tuple[Node, int]:
    """Return `score = score - 5 + x` as `score + (-5 + x)`, with the sign 1; else it, and 0.

    What is only added to need not be told apart, so that games stay small.
    """
    changed = node.child(0)
    rest, sign = _rest(builder, node.child(1), builder.checker.text(changed.span))
    return evolve(node, children=(changed, rest)), sign


def _rest(builder: Builder, node: Node, own: str) -> tuple[Node, int]:
    """Return a sum without one of its parts, and 1; or all of it and 0 where it has no such part.

    own: how the part is written.
    """
    if node.kind not in ("plus", "minus"):
        return node, 0
    left, right = node.child(0), node.child(1)
    at_left, at_right = (builder.checker.text(part.span) == own for part in (left, right))
    if at_left and node.kind == "minus":
        nothing = Node("integer", left.span, (Node("INTEGER", left.span, text="0"),))
        return evolve(node, children=(nothing, right)), 1
    if at_left or (at_right and node.kind == "plus"):
        return (right if at_left else left), 1
    first, found = _rest(builder, left, own)
    if found:
        span = Span(first.span.start, node.span.end)
        return evolve(node, span=span, children=(first, right)), 1
    last, found = _rest(builder, right, own) if node.kind == "plus" else (right, 0)
    if found:
        return evolve(node, span=Span(node.span.start, last.span.end), children=(left, last)), 1
    return node, 0


def _demand_one_amount(builder: Builder, node: Node) -> None:
    """Refuse `chips - bet + won`: all that follows the sign is taken away, which nobody expects."""
    amount, text = node.child(1), builder.checker.text
    if amount.kind not in ("plus", "minus") or amount.bracketed:
        return
    left, right = text(node.child(0).span), text(amount.span)
    message = f"it is not clear whether all of this is taken away: {right}"
    named = builder.names.variables.get(node.child(0).child(0).text)
    is_set = named is not None and named.type.kind == "set"
    apart = f"{left} = {left} - {right}" if is_set else f"{left} + (-{right})"
    hint = f"write: {left} - ({right}), or: {apart}"
    raise Mistake("taken-away", message, amount.span, hint)


def _change_keyed(
    builder: Builder, node: Node, variable: Variable, scope: Scope, place: Place, sign: int
) -> int:
    """Change one of the several values of a variable: `progress of c + 1`."""
    index_node = node.child(0).child(1)
    value = builder.checker.check(node.child(1), scope)
    key, player = key_of(builder.checker, variable, index_node, scope)
    demand_sound(value)
    _demand_fit(builder, variable, value, node.child(1).span, sign)
    positions = variable.positions(player)
    first = min(positions.values())

    def position(env: Environment) -> Value:
        found = positions.get(plain(key.run(env)))
        if found is None:
            message = f'"{variable.name}" has no value for {key.run(env)}'
            raise RuleBroken(message, index_node.span, code="no-value")
        return found - first

    own = builder.names.slots[variable.base + first : variable.base + variable.width]
    return builder.emit(
        Set(
            node.span,
            place.next,
            variable.base + first,
            value=None if sign else value,
            addition=value if sign else None,
            index=Expression(NUMBER, position, key.reads, False, node.span),
            width=variable.width - first,
            apart=variable.width // len(positions),
            within=variable.within,
            ranges=tuple(each.within for each in own),
            capped=variable.capped,
            scale=sign or 1,
        )
    )


def _change_set(
    builder: Builder,
    node: Node,
    found: tuple[Variable, int],
    value: Expression,
    place: Place,
    sign: int,
) -> int:
    """Put members into a set or take them out: `up - t`."""
    variable, slot = found
    if is_member(value.type, variable.type):
        value = member_as_set(value, variable.type, node.child(1).span)
    if value.type != variable.type:
        whole, part = told_apart(variable.type, value.type)
        message = f'"{variable.name}" is {whole}, this is {part}'
        hint = ONE_DIE if value.type.kind == "dice" else ""
        raise Mistake("wrong-type", message, value.span, hint)
    old, join = held(variable.type, slot, node.span), with_bits if sign > 0 else without_bits
    new = applied(variable.type, join, node.span, old, value)
    return builder.emit(Set(node.span, place.next, slot, new))


def _demand_fit(
    builder: Builder, variable: Variable, value: Expression, span: Span, sign: int
) -> None:
    """Raise Mistake unless a value can be given to a variable, or be added to it."""
    kind = variable.type.kind
    if sign and kind != "number":
        word = "added to" if sign > 0 else "taken from"
        message = f'"{variable.name}" is {variable.type}: nothing can be {word} it'
        raise Mistake("wrong-type", message, span)
    if value.type.kind != kind or (kind == "set" and value.type != variable.type):
        wanted, given = told_apart(variable.type, value.type)
        message = f'"{variable.name}" is {wanted}, this is {given}'
        hint = builder.checker.what_instead(value, variable.type) or as_number(variable.type)
        name = variable.name
        if kind == "word" and value.type.kind == "dice":
            hint = f"write: each f in {builder.checker.text(value.span)}: {name} = f"
        if is_member(value.type, variable.type):
            hint = f"to take a number out, write: {name} - 3; to put it in: {name} + 3; "
            hint += f"to have it alone: {name} = (), {name} + 3"
        raise Mistake("wrong-type", message, span, hint)
    within = None if sign or variable.capped else variable.within
    if within is not None and value.constant and value.value() not in within:
        message = f'"{variable.name}" goes from {within[0]} to {within[-1]}'
        raise RuleBroken(message, span, code="out-of-range")
    words = [value.value()] if value.constant else value.type.of
    wrong = [word for word in words if word not in variable.type.of]
    if kind == "word" and wrong:
        hint = "possible are " + ", ".join(map(str, variable.type.of))
        raise Mistake("wrong-word", f'"{wrong[0]}" is no value of "{variable.name}"', span, hint)


# ---- boxes and money


def _use(builder: Builder, node: Node, scope: Scope, place: Place) -> int:
    box = builder.checker.check(node.child(0), scope, BOX)
    used = builder.checker.used_boxes(scope, node.span)
    demand_sound(box, used)
    slot = builder.names.variables["used"].base + scope.player

    def run(env: Environment) -> Value:
        row = box.run(env).row
        if row.index < 0:
            message = f'"{row.label}" is in a table of patterns, which are never used up'
            raise RuleBroken(message, node.span, code="not-a-box", help="declare: boxes NAME")
        return with_bit(env[slot], row.index)

    value = Expression(used.type, run, box.reads | {slot}, False, node.span)
    return builder.emit(Set(node.span, place.next, slot, value))


def _pay(builder: Builder, node: Node, scope: Scope, place: Place) -> int:
    amount = builder.checker.check(node.child(0), scope, NUMBER)
    payers = _players(builder, node.child(1), scope)
    payees = _players(builder, node.child(2), scope)
    money = builder.names.variables.get("money")
    if money is None or money.scope != "player" or money.type is not NUMBER or money.keys:
        message = "payments need an account"
        hint = "declare it: each player ... money = 0"
        raise Mistake("no-money", message, node.span, hint, missing="money")
    entry = place.next
    for payer, pays in payers:
        for payee, gets in payees:
            if payer != payee:
                due = _due(builder, amount, [c for c in (pays, gets) if c is not None])
                entry = builder.emit(Pay(node.span, entry, due, payer, payee, money.base))
    return entry


def _due(builder: Builder, amount: Expression, conditions: list[Expression]) -> Expression:
    """Return what is paid: nothing unless the conditions hold; a share of it in a settlement."""
    if conditions:
        one = joined(both, conditions, amount.span)
        given = amount

        def run(env: Environment) -> Value:
            due = one.run(env)
            return select(due, where(due, given.run, env, otherwise=0), 0)

        amount = derived(NUMBER, run, amount.span, one, given)
    if builder.shares > 1:
        part = Fraction(1, builder.shares)
        amount = applied(NUMBER, lambda whole: whole * part, amount.span, amount)
    return amount


def _players(builder: Builder, node: Node, scope: Scope) -> list[tuple[int, Expression | None]]:
    """Return the players who are meant, or may be meant: then with the condition."""
    asked = builder.names.asks_players
    who = builder.checker.check(node, scope, PLAYER, PLAYERS)
    builder.names.asks_players = asked  # a payment speaks for itself
    if who.type is ANYTHING:
        return []
    if not who.constant:
        return [(p, _is(who, p)) for p in range(builder.names.players)]
    value = who.value()
    return [(p, None) for p in (value if isinstance(value, tuple) else (value,))]


def _is(who: Expression, player: int) -> Expression:
    """Return the condition that an expression means a player."""
    return applied(TRUTH, lambda found: compare("eq", found, player), who.span, who)


HANDLERS: dict[str, Handler] = {
    "assign": partial(change, sign=0),
    "increase": partial(change, sign=1),
    "decrease": partial(change, sign=-1),
    "use": _use,
    "pay": _pay,
}
