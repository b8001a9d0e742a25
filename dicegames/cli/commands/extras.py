"""`dicegames man`, `lsp` and `completion`: what manuals, editors and shells ask for."""

from __future__ import annotations

import sys
import warnings

import click

from dicegames import __version__
from dicegames.cli.printing.output import counted, say, to_stderr
from dicegames.ground.reading import told
from dicegames.ground.writing import UnwritableFile, folder_to_write


def man(folder: str) -> None:
    """Write the help texts as man pages, by click-man."""
    try:
        from click_man.core import write_man_pages  # noqa: PLC0415 - an extra
    except ImportError:
        message = 'man pages need click-man, which is not installed: pip install "dicegames[man]"'
        raise click.UsageError(message) from None
    path, app = folder_to_write(folder), click.get_current_context().find_root().command
    try:
        path.mkdir(parents=True, exist_ok=True)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", DeprecationWarning)  # what it says is not for users
            write_man_pages("dicegames", app, version=__version__, target_dir=str(path))
    except OSError as error:
        raise UnwritableFile(f"{folder} cannot be written: {told(error)}") from None
    say(f"{counted(len(list(path.glob('dicegames*.1'))), 'page')} in {path}: man dicegames")


def completion(shell: str) -> None:
    """Print what a shell reads at its start."""
    from dicegames.cli.completing import script  # noqa: PLC0415 - loads the rules

    click.echo(script(click.get_current_context().find_root().command, shell), nl=False)


def lsp() -> None:
    """Run the language server."""
    try:
        from dicegames.editor.server import make_server  # noqa: PLC0415 - an extra
    except ImportError:
        needs = "the language server needs pygls, which is not installed: pip install "
        raise click.UsageError(f'{needs}"dicegames[lsp]"') from None
    if sys.stdin.isatty():
        to_stderr("note: an editor starts this and talks to it; Ctrl-C ends it")
    make_server().start_io()
