"""`dicegames analyse`: judges a game that was played."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from dicegames.analysis.solving.reasons import Why
from dicegames.cli.commands.play import looked_at
from dicegames.cli.playing import saves
from dicegames.cli.playing.game_page import game_page
from dicegames.cli.playing.game_table import GameTable, Wishes, spread_lines
from dicegames.cli.playing.why import reason_lines, reasons_of
from dicegames.cli.printing import output
from dicegames.cli.printing.answer import heading, show
from dicegames.cli.solving import Solving
from dicegames.ground.writing import demand_writable, write_text
from dicegames.play import screen
from dicegames.play.judge import Ledger
from dicegames.play.match import Match
from dicegames.play.transcript import TranscriptError
from dicegames.play.wording import Line, account_data, event_data, event_lines


def run(
    transcript: str, solving: Solving, *, json: bool, why: bool, html: str | None, **given: Any
) -> None:
    """Print the judgement of a game, or write it to a page."""
    path = saves.found(transcript)
    demand_writable(html, str(path))
    table, match = looked_at(path, Wishes(solving=solving, **given))
    if table.ledger is None:
        raise TranscriptError(f"the moves cannot be judged: {table.without}")
    reasons = reasons_of(match, table.ledger) if why or html is not None else {}
    if html is not None:
        write_text(html, game_page(table, match, table.ledger, reasons))
    if json:
        told = _for_programs(table, match, table.ledger)
        for number, reason in reasons.items():
            told["events"][number]["why"] = reason
        output.print_json(told)
    elif html is not None:
        output.to_stderr(f"written: {html}")
    else:
        show([heading(table.game)])
        if table.missing:
            table.terminal.say([(table.missing, "yellow")])
        table.terminal.say(*_for_people(table, match, table.ledger, reasons, solving.time))


def _for_people(
    table: GameTable,
    match: Match,
    ledger: Ledger,
    reasons: Mapping[int, Why],
    patience: float | None,
) -> list[Line]:
    lines = event_lines(match, table.names, ledger)
    for number, reason in reasons.items():
        lines += screen.heading(f"Why, at {number + 1}", table.terminal)
        lines += reason_lines(reason, ledger.scale)
    told = "The game is over" if match.position.is_over else "The game goes on"
    lines += screen.heading(told, table.terminal)
    lines += screen.luck(match, table.names, ledger, table.terminal)
    return lines + (spread_lines(table, match, patience) if match.position.is_over else [])


def _for_programs(table: GameTable, match: Match, ledger: Ledger) -> dict[str, Any]:
    header = table.header
    over = match.position.is_over
    seats = range(len(table.names))
    return {
        "game": table.game.title,
        "options": table.game.options,
        "seed": header.seed,
        "over": over,
        "result": [float(value) for value in match.result] if over else None,
        "more_is_better": ledger.judge.maximise,
        "thresholds": list(ledger.scale.thresholds),
        "players": [
            account_data(ledger, seat, table.names[seat], header.seats[seat]) for seat in seats
        ],
        "events": event_data(match, ledger),
    }
