"""What happens under the play that was found, and with what probability."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from fractions import Fraction

from tests.reference.course import Position, Way
from tests.reference.solving import NoValue, Solution

Happened = tuple[tuple[tuple[str, str], int], ...]
Joint = dict[tuple[Fraction, Happened], Fraction]
"""Probabilities of results, together with what was noted how often."""


def distribution(solution: Solution, seat: int) -> Joint:
    """Return what a seat gets, with what is noted; raises NoValue where play goes round."""
    start = solution.course.start()
    solution.value_of(start)
    known: dict[Position, Joint] = {}
    for position in solution.values:  # those that are led to come first
        found = _joint(solution, position, seat, known)
        if found is not None:
            known[position] = found
    if start.to not in known:
        raise NoValue
    return _moved(start, known[start.to])


def of_results(joint: Joint) -> dict[Fraction, Fraction]:
    """Return the probabilities of the results alone."""
    found: dict[Fraction, Fraction] = {}
    for (value, _), p in joint.items():
        found[value] = found.get(value, Fraction(0)) + p
    return found


def decisions_met(solution: Solution) -> tuple[Fraction, Fraction]:
    """Return how many decisions a game has, and what their second best moves lose in all.

    Raises NoValue where play goes round.
    """
    start = solution.course.start()
    solution.value_of(start)
    known: dict[Position, tuple[Fraction, Fraction]] = {}
    for position in solution.values:  # those that are led to come first
        ways, here = solution.ways[position], (Fraction(0), Fraction(0))
        if position.kind == "choice":
            if len(ways) > 1:
                here = (Fraction(1), _second_loses(solution, position))
            ways = [ways[solution.chosen.get(position, 0)]]
        if all(way.to in known for way in ways):
            parts = [(way.probability, known[way.to]) for way in ways]
            met, lost = (n + sum(p * k[at] for p, k in parts) for at, n in enumerate(here))
            known[position] = (met, lost)
    if start.to not in known:
        raise NoValue
    return known[start.to]


def _second_loses(solution: Solution, position: Position) -> Fraction:
    seat = solution.course.seat(position)
    values = sorted(worth[seat] for _, worth in solution.move_values(position))
    if not solution.objective.maximise:
        return values[1] - values[0]
    return values[-1] - values[-2]


def _joint(
    solution: Solution, position: Position, seat: int, known: Mapping[Position, Joint]
) -> Joint | None:
    if position.kind == "over":
        return {(solution.values[position][seat], ()): Fraction(1)}
    ways = solution.ways[position]
    if position.kind == "choice":
        ways = [ways[solution.chosen.get(position, 0)]]
    found: Joint = {}
    for way in ways:
        if way.to not in known:
            return None
        for key, p in _moved(way, known[way.to]).items():
            found[key] = found.get(key, Fraction(0)) + way.probability * p
    return found


def _moved(way: Way, joint: Joint) -> Joint:
    if not way.notes:
        return joint
    moved: Joint = {}
    for (value, happened), p in joint.items():
        counts = Counter(dict(happened))
        counts.update(way.notes)
        key = (value, tuple(sorted(counts.items())))
        moved[key] = moved.get(key, Fraction(0)) + p
    return moved
