"""Simulated games of players of whom some play to win and the others for the best mean.

Luck is taken out where that is known: with U0 the chance to win if all play for the best mean, a
player who does not changes it only by decisions. So the chance of a seat is its chance at the start
plus the sum of what the decisions of its turns gained, each the exact mean over all throws of the
turn (a control variate; with two players less what the other one's gained). It has the mean of the
plain result and a small part of its variance.
"""

from __future__ import annotations

from collections.abc import Callable, Collection
from math import sqrt
from time import perf_counter

import numpy as np
from attrs import frozen

from dicegames.analysis.solution import Solution
from dicegames.analysis.to_win.winning import FOR_THE_MEAN, MIDDLE, WinSolution
from dicegames.ground.arguments import ArgumentError, expect, expect_whole
from dicegames.solver.kernels.generator import begin
from dicegames.solver.kernels.workers import Workers
from dicegames.solver.model import Array
from dicegames.solver.results.given_ends import Seats, Table, make_table
from dicegames.solver.results.rivals import rivals

CHUNK = 4000

Progress = Callable[[float, float], None]


@frozen(eq=False)
class WinGames:
    """What came of some games: `shares` of winning, ties shared, float64[seats, games].

    `adjusted` are the same with luck taken out; nan where that is not known.
    """

    to_win: tuple[int, ...]  # the seats, from 1
    shares: Array
    adjusted: Array
    seed: int
    seconds: float
    turns: int  # that were played to win, in all games

    @property
    def games(self) -> int:
        """Number of games."""
        return int(self.shares.shape[1])

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
    *,
    to_win: Collection[int] = (1,),
    threads: int | None = None,
    progress: Progress | None = None,
) -> WinGames:
    """Play games in which some seats (from 1) play to win, the others for the best mean.

    `solution` is that of the objective "win". A game is given by the seed and its number. Raises
    ArgumentError for seats that are not there.
    """
    expect(solution, WinSolution, "a solution for the objective win")
    assert isinstance(solution, WinSolution)
    expect_whole(games, "the number of games", 1)
    expect_whole(seed, "the seed")
    players = solution.game.players
    for seat in to_win:
        expect_whole(seat, "a seat", 1)
        if seat > players:
            raise ArgumentError(f"there is no seat {seat}: the game has {players}")
    began, parts = perf_counter(), []
    chosen = tuple(sorted(set(to_win)))
    with Workers(threads) as workers:
        table = make_table(solution.tables, workers)
        for first in range(0, games, CHUNK):
            numbers = np.arange(first, min(first + CHUNK, games))
            parts.append(_played(solution, table, chosen, begin(seed, numbers)))
            if progress is not None:
                progress(float(numbers[-1] + 1), float(games))
    shares = np.concatenate([shares for shares, _, _ in parts], axis=1)
    adjusted = np.concatenate([adjusted for _, adjusted, _ in parts], axis=1)
    turns = sum(turns for _, _, turns in parts)
    return WinGames(chosen, shares, adjusted, seed, perf_counter() - began, turns)


def _played(
    solution: WinSolution, table: Table, to_win: tuple[int, ...], state: Array
) -> tuple[Array, Array, int]:
    """Play some games: shares and shares without luck by seat, turns that were played to win."""
    tables, players, games = solution.tables, solution.game.players, len(state)
    key = np.full((players, games), tables.chain.start)
    total = np.full((players, games), solution.units_at_start)
    gains, turns = np.zeros((players, games)), 0
    while (key >= 0).any():
        for seat in range(players):
            if (key[seat] < 0).all():
                continue
            deciding = seat + 1 in to_win
            rest = [other for other in range(players) if other != seat]
            others = rivals(tables, key[rest].T.copy(), total[rest].T.copy())
            own = Seats(key[seat].copy(), total[seat].copy(), state)
            weight = np.full(games, MIDDLE if deciding else FOR_THE_MEAN)
            ended = table.play(own, others, weight)
            if deciding:
                gains[seat] += ended.after - ended.before
                turns += games
            key[seat], total[seat] = ended.key, total[seat] + ended.paid
    best = total.max(axis=0) if tables.maximise else total.min(axis=0)
    first = (total == best).astype(np.float64)
    adjusted = np.full((players, games), np.nan)
    if players == 2:
        adjusted = 0.5 + gains - gains[::-1]
    elif len(to_win) == 1:
        adjusted[to_win[0] - 1] = 1 / players + gains[to_win[0] - 1]
    return first / first.sum(axis=0), adjusted, turns


def _mean(values: Array) -> tuple[float, float]:
    error = float(values.std(ddof=1)) / sqrt(len(values)) if len(values) > 1 else float("nan")
    return float(values.mean()), error
