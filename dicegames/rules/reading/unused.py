"""Named expressions that nothing uses: their names are checked all the same."""

from __future__ import annotations

from dicegames.rules.parts.names import Scope
from dicegames.rules.reading.checker import Checker
from dicegames.rules.reading.derive import nothing
from dicegames.syntax.nodes import Node

BINDERS = {"pick": 2, "each": 0, "quantified": 1, "over": 2, "over_dice": 3, "those": 0}
BINDERS |= {"each_die": 1, "let": 0}
"""Kinds of nodes that bind a name, and which of their parts it is."""


def check_unused_macros(checker: Checker, nodes: list[Node]) -> None:
    """Check the named expressions that have not been used in any sentence.

    What they say may hang on names that a sentence binds, so all names bound anywhere are allowed.
    """
    names = checker.names
    unused = [name for name in names.macros if name not in checker.expanded]
    if not unused:
        return
    scope = Scope()
    for node in [below for top in nodes for below in top.walk()]:
        if node.kind in BINDERS:
            word = node.child(BINDERS[node.kind])
            scope = scope.bind(word.text, nothing(word.span))
    for name in unused:
        parameters, body = names.macros[name]
        inner = scope
        for parameter in parameters:
            inner = inner.bind(parameter, nothing(body.span))
        if name not in checker.expanded:
            checker.explain(name, body, inner, body.span)
