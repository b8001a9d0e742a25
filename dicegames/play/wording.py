"""Results, luck and losses in words, in the unit of the rules."""

from __future__ import annotations

from fractions import Fraction

from attrs import frozen

from dicegames.ground.numbers import percent
from dicegames.play.judge import GRADES, SIGNS, Event, Scale
from dicegames.solver.model import TIE

Part = tuple[str, str]
"""A piece of a line, and its style: "" or words such as "bold green"."""

Line = list[Part]
GRADE_STYLES = ("yellow", "dark_orange", "red", "bold red")
LONGEST_ECHO = 120
"""Signs of a line that was typed which are shown again."""
SMALL = 0.2
"""Thresholds below this ask for more decimals."""


@frozen
class Unit:
    """How results are written, as a share or as a number, and what they are called.

    `span` is said behind a loss that is not one of the whole game: " in this turn".
    """

    is_share: bool = False
    places: int = 2
    title: str = "expected result"
    span: str = ""

    @classmethod
    def of(cls, scale: Scale, *, is_share: bool, title: str) -> Unit:
        """Return the unit of a game: as many decimals as a small loss needs."""
        return cls(is_share, 4 if not is_share and scale.thresholds[0] < SMALL else 2, title)

    def value(self, value: float) -> str:
        """Return an expected result."""
        return percent(value, self.places) if self.is_share else f"{value:z.{self.places}f}"

    def change(self, change: float) -> str:
        """Return a difference of results, with its sign."""
        text = self.value(change)
        if text.strip("-0.%"):
            return text if text.startswith("-") else f"+{text}"
        share, mark = (100, "%") if self.is_share else (1, "")
        return ("0" if abs(change) <= TIE else f"{share * change:+.1e}") + mark

    def amount(self, loss: float) -> str:
        """Return how much was lost."""
        return self.change(loss).lstrip("+")

    def lost(self, loss: float) -> str:
        """Return how much a move lost, and of what."""
        return self.amount(loss) + self.span

    def thresholds(self, scale: Scale) -> str:
        """Say from which losses on a move has which grade."""
        first, second, third = (
            percent(t, None) if self.is_share else f"{t:g}" for t in scale.thresholds
        )
        return f"?! below {first}, ? below {second}, ?? below {third}, ??? from {third}"


def whose(what: str, name: str, players: int) -> str:
    """Return something of a player, who is named where there are several."""
    return what if players == 1 else f"your {what}" if name == "You" else f"{what} of {name}"


def shortened(text: str) -> str:
    """Return what somebody typed, cut short where it is longer than anything one may type."""
    return text if len(text) <= LONGEST_ECHO else f"{text[:LONGEST_ECHO]}..."


def exact(value: Fraction) -> str:
    """Return a result that is reached."""
    return str(value) if value.denominator < 100 else f"{float(value):.6f}"


def luck_line(event: Event, unit: Unit) -> Line:
    """Say what a run of throws changed."""
    style = "green" if event.luck > TIE else "red" if event.luck < -TIE else "dim"
    expected = f", expected {unit.value(event.value[event.seat])}"
    return [("luck ", "dim"), (unit.change(event.luck), style), (expected, "dim")]


def verdict(event: Event, scale: Scale, unit: Unit) -> Line:
    """Grade a move, and name the best one if it was another."""
    grade = scale.grade(event.loss)
    if grade < 0:
        return [("best", "green")]
    best = event.options[0][0]
    told = f" {GRADES[grade]}, loses {unit.lost(event.loss)}"
    return [(SIGNS[grade] + told, GRADE_STYLES[grade]), (f"; best was {best}", "")]
