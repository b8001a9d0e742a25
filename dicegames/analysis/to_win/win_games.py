"""Simulated games of players of whom some play to win and the others for the best mean.

Luck is taken out where that is known: with U0 the chance to win if all play for the best mean, a
player who does not changes it only by decisions. So the chance of a seat is its chance at the start
plus the sum of what the decisions of its turns gained, each the exact mean over all throws of the
turn (a control variate; with two players less what the other one's gained). It has the mean of the
plain result and a small part of its variance.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import sqrt
from time import perf_counter

import numpy as np
from attrs import frozen

from dicegames.analysis.solution import Solution
from dicegames.analysis.to_win.winning import FOR_THE_MEAN, MIDDLE, WinSolution
from dicegames.ground.arguments import ArgumentError, expect, expect_whole
from dicegames.ground.diagnostic import did_you_mean
from dicegames.solver.kernels.generator import begin
from dicegames.solver.kernels.workers import Workers
from dicegames.solver.model import Array
from dicegames.solver.results.given_ends import Seats, TurnTable, make_table
from dicegames.solver.results.rivals import rivals

CHUNK = 4000

Progress = Callable[[float, float], None]


@frozen
class Style:
    """How a seat plays: by U0 + w (U1 - U0), w being `weight`; below 0 for the best mean."""

    name: str
    weight: float
    rule: str


STYLES = {
    style.name: style
    for style in (
        Style("mean", FOR_THE_MEAN, "for the best mean"),
        Style("plain", 0.0, "by U0: as if all went on for the best mean afterwards"),
        Style("win", MIDDLE, "by the middle of U0 and U1, as `play --seat bot:win` does"),
        Style("knowing", 1.0, "by U1: as if the best result of the others were known"),
    )
}


@frozen(eq=False)
class WinGames:
    """What came of some games: `shares` of winning, ties shared, float64[seats, games].

    `adjusted` are the same with luck taken out; nan where that is not known.
    """

    players: tuple[str, ...]  # how each seat plays
    shares: Array
    adjusted: Array
    seed: int
    seconds: float
    turns: int  # that were played to win, in all games

    @property
    def games(self) -> int:
        """Number of games."""
        return int(self.shares.shape[1])

    @property
    def to_win(self) -> tuple[int, ...]:
        """The seats that do not play for the mean."""
        return tuple(n for n, name in enumerate(self.players, 1) if STYLES[name].weight >= 0)

    def chance(self, seat: int) -> tuple[float, float]:
        """Return the share of a seat (from 1) of all games, and its standard error."""
        return _mean(self.shares[seat - 1])

    def chance_without_luck(self, seat: int) -> tuple[float, float]:
        """Return the same with luck taken out; nan where that is not known."""
        return _mean(self.adjusted[seat - 1])


def play_to_win(
    solution: Solution,
    games: int,
    seed: int,
    players: Sequence[str] = ("win",),
    *,
    threads: int | None = None,
    progress: Progress | None = None,
) -> WinGames:
    """Play games, each seat in its own way; those that are not named play for the best mean.

    `solution` is that of the objective "win", `players` are names of STYLES. A game is given by the
    seed and its number. Raises ArgumentError for what there is not.
    """
    expect(solution, WinSolution, "a solution for the objective win")
    assert isinstance(solution, WinSolution)
    expect_whole(games, "the number of games", 1)
    expect_whole(seed, "the seed")
    styles = styles_of(players, solution.game.players)
    began, parts = perf_counter(), []
    with Workers(threads) as workers:
        table = make_table(solution.tables, workers)
        for first in range(0, games, CHUNK):
            numbers = np.arange(first, min(first + CHUNK, games))
            parts.append(_played(solution, table, styles, begin(seed, numbers)))
            if progress is not None:
                progress(float(numbers[-1] + 1), float(games))
    shares = np.concatenate([shares for shares, _, _ in parts], axis=1)
    adjusted = np.concatenate([adjusted for _, adjusted, _ in parts], axis=1)
    turns = sum(turns for _, _, turns in parts)
    names = tuple(style.name for style in styles)
    return WinGames(names, shares, adjusted, seed, perf_counter() - began, turns)


def styles_of(names: Sequence[str], players: int) -> list[Style]:
    """Return how all seats play; raises ArgumentError."""
    if len(names) > players:
        raise ArgumentError(f"there is no seat {len(names)}: the game has {players}")
    return [style_of(name) for name in (*names, *["mean"] * (players - len(names)))]


def style_of(name: str) -> Style:
    """Return the style of a name; raises ArgumentError."""
    if name not in STYLES:
        hint = did_you_mean(name, list(STYLES)) or f"there are {', '.join(STYLES)}"
        raise ArgumentError(f'nobody plays "{name}" here: {hint}')
    return STYLES[name]


def _played(
    solution: WinSolution, table: TurnTable, styles: Sequence[Style], state: Array
) -> tuple[Array, Array, int]:
    """Play some games: shares and shares without luck by seat, turns that were played to win."""
    tables, players, games = solution.tables, solution.game.players, len(state)
    key = np.full((players, games), tables.chain.start)
    total = np.full((players, games), solution.units_at_start)
    gains, turns = np.zeros((players, games)), 0
    while (key >= 0).any():
        for seat, style in enumerate(styles):
            if (key[seat] < 0).all():
                continue
            rest = [other for other in range(players) if other != seat]
            others = rivals(tables, key[rest].T.copy(), total[rest].T.copy())
            own = Seats(key[seat].copy(), total[seat].copy(), state)
            ended = table.play(own, others, np.full(games, style.weight))
            if style.weight >= 0:
                gains[seat] += ended.after - ended.before
                turns += games
            key[seat], total[seat] = ended.key, total[seat] + ended.paid
    best = total.max(axis=0) if tables.maximise else total.min(axis=0)
    first = (total == best).astype(np.float64)
    adjusted = np.full((players, games), np.nan)
    deciding = [seat for seat, style in enumerate(styles) if style.weight >= 0]
    if players == 2:
        adjusted = 0.5 + gains - gains[::-1]
    elif not deciding:
        adjusted = np.full((players, games), 1 / players)
    elif len(deciding) == 1:
        adjusted[deciding[0]] = 1 / players + gains[deciding[0]]
    return first / first.sum(axis=0), adjusted, turns


def _mean(values: Array) -> tuple[float, float]:
    error = float(values.std(ddof=1)) / sqrt(len(values)) if len(values) > 1 else float("nan")
    return float(values.mean()), error
