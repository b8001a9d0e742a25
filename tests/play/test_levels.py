"""Levels of play, and the tutor: what they choose, give away and say."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import dicegames
from dicegames.cli.commands.levels import exact_worths
from dicegames.play.judge import Ledger, Scale
from dicegames.play.levels import (
    BY_NAME,
    LEVELS,
    Level,
    given_away,
    level_played,
    losses_of,
    named_level,
    player_of,
    worth_of,
)
from dicegames.play.match import Match
from dicegames.play.tutor import Tutor

HIGHER = """
game "Higher"
option players = 2
dice 2d4
each player
    total = 0
turn
    roll all
    repeat 2 times
        choose
            "Throw again": roll all
            "Keep": leave
    total + sum of dice
ends after 2 rounds
ranking highest total
payoff win
"""
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
    assert Level("", 0.5).chances(losses) == pytest.approx([1 / (1 + worse), worse / (1 + worse)])
    assert given_away(losses, Level("", 0.5)) == pytest.approx(2 * worse / (1 + worse))
    assert Level("", 0.5).chances(np.zeros(3)) == pytest.approx([1 / 3] * 3)
    lost = [given_away(np.array([0.0, 1.0, 5.0]), level) for level in LEVELS]
    assert lost == sorted(lost, reverse=True)


def test_bots_play_by_the_rule(solution: dicegames.Solution) -> None:
    """In 400 games the first choice comes as often as its chance says, within four errors."""
    game = dicegames.load("shut_the_box")
    choose, first = player_of(BY_NAME["beginner"], solution), 0
    position = game.position("dice 2 6")
    chances = BY_NAME["beginner"].chances(losses_of(solution.options(position)))
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
        for _ in match.choices():
            match.play(choose(match))
        results.append(float(match.result[0]))
    assert isinstance(solution.value, float)
    error = np.hypot(np.std(results) / np.sqrt(GAMES), worth.error)
    assert abs(np.mean(results) - solution.value - worth.loss) < 4 * error
    assert worth.error < np.std(results) / np.sqrt(GAMES)


def test_exact_worths(solution: dicegames.Solution) -> None:
    """They agree with what is estimated, and best play with the solver."""
    worths = exact_worths(solution.game, LEVELS)
    assert worths is not None
    assert worths == sorted(worths, reverse=True)  # little is good
    for level, worth in zip(LEVELS[:2], worths, strict=False):
        estimated = worth_of(solution.game, solution, level, 100, 1)
        assert abs(worth - solution.value_for() - estimated.loss) < 4 * estimated.error


def positions_by_hand(game: dicegames.Game, solution: dicegames.Solution, level: Level) -> float:
    """Return what a level is worth in seat 1, the others at best, by going through positions."""
    known: dict[object, float] = {}

    def worth(position: dicegames.Position) -> float:
        if position.is_over:
            return float(position.payoff[0])
        key = (position.node.at, position.starts_turn, *position.node.env)
        if key not in known:
            ways: list[tuple[float, Any]]
            if position.is_chance:
                ways = [(float(o.probability), o) for o in position.outcomes()]
            elif position.seat:
                ways = [(1.0, solution.options(position)[0].move)]
            else:
                options = solution.options(position)
                chances = level.chances(losses_of(options))
                ways = [(p, o.move) for p, o in zip(chances, options, strict=True)]
            known[key] = sum(chance * worth(position.play(what)) for chance, what in ways)
        return known[key]

    return worth(game.start())


def test_exact_worths_of_two(tmp_path: Path) -> None:
    """Seats change, and best play answers; every position is gone through for comparison."""
    (tmp_path / "higher.dg").write_text(HIGHER)
    game = dicegames.load(tmp_path / "higher.dg")
    solution, levels = dicegames.solve(game), [Level("", 0.25), Level("", 1e3)]
    worths = exact_worths(game.rules, levels)
    assert worths is not None
    by_hand = [positions_by_hand(game, solution, level) for level in levels]
    assert worths == pytest.approx(by_hand, abs=1e-12)


def test_exact_worths_where_play_goes_round() -> None:
    """In Pig both may lose every turn; of a level that nearly plays best the worth is the best."""
    game = dicegames.load("pig", target=20)
    careful, careless = exact_worths(game.rules, [Level("", 1e-4), Level("", 1e3)]) or (0, 1)
    assert careful == pytest.approx(dicegames.solve(game).value_for(), abs=1e-9)
    assert careless < careful - 0.1


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
    ledger = Ledger(Match(game.rules, 1), solution, Scale())
    bad, good = position.named("Shut 3 5"), position.named("Shut 8")
    told = Tutor(warns=True).warning(ledger, position, bad)
    assert told is not None
    assert "blunder, would lose 5.94" in told[0][0]
    assert Tutor(warns=True).warning(ledger, position, good) is None
    assert Tutor(6.0, warns=True).warning(ledger, position, bad) is None
    assert Tutor().warning(ledger, position, bad) is None
    tutor = Tutor()
    clues = [tutor.clue(ledger, position)[0][0] for _ in range(3)]
    assert "loses 5.53" in clues[0]
    assert clues[1] == "the best move is Shut 1 7 or Shut 8; clue once more names it"
    assert clues[2] == "the best move is Shut 8"
