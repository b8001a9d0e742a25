"""Commands for those who write rules: the library, the state of a file, what becomes of it."""

from __future__ import annotations

import rich_click as click

from dicegames.cli import options
from dicegames.cli.commands import command
from dicegames.cli.options import argument, option
from dicegames.cli.watch import Soon

EACH = {"nargs": -1, "required": True}


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
    argument("files", metavar="GAME...", shell_complete=options.offering("games"), **EACH),
    options.settings, options.json,
    cls=Soon,
)  # fmt: skip
def check() -> None:
    """Check rules files: syntax, names, types, and the examples in them."""


@command(
    argument("files", metavar="FILE...", type=click.Path(allow_dash=True), **EACH),
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
    options.settings, options.objective,
)  # fmt: skip
def show() -> None:
    """Show the stages between the rules and the solver."""


@command(
    options.game, options.objective, options.limits,
    option("--workers", type=click.IntRange(1, 100_000), metavar="N",
           help="What it would take into a folder, by so many workers of a cluster."),
    options.json,
    by="inspection", cls=Soon,
)  # fmt: skip
def inspect() -> None:
    """Predict what solving will take: sizes, memory, time, which variables are state and why."""


@command(by="extras:lsp")
def lsp() -> None:
    """Run the language server for editors: mistakes, completion, hover (needs pygls).

    Editors start it and talk to it over standard input and output.
    """


COMMANDS = (games, rules, new, check, format, show, inspect, lsp)
"""In the order in which one meets them."""
