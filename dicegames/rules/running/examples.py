"""Examples in rules files: what a roll scores, which moves a position has."""

from __future__ import annotations

import re

from dicegames.ground.diagnostic import closest, did_you_mean, folded, named
from dicegames.ground.source import Span
from dicegames.rules.parts.broken import RuleBroken
from dicegames.rules.parts.game import Rules
from dicegames.rules.parts.names import Scope
from dicegames.rules.parts.types import ANYTHING, Type
from dicegames.rules.parts.value_text import PositionError, value_text
from dicegames.rules.reading.expressions import expressions
from dicegames.rules.running.notation import parse_position
from dicegames.rules.running.referee import Position
from dicegames.syntax.nodes import Node

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
