"""Games played out by the referee: slower by far than others, but games of any size.

Nothing is compiled or solved, so strategies of the rules file have to play in all seats.
"""

from __future__ import annotations

import signal
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from contextlib import contextmanager
from multiprocessing import get_context
from time import perf_counter

import numpy as np

from dicegames.analysis.studies.matches import Matches
from dicegames.analysis.studies.whole_games import WholeGames
from dicegames.ground.arguments import OnProgress, expect, expect_whole
from dicegames.rules.parts.game import HasRules, Rules, rules_of
from dicegames.rules.running.playing import OPTIMAL, StrategyError, name_of, seats_of

TOLD_EVERY = 20
"""Games after which progress is told."""
WORTH_OTHERS = 5.0
"""Seconds of work that are shared out: another process takes a second or two to begin."""

Results = list[tuple[float, ...]]


def play_out(
    game: Rules | HasRules,
    players: Sequence[str],
    games: int = 1000,
    seed: int = 0,
    *,
    objective: str = "payoff",
    processes: int = 1,
    progress: OnProgress | None = None,
) -> Matches:
    """Let strategies of the rules file play games, move by move, without solving anything.

    Args:
        game: checked rules.
        players: the name of a strategy for each seat; "best" would have to be solved.
        games: how many.
        seed: a game is given by the seed and its number.
        objective: "payoff", "turns" or "reach:T"; what it counts is the result.
        processes: how many may take part. (As with all of Python's own pools, a script that asks
            for more than one begins below `if __name__ == "__main__"`.)
        progress: called with (done, total) now and then.

    Raises StrategyError, ObjectiveError, GameTooLong, and RuleBroken where the rules break, or a
    strategy says nothing.
    """
    expect_whole(games, "the number of games", 1)
    expect_whole(seed, "the seed")
    expect_whole(processes, "the number of processes", 1)
    expect(players, (list, tuple), "a list of strategies, one for each seat,")
    rules = rules_of(game)
    if len(players) != rules.players:
        raise StrategyError(f"{rules.title} has {rules.players} seats, not {len(players)}")
    names = tuple(map(name_of, seats_of(rules, dict(enumerate(players, 1)))))
    if OPTIMAL in names:
        raise StrategyError("the best move is not known without solving; name a strategy")
    options = tuple(rules.option_values().items())
    asked = WholeGames(rules.source, options, names, objective, seed)
    asked.ready()  # what is wrong with it is said before the clock runs
    began, parts = perf_counter(), []
    for part in _played(asked, games, processes, began):
        parts += part
        if progress is not None:
            progress(float(len(parts)), float(games))
    results = np.array(parts, np.float64)
    seats = np.broadcast_to(np.arange(1, 1 + results.shape[1]), results.shape)
    no_luck = np.full_like(results, np.nan)
    return Matches(names, results, no_luck, seats, seed, perf_counter() - began)


def _played(asked: WholeGames, games: int, processes: int, began: float) -> Iterator[Results]:
    """Play the games in lots; if that takes long, in several processes."""
    lots = [range(first, min(first + TOLD_EVERY, games)) for first in range(0, games, TOLD_EVERY)]
    yield asked.play(lots[0])
    worth = (perf_counter() - began) * (len(lots) - 1) > WORTH_OTHERS
    if processes == 1 or not worth:
        yield from map(asked.play, lots[1:])
        return
    with _pool(processes) as pool:
        yield from pool.map(asked.play, lots[1:])


@contextmanager
def _pool(processes: int) -> Iterator[ProcessPoolExecutor]:
    """Give processes that take what an interrupt means from this one."""
    quiet = (signal.SIGINT, signal.SIG_IGN)
    pool = ProcessPoolExecutor(processes, get_context("spawn"), signal.signal, quiet)
    try:
        yield pool
    finally:
        pool.shutdown(cancel_futures=True)
