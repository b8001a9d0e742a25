"""Levels of play, and the tutor: what they choose, give away and say."""

from __future__ import annotations

import numpy as np
import pytest

import dicegames
from dicegames.play.judge import Ledger, usual_scale
from dicegames.play.level_values import exact_worths
from dicegames.play.levels import (
    BY_NAME,
    LEVELS,
    Level,
    chances_of,
    given_away,
    level_played,
    losses_of,
    named_level,
    player_of,
    worth_of,
)
from dicegames.play.match import Match
from dicegames.play.tutor import Tutor
from dicegames.play.wording import Unit

GAMES = 150
"""So many games are played for an estimate."""


@pytest.fixture(scope="module")
def solution() -> dicegames.Solution:
    """A game that is solved at once."""
    return dicegames.solve(dicegames.load("shut_the_box"))


def test_rule_of_choice() -> None:
    """By hand: losses 0 and 2, mean 1, so that exp(-2 / share) stands against 1."""
    losses = np.array([0.0, 2.0])
    worse = np.exp(-2 / 0.5)
    assert chances_of(losses, Level("", 0.5)) == pytest.approx(
        [1 / (1 + worse), worse / (1 + worse)]
    )
    assert given_away(losses, Level("", 0.5)) == pytest.approx(2 * worse / (1 + worse))
    assert chances_of(np.zeros(3), Level("", 0.5)) == pytest.approx([1 / 3] * 3)
    lost = [given_away(np.array([0.0, 1.0, 5.0]), level) for level in LEVELS]
    assert lost == sorted(lost, reverse=True)


def test_bots_play_by_the_rule(solution: dicegames.Solution) -> None:
    """In 400 games the first choice comes as often as its chance says, within four errors."""
    game = dicegames.load("shut_the_box")
    choose, first = player_of(BY_NAME["beginner"], solution), 0
    position = game.position("dice 2 6")
    chances = chances_of(losses_of(solution.options(position)), BY_NAME["beginner"])
    best = solution.options(position)[0].name
    for seed in range(400):
        match = Match(game.rules, seed)
        match.let_fall(next(o for o in match.position.outcomes() if o.text == "2 6"))
        first += choose(match).label == best
    assert abs(first / 400 - chances[0]) < 4 * np.sqrt(chances[0] * (1 - chances[0]) / 400)


def test_worth_is_that_of_results(solution: dicegames.Solution) -> None:
    """Best play less the losses agrees with results, which luck makes uncertain."""
    game, level = dicegames.load("shut_the_box"), BY_NAME["easy"]
    worth = worth_of(game.rules, solution, level, GAMES, 7)
    choose, results = player_of(level, solution), []
    for seed in range(7, 7 + GAMES):
        match = Match(game.rules, seed)
        while not match.position.is_over:
            if match.position.is_chance:
                match.throw()
            else:
                match.play(choose(match))
        results.append(float(match.result[0]))
    assert isinstance(solution.value, float)
    error = np.hypot(np.std(results) / np.sqrt(GAMES), worth.error)
    assert abs(np.mean(results) - solution.value - worth.loss) < 4 * error
    assert worth.error < np.std(results) / np.sqrt(GAMES)


def test_exact_worths(solution: dicegames.Solution) -> None:
    """They agree with what is estimated, and best play with the solver."""
    found = exact_worths(solution.game, LEVELS)
    assert found is not None
    best, worths = found
    assert best == pytest.approx(solution.value, abs=1e-9)
    assert worths == sorted(worths, reverse=True)  # little is good
    for level, worth in zip(LEVELS[:2], worths, strict=False):
        estimated = worth_of(solution.game, solution, level, 100, 1)
        assert abs(worth - best - estimated.loss) < 4 * estimated.error


def test_exact_worths_of_two() -> None:
    """Seats change; of a level that nearly plays best the worth is nearly that of best play."""
    game = dicegames.load("threes", players=2, how_many=2)
    best, (worth, careless) = exact_worths(game.rules, [Level("", 1e-4), Level("", 1e3)]) or (0, [])
    assert best == pytest.approx(worth, abs=1e-6)
    assert careless > best + 1


@pytest.mark.parametrize("level", LEVELS)
def test_level_is_found_again(level: Level) -> None:
    """Who loses what a level loses on average plays at that level."""
    draws = np.random.default_rng(3)
    positions = [np.sort(np.append(0.0, draws.exponential(3.0, 4))) for _ in range(30)]
    found = level_played([(losses, given_away(losses, level)) for losses in positions])
    assert found is not None
    assert found == pytest.approx(level.share)
    assert named_level(found) == level.name


def test_levels_at_the_ends() -> None:
    """Nothing lost is best play, all of it chance; where nothing can be lost there is no level."""
    losses = np.array([0.0, 3.0])
    assert level_played([(losses, 0.0)]) == 0.0
    assert level_played([(losses, 3.0)]) == float("inf")
    assert level_played([(np.zeros(2), 0.0)]) is None


def test_tutor(solution: dicegames.Solution) -> None:
    """It warns of what loses enough, and gives clues in steps."""
    game = dicegames.load("shut_the_box")
    position = game.position("dice 2 6")
    ledger = Ledger(Match(game.rules, 1), solution, usual_scale(game.rules))
    bad, good = position.named("Shut 3 5"), position.named("Shut 8")
    told = Tutor(warns=True).warning(ledger, position, bad, Unit())
    assert told is not None
    assert "blunder, would lose 5.94" in told[0][0]
    assert Tutor(warns=True).warning(ledger, position, good, Unit()) is None
    assert Tutor(6.0, warns=True).warning(ledger, position, bad, Unit()) is None
    assert Tutor().warning(ledger, position, bad, Unit()) is None
    tutor = Tutor()
    clues = [tutor.clue(ledger, position, Unit())[0][0] for _ in range(3)]
    assert "loses 5.53" in clues[0]
    assert clues[1] == "the best move begins with Shut, one of 6; clue once more names it"
    assert clues[2] == "the best move is Shut 8"
