"""Tables and lists of words that fit a width."""

from __future__ import annotations

from collections.abc import Sequence

from dicegames.play.wording import Line

Rows = Sequence[Sequence[str]]
"""Rows of cells; the first row has the titles, the first column the names of the rows."""
GAP = 2
SHORT = 2
"""A title of no more letters keeps its place where others get numbers."""


def table(rows: Rows, width: int, *, turns: bool = True, bold: Sequence[int] = ()) -> list[Line]:
    """Return rows as a table that fits.

    Where it is too wide it is turned on its side, if it may be; then its columns get numbers as
    titles, with what they stand for above; then it is cut into several tables. Rows of the numbers
    in `bold` stand out.
    """
    if not turns or _wide(rows, GAP) <= width:
        return _fitted(rows, width, bold, GAP)
    return _fitted(list(zip(*rows, strict=True)), width, (), GAP)


def beside(blocks: Sequence[Sequence[Line]], width: int) -> list[Line]:
    """Return blocks of lines beside each other; nothing where there is no room for that."""
    sizes = [max((_length(line) for line in block), default=0) for block in blocks]
    if not blocks or sum(sizes) + 4 * (len(sizes) - 1) > width:
        return []
    lines: list[Line] = []
    for number in range(max(map(len, blocks))):
        line: Line = []
        for block, size in zip(blocks, sizes, strict=True):
            own = block[number] if number < len(block) else []
            line += [*own, (" " * (size - _length(own) + 4), "")]
        lines.append(line)
    return lines


def wrapped(parts: Sequence[str], width: int, separator: str = " | ") -> list[str]:
    """Return parts in lines; a part is broken only if it is too long, at its commas."""
    lines: list[str] = []
    for part in parts:
        if lines and len(lines[-1]) + len(separator) + len(part) < width:
            lines[-1] += separator + part
        elif len(part) > width and ", " in part and separator != ", ":
            words = [word + "," for word in part.split(", ")]
            lines += wrapped([*words[:-1], words[-1].removesuffix(",")], width, " ")
        else:
            if lines and separator == ", ":
                lines[-1] += ","
            lines.append(part)
    return lines


def _fitted(rows: Rows, width: int, bold: Sequence[int], gap: int) -> list[Line]:
    if _wide(rows, gap) <= width:
        return _drawn(rows, bold, gap)
    titles = rows[0][1:]
    cells = _sizes(rows[1:] or rows)[1:]
    wider = any(len(title) > size for title, size in zip(titles, cells, strict=True))
    long = [title for title in titles if wider and len(title) > SHORT]
    numbers = {title: str(number) for number, title in enumerate(long, 1)}
    numbered = [[rows[0][0], *(numbers.get(title, title) for title in titles)], *rows[1:]]
    if numbers and _wide(numbered, gap) <= width:
        named = [f"{number} {title}" for title, number in numbers.items()]
        legend: list[Line] = [[(line, "dim")] for line in wrapped(named, width, ", ")]
        return legend + _drawn(numbered, bold, gap)
    if gap > 1:
        return _fitted(rows, width, bold, 1)
    count = len(titles)
    while count > 1 and _wide([row[: count + 1] for row in rows], 1) > width:
        count -= 1
    if count >= len(titles):
        return _drawn(rows, bold, gap)
    first = [row[: count + 1] for row in rows]
    rest = [[row[0], *row[count + 1 :]] for row in rows]
    return _drawn(first, bold, gap) + _fitted(rest, width, bold, gap)


def _sizes(rows: Rows) -> list[int]:
    return [max(map(len, column)) for column in zip(*rows, strict=True)]


def _wide(rows: Rows, gap: int) -> int:
    sizes = _sizes(rows)
    return sum(sizes) + gap * (len(sizes) - 1)


def _drawn(rows: Rows, bold: Sequence[int], gap: int) -> list[Line]:
    sizes = _sizes(rows)
    lines: list[Line] = []
    for number, row in enumerate(rows):
        cells = [f"{row[0]:<{sizes[0]}}"]
        cells += [f"{cell:>{size}}" for cell, size in zip(row[1:], sizes[1:], strict=True)]
        style = "dim" if number == 0 else "bold" if number in bold else ""
        lines.append([((" " * gap).join(cells), style)])
    return lines


def _length(line: Line) -> int:
    return sum(len(text) for text, _ in line)
