"""Tables as people get them: a data frame, a table in a notebook, lines of CSV."""

from __future__ import annotations

import csv
import io
from abc import ABC, abstractmethod
from collections.abc import Iterable
from html import escape
from importlib import import_module
from importlib.util import find_spec
from typing import Any

from attrs import field, frozen

from dicegames.ground.arguments import ArgumentError

Cell = str | float | int | bool | None
FRAMES = ("pandas", "polars")
"""What makes data frames, whichever is installed; the first is preferred."""
TABLE_PLACES = 6


@frozen
class Table:
    """Named columns, and rows with a cell for each; None where something is not known."""

    title: str
    columns: tuple[str, ...]
    rows: tuple[tuple[Cell, ...], ...] = field(repr=False)

    def __str__(self) -> str:
        """Return the title, and columns of text, in which numbers stand to the right."""
        columns = []
        for place, name in enumerate(self.columns):
            cells = [row[place] for row in self.rows]
            texts = [name, *map(cell_text, cells)]
            width = max(map(len, texts))
            worded = any(isinstance(cell, str) for cell in cells)
            columns.append([text.ljust(width) if worded else text.rjust(width) for text in texts])
        lines = ("  ".join(line).rstrip() for line in zip(*columns, strict=True))
        return "\n".join((self.title, *lines))

    def column(self, name: str) -> list[Cell]:
        """Return the cells of a column; raises ArgumentError."""
        if name not in self.columns:
            raise ArgumentError(f'there is no column "{name}"; there are: {self.columns}')
        place = self.columns.index(name)
        return [row[place] for row in self.rows]

    def to_frame(self, library: str | None = None) -> Any:
        """Return a data frame of pandas, or of polars; ArgumentError where neither is installed."""
        if library not in (None, *FRAMES):
            raise ArgumentError(f'a data frame is one of pandas or polars, not of "{library}"')
        wanted = FRAMES if library is None else (library,)
        found = next((name for name in wanted if find_spec(name) is not None), None)
        if found is None:
            raise ArgumentError(f"data frames need {' or '.join(wanted)}, which is not installed")
        columns = {name: _alike(self.column(name)) for name in self.columns}
        return import_module(found).DataFrame(columns)

    def to_csv(self) -> str:
        """Return lines of CSV, the names of the columns first."""
        text = io.StringIO()
        writer = csv.writer(text, lineterminator="\n")
        writer.writerow(self.columns)
        writer.writerows(["" if cell is None else cell for cell in row] for row in self.rows)
        return text.getvalue()

    def to_dicts(self) -> list[dict[str, Cell]]:
        """Return a mapping from columns to cells for each row."""
        return [dict(zip(self.columns, row, strict=True)) for row in self.rows]

    def _repr_html_(self) -> str:
        head = "".join(f"<th>{escape(name)}</th>" for name in self.columns)
        body = "".join(f"<tr>{''.join(map(_cell, row))}</tr>" for row in self.rows)
        caption = f"<caption>{escape(self.title)}</caption>"
        return f"<table>{caption}<thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"


class Tabled(ABC):
    """A result that is shown as its table: by `print`, in notebooks, as a data frame."""

    __slots__ = ()

    @property
    @abstractmethod
    def table(self) -> Table:
        """The table of the result."""

    def to_frame(self, library: str | None = None) -> Any:
        """Return the table as a data frame, see `Table.to_frame`."""
        return self.table.to_frame(library)

    def __str__(self) -> str:
        """Return the table as text."""
        return str(self.table)

    def _repr_html_(self) -> str:
        return self.table._repr_html_()


def _alike(cells: list[Cell]) -> list[Cell]:
    """Return cells of which all numbers are floats if any is: a column has one type."""
    if not any(type(cell) is float for cell in cells):
        return cells
    return [float(cell) if type(cell) is int else cell for cell in cells]


def _cell(cell: Cell) -> str:
    side = "left" if isinstance(cell, str) else "right"
    return f'<td style="text-align:{side}">{escape(cell_text(cell))}</td>'


def cell_text(cell: Cell, places: int = TABLE_PLACES) -> str:
    """Return a cell for people; nothing where nothing is known."""
    match cell:
        case None:
            return ""
        case bool():
            return "yes" if cell else "no"
        case float():
            tiny = 0 < abs(cell) < 0.5 * 10**-places
            return f"{cell:.1e}" if tiny else f"{cell:z.{places}f}"
        case int():
            return f"{cell:,}"
    return cell


def columns_of(rows: Iterable[Iterable[str]]) -> tuple[str, ...]:
    """Return the names that occur in some rows, each once, in the order in which they come up."""
    return tuple(dict.fromkeys(name for row in rows for name in row))
