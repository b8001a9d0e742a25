"""What every player gets when the game is over."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from itertools import groupby, permutations, product

from attrs import evolve

from dicegames.syntax.nodes import Node
from tests.reference.changes import joined, pay, set_variable, taken
from tests.reference.expressions import View
from tests.reference.values import Value, members

Payoffs = tuple[Fraction, ...]


def payoffs(view: View) -> Payoffs:
    """Return the payoffs by seat: the mean over all orders of those who are level."""
    if view.book.at_end is None or view.book.ranking is None or view.ties() == "earlier":
        return _settled(view)
    if not _asks_for_places(view, view.book.at_end):
        return _settled(view)
    found = [_settled(evolve(view, order=order)) for order in orders(view.ranked())]
    return tuple(sum(each, Fraction(0)) / len(found) for each in zip(*found, strict=True))


def orders(points: Sequence[int]) -> list[tuple[int, ...]]:
    """Return every order of the seats in which nobody stands behind a player with less."""
    seats = sorted(range(len(points)), key=lambda seat: -points[seat])
    groups = [list(group) for _, group in groupby(seats, key=lambda seat: points[seat])]
    found = product(*(permutations(group) for group in groups))
    return [tuple(seat for group in each for seat in group) for each in found]


def _asks_for_places(view: View, node: Node) -> bool:
    for part in node.walk():
        if part.kind != "NAME":
            continue
        if part.text in ("place", "winner"):
            return True
        if part.text in view.book.means and _asks_for_places(view, view.book.means[part.text]):
            return True
    return False


def settled(view: View) -> View:
    """Return how things stand after what is done at the end."""
    view = evolve(view, cells=dict(view.cells))
    if view.book.at_end is not None:
        _run(view, view.book.at_end)
    return view


def _settled(view: View) -> Payoffs:
    view = settled(view)
    seats = range(view.book.players)
    return tuple(payoff(evolve(view, own=seat)) for seat in seats)


def goal(view: View) -> tuple[bool, Node]:
    """Return whether much of the payoff is good, and what it is."""
    assert view.book.payoff is not None
    first, condition, other = view.book.payoff.children
    chosen = first if condition is None or view(condition) else other
    assert chosen is not None
    direction, expr = chosen.children
    assert expr is not None
    return direction is None or direction.text == "highest", expr


def is_win(view: View) -> bool:
    _, expr = goal(view)
    return expr.kind == "name" and expr.child(0).text == "win"


def payoff(view: View) -> Fraction:
    """Return what the player who is looked at gets."""
    if not is_win(view):
        return Fraction(int(view(goal(view)[1])))
    points = view.ranked()
    first = [seat for seat, p in enumerate(points) if p == max(points)]
    if view.ties() == "earlier":
        first = first[:1]
    return Fraction(view.own in first, len(first))


def _run(view: View, block: Node) -> None:
    """Do what stands under `at the end`: nothing there is left to chance or to the players."""
    for node in block.parts():
        match node.kind:
            case "statements":
                _run(view, node)
            case "if_":
                _if(view, *node.children)
            case "each":
                name, where, inner = node.child(0), node.child(1), node.child(2)
                for value in members(view(where)):
                    _run(view.knowing(**{name.text: value}), inner)
            case "repeat":
                for _ in range(int(view(node.child(0)))):
                    _run(view, node.child(1))
            case "pay":
                pay(view, *(view(child) for child in node.parts()))
            case "assign" | "increase" | "decrease":
                _change(view, node)
            case "pass_":
                pass
            case _:
                raise NotImplementedError(node.kind)


def _if(view: View, condition: Node | None, block: Node | None, *others: Node | None) -> None:
    assert condition is not None
    assert block is not None
    if view(condition):
        _run(view, block)
        return
    for other in others:
        if other is not None and other.kind == "else_block":
            _run(view, other.child(0))
            return
        if other is not None and view(other.child(0)):
            _run(view, other.child(1))
            return


def _change(view: View, node: Node) -> None:
    value: Value = view(node.child(1))
    kind = node.kind

    def change(old: Value) -> Value:
        if kind == "assign":
            return value
        return joined(old, value) if kind == "increase" else taken(old, value)

    set_variable(view, node.child(0), change)
