"""Solving a finite game in exact fractions: components in reverse order, cycles by policies.

A component of states that lead to each other is solved by policy iteration. A policy fixes one
edge of every choice; its values solve the linear equations of the component, by elimination. From
a policy under which play certainly leaves the component, choices are improved until none can be:

* one player, or states that belong to no seat for good: every choice that can be improved is;
* two players: the second answers each policy of the first as well as can be, then the first
  improves;
* more: as for one, until nothing changes; if that never happens there is no answer.

Of edges that are equally good for who chooses the first is taken, for others may not care alike.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from fractions import Fraction
from typing import TypeVar

from attrs import define, field, frozen

from dicegames.ground.graphs import components
from dicegames.ground.limits import Limit

MOST_IMPROVEMENTS = 1000
Values = tuple[Fraction, ...]
Key = TypeVar("Key", bound=Hashable)
Equation = tuple[dict[int, Fraction], dict[Key, Fraction]]
"""Coefficients by unknown, and the right side: one number for each key."""


class NoExactValue(Exception):
    """Play can go round for ever, or the policies of several players never settle."""


@frozen
class Arc:
    """A way to another state; `rotate` seats on, another player is the one to move there."""

    weight: Fraction
    target: int
    rotate: int
    reward: Values
    notes: tuple[str, ...] = ()  # the events on the way


@define
class ExactState:
    """Where a player chooses among the edges, or chance does; or an end, with its values."""

    chooses: bool = False
    edges: list[Arc] = field(factory=list)
    values: Values | None = None


@frozen
class ExactValues:
    """The values of all states by seat, the player to move first, and the edges chosen."""

    values: list[Values]
    choice: dict[int, int]


def solve_states(states: Sequence[ExactState], *, maximise: bool, limit: Limit) -> ExactValues:
    """Solve all states. Raises NoValue, TooLarge."""
    values: list[Values | None] = [state.values for state in states]
    choice: dict[int, int] = {}
    for members in components(range(len(states)), lambda n: [e.target for e in states[n].edges]):
        if values[members[0]] is None:
            component = _StateCycle(states, values, members, maximise=maximise, limit=limit)
            component.solve()
            choice.update(component.policy)
    return ExactValues([v for v in values if v is not None], choice)


class _StateCycle:
    """States that lead to each other, all others that they lead to being solved."""

    def __init__(
        self,
        states: Sequence[ExactState],
        values: list[Values | None],
        members: list[int],
        *,
        maximise: bool,
        limit: Limit,
    ):
        self.limit = limit
        self.states = states
        self.values = values
        self.members = members
        self.sign = 1 if maximise else -1
        self.inside = set(members)
        self.policy: dict[int, int] = {}

    def solve(self) -> None:
        """Set the values of the members."""
        self.limit.check_time()
        first, *others = self.members
        if not others and all(edge.target != first for edge in self.states[first].edges):
            self._solve_one(first)
            return
        self._leave()
        seats = len(self._known())
        players = self._seat_of_each(seats)
        for _ in range(MOST_IMPROVEMENTS):
            if seats == 2 and players is not None:
                self._two_players(players)
            else:
                self._improve_until_settled(set(self.policy))
            if not self._take_the_first():
                return
        raise NoExactValue("the policies of the players do not settle")

    def _known(self) -> Values:
        """Return the values of some state outside."""
        for member in self.members:
            for edge in self.states[member].edges:
                if edge.target not in self.inside:
                    return edge.reward
        raise NoExactValue("play can go round for ever")

    def _solve_one(self, member: int) -> None:
        state = self.states[member]
        found = [self._through(edge) for edge in state.edges]
        if state.chooses:
            best = max(range(len(found)), key=lambda k: self.sign * found[k][0])
            self.policy[member], self.values[member] = best, found[best]
            return
        weights = [edge.weight for edge in state.edges]
        self.values[member] = tuple(
            sum((w * v[seat] for w, v in zip(weights, found, strict=True)), Fraction(0))
            for seat in range(len(found[0]))
        )

    def _through(self, edge: Arc) -> Values:
        """Return the values of the source if this edge is taken."""
        values = self.values[edge.target]
        assert values is not None
        seats = len(values)
        return tuple(edge.reward[s] + values[(s - edge.rotate) % seats] for s in range(seats))

    # ---- policies

    def _leave(self) -> None:
        """Choose edges that lead out, or nearer to a state that does."""
        near: set[int] = set()
        changed = True
        while changed:
            changed = False
            for member in self.members:
                if member in near:
                    continue
                for place, edge in enumerate(self.states[member].edges):
                    if edge.target in near or edge.target not in self.inside:
                        near.add(member)
                        if self.states[member].chooses:
                            self.policy[member] = place
                        changed = True
                        break
        if len(near) < len(self.members):
            raise NoExactValue("play can go round for ever")

    def _seat_of_each(self, seats: int) -> dict[int, int] | None:
        """Return which of the players is to move at each member, None if that is not fixed."""
        seat = {self.members[0]: 0}
        pending = [self.members[0]]
        while pending:
            member = pending.pop()
            for edge in self.states[member].edges:
                other = (seat[member] + edge.rotate) % seats
                if edge.target in self.inside and edge.target not in seat:
                    seat[edge.target] = other
                    pending.append(edge.target)
                if edge.target in self.inside and seat[edge.target] != other:
                    return None
        return seat

    def _two_players(self, seat: dict[int, int]) -> None:
        first = {m for m in self.policy if seat[m] == 0}
        second = set(self.policy) - first
        for _ in range(MOST_IMPROVEMENTS):
            self._improve_until_settled(second)
            if not self._improve(first):
                return
        raise NoExactValue("the policies of the players do not settle")

    def _improve_until_settled(self, choices: set[int]) -> None:
        for _ in range(MOST_IMPROVEMENTS):
            self._evaluate()
            if not self._improve(choices):
                return
        raise NoExactValue("the policies of the players do not settle")

    def _improve(self, choices: set[int]) -> bool:
        """Change choices to better edges, if there are any."""
        better = {}
        for member in choices:
            found = [self.sign * self._through(e)[0] for e in self.states[member].edges]
            best = max(range(len(found)), key=found.__getitem__)
            if found[best] > found[self.policy[member]]:
                better[member] = best
        self.policy.update(better)
        return bool(better)

    def _take_the_first(self) -> bool:
        """Choose the first of equally good edges where that makes a difference to anyone."""
        differs = False
        for member, chosen in self.policy.items():
            found = [self._through(edge) for edge in self.states[member].edges]
            first = next(k for k, values in enumerate(found) if values[0] == found[chosen][0])
            if found[first] != found[chosen]:
                self.policy[member], differs = first, True
        return differs

    def _evaluate(self) -> None:
        """Set the values under the policy: solve V = A V + b by elimination."""
        members, place = self.members, {m: i for i, m in enumerate(self.members)}
        seats = len(self._known())
        unknowns = {(m, s): place[m] * seats + s for m in members for s in range(seats)}
        rows = [self._equation(m, s, seats, unknowns) for m in members for s in range(seats)]
        solved = eliminate(rows, self.limit)
        for member in members:
            found = [solved[unknowns[member, s]] for s in range(seats)]
            self.values[member] = tuple(v.get(0, Fraction(0)) for v in found)

    def _equation(
        self, member: int, seat: int, seats: int, unknowns: dict[tuple[int, int], int]
    ) -> Equation[int]:
        """Return the equation of one member and one seat, its right side being number 0."""
        state = self.states[member]
        edges = [state.edges[self.policy[member]]] if state.chooses else state.edges
        row = {unknowns[member, seat]: Fraction(1)}
        right = Fraction(0)
        for edge in edges:
            weight = Fraction(1) if state.chooses else edge.weight
            right += weight * edge.reward[seat]
            other = (seat - edge.rotate) % seats
            if edge.target in self.inside:
                column = unknowns[edge.target, other]
                row[column] = row.get(column, Fraction(0)) - weight
            else:
                known = self.values[edge.target]
                assert known is not None
                right += weight * known[other]
        return row, {0: right}


def eliminate(rows: Sequence[Equation[Key]], limit: Limit) -> list[dict[Key, Fraction]]:
    """Solve sparse linear equations, as many as unknowns, for all right sides together.

    Raises NoValue if there is no answer, TooLarge if there is none in time.
    """
    pivots: dict[int, Equation[Key]] = {}
    for given, given_right in rows:
        row, right = dict(given), dict(given_right)
        while row:
            limit.check_time()
            column = min(row)
            if column not in pivots:
                break
            pivot, pivot_right = pivots[column]
            factor = row[column]
            _add(row, pivot, -factor)
            _add(right, pivot_right, -factor)
        if not row:
            raise NoExactValue("play can go round for ever")
        lead = row[min(row)]
        scaled = {key: value / lead for key, value in right.items()}
        pivots[min(row)] = ({c: v / lead for c, v in row.items()}, scaled)
    solved: dict[int, dict[Key, Fraction]] = {}
    for column in sorted(pivots, reverse=True):
        limit.check_time()
        row, right = pivots[column]
        solved[column] = right
        for other, value in row.items():
            if other != column:
                _add(right, solved[other], -value)
    return [solved[column] for column in range(len(rows))]


def _add(total: dict[Key, Fraction], part: dict[Key, Fraction], factor: Fraction) -> None:
    """Add a multiple of one sparse vector to another."""
    for key, value in part.items():
        left = total.get(key, Fraction(0)) + factor * value
        if left:
            total[key] = left
        else:
            total.pop(key, None)
