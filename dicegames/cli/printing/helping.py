"""Help on a narrow terminal: without frames, so that no name of an option is cut short."""

from __future__ import annotations

import re
import sys
from typing import Any

import rich_click as click
from click import core

from dicegames.cli.printing.output import columns_of

NARROW_HELP = 60
"""Columns of a terminal below which names and what is said of them stand one below the other."""
LONGEST_HELP = 200
"""Characters that are said of a command in the list of all."""


class _NarrowFormatter(click.HelpFormatter):
    """Writes what is said of a name below it."""

    def write_dl(self, rows: Any, col_max: int = 0, col_spacing: int = 0) -> None:
        """Write names with what is said of them."""
        for name, told in rows:
            self.write_text(name)
            with self.indentation():
                self.write_text(told)


class ReadableHelp:
    """What commands and their group have in common."""

    def get_help(self: Any, ctx: click.Context) -> str:
        """Return the help for a terminal of the width that it has."""
        columns = columns_of(sys.stdout)
        if not 0 < columns < NARROW_HELP:
            return super().get_help(ctx)  # type: ignore[no-any-return, misc]
        lines = _NarrowFormatter(width=columns)
        core.Command.format_usage(self, ctx, lines)
        core.Command.format_help_text(self, ctx, lines)
        core.Command.format_options(self, ctx, lines)
        if isinstance(self, core.Group):
            with lines.section("Commands"):
                told = ((name, self.commands[name]) for name in self.list_commands(ctx))
                lines.write_dl((name, one.get_short_help_str(LONGEST_HELP)) for name, one in told)
        core.Command.format_epilog(self, ctx, lines)
        return lines.getvalue().rstrip("\n")


class UsualCommand(ReadableHelp, click.RichCommand):
    """A command; it says how that is written of which there is too much."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Take the words that stand behind the command."""
        given = list(args)
        ctx.allow_extra_args = True
        super().parse_args(ctx, args)
        if ctx.args and not ctx.resilient_parsing:
            raise click.UsageError(self._too_much(ctx, given), ctx)
        return ctx.args

    def _too_much(self, ctx: click.Context, given: list[str]) -> str:
        """Say how words are written behind which no more are taken."""
        extra = " ".join(ctx.args)
        takes_settings = any("--set" in option.opts for option in self.params)
        if takes_settings and re.fullmatch(r"\w+=\S+", ctx.args[0]):
            return f'"{extra}" is too much: an option of the rules is set with --set {extra}'
        at = given.index(ctx.args[0])
        if not at:
            return f'"{extra}" is too much: {ctx.command_path} takes options only'
        before = given[at - 1]
        return f'"{extra}" is too much; what is one thing stands in quotes: "{before} {extra}"'
