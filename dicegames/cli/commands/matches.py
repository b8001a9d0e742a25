"""Simulated games of players who each have a value of their own, at their true totals."""

from __future__ import annotations

import time
from collections.abc import Iterator
from typing import Any

import numpy as np

from dicegames.analysis.saved.restoring import header_of
from dicegames.analysis.solution import Solution
from dicegames.analysis.studies.matches import Matches, play_matches
from dicegames.cli.printing import output
from dicegames.cli.printing.answer import Answer, Block, Pairs, Rows, about, heading
from dicegames.cli.printing.files import write_games
from dicegames.cli.printing.histogram import shown
from dicegames.cli.solving import Running, Solving, progress
from dicegames.cli.watch import peak
from dicegames.compiler.independence import is_independent
from dicegames.loading import Game
from dicegames.rules.running.objectives import objective_of
from dicegames.rules.running.playing import OPTIMAL, demand_seats

NARROW = 60
"""A screen with fewer columns has no room for all that is told."""


def is_match(game: Game, objective: str, solving: Solving, *, rotate: bool) -> bool:
    """Tell whether games are played turn by turn: by strategies and seat, or as it is asked for."""
    if game.players == 1 or not objective_of(objective).is_the_rules_own:
        return False
    if rotate or solving.grid or any(map(_is_solution, solving.by_seat.values())):
        return True
    if solving.solution is not None:
        return header_of(solving.solution).get("grid") is not None
    named = solving.strategy is not None or bool(solving.by_seat)
    return named and game.players > 2 and not is_independent(game.rules)


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
    spent = time.perf_counter() - began
    if out is not None:
        heads = [f"player {n}" for n in range(1, len(found.players) + 1)]
        write_games(out, heads, found.results)
    told = _for_programs(game, found, given, spent, rotate=rotate)
    told |= {} if out is None else {"out": out}
    return Answer(told, _for_people(game, found, given, spent, out))


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
    game: Game, found: Matches, given: list[str], spent: float, *, rotate: bool
) -> dict[str, Any]:
    rows = []
    for number, name in enumerate(given):
        (rank, error), (mean, mean_error) = found.rank(number), found.without_luck(number)
        own = found.of(number).summary() | {"without_luck": mean, "without_luck_error": mean_error}
        rows.append({"plays": name, **own, "rank": rank, "rank_error": error})
    told = about(game, "payoff", games=found.games, seed=found.seed, rotated=rotate, players=rows)
    told |= {"seconds": spent, "games_per_second": found.games / found.seconds}
    return told | {"peak_memory_mb": peak() / 1e6}


def _for_people(
    game: Game, found: Matches, given: list[str], spent: float, out: str | None
) -> Iterator[Block]:
    yield heading(game)
    rows = [("games", f"{found.games:,}, seed {found.seed}")]
    rows += [("saved", out)] if out is not None else []
    speed = f"{found.games / found.seconds:,.0f} games a second once prepared"
    rows += [
        ("time", f"{output.duration(spent)}, {speed}"),
        ("memory", f"{peak() / 1e6:.0f} MB"),
    ]
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
