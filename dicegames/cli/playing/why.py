"""Why a move is better than another one, in words."""

from __future__ import annotations

from collections import Counter
from contextlib import suppress
from typing import Any

from dicegames.analysis.solution import Solution
from dicegames.analysis.solving.reasons import Pair, Part, Why
from dicegames.cli.printing.output import counted, to_stderr
from dicegames.cli.solving import progress
from dicegames.cli.watch import within
from dicegames.ground.errors import DicegamesError
from dicegames.ground.limits import LimitReached
from dicegames.ground.numbers import percent
from dicegames.play.judge import Ledger, Scale
from dicegames.play.match import Match
from dicegames.play.wording import Line
from dicegames.rules.running.referee import Move, Position

REASONS_SECONDS = 20.0
"""Seconds for which a player waits for what pays; then it is told how the turn may end."""
REASONS_TOLD = 8
"""Parts that are told one by one."""
SEEN = 0.001
"""What differs by less is told as equal, or among the smaller parts."""
ONCE = 1 + 1e-9


def explained(solution: Solution, position: Position, instead: Move | str | None = None) -> Why:
    """Return why the best move is better than another one, showing that work goes on."""
    with progress("Looking at what pays, Ctrl-C stops"):
        return solution.why(position, instead)


def found_soon(solution: Solution, position: Position, instead: Move | str | None) -> Why:
    """Return the same, by how the turn may end where it takes longer than a player waits."""
    with suppress(LimitReached), within(REASONS_SECONDS):
        return explained(solution, position, instead)
    return solution.why(position, instead, by_turn=True)


def told(ledger: Ledger, position: Position, instead: Move | None) -> list[Line]:
    """Return the same as lines, by the judge of a ledger; Ctrl-C ends the waiting."""
    solution: Any = ledger.judge
    try:
        return reason_lines(found_soon(solution, position, instead), ledger.scale)
    except KeyboardInterrupt:
        return reason_lines(solution.why(position, instead, by_turn=True), ledger.scale)


def reasons_of(match: Match, ledger: Ledger) -> dict[int, Why]:
    """Return why the best move was better, by event, for mistakes that were judged so.

    Values have no parts where only turns are judged: what is missing, and why, is said on the
    standard error stream.
    """
    found: dict[int, Why] = {}
    missing: Counter[str] = Counter()
    judge = ledger.judge
    if not isinstance(judge, Solution):
        to_stderr("no reasons: what judges this game has values only, no parts of them")
        return found
    with progress("Looking at the mistakes"):
        for number, event in enumerate(ledger.events):
            if not event.is_decision or event.loss < ledger.scale.thresholds[0]:
                continue
            position = match.steps[event.first].before
            try:
                found[number] = found_soon(judge, position, event.played)
            except DicegamesError as error:
                missing[str(error)] += 1
    for message, count in missing.items():
        to_stderr(f"no reasons for {counted(count, 'mistake')}: {message}")
    return found


def reason_lines(why: Why, scale: Scale) -> list[Line]:
    """Return a heading, and a line for each part of the difference, the largest first."""
    small = SEEN * max(1e-6, min(1.0, abs(why.difference)))  # of the difference, or of a point
    seen = [part for part in why.parts if abs(part.difference) > small]
    told = seen[:REASONS_TOLD] if len(seen) > REASONS_TOLD + 1 else seen
    lines: list[Line] = [_heading(why, scale)]
    lines += [[("  by how this turn may end", "dim")]] if why.by_turn else []
    changes = [scale.change(part.difference) for part in told]
    if left := len(seen) - len(told):
        rest = sum(part.difference for part in why.parts if part not in told)
        changes.append(scale.change(rest))
    wide = max(map(len, changes), default=0)
    for part, change in zip(told, changes, strict=False):
        style = "green" if (part.difference > 0) == why.maximise else "red"
        lines.append([(f"  {change:>{wide}}  ", style), (_told(part, scale), "")])
    if left:
        lines.append([(f"  {changes[-1]:>{wide}}  {left} smaller parts together", "dim")])
    return lines + _beside(why)


def _heading(why: Why, scale: Scale) -> Line:
    if not scale.change(why.difference).strip("+-0.%"):
        return [(f"{why.move} and {why.instead} are worth the same", "bold")]
    change = scale.amount(why.difference).lstrip("-")
    how = "more" if why.difference > 0 else "less"
    return [(f"{why.move} rather than {why.instead}: {change} {how}", "bold")]


def _told(part: Part, scale: Scale) -> str:
    """Say what one thing pays with either move, and how likely where that differs."""
    one, two = part.paid
    text = f"{part.what}: {scale.value(one)}{_when(part, 0)} instead of {scale.value(two)}"
    text += _when(part, 1)
    same = max(abs(one - part.times[0]), abs(two - part.times[1])) < SEEN  # it is a chance itself
    once = max(part.times) <= ONCE
    if once and not same and abs(part.times[0] - part.times[1]) > SEEN:
        text += f" ({chances(part.times)})"
    return text


def chances(pair: Pair) -> str:
    """Return two chances, with as many digits as tell them apart."""
    places = 0 if abs(pair[0] - pair[1]) >= 0.01 else 1 if abs(pair[0] - pair[1]) >= 0.001 else 2
    return " instead of ".join(percent(chance, places) for chance in pair)


def _when(part: Part, side: int) -> str:
    return " now" if part.now[side] and not part.later[side] else ""


def _beside(why: Why) -> list[Line]:
    """Return what happens more or less often, and turns, where they differ."""
    lines: list[Line] = []
    for each in why.happenings[:REASONS_TOLD]:
        if abs(each.times[0] - each.times[1]) > SEEN:
            name = each.what if each.form == each.what else f"{each.what} {each.form}"
            if max(each.times) <= ONCE:
                told = chances(each.times)
            else:
                told = " times instead of ".join(_apart(each.times))
            lines.append([(f"  {name}: {told}", "dim")])
    if abs(why.turns[0] - why.turns[1]) > SEEN:
        told = " instead of ".join(_apart(why.turns))
        lines.append([(f"  turns to come: {told}", "dim")])
    return lines


def _apart(pair: Pair) -> list[str]:
    """Return two numbers, with as many digits as tell them apart."""
    places = 2 if abs(pair[0] - pair[1]) >= 0.01 else 3
    return [f"{number:.{places}f}" for number in pair]
