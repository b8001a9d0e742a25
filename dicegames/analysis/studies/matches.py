"""Matches: many games between players, each of which plays best or by a strategy.

For games in which every seat has a value of its own, or that are solved on a grid. Whoever plays
best does so at the true totals: see `dicegames.solver.grid.games`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property
from time import perf_counter

import numpy as np
from attrs import frozen
from numpy.typing import NDArray

from dicegames.analysis.chances.prospects import SolutionError
from dicegames.analysis.chances.simulation import Simulation
from dicegames.analysis.solution import Solution
from dicegames.analysis.solving.gridding import IN_MATCHES, gridded
from dicegames.compiler.compile import compile_game
from dicegames.compiler.compiled import Compiled
from dicegames.compiler.form import GridForm
from dicegames.compiler.goal import NotTurnByTurn
from dicegames.ground.arguments import OnProgress, expect_whole
from dicegames.ground.diagnostic import folded
from dicegames.ground.limits import LimitReached, Limits
from dicegames.ground.numbers import mean_and_error
from dicegames.rules.parts.game import HasRules, Rules, rules_of
from dicegames.rules.running.playing import OPTIMAL, StrategyError, name_of, seats_of
from dicegames.solver.grid.games import (
    ReadyStyle,
    SeatStyle,
    demand_one_beginning,
    play_games,
    prepare,
)
from dicegames.solver.grid.last_level import levels_for
from dicegames.solver.grid.turn_model import plan
from dicegames.solver.grid.values import GridValues
from dicegames.solver.kernels.workers import Workers
from dicegames.solver.status import SolveError, Status

CHUNK = 4096
"""Games after which progress is told."""


class NoMatch(SolutionError):
    """Turns of the game cannot be played out as a whole."""


@frozen(eq=False, slots=False)
class Matches:
    """What players got: `results` (float64[games, players]), in `seats` (int64, alike, from 1).

    `adjusted` are the results with luck taken out, where there are values to judge by; else
    nan. They have the same mean and vary less: see `dicegames.solver.grid.games`.
    """

    players: tuple[str, ...]
    results: NDArray[np.float64]
    adjusted: NDArray[np.float64]
    seats: NDArray[np.int64]
    seed: int
    seconds: float
    """The time that playing alone took."""

    @property
    def games(self) -> int:
        """Number of games."""
        return len(self.results)

    def of(self, player: int) -> Simulation:
        """Return the results of a player, numbered from 0."""
        return Simulation(np.ascontiguousarray(self.results[:, player]), self.seed)

    @cached_property
    def ranks(self) -> NDArray[np.float64]:
        """The ranks by what players got, 1 for the most; equal ones share: as `results`."""
        ahead = (self.results[:, None, :] > self.results[:, :, None]).sum(axis=2)
        same = (self.results[:, None, :] == self.results[:, :, None]).sum(axis=2)
        return np.asarray(ahead + (same + 1) / 2, np.float64)

    def rank(self, player: int) -> tuple[float, float]:
        """Return a player's mean rank and its standard error."""
        return mean_and_error(self.ranks[:, player])

    def without_luck(self, player: int) -> tuple[float, float]:
        """Return a player's mean result with luck taken out, and its standard error, or nan."""
        return mean_and_error(self.adjusted[:, player])


def play_matches(
    game: Rules | HasRules,
    players: Sequence[str | Solution] = (),
    games: int = 1000,
    seed: int = 0,
    *,
    rotate: bool = False,
    grid: Mapping[str, int] | None = None,
    threads: int | None = None,
    memory: int | None = None,
    time: float | None = None,
    judge: Solution | None = None,
    preparing: OnProgress | None = None,
    progress: OnProgress | None = None,
) -> Matches:
    """Let players play games against each other; nobody mentioned plays best.

    Args:
        game: checked rules.
        players: for each seat the name of a strategy, "best", or a solution on a grid.
        games: how many.
        seed: a game is given by the seed and its number.
        rotate: whether the players move on by a seat from game to game.
        grid: the step for each variable, for those who play best; by default the finest grid for
            which there is room.
        threads: how many to use; all cores if not given.
        memory: the most bytes of the tables of those who play best.
        time: the most seconds that solving for them may take.
        judge: a solution on a grid by whose values luck is taken out; if not given, that of the
            first who plays best.
        preparing: called with (done, total) now and then, while best play is looked for.
        progress: called with (done, total) now and then, while games are played.

    Raises NoMatch where the game cannot be played turn by turn, SolutionError, StrategyError. All
    that may be asked for is a parameter, since people type it.
    """
    expect_whole(games, "the number of games", 1)
    expect_whole(seed, "the seed")
    limits, rules = Limits(time, memory, threads, preparing), rules_of(game)
    given = [*players, *[OPTIMAL] * (rules.players - len(players))]
    if len(given) > rules.players:
        raise StrategyError(f"{rules.title} has {rules.players} seats, not {len(given)}")
    try:
        known = [*given, *([] if judge is None else [judge])]
        styles = _styles(rules, known, dict(grid or {}), limits)
        table = None if judge is None else styles[_key(judge)].table
        seated = prepare([styles[_key(player)] for player in given], table)
        began = perf_counter()
        found = _played(seated, games, seed, threads, progress, rotate=rotate)
    except LimitReached as reached:
        raise SolutionError(str(reached)) from None
    except (SolveError, NotTurnByTurn) as error:
        if isinstance(error, SolveError) and error.status is not Status.UNSUPPORTED:
            raise SolutionError(str(error)) from None
        way = "a single turn is looked at with --objective turn"
        if rotate:
            way = "without --rotate whole games are played"
        raise NoMatch(f"matches are played turn by turn: {error}; {way}") from None
    names = tuple(OPTIMAL if isinstance(p, Solution) else name_of(_known(rules, p)) for p in given)
    return Matches(names, *found, seed, perf_counter() - began)


def _key(player: str | Solution) -> str | int:
    return id(player) if isinstance(player, Solution) else folded(player)


def _known(game: Rules, name: str) -> str | None:
    """Return the strategy of a name as the rules write it, None for best play."""
    found = seats_of(game, name)[0]
    assert not callable(found)
    return found


def _styles(
    game: Rules, given: Sequence[str | Solution], grid: Mapping[str, int], limits: Limits
) -> dict[str | int, SeatStyle]:
    """Return how each of the players plays."""
    styles: dict[str | int, SeatStyle] = {}
    free: Compiled | None = None  # the game in which everything may be played
    names = {_key(p): _known(game, p) for p in given if not isinstance(p, Solution)}
    for player in given:
        if isinstance(player, Solution):
            free, grid = player.compiled, player.grid
            styles[_key(player)] = _best(free, player.solved.evaluator)
    for key in (key for key, title in names.items() if title is None):
        free, solved, grid = gridded(game, (), grid, limits, _demand_one_beginning)
        styles[key] = _best(free, solved.evaluator)
    for key, title in names.items():
        if title is not None:
            counters = frozenset(grid)
            free = free or compile_game(game, form=GridForm(names=counters), limits=limits)
            seats = (title,) * game.players
            form = GridForm(names=counters, like=free)
            styles[key] = _follower(compile_game(game, seats=seats, form=form, limits=limits))
    return styles


def _demand_one_beginning(compiled: Compiled) -> None:
    demand_one_beginning(plan(compiled.model))


def _best(compiled: Compiled, values: object) -> SeatStyle:
    if not isinstance(values, GridValues):
        raise SolutionError("a player of matches needs a solution on a grid (--grid)")
    levels = levels_for(plan(compiled.model), IN_MATCHES)
    return SeatStyle(compiled.model, levels, table=values.table)


def _follower(compiled: Compiled) -> SeatStyle:
    if compiled.silent:
        name = name_of(compiled.seats[0])
        raise StrategyError(f'"{name}" does not always say what it plays; end it with: otherwise')
    model = compiled.model
    return SeatStyle(
        model, levels_for(plan(model, aims=compiled.aims), IN_MATCHES), aims=compiled.aims
    )


def _played(
    players: Sequence[ReadyStyle], games: int, seed: int, threads: int | None,
    progress: OnProgress | None, *, rotate: bool,
) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.int64]]:  # fmt: skip
    """Play the games: what each player got, that with luck taken out, and in which seat."""
    count = len(players)
    results, seats = np.zeros((2, games, count)), np.zeros((games, count), np.int64)
    with Workers(threads) as workers:
        for first in range(0, games, CHUNK):
            numbers = np.arange(first, min(first + CHUNK, games))
            for turned in range(count if rotate else 1):
                own = numbers[numbers % count == turned] if rotate else numbers
                if not own.size:
                    continue
                seat = (np.arange(count) + turned) % count
                seated = [players[p] for p in np.argsort(seat).tolist()]
                results[:, own] = play_games(seated, seed, own, workers)[:, :, seat]
                seats[own] = seat + 1
            if progress is not None:
                progress(float(numbers[-1] + 1), float(games))
    return *results, seats
