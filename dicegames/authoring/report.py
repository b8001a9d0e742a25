"""What a game is like: what it is worth to whom, how much is skill, which decisions matter.

Every table says where its numbers come from: exact ones are those of the solved model, estimated
ones are means over games that were played by best play, with a seed; what a move loses is exact in
either case.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from random import Random
from time import monotonic
from typing import Any

import numpy as np
from attrs import frozen

from dicegames.analysis.chances.distribution import Distribution
from dicegames.analysis.solution import Solution, SolutionError, solve_game
from dicegames.analysis.studies.compare import compare
from dicegames.authoring.boxes import Filled
from dicegames.authoring.decisions import Decision, Met
from dicegames.authoring.statistics import wins
from dicegames.authoring.table import Table
from dicegames.authoring.words import with_lines
from dicegames.compiler.limits import LimitReached, Limits
from dicegames.ground.arguments import expect_whole
from dicegames.ground.diagnostic import RulesError
from dicegames.rules.check import check
from dicegames.rules.parts.flow import Choose
from dicegames.rules.parts.game import Game, HasRules, rules_of
from dicegames.rules.running.objectives import ObjectiveError
from dicegames.rules.running.playing import StrategyError

Progress = Callable[[float, float], None]
GREEDY = "Best turn"
MOST_DECISIONS = 20_000
LONGEST = 20.0
"""Seconds for the games that are played."""
REAL = 0.01
"""The least loss of the second best move of a decision that matters, in standard deviations."""
HARDEST = 5
EXACT, ESTIMATED = "exact", "estimated"


@frozen
class Section:
    """A table of a report: whether its numbers are exact or estimated, and from what."""

    name: str
    basis: str
    source: str
    table: Table


@frozen
class Report:
    """What a game is like. `notes` say what could not be told, and why."""

    title: str
    objective: str
    options: dict[str, Any]
    sections: tuple[Section, ...]
    distributions: tuple[Distribution, ...]
    notes: tuple[str, ...]
    seed: int

    def section(self, name: str) -> Section:
        """Return a section by its name."""
        return next(section for section in self.sections if section.name == name)

    def to_frame(self, library: str | None = None) -> dict[str, Any]:
        """Return a data frame for each section, by name; see `Table.to_frame`."""
        return {section.name: section.table.to_frame(library) for section in self.sections}

    def _repr_html_(self) -> str:
        parts = [section.table._repr_html_() for section in self.sections]
        return "\n".join(parts)


def report(
    game: Game | HasRules,
    objective: str = "payoff",
    *,
    games: int = 500,
    seed: int = 1,
    threads: int | None = None,
    progress: Progress | None = None,
) -> Report:
    """Return what a game is like; raises SolutionError where it cannot be solved.

    Args:
        game: what `load` returns.
        objective: as for `solve`.
        games: how many are played for what is estimated; fewer where that takes too long.
        seed: of their dice.
        threads: how many to use; all cores if not given.
        progress: called with (steps done, all steps) now and then.
    """
    expect_whole(games, "the number of games", 1)
    expect_whole(seed, "the seed", 0)
    rules = rules_of(game)
    step = progress or (lambda done, total: None)
    step(0, 4)
    solution = solve_game(rules, objective, threads=threads)
    step(1, 4)
    notes: list[str] = []
    found = _distributions(solution, threads, notes)
    sections = [_game(solution), _seats(solution, found)]
    step(2, 4)
    sections += _strategies(rules, objective, threads, notes)
    step(3, 4)
    spread = found[0].sd if found else 1.0
    sections += _Watch(solution, seed, REAL * spread).sections(games, notes)
    step(4, 4)
    return Report(
        rules.title,
        objective,
        rules.option_values(),
        tuple(sections),
        tuple(found),
        tuple(notes),
        seed,
    )


def _distributions(solution: Solution, threads: int | None, notes: list[str]) -> list[Distribution]:
    try:
        return solution.distributions(threads=threads)
    except SolutionError as error:
        notes.append(f"the distribution of results is not known: {error}")
        return []


def _game(solution: Solution) -> Section:
    rows = (
        ("players", solution.game.players),
        ("states that can come up", solution.states_reachable),
        ("error bound of values", solution.error_bound),
    )
    table = Table("The game", ("what", "number"), rows)
    return Section("game", EXACT, f"the model, solved by {solution.method}", table)


def _seats(solution: Solution, found: list[Distribution]) -> Section:
    """Return what each seat gets when all play best."""
    values = solution.value if isinstance(solution.value, tuple) else (solution.value,)
    columns: tuple[str, ...] = ("seat", "value", "sd", "p5", "p50", "p95", "least", "most")
    if wins(solution):
        columns = ("seat", "value", "wins", "ties")
    rows = []
    for number, value in enumerate(values):
        one = found[min(number, len(found) - 1)] if found else None
        more: list[Any] = [None] * (len(columns) - 2)
        if one is not None and wins(solution):
            tie = float(one.masses[(one.values > 0) & (one.values < 1)].sum())
            more = [one.probability(1.0), tie]
        elif one is not None:
            more = [one.sd, *(one.percentile(p) for p in (5, 50, 95)), one.minimum, one.maximum]
        rows.append((number + 1, value, *more))
    table = Table("By seat, all playing best", columns, tuple(rows))
    return Section("seats", EXACT, "values and distributions of the solved model", table)


def _strategies(
    rules: Game, objective: str, threads: int | None, notes: list[str]
) -> list[Section]:
    """Return what is lost by strategies, and by thinking of nothing but the turn."""
    own = {} if GREEDY in rules.strategies else {GREEDY: ["otherwise: best turn"]}
    source = with_lines(rules.source, own)
    rows = []
    try:
        game = check(source, rules.option_values(), thorough=False)
    except RulesError as error:
        notes.append(f'"{GREEDY}" is not compared: {error.diagnostics[0].message}')
        game = rules
    for name in game.strategies:
        try:
            found = compare(game, objective, [name], threads=threads, limits=Limits(LONGEST))
        except (SolutionError, LimitReached, StrategyError, ObjectiveError) as error:
            notes.append(f'"{name}" is not compared: {error}')
        except RulesError as error:
            notes.append(f'"{name}" is not compared: {error.diagnostics[0].message}')
        else:
            rows += [(row.strategy, row.seat or 1, row.value, row.loss) for row in found.rows]
    if not rows:
        return []
    columns = ("strategy", "seat", "value", "loss")
    table = Table("What a strategy loses against best play", columns, tuple(rows))
    return [Section("skill", EXACT, "the laws of play, the others playing best", table)]


class _Watch:
    """Games played by best play, and what is seen in them."""

    def __init__(self, solution: Solution, seed: int, real: float) -> None:
        self.solution = solution
        self.real = real
        self.met = Met(solution, Random(seed))  # noqa: S311 - repeatable
        self.of_game: Counter[str] = Counter()
        self.filled = Filled.of(solution.game)
        if self.filled is not None:
            self.met.watch = self.filled.step

    def sections(self, games: int, notes: list[str]) -> list[Section]:
        """Play, and return how many decisions matter, which, and how often moves are made."""
        counts: list[tuple[int, int]] = []
        until = monotonic() + LONGEST
        while len(counts) < games and monotonic() < until:
            self.of_game = Counter()
            if self.filled is not None:
                self.filled.begin()
            if not self.met.play(self._choose, 1, MOST_DECISIONS, until):
                break
            counts.append((self.of_game["decisions"], self.of_game["real"]))
        if not counts or not self.met.decisions:
            notes.append("nothing is chosen in this game")
            return []
        told = f"{len(counts)} games by best play"
        found = [self._length(np.array(counts, float)), *self._decisions(len(counts))]
        if self.filled is not None:
            found.append(("boxes", self.filled.table(len(counts))))
        return [Section(name, ESTIMATED, told, table) for name, table in found]

    def _choose(self, decision: Decision) -> int:
        self.of_game["decisions"] += 1
        self.of_game["real"] += _second(decision) > self.real
        return int(np.argmin(decision.losses))

    def _length(self, counts: Any) -> tuple[str, Table]:
        errors = counts.std(axis=0, ddof=1 if len(counts) > 1 else 0) / np.sqrt(len(counts))
        kinds = ("decisions", f"of these with more than {self.real:.3g} at stake")
        rows = tuple(
            (kind, float(mean), float(error))
            for kind, mean, error in zip(kinds, counts.mean(axis=0), errors, strict=True)
        )
        table = Table("Decisions in a game", ("what", "number", "standard error"), rows)
        return "decisions", table

    def _decisions(self, games: int) -> list[tuple[str, Table]]:
        times = self.met.weights() / games
        played: Counter[str] = Counter()
        at_stake: Counter[str] = Counter()
        hardest = []
        flow = self.solution.game.flow
        labels: dict[str, None] = {}
        for instruction in flow:
            if isinstance(instruction, Choose):
                labels |= dict.fromkeys(_label(option) for option in instruction.options)
        for decision, often in zip(self.met.decisions, times, strict=True):
            chosen = decision.legal[int(np.argmin(decision.losses))]
            option = next(o for o, move, _ in decision.offered if move is chosen)
            label = _label(option)
            labels.setdefault(label)
            played[label] += often
            at_stake[label] += often * _second(decision)
            if _second(decision) > self.real:
                hardest.append((_second(decision), decision, chosen.label))
        rows = tuple((label, float(played[label]), float(at_stake[label])) for label in labels)
        moves = Table(
            "Moves of best play, in a game", ("move", "made", "lost by the second best"), rows
        )
        hardest.sort(key=lambda each: each[0])
        shown = tuple((str(d.position), best, loss) for loss, d, best in hardest[:HARDEST])
        closest = Table(
            "The closest decisions that matter", ("position", "best", "second loses"), shown
        )
        return [("moves", moves), ("closest", closest)]


def _second(decision: Decision) -> float:
    """Return what the second best move of a decision loses."""
    return float(np.partition(decision.losses, 1)[1])


def _label(option: Any) -> str:
    return option.label or " and ".join(option.names)
