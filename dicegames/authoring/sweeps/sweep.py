"""A game under many settings of its rules: a table with numbers of each.

Settings are independent of each other: each is a task for an executor (`concurrent.futures`), whose
function and arguments can be sent to another process or machine. The rules are parsed once in each
process. What is kept is not solved again.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import CancelledError, Executor, ThreadPoolExecutor
from functools import partial
from threading import Event
from time import perf_counter
from typing import Any

from attrs import define, evolve, field, frozen

from dicegames.analysis.saved.identity import digest, rules_hash
from dicegames.analysis.solution import SolutionError, solve_game
from dicegames.authoring.sweeps.kept_numbers import KeptNumbers, program_key
from dicegames.authoring.sweeps.statistics import (
    EACH_SEAT,
    Number,
    Statistic,
    combinations,
    numbers,
    values_of,
)
from dicegames.ground.arguments import OnProgress, expect, expect_many
from dicegames.ground.diagnostic import RulesError
from dicegames.ground.limits import UNLIMITED, Limits
from dicegames.ground.source import Source
from dicegames.ground.table import Table, Tabled, columns_of
from dicegames.rules.check import check
from dicegames.rules.parts.game import HasRules, Rules, rules_of
from dicegames.rules.parts.types import Value
from dicegames.rules.running.objectives import ObjectiveError, objective_of
from dicegames.solver.blocks.tasks import in_turn
from dicegames.solver.kernels.compilers import available_threads

STATISTICS = ("value",)
SEAT = " of seat"


@frozen
class SettingTask:
    """One setting: all that is needed to find its numbers, wherever that is done."""

    source: Source
    options: Mapping[str, Any]
    objective: str
    statistics: tuple[Statistic, ...]
    limits: Limits


@frozen
class Point:
    """A setting and what was found: numbers by name, or why there are none."""

    options: Mapping[str, Any]
    numbers: Mapping[str, Number]
    problem: str = ""


@frozen
class Sweep(Tabled):
    """A game under many settings.

    `unit` says what values are. `varied` are the options that have several values; `solved` and
    `kept` how many points were solved, and how many were known before. `seconds` is the time it
    took.
    """

    title: str
    objective: str
    unit: str
    varied: tuple[str, ...]
    points: tuple[Point, ...] = field(repr=False)
    solved: int
    kept: int
    seconds: float

    @property
    def table(self) -> Table:
        """The settings that vary and their numbers, one row for each setting.

        Where there are numbers by seat, one for a single player is that of seat 1.
        """
        names = columns_of(point.numbers for point in self.points)
        by_seat = {name.partition(SEAT)[0] for name in names if SEAT in name}
        found = [
            {f"{n}{SEAT} 1" if n in by_seat else n: value for n, value in point.numbers.items()}
            for point in self.points
        ]
        names = columns_of(found)
        kinds = columns_of([name.partition(SEAT)[0]] for name in names)
        names = tuple(sorted(names, key=lambda name: kinds.index(name.partition(SEAT)[0])))
        problem = ("problem",) if any(point.problem for point in self.points) else ()
        rows = [
            (
                *(point.options[name] for name in self.varied),
                *(told.get(name) for name in names),
                *(point.problem or None for _ in problem),
            )
            for point, told in zip(self.points, found, strict=True)
        ]
        return Table(self.title, (*self.varied, *names, *problem), tuple(rows))


def find(task: SettingTask, stop: Event | None = None, limits: Limits = UNLIMITED) -> Point:
    """Return the numbers of one setting; what cannot be solved has none, and says why.

    No more time is taken than the limits leave.
    """

    def look(_done: float, _total: float) -> None:
        if stop is not None and stop.is_set():
            raise CancelledError

    try:
        look(0.0, 0.0)
        game = check(task.source, task.options, thorough=False)
        own = evolve(task.limits, time=limits.left, began=perf_counter(), progress=look)
        solution = solve_game(game, task.objective, limits=own)
        found = numbers(solution, task.statistics, own.threads)
    except RulesError as error:
        return Point(task.options, {}, error.diagnostics[0].message)
    except (SolutionError, ObjectiveError) as error:
        return Point(task.options, {}, str(error))
    return Point(task.options, found)


def sweep(
    game: Rules | HasRules,
    options: Mapping[str, Any],
    objective: str = "payoff",
    statistics: Sequence[str] = STATISTICS,
    *,
    kept: KeptNumbers | None = None,
    executor: Executor | None = None,
    workers: int | None = None,
    memory: int | None = None,
    time: float | None = None,
    progress: OnProgress | None = None,
) -> Sweep:
    """Return the numbers of a game under all combinations of settings.

    Raises OptionError for options or values that are not there, StatisticError, ObjectiveError.
    All that may be asked for is a parameter, since people type it.

    Args:
        game: what `load` returns; its options hold where none are named.
        options: the values of each option: several, one, or text such as "0..100:5".
        objective: as for `solve`.
        statistics: which numbers, see `dicegames.authoring.sweeps.statistics`.
        kept: what is known already, and where more is kept; `KeptNumbers(path)` is a file.
        executor: what runs the settings, as `concurrent.futures` has it; threads if not given.
        workers: how many settings at once; as many as there are cores if not given.
        memory: the most bytes that all tables together may take. What does not fit beside others
            is solved alone.
        time: the most seconds that all settings may take, where threads solve them; those that do
            not fit have no numbers.
        progress: called with (settings done, all settings) now and then.
    """
    limits, rules = Limits(time, memory, workers), rules_of(game)
    expect(options, Mapping, "the values by option, such as {'tiles': '4..6'},")
    expect_many(statistics, "statistics")
    asked = tuple(Statistic.parse(each) for each in statistics)
    varied, settings = combinations(canonical(rules, options))
    search = Sweeper(rules, objective, asked, kept or KeptNumbers(), executor, limits)
    points = search.points(settings, progress)
    counts = (search.solved, len(points) - search.solved)
    told = (rules.title, objective, objective_of(objective).unit(rules))
    return Sweep(*told, tuple(varied), tuple(points), *counts, perf_counter() - limits.began)


def demand_drawn(varied: Sequence[str]) -> None:
    """Raise SolutionError where more options vary than can be drawn, or none."""
    if not 1 <= len(varied) <= 2:
        message = f"one option or two can be drawn, and {len(varied)} vary; "
        raise SolutionError(message + "--csv writes them all")


def canonical(rules: Rules, options: Mapping[str, Any]) -> dict[str, list[Value]]:
    """Return the values of options as the rules know them; OptionError, before any work."""
    found = {}
    for name, wanted in options.items():
        texts = values_of(name, wanted)
        games = (check(rules.source, {name: text}, thorough=False) for text in texts)
        found[name] = list(dict.fromkeys(game.option_values()[name] for game in games))
    return found


@define
class Sweeper:
    """Finds the numbers of settings of one game; `solved` counts those that were not known.

    The threads of the limits are how many settings are solved at once.
    """

    rules: Rules
    objective: str
    statistics: tuple[Statistic, ...]
    kept: KeptNumbers = field(factory=KeptNumbers)
    executor: Executor | None = None
    limits: Limits = UNLIMITED
    solved: int = 0
    program: str = field(factory=program_key)
    _rules_hash: str = field(init=False)

    def __attrs_post_init__(self) -> None:
        self._rules_hash = rules_hash(self.rules)

    def points(
        self, settings: Sequence[Mapping[str, Value]], progress: OnProgress | None = None
    ) -> list[Point]:
        """Return what is found of each setting, in their order; in part if interrupted."""
        if objective_of(self.objective).compares(self.rules):
            message = "settings are not swept for the chance to be first: take --objective payoff, "
            raise ObjectiveError(message + "or solve one setting, dicegames solve --objective win")
        found: dict[int, Point] = {}
        tasks: dict[int, SettingTask] = {}
        workers = min(self.limits.threads or available_threads(), max(1, len(settings)))
        for number, setting in enumerate(settings):
            task = self._task(setting, workers)
            point = self._known(task)
            if point is None:
                tasks[number] = task
            else:
                found[number] = point
        report = progress or (lambda done, total: None)
        again = {}
        for number, point in self._run(tasks, workers):
            if point.problem and self.limits.memory is not None and workers > 1:
                alone = Limits(memory=self.limits.memory, threads=workers)
                again[number] = evolve(tasks[number], limits=alone)
            else:
                found[number] = self._keep(tasks[number], point)
            report(len(found), len(settings))
        for number, point in self._run(again, 1):
            found[number] = self._keep(again[number], point)
            report(len(found), len(settings))
        return [found[number] for number in range(len(settings))]

    def _task(self, setting: Mapping[str, Value], workers: int) -> SettingTask:
        options = {**self.rules.option_values(), **setting}
        threads = max(1, available_threads() // workers)
        share = None if self.limits.memory is None else self.limits.memory // workers
        limits = Limits(memory=share, threads=threads)
        return SettingTask(self.rules.source, options, self.objective, self.statistics, limits)

    def _key(self, task: SettingTask) -> str:
        return digest([self.program, self._rules_hash, dict(task.options), self.objective])

    def _known(self, task: SettingTask) -> Point | None:
        """Return what is kept of a setting, None if some of it is missing."""
        known = self.kept.get(self._key(task))
        found: dict[str, Number] = {}
        for statistic in self.statistics:
            names = [str(statistic)]
            if statistic == EACH_SEAT and str(statistic) not in known:
                names = [name for name in known if name.startswith(f"{EACH_SEAT} of seat ")]
            if not names or any(name not in known for name in names):
                return None
            found |= {name: known[name] for name in names}
        return Point(task.options, found)

    def _keep(self, task: SettingTask, point: Point) -> Point:
        self.solved += 1
        if not point.problem:
            self.kept.put(self._key(task), point.numbers)
        return point

    def _run(self, tasks: Mapping[int, SettingTask], workers: int) -> Iterator[tuple[int, Point]]:
        """Yield what is found, as it is found; whoever stops asking stops the search."""
        if not tasks:
            return
        if self.executor is not None:
            yield from in_turn(self.executor, find, tasks, workers)
            return
        stop = Event()
        by_thread = partial(find, stop=stop, limits=self.limits)
        with ThreadPoolExecutor(workers) as pool:
            try:
                yield from in_turn(pool, by_thread, tasks, workers)
            finally:
                stop.set()
