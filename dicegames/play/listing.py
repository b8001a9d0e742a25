"""Moves as a list to choose from: numbered, in columns, large families in one line."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import groupby

from dicegames.rules.running.referee import Move

LARGE_FAMILY = 7
"""Moves that differ in their dice only are summed up in one line if there are more than this."""
FEW = 3
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
        lines = columns(entries(moves, beside, whole=False, largest=FEW), width)
    return lines


def entries(
    moves: Sequence[Move],
    beside: Mapping[str, str],
    *,
    whole: bool,
    largest: int = LARGE_FAMILY,
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
