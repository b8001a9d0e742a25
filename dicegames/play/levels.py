"""Levels of play: bots that choose the worse moves the more rarely the more they lose.

With losses l(m) against the best move and their mean L over all moves of a position, a level with
the share s plays a move with a probability in proportion to exp(-l(m) / (s L)). The mean is what a
move by chance would lose, so that a level is as strong in one game as in another, whatever its
points are.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from attrs import frozen
from numpy.typing import NDArray

from dicegames.ground.arguments import OnProgress
from dicegames.ground.numbers import mean_and_error
from dicegames.play.judge import Judge
from dicegames.play.match import Match
from dicegames.rules.parts.game import Rules
from dicegames.rules.running.referee import Choice, Move
from dicegames.solver.model import TIE


@frozen
class Level:
    """How well a bot plays: its share of the mean loss is the scale of what it gives away."""

    name: str
    share: float

    @property
    def rule(self) -> str:
        """The rule of choice in words."""
        return f"a move at exp(-loss / ({self.share:g} x mean loss of all moves))"

    def chances(
        self, losses: NDArray[np.float64], moves: Any = None, decisions: Any = None
    ) -> NDArray[np.float64]:
        """Return how likely each move of a position is made, from what it loses.

        Or of many positions: `decisions` says to which of them each loss belongs, `moves` how many
        moves it stands for.
        """
        many = np.ones(len(losses)) if moves is None else moves
        own = np.zeros(len(losses), np.int64) if decisions is None else decisions
        mean = np.bincount(own, many * losses) / np.maximum(np.bincount(own, many), 1)
        scale = np.where(mean > TIE, self.share * mean, np.inf)
        weights = many * np.exp(-losses / scale[own])
        found: NDArray[np.float64] = weights / np.bincount(own, weights)[own]
        return found


LEVELS = (
    Level("beginner", 1.0),
    Level("easy", 0.5),
    Level("medium", 0.25),
    Level("hard", 0.12),
    Level("expert", 0.05),
)
MOST_CAREFUL, MOST_CARELESS = 1e-3, 1e3
"""Shares beyond which play is best play, or by chance."""
BY_NAME = {level.name: level for level in LEVELS}


def losses_of(options: Sequence[Choice]) -> NDArray[np.float64]:
    """Return what moves, the best first, lose against the first."""
    values = np.array([option.value for option in options])
    losses: NDArray[np.float64] = np.abs(values - values[0])
    return losses


def given_away(losses: NDArray[np.float64], level: Level) -> float:
    """Return what a level loses at a position, on average."""
    return float(level.chances(losses) @ losses)


def player_of(level: Level, judge: Judge) -> Callable[[Match], Move]:
    """Return how a level chooses: the same for the same seed and game."""

    def choose(match: Match) -> Move:
        options = judge.options(match.position)
        chances = level.chances(losses_of(options))
        drawn = random.Random(f"{match.seed}:{len(match.steps)}:{level.name}")  # noqa: S311 - no secret
        place = int(np.searchsorted(np.cumsum(chances), drawn.random(), side="right"))
        return options[min(place, len(options) - 1)].move

    return choose


@frozen
class Worth:
    """What a level loses in a game in seat 1, the other seats playing best: mean, standard error.

    Estimated from games that it played: in every decision the exact mean of what it gives away
    counts, in place of the result, so that luck plays no part. Its result is the value of best
    play less the loss, without a bias.
    """

    level: Level
    loss: float
    error: float
    decisions: float  # for each game


def worth_of(
    game: Rules, judge: Judge, level: Level, games: int, seed: int, report: OnProgress | None = None
) -> Worth:
    """Estimate what a level loses in a game."""
    choose = player_of(level, judge)
    lost, decisions = np.zeros(games), 0
    for number in range(games):
        match = Match(game, seed + number)
        for position in match.choices():
            options = judge.options(position)
            if position.node.seat:
                match.play(options[0].move)
                continue
            losses = losses_of(options)
            lost[number] += given_away(losses, level)
            decisions += len(losses) > 1
            match.play(choose(match))
        if report is not None:
            report(number + 1, games)
    return Worth(level, *mean_and_error(lost), decisions / games)


def level_played(decisions: Sequence[tuple[NDArray[np.float64], float]]) -> float | None:
    """Return the share of the level that would have lost as much in the same positions, on average.

    `decisions` are the losses of all moves, and that of the move which was made. 0 is best play;
    inf is no better than by chance; None where there was nothing to lose.
    """
    lost = sum(own for _, own in decisions)
    if not any(losses.max(initial=0.0) > TIE for losses, _ in decisions):
        return None
    if lost <= TIE:
        return 0.0

    def loss(share: float) -> float:
        return sum(given_away(losses, Level("", share)) for losses, _ in decisions)

    low, high = MOST_CAREFUL, MOST_CARELESS
    if lost <= loss(low):
        return 0.0
    if lost >= loss(high):
        return float("inf")
    for _ in range(60):
        middle = (low * high) ** 0.5
        low, high = (middle, high) if loss(middle) < lost else (low, middle)
    return float((low * high) ** 0.5)


def named_level(share: float) -> str:
    """Return the name of the level that is nearest to a share."""
    if share <= 0:
        return "best play"
    if share == float("inf"):
        return "no better than by chance"
    return min(LEVELS, key=lambda level: abs(np.log(level.share / share))).name
