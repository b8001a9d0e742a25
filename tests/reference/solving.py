"""Values under best play and under strategies, in fractions.

With `V` a vector by seat::

    chance   V(s) = sum over outcomes of p * V(s')
    choice   V(s) = V(s') of the move that is best for the player to move, the first of equals
    the end  V(s) = what the objective says

Positions that lead back to each other are solved together: by linear equations where nothing is
chosen, by policy iteration where one player chooses.
"""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction

from attrs import define, field

from tests.reference.components import components, solve_equations
from tests.reference.course import Course, Position, Way
from tests.reference.objectives import Objective, objective
from tests.reference.strategies import BEST_OF_TURN, Plays, Speechless
from tests.reference.values import Broken, Forbidden

Values = tuple[Fraction, ...]
MOST_TOGETHER = 150


class TooLarge(Exception):
    """The game has more positions than are wanted."""


class NoValue(Exception):
    """There is no value, or it is not found here: play may go on for ever."""


UNSOLVED = (Broken, NoValue, TooLarge, Speechless, RecursionError)


@define
class Solution:
    """A game solved from its start: every position that can come up has a value."""

    course: Course
    objective: Objective
    play: Mapping[int, Plays] = field(factory=dict)
    """The strategy of a seat; who has none plays best."""
    most: int = 20_000
    ways: dict[Position, list[Way]] = field(factory=dict)
    values: dict[Position, Values] = field(factory=dict)
    chosen: dict[Position, int] = field(factory=dict)
    turns: dict[int, Solution] = field(factory=dict)
    """For a seat that plays for the points of the turn: the turn alone."""
    is_sure: bool = True
    """Whether the first of equally good moves is known everywhere."""

    def value(self) -> Values:
        """Return the value at the start."""
        return self.value_of(self.course.start())

    def value_of(self, way: Way) -> Values:
        """Return the value of what a way leads to, with what is won on it."""
        self._solve(way)
        return self._worth(way)

    def move_values(self, position: Position) -> list[tuple[str, Values]]:
        """Return every legal move with its value."""
        return [(way.label, self.value_of(way)) for way in self.course.ways(position)]

    # ---- listing

    def _solve(self, way: Way) -> None:
        if self.objective.ends(way) or way.to in self.values:
            return
        new = self._listed(way.to)
        index = {position: number for number, position in enumerate(new)}
        targets = [
            [index[w.to] for w in self.ways[p] if w.to in index and not self.objective.ends(w)]
            for p in new
        ]
        for numbers in components(targets):
            members = [new[number] for number in numbers]
            if len(members) == 1 and numbers[0] not in targets[numbers[0]]:
                self.values[members[0]] = self._alone(members[0])
            else:
                self._together(members)

    def _listed(self, start: Position) -> list[Position]:
        new, pending = {start: None}, [start]
        while pending:
            position = pending.pop()
            ways = self.ways[position] = self._ways(position)
            for way in ways:
                known = way.to in new or way.to in self.values
                if not known and not self.objective.ends(way):
                    new[way.to] = None
                    pending.append(way.to)
            if len(self.ways) > self.most:
                raise TooLarge
        return list(new)

    def _ways(self, position: Position) -> list[Way]:
        """Return the ways on; where a strategy decides, the move that it plays."""
        if position.kind == "over":
            return []
        if position.kind == "choice" and (seat := self.course.seat(position)) in self.play:
            number = self.play[seat].move(self.course, position)
            if number == BEST_OF_TURN and self.objective.kind != "turn":
                number = self._best_of_turn(position, seat)
            if number >= 0:
                return [self.course.way(position, number)]
        return self.course.ways(position)

    def _best_of_turn(self, position: Position, seat: int) -> int:
        """Return the move that brings the most points in this turn, the first of equals."""
        if seat not in self.turns:
            wanted = objective(self.course, "turn")
            self.turns[seat] = Solution(self.course, wanted, {seat: self.play[seat]}, self.most)
        turn = self.turns[seat]
        try:
            worth = [turn.value_of(way) for way in self.course.ways(position)]
        except Forbidden as forbidden:  # whether what a turn leaves is in order is not asked of it
            raise Broken(*forbidden.args) from None
        return turn.best(position, worth)

    # ---- values

    def _worth(self, way: Way) -> Values:
        if self.objective.ends(way):
            return self.objective.at_turn_end(self.course, way)
        gained = self.objective.gained(way)
        return tuple(value + gained for value in self.values[way.to])

    def _alone(self, position: Position) -> Values:
        if position.kind == "over":
            try:
                return self.objective.at_end(self.course, position)
            except Broken as broken:
                raise Forbidden(*broken.args) from None
        ways = self.ways[position]
        if position.kind == "choice":
            worth = [self._worth(way) for way in ways]
            self.chosen[position] = self.best(position, worth)
            return worth[self.chosen[position]]
        return _mean([(way.probability, self._worth(way)) for way in ways])

    def best(self, position: Position, worth: list[Values]) -> int:
        own = self._own(position)
        return (max if self.objective.maximise else min)(
            range(len(worth)), key=lambda number: worth[number][own]
        )

    def _own(self, position: Position) -> int:
        return self.course.seat(position) if self.objective.by_seat else 0

    # ---- positions that lead back to each other

    def _together(self, members: list[Position]) -> None:
        if len(members) > MOST_TOGETHER:
            raise NoValue
        open_choices = [p for p in members if p.kind == "choice" and len(self.ways[p]) > 1]
        seats = {self._own(p) for p in open_choices}
        if len(seats) > 1 and not self._one_gains_what_others_lose(members):
            raise NoValue
        policy = self._leaving(members)
        self.is_sure = self.is_sure and not open_choices
        first, *others = [[p for p in open_choices if self._own(p) == own] for own in seats] or [[]]
        while True:
            self._answered(members, policy, first)
            if not any(self._improved(policy, each) for each in others):
                break
        if open_choices and self.objective.width(self.course) > 1:  # others gain by equal moves
            for position in open_choices:
                worth = [self._worth(way) for way in self.ways[position]]
                policy[position] = self.best(position, worth)
            self.values.update(self._evaluated(members, policy))
        self.chosen.update(policy)

    def _one_gains_what_others_lose(self, members: list[Position]) -> bool:
        """Tell whether two seats share the same sum wherever play leaves these positions."""
        inside = set(members)
        ways = [way for position in members for way in self.ways[position]]
        if self.objective.width(self.course) != 2 or any(self.objective.gained(w) for w in ways):
            return False
        left = (w for w in ways if w.to not in inside or self.objective.ends(w))
        return len({sum(self._worth(way)) for way in left}) == 1

    def _answered(
        self, members: list[Position], policy: dict[Position, int], own: list[Position]
    ) -> None:
        """Find the best moves of one seat, the others playing as they do (Howard 1960).

        Where a second seat then improves its moves, and so on, both come to play their best
        (Hoffman and Karp 1966).
        """
        while True:
            self.values.update(self._evaluated(members, policy))
            if not self._improved(policy, own):
                return

    def _improved(self, policy: dict[Position, int], own: list[Position]) -> bool:
        """Take better moves where there are some."""
        changed = False
        for position in own:
            worth, seat = [self._worth(way) for way in self.ways[position]], self._own(position)
            best = self.best(position, worth)
            if worth[best][seat] != worth[policy[position]][seat]:
                policy[position] = best
                changed = True
        return changed

    def _leaving(self, members: list[Position]) -> dict[Position, int]:
        """Return moves by which play leaves these positions with some probability."""
        inside, left, policy = set(members), set[Position](), dict[Position, int]()
        while len(left) < len(members):
            before = len(left)
            for position in members:
                for number, way in enumerate(self.ways[position]):
                    if position not in left and (way.to not in inside or way.to in left):
                        left.add(position)
                        policy[position] = number
            if len(left) == before:
                raise NoValue
        return {position: policy[position] for position in members if position.kind == "choice"}

    def _evaluated(
        self, members: list[Position], policy: Mapping[Position, int]
    ) -> dict[Position, Values]:
        index = {position: number for number, position in enumerate(members)}
        width = self.objective.width(self.course)
        rows: list[dict[int, Fraction]] = []
        sides: list[list[Fraction]] = []
        for position in members:
            row, side = {index[position]: Fraction(1)}, [Fraction(0)] * width
            ways = self.ways[position]
            for way in [ways[policy[position]]] if position in policy else ways:
                p = way.probability
                if way.to in index and not self.objective.ends(way):
                    row[index[way.to]] = row.get(index[way.to], Fraction(0)) - p
                    add = (self.objective.gained(way),) * width
                else:
                    add = self._worth(way)
                side = [s + p * a for s, a in zip(side, add, strict=True)]
            rows.append(row)
            sides.append(side)
        found = solve_equations(rows, sides)
        if found is None:
            raise NoValue
        return {position: tuple(found[number]) for position, number in index.items()}


def _mean(weighted: list[tuple[Fraction, Values]]) -> Values:
    return tuple(
        sum((p * values[i] for p, values in weighted), Fraction(0))
        for i in range(len(weighted[0][1]))
    )
