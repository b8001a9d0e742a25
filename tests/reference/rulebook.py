"""The parts of a rules file by their names, with the house rules set."""

from __future__ import annotations

import re
from collections.abc import Mapping

from attrs import define, field, frozen

from dicegames.ground.diagnostic import Diagnostics, RulesError
from dicegames.ground.source import Source
from dicegames.syntax.nodes import Node
from dicegames.syntax.parse import parse
from tests.reference.values import Dice, Face, Kind, Row, Value


@frozen
class Variable:
    """A declared variable: whose it is, and the node with its beginning and its range."""

    name: str
    scope: str
    node: Node = field(eq=False)


@define
class Rulebook:
    """A rules file taken apart; what is computed from it is computed elsewhere."""

    text: str = ""
    options: dict[str, Value] = field(factory=dict)
    dice: list[Node] = field(factory=list)
    kinds: dict[str, Kind] = field(factory=dict)
    bags: dict[str, Kind] = field(factory=dict)
    """What is drawn and not thrown: as many of each face as its weight says."""
    piles: dict[str, str] = field(factory=dict)
    """Every pile, with the kind of dice that can lie there."""
    variables: dict[str, Variable] = field(factory=dict)
    rows: list[Row] = field(factory=list)
    tables: list[str] = field(factory=list)
    row_nodes: list[tuple[str, str, Node]] = field(factory=list)
    maps: dict[str, Node] = field(factory=dict)
    means: dict[str, Node] = field(factory=dict)
    steps: dict[str, Node] = field(factory=dict)
    turn: Node | None = None
    ends: list[Node] = field(factory=list)
    at_end: Node | None = None
    ranking: Node | None = None
    payoff: Node | None = None
    strategies: dict[str, list[Node]] = field(factory=dict)
    names: frozenset[str] = frozenset()
    """Every name that stands anywhere in the file."""

    def kind_of(self, pile: str) -> Kind:
        """Return what can lie in a pile."""
        of = self.piles[pile]
        return self.kinds[of] if of in self.kinds else self.bags[of]

    def at_first(self, pile: str) -> Dice:
        """Return what lies in a pile at the beginning of a turn: nothing, but in a bag."""
        kind = self.kind_of(pile)
        return Dice(kind, kind.all_of_it() if pile in self.bags else ())

    @property
    def players(self) -> int:
        return int(self.options.get("players", 1))


def read(text: str, options: Mapping[str, Value] | None = None) -> Rulebook:
    """Return the parts of a rules file that is in order."""
    source = Source("chance.dg", text)
    diagnostics = Diagnostics(source)
    nodes = parse(source, diagnostics)
    if diagnostics.found:
        raise RulesError(source, diagnostics.sorted())
    book = Rulebook(source.text)
    book.names = frozenset(n.text for part in nodes for n in part.walk() if n.kind == "NAME")
    for node in nodes:
        _take(book, node, options or {})
    return book


def _take(book: Rulebook, node: Node, options: Mapping[str, Value]) -> None:
    first = next(iter(node.parts()), node)
    match node.kind:
        case "option":
            values = [_option_value(c.child(0)) for c in node.parts() if c.kind == "option_value"]
            book.options[first.text] = options.get(first.text, values[0])
        case "dice_short" | "dice_sides" | "dice_faces" | "bag":
            book.dice.append(node)
        case "means" | "means_any" | "means_all" | "means_cases":
            book.means[first.text] = node
        case "ends_rounds" | "ends_when" | "ends_round_when":
            book.ends.append(node)
        case "ranking":
            book.ranking = node
        case "payoff":
            book.payoff = node
        case _:
            _take_block(book, node, first)


def _take_block(book: Rulebook, node: Node, first: Node) -> None:
    match node.kind:
        case "pile":
            names = [c.text for c in node.parts() if c.kind == "NAME"]
            of = node.children[-1]
            listed = names if of is None else names[:-1]
            book.piles |= dict.fromkeys(listed, "" if of is None else of.text)
        case "scope":
            for each in node.parts()[1:]:
                name = each.child(0).text
                book.variables[name] = Variable(name, first.text, each)
        case "table":
            name = node.child(1).text
            book.tables.append(name)
            book.row_nodes += [(first.text, name, row) for row in node.parts()[2:]]
        case "map":
            book.maps[first.text] = node
        case "turn":
            book.turn = first
        case "step":
            book.steps[first.text] = node.child(1)
        case "at_end":
            book.at_end = first
        case "strategy":
            book.strategies[first.text] = node.parts()[1:]


def _option_value(node: Node) -> Value:
    if node.kind in ("INT", "SIGNED"):
        return int(node.text)
    return node.text == "yes" if node.kind in ("YES", "NO") else node.text


def face(node: Node) -> Face:
    return int(node.text) if node.kind == "INT" else node.text


def renamed(label: str, name: str, value: Value) -> str:
    """Return the label of one row of a family: the name stands for its number."""
    return re.sub(rf"\b{re.escape(name)}\b", str(value), label)
