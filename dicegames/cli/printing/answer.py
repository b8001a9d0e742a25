"""What a command has found: for people block by block, for a program as one JSON object."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import chain, repeat
from typing import TYPE_CHECKING, Any

from attrs import field, frozen

from dicegames.cli.failure import Failure
from dicegames.cli.printing import output
from dicegames.cli.printing.in_words import settings_text

if TYPE_CHECKING:
    from rich.table import Table as Shown

    from dicegames.ground.table import Table
    from dicegames.loading import Game
    from dicegames.play.wording import Line

SIDES: dict[str, Any] = {
    "l": {"overflow": "fold"},
    "w": {"overflow": "fold", "no_wrap": True},
    "r": {"justify": "right", "no_wrap": True},
    "n": {"justify": "right"},
}
"""How columns look: words, words that are not broken, numbers, numbers under long heads."""
ROOMY = 60
"""Columns of a terminal from which on there are two blanks between those of a table."""
PLACES_TRIED = (6, 4, 3, 2)
"""Behind the point: the first with which a table fits."""


@frozen
class Title:
    """The name of a game, and what stands beside it."""

    text: str
    beside: str = ""


@frozen
class Pairs:
    """Names, and what they are."""

    rows: Sequence[tuple[str, str]]


@frozen
class Rows:
    """Rows of cells; `sides` has a letter for each column, as in `SIDES`, `styles` its style.

    `widths` are what columns have at least, those of "n" just so; `gap` the blanks between them.
    """

    sides: str
    rows: Iterable[Sequence[str | Line]]
    heads: Sequence[str] = ()
    styles: Sequence[str] = field(default=(), kw_only=True)
    widths: Sequence[int] = field(default=(), kw_only=True)
    gap: int = field(default=2, kw_only=True)


@frozen
class Marked:
    """A table with words behind some of its rows, by their numbers."""

    table: Table
    marks: Mapping[int, str] = field(factory=dict)


Block = Title | Pairs | Rows | Marked | list[tuple[str, str]] | str
"""A line is broken between words, a text is not."""


def heading(game: Game) -> Title:
    """Return the name of a game with its options."""
    return Title(game.title, settings_text(game.options))


def about(game: Game, objective: str, **told: Any) -> dict[str, Any]:
    """Return what programs are told of any game, and of this one."""
    return {"game": game.title, "options": game.options, "objective": objective, **told}


def told_of(thing: object, names: str) -> dict[str, Any]:
    """Return some attributes of a thing, by their names: `value lower upper`."""
    return {name: getattr(thing, name) for name in names.split()}


@frozen
class Answer:
    """What a command has found: data for programs, blocks for people; and its exit code.

    An `error` is what is wrong with that, for the standard error stream: a failure has its text.
    """

    data: Mapping[str, Any]
    blocks: Iterable[Block] = ()
    code: int = 0
    error: str | Failure = ""

    def show(self, *, json: bool) -> int:
        """Print it for programs or for people; return the exit code."""
        if json:
            output.print_json(dict(self.data))
        else:
            show(self.blocks)
        if self.error:
            told = self.error
            output.to_stderr(told.text if isinstance(told, Failure) else f"error: {told}")
        return 1 if self.error else self.code


def show(blocks: Iterable[Block]) -> None:
    """Print blocks for people."""
    for block in blocks:
        match block:
            case Title(text, beside):
                line = [(text, "bold"), (f"  {beside}", "dim")]
                output.say_lines([line if beside else line[:1]])
            case Pairs(rows):
                output.say_table(_grid(Rows("wl", rows, styles=("dim", ""))))
            case Rows():
                output.say_table(_grid(block))
            case Marked(table, marks):
                output.say_table(_grid(_fitted(table, marks, output.console().width)))
            case str():
                output.console().print(block, markup=False, soft_wrap=True)
            case _:
                output.say_lines([block])


def _grid(grid: Rows) -> Shown:
    from rich.table import Table  # noqa: PLC0415 - not needed by programs

    table = Table.grid(padding=(0, grid.gap))
    styles, widths = chain(grid.styles, repeat("")), chain(grid.widths, repeat(None))
    for side, style, width in zip(grid.sides, styles, widths, strict=False):
        size: dict[str, Any] = {"width" if side == "n" else "min_width": width}
        table.add_column(**SIDES[side], style=style, **size)
    if grid.heads:
        table.add_row(*(output.text_of([(head, "dim")]) for head in grid.heads))
    for row in grid.rows:
        cells = ([(cell, "")] if isinstance(cell, str) else cell for cell in row)
        table.add_row(*map(output.text_of, cells))
    return table


def _fitted(table: Table, marks: Mapping[int, str], width: int) -> Rows:
    """Return the rows of a table; `marks` are words behind some of them.

    Neither words nor numbers are broken: where they do not fit, each row becomes a list.
    """
    from dicegames.ground.table import cell_text  # noqa: PLC0415 - not needed by programs

    gap = 2 if width >= ROOMY else 1
    told = [marks.get(number, "") for number in range(len(table.rows))]
    room = width - gap * len(table.columns) - max(map(len, told), default=0)
    for places in PLACES_TRIED:
        texts = [[cell_text(cell, places) for cell in row] for row in table.rows]
        columns = zip(table.columns, *texts, strict=True)
        least = [max(len(word) for text in own for word in text.split()) for own in columns]
        if sum(least) <= room:
            heads = [max(pair) for pair in zip(least, map(len, table.columns), strict=True)]
            whole = heads if sum(heads) <= room else least
            worded = [any(isinstance(c, str) for c in table.column(n)) for n in table.columns]
            sides = "".join("nl"[words] for words in worded) + "l" * any(told)
            widths = [pair[words] for *pair, words in zip(whole, least, worded, strict=True)]
            rows: list[list[str | Line]] = [list(row) for row in texts]
            for row, mark in zip(rows, told if any(told) else (), strict=False):
                row.append([(mark, "bold")])
            return Rows(sides, rows, table.columns, widths=widths, gap=gap)
    lines: list[list[str | Line]] = []
    for known, mark in zip(table.rows, told, strict=True):
        cells = zip(table.columns, known, strict=True)
        lines += [[[(name, "dim")], cell_text(cell, PLACES_TRIED[0])] for name, cell in cells]
        lines.append(["", [(mark, "bold")]])
    return Rows("ll", lines, gap=gap)
