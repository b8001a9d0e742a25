"""From the text of a rules file to a game that can be played: what its declarations say."""

from __future__ import annotations

from collections.abc import Mapping

from dicegames.syntax.nodes import Node
from tests.reference.course import Course
from tests.reference.expressions import View
from tests.reference.rulebook import face, read, renamed
from tests.reference.values import Kind, Row, Value, members


def game(text: str, options: Mapping[str, Value] | None = None) -> Course:
    """Return the course of a game from its rules, with the house rules set."""
    book = read(text, options)
    view = View(book, {}, 0, 0)
    for node in book.dice:
        kind = _kind(view, node)
        (book.bags if node.kind == "bag" else book.kinds)[kind.name] = kind
    first = next(iter(book.kinds), "")
    book.piles = {name: name for name in (*book.kinds, *book.bags)} | {
        p: k or first for p, k in book.piles.items()
    }
    for table_kind, table, node in book.row_nodes:
        book.rows += _rows(view, table, node, boxes=table_kind == "boxes")
    return Course(book)


def _kind(view: View, node: Node) -> Kind:
    name = node.children[0]
    named = "dice" if name is None else name.text
    if node.kind == "dice_short":
        many, sides = map(int, node.child(1).text.split("d"))
    elif node.kind == "dice_sides":
        many, sides = view(node.child(1)), view(node.child(2))
    else:
        return _kind_of_faces(view, named, node)
    return Kind(named, many, tuple(range(1, sides + 1)), (1,) * sides)


def _kind_of_faces(view: View, name: str, node: Node) -> Kind:
    nodes = [part for part in node.parts() if part.kind == "face"]
    weights = [1 if n.children[1] is None else int(view(n.child(1))) for n in nodes]
    faces = [face(n.child(0)) for n in nodes]
    count = sum(weights) if node.kind == "bag" else view(node.child(1))
    return Kind(name, count, tuple(faces), tuple(weights))


def _rows(view: View, table: str, node: Node, *, boxes: bool) -> list[Row]:
    name, family, label = node.children[0], node.children[1], node.child(2).text
    if name is None or family is None:
        return [Row(table, label, node, (), boxes)]
    values = members(view(family))
    return [
        Row(table, renamed(label, name.text, v), node, ((name.text, v),), boxes) for v in values
    ]
