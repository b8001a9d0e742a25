"""How often each pattern comes out under the strategies of one rules file, in exact fractions."""

from collections import defaultdict
from fractions import Fraction

from dicegames.rules.parts.game import Rules
from dicegames.rules.running.playing import played_by, seats_of
from dicegames.rules.running.referee import Position, start

Column = dict[tuple[str, bool], Fraction]
"""Probability by what was made, and whether dice were thrown again on the way."""

REROLLED = "re-rolled"


def columns(game: Rules) -> dict[str, Column]:
    """Return the column of every strategy: one turn, all throws enumerated by the referee."""
    known: dict[tuple[object, ...], Column] = {}
    return {title: _column(game, title, known) for title in game.strategies}


def _column(game: Rules, title: str, known: dict[tuple[object, ...], Column]) -> Column:
    rules = played_by(game, seats_of(game, title))
    first = start(rules).node
    found: defaultdict[tuple[str, bool], Fraction] = defaultdict(Fraction)
    for outcome in first.outcomes():
        rolled = first.play(outcome).node
        (move,) = rolled.moves()
        reached = rolled.play(move)
        key = (reached.at, reached.env, reached.notes)
        if key not in known:
            known[key] = _outcomes(reached)
        for made, chance in known[key].items():
            found[made] += outcome.probability * chance
    return dict(found)


def _outcomes(position: Position) -> Column:
    """Return what comes out of a turn after the choice."""
    if position.starts_turn or position.is_over:
        return {_made(position.notes): Fraction(1)}
    found: defaultdict[tuple[str, bool], Fraction] = defaultdict(Fraction)
    for outcome in position.outcomes():
        found[_made(position.notes + position.play(outcome).notes)] += outcome.probability
    return dict(found)


def _made(notes: tuple[str, ...]) -> tuple[str, bool]:
    return notes[-1], REROLLED in notes


def share(column: Column, made: str, *, rerolled: bool | None = None) -> Fraction:
    """Return how often something was made, of the turns with (without) another throw if asked."""
    return sum(
        (p for (what, again), p in column.items() if what == made and rerolled in (None, again)),
        Fraction(0),
    )
