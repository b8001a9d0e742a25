"""What nothing uses, or changes: named expressions, boxes, options, variables."""

from __future__ import annotations

from collections import Counter

from dicegames.rules.parts.names import Names, Scope
from dicegames.rules.reading.checker import Checker
from dicegames.rules.reading.derive import nothing
from dicegames.syntax.nodes import Node

ASKED = ("all_boxes", "is_box", "is_not_box", "open_")
"""Kinds of nodes that ask which boxes are used."""

BINDERS = {"pick": 2, "each": 0, "quantified": 1, "over": 2, "over_dice": 3, "those": 0}
BINDERS |= {"each_die": 1, "let": 0}
"""Kinds of nodes that bind a name, and which of their parts it is."""


def bound_words(nodes: list[Node]) -> list[Node]:
    """Return the words that sentences bind to something."""
    found = (node for top in nodes for node in top.walk() if node.kind in BINDERS)
    return [node.child(BINDERS[node.kind]) for node in found]


def check_unused_macros(checker: Checker) -> None:
    """Check the named expressions that have not been used in any sentence.

    What they say may hang on names that a sentence binds, so all names bound anywhere are allowed.
    """
    names = checker.names
    unused = [name for name in names.macros if name not in checker.expanded]
    if not unused:
        return
    scope = Scope({word.text: nothing(word.span) for word in names.bound})
    for name in unused:
        parameters, body = names.macros[name]
        inner = scope
        for parameter in parameters:
            inner = inner.bind(parameter, nothing(body.span))
        if name not in checker.expanded:
            checker.explain(name, body, inner, body.span)


def remark_on_boxes(names: Names, nodes: list[Node]) -> None:
    """Remark where it is first asked which boxes are used, while nothing marks one as used."""
    below = [node for top in nodes for node in top.walk()]
    asked = [node for node in below if node.kind in ASKED]
    if not asked or any(node.kind == "use" for node in below):
        return
    picks = [node for node in below if node.kind == "pick"]
    picked = (p.child(2).text for p in picks for n in p.child(1).walk() if n.text in names.boxes)
    message = "nothing in the rules marks a box as used, so all of them stay open"
    hint = f"where a box is filled, write: use {next(picked, 'NAME')}"
    names.diagnostics.remark("never-used", message, asked[0].span, hint)


def remark_on_options(names: Names, nodes: list[Node]) -> None:
    """Remark on each option that no rule reads."""
    said = Counter(node.text for top in nodes for node in top.walk())
    for word in (node.child(0) for node in nodes if node.kind == "option"):
        if said[word.text] == 1 and word.text != "players":
            message = f'no rule reads the option "{word.text}": setting it changes nothing'
            hint = "the number of players is the option: players" if word.text == "player" else ""
            names.diagnostics.remark("never-read", message, word.span, hint)


def remark_on_variables(names: Names, nodes: list[Node]) -> None:
    """Remark on each variable that decides who wins, or what, and that no statement changes."""
    below = [node for top in nodes for node in top.walk()]
    changed = {node.child(0).text for node in below if node.kind == "target"}
    counts = [n.text for top in nodes if top.kind in ("payoff", "ranking") for n in top.walk()]
    for word in (node.child(0) for node in below if node.kind == "variable"):
        is_paid = names.has_payments and word.text == "money"
        if word.text in counts and word.text not in changed and not is_paid:
            message = f'nothing in the rules changes "{word.text}"'
            hint = f"a line that changes it begins with it: {word.text} = ..., or {word.text} + ..."
            names.diagnostics.remark("never-changed", message, word.span, hint)
