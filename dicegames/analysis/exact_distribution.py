"""The distribution of a game under best play, in exact fractions, from the referee alone.

Slow, and simple to trust: every position that can come up is followed with all its outcomes; of
the moves the first of those with the best mean is played. For one player and games that cannot go
round; it is the oracle of the tests of `distribution` and `outcomes`.
"""

from __future__ import annotations

from fractions import Fraction

from attrs import define, field

from dicegames.analysis.exact import Exploration, TooLarge
from dicegames.rules.aim import Aim
from dicegames.rules.game import Game
from dicegames.rules.referee import Move, Outcome, Position, start
from dicegames.rules.types import Value

Happened = tuple[tuple[str, int], ...]
"""What was noted how often, by name, in the order of names."""
Exact = dict[tuple[Fraction, Happened], Fraction]
"""Probabilities of what was gained together with what happened."""
MOST_POSITIONS = 100_000


def exact_distribution(game: Game, objective: str = "payoff") -> Exact:
    """Return the joint distribution of what is gained and what happens. Raises TooLarge."""
    return _Follower(Exploration(game, Aim.parse(objective))).after(start(game).node)


@define
class _Follower:
    exploration: Exploration
    known: dict[tuple[int, tuple[Value, ...]], Exact] = field(factory=dict)

    def after(self, position: Position) -> Exact:
        """Return what still comes of a position."""
        stops = self.exploration.stops
        node = position if position.at in stops else position.node
        if node.at in stops:
            return {(self.exploration.final(node, 1)[0], ()): Fraction(1)}
        key = (node.at, node.env)
        if key not in self.known:
            if len(self.known) >= MOST_POSITIONS:
                raise TooLarge(f"more than {MOST_POSITIONS} positions")
            self.known[key] = self._found(node)
        return self.known[key]

    def _found(self, node: Position) -> Exact:
        if node.is_chance:
            return _mixed([(o.probability, self._step(node, o)) for o in node.outcomes()])
        sign = 1 if self.exploration.maximise else -1
        return max((self._step(node, m) for m in node.moves()), key=lambda d: sign * _mean(d))

    def _step(self, node: Position, what: Move | Outcome) -> Exact:
        reached = node.play(what, self.exploration.stops)
        found = self.after(reached)
        if not reached.notes:
            return found
        moved: Exact = {}
        for (value, happened), p in found.items():
            count = dict(happened)
            for note in reached.notes:
                count[note] = count.get(note, 0) + 1
            new = (value, tuple(sorted(count.items())))
            moved[new] = moved.get(new, Fraction(0)) + p
        return moved


def _mixed(parts: list[tuple[Fraction, Exact]]) -> Exact:
    found: Exact = {}
    for weight, part in parts:
        for what, p in part.items():
            found[what] = found.get(what, Fraction(0)) + weight * p
    return found


def _mean(distribution: Exact) -> Fraction:
    return sum((value * p for (value, _), p in distribution.items()), Fraction(0))
