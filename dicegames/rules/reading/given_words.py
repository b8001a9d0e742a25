"""Words that rules give a meaning, found before they are checked: bound, or only listed."""

from __future__ import annotations

from collections.abc import Iterator

from dicegames.rules.reading.house_rules import but_options
from dicegames.syntax.hints import MEASURES, WHO_AND_WHAT
from dicegames.syntax.nodes import Node

BINDERS = {"pick": 2, "each": 0, "quantified": 1, "over": 2, "over_dice": 3, "those": 0}
BINDERS |= {"each_die": 1, "let": 0}
"""Kinds of nodes that bind a name, and which of their parts it is."""

NAMED_FIRST = {
    *("variable", "option", "map", "step"),
    *("means", "means_any", "means_all", "means_cases"),
    *("bag", "dice_short", "dice_sides", "dice_faces"),
}
"""Kinds of nodes the first part of which is the name of what they declare."""

NAMED_SECOND = {"variable", "table"}
LISTS = {"pile", "parameters"}


def bound_words(nodes: list[Node]) -> list[Node]:
    """Return the words that sentences bind to something."""
    found = (node for top in nodes for node in top.walk() if node.kind in BINDERS)
    return [node.child(BINDERS[node.kind]) for node in found]


def listed_words(nodes: list[Node]) -> set[str]:
    """Return the words that are made up in a list, as in `one of (red, blue) as c`.

    In such a list nothing is called otherwise in the file.
    """
    options = [top for top in nodes if top.kind == "option"]  # with many words, and no lists
    parts = [*options, *but_options(nodes)]
    named = {*MEASURES, *WHO_AND_WHAT, "winner", "seat", "round"}.union(*map(_named, parts))
    found: set[str] = set()
    for part in parts:
        items = [item.child(0).text for item in part.parts() if item.kind == "name"]
        if part.kind == "several" and len(items) == len(part.children) and named.isdisjoint(items):
            found.update(items)
    return found


def _named(part: Node) -> Iterator[str]:
    """Yield the names that a node gives."""
    places = [BINDERS[part.kind]] if part.kind in BINDERS else []
    places += [0] if part.kind in NAMED_FIRST else []
    places += [1] if part.kind in NAMED_SECOND else []
    words = part.parts() if part.kind in LISTS else [part.children[place] for place in places]
    yield from (word.text for word in words if word is not None)
