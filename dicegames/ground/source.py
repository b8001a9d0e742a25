"""A rules file as text, and places in it."""

from __future__ import annotations

import re
from bisect import bisect_right
from functools import cached_property

from attrs import frozen


@frozen
class Span:
    """A half-open range of character offsets in one source."""

    start: int
    end: int

    def to(self, other: Span) -> Span:
        """Return the span from the start of this one to the end of `other`."""
        return Span(self.start, max(self.end, other.end))


@frozen(slots=False)
class Source:
    """The text of one file, with the name that messages show for it."""

    name: str
    text: str

    @cached_property
    def line_starts(self) -> list[int]:
        """Offsets of the first character of each line."""
        return [0, *(found.end() for found in re.finditer("\n", self.text))]

    def line_column(self, offset: int) -> tuple[int, int]:
        """Return the line and column, both counted from 1, of a character offset."""
        offset = max(0, min(offset, len(self.text)))
        line = bisect_right(self.line_starts, offset)
        return line, offset - self.line_starts[line - 1] + 1

    def at(self, span: Span) -> str:
        """Return what stands at a place."""
        return self.text[span.start : span.end]

    def words(self, span: Span) -> str:
        """Return the same in one line, with single spaces."""
        return " ".join(self.at(span).split())

    def line_text(self, line: int) -> str:
        """Return the text of a line, counted from 1, without its line end."""
        start = self.line_starts[line - 1]
        end = self.line_starts[line] - 1 if line < len(self.line_starts) else len(self.text)
        return self.text[start:end].rstrip("\r")


NOT_TEXT = "\N{REPLACEMENT CHARACTER}"


def decode(name: str, data: bytes) -> Source:
    """Return the source that a file holds: UTF-8, with or without a byte order mark.

    Line ends of all systems are read alike. Bytes that are no text become NOT_TEXT, which the
    parser reports with its place.
    """
    text = data.decode("utf-8-sig", errors="replace")
    return Source(name, text.replace("\r\n", "\n").replace("\r", "\n"))
