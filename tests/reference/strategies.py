"""The strategies of a rules file: which of the legal moves they play."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import permutations
from typing import Protocol

from attrs import define, field

from dicegames.syntax.nodes import Node
from tests.reference.course import Course, Position
from tests.reference.expressions import View
from tests.reference.moves import Move
from tests.reference.patterns import letters_of, main_pile, matches
from tests.reference.values import Dice, Row, Value

BEST = -1
BEST_OF_TURN = -2


class Speechless(Exception):
    """No line of a strategy applies where there is a choice."""


class Plays(Protocol):
    """Decides for a seat: the number of a move, or BEST, or BEST_OF_TURN."""

    def move(self, course: Course, position: Position) -> int: ...


@define
class Strategy:
    """An ordered list of lines; the first that holds and is legal is played."""

    lines: list[Node]
    known: dict[Position, int] = field(factory=dict, init=False)
    """What is played where it was asked: many questions are about the same positions."""

    def move(self, course: Course, position: Position) -> int:
        """Return the number of the move that is played, or BEST, or BEST_OF_TURN."""
        if position not in self.known:
            self.known[position] = self._move(course, position)
        return self.known[position]

    def _move(self, course: Course, position: Position) -> int:
        moves, view = course.moves(position), course.view(position)
        if len(moves) == 1:
            return 0
        for line in self.lines:
            condition = line.child(0) if line.kind == "advice" else None
            played = self._played(view, moves, condition, line.parts()[-1])
            if played is not None:
                return played
        raise Speechless

    def _played(
        self,
        view: View,
        moves: list[Move],
        condition: Node | None,
        what: Node,
    ) -> int | None:
        parts = [] if condition is None else _all_of(condition)
        for letters in _letters(view, parts, what):
            inside = view.knowing(**letters)
            if not all((inside if part.kind == "shows" else view)(part) for part in parts):
                continue
            if what.kind == "move_best":
                return BEST
            if what.kind == "move_best_turn":
                return BEST_OF_TURN
            found = _chosen(inside, moves, what)
            if found is not None:
                return found
        return None


def _all_of(condition: Node) -> list[Node]:
    """Return the conditions that are joined by `and`."""
    if condition.kind != "and_":
        return [condition]
    return [each for part in condition.parts() for each in _all_of(part)]


def _pattern(what: Node) -> Node | None:
    return next((part for part in what.parts() if part.kind == "pattern"), None)


def _letters(view: View, asked: list[Node], what: Node) -> Iterator[dict[str, Value]]:
    """Yield what the letters of a move can stand for, the lowest faces first.

    With them those of the patterns that the dice must show: different letters, different faces.
    """
    if (pattern := _pattern(what)) is None:
        yield {}
        return
    dice = view.variable(main_pile(view))
    names = letters_of(view, pattern, dice)
    faces = list(dice.kind.faces)
    for part in asked if names else ():
        if part.kind == "shows" and (shown := _pattern(part)) is not None:
            theirs = view(part.child(0))
            names += [n for n in letters_of(view, shown, theirs) if n not in names]
            faces += [face for face in theirs.kind.faces if face not in faces]
    if any(part.kind == "DIRECTION" and part.text == "highest" for part in what.parts()):
        faces.reverse()
    for chosen in permutations(faces, len(names)):
        yield dict(zip(names, chosen, strict=True))


def _chosen(view: View, moves: list[Move], what: Node) -> int | None:
    match what.kind:
        case "move_label":
            return _by_label(view, moves, what)
        case "move_keep" | "move_roll":
            return _by_dice(view, moves, what)
    return _picked(view, moves, what)


def _by_label(view: View, moves: list[Move], what: Node) -> int | None:
    label, pattern = what.child(0).text, _pattern(what)
    said = "" if pattern is None else " ".join(_words(view, pattern))
    for number, move in enumerate(moves):
        wanted = " ".join(word for word in (label, said) if word)
        is_named = pattern is None and move.name == label
        is_row = any(isinstance(v, Row) and v.label == label for _, v in move.names)
        told = move.label.replace(" and ", " ")
        if wanted in (move.label, told) or is_named or (pattern is None and is_row):
            return number
    return None


def _words(view: View, pattern: Node) -> Iterator[str]:
    for element in pattern.parts():
        first = element.parts()[0]
        yield str(view.names.get(first.text, first.text))


def _by_dice(view: View, moves: list[Move], what: Node) -> int | None:
    """Return the move that throws these dice again, or leaves them on the table."""
    pattern, dice = _pattern(what), view.variable(main_pile(view))
    assert pattern is not None
    ways = [part for _, part in matches(view, pattern, dice)]
    if any(p.kind == "DIRECTION" and p.text == "highest" for p in what.parts()):
        ways.reverse()
    for said in ways:
        for number, move in enumerate(moves):
            thrown = _thrown(view, move)
            if thrown is not None and said == (
                thrown if what.kind == "move_roll" else dice.minus(thrown)
            ):
                return number
    return None


def _thrown(view: View, move: Move) -> Dice | None:
    picked = next(((name, v) for name, v in move.names if isinstance(v, Dice)), None)
    if picked is None:
        return None
    name, value = picked
    roll = next((node for node in move.block.walk() if node.kind == "roll_pile"), None)
    if roll is None or name not in (part.text for part in roll.walk()):  # the pick is kept
        kept: Dice = view.cells[main_pile(view)].minus(value)
        return kept
    found = view.knowing(**dict(move.names))(roll.child(0))
    return found if isinstance(found, Dice) else None


def _picked(view: View, moves: list[Move], what: Node) -> int | None:
    name, condition, *ranks = what.children
    assert name is not None
    found: list[tuple[list[int], int]] = []
    for number, move in enumerate(moves):
        names = dict(move.names)
        if name.text not in names:
            continue
        inside = view.knowing(**names)
        if condition is not None and not inside(condition):
            continue
        measures = [
            -inside(rank.child(1)) * (1 if rank.child(0).text == "highest" else -1)
            for rank in ranks
            if rank is not None
        ]
        found.append((measures, number))
    return min(found)[1] if found else None
