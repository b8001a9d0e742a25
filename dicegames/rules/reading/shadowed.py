"""Names of `let` that an inner block gives anew, where the outer one was meant to change."""

from __future__ import annotations

from dicegames.rules.parts.names import Names
from dicegames.syntax.nodes import Node


def remark_on_shadows(names: Names, parts: list[Node]) -> None:
    """Remark a `let` below a line whose block keeps a value of that name and reads it later."""
    for block in (node for part in parts for node in part.walk() if node.kind == "block"):
        lines = block.parts()
        for place, line in enumerate(lines):
            for kept in _own_lets(line):
                _remark_below(names, kept.child(0).text, lines[place + 1 :])


def _remark_below(names: Names, name: str, lines: list[Node]) -> None:
    for place, line in enumerate(lines):
        if any(kept.child(0).text == name for kept in _own_lets(line)):
            return  # of this block, and in force from here on
        inner = [n for n in line.walk() if n.kind == "let" and n.child(0).text == name]
        later = (node for after in lines[place + 1 :] for node in after.walk())
        if inner and any(node.kind == "NAME" and node.text == name for node in later):
            message = f'this is another "{name}", for the rest of its block: the one above stays'
            hint = f"what is to change is a variable, declared below this turn: {name} = 0"
            names.diagnostics.remark("let-again", message, inner[0].span, hint)


def _own_lets(line: Node) -> list[Node]:
    """Return what a line keeps under names, for the rest of the block that it stands in."""
    said = (line, *line.parts()) if line.kind in ("let", "statements") else ()
    return [part for part in said if part.kind == "let"]
