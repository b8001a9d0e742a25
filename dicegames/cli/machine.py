"""Commands for the machine: what is installed here, completion for shells, man pages."""

from __future__ import annotations

import rich_click as click

from dicegames.cli import options
from dicegames.cli.commands import command
from dicegames.cli.options import argument


@command(options.json)
def doctor() -> None:
    """Check the installation: versions, folders, compiled code, the time of a small solve."""


@command(argument("action", type=click.Choice(["list", "clear"]), default="list"), options.json)
def cache() -> None:
    """List the solutions in the cache, or clear it.

    A solution belongs to its rules, options, objective and version of the program: a stale one is
    never used. The variable DICEGAMES_CACHE sets the size, such as 200MB; 0 keeps nothing.
    """


@command(argument("shell", type=click.Choice(["bash", "zsh", "fish"])), by="extras:completion")
def completion() -> None:
    """Print a script that completes commands, games, options and strategies in a shell.

    bash: eval "$(dicegames completion bash)" in .bashrc; zsh: the same in .zshrc, after compinit;
    fish: dicegames completion fish > ~/.config/fish/completions/dicegames.fish
    """


@command(argument("folder"), by="extras:man")
def man() -> None:
    """Write man pages, one for each command, to a folder such as ~/.local/share/man/man1."""


COMMANDS = (doctor, cache, completion, man)
"""In the order in which one meets them."""
