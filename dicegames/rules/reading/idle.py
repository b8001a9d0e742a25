"""Remarks on lines that change nothing, whatever is thrown and chosen."""

from __future__ import annotations

from dicegames.rules.parts.names import Names
from dicegames.rules.parts.types import NUMBER
from dicegames.syntax.nodes import Node


def remark_on_idle(names: Names, below: list[Node]) -> None:
    """Remark on what is repeated no times, moved to where it lies, paid to whoever pays it."""
    for node in below:
        said = _FOUND.get(node.kind)
        message = "" if said is None else said(names, node)
        if message:
            names.diagnostics.remark("does-nothing", message, node.span)


def _repeat(_: Names, node: Node) -> str:
    times = node.children[0]
    number = None if times is None else _number(times)
    return "" if number is None or number > 0 else f"this is repeated {number} times: never"


def _each(_: Names, node: Node) -> str:
    return "there is nothing to go through: this is never done" if _is_bare(node.child(1)) else ""


def _move(names: Names, node: Node) -> str:
    moved, source, to = node.child(0), node.children[1], node.child(2)
    if _is_bare(moved):
        return "nothing is moved: nothing stands between the brackets"
    is_there = _text(names, source or moved) == to.text
    return f"nothing is moved: it lies in {to.text} already" if is_there else ""


def _draw(_: Names, node: Node) -> str:
    return "nothing is drawn" if _number(node.child(0)) == 0 else ""


def _throw(_: Names, node: Node) -> str:
    is_more = node.children[1] is not None  # else what lies on the table is taken away
    return "nothing is thrown" if is_more and _number(node.child(0)) == 0 else ""


def _pay(names: Names, node: Node) -> str:
    amount, payer, paid = node.parts()
    if _text(names, payer) == _text(names, paid):
        return f"{_text(names, payer)} would pay to {_text(names, paid)}: nothing changes hands"
    return "nothing is paid" if _number(amount) == 0 else ""


def _assign(names: Names, node: Node) -> str:
    own = _text(names, node.child(0))
    return f"{own} is what it is already" if own == _text(names, node.child(1)) else ""


def _change(names: Names, node: Node) -> str:
    target, value = names.variables.get(node.child(0).child(0).text), node.child(1)
    is_sum = target is not None and target.type is NUMBER  # else 0 may be a member of a set
    return "this changes nothing" if _is_bare(value) or (is_sum and _number(value) == 0) else ""


_FOUND = {
    "repeat": _repeat,
    "each": _each,
    "move_dice": _move,
    "draw": _draw,
    "roll_count": _throw,
    "pay": _pay,
    "assign": _assign,
    "increase": _change,
    "decrease": _change,
}


def _text(names: Names, node: Node) -> str:
    return names.diagnostics.source.words(node.span)


def _is_bare(node: Node) -> bool:
    """Tell whether nothing stands between the brackets."""
    return node.kind in ("literal", "several") and not node.parts()


def _number(node: Node) -> int | None:
    """Return the number that a node says outright; None for all else."""
    sign, inner = (-1, node.child(0)) if node.kind == "negative" else (1, node)
    return sign * int(inner.child(0).text) if inner.kind == "integer" else None
