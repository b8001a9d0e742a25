"""A game that was played as one page of HTML: readable without scripts, and by a screen reader."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from dicegames.analysis.solving.reasons import Why
from dicegames.authoring.reports.page import rendered
from dicegames.cli.playing.game_table import GameTable
from dicegames.cli.playing.why import reason_lines
from dicegames.cli.printing.in_words import settings_text
from dicegames.play.judge import Event, Ledger
from dicegames.play.match import Match
from dicegames.play.wording import exact, luck_line, plain, verdict, whose

CURVE_WIDTH, CURVE_HEIGHT, EDGE = 640, 190, 12
TOP, BOTTOM = 36, 166
"""Where the highest and the lowest value are drawn."""
MOST_OPTIONS = 6
PIPS = {
    1: [(1, 1)],
    2: [(0, 0), (2, 2)],
    3: [(0, 0), (1, 1), (2, 2)],
    4: [(0, 0), (2, 0), (0, 2), (2, 2)],
    5: [(0, 0), (2, 0), (1, 1), (0, 2), (2, 2)],
    6: [(0, 0), (0, 1), (0, 2), (2, 0), (2, 1), (2, 2)],
}
"""Columns and rows of the pips of a die, from 0 to 2."""


def game_page(table: GameTable, match: Match, ledger: Ledger, reasons: Mapping[int, Why]) -> str:
    """Return a game that was played, judged, as one HTML document."""
    turns = [0] * len(table.names)
    events = []
    for number, event in enumerate(ledger.events):
        step = match.steps[event.first]
        told = _event(match, ledger, event)
        if step.begins_turn:
            turns[step.seat] += 1
            who = f", {table.names[step.seat]}" if len(table.names) > 1 else ""
            told["turn"] = f"Turn {turns[step.seat]}{who}"
        if number in reasons:
            lines = reason_lines(reasons[number], ledger.scale)
            told["why"] = [plain(line).strip() for line in lines]
        events.append(told)
    seats = range(len(table.names)) if ledger.is_whole else ()
    return rendered(
        "game",
        table.game.title,
        settings=settings_text(table.game.options),
        seed=table.header.seed,
        unit=ledger.scale.title,
        good="more" if ledger.judge.maximise else "less",
        over=match.position.is_over,
        account=_account(table, match, ledger),
        lines=[_line(table, ledger, seat) for seat in seats],
        events=events,
        pips=PIPS,
        width=CURVE_WIDTH,
        height=CURVE_HEIGHT,
        top=TOP,
        bottom=BOTTOM,
    )


def _event(match: Match, ledger: Ledger, event: Event) -> dict[str, Any]:
    """Return what is shown of a run of throws, or of a move."""
    steps, scale = match.steps[event.first : event.end], ledger.scale
    found: dict[str, Any] = {"notes": [note for step in steps for note in step.after.notes]}
    if steps[0].is_throw:
        faces = [step.text.split() for step in steps]
        found["dice"] = [[int(f) if f.isdecimal() else f for f in throw] for throw in faces]
        if ledger.is_whole:
            found["told"] = plain(luck_line(event, scale))
            found["style"] = "good" if event.luck > 0 else "bad"
        return found
    found["text"] = event.played
    if not event.is_decision:
        return found
    grade = scale.grade(event.loss)
    found["told"], found["style"] = plain(verdict(event, scale)), "good" if grade < 0 else "bad"
    found["mistake"], found["count"] = grade > 0, len(event.options)
    shown = [o for n, o in enumerate(event.options) if n < MOST_OPTIONS or o[0] == event.played]
    losses = [abs(value - event.options[0][1]) for _, value in shown]
    most = max(losses) or 1.0
    found["options"] = [
        {
            "name": name,
            "value": scale.value(value),
            "played": name == event.played,
            "width": round(100 * (1 - 0.9 * loss / most), 1),
        }
        for (name, value), loss in zip(shown, losses, strict=True)
    ]
    return found


def _account(table: GameTable, match: Match, ledger: Ledger) -> list[list[str]]:
    """Return the rows of the account, the names of its columns first."""
    scale, over = ledger.scale, match.position.is_over
    names = ["player", "decisions", "best", "losses"]
    if ledger.is_whole:
        names += ["start", "luck", "others", "result" if over else "expected"]
    rows = [names]
    for seat, name in enumerate(table.names):
        own = ledger.account(seat)
        row = [name, str(own.decisions), str(own.right), scale.amount(own.losses)]
        if ledger.is_whole:
            end = scale.value(own.expected)
            if over and not scale.is_share:
                end = exact(match.result[seat])
            row += [scale.value(own.start), scale.change(own.luck), scale.change(own.others), end]
        rows.append(row)
    return rows


def _line(table: GameTable, ledger: Ledger, seat: int) -> dict[str, Any]:
    """Return the expected result over the game as a path, with a mark at every mistake."""
    course = ledger.line(seat)
    values = [value for value, _ in course]
    low, high = min(values), max(values)
    step = (CURVE_WIDTH - 2 * EDGE) / max(1, len(values) - 1)

    def place(number: int) -> tuple[float, float]:
        up = (values[number] - low) / (high - low) if high > low else 0.5
        return round(EDGE + number * step, 1), round(BOTTOM - (BOTTOM - TOP) * up, 1)

    marks = []
    for number, (_, event) in enumerate(course):
        if event is not None and event.seat == seat and ledger.scale.grade(event.loss) > 0:
            x, y = place(number)
            title = f"{event.played}: loses {ledger.scale.lost(event.loss)}"
            marks.append({"x": x, "y": y, "title": title})
    first, last, low_text, high_text = map(ledger.scale.value, (values[0], values[-1], low, high))
    path = "M" + "L".join(f"{x} {y}" for x, y in map(place, range(len(values))))
    told = whose(ledger.scale.title, table.names[seat], len(table.names))
    title = f"{told} over the game: from {first} to {last}"
    return {"title": title, "path": path, "marks": marks, "low": low_text, "high": high_text}
