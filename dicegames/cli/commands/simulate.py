"""`dicegames simulate`: games played by throws, and what they come to."""

from __future__ import annotations

import math
import secrets
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import numpy as np
from attrs import evolve

from dicegames.analysis.chances.distribution import Distribution
from dicegames.analysis.chances.simulation import Simulation
from dicegames.analysis.solution import Solution
from dicegames.analysis.studies.matches import NoMatch
from dicegames.cli.commands import matches, win_games
from dicegames.cli.printing import output
from dicegames.cli.printing.answer import Answer, Block, Pairs, about, heading, told_of
from dicegames.cli.printing.files import RESULTS, write_games
from dicegames.cli.printing.histogram import histogram, shown
from dicegames.cli.printing.in_words import is_probability, rounds_rows, unit
from dicegames.cli.solving import Running, Solving, obtained, progress
from dicegames.cli.watch import peak
from dicegames.compiler.goal import NeedsGrid, TooMany
from dicegames.ground.arguments import ArgumentError
from dicegames.ground.writing import UnwritableFile, demand_writable
from dicegames.loading import Game
from dicegames.rules.parts.broken import RuleBroken


def run(
    game: Game, games: int, seed: int | None, out: str | None, solving: Solving, *, rotate: bool
) -> Answer:
    """Simulate games and return what they come to."""
    if out is not None and Path(out).suffix.lower() not in RESULTS:
        raise UnwritableFile(f'"{out}": games are written to a file that ends in .csv or .npy')
    demand_writable(out, game.file)
    seed = secrets.randbits(32) if seed is None else seed
    if solving.aim.compares(game.rules):
        return win_games.run(game, solving, games, seed, out)
    if matches.is_match(game, solving, rotate=rotate):
        return matches.run(game, solving, games, seed, out, rotate=rotate)
    if rotate or solving.grid:
        raise ArgumentError("--rotate and --grid are for the payoff of several players")
    by_strategies = matches.is_by_strategies(game, solving)
    if by_strategies:  # else all positions are listed as long as there is time, which has an end
        solving = evolve(solving, time=None)
    if matches.is_by_seat(game, solving):
        with suppress(NoMatch):
            return matches.run(game, solving, games, seed, out, rotate=rotate)
    try:
        solution = obtained(game, evolve(solving, grid=None))
    except NeedsGrid:
        return matches.run(game, solving, games, seed, out, rotate=rotate)
    except (TooMany, RuleBroken) as refused:
        if not (by_strategies and matches.is_too_large(refused)):
            raise
        return matches.run_out(game, solving, games, seed, out)
    began, threads = time.perf_counter(), solving.threads
    seats = range(2, 1 + len(solution.values))
    with progress("Preparing and playing") as report:
        found = solution.simulate(games, seed, threads=threads, progress=Running(report))
        others = [solution.simulate(games, seed, seat=s, threads=threads) for s in seats]
    spent = time.perf_counter() - began
    if out is not None:
        heads = ["result", *(f"player {seat}" for seat in seats)]
        columns = [found.results, *(other.results for other in others)]
        write_games(out, heads, np.column_stack(columns) if others else found.results)
    told = _for_programs(game, solution, found, spent)
    told["others"] = [other.summary() for other in others]
    told |= {} if out is None else {"out": out}
    blocks = _for_people(game, solution, [found, *others], spent, out)
    return Answer(told, blocks)


def _ranks(solution: Solution, found: Simulation) -> list[tuple[float, float, float]]:
    """Return by seat the mean rank, 1 for the best, its standard error, and the share of wins.

    Known for two players who play to win; equal results share a rank.
    """
    if not (solution.compiled.model.seats == 2 and is_probability(solution)):
        return []
    mean = 2.0 - found.mean  # 1 for a win, 2 for a loss, 1.5 shared
    error = found.mean_error
    return [(mean, error, found.mean), (3.0 - mean, error, 1.0 - found.mean)]


def _speed(found: Simulation) -> float:
    """Return the games played per second, once prepared."""
    return found.games / max(found.playing, 1e-9)


def _for_programs(
    game: Game, solution: Solution, found: Simulation, spent: float
) -> dict[str, Any]:
    return about(game, solution.objective) | {
        "value": solution.value,
        **told_of(found, "games seed"),
        **found.summary(),
        "counts": [[value, count] for value, count in found.counts.items()],
        "ranks": [{"mean": m, "error": e, "wins": w} for m, e, w in _ranks(solution, found)],
        "seconds": spent,
        "preparing_seconds": found.preparing,
        "playing_seconds": found.playing,
        "games_per_second": _speed(found),
        "peak_memory_mb": peak() / 1e6,
    }


def _for_people(
    game: Game, solution: Solution, by_seat: list[Simulation], spent: float, out: str | None
) -> Iterator[Block]:
    yield heading(game)
    found, (exact, *others) = by_seat[0], solution.values
    told = found.summary()
    percentiles = ", ".join(f"{p}%: {shown(value)}" for p, value in told["percentiles"].items())
    rows = [
        ("games", f"{found.games:,}, seed {found.seed}"),
        ("mean", _with_error(found.mean, found.mean_error)),
        ("exact", f"{exact:.6f}"),
        ("", unit(solution) + "; of player 1" * bool(others)),
        ("sd", _with_error(found.sd, found.sd_error)),
        ("percentiles", percentiles),
        ("likeliest", ", ".join(map(shown, found.modes))),
    ]
    for number, (other, value) in enumerate(zip(by_seat[1:], others, strict=True), 2):
        met = _with_error(other.mean, other.mean_error)
        rows.append((f"player {number}", f"mean {met}, exact {value:.6f}"))
    for seat, (mean, error, _) in enumerate(_ranks(solution, found), 1):
        rows.append((f"player {seat}", f"mean rank {_with_error(mean, error)}"))
    rows.extend(rounds_rows(solution, "here it is played by one and the same"))
    if out is not None:
        rows.append(("saved", out))
    rows.append(("time", f"{output.duration(spent)}, {peak() / 1e6:.0f} MB of memory"))
    speed = f"{_speed(found):,.0f} games per second"
    rows.append(("", f"prepared in {output.duration(found.preparing)}, then {speed}"))
    yield Pairs(rows)
    yield ""
    values = np.array(list(found.counts))
    shares = np.array(list(found.counts.values())) / found.games
    yield from histogram(Distribution(values, shares), output.console().width)


def _with_error(estimate: float, error: float) -> str:
    """Return an estimate and its standard error, which one game alone does not tell."""
    if math.isnan(error):
        return "unknown" if math.isnan(estimate) else f"{estimate:.6f}, standard error unknown"
    return f"{estimate:.6f}, standard error {error:.2g}"
