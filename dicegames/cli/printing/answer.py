"""What a command has found: for people block by block, for a program as one JSON object."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from attrs import field, frozen

from dicegames.cli.printing import output
from dicegames.cli.printing.tables import show_table
from dicegames.cli.printing.wording import settings_text

if TYPE_CHECKING:
    from rich.table import Table as Shown

    from dicegames.authoring.table import Table
    from dicegames.loading import Game
    from dicegames.play.wording import Line

SIDES: dict[str, Any] = {
    "l": {"overflow": "fold"},
    "w": {"overflow": "fold", "no_wrap": True},
    "r": {"justify": "right", "no_wrap": True},
}
"""How columns look: words, words that are not broken, numbers."""


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
    """Rows of cells; `sides` has a letter for each column, as in `SIDES`, `styles` its style."""

    sides: str
    rows: Iterable[Sequence[str | Line]]
    heads: Sequence[str] = ()
    styles: Sequence[str] = field(default=("",) * 9, kw_only=True)


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


def answer(data: Mapping[str, Any], blocks: Iterable[Block], *, json: bool) -> int:
    """Print what was found, the data for programs or the blocks for people; the exit code."""
    if json:
        output.print_json(dict(data))
    else:
        show(blocks)
    return 0


def show(blocks: Iterable[Block]) -> None:
    """Print blocks for people."""
    console = output.console()
    for block in blocks:
        match block:
            case Title(text, beside):
                line = [(text, "bold"), (f"  {beside}", "dim")]
                output.say_lines([line if beside else line[:1]])
            case Pairs(rows):
                console.print(_grid(Rows("wl", rows, styles=("dim", ""))))
            case Rows():
                console.print(_grid(block))
            case Marked(table, marks):
                show_table(table, marks)
            case str():
                console.print(block, markup=False, soft_wrap=True)
            case _:
                output.say_lines([block])


def _grid(grid: Rows) -> Shown:
    from rich.table import Table  # noqa: PLC0415 - not needed by programs

    table = Table.grid(padding=(0, 2))
    for side, style in zip(grid.sides, grid.styles, strict=False):
        table.add_column(**SIDES[side], style=style)
    if grid.heads:
        table.add_row(*(output.text_of([(head, "dim")]) for head in grid.heads))
    for row in grid.rows:
        cells = ([(cell, "")] if isinstance(cell, str) else cell for cell in row)
        table.add_row(*map(output.text_of, cells))
    return table
