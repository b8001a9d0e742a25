"""Simulated games of players of whom some play to win and the others for the best mean.

Luck is taken out where that is known (a control variate). As long as the others play for the best
mean, U0 and U1 of a player stay the same on average while they do. So do sums of both, V = U0 + w
(U1 - U0): the result is on average V at the start, plus for each own turn the exact mean of V over
its ends less V before it. With w as in `Style` V is near the true chance, and little is left to
vary. Where both of two players play to win, U0 alone is a chance that both share: there it is what
the decisions of the one gained less those of the other.
"""

from __future__ import annotations

from collections.abc import Sequence
from time import perf_counter

import numpy as np
from attrs import frozen

from dicegames.analysis.solution import Solution
from dicegames.analysis.to_win.styles import MEAN, PLAIN, WIN, Style, styles_of
from dicegames.analysis.to_win.winning import WinSolution
from dicegames.ground.arguments import OnProgress, expect, expect_whole
from dicegames.ground.numbers import mean_and_error
from dicegames.solver.kernels.generator import begin
from dicegames.solver.kernels.workers import Workers
from dicegames.solver.model import Array
from dicegames.solver.results.given_ends import Seats, TurnTable, make_table
from dicegames.solver.results.rivals import ChainTables, Rivals, rivals

GAMES_AT_ONCE = 4000


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
        return tuple(n for n, name in enumerate(self.players, 1) if name != MEAN.name)

    def chance(self, seat: int) -> tuple[float, float]:
        """Return the share of a seat (from 1) of all games, and its standard error."""
        return mean_and_error(self.shares[seat - 1])

    def chance_without_luck(self, seat: int) -> tuple[float, float]:
        """Return the same with luck taken out; nan where that is not known."""
        return mean_and_error(self.adjusted[seat - 1])


def play_to_win(
    solution: Solution,
    games: int,
    seed: int,
    players: Sequence[str] = ("win",),
    *,
    threads: int | None = None,
    progress: OnProgress | None = None,
) -> WinGames:
    """Play games, each seat in its own way; those that are not named play for the best mean.

    `solution` is that of the objective "win", `players` are names of `styles`. A game is given
    by the seed and its number. Raises ArgumentError for what there is not.
    """
    expect(solution, WinSolution, "a solution for the objective win")
    assert isinstance(solution, WinSolution)
    expect_whole(games, "the number of games", 1)
    expect_whole(seed, "the seed")
    styles = styles_of(players, solution.game.players)
    began, parts = perf_counter(), []
    with Workers(threads) as workers:
        table = make_table(solution.tables, workers)
        for first in range(0, games, GAMES_AT_ONCE):
            numbers = np.arange(first, min(first + GAMES_AT_ONCE, games))
            parts.append(_played(solution, table, styles, begin(seed, numbers)))
            if progress is not None:
                progress(float(numbers[-1] + 1), float(games))
    shares = np.concatenate([shares for shares, _, _ in parts], axis=1)
    adjusted = np.concatenate([adjusted for _, adjusted, _ in parts], axis=1)
    turns = sum(turns for _, _, turns in parts)
    names = tuple(style.name for style in styles)
    return WinGames(names, shares, adjusted, seed, perf_counter() - began, turns)


def _played(
    solution: WinSolution, table: TurnTable, styles: Sequence[Style], state: Array
) -> tuple[Array, Array, int]:
    """Play some games: shares and shares without luck by seat, turns that were played to win."""
    tables, players, games = solution.tables, solution.game.players, len(state)
    key = np.full((players, games), tables.chain.start)
    total = np.full((players, games), solution.units_at_start)
    deciding = [seat for seat, style in enumerate(styles) if style is not MEAN]
    weights = [solution.weights(style, seat) for seat, style in enumerate(styles)]
    near = PLAIN if len(deciding) > 1 else WIN
    shares = [solution.weights(near, seat) for seat in range(players)]
    gains, turns = np.zeros((players, games)), 0
    if len(deciding) == 1:  # then V at the start is known
        at, had = key[:, :1], total[:, :1]
        for seat in deciding:
            others = _others(tables, at, had, seat)
            gains[seat] = solution.waiting(at[seat], had[seat], others, shares[seat])
    for left in range(tables.turns, 0, -1):
        for seat in range(players):
            if (key[seat] < 0).all():
                continue
            others = _others(tables, key, total, seat)
            own = Seats(key[seat].copy(), total[seat].copy(), state)
            ended = table.play(own, others, weights[seat])
            if seat in deciding:
                gains[seat] += _between(ended.after, shares[seat][left - 1])
                gains[seat] -= _between(ended.before, shares[seat][left])
                turns += games
            key[seat], total[seat] = ended.key, total[seat] + ended.paid
    best = total.max(axis=0) if tables.maximise else total.min(axis=0)
    first = (total == best).astype(np.float64)
    adjusted = np.full((players, games), np.nan)
    if not deciding:
        adjusted = np.full((players, games), 1 / players)
    elif len(deciding) == 1:
        adjusted[deciding] = gains[deciding]
        if players == 2:
            adjusted[1 - deciding[0]] = 1.0 - adjusted[deciding[0]]
    elif players == 2:
        adjusted = 0.5 + gains - gains[::-1]
    return first / first.sum(axis=0), adjusted, turns


def _others(tables: ChainTables, key: Array, total: Array, seat: int) -> Rivals:
    rest = [other for other in range(len(key)) if other != seat]
    return rivals(tables, key[rest].T.copy(), total[rest].T.copy())


def _between(bounds: Array, weight: float) -> Array:
    found: Array = bounds[0] + weight * (bounds[1] - bounds[0])
    return found
