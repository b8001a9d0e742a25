"""The text of a rules file: whether it is one, and what its lines tell before it is parsed."""

from __future__ import annotations

import re

from dicegames.ground.diagnostic import Diagnostics
from dicegames.ground.source import NOT_TEXT, Source, Span

LARGEST_TEXT = 100_000
MOST_TABS = 10
NO_BREAK_SPACES = "\N{NO-BREAK SPACE}\N{NARROW NO-BREAK SPACE}\N{FIGURE SPACE}"

_TAB = re.compile(r"^[ ]*(\t)[ \t]*(?=[^\s#])", re.MULTILINE)
_CONTENT = re.compile(r"^[ \t]*[^\s#]", re.MULTILINE)


def is_readable(source: Source, diagnostics: Diagnostics) -> bool:
    """Tell whether the text can be parsed; report why not."""
    text = source.text
    if len(text) > LARGEST_TEXT:
        message = f"this is too long for a rules file: {len(text):,} characters"
        hint = f"a rules file may have {LARGEST_TEXT:,}, up to here; is this another file?"
        diagnostics.add("file-too-long", message, Span(LARGEST_TEXT, LARGEST_TEXT + 1), hint)
        return False
    if not _is_printable(text, diagnostics):
        return False
    if not _CONTENT.search(text):
        hint = 'begin with: game "Name of the game"'
        diagnostics.add("empty-file", "the file has no rules", Span(0, 0), hint)
        return False
    for count, tab in enumerate(_TAB.finditer(text)):
        if count == MOST_TABS:
            break
        span = Span(tab.start(1), tab.end(1))
        message = "this line begins with a tab"
        diagnostics.add("tab", message, span, "indent with spaces, four for each level")
    return not diagnostics.found


def _is_printable(text: str, diagnostics: Diagnostics) -> bool:
    if text.replace("\n", "").replace("\t", "").isprintable() and NOT_TEXT not in text:
        return True
    for offset, char in enumerate(text):
        if char in "\n\t" or (char.isprintable() and char != NOT_TEXT):
            continue
        span = Span(offset, offset + 1)
        if char in NO_BREAK_SPACES:
            message = "there is a no-break space here"
            diagnostics.add("character", message, span, "write an ordinary space")
            continue
        message = "this is not plain text: here is a character that cannot be printed"
        hint = "save the file as UTF-8 text"
        diagnostics.add("not-text", message, span, hint)
        return False
    return False


def indent_of(line: str) -> int:
    """Return how many columns a line is indented."""
    return len(line) - len(line.lstrip())


def open_brackets(code: str, at: int) -> list[int]:
    """Return where brackets are opened before a place that are not closed there."""
    opened = []
    for sign in re.finditer(r"[()]", code[:at]):
        if sign[0] == "(":
            opened.append(sign.start())
        elif opened:
            opened.pop()
    return opened


def code_of(text: str) -> str:
    """Return a text with its comments and what is in quotes made blank."""
    return re.sub(r'#[^\n]*|"[^"\n]*"', lambda found: " " * len(found[0]), text)
