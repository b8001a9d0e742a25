"""A reader of games in Storm's explicit format that shares nothing with the program."""

from __future__ import annotations

import re
from collections.abc import Hashable
from fractions import Fraction

from tests.analysis.iteration import Way, iterated


def read(text: str, seat: int) -> tuple[dict[Hashable, list[Way]], Hashable]:
    """Return the ways on from every state, won being what a seat wins, and the first state."""
    head, _, body = text.partition("@model\n")
    ways: dict[Hashable, list[Way]] = {}
    begin, choices = "", 0
    for block in body.split("state ")[1:]:
        first, *actions = block.split("\taction ")
        name, *labels = first.split()
        begin = name if "init" in labels else begin
        choices += len(actions)
        ways[name] = []
        for action in actions if "over" not in labels else ():
            top, *on = action.splitlines()
            found = re.search(r"\[(.*)\]", top)
            won = float(Fraction(found[1].split(", ")[seat - 1])) if found else 0.0
            pairs = [line.split(" : ") for line in on]
            chances = [(float(Fraction(chance)), to.strip()) for to, chance in pairs]
            assert abs(sum(chance for chance, _ in chances) - 1) < 1e-12
            ways[name].append((won, chances))
    assert f"@nr_states\n{len(ways)}\n@nr_choices\n{choices}\n" in head
    return ways, begin


def value_of(text: str, seat: int, *, least: bool = False) -> float:
    """Return what a seat can expect at most (or at least)."""
    return iterated(*read(text, seat), least=least)
