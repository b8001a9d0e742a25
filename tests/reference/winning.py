"""The chance to win against players of the best mean: it lies within the bounds that are told."""

from __future__ import annotations

from fractions import Fraction
from functools import partial

from attrs import frozen

import dicegames
from dicegames.analysis.to_win.winning import WinSolution
from dicegames.rules.parts.game import Rules
from dicegames.rules.running.referee import Position as Played
from tests.reference.beside import AsFound
from tests.reference.course import Course, Position, Way
from tests.reference.objectives import Objective, Values
from tests.reference.report import Report
from tests.reference.settlement import payoffs
from tests.reference.solving import NoValue, Solution, TooLarge
from tests.reference.values import Broken


@frozen
class ToWin(Objective):
    """To get the best payoff of all; a tie is shared."""

    least: bool = False
    """Whether the best payoff is the least; the chance itself is to be large."""

    @property
    def by_seat(self) -> bool:
        return True

    def at_end(self, course: Course, position: Position) -> Values:
        got = payoffs(course.view_of(position.cells))
        best = (min if self.least else max)(got)
        return tuple(Fraction(int(each == best), got.count(best)) for each in got)


def hold_winning(
    report: Report, rules: Rules, course: Course, mean: Solution, met: list[tuple[Way, Played]]
) -> None:
    """Hold the bounds against each player's best answer, the others playing as in `mean`."""
    found = report.asked("win", partial(dicegames.solve, dicegames.Game(rules), "win"))
    if not isinstance(found, WinSolution):  # refused, or the rules play for it
        return
    wanted = ToWin("win", maximise=True, least=not mean.objective.maximise)
    for seat in range(rules.players):
        others = {each: AsFound(mean) for each in range(rules.players) if each != seat}
        best = Solution(course, wanted, others, mean.most)
        try:
            best.value()
            right = [(p, best.value_of(way)[seat]) for way, p in met if way.to in best.values]
        except (Broken, NoValue, TooLarge):
            return
        for played, chance in right:
            bounds = report.asked("win", partial(found.range_of, played))
            if bounds is not None:
                low, high = (each[seat] for each in bounds)
                off = found.error_bound
                report.hold("chance to win", chance, min(max(chance, low - off), high + off))
