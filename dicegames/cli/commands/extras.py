"""`dicegames man`, `lsp` and `completion`: what manuals, editors and shells ask for."""

from __future__ import annotations

import os
import signal
import sys
import warnings

import click

from dicegames import __version__
from dicegames.cli.printing.output import counted, say, to_stderr
from dicegames.ground.writing import folder_to_write, writes


def man(folder: str) -> None:
    """Write the help texts as man pages, by click-man."""
    try:
        from click_man.core import write_man_pages  # noqa: PLC0415 - an extra
    except ImportError:
        message = 'man pages need click-man, which is not installed: pip install "dicegames[man]"'
        raise click.UsageError(message) from None
    path, app = folder_to_write(folder), click.get_current_context().find_root().command
    with writes(folder), warnings.catch_warnings():
        path.mkdir(parents=True, exist_ok=True)
        warnings.simplefilter("ignore", DeprecationWarning)  # what it says is not for users
        write_man_pages("dicegames", app, version=__version__, target_dir=str(path))
    say(f"{counted(len(list(path.glob('dicegames*.1'))), 'page')} in {path}: man dicegames")


def completion(shell: str) -> None:
    """Print what a shell reads at its start."""
    from dicegames.cli.completing import script  # noqa: PLC0415 - loads the rules

    click.echo(script(click.get_current_context().find_root().command, shell), nl=False)


def lsp() -> int:
    """Run the language server; return 0 where the editor has ended it in order, else 1."""
    try:
        from dicegames.editor.server import make_server  # noqa: PLC0415 - an extra
        from dicegames.editor.solved_facts import give_up  # noqa: PLC0415 - as above
    except ImportError:
        needs = "the language server needs pygls, which is not installed: pip install "
        raise click.UsageError(f'{needs}"dicegames[lsp]"') from None
    if sys.stdin.isatty():
        to_stderr("note: an editor starts this and talks to it; Ctrl-C ends it")

    def stop(number: int, _: object) -> None:  # at once: a thread of pygls waits for input
        give_up()
        to_stderr("\nstopped")
        os._exit(128 + number)

    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, stop)
    server = make_server()
    with open(sys.stdout.fileno(), "wb", closefd=False) as answers:  # the server closes it
        server.start_io(stdout=answers)
    return 0 if server.was_told_to_end else 1
