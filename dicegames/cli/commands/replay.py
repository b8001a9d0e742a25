"""`dicegames replay`: steps through a game that was played."""

from __future__ import annotations

from typing import Any

from dicegames.cli.commands.play import looked_at, session
from dicegames.cli.playing import saves
from dicegames.cli.playing.table import wishes_of
from dicegames.cli.printing.answer import heading, show
from dicegames.play.replay import Replay


def run(transcript: str, **given: Any) -> int:
    """Show a game, and play on from where that is wanted; return the exit code."""
    table, match = looked_at(saves.found(transcript), given)
    show([heading(table.game)])
    table.terminal.say([("Enter goes on; help explains", "dim")])
    if table.missing:
        table.terminal.say([(table.missing, "yellow")])
    going_on = Replay(match, table.names, table.adviser()).run()
    if going_on is None:
        return 0
    kept = saves.new_save(table.game.title)
    return session(table.game, going_on, table.header, kept, wishes_of(given))
