"""Results, luck and losses in words."""

from __future__ import annotations

from fractions import Fraction

from dicegames.play.judge import GRADES, SIGNS, Event, Scale
from dicegames.solver.model import TIE

Part = tuple[str, str]
"""A piece of a line, and its style: "" or words such as "bold green"."""

Line = list[Part]
GRADE_STYLES = ("yellow", "dark_orange", "red", "bold red")
LONGEST_ECHO = 120
"""Signs of a line that was typed which are shown again."""


def whose(what: str, name: str, players: int) -> str:
    """Return something of a player, who is named where there are several."""
    return what if players == 1 else f"your {what}" if name == "You" else f"{what} of {name}"


def shortened(text: str) -> str:
    """Return what somebody typed, cut short where it is longer than anything one may type."""
    return text if len(text) <= LONGEST_ECHO else f"{text[:LONGEST_ECHO]}..."


def exact(value: Fraction) -> str:
    """Return a result that is reached."""
    return str(value) if value.denominator < 100 else f"{float(value):.6f}"


def luck_line(event: Event, scale: Scale) -> Line:
    """Say what a run of throws changed."""
    style = "green" if event.luck > TIE else "red" if event.luck < -TIE else "dim"
    expected = f", expected {scale.value(event.value[event.seat])}"
    return [("luck ", "dim"), (scale.change(event.luck), style), (expected, "dim")]


def verdict(event: Event, scale: Scale) -> Line:
    """Grade a move, and name the best one if it was another."""
    grade = scale.grade(event.loss)
    if grade < 0:
        return [("best", "green")]
    best = event.options[0][0]
    told = f" {GRADES[grade]}, loses {scale.lost(event.loss)}"
    return [(SIGNS[grade] + told, GRADE_STYLES[grade]), (f"; best was {best}", "")]
