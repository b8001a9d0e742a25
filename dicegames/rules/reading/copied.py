"""Lines that add something and stand twice, as does a line that was copied and left as it was."""

from __future__ import annotations

from itertools import pairwise

from dicegames.rules.parts.names import Names
from dicegames.syntax.nodes import Node

SUMS = ("increase", "decrease")
"""Kinds of nodes that add and take away."""


def remark_on_copies(names: Names, parts: list[Node]) -> None:
    """Remark a line that adds the same as the line above it."""
    said = names.diagnostics.source.words
    for block in (node for part in parts for node in part.walk() if node.kind == "block"):
        for above, line in pairwise(block.parts()):
            if _adds(line) and said(above.span) == said(line.span):
                message = "this is done twice: the line above says the same"
                names.diagnostics.remark("done-twice", message, line.span, "leave one of them out")


def _adds(line: Node) -> bool:
    """Tell whether a line only adds, the same whenever it is done."""
    if line.kind != "statements" or any(part.kind not in (*SUMS, "use") for part in line.parts()):
        return False
    sums = [part for part in line.parts() if part.kind in SUMS]
    return bool(sums) and not any(_changes(part) for part in sums)


def _changes(part: Node) -> bool:
    """Tell whether what is added reads what it is added to, as in `up - highest of up`."""
    target = part.child(0).child(0).text
    return any(node.kind == "NAME" and node.text == target for node in part.child(1).walk())
