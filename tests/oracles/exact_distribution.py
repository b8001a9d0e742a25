"""The distribution of a game under best play, in exact fractions, from the referee alone.

Slow, and simple to trust: every position that can come up is listed with all its outcomes, and
solved (`exact`); of the moves the first of those with the best value is played. With `D` a map from
what a seat still gains, and what still happens, to its probability::

    D(s) = sum over the ways on, with probability p, of p * D(s') moved by what is gained there

Positions to which play comes back are solved together, as linear equations for each result. It is
the oracle of the tests of `distribution` and `outcomes`.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

from attrs import define, field

from dicegames.ground.exact_cycles import (
    Arc,
    ExactState,
    NoExactValue,
    eliminate,
)
from dicegames.ground.graphs import components
from dicegames.ground.limits import Limit
from dicegames.rules.parts.game import Rules
from dicegames.rules.running.exploration import Exploration
from dicegames.rules.running.objectives import objective_of
from dicegames.rules.running.referee import start

Happened = tuple[tuple[str, int], ...]
"""What was noted how often, by name, in the order of names."""
Exact = dict[tuple[Fraction, Happened], Fraction]
"""Probabilities of what was gained together with what happened."""


def exact_distribution(
    game: Rules, objective: str = "payoff", seat: int = 1, limit: Limit | None = None
) -> Exact:
    """Return the joint distribution of what a seat gains and what happens.

    Raises TooLarge, ObjectiveError, and NoValue where there is no end of different results.
    """
    limit = Limit() if limit is None else limit
    exploration = Exploration(game, objective_of(objective), limit)
    first = start(game)
    edge = exploration.explore(first)
    solved = exploration.solved()
    seats = len(edge.reward)
    wanted = (seat - 1 - first.node.seat) % seats if seats > 1 else 0
    play = _Play(exploration.states, solved.choice)
    begin = play.number(edge.target, wanted)
    known = _distributions(play.followed(), limit)
    return _moved(known[begin], Arc(edge.weight, begin, 0, (edge.reward[wanted],), edge.notes))


@define
class _Play:
    """How play goes on where the moves are chosen, seen by one seat, counted from the mover."""

    states: Sequence[ExactState]
    choice: dict[int, int]
    numbers: dict[tuple[int, int], int] = field(factory=dict)
    pending: list[tuple[int, int]] = field(factory=list)

    def number(self, state: int, seat: int) -> int:
        """Return the number of a state as a seat sees it, a new one if need be."""
        key = (state, seat)
        if key not in self.numbers:
            self.numbers[key] = len(self.numbers)
            self.pending.append(key)
        return self.numbers[key]

    def followed(self) -> list[ExactState]:
        """Return the states that come up, each with the ways on, and what the seat gains there."""
        found: dict[int, ExactState] = {}
        while self.pending:
            number, seat = key = self.pending.pop()
            state = self.states[number]
            new = found[self.numbers[key]] = ExactState()
            if not state.edges:
                assert state.values is not None
                new.values = (state.values[seat],)
            edges = [state.edges[self.choice[number]]] if state.chooses else state.edges
            for edge in edges:
                target = self.number(edge.target, (seat - edge.rotate) % len(edge.reward))
                weight = Fraction(1) if state.chooses else edge.weight
                new.edges.append(Arc(weight, target, 0, (edge.reward[seat],), edge.notes))
        return [found[number] for number in range(len(found))]


def _distributions(states: Sequence[ExactState], limit: Limit) -> list[Exact]:
    known: dict[int, Exact] = {}
    for members in components(range(len(states)), lambda n: [e.target for e in states[n].edges]):
        limit.check_time()
        place = {member: row for row, member in enumerate(members)}
        found = [_equation(states[member], row, place, known) for row, member in enumerate(members)]
        known.update(zip(members, eliminate(found, limit), strict=True))
    return [known[number] for number in range(len(states))]


def _equation(
    state: ExactState, row: int, place: dict[int, int], known: dict[int, Exact]
) -> tuple[dict[int, Fraction], Exact]:
    """Return D(s) - sum of p * D(s') over the states solved with s = the rest of the sum."""
    left, right = {row: Fraction(1)}, Exact()
    if state.values is not None:
        right[state.values[0], ()] = Fraction(1)
    for edge in state.edges:
        if edge.target in place:
            if edge.reward[0] or edge.notes:
                raise NoExactValue("play comes back with more each time: there is no last result")
            column = place[edge.target]
            left[column] = left.get(column, Fraction(0)) - edge.weight
            continue
        for key, p in _moved(known[edge.target], edge).items():
            right[key] = right.get(key, Fraction(0)) + edge.weight * p
    return {column: factor for column, factor in left.items() if factor}, right


def _moved(found: Exact, edge: Arc) -> Exact:
    """Return a distribution with what is gained and what happens on the way to it."""
    if not edge.reward[0] and not edge.notes:
        return found
    moved: Exact = {}
    for (value, happened), p in found.items():
        count = dict(happened)
        for note in edge.notes:
            count[note] = count.get(note, 0) + 1
        new = (value + edge.reward[0], tuple(sorted(count.items())))
        moved[new] = moved.get(new, Fraction(0)) + p
    return moved
