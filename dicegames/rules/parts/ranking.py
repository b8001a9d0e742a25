"""Who is ahead: the ranking, the places of the players, and what a tie means.

`ranking highest total` orders the players by a number. What equal numbers mean is said by `ties`:

* `share` (also if nothing is said): equal players are level. A prize is shared, and a settlement
  that asks for places is the mean over all orders of the players who are level;
* `earlier`: of equal players the one who plays earlier in the round, seat 1 first, is ahead.
"""

from __future__ import annotations

from fractions import Fraction
from functools import reduce
from itertools import permutations

from attrs import field, frozen

from dicegames.rules.parts.flow import Environment, Expression, read_by
from dicegames.rules.parts.types import Value
from dicegames.rules.parts.unknown import both, compare, either, is_open, negate, select, unknown

MOST_ORDERED = 4
"""With more players the orders of those who are level are too many to be settled one by one."""


@frozen
class Ranking:
    """By what the players rank; seats are counted from the player to move.

    `seat` is the slot with the number of the player to move. `order` is the slot of the order
    that a settlement is carried out for (0: nobody is before somebody else); -1 without one.
    """

    highest: bool
    standings: list[Expression]
    shared: bool
    seat: int
    order: int = -1
    orders: list[tuple[int, ...]] = field(factory=list)

    @classmethod
    def of(
        cls, standings: list[Expression], seat: int, order: int, *, highest: bool, shared: bool
    ) -> Ranking:
        """Return a ranking; `order` is a slot for the orders of players who are level."""
        players = len(standings)
        orders = [*permutations(range(players))] if shared and players <= MOST_ORDERED else []
        return cls(highest, standings, shared, seat, order, orders)

    @property
    def reads(self) -> frozenset[int]:
        """The slots that the places depend on."""
        ties = self.order if self.shared else self.seat
        return read_by(self.standings) | ({ties} if ties >= 0 else set())

    def ahead(self, env: Environment, one: int, other: int) -> Value:
        """Tell whether one player is ahead of another."""
        mine, theirs = self.standings[one].run(env), self.standings[other].run(env)
        better = compare("gt" if self.highest else "lt", mine, theirs)
        return either(better, both(compare("eq", mine, theirs), self._first(env, one, other)))

    def _first(self, env: Environment, one: int, other: int) -> Value:
        """Tell whether one of two players who are level is ahead all the same."""
        if self.shared:
            number = env[self.order] if self.order >= 0 else 0
            if not number:
                return False
            order = self.orders[number - 1]
            return order[one] < order[other]
        players = len(self.standings)
        seats = [s for s in range(players) if (s + one) % players < (s + other) % players]
        return reduce(either, [compare("eq", env[self.seat], s) for s in seats], False)

    def place(self, env: Environment, player: int) -> Value:
        """Return a player's place: 1 and the number of those who are ahead."""
        others = [p for p in range(len(self.standings)) if p != player]
        return sum((select(self.ahead(env, p, player), 1, 0) for p in others), 1)

    def leads(self, env: Environment, player: int) -> Value:
        """Tell whether nobody is ahead of a player."""
        others = [p for p in range(len(self.standings)) if p != player]
        return reduce(both, [negate(self.ahead(env, p, player)) for p in others], True)

    def winner(self, env: Environment) -> Value:
        """Return the player whom nobody is ahead of."""
        last = len(self.standings) - 1
        return reduce(
            lambda rest, p: select(self.leads(env, p), p, rest), range(last - 1, -1, -1), last
        )

    def share(self, env: Environment, player: int) -> Value:
        """Return what a player has of 1 for winning: equal players who lead share it."""
        if not self.shared:
            return select(self.leads(env, player), 1, 0)
        points = [standing.run(env) for standing in self.standings]
        own = points[player]
        if not is_open(*points):
            best = max(points) if self.highest else min(points)
            return Fraction(1, points.count(own)) if own == best else 0
        level = [compare("eq", own, other) for other in points]
        level[player] = True
        number = sum((select(equal, 1, 0) for equal in level), 0)
        return select(self.leads(env, player), reciprocal(number), 0)


def reciprocal(number: Value) -> Value:
    """Return one divided by a number."""
    return unknown("reciprocal", number) if is_open(number) else Fraction(1, number)
