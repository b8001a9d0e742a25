"""Commands that make one better: games listed and judged, and bots of all strengths."""

from __future__ import annotations

from typing import Any

import rich_click as click

from dicegames.cli import options
from dicegames.cli.options import SHORT, Settings
from dicegames.cli.watch import Limited


@click.command(context_settings=SHORT)
@click.option("--all", "everything", is_flag=True, help="List all games, however many.")
@options.json
def saves(*, everything: bool, json: bool) -> int:
    """List the games that were played, the last first: when, what, by whom, how it stands.

    Their numbers stand for them: play --resume 2, replay 2, analyse 2.
    """
    from dicegames.cli.commands.saves import run  # noqa: PLC0415 - loaded when asked for

    return run(everything=everything, json=json)


@click.command(context_settings=SHORT)
@click.argument("transcript", metavar="TRANSCRIPT")
@options.judging
@options.plain
@options.solution
@options.limits
@click.option("--why", is_flag=True, help="Explain for every mistake why the best move was better.")
@click.option(
    "--html",
    metavar="FILE",
    help="Write one HTML page, with reasons, that works offline.",
)
@options.json
def analyse(
    transcript: str, *, json: bool, why: bool, html: str | None, **wishes: Any
) -> int:  # fmt: skip
    """Judge a game that was played: every decision, luck and losses.

    A transcript is what `save FILE` writes in a game; `last` is the game that was played last.
    """
    from dicegames.cli.commands.analyse import run  # noqa: PLC0415 - as above

    return run(transcript, wishes, json=json, why=why, html=html)


@click.command(context_settings=SHORT, cls=Limited)
@options.rules_file
@options.games(2, 10**6, 50, "How many games each level plays.")
@options.settings
@options.solution
@options.limits
@options.json
def levels(
    file: str, settings: Settings, games: int, seed: int, *, json: bool, **solving: Any
) -> int:  # fmt: skip
    """Show how strong the bots of a game are, from beginner to expert, against best play."""
    from dicegames.cli.commands.levels import run  # noqa: PLC0415 - as above

    return run(file, settings, solving, games, seed, json=json)


@click.command(context_settings=SHORT)
@click.argument("game", required=False, shell_complete=options.offering("games"))
@options.json
def history(game: str | None, *, json: bool) -> int:
    """Show how well you have played, in all finished games or in those of one GAME.

    The loss per decision with its error, also by kind of decision (that of the best move) and
    over time; the bot that would have lost as much in the same positions; and luck.
    """
    from dicegames.cli.commands.history import run  # noqa: PLC0415 - as above

    return run(game, json=json)


@click.command(context_settings=SHORT, cls=Limited)
@options.rules_file
@click.option(
    "--count",
    type=click.IntRange(1, 1000),
    default=10,
    show_default=True,
    metavar="N",
    help="How many positions.",
)
@click.option("--seed", type=options.SEED, metavar="N", help="The seed of new positions.")
@options.settings
@options.solution
@options.limits
def drill(
    file: str, settings: Settings, count: int, seed: int | None, **solving: Any
) -> int:  # fmt: skip
    """Practise: find the best move in positions that are due, your own mistakes, then new ones.

    A good answer comes back after 1, 3, 7, 16, 35 and 80 days, a wrong one the next day.
    """
    from dicegames.cli.commands.drill import run  # noqa: PLC0415 - as above

    return run(file, settings, solving, count, seed)


COMMANDS = (saves, analyse, history, levels, drill)
"""In the order in which one meets them."""
