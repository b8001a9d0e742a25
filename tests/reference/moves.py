"""The legal moves of a choice, in the order of the rules, and what each is called."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product

from attrs import frozen

from dicegames.syntax.nodes import Node
from tests.reference.expressions import View
from tests.reference.patterns import named_faces
from tests.reference.values import Dice, Value, members, parts, text

Names = tuple[tuple[str, Value], ...]
NO_MOVE = "(no move)"


@frozen
class Move:
    """A legal move: its label, its block, what was picked by name, and what it costs."""

    label: str
    block: Node
    names: Names = ()
    prices: tuple[tuple[Node, int], ...] = ()
    name: str = ""
    """The name alone, without what is picked."""


def legal_moves(view: View, choose: Node) -> list[Move]:
    """Return the legal moves; `otherwise` if there are none."""
    choices = [part for part in choose.parts() if part.kind == "choice"]
    found = [move for choice in choices for move in _moves_of(view, choice)]
    if found:
        return found
    others = [part for part in choose.parts() if part.kind == "choice_otherwise"]
    return [Move(NO_MOVE, part.child(0)) for part in others]


def _moves_of(view: View, choice: Node) -> Iterator[Move]:
    title, pick, *clauses, block = choice.children
    assert block is not None
    conditions = [clause for clause in clauses if clause is not None]
    for names, picked in _all_picks(view, pick):
        inside = view.knowing(**dict(names))
        prices = tuple(_price(inside, c) for c in conditions if c.kind == "price")
        is_paid = all(_has(inside, target, prices) for target, _ in prices)
        if is_paid and all(_holds(inside, c) for c in conditions if c.kind != "price"):
            name = "" if title is None else title.text
            label = " ".join(word for word in (name, picked) if word)
            yield Move(label, block, names, prices, name)


def _holds(view: View, clause: Node) -> bool:
    holds = bool(view(clause.child(0)))
    return not holds if clause.kind == "unless" else holds


def _has(view: View, target: Node, prices: tuple[tuple[Node, int], ...]) -> bool:
    """Tell whether there is enough of something for all prices together."""
    name, of = target.child(0).text, target.children[1]
    place = view.place(name, of)
    wanted = 0
    for other, amount in prices:
        same_name, where = other.child(0).text == name, other.children[1]
        if same_name and view.place(name, where) == place:
            wanted += amount
    return bool(view.variable_of(name, of) >= wanted)


def _price(view: View, clause: Node) -> tuple[Node, int]:
    return clause.child(1), int(view(clause.child(0)))


def _all_picks(view: View, pick: Node | None) -> Iterator[tuple[Names, str]]:
    """Yield all that can be picked: the names with their values, and how it is said."""
    if pick is None:
        yield (), ""
        return
    each = pick.parts() if pick.kind == "picks" else [pick]
    for found in product(*(list(_picks(view, one)) for one in each)):
        names, said = tuple(n for names, _ in found for n in names), found[0][1]
        for before, (_, after) in zip(each, found[1:], strict=False):
            is_dice = isinstance(view(before.child(1)), Dice)
            said += (" " if before.child(0).kind == "one" and not is_dice else " and ") + after
        yield names, said


def _picks(view: View, pick: Node) -> Iterator[tuple[Names, str]]:
    how, where, name, naming = pick.children
    assert how is not None
    assert where is not None
    assert name is not None
    whole = view(where)
    if isinstance(whole, tuple):
        found: list[Value] = list(whole)
        if naming is not None:
            found = [named for row in found for named in named_faces(view, row)]
    elif how.kind == "one" and isinstance(whole, frozenset):
        found = members(whole)
    else:
        found = parts(whole, *_how_many(view, how))
    for value in found:
        yield ((name.text, value),), text(value)


def _how_many(view: View, how: Node) -> tuple[int, int | None]:
    match how.kind:
        case "ANY":
            return 0, None
        case "SOME":
            return 1, None
        case "one":
            return 1, 1
        case "exactly":
            count = max(0, int(view(how.child(0))))
            return count, count
        case "at_least":
            return max(0, int(view(how.child(0)))), None
    return 0, int(view(how.child(0)))
