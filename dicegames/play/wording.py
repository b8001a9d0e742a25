"""Results, luck and losses in words; a match told event by event, also for programs."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from dicegames.play.judge import GRADES, MARKS, Event, Ledger, Scale
from dicegames.play.match import Match, chance_told
from dicegames.solver.model import TIE

Part = tuple[str, str]
"""A piece of a line, and its style: "" or words such as "bold green"."""

Line = list[Part]
GRADE_STYLES = ("yellow", "dark_orange", "red", "bold red")
LONGEST_ECHO = 120
"""Signs of a line that was typed which are shown again."""


def plain(line: Line) -> str:
    """Return a line without its styles."""
    return "".join(text for text, _ in line)


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
    return [(MARKS[grade] + told, GRADE_STYLES[grade]), (f"; best was {best}", "")]


def event_line(
    match: Match,
    steps: tuple[int, int],
    names: list[str],
    event: Event | None,
    ledger: Ledger | None,
) -> Line:
    """Return what happened in an event (steps from, to), with its luck or loss if it is judged."""
    own = match.steps[steps[0] : steps[1]]
    text = chance_told(own) if own[0].is_throw else own[0].text
    who = f"{names[own[0].seat]}: " if len(names) > 1 else ""
    line: Line = [(f"{who}{text}", "bold")]
    notes = [note for step in own for note in step.after.notes]
    if notes:
        line.append((f" ({', '.join(notes)})", ""))
    if event is None or ledger is None:
        return line
    if event.is_decision:
        return [*line, ("  ", ""), *verdict(event, ledger.scale)]
    if event.options or not ledger.is_whole:
        return line
    return [*line, ("  ", ""), *luck_line(event, ledger.scale)]


def event_lines(match: Match, names: list[str], ledger: Ledger | None) -> list[Line]:
    """Return all events, numbered as one goes to them, turn by turn."""
    turns = [0] * len(names)
    events = match.events()
    wide = len(str(len(events)))
    lines: list[Line] = []
    for number, steps in enumerate(events):
        step = match.steps[steps[0]]
        if step.begins_turn:
            turns[step.seat] += 1
            who = f", {names[step.seat]}" if len(names) > 1 else ""
            lines.append([(f"turn {turns[step.seat]}{who}", "dim")])
        event = ledger.events[number] if ledger is not None else None
        shown = event_line(match, steps, names, event, ledger)
        lines.append([(f"{number + 1:>{wide}}. ", "dim"), *shown])
    return lines


def event_data(match: Match, ledger: Ledger) -> list[dict[str, Any]]:
    """Return every event with its luck, or its options and its loss, for a program."""
    found = []
    for event in ledger.events:
        steps = match.steps[event.first : event.end]
        data: dict[str, Any] = {
            "seat": event.seat + 1,
            "position": str(steps[0].before),
            "expected": list(event.value),
        }
        if steps[0].is_throw:
            luck = event.luck if ledger.is_whole else None
            data |= {"throws": [step.text for step in steps], "luck": luck}
        else:
            grade = ledger.scale.grade(event.loss)
            data |= {
                "move": event.played,
                "best": event.options[0][0] if event.options else None,
                "loss": event.loss,
                "forced": not event.is_decision,
                "grade": GRADES[grade] if grade >= 0 else None,
                "options": [{"move": name, "value": value} for name, value in event.options],
            }
        found.append(data)
    return found


WHOLE = ("start", "luck", "others", "expected")
"""What is known of a player where the result of the game is judged."""


def account_data(ledger: Ledger, seat: int, name: str, spec: str) -> dict[str, Any]:
    """Return what one player's result is made of, for a program."""
    account = ledger.account(seat)
    return {
        "seat": seat + 1,
        "name": name,
        "plays": spec,
        "losses": account.losses,
        **({name: getattr(account, name) for name in WHOLE} if ledger.is_whole else {}),
        "decisions": account.decisions,
        "right": account.right,
        "loss_per_decision": account.losses / account.decisions if account.decisions else None,
        "grades": dict(zip(GRADES, account.grades, strict=True)),
    }
