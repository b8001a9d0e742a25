"""The long run: the average of turns that come again, and turns that carry something over."""

from fractions import Fraction
from itertools import product
from pathlib import Path

import pytest

from dicegames.analysis.solution import Solution, solve_game
from dicegames.compiler.compile import compile_game
from dicegames.ground.source import Source
from dicegames.loading import load
from dicegames.rules.check import check
from dicegames.rules.parts.aim import ObjectiveError
from dicegames.rules.parts.game import Game

GAMES = Path(__file__).parents[2] / "games"

TIRED = """
game "Tired"
option strict = no
dice 1d4
each player
    total = 0
    tired = no
turn
    roll all
    choose
        "Work"
            if tired: total + sum of dice - 2
            else: total + sum of dice
            tired = yes
        "Rest": tired = no
    if strict and total > 10: end game
ends after 7 rounds
payoff highest total
"""


def tired(**options: object) -> Game:
    return check(Source("tired.dg", TIRED.strip() + "\n"), options)


def average_of(fresh: set[int], weary: set[int]) -> Fraction:
    """Points per turn of who works on these faces: a chain of two states, by hand."""
    tires, stays = Fraction(len(fresh), 4), Fraction(len(weary), 4)
    if tires == 0:
        return Fraction(0)
    worn = tires / (tires + 1 - stays)  # share of turns that begin tired
    gains = Fraction(sum(fresh), 4), Fraction(sum(weary) - 2 * len(weary), 4)
    return (1 - worn) * gains[0] + worn * gains[1]


def faces() -> list[set[int]]:
    return [{f for f in range(1, 5) if chosen[f - 1]} for chosen in product([0, 1], repeat=4)]


@pytest.mark.parametrize(("sense", "best"), [("", max), ("minimised", min)])
def test_all_strategies_of_a_small_game(sense: str, best: object) -> None:
    wanted = float(best(average_of(a, b) for a in faces() for b in faces()))  # type: ignore[operator]
    solution = solve_game(tired(), f"average {sense}".strip())
    assert solution.value == pytest.approx(wanted, rel=0, abs=1e-12)
    assert isinstance(solution.lower, float)
    assert isinstance(solution.upper, float)
    assert solution.lower <= wanted <= solution.upper
    assert solution.error_bound < 1e-11


def test_positions_of_the_long_run() -> None:
    solution = solve_game(tired(), "average")
    average, other = solution.value, solution.value_of("tired yes")
    assert isinstance(average, float)
    assert isinstance(other, float)
    # after work the next turn begins tired, after rest fresh; a turn costs the average
    options = {choice.name: choice.value for choice in solution.options("dice 3")}
    assert options == pytest.approx({"Work": 3 + other - average, "Rest": 0.0}, rel=0, abs=1e-11)
    gains = [max(face + other - average, 0.0) for face in range(1, 5)]
    assert average == pytest.approx(sum(gains) / 4, rel=0, abs=1e-11)


def test_what_has_no_long_run() -> None:
    with pytest.raises(ObjectiveError, match="the state of play ends the game"):
        compile_game(tired(strict=True), "average")
    with pytest.raises(ObjectiveError, match="--objective turn looks at a single turn"):
        compile_game(load(GAMES / "despirala.dg").rules, "average")


def test_a_counter_without_limit_beside_others(tmp_path: Path) -> None:
    game = load(GAMES / "zilch.dg", rounds=2, penalty=False).rules
    whole, turn = solve_game(game), solve_game(game, "turn")
    assert isinstance(turn.value, float)
    assert whole.value == pytest.approx(2 * turn.value, rel=0, abs=1e-9)
    path = tmp_path / "two.solution"
    whole.save(path)
    again = Solution.load(path, game)
    assert again.value_of("round 2") == whole.value_of("round 2")
    assert whole.value_of("round 2") == pytest.approx(turn.value, rel=0, abs=1e-9)
