"""The parts of a rules file, put together in the order in which they need each other."""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterator, Mapping
from typing import Any

from dicegames.ground.source import Span
from dicegames.rules.parts.flow import Finish, TurnEnds
from dicegames.rules.parts.game import Rules
from dicegames.rules.parts.names import Mistake, Scope, Variable
from dicegames.rules.parts.types import NUMBER
from dicegames.rules.reading import declarations, kinds
from dicegames.rules.reading.anew import remark_on_changes
from dicegames.rules.reading.builder import Place
from dicegames.rules.reading.derive import nothing
from dicegames.rules.reading.ending import end_of_turn, goal, rank, settlement
from dicegames.rules.reading.expressions import expressions, statements
from dicegames.rules.reading.house_rules import but_options, declare_options
from dicegames.rules.reading.remarks import remark_on_rules
from dicegames.rules.reading.soundness import check_flow
from dicegames.rules.reading.strategies import read_strategies
from dicegames.syntax.hints import BEGINNINGS, MEASURES, WHO_AND_WHAT
from dicegames.syntax.nodes import Node
from dicegames.syntax.parse import MISTAKE

SINGLE_PARTS = ("game", "turn", "ends", "at_end", "ranking", "payoff")
USUAL_HEADS = ("game", "dice", "turn", "ends", "ranking", "payoff")
DEFINITIONS = ("means", "means_any", "means_all", "means_cases")
ENDINGS = ("ends_rounds", "ends_round_when", "ends_when")
FILE_START = Span(0, 1)


def check_parts(
    game: Rules, nodes: list[Node], options: Mapping[str, Any], *, remarks: bool = True
) -> None:
    """Fill an empty game from the parts of its file; the mistakes go to its diagnostics.

    Without `remarks` nothing is said of what is in order.
    """
    _WholeGame(game, nodes, remarks=remarks).run(options)


class _WholeGame:
    def __init__(self, game: Rules, nodes: list[Node], *, remarks: bool):
        self.game = game
        self.remarks = remarks
        self.names = game.names
        self.nodes = [part for n in nodes for part in (n.parts() if n.kind == MISTAKE else [n])]
        self.checker = expressions(self.names)
        mistaken = [n.text for n in nodes if n.kind == MISTAKE]
        maps = [
            part for n in nodes if n.kind == MISTAKE for part in n.parts() if part.kind == "map"
        ]
        self.names.doubtful = _doubtful(mistaken) | {part.child(0).text for part in maps}
        self.names.is_whole = not mistaken
        variables = (n for top in self.of_kind("scope") for n in top.parts()[1:])
        self.names.changing = {n.child(0).text for n in variables}
        self.rules = [n for n in nodes if n.kind != "option"]  # of which there may be many
        self.names.bound = bound_words(self.rules)
        self.names.shown = self._shown_letters()

    def _shown_letters(self) -> dict[str, str]:
        """Return the letters of patterns that dice are asked to show, with these."""
        text = self.names.diagnostics.source.text
        asked = (n.child(1) for top in self.rules for n in top.walk() if n.kind == "shows")
        words = ((word, part.span) for part in asked for word in part.walk())
        letters = ((w.text, at) for w, at in words if w.kind == "NAME" and len(w.text) == 1)
        return {letter: text[at.start : at.end] for letter, at in letters}

    def of_kind(self, *wanted: str) -> list[Node]:
        """Return the parts of the file of some kinds, in their order."""
        return [n for n in self.nodes if n.kind in wanted]

    def run(self, options: Mapping[str, Any]) -> None:
        """Check everything."""
        self._once()
        self._declare(options)
        settles = bool(self.of_kind("at_end"))
        rank(self.checker, self.game, self.of_kind("ranking"), settles=settles)
        goal(self.checker, self.game, self.of_kind("payoff"))
        self._flow()
        read_strategies(self.checker, self.game, self.of_kind("strategy"), self.rules)
        self._check_unused()
        self.game.examples = self.of_kind("example_value", "example_moves")

    def _once(self) -> None:
        for kind in SINGLE_PARTS:
            found = [n for n in self.nodes if n.kind == kind or n.kind.startswith(kind + "_")]
            for extra in found[1:]:
                line, _ = self.names.diagnostics.source.line_column(found[0].span.start)
                word = kind.replace("at_end", "at the end")
                message = f'a second "{word}": a game has one'
                hint = f"see line {line}"
                if kind == "ends":
                    hint += "; join them: ends after the round when ... or round = 6"
                self.names.report("twice", message, _first_line(extra), hint)
        games = self.of_kind("game")
        if games:
            self.game.title = games[0].child(0).text
        else:
            message = "the file does not say which game this is"
            hint = 'begin with: game "Name"'
            self.names.tell(Mistake("no-game", message, FILE_START, hint, missing="game"))

    def _declare(self, options: Mapping[str, Any]) -> None:
        checker, names = self.checker, self.names
        names.words.update(listed_words(self.nodes))
        declare_options(names, self.of_kind("option"), options)
        kinds.declare_dice(
            checker, self.of_kind("dice_short", "dice_sides", "dice_faces", "bag", "pile")
        )
        for name, first in (("seat", 0), ("round", 1)):
            counted = Variable(name, NUMBER, "table", -1, 1, Span(0, 0), first)
            names.variables[name] = names.add_variable(counted)
        declarations.declare_macros(names, self.of_kind(*DEFINITIONS))
        declarations.declare_maps(checker, self.of_kind("map"))
        declarations.declare_variables(checker, self.of_kind("scope"))
        declarations.declare_tables(checker, self.of_kind("table"))
        declarations.declare_steps(names, self.of_kind("step"))

    def _flow(self) -> None:
        turns = self.of_kind("turn")
        if not turns:
            message = "the file does not say what happens in a turn"
            self.names.tell(Mistake("no-turn", message, FILE_START, "add: turn", missing="turn"))
            return
        self.names.has_payments = any(n.kind == "pay" for n in but_options(self.nodes))
        builder = statements(self.checker)
        place = _first_line(turns[0])
        finish = builder.emit(Finish(place, -1))
        for node in self.of_kind("at_end"):
            finish = settlement(builder, node, finish)
        rotation = builder.emit(TurnEnds(place, -1))
        end_turn = end_of_turn(builder, self.of_kind(*ENDINGS), rotation, finish)
        inside = Place(next=end_turn, end_turn=end_turn, end_game=finish, name="turn")
        turn = builder.build(turns[0].child(0), Scope(), inside)
        builder.flow[rotation].next = turn
        builder.finish()
        self.game.flow, self.game.turn, self.game.end_turn = builder.flow, turn, end_turn
        if self.names.is_whole and not self.names.diagnostics.found:
            check_flow(self.game)
        if self.remarks and self.names.is_whole and not self.names.diagnostics.found:
            remark_on_changes(self.game, self.checker.uses, builder.passes)
            remark_on_rules(self.names, self.nodes)

    def _check_unused(self) -> None:
        """Check the named expressions that have not been used in any sentence.

        What they say may hang on names that a sentence binds: all names bound anywhere are allowed.
        """
        bound = Scope({word.text: nothing(word.span) for word in self.names.bound})
        for name, (parameters, body) in self.names.macros.items():
            if name not in self.checker.expanded:
                inner = bound
                for parameter in parameters:
                    inner = inner.bind(parameter, nothing(body.span))
                self.checker.explain(name, body, inner, body.span)


def _doubtful(texts: list[str]) -> set[str]:
    """Return what parts with mistakes may have declared: their words, and what begins them.

    Where a line was taken out, "pass" stands for it.
    """
    words = [w.strip('"') for text in texts for w in re.findall(r'[^\W\d]\w*|"[^"\n]*"', text)]
    firsts = [w for text in texts for w in re.findall(r"^\w+", text)]
    meant = {w for first in firsts for w in difflib.get_close_matches(first, USUAL_HEADS)}
    return {
        *words,
        *meant,
        *(["pass"] if texts else []),
        *(["dice"] if any(re.match(r"\d+d\d", text) for text in texts) else []),
        *(USUAL_HEADS if BEGINNINGS.keys() & set(firsts) else ()),
    }


def _first_line(node: Node) -> Span:
    """Return the place of the word with which a part begins."""
    length = 3 if node.kind == "at_end" else len(node.kind.split("_")[0])
    return Span(node.span.start, node.span.start + length)


# ---- words that rules give a meaning


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
