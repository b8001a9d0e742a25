"""The points of a turn in the long run: two bounds that come together (Odoni 1969).

Let h say what each way in which a turn may begin is worth, and F(h) what a turn is worth there:
its points, and h of the next one. Whatever h is, the average lies between the least and the most
of F(h) - h.
"""

from __future__ import annotations

from collections.abc import Mapping

from attrs import define, evolve, field

from tests.reference.course import Course, Position, Way
from tests.reference.objectives import counted, is_high, points
from tests.reference.solving import NoValue, TooLarge

CLOSE_ENOUGH = 1e-11
MOST_SWEEPS = 2_000


def average(course: Course, most: int) -> float:
    """Return the average; NoValue where there is none, or where it is not found in this way."""
    book = course.book
    name = counted(course.view_of(course.start().to.cells))
    if "round" in book.names or any(end.kind != "ends_rounds" for end in book.ends):
        raise NoValue
    if name not in book.variables or book.variables[name].node.children[4] is not None:
        raise NoValue
    return _LongRun(evolve(course, counted_by_turn=name), most).average()


@define
class _LongRun:
    course: Course
    most: int
    ways: dict[Position, list[Way]] = field(factory=dict)
    order: list[Position] = field(factory=list)
    """Every position, those that follow in the same turn first."""

    def average(self) -> float:
        self._list(self.course.start().to)
        worth = dict.fromkeys(self._begin(), 0.0)
        for _ in range(MOST_SWEEPS):
            found = self._turns(worth)
            gained = [found[begin] - worth[begin] for begin in worth]
            if max(gained) - min(gained) <= CLOSE_ENOUGH * max(1.0, abs(gained[0])):
                return (max(gained) + min(gained)) / 2
            # half of the way: else what comes again every second turn would never settle
            worth = {b: worth[b] + (g - gained[0]) / 2 for b, g in zip(worth, gained, strict=True)}
        raise NoValue

    def _list(self, start: Position) -> None:
        """List all positions, each turn by itself; NoValue where a turn goes round."""
        begun: list[Position] = [start]
        while begun:
            path, open_now = [(begun.pop(), 0)], set[Position]()
            while path:
                position, at = path.pop()
                if at == 0:
                    if position in self.ways:
                        continue
                    if position.kind == "over":
                        raise NoValue
                    self.ways[position] = self.course.ways(position)
                    open_now.add(position)
                    if len(self.ways) > self.most:
                        raise TooLarge
                if at == len(self.ways[position]):
                    open_now.discard(position)
                    self.order.append(position)
                    continue
                path.append((position, at + 1))
                way = self.ways[position][at]
                if way.turns:
                    begun.append(way.to)
                elif way.to in open_now:
                    raise NoValue
                else:
                    path.append((way.to, 0))

    def _begin(self) -> set[Position]:
        later = {way.to for ways in self.ways.values() for way in ways if way.turns}
        return {self.course.start().to, *later}

    def _turns(self, worth: Mapping[Position, float]) -> dict[Position, float]:
        """Return what a turn is worth from every position, with what its end leads to."""
        found: dict[Position, float] = {}
        much = is_high(self.course.view_of(self.course.start().to.cells))
        for position in self.order:
            values = [
                self._points(way) + worth[way.to] if way.turns else found[way.to]
                for way in self.ways[position]
            ]
            if position.kind == "choice":
                found[position] = max(values) if much else min(values)
            else:
                chances = [float(way.probability) for way in self.ways[position]]
                found[position] = sum(p * v for p, v in zip(chances, values, strict=True))
        return found

    def _points(self, way: Way) -> float:
        assert way.turn_ends is not None
        before = points(self.course.view_of(self.course.start().to.cells))
        return float(points(self.course.view_of(way.turn_ends)) - before)
