"""Exact values of games that can be solved by hand."""

from fractions import Fraction
from pathlib import Path

import pytest

from dicegames.analysis.solution import solve_game
from dicegames.ground.exact_cycles import Equation, NoExactValue, eliminate
from dicegames.ground.limits import Limit, Limits, TooLarge
from dicegames.ground.source import Source
from dicegames.loading import load
from dicegames.rules.check import check
from dicegames.rules.parts.game import Rules
from dicegames.rules.running.exploration import exact_value
from dicegames.rules.running.notation import parse_position
from tests.oracles.exact_distribution import exact_distribution
from tests.rules import small

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


def game(text: str, **options: object) -> Rules:
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


SPARED = """
game "Spared"
option players = 2
dice 1d2
each player
    points = 5
turn
    repeat
        roll all
        choose
            "Spare": pass
            "Hit"
                points of left of mover = 0
                end turn
        if dice show 1: leave
ends after 1 rounds
payoff highest points
"""


def test_of_equal_moves_in_a_loop_the_first_is_taken() -> None:
    """Neither gains by hitting the other; what ends the loop for certain is no better for that."""
    game = check(Source("spared.dg", SPARED), {})
    assert exact_value(game) == (5, 5)
    assert solve_game(game).value == pytest.approx((5.0, 5.0), abs=1e-12)


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
    rows: list[Equation[str]] = [
        ({0: Fraction(1), 1: -half}, {"a": half, "b": Fraction(1)}),
        ({1: Fraction(1), 0: -half}, {"b": -half}),
    ]
    assert eliminate(rows, Limit()) == [
        {"a": Fraction(2, 3), "b": Fraction(1)},
        {"a": Fraction(1, 3)},
    ]
    with pytest.raises(NoExactValue):
        eliminate([({0: Fraction(1), 1: Fraction(-1)}, {"a": half})] * 2, Limit())


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


def test_what_is_only_added_up_is_no_part_of_a_position() -> None:
    # the points know no limit: p of a further turn, so that the sum is 7/2 * p / (1 - p)
    adding = """
game "On and on"
dice 1d6
each player
    score = 0
    fee = 0
turn
    roll all
    if dice show 6: end game
    score + sum of dice
    fee + 1
payoff highest score - 2 * fee
"""
    # 1 to 5 are worth 3 on average, a turn costs 2, and there are five on average before a six
    assert exact_value(game(adding)) == 5 * (3 - 2)
    from_there = parse_position(game(adding), "score 10 | fee 3")
    assert exact_value(game(adding), from_there) == 10 - 6 + 5


def test_what_is_asked_for_remains_part_of_a_position() -> None:
    asking = """
game "Until three"
dice 1d2
each player
    score = 0
turn
    roll all
    score + sum of dice
    if dice show 1: end game
ends when any player has score >= 3
payoff highest score
"""
    # 1; 2 1; 2 2: with 1/2, 1/4, 1/4
    assert exact_value(game(asking)) == Fraction(1, 2) + Fraction(3, 4) + Fraction(4, 4)


def test_too_large_is_said() -> None:
    with pytest.raises(TooLarge, match="more than 10 positions can come up"):
        exact_value(load(GAMES / "pig.dg").rules, limit=Limit(positions=10))


def test_too_long_is_said() -> None:
    for text in (FIRST_SIX, TWO_THROWS):
        with pytest.raises(TooLarge, match="there is no answer within 0 s"):
            exact_value(game(text), limit=Limit(seconds=0))
    rows: list[Equation[int]] = [({0: Fraction(1)}, {0: Fraction(1)})]
    with pytest.raises(TooLarge, match="within 0 s"):
        eliminate(rows, Limit(seconds=0))


def test_distribution_of_a_game_that_goes_round() -> None:
    # the first six wins, and seat 1 comes first: 6/11 (`test_a_cycle_of_players`)
    first = game(FIRST_SIX)
    wins = {(Fraction(1), ()): Fraction(6, 11), (Fraction(0), ()): Fraction(5, 11)}
    assert exact_distribution(first) == wins
    other = {value: wins[1 - value[0], ()] for value in wins}
    assert exact_distribution(first, seat=2) == other


def test_distribution_with_no_last_result() -> None:
    with pytest.raises(NoExactValue, match="there is no last result"):
        exact_distribution(game(UNTIL_SIX), "turns")


@pytest.mark.parametrize("dice", ["3d3", "3d5", "2d7", "5d6"])
def test_bounds_enclose_what_cancels_out(dice: str) -> None:
    """What is paid is large, and the value small: rounding is that of what is paid."""
    rules = small.game(f"""
        dice {dice}
        turn
            roll all
            score + 1000 * (sum of dice mod 7) - 2999
        ends after 1 rounds
    """)
    solved = solve_game(rules, limits=Limits(threads=1))
    exact = exact_value(rules)
    assert isinstance(solved.value, float)
    assert isinstance(exact, Fraction)
    assert abs(Fraction(solved.value) - exact) <= solved.error_bound < 1e-9
