"""Commands for those who want to know what rules are worth, and how a person would play."""

from __future__ import annotations

import rich_click as click

from dicegames.cli import executors, options
from dicegames.cli.commands import command
from dicegames.cli.options import option, several
from dicegames.cli.watch import InMemory, Limited


@command(
    options.game, options.objective,
    option("--lines", type=click.IntRange(1, 64), default=8, show_default=True, metavar="N",
           help="How many lines a card may have."),
    option("--tries", type=click.IntRange(1, 10_000_000), default=500, show_default=True,
           metavar="N", help="How many lists of lines to evaluate: what is found depends on this "
                             "and the seed, not on the machine."),
    option("--time", type=options.duration, metavar="TIME",
           help="End earlier, so long after the game is solved."),
    option("--seed", type=options.SEED, default=1, show_default=True, metavar="N",
           help="The seed of the search."),
    option("--out", metavar="FILE", help="Write the best card to a file."),
    option("--plot", metavar="FILE",
           help="Draw value over lines: .png, .svg or .pdf (needs matplotlib)."),
    options.threads, options.memory, options.json,
    cls=InMemory,
)  # fmt: skip
def card() -> None:
    """Look for the best strategy that fits on a card: few lines, in the words of the rules.

    It is printed as a strategy of a rules file, with its exact value, beside the best cards of
    fewer lines. Ctrl-C ends the search and keeps what was found.
    """


@command(
    options.file,
    several("--set", "settings", read=options.values_by_name, metavar="OPTION=VALUES",
            shell_complete=options.offering("settings"),
            help="Values of an option of the rules: bonus=0..100:5, or players=1,2."),
    options.objective,
    option("--stats", "statistics", type=options.names, metavar="NAMES",
           help="Which numbers: value, mean, sd, min, max, mode, p5 (a percentile), win, tie, "
                "error, states, seconds; \"sd of seat 2\" is that of a seat."),
    option("--find", metavar="OPTION",
           help="Look for the value of this option that brings the game to --target."),
    option("--target", metavar="TEXT",
           help="What to reach: \"value of seat 1 = 0.5\", \"mean = 250\"."),
    option("--csv", metavar="FILE", help="Write lines of CSV; - prints them."),
    option("--parquet", metavar="FILE", help="Write a table in Parquet (needs polars)."),
    option("--plot", metavar="FILE",
           help="Draw lines, or a heat map of two options: .png, .svg or .pdf (needs matplotlib)."),
    option("--fresh", is_flag=True, help="Solve everything again, and store nothing."),
    options.limits, executors.option, options.json,
    cls=Limited,
)  # fmt: skip
def sweep() -> None:
    """Solve a game under many settings of its options: a table of exact numbers.

    --set takes several values here: --set bonus=0..100:5 --set players=1,2. Results are stored,
    so that nothing is solved twice. With --find, search for the value of an option that brings
    the game to a target, such as being fair.
    """


@command(
    options.game, options.objective,
    option("--html", metavar="FILE", help="Write the report as one HTML page that works offline."),
    options.games(1, 100_000, 200, "How many games to play for the estimates."),
    options.limits, options.json,
    cls=Limited,
)  # fmt: skip
def report() -> None:
    """Report on a game: fairness, results, skill, and which decisions matter.

    Every table says whether its numbers are exact or estimated, and from what.
    """


COMMANDS = (report, sweep, card)
