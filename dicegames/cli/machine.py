"""Commands for the machine: what is installed here, completion for shells, man pages."""

from __future__ import annotations

import rich_click as click

from dicegames.cli import options
from dicegames.cli.options import SHORT


@click.command(context_settings=SHORT)
@options.json
def doctor(*, json: bool) -> int:
    """Check the installation: versions, folders, compiled code, the time of a small solve."""
    from dicegames.cli.commands.doctor import run  # noqa: PLC0415 - a command is loaded when it is asked for

    return run(json=json)


@click.command(context_settings=SHORT)
@click.argument("action", type=click.Choice(["list", "clear"]), default="list")
@options.json
def cache(action: str, *, json: bool) -> int:
    """List the solutions in the cache, or clear it.

    A solution belongs to its rules, options, objective and version of the program: a stale one is
    never used. The variable DICEGAMES_CACHE sets the size, such as 200MB; 0 keeps nothing.
    """
    from dicegames.cli.commands.cache import run  # noqa: PLC0415 - as above

    return run(action, json=json)


@click.command(context_settings=SHORT)
@click.argument("shell", type=click.Choice(["bash", "zsh", "fish"]))
@click.pass_context
def completion(ctx: click.Context, shell: str) -> int:
    """Print a script that completes commands, games, options and strategies in a shell.

    bash: eval "$(dicegames completion bash)" in .bashrc; zsh: the same in .zshrc, after compinit;
    fish: dicegames completion fish > ~/.config/fish/completions/dicegames.fish
    """
    from dicegames.cli.completing import script  # noqa: PLC0415 - as above

    click.echo(script(ctx.find_root().command, shell), nl=False)
    return 0


@click.command(context_settings=SHORT)
@click.argument("folder")
@click.pass_context
def man(ctx: click.Context, folder: str) -> int:
    """Write man pages, one for each command, to a folder such as ~/.local/share/man/man1."""
    from dicegames.cli.commands.man_pages import write  # noqa: PLC0415 - as above

    return write(ctx.find_root().command, folder)


COMMANDS = (doctor, cache, completion, man)
"""In the order in which one meets them."""
