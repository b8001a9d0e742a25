"""What happens under the play that was found, and with what probability."""

from __future__ import annotations

from collections import Counter
from fractions import Fraction

from attrs import define, field

from tests.reference.course import Position, Way
from tests.reference.solving import NoValue, Solution

Happened = tuple[tuple[str, int], ...]


@define
class Spread:
    """Probabilities of results, and of what was noted how often."""

    joint: dict[tuple[Fraction, Happened], Fraction] = field(factory=dict)

    @property
    def values(self) -> dict[Fraction, Fraction]:
        found: dict[Fraction, Fraction] = {}
        for (value, _), p in self.joint.items():
            found[value] = found.get(value, Fraction(0)) + p
        return found


def distribution(solution: Solution, seat: int) -> Spread:
    """Return what a seat gets, with what is noted; raises NoValue where play goes round."""
    known: dict[Position, Spread] = {}
    on_the_way: set[Position] = set()

    def of(way: Way) -> Spread:
        inner = at(way.to)
        moved: dict[tuple[Fraction, Happened], Fraction] = {}
        for (value, happened), p in inner.joint.items():
            counts = Counter(dict(happened))
            counts.update(way.notes)
            key = (value, tuple(sorted(counts.items())))
            moved[key] = moved.get(key, Fraction(0)) + p
        return Spread(moved)

    def at(position: Position) -> Spread:
        if position in known:
            return known[position]
        if position in on_the_way:
            raise NoValue
        on_the_way.add(position)
        if position.kind == "over":
            found = Spread({(solution.values[position][seat], ()): Fraction(1)})
        else:
            ways = solution.ways[position]
            if position.kind == "choice":
                ways = [ways[solution.chosen.get(position, 0)]]
            found = Spread()
            for way in ways:
                for key, p in of(way).joint.items():
                    found.joint[key] = found.joint.get(key, Fraction(0)) + way.probability * p
        on_the_way.discard(position)
        known[position] = found
        return found

    return of(solution.course.start())
