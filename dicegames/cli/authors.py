"""Commands for those who write rules: the library, the state of a file, what becomes of it."""

from __future__ import annotations

from typing import Any

import rich_click as click

from dicegames.cli import options
from dicegames.cli.options import SHORT, Settings
from dicegames.cli.watch import Soon


@click.command(context_settings=SHORT)
@options.json
def games(*, json: bool) -> int:
    """List the games that have a name: those that come with the program, and your own.

    Wherever a command takes a GAME, give a name from this list or a rules file. A file in the
    current folder comes first, then the folders in the setting `games`.
    """
    from dicegames.cli.commands.library import list_games  # noqa: PLC0415 - a command is loaded when asked

    return list_games(json=json)


@click.command(context_settings=SHORT)
@options.rules_file
def rules(file: str) -> int:
    """Print the rules file of a game."""
    from dicegames.cli.commands.library import show_rules  # noqa: PLC0415 - as above

    return show_rules(file)


@click.command(context_settings=SHORT)
@click.argument("name")
@click.option(
    "--from", "origin", metavar="GAME", shell_complete=options.offering("games"),
    help="Copy the rules of this game.",
)  # fmt: skip
def new(name: str, origin: str | None) -> int:
    """Write NAME.dg: a small game to start from, or a copy of another one."""
    from dicegames.cli.commands.library import new_game  # noqa: PLC0415 - as above

    return new_game(name, origin)


@click.command(context_settings=SHORT, cls=Soon)
@click.argument(
    "files", metavar="GAME...", nargs=-1, required=True,
    shell_complete=options.offering("games"),
)  # fmt: skip
@options.settings
@options.json
def check(files: tuple[str, ...], settings: Settings, *, json: bool) -> int:
    """Check rules files: syntax, names, types, and the examples in them."""
    from dicegames.cli.commands.check import run  # noqa: PLC0415 - as above

    return run(files, settings, json=json)


@click.command(context_settings=SHORT)
@click.argument(
    "files", metavar="FILE...", nargs=-1, required=True, type=click.Path(allow_dash=True)
)
@click.option("--check", is_flag=True, help="Write nothing; exit code 1 if a file would change.")
@click.option("--diff", is_flag=True, help="Write nothing; show what would change.")
@options.json
def format(files: tuple[str, ...], *, check: bool, diff: bool, json: bool) -> int:  # noqa: A001 - its name
    """Format rules files; comments and meaning stay as they are.

    With - as FILE, from standard input to standard output.
    """
    from dicegames.cli.commands.format import run  # noqa: PLC0415 - as above

    return run(files, check=check, diff=diff, json=json)


@click.command(context_settings=SHORT)
@options.rules_file
@click.option(
    "--stage", type=click.Choice(["tree", "rules", "model", "layers"]), default="rules",
    show_default=True, help="Which stage to show.",
)  # fmt: skip
@options.settings
@options.objective
def show(file: str, stage: str, settings: Settings, objective: str) -> int:
    """Show the stages between the rules and the solver."""
    from dicegames.cli.commands.show import run  # noqa: PLC0415 - as above

    return run(file, settings, stage, objective)


@click.command(context_settings=SHORT, cls=Soon)
@options.rules_file
@options.settings
@options.objective
@options.limits
@click.option(
    "--workers", type=click.IntRange(1, 100_000), metavar="N",
    help="What it would take into a folder, by so many workers of a cluster.",
)  # fmt: skip
@options.json
def inspect(file: str, settings: Settings, objective: str, *, json: bool, **limits: Any) -> int:
    """Predict what solving will take: sizes, memory, time, which variables are state and why."""
    from dicegames.cli.commands.inspection import run  # noqa: PLC0415 - as above

    return run(file, settings, objective, limits, json=json)


@click.command(context_settings=SHORT)
def lsp() -> int:
    """Run the language server for editors: mistakes, completion, hover (needs pygls).

    Editors start it and talk to it over standard input and output.
    """
    try:
        from dicegames.editor.server import make_server  # noqa: PLC0415 - an extra
    except ImportError:
        message = (
            'the language server needs pygls, which is not installed: pip install "dicegames[lsp]"'
        )
        raise click.UsageError(message) from None
    make_server().start_io()
    return 0


COMMANDS = (games, rules, new, check, format, show, inspect, lsp)
"""In the order in which one meets them."""
