"""The checker of expressions: it hands each node to the function for its kind.

The functions stand in files of their own (logic, arithmetic, collections, boxes, functions), each
with a table HANDLERS; `expressions` puts the tables together. A mistake is reported once; the
result then has the type ANYTHING, which fits everywhere, so that one mistake does not bring others
with it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from functools import reduce

from attrs import evolve

from dicegames.ground.diagnostic import help_lines
from dicegames.ground.source import Span
from dicegames.rules.parts.broken import RuleBroken
from dicegames.rules.parts.flow import Expression
from dicegames.rules.parts.names import Mistake, Names, Reported, Scope, Use, Variable
from dicegames.rules.parts.rows import Boxes
from dicegames.rules.parts.types import ANYTHING, BOXES, NUMBER, PLAYER, PLAYERS, TRUTH, Type
from dicegames.rules.parts.unknown import both, either
from dicegames.rules.parts.value_text import TRUTHS
from dicegames.rules.reading.derive import (
    constant,
    demand_sound,
    held,
    joined,
    negation_of,
    nothing,
    remembered,
)
from dicegames.rules.reading.places import seat_of, winner
from dicegames.syntax.mistakes import listed
from dicegames.syntax.nodes import Node

DEEPEST_EXPRESSION = 150
MOST_PARTS_CHECKED = 20_000
"""Parts of expressions and statements, once all named expressions and loops are written out."""


class Checker:
    """Checks expressions against the declared names."""

    def __init__(self, names: Names, handlers: Mapping[str, Handler]):
        self.names = names
        self.handlers = handlers
        self.depth = 0
        self.work = 0
        self.unreached = False
        self.expanded: set[str] = set()
        self.uses: list[Use] = []
        self.wanted: tuple[Type, ...] = ()  # what the node that is handed on is wanted to be

    def check(self, node: Node, scope: Scope, *wanted: Type) -> Expression:
        """Return the checked expression; report it if its type is none of those wanted."""
        if not self.has_room(node.span):
            return nothing(node.span)
        self.depth += 1
        self.wanted = wanted
        try:
            result = self.handlers[node.kind](self, node, scope)
            if wanted:
                self.demand(result, node, *wanted)
        except RuleBroken as broken:
            self.tell_broken(broken, node.span)
            return nothing(node.span)
        except Reported as mistake:
            self.names.tell(mistake)
            return nothing(node.span)
        finally:
            self.depth -= 1
        return result

    def sound(self, node: Node, scope: Scope, *wanted: Type) -> Expression:
        """Return the checked expression; raises Reported where it is mistaken."""
        found = self.check(node, scope, *wanted)
        demand_sound(found)
        return found

    def demand(self, result: Expression, node: Node, *wanted: Type) -> None:
        """Raise Mistake unless an expression is of one of the types wanted, or mistaken already."""
        if result.type.kind not in [ANYTHING.kind, *(w.kind for w in wanted)]:
            message = f"expected {listed([str(w) for w in wanted])}, but this is {result.type}"
            hint = self.what_instead(result, *wanted)
            if result.type.kind == "word" and any(w.kind == "dice" for w in wanted):
                hint = self._kind_meant(result)
            raise Mistake("wrong-type", message, node.span, hint)

    def _kind_meant(self, word: Expression) -> str:
        """Say how to throw dice whose kind a word tells."""
        kind = next((w for w in word.type.of if w in self.names.thrown), "")
        text = self.text(word.span)
        return kind and f"ask which kind it is: if {text} = {kind}: roll 1 {kind}"

    def what_instead(self, found: Expression, *wanted: Type) -> str:
        """Say how to count a collection where a number belongs, or how dice are picked out."""
        text = self.text(found.span)
        if found.type is NUMBER and text.isdigit() and any(w.kind == "dice" for w in wanted):
            return f"one die that shows it: {{{text}}}; all: those f in dice where f = {text}"
        if found.type is NUMBER and any(w.kind == "dice" for w in wanted):
            return self.set_meant(found) or (
                "some of the dice: highest 1 of dice, lowest 2 of dice, those f in dice where f = 3"
            )
        if found.type is PLAYERS and any(w.kind == "dice" for w in wanted):
            return (
                "pick a seat: one of 1 to size of players as s; "
                "then look for it: each p in players, if seat of p = s: ..."
            )
        if found.type is TRUTH and NUMBER in wanted:
            return _as_number(text)
        if found.type.kind == "boxes" and any(w.kind == "dice" for w in wanted):
            return f"count boxes so: sum of (1 if ... else 0) over b in {text}"
        if found.type is NUMBER and TRUTH in wanted:
            full = f"say of what, on both sides of and, or: sum of dice = {text}; dice show {text}"
            return full if text.isdigit() else f"compare it: {text} > 0"
        if found.type.kind == "box" and NUMBER in wanted:
            return f"what it pays is: points of {text}"
        if NUMBER not in wanted or found.type.kind not in ("dice", "set", "boxes", "players"):
            return ""
        whole = text if text.isidentifier() else "(...)"
        adds_up = found.type.kind in ("dice", "set")
        return (
            f"write: sum of {whole}, or size of {whole}" if adds_up else f"write: size of {whole}"
        )

    def set_meant(self, found: Expression) -> str:
        """Say how a variable holds a set, where it was declared as a number of some range."""
        variable = self.names.variables.get(self.text(found.span))
        if variable is None or not (within := variable.within) or variable.capped:
            return ""
        if variable.initial != within[0]:
            return ""
        name, ends = variable.name, f"{within[0]} to {within[-1]}"
        return f"{name} = {ends} is a number; a set stands in brackets: {name} = ({ends})"

    @contextmanager
    def never(self, *, when: bool) -> Iterator[None]:
        """Check what play never comes to: a fixed value that does not fit is no mistake there."""
        before, self.unreached = self.unreached, self.unreached or when
        try:
            yield
        finally:
            self.unreached = before

    def tell_broken(self, broken: RuleBroken, span: Span) -> None:
        """Report that fixed values break the rules, wherever play may come to it."""
        if not self.unreached:
            self.names.report(broken.code, broken.message, span, broken.help)

    def text(self, span: Span) -> str:
        """Return what stands in the rules file."""
        return self.names.diagnostics.source.at(span)

    def has_room(self, span: Span) -> bool:
        """Count a part of the rules; report rules that are too deep or too large to go on."""
        self.work += 1
        if self.depth >= DEEPEST_EXPRESSION:
            message = "this is nested too deeply"
            self.names.report("nesting", message, span, "name its parts: NAME means ...")
            return False
        if self.work == MOST_PARTS_CHECKED:
            message = "the rules become too large here, with all named expressions written out"
            self.names.report("rules-too-large", message, span, "say it with fewer repetitions")
        return self.work < MOST_PARTS_CHECKED

    # ---- names

    def find(self, name: str, span: Span, scope: Scope) -> Expression | None:
        """Return what a single name means, None if nothing is called so."""
        meaning = scope.bound.get(name)
        if isinstance(meaning, Expression):
            return meaning if meaning.span.end else evolve(meaning, span=span)
        if meaning is not None:
            return self.read(meaning, scope, span)
        names = self.names
        if name in names.contested:
            raise Reported
        if name in names.variables:
            return self.read(names.variables[name], scope, span)
        if name in names.options and name != "players":  # that is who they are, not how many
            return constant(type_of_option(names, name), names.options[name].value, span)
        if name in names.macros:
            return self.expand(name, None, span, scope)
        if name in names.words:
            return constant(Type("word", (name,)), name, span)
        if name == "winner":
            return winner(self.names, span)
        return boxes_named(names, name, span) or players_named(names, name, span)

    def can_be(self, name: str, span: Span, scope: Scope, wanted: tuple[Type, ...]) -> bool:
        """Tell whether a name by itself is of a type that is wanted, as far as that is known."""
        if name in self.names.macros:
            return not self.names.macros[name][0]
        try:
            found = self.find(name, span, scope)
        except Reported:
            return False
        return found is not None and (
            not wanted or found.type.kind in (ANYTHING.kind, *(w.kind for w in wanted))
        )

    def read(self, variable: Variable, scope: Scope, span: Span) -> Expression:
        """Return the value of a variable, of the player who is meant if players have one each."""
        if variable.type is ANYTHING:
            raise Reported
        if variable.keys:
            message = f'"{variable.name}" holds several values'
            hint = f'say of which: "{variable.name} of {variable.keys[0]}"'
            raise Mistake("which-one", message, span, hint)
        slot = variable.base
        if variable.scope == "table" and variable.name == "seat":
            return seat_of(slot, scope.player, self.names.players, span)
        if variable.scope == "player":
            slot += scope.player
        return held(variable.type, slot, span)

    def expand(self, name: str, argument: Node | None, span: Span, scope: Scope) -> Expression:
        """Return the meaning of a named expression, in the sentence in which it stands."""
        parameters, body = self.names.macros[name]
        if name in scope.inside:
            raise Mistake("means-itself", f'"{name}" is defined in terms of itself', span)
        inner = evolve(scope, inside=scope.inside | {name})
        given = arguments(argument, len(parameters))
        if len(given) != len(parameters):
            say = f'"{use_of(name, parameters)}"' if parameters else f'"{name}" by itself'
            raise Mistake("wrong-use", f"say {say} here", span)
        told: set[int] = set()  # what is handed over is told at each use
        for parameter, part in zip(parameters, given, strict=True):
            handed = self._handed(part, scope)
            told |= {handed.base} if isinstance(handed, Variable) else handed.reads
            inner = inner.bind(parameter, handed)
        before = len(self.names.diagnostics.found)
        result = self.explain(name, body, inner, span)
        self._tell_handed(before, {p: inner.bound[p].type for p in parameters}, span)
        named = (n.child(0).text for part in given for n in part.walk() if n.kind == "name")
        is_bound = any(name in scope.bound for name in named)
        self.uses.append(Use(span, result.reads - told, is_bound))
        return result

    def _tell_handed(self, before: int, handed: Mapping[str, Type], span: Span) -> None:
        """Say of what does not go together in a named expression what it was handed, and where."""
        diagnostics = self.names.diagnostics
        line, _ = diagnostics.source.line_column(span.start)
        kinds = " and ".join(f'"{name}" is {kind}' for name, kind in handed.items())
        use = f"it is used in line {line}, where {kinds}"
        for number, found in enumerate(diagnostics.found[before:], before):
            if kinds and found.code == "wrong-type" and "it is used in line" not in found.help:
                diagnostics.found[number] = evolve(found, help=help_lines(found.help, use))

    def _handed(self, part: Node, scope: Scope) -> Variable | Expression:
        """Return what is handed to a named expression: of dice their pile, which tells the kind."""
        word = scope.called(part.child(0).text) if part.kind == "name" else ""
        return self.names.variables[word] if word in self.names.thrown else self.check(part, scope)

    def explain(self, name: str, body: Node, inner: Scope, span: Span) -> Expression:
        """Return the meaning of the body of a named expression."""
        self.expanded.add(name)
        return remembered(self._meaning(body, inner, span))

    def _meaning(self, body: Node, inner: Scope, span: Span) -> Expression:
        if body.kind in ("means_any", "means_all"):
            parts = [self.check(part, inner, TRUTH) for part in body.parts()]
            return joined(either if body.kind == "means_any" else both, parts, span)
        if body.kind == "means_cases":
            *cases, otherwise = body.parts()
            return self.check(reduce(_conditional, reversed(cases), otherwise.child(0)), inner)
        return self.check(body, inner)

    def used_boxes(self, scope: Scope, span: Span) -> Expression:
        """Return the set of used boxes of the player who is meant."""
        variable = self.names.variables.get("used")
        if variable is None:
            message, hint = "this game has no boxes", "declare: boxes NAME"
            raise Mistake("no-boxes", message, span, hint, missing="boxes")
        return self.read(variable, scope, span)


Handler = Callable[[Checker, Node, Scope], Expression]
"""Checks a node of one kind."""


def negated(handler: Handler) -> Handler:
    """Return the handler of the opposite."""
    return lambda checker, node, scope: negation_of(handler(checker, node, scope), node.span)


def arguments(node: Node | None, wanted: int) -> list[Node]:
    """Return what is handed to a named expression: `of a`, or `of (a, b)`."""
    if node is None:
        return []
    return node.parts() if wanted > 1 and node.kind == "several" else [node]


def use_of(name: str, parameters: tuple[str, ...]) -> str:
    """Return how a named expression is used: `toll of (p, n)`."""
    listed_ = ", ".join(parameters)
    return f"{name} of ({listed_})" if len(parameters) > 1 else f"{name} of ..."


def _conditional(other: Node, case: Node) -> Node:
    """Return one line of a table of cases with all that stand below it."""
    return Node("conditional", case.span, (case.child(0), case.child(1), other))


def type_of_option(names: Names, name: str) -> Type:
    """Return the type of a house rule's value."""
    option = names.options[name]
    if isinstance(option.value, bool):
        return TRUTH
    if isinstance(option.value, int):
        return NUMBER
    return Type("word", option.values)


def boxes_named(names: Names, name: str, span: Span) -> Expression | None:
    """Return the rows of a table, or `boxes`: the rows of all tables that are used up."""
    if name in names.tables:
        return constant(BOXES, Boxes(tuple(names.tables[name])), span)
    if name == "boxes" and names.boxes:
        rows = tuple(row for table in names.boxes for row in names.tables[table])
        return constant(BOXES, Boxes(rows), span)
    return None


def players_named(names: Names, name: str, span: Span) -> Expression | None:
    """Return `mover`, `players` or `others`, counted from the player to move."""
    if name == "mover":
        return constant(PLAYER, 0, span)
    if name in ("players", "others"):
        names.ask_players()
        first = 0 if name == "players" else 1
        return constant(PLAYERS, tuple(range(first, names.players)), span)
    return None


def _as_number(text: str) -> str:
    """Say how a condition becomes a number."""
    if text not in TRUTHS:
        return f"write: (1 if {text} else 0)"
    so = "a variable that is yes or no is declared so"
    return f"write: {int(TRUTHS[text])}; {so}: NAME = no"
