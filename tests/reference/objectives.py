"""What a game is played for."""

from __future__ import annotations

from fractions import Fraction

from attrs import frozen

from dicegames.syntax.nodes import Node
from tests.reference.course import Course, Position, Way
from tests.reference.expressions import View
from tests.reference.settlement import goal, is_win, payoffs, settled

Values = tuple[Fraction, ...]


@frozen
class Objective:
    """One of the objectives of the documentation: what is counted, and whether much is good."""

    kind: str
    maximise: bool
    target: int = 0

    @property
    def by_seat(self) -> bool:
        return self.kind == "payoff"

    def width(self, course: Course) -> int:
        return course.book.players if self.by_seat else 1

    def ends(self, way: Way) -> bool:
        """Tell whether play is over on this way."""
        return self.kind == "turn" and way.turn_ends is not None

    def at_turn_end(self, course: Course, way: Way) -> Values:
        assert way.turn_ends is not None
        view = course.view_of(way.turn_ends)
        return (points(settled(view) if way.ends_inside else view),)

    def at_end(self, course: Course, position: Position) -> Values:
        view = course.view_of(position.cells)
        match self.kind:
            case "payoff":
                return payoffs(view)
            case "reach":
                counted = points(view) if is_win(view) else payoffs(view)[0]
                much = is_high(view) if is_win(view) else goal(view)[0]
                reached = counted >= self.target if much else counted <= self.target
                return (Fraction(reached),)
        return (Fraction(0),)

    def gained(self, way: Way) -> Fraction:
        return Fraction(way.turns if self.kind == "turns" else 0)


def points(view: View) -> Fraction:
    """Return the points of the player to move."""
    return Fraction(int(view(_of_points(view))))


def counted(view: View) -> str:
    """Return the variable whose value the points are; nothing where they are more than that."""
    node = _of_points(view)
    return node.child(0).text if node.kind == "name" else ""


def _of_points(view: View) -> Node:
    """Return what points go by: the ranking, else the payoff."""
    return goal(view)[1] if view.book.ranking is None else view.book.ranking.child(1)


def is_high(view: View) -> bool:
    """Tell whether many points are good."""
    if view.book.ranking is not None:
        return view.book.ranking.child(0).text == "highest"
    return goal(view)[0]


def objective(course: Course, name: str, *, turned: bool = False) -> Objective:
    """Return an objective by its name; `turned` is its opposite."""
    view = course.view_of(course.start().to.cells)
    kind, _, target = name.partition(":")
    usual = {"payoff": goal(view)[0], "turn": is_high(view), "turns": False, "reach": True}[kind]
    return Objective(kind, usual != turned, int(target or 0))
