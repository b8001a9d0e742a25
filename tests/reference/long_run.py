"""The points of a turn in the long run: two bounds that come together (Odoni 1969).

Let h say what each way in which a turn may begin is worth, and F(h) what a turn is worth there:
its points, and h of the next one. Whatever h is, the average lies between the least and the most
of F(h) - h.
"""

from __future__ import annotations

from attrs import define, evolve, field

from tests.reference.course import Course, Position, Way
from tests.reference.objectives import counted, is_high, points
from tests.reference.solving import NoValue, TooLarge
from tests.reference.values import Value

CLOSE_ENOUGH = 1e-11
CLOSE_INSIDE = 1e-13
MOST_SWEEPS = 2_000

Step = tuple[float, float | None, int]
"""How likely a way is, the points of the turn if it ends on it, and the number of what follows."""


def long_run(course: Course, most: int) -> LongRun:
    """Return the long run; NoValue where there is none, or where it is not found in this way."""
    book = course.book
    name = counted(course.view_of(course.start().to.cells))
    if "round" in book.names or any(end.kind != "ends_rounds" for end in book.ends):
        raise NoValue
    if name not in book.variables or book.variables[name].node.children[4] is not None:
        raise NoValue
    found = LongRun(evolve(course, counted_by_turn=name), most)
    found.solve()
    return found


@define
class LongRun:
    """The points of a turn in the long run, and what positions are worth in it."""

    course: Course
    """In which the points begin anew in every turn."""
    most: int
    average: float = 0.0
    values: dict[Position, float] = field(factory=dict)
    """The points of the whole turn, and by how much the next turns are better than average."""
    ways: dict[Position, list[Way]] = field(factory=dict)
    order: list[Position] = field(factory=list)
    """Every position, those that follow in the same turn first, unless play comes round to it."""
    goes_round: bool = False
    """Whether play may come round inside a turn."""

    def solve(self) -> None:
        """Find the average and the values; NoValue where they are not found."""
        self._list(self.course.start().to)
        steps, begin = self._steps()
        worth = [0.0] * len(steps)
        for _ in range(MOST_SWEEPS):
            found = self._turns(steps, worth)
            gained = [found[number] - worth[number] for number in begin]
            if max(gained) - min(gained) <= CLOSE_ENOUGH * max(1.0, abs(gained[0])):
                self.average = (max(gained) + min(gained)) / 2
                begun = self.begun()
                first = worth[self.order.index(begun.to)] + self.gained_on(begun)
                first -= self.average * len(begun.passed)
                told = zip(self.order, found, strict=False)  # behind them are turns passed over
                self.values = {position: value - first for position, value in told}
                return
            # half of the way: else what comes again every second turn would never settle
            for number, g in zip(begin, gained, strict=True):
                worth[number] += (g - gained[0]) / 2
        raise NoValue

    def _list(self, start: Position) -> None:
        """List all positions, each turn by itself."""
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
                    self.goes_round = True
                else:
                    path.append((way.to, 0))

    def _steps(self) -> tuple[list[tuple[bool, list[Step]]], list[int]]:
        """Return for every position whether something is chosen there, and the ways on.

        Then follow the turns that are passed over, which end at once. Also where turns begin.
        """
        number = {position: number for number, position in enumerate(self.order)}
        steps: list[tuple[bool, list[Step]]] = []
        rests: list[tuple[bool, list[Step]]] = []
        begin = {number[self.course.start().to]}
        for position in self.order:
            ways: list[Step] = []
            for way in self.ways[position]:
                to = number[way.to]
                if way.turns:
                    begin.add(to)
                for cells in reversed(way.passed):
                    rests.append((False, [(1.0, self._points(cells), to)]))
                    to = len(self.order) + len(rests) - 1
                    begin.add(to)
                gained = None if way.turn_ends is None else self._points(way.turn_ends)
                ways.append((float(way.probability), gained, to))
            steps.append((position.kind == "choice", ways))
        return steps + rests, sorted(begin)

    def begun(self) -> Way:
        """Return the way to where play begins; the turns before are all passed over."""
        way = self.course.start()
        over = () if way.turn_ends is None else (way.turn_ends,)
        return evolve(way, turn_ends=None, passed=(*over, *way.passed))

    def past_certain(self, way: Way, won: float) -> tuple[Way, float]:
        """Return the way behind throws that show what they must, with what is won by then."""
        while way.to.kind == "chance" and len(ways := self.course.ways(way.to)) == 1:
            (way,) = ways
            won += self.gained_on(way)
        return way, won

    def gained_on(self, way: Way) -> float:
        """Return the points of the turns that are over on a way."""
        ended = () if way.turn_ends is None else (way.turn_ends,)
        return sum(map(self._points, (*ended, *way.passed)))

    def _points(self, cells: tuple[Value, ...]) -> float:
        """Return the points of a turn, from the cells at its end."""
        before = points(self.course.view_of(self.course.first_cells()))
        return float(points(self.course.view_of(cells)) - before)

    def _turns(self, steps: list[tuple[bool, list[Step]]], worth: list[float]) -> list[float]:
        """Return what a turn is worth from every position, with what its end leads to.

        Where play comes round in a turn, these are found from both sides; NoValue where they do
        not meet, since play may stay there for ever.
        """
        if not self.goes_round:
            return self._looked_at_once(steps, worth, [])
        ends = [points + worth[to] for _, ways in steps for _, points, to in ways
                if points is not None]  # fmt: skip
        if not ends:
            raise NoValue
        low, high = [min(ends)] * len(steps), [max(ends)] * len(steps)
        for _ in range(MOST_SWEEPS):
            low, high = (self._looked_at_once(steps, worth, side) for side in (low, high))
            apart = max(h - l for h, l in zip(high, low, strict=True))
            if apart <= CLOSE_INSIDE * max(1.0, *map(abs, low)):
                return low
        raise NoValue

    def _looked_at_once(
        self, steps: list[tuple[bool, list[Step]]], worth: list[float], before: list[float]
    ) -> list[float]:
        """Return the same; what play comes round to is worth what it was before."""
        found: list[float] = []
        best = max if is_high(self.course.view_of(self.course.start().to.cells)) else min
        for is_choice, ways in steps:
            values = [
                points + worth[to] if points is not None
                else found[to] if to < len(found) else before[to]
                for _, points, to in ways
            ]  # fmt: skip
            chances = [p for p, _, _ in ways]
            mean = sum(p * v for p, v in zip(chances, values, strict=True))
            found.append(best(values) if is_choice else mean)
        return found
