"""What the program makes of a solution: files, exports, strategies side by side."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory

from attrs import frozen

from dicegames.analysis.export.drn import drn_text
from dicegames.analysis.export.prism import prism_text
from dicegames.analysis.export.process import process_of
from dicegames.analysis.solution import Solution as Solved
from dicegames.analysis.studies.compare import Comparison, compare
from dicegames.authoring.reports.listed_game import listed_game
from dicegames.ground.limits import Limit, Limits
from dicegames.rules.parts.game import Rules
from dicegames.rules.running.playing import Function, played_by
from dicegames.rules.running.referee import Move
from dicegames.rules.running.referee import Position as Played
from tests.analysis.exported import value_of
from tests.analysis.exported_prism import read_prism
from tests.reference.course import Course, Position
from tests.reference.distributions import decisions_met
from tests.reference.objectives import objective
from tests.reference.report import Report
from tests.reference.solving import NoValue, Solution, TooLarge
from tests.reference.strategies import Plays, Speechless, Strategy
from tests.reference.values import Broken

MOST_EXPORTED = 400
"""States of a process that is read back and solved by plain iteration."""


@frozen
class AsFound:
    """Plays the moves of a solution, whatever the others do."""

    solution: Solution

    def move(self, _course: Course, position: Position) -> int:
        return self.solution.chosen[position]


def hold_beside(
    report: Report, rules: Rules, course: Course, ours: Solution, found: Solved
) -> None:
    """Compare all that rests on a solution for the payoff."""
    report.asked("saved and loaded", partial(_kept, report, rules, ours, found))
    report.asked("export", partial(_exported, report, rules, ours, found))
    report.asked("export to PRISM", partial(_written, report, rules, ours, found))
    if ours.is_sure:
        _reported(report, rules, ours)
    if ours.is_sure and course.book.strategies:
        rows = report.asked("compare", partial(compare, rules, threads=1))
        if rows is not None:
            _compared(report, course, ours, rows)


def _kept(report: Report, rules: Rules, ours: Solution, found: Solved) -> None:
    with TemporaryDirectory() as folder:
        path = Path(folder) / "chance.dgs"
        found.save(path)
        kept = Solved.load(path, rules)
    report.hold("saved and loaded", ours.value(), kept.value)
    if rules.players == 1 and any(found.compiled.happenings):
        report.hold("saved and loaded", found.outcomes().joint, kept.outcomes().joint)


def _exported(report: Report, rules: Rules, ours: Solution, found: Solved) -> None:
    """Hold what one seat can get against the others' moves; for one player, the value."""
    players = rules.players
    for seat in range(1, players + 1):
        fixed = {*range(1, players + 1)} - {seat}
        process = process_of(found.compiled, found.solved, fixed, Limits(threads=1))
        if process.states > MOST_EXPORTED:
            continue
        if process.seats < players:  # players who do not affect each other are one
            process = process_of(found.compiled, found.solved, limits=Limits(threads=1))
        at = min(seat, process.seats)
        best = value_of("".join(drn_text(process)), at, least=not found.maximise)
        report.hold("export", ours.value()[seat - 1], best)


def _written(report: Report, rules: Rules, ours: Solution, found: Solved) -> None:
    """Hold a game in the language of PRISM: played by all, and by each seat against the others."""
    text, least = prism_text(rules, "payoff", Limit(MOST_EXPORTED)), not found.maximise
    game, value = read_prism(text), ours.value()
    if ours.is_sure and (right := game.values(least=least)) is not None:
        report.hold("export to PRISM", list(map(str, value)), list(map(str, right)))
    for seat in range(1, rules.players + 1):
        if rules.players > 1:
            best, every = _best_of(found), range(1, rules.players + 1)
            fixed = played_by(rules, tuple(None if each == seat else best for each in every))
            game = read_prism(prism_text(fixed, "payoff", Limit(MOST_EXPORTED)))
        report.hold("export to PRISM", value[seat - 1], game.value(seat, least=least))


def _best_of(found: Solved) -> Function:
    def best(position: Played) -> Move:
        choice = found.best(position)
        assert choice is not None
        return choice.move

    return best


def _reported(report: Report, rules: Rules, ours: Solution) -> None:
    """Hold how many decisions a report counts, and what the second best moves lose in all."""
    listed = listed_game(rules)
    if listed is None:
        return
    try:
        right = decisions_met(ours)
    except NoValue:
        return
    flow = report.asked("report", lambda: listed.best().flow)
    if flow is not None:
        often = flow * listed.counted["decisions"]
        lost = often @ listed.second_loses[listed.listing.source]
        report.hold("report", right, (float(often.sum()), float(lost)))


def exported_value(found: Solved) -> float | None:
    """Return what an exported game of one number is worth, None where it is too large."""
    process = process_of(found.compiled, found.solved, limits=Limits(threads=1))
    if process.states > MOST_EXPORTED:
        return None
    return value_of("".join(drn_text(process)), 1, least=not found.maximise)


def _compared(report: Report, course: Course, ours: Solution, rows: Comparison) -> None:
    """Hold each row of `compare` against the strategy, the other seats playing as they were."""
    goal = objective(course, "payoff")
    for row in rows.rows:
        strategy = Strategy(course.book.strategies[row.strategy])
        every = range(course.book.players)
        others = {seat: AsFound(ours) for seat in every} if row.seat else {}
        own = [row.seat - 1] if row.seat else every
        play: dict[int, Plays] = {**others, **dict.fromkeys(own, strategy)}
        try:
            right = Solution(course, goal, play, ours.most).value()[max(0, row.seat - 1)]
        except (Broken, NoValue, TooLarge, Speechless, KeyError):
            continue
        report.hold("compare", right, row.value)
