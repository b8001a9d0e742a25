"""From the text of a rules file to a checked game: the entry to this floor.

The examples of the file are run as well: what a roll scores, which moves a position has.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from dicegames.ground.diagnostic import (
    Diagnostics,
    RulesError,
    closest,
    did_you_mean,
    folded,
    named,
)
from dicegames.ground.source import Source, Span
from dicegames.rules.parts.broken import RuleBroken
from dicegames.rules.parts.game import Rules
from dicegames.rules.parts.names import Names, Scope
from dicegames.rules.parts.types import ANYTHING, Type
from dicegames.rules.parts.value_text import PositionError, value_text
from dicegames.rules.reading.expressions import expressions
from dicegames.rules.reading.house_rules import but_options, mentioned, other_settings
from dicegames.rules.reading.whole import check_parts
from dicegames.rules.running.notation import parse_position, position_text
from dicegames.rules.running.referee import Position
from dicegames.syntax.nodes import Node
from dicegames.syntax.parse import parse

MOST_PARTS_AGAIN = 100_000
"""Parts of sentences that are checked again, for all other settings of house rules together."""


def check(
    source: Source, options: Mapping[str, Any] | None = None, *, thorough: bool = True
) -> Rules:
    """Return the game of a rules file with its house rules set.

    Every other value of every house rule is checked too, and the examples are run where all house
    rules have their defaults; `thorough=False` leaves both out. Raises RulesError with all
    mistakes found, and OptionError for a house rule that is not there.
    """
    diagnostics = Diagnostics(source)
    nodes = parse(source, diagnostics)
    game = Rules(source, Names(diagnostics), text_of=position_text)
    try:
        if nodes:
            check_parts(game, nodes, options or {})
        if nodes and thorough:
            _check_other_settings(game, nodes, options or {})
    except RecursionError:
        message = "the rules are nested too deeply"
        diagnostics.add("nesting", message, nodes[0].span, "name their parts: NAME means ...")
    if thorough and not diagnostics.found and game.has_default_options:
        run_examples(game)
    if diagnostics.found:
        raise RulesError(source, diagnostics.sorted())
    return game


def _check_other_settings(game: Rules, nodes: list[Node], options: Mapping[str, Any]) -> None:
    """Check the rules with each other value of each house rule, the others as they are set.

    A mistake that these have in common with the rules as they are set is reported once.
    """
    found = game.names.diagnostics
    settings = list(other_settings(game.names, mentioned(nodes)))
    if len(settings) * sum(1 for _ in but_options(nodes)) > MOST_PARTS_AGAIN:
        widest = max(game.names.options.values(), key=lambda option: len(option.values))
        message = f"the options can be set in {len(settings):,} ways, and all are checked"
        hint = "give fewer values; of a number from ... to ... only the ends are checked"
        found.add("too-many-settings", message, widest.span, hint)
        return
    known = {d.span for d in found.found}
    for name, value, text in settings:
        diagnostics = Diagnostics(game.source)
        other = Rules(game.source, Names(diagnostics))
        check_parts(other, nodes, {**options, name: value}, remarks=False)
        for diagnostic in diagnostics.found:
            if diagnostic.span not in known:
                known.add(diagnostic.span)
                message = f"with {name} = {text}: {diagnostic.message}"
                found.add(diagnostic.code, message, diagnostic.span, diagnostic.help)


# ---- examples


COMPARABLE = ("number", "truth", "word", "dice", "box")


def run_examples(game: Rules) -> None:
    """Run the examples of a game; report those that do not come out."""
    for node in game.examples:
        try:
            if node.kind == "example_value":
                _value(game, node)
            else:
                _moves(game, node)
        except RuleBroken as broken:
            message = f"this example cannot be run: {broken.message}"
            game.names.report("example-breaks", message, node.span, broken.help)
        except PositionError as error:
            place = _meant(node.child(0), error.message)
            game.names.report("example-position", error.message, place, error.help)


def _meant(position: Node, message: str) -> Span:
    """Return the place of what a message puts in quotes, if it is there once; else of it all."""
    for said in re.findall(r'"([^"]+)"', message):
        places = [*re.finditer(rf"(?<!\w){re.escape(said)}(?!\w)", position.text)]
        if len(places) == 1:
            first = position.span.start + 1  # behind the sign of quotation
            return Span(first + places[0].start(), first + places[0].end())
    return position.span


# ---- what a roll scores


def _value(game: Rules, node: Node) -> None:
    checker = expressions(game.names)
    asked, literal, stated = node.child(0), node.children[1], node.child(2)
    left, right = (checker.check(part, Scope()) for part in (asked, stated))
    if ANYTHING in (left.type, right.type):
        return
    env = game.start()  # now that all names bound in these expressions have their slots
    if literal is not None:
        dice = checker.check(literal, Scope(), Type("dice"))
        pile = game.names.main_pile()
        if dice.type is ANYTHING or pile is None:
            return
        env[pile.base] = dice.value()
    if left.type.kind != right.type.kind or left.type.kind not in COMPARABLE:
        message = f"{left.type} is compared with {right.type}"
        game.names.report("wrong-type", message, node.span)
        return
    found, wanted = left.run(env), right.run(env)
    if found != wanted:
        text = value_text(game.names, "", left.type, found)
        message = f"this example does not hold: it is {text}"
        game.names.report("example-fails", message, stated.span)


# ---- which moves a position has


def _moves(game: Rules, node: Node) -> None:
    only = any(part is not None and part.kind == "ONLY" for part in node.children)
    stated = [part for part in node.parts()[1:] if part.kind == "STRING"]
    position = parse_position(game, node.child(0).text)
    labels = _labels(game, position, node)
    if labels is None:
        return
    have = {folded(label): f'"{label}"' for label in labels}
    mentioned = {folded(part.text) for part in stated}
    for part in stated:
        if folded(part.text) not in have:
            meant = closest(part.text, labels)
            mentioned.add(folded(meant))
            hint = did_you_mean(part.text, labels) or f"its moves are {named(have.values())}"
            message = f'the position has no move "{part.text}"'
            game.names.report("example-fails", message, part.span, hint)
    extra = [label for plain, label in have.items() if plain not in mentioned]
    if only and extra:
        message = "the position has other moves, too: " + named(extra)
        hint = 'name them as well, or leave out "only"'
        game.names.report("example-fails", message, node.child(0).span, hint)


def _labels(game: Rules, position: Position, node: Node) -> list[str] | None:
    """Return the moves of a position; None, reported, if nobody chooses there."""
    if position.is_chance or position.is_over:
        what = "dice are thrown" if position.is_chance else "the game is over"
        message = f"nobody chooses in this position: {what}"
        game.names.report("example-fails", message, node.child(0).span)
        return None
    return [move.label for move in position.moves()]
