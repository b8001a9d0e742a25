"""Where answers go: to people on a terminal, or as one JSON object to a program."""

from __future__ import annotations

import json
import math
import os
import re
import sys
import textwrap
from collections.abc import Sequence
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, TextIO

from attrs import asdict, has

from dicegames.cli.printing.streams import can_say
from dicegames.ground.diagnostic import printable, without_long_words
from dicegames.ground.numbers import many

if TYPE_CHECKING:
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    from dicegames.play.wording import Line

LONGEST_SAID = 300
"""Signs without a blank on a terminal: the name of a file has at most 255, and is told whole."""
IN_FILE = re.compile(r" *\d* *\| ")
MOST_DECIMALS = 12
FEWEST_DECIMALS = 6
SECOND_COLUMN = re.compile(r"\s*\S+ {2,}(?=\S)")
"""What stands before the second column of a list: a word with space behind it."""


@cache
def console() -> Console:
    """Return the terminal on standard output; without colour where that is not wanted."""
    from rich.console import Console, ConsoleDimensions  # noqa: PLC0415 - not needed for JSON

    class OutputConsole(Console):
        """Leaves it to `entry` what to do where nobody reads; Rich would end the program."""

        def on_broken_pipe(self) -> None:
            raise BrokenPipeError

        @property  # type: ignore[misc]  # nobody sets it
        def size(self) -> ConsoleDimensions:
            """The columns and lines; of a dumb terminal, too, which Rich takes for 80 wide."""
            columns = columns_of(sys.stdout) if self.is_dumb_terminal else 0
            found = super().size
            return ConsoleDimensions(columns, found.height) if columns else found

    return OutputConsole(highlight=False, emoji=False, markup=True, soft_wrap=False)


def say_lines(lines: Sequence[Line]) -> None:
    """Print lines of styled text; what is too long goes on below, indented."""
    for line in lines:
        for text in text_of(line).split(allow_blank=True):
            text.rstrip()
            fits = text.cell_len <= console().width
            console().print(text if fits else _continued(text, console().width))


def say_table(table: Table) -> None:
    """Print a table, without the blanks that would fill up its lines."""
    from rich.text import Text  # noqa: PLC0415 - not needed for answers in JSON

    for row in console().render_lines(table, pad=False):
        line = Text.assemble(*((part.text, part.style or "") for part in row))
        line.rstrip()
        console().print(line, soft_wrap=True)


def _continued(text: Text, width: int) -> Text:
    """Return a line broken at words; what follows is indented, or below its second column."""
    from rich.text import Text  # noqa: PLC0415 - not needed for answers in JSON

    found = SECOND_COLUMN.match(text.plain)
    column = found.end() if found is not None and found.end() <= width // 3 else 2
    first = text.wrap(console(), width)[0]
    start = len(first.plain)
    while text.plain[start].isspace():
        start += 1
    rest = text[start:].wrap(console(), width - column)
    for line in rest:
        line.rstrip()
        line.pad_left(column)
    first.rstrip()
    return Text("\n").join([first, *rest])


def text_of(line: Line) -> Text:
    """Return a line of styled text as Rich has it."""
    from rich.text import Text  # noqa: PLC0415 - not needed for answers in JSON

    return Text(*line[0]) if len(line) == 1 else Text.assemble(*line)


def to_stderr(text: str) -> None:
    """Print a line for people beside the answer, if that is possible."""
    with suppress(OSError, ValueError):
        lines = without_long_words(text, LONGEST_SAID).split("\n")
        print(_broken("\n".join(map(printable, lines)), sys.stderr), file=sys.stderr, flush=True)


def say(text: str, end: str = "\n") -> None:
    """Print lines for people that are as well the answer of a quick command, without Rich."""
    print(_broken(text, sys.stdout), end=end)


def columns_of(stream: TextIO) -> int:
    """Return how wide the terminal is that a stream leads to, 0 if it leads to none."""
    with suppress(OSError, ValueError):
        return os.get_terminal_size(stream.fileno()).columns
    return 0


def _broken(text: str, stream: TextIO) -> str:
    """Return lines broken between words, where a stream leads to a terminal.

    Lines of a file, with marks below, are left alone.
    """
    width = columns_of(stream)
    return "\n".join(_fitting(line, width) if width else line for line in text.split("\n"))


def _fitting(line: str, width: int) -> str:
    if len(line) <= width or IN_FILE.match(line):
        return line
    further = " " * (len(line) - len(line.lstrip()) + 2)
    return textwrap.fill(
        line, width, subsequent_indent=further, break_long_words=False, break_on_hyphens=False
    )


def print_json(answer: dict[str, Any]) -> None:
    """Print one JSON object."""
    plain = _plain(answer)
    text = json.dumps(plain, ensure_ascii=False, allow_nan=False)
    print(text if can_say(text) else json.dumps(plain, allow_nan=False))


def _plain(value: Any) -> Any:
    """Replace what JSON does not know: classes of attrs, tuples, paths, infinities."""
    if has(type(value)):
        value = asdict(value, recurse=False)
    if isinstance(value, dict):
        return {str(key): _plain(part) for key, part in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(part) for part in value]
    if isinstance(value, float) and not math.isfinite(value):
        return None
    return str(value) if isinstance(value, Path) else value


def decimals(error: float) -> int:
    """Return how many decimals of a number are worth printing."""
    if not 0 < error < 1:
        return MOST_DECIMALS if error == 0 else FEWEST_DECIMALS
    return max(FEWEST_DECIMALS, min(MOST_DECIMALS, math.floor(-math.log10(error))))


def number(value: float, places: int = FEWEST_DECIMALS) -> str:
    """Return a number for people."""
    return f"{value:z.{places}f}" if value or value == 0 else str(value)


def counted(count: int, what: str) -> str:
    """Return a count of things: `1 layer`, `12 layers`."""
    return f"{count:,} {what}{'s'[: count != 1]}"


def small(value: float) -> str:
    """Return a small number such as an error: `3.2e-13`."""
    return "0" if value == 0 else f"{value:.1e}"


HOUR = 3_600
DAY = 24 * HOUR
YEAR = 365 * DAY


def duration(seconds: float) -> str:
    """Return a time for people."""
    if seconds < 1:
        return f"{seconds * 1000:.0f} ms"
    if seconds < 120:
        return f"{seconds:.2f} s"
    if seconds < 7 * HOUR:
        return f"{seconds / 60:.1f} min"
    if seconds < 2 * DAY:
        return f"{seconds / HOUR:.1f} hours"
    if seconds < 2 * YEAR:
        return f"{seconds / DAY:,.0f} days"
    return f"{many(int(seconds) // YEAR)} years"
