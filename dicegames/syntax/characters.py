"""Characters that begin no word of the language: what was meant by them, or that nothing was."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator

from dicegames.ground.diagnostic import Diagnostic
from dicegames.ground.source import Span

LOOKED_AT = 100
"""How many characters before and behind a strange one are looked at."""

_ANY_NAME = r"(?<!\w)[^\W\d]\w*"
_VALUE_ENDS = r"[\w)}]"
_VALUE_BEGINS = r"[\w({]"


def _between(sign: str) -> str:
    """Return the pattern of a sign that stands between two values."""
    return rf"{_VALUE_ENDS} *(?P<sign>{sign}) *{_VALUE_BEGINS}"


OTHER_SIGNS = {
    "//": "a comment begins with #; a division is: 7 div 2",
    r"(\w+) ?\.\.+ ?(\w+)": r"write: \1 to \2",
    r"\.\.+": "write: 0 to 5",
    r"^ *(?P<sign>\d+\.) +(?=[\w\"])": "leave it out: lines are not numbered",
    r"(?<=\d)(?P<sign>\.)": (
        "there are no fractions: count in halves; div rounds down (7 div 2 is 3)"
    ),
    rf"({_ANY_NAME})(?<=\w\w)\.([^\W\d])(?!\w)": r"write: \1 of \2",  # worth.f
    rf"({_ANY_NAME})\.([^\W\d]\w*)": r"write: \2 of \1",  # p.score
    r"\d(?P<sign>%)(?= *$| of\b)": "there are no fractions; a tenth is: score div 10",
    _between("%"): "write: mod; it is the remainder of a division",
    _between("/"): "write: div; it rounds down (7 div 2 is 3)",
    _between("&&?"): "write: and",
    r'^ *(?:if|else|repeat|each|otherwise|"[^"]*")[^:;]*(?P<sign>;) *(?!pays\b)\w': "write: :",
    r'^ +.*[\w)}"] *(?P<sign>;) *[\w({"]': "write: ,",
    r"! +=": "write: !=",
    rf"(?:\(|\b(?:and|if|or|unless|until|when|where) *)(?P<sign>!) *{_VALUE_BEGINS}": "write: not",
    r"\(([^?:()]+?) *\? *([^?:()]+?) *: *([^?:()]+)\)": r"write: (\2 if \1 else \3)",
    rf"{_VALUE_ENDS} *(?P<sign>\?)[^:]+:": "write: A if CONDITION else B",
    rf"({_ANY_NAME})\[(\w+)\]": r"write: \1 of \2",
    rf"({_ANY_NAME})\[([^][]+)\]": r"write: \1 of (\2)",
    r"\[(\w+(?: \w+)+)\]": r"write: {\1}",
    r"\[([^][]*)\]": r"write: (\1)",
    r"(?P<sign>\[)[^()]*\)": "write: (",
    r"\([^()]*(?P<sign>\])": "write: )",
    r"\{[^{}]*(?P<sign>\])": "write: }",
    rf"({_ANY_NAME})'s ([^\W\d]\w*)": r"write: \2 of \1",
    r"'([^'\"]*)'": r'write: "\1"',
    r"\\ *$": "leave it out; what stands in brackets may go on in the next line",
}
"""Signs of other notations, as regular expressions, and what is written here.

Where a group is called `sign`, that is the sign, and the rest what stands beside it.
"""

OTHER_CHARACTERS = {
    **dict.fromkeys("\N{LEFT DOUBLE QUOTATION MARK}\N{RIGHT DOUBLE QUOTATION MARK}", '"'),
    **dict.fromkeys("\N{LEFT SINGLE QUOTATION MARK}\N{RIGHT SINGLE QUOTATION MARK}", '"'),
    "\N{DOUBLE LOW-9 QUOTATION MARK}": '"',
    "\N{LEFT-POINTING DOUBLE ANGLE QUOTATION MARK}": '"',
    "\N{RIGHT-POINTING DOUBLE ANGLE QUOTATION MARK}": '"',
    **dict.fromkeys("\N{EN DASH}\N{EM DASH}\N{MINUS SIGN}", "-"),
    **dict.fromkeys("\N{MULTIPLICATION SIGN}\N{MIDDLE DOT}\N{DOT OPERATOR}", "*"),
    "\N{LESS-THAN OR EQUAL TO}": "<=",
    "\N{GREATER-THAN OR EQUAL TO}": ">=",
    "\N{NOT EQUAL TO}": "!=",
    "\N{RIGHTWARDS ARROW}": "->",
    "\N{HORIZONTAL ELLIPSIS}": "...",
    "\N{DIVISION SIGN}": "div; it rounds down (7 div 2 is 3)",
}
"""Characters that stand for a sign of the language wherever they are."""


def strange_character(text: str, at: int, start: int) -> Diagnostic:
    """Describe a character of a text that begins no word of the language.

    start: where the text begins in the file.
    """
    char = text[at]
    if char == '"':
        span = Span(start + at, start + at + 1)
        hint = 'close it with " on the same line'
        return Diagnostic("quotes", "this text in quotes has no end", span, hint)
    message = f"the character {char} has no meaning here"
    for begin, end, hint in _signs(text, at):
        return Diagnostic("character", message, Span(start + begin, start + end), hint)
    return Diagnostic("character", message, Span(start + at, start + at + 1), _told_of(char))


def _signs(text: str, at: int) -> Iterator[tuple[int, int, str]]:
    """Yield the place of each sign of another notation that a character belongs to."""
    first = max(text.rfind("\n", 0, at) + 1, at - LOOKED_AT)
    near = text[first : at + LOOKED_AT].partition("\n")[0]
    for pattern, hint in OTHER_SIGNS.items():
        for found in re.finditer(pattern, near):
            begin, end = found.span("sign" if "sign" in found.re.groupindex else 0)
            if first + begin <= at < first + end:
                yield first + begin, first + end, found.expand(hint)


def _told_of(char: str) -> str:
    """Return what to write instead of a character, whatever stands beside it."""
    if char.isdecimal():
        return f"write: {int(char)}"
    if char in OTHER_CHARACTERS:
        return f"write: {OTHER_CHARACTERS[char]}"
    plain = unicodedata.normalize("NFKC", char)
    if "\N{FRACTION SLASH}" in plain:
        return "there are no fractions: count in halves"
    return f"write: {plain}" if plain != char and plain.isascii() else "leave it out"
