"""The statement `choose`: its options, their conditions and prices."""

from __future__ import annotations

from attrs import evolve

from dicegames.rules.parts.flow import Alternative, Choose, Expression, Set
from dicegames.rules.parts.names import Names, Scope
from dicegames.rules.parts.types import NUMBER, TRUTH
from dicegames.rules.parts.unknown import compare
from dicegames.rules.reading.builder import Builder, Handler, Place
from dicegames.rules.reading.changes import change, target
from dicegames.rules.reading.derive import applied, demand_sound, held, negation_of
from dicegames.rules.reading.picks import Pick, Picked, narrowed, picks_from
from dicegames.syntax.nodes import Node, outline

Prices = list[tuple[object, Expression]]
"""What each price of a move is paid with, and how much it is."""


def _choose(builder: Builder, node: Node, scope: Scope, place: Place) -> int:
    choose = Choose(node.span, -1, name=builder.node_name(place))
    number = builder.emit(choose)
    inner = evolve(place, choose=number)
    _report_doubles(builder.names, node)
    for part in node.parts():
        if part.kind == "choice_otherwise":
            choose.other = builder.build(part.child(0), scope, inner)
        else:
            with builder.names.going_on():
                choose.options += _option(builder, part, scope, inner)
    return number


def _report_doubles(names: Names, choose: Node) -> None:
    """Report a second option of the same name, and a second `otherwise`."""
    seen: set[str] = set()
    for part in choose.parts():
        label = None if part.kind == "choice_otherwise" else part.children[0]
        if part.kind == "choice" and label is None:
            continue
        title = "otherwise" if label is None else f'"{label.text}"'
        if title in seen:
            message = f"a second {title} in this choice"
            hint = "put the conditions of both together, or give it another name"
            hint = hint if label else "put what happens in both together"
            names.report("same-label", message, (label or part).span, hint)
        seen.add(title)


def _option(builder: Builder, node: Node, scope: Scope, place: Place) -> list[Alternative]:
    """Build an option; there is none if it is never legal under the house rules that are set."""
    label, pick = node.children[0], node.children[1]
    option = Alternative(label.text if label else "", node.span, -1)
    option.told = option.label
    if label is None and pick is None:
        message = "a choice needs a name or something to pick"
        builder.names.report("nameless-choice", message, node.span, 'begin with "Name"')
    asking = inner = scope  # the names as the conditions see them, and as what happens does
    parts: tuple[Pick, ...] = ()
    if pick is not None:
        picked = picks_from(builder.checker, pick, scope)
        _fill(option, picked, node)
        parts = picked.parts
        asks = pick.parts() if pick.kind == "picks" else [pick]
        option.told = option.label or " and ".join(_told(builder.names, ask) for ask in asks)
        for part, asked in zip(parts, asks, strict=True):
            name = part.variable.name
            _report_used_again(builder.names, node, asked, name)
            asking = asking.bind(name, picked.names[name])
            inner = inner.bind(name, part.variable)
    clauses = [c for c in node.children[2:-1] if c is not None]
    legal = True
    prices: Prices = []
    for clause in clauses:
        with builder.names.going_on(), builder.checker.never(when=not legal):
            condition = _clause(builder, clause, asking, prices)
            if condition.constant:
                legal = legal and bool(condition.value())
            else:
                option.conditions.append(condition)
    if option.conditions and option.candidates and option.whole and option.whole.type.kind == "set":
        option.candidates = narrowed(option.candidates, option.slot, option.conditions[0])
    block = node.child(len(node.children) - 1)
    with builder.checker.never(when=not legal):
        option.entry = builder.build(block, inner, place)
    for clause in clauses:
        if clause.kind == "price":
            pay = Node("decrease", clause.span, (clause.child(1), clause.child(0)))
            option.entry = change(builder, pay, inner, evolve(place, next=option.entry), -1)
    if len(parts) > 1:
        option.entry = _taken_apart(builder, option, parts)
    return [option] if legal else []


def _fill(option: Alternative, picked: Picked, choice: Node) -> None:
    """Fill in what an option picks."""
    option.candidates, option.reads, option.texts = picked.candidates, picked.reads, picked.texts
    option.slot, option.names = picked.slot, picked.names
    if len(picked.parts) == 1:
        option.whole = picked.parts[0].whole
        option.rolls = _is_rolled(choice, picked.parts[0].variable.name)


def _told(names: Names, pick: Node) -> str:
    """Return from what a pick is made, as the rules say it: `one of open boxes`."""
    return names.diagnostics.source.words(pick.child(0).span.to(pick.child(1).span))


def _taken_apart(builder: Builder, option: Alternative, parts: tuple[Pick, ...]) -> int:
    """Give each of several things that are picked together the slot of its own name."""
    entry = option.entry
    for part in parts:
        value = option.names[part.variable.name]
        entry = builder.emit(Set(option.span, entry, part.variable.base, value))
    return entry


def _report_used_again(names: Names, choice: Node, pick: Node, name: str) -> None:
    """Report `use c` where nothing in the choice asks whether the box that is picked is open."""
    whole, parts = pick.child(1), list(choice.walk())
    if whole.kind != "name" or whole.child(0).text in names.macros:
        return
    uses = any(p.kind == "use" and p.child(0).is_name(name) for p in parts)
    if uses and not any(p.kind in ("is_box", "is_not_box") for p in parts):
        message = f'"{name}" may be a box that has already been used'
        hint = f"write: one of open {whole.child(0).text} as {name}"
        names.report("used-again", message, whole.span, hint)


def _is_rolled(choice: Node, name: str) -> bool:
    """Tell whether a choice throws what is picked, by this name."""
    rolled = (part.child(0) for part in choice.walk() if part.kind == "roll_pile")
    return any(dice.is_name(name) for dice in rolled)


def _clause(builder: Builder, clause: Node, scope: Scope, prices: Prices) -> Expression:
    """Return the condition that a clause means; `prices` are those of the clauses before it."""
    if clause.kind == "price":
        return _affordable(builder, clause, scope, prices)
    condition = builder.checker.check(clause.child(0), scope, TRUTH)
    return negation_of(condition, clause.span) if clause.kind == "unless" else condition


def _affordable(builder: Builder, clause: Node, scope: Scope, prices: Prices) -> Expression:
    """Return whether there is enough for a price and for those before it."""
    amount = builder.checker.check(clause.child(0), scope, NUMBER)
    purse, had = _purse(builder, clause.child(1), scope)
    demand_sound(had, amount)
    prices.append((purse, amount))
    parts = [part for of, part in prices if of == purse]
    return applied(
        TRUTH, lambda there, *due: compare("ge", there, sum(due)), clause.span, had, *parts
    )


def _purse(builder: Builder, paid: Node, scope: Scope) -> tuple[object, Expression]:
    """Return what a price is paid with: something to know it by, and how much there is."""
    variable, key = builder.names.variables.get(paid.child(0).text), paid.children[1]
    if variable is not None and variable.keys and key is not None:
        had = Node("of_", paid.span, (paid.child(0), key))
        return tuple(outline(paid)), builder.checker.check(had, scope, NUMBER)
    _, slot = target(builder, paid, scope)
    return slot, held(NUMBER, slot, paid.span)


HANDLERS: dict[str, Handler] = {"choose": _choose}
