"""Values of the second games, against other ways to find them: in fractions, without the solver."""

from fractions import Fraction
from pathlib import Path

import pytest

import dicegames

SECOND = Path(__file__).parent / "second_games"


def last_in_play(players: int, out: Fraction) -> list[Fraction]:
    """Return who is left when each in turn drops out with a probability, the first to move first.

    With w(n, j) for the j-th of n still in play and p for the probability:
    w(n, 0) = (1 - p) w(n, n - 1), and w(n, j) = p w(n - 1, j - 1) + (1 - p) w(n, j - 1).
    """
    fewer = [Fraction(1)]
    for _ in range(2, players + 1):
        constants, factors = [Fraction(0)], [Fraction(1)]  # w(n, j) = constant + factor w(n, 0)
        for before in fewer:
            constants.append(out * before + (1 - out) * constants[-1])
            factors.append((1 - out) * factors[-1])
        first = (1 - out) * constants[-1] / (1 - (1 - out) * factors[-1])
        fewer = [c + f * first for c, f in zip(constants, factors, strict=True)]
    return fewer


@pytest.mark.parametrize("players", [2, 3, 4])
@pytest.mark.parametrize(("unlucky", "ways"), [(7, 6), (2, 1)])
def test_players_who_are_out_sit_out(players: int, unlucky: int, ways: int) -> None:
    game = dicegames.load(SECOND / "knock_out.dg", players=players, unlucky=unlucky)
    expected = last_in_play(players, Fraction(ways, 36))
    assert sum(expected) == 1
    assert dicegames.solve(game).value == pytest.approx([float(v) for v in expected], abs=1e-11)
