"""Solving a finite game in exact fractions: components in reverse order, cycles by policies.

A component of states that lead to each other is solved by policy iteration. A policy fixes one
edge of every choice; its values solve the linear equations of the component, by elimination. From
a policy under which play certainly leaves the component, choices are improved until none can be:

* one player, or states that belong to no seat for good: every choice that can be improved is;
* two players: the second answers each policy of the first as well as can be, then the first
  improves;
* more: as for one, until nothing changes; if that never happens there is no answer.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

from attrs import define, field, frozen

MOST_ROUNDS = 1000
Values = tuple[Fraction, ...]


class NoValue(Exception):
    """Play can go round for ever, or the policies of several players never settle."""


@frozen
class Edge:
    """A way to another state; `rotate` seats on, another player is the one to move there."""

    weight: Fraction
    target: int
    rotate: int
    reward: Values


@define
class State:
    """Where a player chooses among the edges, or chance does; or an end, with its values."""

    chooses: bool = False
    edges: list[Edge] = field(factory=list)
    values: Values | None = None


def solve_states(states: Sequence[State], *, maximise: bool) -> list[Values]:
    """Return the values of all states by seat, the player to move first."""
    values: list[Values | None] = [state.values for state in states]
    for component in components(states):
        if values[component[0]] is None:
            _Component(states, values, component, maximise=maximise).solve()
    return [v for v in values if v is not None]


def components(states: Sequence[State]) -> list[list[int]]:
    """Return the strongly connected components, those that lead nowhere else first (Tarjan)."""
    index: dict[int, int] = {}
    low: dict[int, int] = {}
    stack: list[int] = []
    on_stack: set[int] = set()
    found: list[list[int]] = []
    for root in range(len(states)):
        work = [(root, 0)] if root not in index else []
        while work:
            node, place = work.pop()
            if place == 0:
                index[node] = low[node] = len(index)
                stack.append(node)
                on_stack.add(node)
            edges = states[node].edges
            if place > 0:
                low[node] = min(low[node], low[edges[place - 1].target])
            while place < len(edges):
                target = edges[place].target
                place += 1
                if target not in index:
                    work += [(node, place), (target, 0)]
                    break
                if target in on_stack:
                    low[node] = min(low[node], index[target])
            else:
                if low[node] == index[node]:
                    found.append(_pop(stack, on_stack, node))
    return found


def _pop(stack: list[int], on_stack: set[int], node: int) -> list[int]:
    component = []
    while True:
        top = stack.pop()
        on_stack.discard(top)
        component.append(top)
        if top == node:
            return component


class _Component:
    """States that lead to each other, all others that they lead to being solved."""

    def __init__(
        self,
        states: Sequence[State],
        values: list[Values | None],
        members: list[int],
        *,
        maximise: bool,
    ):
        self.states = states
        self.values = values
        self.members = members
        self.sign = 1 if maximise else -1
        self.inside = set(members)
        self.policy: dict[int, int] = {}

    def solve(self) -> None:
        """Set the values of the members."""
        if len(self.members) == 1 and self._is_simple(self.members[0]):
            self._solve_one(self.members[0])
            return
        self._leave()
        seats = len(self._known())
        players = self._seat_of_each(seats)
        if seats == 2 and players is not None:
            self._two_players(players)
        else:
            self._improve_until_settled(set(self.policy))

    def _known(self) -> Values:
        """Return the values of some state outside."""
        for member in self.members:
            for edge in self.states[member].edges:
                if edge.target not in self.inside:
                    return edge.reward
        raise NoValue("play can go round for ever")

    def _is_simple(self, member: int) -> bool:
        return all(edge.target != member for edge in self.states[member].edges)

    def _solve_one(self, member: int) -> None:
        state = self.states[member]
        found = [self._through(edge) for edge in state.edges]
        if state.chooses:
            self.values[member] = max(found, key=lambda v: self.sign * v[0])
            return
        weights = [edge.weight for edge in state.edges]
        self.values[member] = tuple(
            sum((w * v[seat] for w, v in zip(weights, found, strict=True)), Fraction(0))
            for seat in range(len(found[0]))
        )

    def _through(self, edge: Edge) -> Values:
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
            raise NoValue("play can go round for ever")

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
        for _ in range(MOST_ROUNDS):
            self._improve_until_settled(second)
            if not self._improve(first):
                return
        raise NoValue("the policies of the players do not settle")

    def _improve_until_settled(self, choices: set[int]) -> None:
        for _ in range(MOST_ROUNDS):
            self._evaluate()
            if not self._improve(choices):
                return
        raise NoValue("the policies of the players do not settle")

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

    def _evaluate(self) -> None:
        """Set the values under the policy: solve V = A V + b by elimination."""
        members, place = self.members, {m: i for i, m in enumerate(self.members)}
        seats = len(self._known())
        unknowns = {(m, s): place[m] * seats + s for m in members for s in range(seats)}
        rows = [self._equation(m, s, seats, unknowns) for m in members for s in range(seats)]
        solved = eliminate(rows)
        for member in members:
            self.values[member] = tuple(solved[unknowns[member, s]] for s in range(seats))

    def _equation(
        self, member: int, seat: int, seats: int, unknowns: dict[tuple[int, int], int]
    ) -> tuple[dict[int, Fraction], Fraction]:
        """Return the coefficients of one equation and its right side."""
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
        return row, right


def eliminate(rows: list[tuple[dict[int, Fraction], Fraction]]) -> list[Fraction]:
    """Solve sparse linear equations, as many as unknowns; raises NoValue if there is no answer."""
    count = len(rows)
    pivots: dict[int, tuple[dict[int, Fraction], Fraction]] = {}
    for given, given_right in rows:
        row, right = dict(given), given_right
        while row:
            column = min(row)
            if column not in pivots:
                break
            pivot, pivot_right = pivots[column]
            factor = row[column]
            for other, value in pivot.items():
                left = row.get(other, Fraction(0)) - factor * value
                if left:
                    row[other] = left
                else:
                    row.pop(other, None)
            right -= factor * pivot_right
        if not row:
            raise NoValue("play can go round for ever")
        lead = row[min(row)]
        pivots[min(row)] = ({c: v / lead for c, v in row.items()}, right / lead)
    solved = [Fraction(0)] * count
    for column in sorted(pivots, reverse=True):
        row, right = pivots[column]
        solved[column] = right - sum(
            (value * solved[other] for other, value in row.items() if other != column), Fraction(0)
        )
    return solved
