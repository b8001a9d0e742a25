"""Commands that make one better: games listed and judged, and bots of all strengths."""

from __future__ import annotations

from dicegames.cli import options
from dicegames.cli.commands import command
from dicegames.cli.options import argument, option


@command(
    option("--all", "everything", is_flag=True, help="List all games, however many."), options.json
)
def saves() -> None:
    """List the games that were played, the last first: when, what, by whom, how it stands.

    Their numbers stand for them: play --resume 2, replay 2, analyse 2.
    """


@command(
    options.transcript,
    options.judging,
    option("--why", is_flag=True, help="Explain for every mistake why the best move was better."),
    option("--html", metavar="FILE", help="Write one HTML page, with reasons, that works offline."),
    options.json,
)
def analyse() -> None:
    """Judge a game that was played: every decision, luck and losses.

    A transcript is what `save FILE` writes in a game; `last` is the game that was played last.
    """


@command(
    options.game, options.games(2, 10**6, 50, "How many games each level plays."),
    options.solution, options.limits, options.json,
)  # fmt: skip
def levels() -> None:
    """Show how strong the bots of a game are, from beginner to expert, against best play."""


@command(
    argument("wanted", metavar="[GAME]", required=False, shell_complete=options.offering("games")),
    options.limits, options.json,
)  # fmt: skip
def history() -> None:
    """Show how well you have played, in all finished games or in those of one GAME.

    The loss per decision with its error, also by kind of decision (that of the best move) and
    over time; the bot that would have lost as much in the same positions; and luck.
    """


@command(
    options.game,
    option("--count", type=options.WholeNumber(1, 1000), default=10, show_default=True, metavar="N",
           help="How many positions."),
    option("--seed", type=options.SEED, metavar="N", help="The seed of new positions."),
    options.solution, options.limits,
)  # fmt: skip
def drill() -> None:
    """Practise: find the best move in positions that are due, your own mistakes, then new ones.

    A good answer comes back after 1, 3, 7, 16, 35 and 80 days, a wrong one the next day.
    """


COACHING = (saves, analyse, history, levels, drill)
"""In the order in which one meets them."""
