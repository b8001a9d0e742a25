"""What tests of the games in `second_games` have in common: solving one, sums over its seats."""

from collections.abc import Sequence
from fractions import Fraction
from pathlib import Path

import dicegames

SECOND = Path(__file__).parent / "second_games"
CLOSE = 1e-11

Shares = tuple[Fraction, ...]


def solved(name: str, objective: str = "payoff", **options: int | str) -> dicegames.Solution:
    return dicegames.solve(dicegames.load(SECOND / f"{name}.dg", **options), objective)


def mean(parts: Sequence[tuple[Fraction, Shares]]) -> Shares:
    """Return the mean of what each player gets."""
    seats = range(len(parts[0][1]))
    return tuple(sum((weight * got[seat] for weight, got in parts), Fraction(0)) for seat in seats)


def changed(values: tuple[int, ...], seat: int, value: int) -> tuple[int, ...]:
    return (*values[:seat], value, *values[seat + 1 :])
