"""Simulated games of players who each have a value of their own, turn by turn or move by move."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from dicegames.analysis.saved.restoring import header_of
from dicegames.analysis.solution import Solution
from dicegames.analysis.studies.matches import Matches, play_matches
from dicegames.analysis.studies.played_out import play_out
from dicegames.analysis.studies.whole_games import counts_whole_games
from dicegames.cli.printing import output
from dicegames.cli.printing.answer import Answer, Block, Pairs, Rows, about, heading
from dicegames.cli.printing.files import write_games
from dicegames.cli.printing.histogram import shown
from dicegames.cli.solving import Running, Solving, progress
from dicegames.cli.watch import peak
from dicegames.compiler.goal import TooMany
from dicegames.compiler.independence import is_independent
from dicegames.ground.diagnostic import folded
from dicegames.ground.errors import DicegamesError
from dicegames.loading import Game
from dicegames.rules.running.objectives import of_one_game
from dicegames.rules.running.playing import OPTIMAL, demand_seats
from dicegames.solver.kernels.compilers import available_threads

NARROW = 60
"""A screen with fewer columns has no room for all that is told."""
TOLD_OF_LARGE = ("too-wide", "too-many-positions", "grows-without-limit")
"""The diagnostics of games that take too much to be solved."""


def is_match(game: Game, solving: Solving, *, rotate: bool) -> bool:
    """Tell whether games have to be played turn by turn."""
    if game.players == 1 or not solving.aim.is_the_rules_own:
        return False
    if rotate or solving.grid or any(map(_is_solution, solving.by_seat.values())):
        return True
    return solving.solution is not None and header_of(solving.solution).get("grid") is not None


def is_by_seat(game: Game, solving: Solving) -> bool:
    """Tell whether strategies play in three seats or more, each with a value of its own.

    Turn by turn that is played without solving the whole; not every game can be played so.
    """
    named = solving.strategy is not None or bool(solving.by_seat)
    return (
        named
        and game.players > 2
        and solving.solution is None
        and solving.aim.is_the_rules_own
        and not is_independent(game.rules)
    )


def _is_solution(name: str) -> bool:
    return name.endswith(".solution")


def run(
    game: Game, solving: Solving, games: int, seed: int, out: str | None, *, rotate: bool
) -> Answer:
    """Play the games and return what each player got."""
    given = _given(game, solving)
    seats, judge = _seated(game, given, solving.solution)
    began = time.perf_counter()
    with progress("Preparing and playing") as bar:
        found = play_matches(
            game, seats, games, seed, rotate=rotate, grid=solving.grid, judge=judge,
            preparing=bar, progress=Running(bar), **solving.limits,
        )  # fmt: skip
    return _answer(game, "payoff", found, given, time.perf_counter() - began, out, rotate=rotate)


def is_by_strategies(game: Game, solving: Solving) -> bool:
    """Tell whether strategies play in all seats, so that nothing has to be solved."""
    return (
        solving.solution is None
        and OPTIMAL not in map(folded, _given(game, solving))
        and counts_whole_games(solving.aim, game.rules)
    )


def is_too_large(refused: DicegamesError) -> bool:
    """Tell whether a game was refused for its size alone.

    (What is wrong otherwise, such as rules that break, is not seen by playing some games.)
    """
    return isinstance(refused, TooMany) or getattr(refused, "code", "") in TOLD_OF_LARGE


def run_out(game: Game, solving: Solving, games: int, seed: int, out: str | None) -> Answer:
    """Play the games move by move, without solving anything, and return what each player got."""
    given = _given(game, solving)
    began, processes = time.perf_counter(), solving.threads or available_threads()
    with progress("Playing move by move") as bar:
        found = play_out(
            game, given, games, seed,
            objective=solving.objective, processes=processes, progress=Running(bar),
        )  # fmt: skip
    result = of_one_game(solving.aim.unit(game.rules))
    more = [("result", result), ("played", "move by move: the game is too large to be solved")]
    spent = time.perf_counter() - began
    return _answer(game, solving.objective, found, given, spent, out, rotate=False, more=more)


def _answer(
    game: Game, objective: str, found: Matches, given: list[str], spent: float, out: str | None,
    *, rotate: bool, more: Sequence[tuple[str, str]] = (),
) -> Answer:  # fmt: skip
    """Return what is told of games, which are saved where that is asked for."""
    if out is not None:
        heads = [f"player {n}" for n in range(1, len(found.players) + 1)]
        write_games(out, heads, found.results)
    told = _for_programs(game, objective, found, given, spent, rotate=rotate)
    told |= dict(more) | ({} if out is None else {"out": out})
    rows = [*more, *_rows(found, spent, out)]
    return Answer(told, _for_people(game, found, given, rows))


def _given(game: Game, solving: Solving) -> list[str]:
    """Return the name of who plays, by seat."""
    playing = solving.playing
    if playing is None or isinstance(playing, str):
        return [playing or OPTIMAL] * game.players
    demand_seats(game.rules, playing)
    return [playing.get(seat, OPTIMAL) for seat in range(1, game.players + 1)]


def _seated(game: Game, given: list[str], path: str | None) -> tuple[list[Any], Solution | None]:
    """Return who plays: names of strategies, solutions in the place of their files; and the judge.

    The solution of the path is the judge, and plays best.
    """
    files = {name for name in given if _is_solution(name)} | ({path} if path is not None else set())
    loaded = {file: Solution.load(file, game.rules) for file in sorted(files)}
    if path is not None:
        loaded |= {name: loaded[path] for name in given if name.lower() == OPTIMAL}
    return [loaded.get(name, name) for name in given], loaded.get(path or "")


def _for_programs(
    game: Game, objective: str, found: Matches, given: list[str], spent: float, *, rotate: bool
) -> dict[str, Any]:
    rows = []
    for number, name in enumerate(given):
        (rank, error), (mean, mean_error) = found.rank(number), found.without_luck(number)
        own = found.of(number).summary() | {"without_luck": mean, "without_luck_error": mean_error}
        rows.append({"plays": name, **own, "rank": rank, "rank_error": error})
    told = about(game, objective, games=found.games, seed=found.seed, rotated=rotate, players=rows)
    told |= {"seconds": spent, "games_per_second": found.games / found.seconds}
    return told | {"peak_memory_mb": peak() / 1e6}


def _rows(found: Matches, spent: float, out: str | None) -> list[tuple[str, str]]:
    rows = [("games", f"{found.games:,}, seed {found.seed}")]
    rows += [("saved", out)] if out is not None else []
    speed = f"{found.games / found.seconds:,.0f} games a second once prepared"
    rows.append(("time", f"{output.duration(spent)}, {speed}"))
    return [*rows, ("memory", f"{peak() / 1e6:.0f} MB")]


def _for_people(
    game: Game, found: Matches, given: list[str], rows: list[tuple[str, str]]
) -> Iterator[Block]:
    yield heading(game)
    yield Pairs(rows)
    yield ""
    narrow, judged = output.console().width < NARROW, not np.isnan(found.adjusted).any()
    kinds = ["mean", "without luck"][: 1 + judged][-1 if narrow else 0 :]
    heads = ["player", *(head for kind in kinds for head in (kind, "error")), "rank"]
    heads += [] if narrow else ["sd", "5% to 95%"]
    lines = []
    for number, name in enumerate(given):
        own, (rank, _) = found.of(number), found.rank(number)
        means = {"mean": (own.mean, own.mean_error), "without luck": found.without_luck(number)}
        told = [f"{number + 1} {name}"]
        told += [text for k in kinds for text in (f"{means[k][0]:.3f}", _known(means[k][1], ".2g"))]
        told += [f"{rank:.3f}", _known(own.sd, ".2f")]
        told.append(f"{shown(own.percentile(5))} to {shown(own.percentile(95))}")
        lines.append(told[: len(heads)])
    yield Rows("l" + "r" * (len(heads) - 1), lines, heads)


def _known(number: float, form: str) -> str:
    """Return a number as text; one game alone does not tell how results spread."""
    return "-" if np.isnan(number) else format(number, form)
