"""Commands for those who write rules: the library, the state of a file, what the rules are like."""

from __future__ import annotations

import rich_click as click

from dicegames.cli import executors, options
from dicegames.cli.commands import command
from dicegames.cli.options import argument, option, several
from dicegames.cli.watch import LimitedCommand, Soon, Telling

SEVERAL_FILES = {"nargs": -1, "required": True}


@command(options.json, by="library:list_games")
def games() -> None:
    """List the games that have a name: those that come with the program, and your own.

    Wherever a command takes a GAME, give a name from this list or a rules file. A file in the
    current folder comes first, then the folders in the setting `games`.
    """


@command(options.file, by="library:show_rules")
def rules() -> None:
    """Print the rules file of a game."""


@command(
    argument("name"),
    option("--from", "origin", metavar="GAME", shell_complete=options.offering("games"),
           help="Copy the rules of this game."),
    by="library:new_game",
)  # fmt: skip
def new() -> None:
    """Write NAME.dg: a small game to start from, or a copy of another one."""


@command(
    argument("files", metavar="GAME...", shell_complete=options.offering("games"), **SEVERAL_FILES),
    options.settings, options.json,
)  # fmt: skip
def check() -> None:
    """Check rules files: syntax, names, types, and the examples in them."""


@command(
    argument("files", metavar="FILE...", type=click.Path(allow_dash=True), **SEVERAL_FILES),
    option("--check", is_flag=True, help="Write nothing; exit code 1 if a file would change."),
    option("--diff", is_flag=True, help="Write nothing; show what would change."),
    options.json,
)  # fmt: skip
def format() -> None:  # noqa: A001 - its name
    """Format rules files; comments and meaning stay as they are.

    With - as FILE, from standard input to standard output.
    """


@command(
    options.file,
    option("--stage", type=click.Choice(["tree", "rules", "model", "layers"]), default="rules",
           show_default=True, help="Which stage to show."),
    options.settings, options.objective, options.time, options.memory,
    cls=Soon,
)  # fmt: skip
def show() -> None:
    """Show the stages between the rules and the solver."""


@command(
    options.game, options.objective, options.limits,
    option("--workers", type=options.WholeNumber(1, 100_000), metavar="N",
           help="Predict what solving into a folder takes with so many workers of a cluster."),
    options.json,
    by="inspection", cls=Telling,
)  # fmt: skip
def inspect() -> None:
    """Predict what solving will take: sizes, memory, time, which variables are state and why."""


@command(by="extras:lsp")
def lsp() -> None:
    """Run the language server for editors: mistakes, completion, hover (needs pygls).

    Editors start it and talk to it over standard input and output.
    """


@command(
    options.game, options.objective,
    option("--lines", type=options.WholeNumber(1, 64), default=8, show_default=True, metavar="N",
           help="How many lines a card may have."),
    option("--tries", type=options.WholeNumber(1, 10_000_000), default=500, show_default=True,
           metavar="N", help="How many lists of lines to evaluate: what is found depends on this "
                             "and the seed, not on the machine."),
    option("--time", type=options.duration, metavar="TIME",
           help="End earlier, with what was found in so long."),
    option("--seed", type=options.SEED, default=1, show_default=True, metavar="N",
           help="The seed of the search."),
    option("--out", metavar="FILE", help="Write the best card to a file."),
    option("--plot", metavar="FILE",
           help="Draw value over lines: .png, .svg or .pdf (needs matplotlib)."),
    options.threads, options.memory, options.json,
    cls=LimitedCommand,
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
    options.csv,
    option("--parquet", metavar="FILE", help="Write a table in Parquet (needs polars)."),
    option("--plot", metavar="FILE",
           help="Draw lines, or a heat map of two options: .png, .svg or .pdf (needs matplotlib)."),
    option("--fresh", is_flag=True, help="Solve everything again, and store nothing."),
    options.limits, executors.option, options.json,
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
)  # fmt: skip
def report() -> None:
    """Report on a game: fairness, results, skill, and which decisions matter.

    Every table says whether its numbers are exact or estimated, and from what.
    """


COMMANDS = (games, rules, new, check, format, show, inspect, lsp)
"""In the order in which one meets them."""
STUDIES = (report, sweep, card)
"""What one asks of rules that are written."""
