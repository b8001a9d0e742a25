"""Tables, lists of words and of moves that fit a width: moves numbered, families in one line."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import groupby

from dicegames.play.wording import Line
from dicegames.rules.running.referee import Move

Rows = Sequence[Sequence[str]]
"""Rows of cells; the first row has the titles, the first column the names of the rows."""
GAP = 2
SHORT_NAME = 2
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
    long = [title for title in titles if wider and len(title) > SHORT_NAME]
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


LARGE_FAMILY = 7
"""Moves that differ in their dice only are summed up in one line if there are more than this."""
FEW_COLUMNS = 3
"""As above, where the list would be long."""
LONGEST_LIST = 8
"""Lines from which on a list of moves is long."""


def listed(
    moves: Sequence[Move], width: int, beside: Mapping[str, str], *, whole: bool
) -> list[str]:
    """Return the lines of a list of moves, `beside` what is said of some of them.

    More families are in one line each where the list would be long.
    """
    lines = columns(entries(moves, beside, whole=whole), width)
    if len(lines) > LONGEST_LIST and not whole:
        lines = columns(entries(moves, beside, whole=False, largest=FEW_COLUMNS), width)
    return lines


def entries(
    moves: Sequence[Move], beside: Mapping[str, str], *, whole: bool, largest: int = LARGE_FAMILY
) -> list[str]:
    """Return what the list of moves shows: each with its number, or large families in one."""
    numbered = list(enumerate(moves, 1))
    found = []
    for name, group in groupby(numbered, key=lambda pair: family(pair[1].label)):
        members = list(group)
        if whole or len(members) <= largest:
            texts = [f"{move.label} {beside.get(move.label, '')}" for _, move in members]
            found += [f"{n} {text}".rstrip() for (n, _), text in zip(members, texts, strict=True)]
        else:
            first, last = members[0][0], members[-1][0]
            sample = members[len(members) // 2][1]
            found.append(f"{first}-{last} {name} ..., such as {sample.label}")
    return found


def family(label: str) -> str:
    """Return a move's name without the dice in it."""
    words = label.split()
    place = next((n for n, word in enumerate(words) if word.isdigit() or word == "none"), None)
    return " ".join(words[:place])


def columns(texts: list[str], width: int) -> list[str]:
    """Return texts in columns as wide as the widest that shares a line, read across."""
    lines: list[str] = []
    short = [text for text in texts if ", such as " not in text]
    widest = max((len(text) for text in short), default=0) + 2
    for text in texts:
        if text in short and lines and ", such as " not in lines[-1]:
            end = -(-len(lines[-1] + "  ") // widest) * widest
            if end + len(text) <= width:
                lines[-1] = f"{lines[-1]:<{end}}{text}"
                continue
        lines.append(text)
    return lines
