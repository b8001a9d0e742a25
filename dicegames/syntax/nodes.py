"""The syntax tree: one kind of node, named as in the grammar file.

The tree is homogeneous on purpose. `rules.lark` is the reference for the kinds and for the order
of the children of each; a missing optional part is None.
"""

from __future__ import annotations

from collections.abc import Iterator

from attrs import frozen

from dicegames.ground.source import Span


@frozen
class Node:
    """A part of a rules file: `kind` is the name of its rule or word in the grammar.

    `bracketed` tells whether it stands in brackets, which are not part of its span.
    """

    kind: str
    span: Span
    children: tuple[Node | None, ...] = ()
    text: str = ""
    bracketed: bool = False

    def parts(self) -> list[Node]:
        """Return the children that are present."""
        return [child for child in self.children if child is not None]

    def child(self, index: int) -> Node:
        """Return a child that the grammar guarantees to be present."""
        child = self.children[index]
        assert child is not None, f"{self.kind} has no part {index}"
        return child

    def is_name(self, name: str) -> bool:
        """Tell whether it is a single name, and this one."""
        return self.kind == "name" and self.child(0).text == name

    def walk(self) -> Iterator[Node]:
        """Yield this node and all below it."""
        pending = [self]
        while pending:
            node = pending.pop()
            yield node
            pending.extend(reversed(node.parts()))


def outline(node: Node | None, depth: int = 0) -> Iterator[str]:
    """Yield the lines of a readable picture of the tree."""
    pad = "  " * depth
    if node is None:
        yield f"{pad}-"
        return
    yield f"{pad}{node.kind} {node.text}".rstrip()
    for child in node.children:
        yield from outline(child, depth + 1)
