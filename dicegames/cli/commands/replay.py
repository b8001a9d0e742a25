"""`dicegames replay`: steps through a game that was played."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from attrs import evolve

from dicegames.cli.commands.play import game_of
from dicegames.cli.playing import saves
from dicegames.cli.playing.table import GameTable, table_of, wishes_of
from dicegames.cli.printing.answer import heading, show
from dicegames.play.replay import Replay
from dicegames.play.transcript import HUMAN


def run(name: str, given: Mapping[str, Any]) -> int:
    """Show a game; return the exit code."""
    transcript, _ = saves.offered(saves.found(name))
    game = game_of(transcript)
    match = transcript.match(game.rules)
    table = table_of(game, match, transcript.header, wishes_of(given), bots=False)
    show([heading(game)])
    table.terminal.say([("Enter goes on; help explains", "dim")])
    if table.missing:
        table.terminal.say([(table.missing, "yellow")])
    replay = Replay(match, table.terminal, table.names, table.unit, table.ledger, table.without)
    going_on = replay.run()
    if going_on is None:
        return 0
    return _go_on(table, going_on, given)


def _go_on(table: GameTable, match: Any, given: Mapping[str, Any]) -> int:
    """Play on from where the replay stands, as a game of its own."""
    from dicegames.cli.commands.play import session  # noqa: PLC0415 - most replays are only looked at

    seats = table.header.seats
    header = evolve(table.header, seats=seats or (HUMAN,))
    return session(table.game, match, header, saves.new_save(table.game.title), wishes_of(given))
