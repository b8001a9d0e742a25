"""Getting a solution: from a file, or by solving, with a sign of life if that takes long."""

from __future__ import annotations

import sys
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from typing import Any

import click
from attrs import evolve, field, fields, frozen

from dicegames.analysis import solution_cache
from dicegames.analysis.chances.distribution import Distribution
from dicegames.analysis.solution import Solution
from dicegames.analysis.solution_cache import Wanted
from dicegames.cli.executors import crew
from dicegames.cli.printing.output import to_stderr
from dicegames.ground.numbers import percent
from dicegames.loading import Game, solve
from dicegames.rules.running.objectives import Objective, objective_of
from dicegames.rules.running.playing import StrategyError
from dicegames.solver.kernels.compiling import compiling

SILENT_FOR = 1.0
"""Seconds of silence before progress is shown."""
EVERY = 1.0
"""Seconds between two running lines."""
PLAIN_KEY = "dicegames.plain"
"""Under which name a command knows that nothing is redrawn."""


@frozen
class Solving:
    """How a command is to get a solution, as its options say it; None where they say nothing."""

    objective: str = "payoff"
    threads: int | None = None
    memory: int | None = None
    time: float | None = None
    strategy: str | None = None
    by_seat: Mapping[int, str] = field(factory=dict)
    grid: Mapping[str, int] | None = None
    solution: str | None = None
    store: str | None = None
    value_only: bool = False
    executor: str | None = None

    @classmethod
    def taken(cls, asked: dict[str, Any]) -> Solving:
        """Take out of the options of a command what they say of solving."""
        names = [each.name for each in fields(cls) if each.name in asked]
        return cls(**{name: asked.pop(name) for name in names})

    @property
    def aim(self) -> Objective:
        """The objective that is meant; raises ObjectiveError."""
        return objective_of(self.objective)

    @property
    def limits(self) -> dict[str, Any]:
        """What it may take, by name."""
        return {"threads": self.threads, "memory": self.memory, "time": self.time}

    @property
    def playing(self) -> str | Mapping[int, str] | None:
        """What plays, in all seats or by seat."""
        if self.strategy is not None and self.by_seat:
            raise StrategyError("--strategy fills all seats; give either that or --seat")
        return self.by_seat or self.strategy


def solved(game: Game, solving: Solving, *, noted: bool = False) -> Solution:
    """Solve a game, showing progress on a terminal; the solution is kept for the next time."""
    playing, in_folder = solving.playing, solving.store is not None
    with (
        crew(solving.executor, solving.threads) as (executor, workers),
        progress(f"Solving {game.title}", left=in_folder) as report,
        _going_on(solving.store),
    ):
        found = solve(
            game, solving.objective, strategy=playing, grid=solving.grid, noted=noted,
            threads=workers, memory=solving.memory, time=solving.time, progress=report,
            store=solving.store, value_only=solving.value_only, executor=executor,
        )  # fmt: skip
    if not noted and not in_folder:
        _keep(wanted(game, solving), found)
    return found


@contextmanager
def _going_on(store: str | None) -> Iterator[None]:
    """Tell whoever interrupts a solve into a folder that nothing is lost."""
    try:
        yield
    except KeyboardInterrupt:
        if store is not None:
            to_stderr(f"\nwhat is done is in {store}, and the same command goes on from there")
        raise


def _keep(asked: Wanted, found: Solution) -> None:
    """Keep a solution while the command goes on; at its end it waits for that."""
    command = click.get_current_context(silent=True)
    if command is None:  # somebody solves in the background of one
        solution_cache.keep(asked, found)
        return
    keeping = command.with_resource(ThreadPoolExecutor(1)).submit(solution_cache.keep, asked, found)
    command.call_on_close(keeping.result)


def known(game: Game, solving: Solving) -> Solution | None:
    """Return a solution that is kept from the last time, None if there is none."""
    with progress(f"Reading the solution of {game.title}"):
        return solution_cache.find(wanted(game, solving))


def wanted(game: Game, solving: Solving) -> Wanted:
    """Return under what the solution is kept that is asked for."""
    return Wanted(game.rules, solving.objective, solving.playing, solving.grid, solving.time)


def obtained(game: Game, solving: Solving) -> Solution:
    """Return the solution from the file that is given, or one that is kept, or solve the game."""
    if solving.solution is None:
        return known(game, solving) or solved(game, solving)
    if solving.strategy is not None or solving.by_seat:
        raise StrategyError("a saved solution plays its own way; give --solution or a strategy")
    return Solution.load(solving.solution, game.rules, solving.objective)


def spreads(game: Game, solution: Solution, solving: Solving) -> list[Distribution]:
    """Return the distributions of a solution, from the last time if they are kept."""
    asked = wanted(game, evolve(solving, objective=solution.objective)).exactly
    own = solving.solution is None  # what another solution brings is not kept
    found = solution_cache.find_distributions(asked) if own else None
    if found is None:
        with progress("Finding the distribution") as report:
            found = solution.distributions(threads=solving.threads, progress=report)
        if own:
            solution_cache.keep_distributions(asked, found)
    return found


class Running:
    """Tells how far games are: to the bar of a terminal, else in a line now and then."""

    def __init__(self, report: Callable[[float, float], None]) -> None:
        self._report, self._last = report, time.perf_counter()

    def __call__(self, done: float, total: float) -> None:
        self._report(done, total)
        now = time.perf_counter()
        if not sys.stderr.isatty() and now - self._last >= EVERY and done < total:
            to_stderr(f"{done:,.0f} of {total:,.0f} games")
            self._last = now


@contextmanager
def progress(what: str, *, left: bool = False) -> Iterator[Callable[[float, float], None]]:
    """Show on a terminal that work goes on, once it takes longer than a second.

    `left`: and how much time it will still take, where steps take about the same time.
    """
    state: dict[str, Any] = {"done": 0.0, "total": 0.0, "plain": _is_plain()}

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


def redraw_nothing() -> None:
    """Have the command that runs tell in lines that it is at work."""
    if (command := click.get_current_context(silent=True)) is not None:
        command.meta[PLAIN_KEY] = True


def _is_plain() -> bool:
    command = click.get_current_context(silent=True)
    return command is not None and bool(command.params.get("plain") or command.meta.get(PLAIN_KEY))


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

    screen = Console(stderr=True)
    if state["plain"] or screen.is_dumb_terminal:
        _tell_in_lines(what, state, ended)
        return
    columns: list[ProgressColumn] = [TextColumn("{task.description}"), BarColumn(bar_width=24)]
    columns += [TextColumn("left"), TimeRemainingColumn()] if left else [TimeElapsedColumn()]
    with Progress(*columns, console=screen, transient=True) as bar:
        task = bar.add_task(what, total=None)
        while not ended.wait(0.1):
            busy = compiling()
            bar.update(task, description=what if busy is None else f"{busy.value} ...")
            if state["total"]:
                bar.update(task, completed=state["done"], total=state["total"])


def _tell_in_lines(what: str, state: dict[str, Any], ended: threading.Event) -> None:
    """Tell how far work is where nothing can be redrawn: each line after twice the time."""
    passed = SILENT_FOR
    while True:
        busy = compiling()
        share = f", {percent(state['done'] / state['total'], 0)}" if state["total"] else ""
        to_stderr(f"{what if busy is None else busy.value} ... {passed:.0f} s{share}")
        if ended.wait(passed):
            return
        passed *= 2
