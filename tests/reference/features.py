"""Which parts of the language a rules file uses: the kinds of its nodes, with words that matter."""

from __future__ import annotations

from collections import Counter
from functools import cache
from itertools import combinations
from pathlib import Path

from attrs import define, field
from lark import Lark

from dicegames import syntax
from dicegames.ground.diagnostic import Diagnostics
from dicegames.ground.source import Source
from dicegames.syntax.nodes import Node
from dicegames.syntax.parse import parse

NAMED = {"of_": 0, "over": 0, "over_dice": 0, "few_of": 0}
"""Kinds told apart by a word that is one of their parts."""
TOLD = (
    "COMPARE",
    "DIVIDE",
    "DIRECTION",
    "SCOPE",
    "TABLE",
    "SOME",
    "EVERY",
    "NO",
    "ANY",
    "BOXSTATE",
)
FUNCTIONS = frozenset(
    [
        "sum",
        "size",
        "highest",
        "lowest",
        "distinct",
        "points",
        "best",
        "spare",
        "place",
        "left",
        "right",
        "others",
    ]
)


def features(text: str) -> frozenset[str]:
    """Return what a rules file uses: `if_`, `of_ sum`, `COMPARE <`, `name round`."""
    source = Source("features.dg", text)
    nodes = parse(source, Diagnostics(source))
    return frozenset(name for part in nodes for node in part.walk() for name in _names(node))


def _names(node: Node) -> list[str]:
    found = [node.kind] if node.kind.islower() else []
    if node.kind in NAMED and node.child(0).text in FUNCTIONS:
        found.append(f"{node.kind} {node.child(0).text}")
    if node.kind in TOLD:
        found.append(f"{node.kind} {node.text}")
    if node.kind == "name" and node.child(0).text in ("round", "seat", "mover", "winner", "boxes"):
        found.append(f"name {node.child(0).text}")
    return found


@cache
def of_the_grammar() -> frozenset[str]:
    """Return the kinds of nodes that the grammar has."""
    grammar = Path(syntax.__file__).with_name("rules.lark").read_text("utf-8")
    lark = Lark(grammar, parser="lalr", start="item", postlex=_Plain())
    found = set()
    for rule in lark.rules:
        name = rule.alias or rule.origin.name
        is_passed_on = rule.options.expand1 and len(rule.expansion) == 1 and not rule.alias
        if not name.startswith("_") and not is_passed_on:
            found.add(str(name))
    return frozenset(found)


class _Plain:
    """Stands for the indentation, which the list of rules does not need."""

    always_accept = ("_NL",)

    def process(self, stream: object) -> object:
        return stream


@define
class Tally:
    """How many games had each feature, and each pair of features."""

    single: Counter[str] = field(factory=Counter)
    pairs: Counter[tuple[str, str]] = field(factory=Counter)
    games: int = 0

    def add(self, text: str) -> None:
        found = sorted(features(text))
        self.games += 1
        self.single.update(found)
        self.pairs.update(combinations(found, 2))
