"""Getting a solution: from a file, or by solving, with a sign of life if that takes long."""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from typing import Any

import click

from dicegames.analysis import solution_cache
from dicegames.analysis.chances.distribution import Distribution
from dicegames.analysis.solution import Solution
from dicegames.analysis.solution_cache import Wanted
from dicegames.cli.executors import crew
from dicegames.loading import Game, solve
from dicegames.rules.running.playing import StrategyError
from dicegames.solver.kernels.compiling import compiling

SILENT_FOR = 1.0
"""Seconds of silence before progress is shown."""


def solved(game: Game, objective: str, solving: Mapping[str, Any]) -> Solution:
    """Solve a game, showing progress on a terminal; the solution is kept for the next time."""
    limits, playing = players(solving)
    in_folder = limits.get("store") is not None
    with crew(limits.pop("executor", None), limits.get("threads")) as (executor, workers):
        limits |= {"executor": executor, "threads": workers}
        with progress(f"Solving {game.title}", left=in_folder) as report:
            found = solve(game, objective, strategy=playing, progress=report, **limits)
    if not limits.get("noted") and not in_folder:
        _keep(wanted(game, objective, solving), found)
    return found


def _keep(asked: Wanted, found: Solution) -> None:
    """Keep a solution while the command goes on; at its end it waits for that."""
    command = click.get_current_context(silent=True)
    if command is None:  # somebody solves in the background of one
        solution_cache.keep(asked, found)
        return
    keeping = command.with_resource(ThreadPoolExecutor(1)).submit(solution_cache.keep, asked, found)
    command.call_on_close(keeping.result)


def known(game: Game, objective: str, solving: Mapping[str, Any]) -> Solution | None:
    """Return a solution that is kept from the last time, None if there is none."""
    with progress(f"Reading the solution of {game.title}"):
        return solution_cache.find(wanted(game, objective, solving))


def wanted(game: Game, objective: str, solving: Mapping[str, Any]) -> Wanted:
    """Return under what the solution is kept that is asked for."""
    limits, playing = players(solving)
    return Wanted(game.rules, objective, playing, limits.get("grid"), limits.get("time"))


def players(solving: Mapping[str, Any]) -> tuple[dict[str, Any], str | dict[int, str] | None]:
    """Take what plays, as --strategy and --seat say it, out of the options of solving."""
    limits = dict(solving)
    strategy, by_seat = limits.pop("strategy", None), limits.pop("by_seat", None)
    if strategy is not None and by_seat:
        raise StrategyError("--strategy fills all seats; give either that or --seat")
    return limits, by_seat or strategy


def obtained(game: Game, objective: str, solving: Mapping[str, Any]) -> Solution:
    """Return the solution from the file that is given, or one that is kept, or solve the game."""
    limits = dict(solving)
    path = limits.pop("solution", None)
    if path is None:
        return known(game, objective, limits) or solved(game, objective, limits)
    if limits.get("strategy") is not None or limits.get("by_seat"):
        raise StrategyError("a saved solution plays its own way; give --solution or a strategy")
    return Solution.load(path, game.rules, objective)


def spreads(game: Game, solution: Solution, solving: Mapping[str, Any]) -> list[Distribution]:
    """Return the distributions of a solution, from the last time if they are kept."""
    asked = wanted(game, solution.objective, solving).exactly
    own = solving.get("solution") is None  # what another solution brings is not kept
    found = solution_cache.find_distributions(asked) if own else None
    if found is None:
        with progress("Finding the distribution") as report:
            found = solution.distributions(threads=solving.get("threads"), progress=report)
        if own:
            solution_cache.keep_distributions(asked, found)
    return found


@contextmanager
def progress(what: str, *, left: bool = False) -> Iterator[Callable[[float, float], None]]:
    """Show on a terminal that work goes on, once it takes longer than a second.

    `left`: and how much time it will still take, where steps take about the same time.
    """
    state: dict[str, Any] = {"done": 0.0, "total": 0.0}

    def report(done: float, total: float) -> None:
        state["done"], state["total"] = done, total

    if not sys.stderr.isatty():
        yield report
        return
    ended = threading.Event()
    watcher = threading.Thread(target=_watch, args=(what, state, ended, left), daemon=True)
    watcher.start()
    try:
        yield report
    finally:
        ended.set()
        watcher.join()


def _watch(what: str, state: dict[str, Any], ended: threading.Event, left: bool) -> None:  # noqa: FBT001 - called by a thread
    if ended.wait(SILENT_FOR):
        return
    from rich.console import Console  # noqa: PLC0415 - quick answers go without it
    from rich.progress import (  # noqa: PLC0415
        BarColumn,
        Progress,
        ProgressColumn,
        TextColumn,
        TimeElapsedColumn,
        TimeRemainingColumn,
    )

    columns: list[ProgressColumn] = [TextColumn("{task.description}"), BarColumn(bar_width=24)]
    columns += [TextColumn("left"), TimeRemainingColumn()] if left else [TimeElapsedColumn()]
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task(what, total=None)
        while not ended.wait(0.1):
            busy = compiling()
            bar.update(task, description=what if busy is None else f"{busy.value} ...")
            if state["total"]:
                bar.update(task, completed=state["done"], total=state["total"])
