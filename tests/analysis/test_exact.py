"""Exact values of games that can be solved by hand."""

from fractions import Fraction
from pathlib import Path

import pytest

from dicegames.analysis.exact import TooLarge, exact_value
from dicegames.analysis.exact_cycles import NoValue, eliminate
from dicegames.ground.source import Source
from dicegames.loading import load
from dicegames.rules.check import check
from dicegames.rules.game import Game
from dicegames.rules.notation import parse_position

GAMES = Path(__file__).parents[2] / "games"

TWO_THROWS = """
game "Two throws"
option goal = high | low
dice 1d6
each player
    score = 0
turn
    roll all
    choose
        "Again": roll all
        "Stay": pass
    score + sum of dice
ends after 1 rounds
payoff lowest score if goal = low else highest score
"""

UNTIL_SIX = """
game "Until a six"
option players = 1 from 1 to 3
dice 1d6
turn
    roll all
    if dice show 6: end game
payoff highest seat
"""

FIRST_SIX = """
game "First six"
option players = 2 from 2 to 3
dice 1d6
each player
    done = 0 to 1 capped
turn
    roll all
    if dice show 6: done + 1
ends when any player has done = 1
ranking highest done
payoff win
"""


def game(text: str, **options: object) -> Game:
    return check(Source("test.dg", text.strip() + "\n"), options)


def test_one_choice() -> None:
    # stay on 4, 5, 6 (mean 5), throw 1, 2, 3 again (mean 7/2)
    assert exact_value(game(TWO_THROWS)) == Fraction(17, 4)
    assert exact_value(game(TWO_THROWS, goal="low")) == Fraction(11, 4)


def test_from_a_position() -> None:
    two = game(TWO_THROWS)
    assert exact_value(two, parse_position(two, "score 10 | dice 5")) == 15
    assert exact_value(two, parse_position(two, "score 10 | dice 2")) == Fraction(27, 2)


def test_objectives() -> None:
    assert exact_value(game(TWO_THROWS), objective="turn") == Fraction(17, 4)
    assert exact_value(game(UNTIL_SIX), objective="turns") == 6
    with pytest.raises(ValueError, match="no objective"):
        exact_value(game(TWO_THROWS), objective="fun")


@pytest.mark.parametrize("players", [2, 3])
def test_a_cycle_of_players(players: int) -> None:
    # the first six wins; the chance of seat k is proportional to (5/6)^k
    shares = [Fraction(5, 6) ** seat for seat in range(players)]
    expected = tuple(share / sum(shares) for share in shares)
    first = game(FIRST_SIX, players=players)
    assert exact_value(first) == expected
    later = parse_position(first, "seat 2")
    moved = tuple(expected[(seat - 1) % players] for seat in range(players))
    assert exact_value(first, later) == moved


def test_equations() -> None:
    half = Fraction(1, 2)
    rows = [({0: Fraction(1), 1: -half}, half), ({1: Fraction(1), 0: -half}, Fraction(0))]
    assert eliminate(rows) == [Fraction(2, 3), Fraction(1, 3)]
    with pytest.raises(NoValue):
        eliminate([({0: Fraction(1), 1: Fraction(-1)}, half)] * 2)


def test_reduced_games() -> None:
    # all four tiles or none: Shut the Box by hand is long; its complement is checked instead
    shut = load(GAMES / "shut_the_box.dg", tiles=4, aim="shut_all").rules
    value = exact_value(shut)
    assert isinstance(value, Fraction)
    assert 0 < value < 1
    pig = load(GAMES / "pig.dg", target=10).rules
    both = exact_value(pig)
    assert isinstance(both, tuple)
    assert sum(both) == 1
    assert both[0] > both[1]


def test_too_large_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("dicegames.analysis.exact.MOST_STATES", 10)
    with pytest.raises(TooLarge):
        exact_value(load(GAMES / "pig.dg").rules)
