"""Tables on a terminal: as many places as there is room for; where there is too little, lists."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from dicegames.cli.printing import output

if TYPE_CHECKING:
    from dicegames.authoring.table import Table

ROOMY = 60
"""Columns of a terminal from which on there are two blanks between those of a table."""
PLACES = (6, 4, 3, 2)
"""Behind the point: the first with which a table fits."""


def show_table(table: Table, marks: Mapping[int, str] | None = None) -> None:
    """Print a table; `marks` are words behind some of its rows.

    Neither words nor numbers are broken: where they do not fit, each row is printed as a list.
    """
    console = output.console()
    gap = 2 if console.width >= ROOMY else 1
    told = [(marks or {}).get(number, "") for number in range(len(table.rows))]
    room = console.width - gap * len(table.columns) - max(map(len, told), default=0)
    for places in PLACES:
        texts = _texts(table, places)
        widths = _widths([table.columns, *texts])
        if sum(widths) <= room:
            heads = [max(pair) for pair in zip(widths, map(len, table.columns), strict=True)]
            whole = heads if sum(heads) <= room else widths
            console.print(_grid(table, texts, told, gap, widths, whole))
            return
    console.print(_lists(table, _texts(table, PLACES[0]), told, gap))


def _texts(table: Table, places: int) -> list[list[str]]:
    from dicegames.authoring.table import cell_text  # noqa: PLC0415 - not needed by programs

    return [[cell_text(cell, places) for cell in row] for row in table.rows]


def _widths(rows: Sequence[Sequence[str]]) -> list[int]:
    """Return the length of the longest word in each column."""
    columns = zip(*rows, strict=True)
    return [max(len(word) for text in own for word in text.split()) for own in columns]


def _grid(
    table: Table,
    texts: Sequence[Sequence[str]],
    told: Sequence[str],
    gap: int,
    least: Sequence[int],
    whole: Sequence[int],
) -> Any:
    """Return a grid in which columns of numbers have a width, and those of words share the rest."""
    from rich.table import Table as Shown  # noqa: PLC0415 - not needed by programs
    from rich.text import Text  # noqa: PLC0415

    shown = Shown.grid(padding=(0, gap, 0, 0))
    for n, name in enumerate(table.columns):
        if any(isinstance(cell, str) for cell in table.column(name)):
            shown.add_column(min_width=least[n])
        else:
            shown.add_column(justify="right", width=whole[n])
    shown.add_row(*(Text(name, style="dim") for name in table.columns))
    for cells, mark in zip(texts, told, strict=True):
        shown.add_row(*map(Text, cells), *([Text(mark, style="bold")] if any(told) else []))
    return shown


def _lists(table: Table, texts: Sequence[Sequence[str]], told: Sequence[str], gap: int) -> Any:
    """Return rows as lists: in each line the name of a column, and what stands there."""
    from rich.table import Table as Shown  # noqa: PLC0415 - not needed by programs
    from rich.text import Text  # noqa: PLC0415

    shown = Shown.grid(padding=(0, gap, 0, 0))
    for cells, mark in zip(texts, told, strict=True):
        for name, cell in zip(table.columns, cells, strict=True):
            shown.add_row(Text(name, style="dim"), Text(cell))
        shown.add_row("", Text(mark, style="bold"))
    return shown
