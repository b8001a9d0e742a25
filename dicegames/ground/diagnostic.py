"""Mistakes of users as data: a code, a place, a message, and what to write instead."""

from __future__ import annotations

import difflib
import re
import unicodedata
from collections import Counter
from collections.abc import Iterable
from functools import lru_cache

from attrs import field, frozen

from dicegames.ground.errors import DicegamesError
from dicegames.ground.source import Source, Span

LONGEST_LINE_SHOWN = 160
MOST_MISTAKES = 100
LONGEST_NAME_COMPARED = 100
"""Longer names are not looked at when a similar one is wanted."""
LONGEST_WORD = 80
"""So many signs of a number, or of anything without a blank, are shown of a mistake in a file."""


@frozen
class Diagnostic:
    """One mistake found in a rules file."""

    code: str
    message: str
    span: Span
    help: str = ""


@frozen
class Diagnostics:
    """A collector: mistakes are gathered, sorted and shown together."""

    source: Source
    found: list[Diagnostic] = field(factory=list)
    remarks: list[Diagnostic] = field(factory=list)  # on what is in order, but may mislead

    def remark(self, code: str, message: str, span: Span, help: str = "") -> None:
        """Record a remark; a second one at the same place is dropped."""
        if all(d.span != span for d in self.remarks):
            self.remarks.append(Diagnostic(code, message, span, help))

    def add(self, code: str, message: str, span: Span, help: str = "") -> None:
        """Record a mistake; a second one at the same place is dropped."""
        self.put(Diagnostic(code, message, span, help))

    def put(self, diagnostic: Diagnostic) -> None:
        """Record a mistake, as `add` does."""
        span = diagnostic.span
        here = [d for d in self.found if d.span == span]
        if span.start == 0:  # what the file as a whole lacks is said of its first character
            here = [d for d in here if d.code == diagnostic.code]
        if not self.is_full and not here:
            self.found.append(diagnostic)

    def take_back(self, diagnostic: Diagnostic) -> None:
        """Forget a mistake, if it is recorded."""
        self.found[:] = [d for d in self.found if d != diagnostic]

    @property
    def is_full(self) -> bool:
        """Tell whether so many mistakes have been found that more would help nobody."""
        return len(self.found) >= MOST_MISTAKES

    def sorted(self) -> list[Diagnostic]:
        """Return all mistakes in the order of the file."""
        return sorted(self.found, key=lambda d: (d.span.start, d.span.end, d.code))


class RulesError(DicegamesError):
    """A rules file has mistakes; `diagnostics` says which and where."""

    def __init__(self, source: Source, diagnostics: list[Diagnostic]):
        self.source = source
        self.diagnostics = diagnostics
        super().__init__("\n".join(render(source, d) for d in diagnostics))


def printable(text: str) -> str:
    """Replace characters that would disturb a terminal."""
    return "".join(c if c.isprintable() else "\N{REPLACEMENT CHARACTER}" for c in text)


def without_long_words(text: str, most: int = LONGEST_WORD) -> str:
    """Cut short what no reader wants to see whole: a number with hundreds of digits."""
    half = most // 2
    return re.sub(rf'([^\s/\\"]{{{half}}})[^\s/\\"]{{{most - half},}}', r"\1...", text)


def cells(text: str) -> int:
    """Return how many columns of a terminal a text takes."""
    wide = sum(unicodedata.east_asian_width(c) in ("W", "F") for c in text)
    return len(text) + wide - sum(unicodedata.combining(c) > 0 for c in text)


def render(source: Source, diagnostic: Diagnostic) -> str:
    """Show a mistake with file, line, column, the source line and the span underlined."""
    line, column = source.line_column(diagnostic.span.start)
    text = source.line_text(line)
    message = without_long_words(diagnostic.message)
    head = f"{source.name}:{line}:{column}: {message} [{diagnostic.code}]"
    shift = max(0, column - 1 - LONGEST_LINE_SHOWN // 2) if len(text) > LONGEST_LINE_SHOWN else 0
    shown = printable(text[shift : shift + LONGEST_LINE_SHOWN].replace("\t", " "))
    start = column - 1 - shift
    marked = shown[start : start + diagnostic.span.end - diagnostic.span.start]
    gutter = f"{line:>4} | "
    under = " " * cells(shown[:start]) + "^" * max(1, cells(marked))
    lines = [head, gutter + shown, " " * (len(gutter) - 2) + "| " + under]
    if diagnostic.help:
        lines.append(f"  help: {without_long_words(diagnostic.help)}")
    return "\n".join(lines)


def folded(text: str) -> str:
    """Return a text in small letters and with single spaces, as names are compared."""
    return " ".join(text.lower().split())


def help_lines(*helps: str) -> str:
    """Return several helps as one, each on a line of its own, as `render` shows it."""
    return "\n        ".join(filter(None, helps))


def named(names: Iterable[str], most: int = 12) -> str:
    """Return names with commas, no more than so many of them."""
    some = list(names)
    return ", ".join(some[:most]) + ", ..." * (len(some) > most)


def did_you_mean(word: str, candidates: Iterable[str], cutoff: float = 0.6) -> str:
    """Return a suggestion such as `did you mean "score"?`, or nothing; see `closest`."""
    found = closest(word, candidates, cutoff)
    foreign = "".join(sorted(letter for letter in {*word} ^ {*found} if not is_latin(letter)))
    hint = f" from another alphabet: {foreign}" if foreign else ""
    return f'did you mean "{found}"?{hint}' if found else ""


def is_latin(letter: str) -> bool:
    """Tell whether a letter is one of the Latin alphabet."""
    return letter.isascii() or unicodedata.name(letter, "").startswith("LATIN ")


def closest(word: str, candidates: Iterable[str], cutoff: float = 0.6) -> str:
    """Return the candidate that is most like a word, or nothing.

    It is the one with the largest ratio of `difflib`, if that is not below the cutoff. Those
    that share too few letters cannot be it: most of many names are passed over.
    """
    wanted = word.lower()
    if len(wanted) > LONGEST_NAME_COMPARED:
        return ""
    by_case = {
        c.lower(): c for c in candidates if c != word and 0 < len(c) <= LONGEST_NAME_COMPARED
    }
    signs = _signs(wanted)
    bounds = {c: 2 * len(signs & _signs(c)) / max(len(wanted) + len(c), 1) for c in by_case}
    best = (cutoff, "")
    matcher = difflib.SequenceMatcher(b=wanted)
    for name in sorted(
        (c for c, bound in bounds.items() if bound >= cutoff), key=bounds.__getitem__, reverse=True
    ):
        if bounds[name] < best[0]:
            break
        matcher.set_seq1(name)
        best = max(best, (matcher.ratio(), name))
    return by_case.get(best[1], "")


@lru_cache(maxsize=10_000)
def _signs(name: str) -> frozenset[tuple[str, int]]:
    """Return the letters of a name, those that come again with their number."""
    counts: Counter[str] = Counter()
    found = []
    for letter in name:
        found.append((letter, counts[letter]))
        counts[letter] += 1
    return frozenset(found)
