"""What a statement changes: variables with their ranges, boxes, dice in piles, money."""

from __future__ import annotations

from collections.abc import Callable

from dicegames.syntax.nodes import Node
from tests.reference.expressions import View
from tests.reference.values import Broken, Dice, Forbidden, Row, Value

Change = Callable[[Value], Value]


def set_variable(view: View, target: Node, change: Change) -> None:
    """Change a variable, one place of it, or that of another player."""
    name, of = target.child(0).text, target.children[1]
    variable = view.book.variables[name]
    key, seat = view.place(name, of)
    whole = view.cells[name]
    by_seat = variable.scope.startswith("each")
    old = whole[seat] if by_seat else whole
    if key is None:
        new = in_range(view, name, change(old))
    else:
        if key not in dict(old):
            raise Forbidden(f"{name} has no place {key}")
        new = tuple((k, in_range(view, name, change(v), k) if k == key else v) for k, v in old)
    view.cells[name] = (*whole[:seat], new, *whole[seat + 1 :]) if by_seat else new


def in_range(view: View, name: str, value: Value, key: Value = None) -> Value:
    """Return a value as the declared range of its variable takes it."""
    low, high, capped = limits(view, name, key)
    if isinstance(value, int) and not isinstance(value, bool) and low is not None:
        if capped:
            return max(low, min(high, value))
        if not low <= value <= high:
            raise Forbidden(f"{name} would be {value}")
    return value


def limits(view: View, name: str, key: Value = None) -> tuple[int | None, int, bool]:
    """Return the least and the most a variable can be, and whether it stays there."""
    node = view.book.variables[name].node
    _, index, _, initial, bounds, capped = node.children
    if bounds is None or initial is None or bounds.children[-1] is None:
        return None, 0, False
    low, high = bounds.children[0] if bounds.kind == "bounds" else None, bounds.child(-1)
    inside = view if index is None else view.knowing(**{index.text: key})
    ends = (inside(initial if low is None else low), inside(high))
    return min(ends), max(ends), capped is not None


def joined(old: Value, more: Value) -> Value:
    if isinstance(old, frozenset):
        return old | (more if isinstance(more, frozenset) else {more})
    return old + more


def taken(old: Value, less: Value) -> Value:
    if isinstance(old, frozenset):
        return old - (less if isinstance(less, frozenset) else {less})
    return old - less


def use_box(view: View, row: Row) -> None:
    used, seat = view.cells["used"], view.own
    if row.plain in used[seat]:
        raise Broken(f"{row.label} is used already")
    view.cells["used"] = (*used[:seat], used[seat] | {row.plain}, *used[seat + 1 :])


def move_dice(view: View, moved: Dice, source: str, target: str) -> None:
    here, there = view.variable(source), view.variable(target)
    if not here.holds(moved):
        raise Broken("dice are moved that are not there")
    view.cells[source] = here.minus(moved)
    view.cells[target] = view.cells[target].plus(moved) if source != target else there


def pay(view: View, amount: Value, payers: Value, receivers: Value) -> None:
    """Let each of some players pay an amount to each of some others."""
    money = list(view.cells["money"])
    for payer in payers if isinstance(payers, tuple) else (payers,):
        for receiver in receivers if isinstance(receivers, tuple) else (receivers,):
            money[payer.seat] -= amount
            money[receiver.seat] += amount
    view.cells["money"] = tuple(money)
