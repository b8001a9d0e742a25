"""`dicegames man`: the help texts as man pages, by click-man."""

from __future__ import annotations

import warnings
from pathlib import Path

import click

from dicegames import __version__
from dicegames.cli.printing.output import counted
from dicegames.ground.reading import told
from dicegames.ground.writing import UnwritableFile


def write(app: click.Command, folder: str) -> int:
    """Write the pages; return the exit code."""
    try:
        from click_man.core import write_man_pages  # noqa: PLC0415 - an extra
    except ImportError:
        message = 'man pages need click-man, which is not installed: pip install "dicegames[man]"'
        raise click.UsageError(message) from None
    path = Path(folder).expanduser()
    try:
        path.mkdir(parents=True, exist_ok=True)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", DeprecationWarning)  # what it says is not for users
            write_man_pages("dicegames", app, version=__version__, target_dir=str(path))
    except OSError as error:
        raise UnwritableFile(f"{folder} cannot be written: {told(error)}") from None
    print(f"{counted(len(list(path.glob('dicegames*.1'))), 'page')} in {path}: man dicegames")
    return 0
