"""A rules file while it is written: mistakes and their fixes, names, outline, completion.

What the words of the language mean is told with examples: of the grammar file, and of games.
Nothing here knows of editors or of a protocol: places are offsets into the text.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator
from functools import cache, cached_property
from importlib.resources import files

from attrs import frozen

from dicegames.ground.diagnostic import Diagnostic, Diagnostics, RulesError
from dicegames.ground.errors import DicegamesError
from dicegames.ground.source import Source, Span
from dicegames.library import supplied
from dicegames.rules.check import check
from dicegames.rules.parts.game import Rules
from dicegames.syntax.expected import expected_at
from dicegames.syntax.layout import formatted
from dicegames.syntax.nodes import Node
from dicegames.syntax.parse import MISTAKE, parse
from dicegames.syntax.tokens import RESERVED, TOKEN

DECLARING = frozenset(
    (
        *("option", "dice_short", "dice_sides", "dice_faces", "bag", "pile", "variable", "table"),
        *("map", "means", "means_any", "means_all", "means_cases", "step", "let", "each"),
        *("each_die", "pick", "row", "parameters", "face", "option_value"),
    )
)
"""Kinds of nodes whose own names are declared there."""
SUGGESTED = re.compile(r'did you mean "(.+)"\?')
WRITE = re.compile(r"write: ([^;]+)(?:; .*)?")
NAME = re.compile(r"[^\W\d]\w*")
BEGUN = re.compile(r"\w+\Z")


class CannotRename(DicegamesError):
    """Something cannot be called so; the message says why."""

    misused = True


@frozen
class Token:
    """A word, sign, text or comment, and its kind in `syntax.tokens`."""

    kind: str
    text: str
    span: Span


@frozen
class Symbol:
    """A part of the file for the outline."""

    name: str
    kind: str
    span: Span
    children: tuple[Symbol, ...] = ()


@frozen
class Fix:
    """A change that removes a mistake: what stands there instead."""

    title: str
    span: Span
    text: str


@frozen(slots=False)
class Document:
    """The text of a rules file at some moment."""

    source: Source

    @cached_property
    def nodes(self) -> list[Node]:
        """The top-level parts, those with mistakes among them."""
        return parse(self.source, Diagnostics(self.source))

    @cached_property
    def tokens(self) -> list[Token]:
        """All words and signs."""
        found = TOKEN.finditer(self.source.text)
        return [Token(m.lastgroup or "", m[0], Span(*m.span())) for m in found]

    @cached_property
    def game(self) -> Rules | None:
        """The checked game, without its other settings and examples; None if it has mistakes."""
        return self._checked[0]

    def mistakes(self, *, thorough: bool = False) -> list[Diagnostic]:
        """Return the mistakes; thorough: with all settings of the options, and the examples."""
        if not thorough or self._checked[1]:
            return self._checked[1]
        try:
            check(self.source)
        except RulesError as error:
            return error.diagnostics
        return []

    @cached_property
    def _checked(self) -> tuple[Rules | None, list[Diagnostic]]:
        try:
            return check(self.source, thorough=False), []
        except RulesError as error:
            return None, error.diagnostics

    def fixes(self, mistake: Diagnostic) -> list[Fix]:
        """Return changes that the help of a mistake names; each has been tried and helps."""
        here = self.source.at(mistake.span)
        found = []
        if suggested := SUGGESTED.search(mistake.help) or SUGGESTED.search(mistake.message):
            quoted = f'"{suggested[1]}"' if here.startswith('"') else suggested[1]
            found.append(Fix(f"replace by {quoted}", mistake.span, quoted))
        if (told := WRITE.fullmatch(mistake.help)) and "..." not in told[1]:
            found.append(Fix(f"write {told[1]}", mistake.span, told[1]))
        if mistake.help.startswith("leave it out"):
            end = mistake.span.end + self.source.text[mistake.span.end :].startswith(" ")
            found.append(Fix("leave it out", Span(mistake.span.start, end), ""))
        return [fix for fix in found if self._helps(fix)]

    def _helps(self, fix: Fix) -> bool:
        text = self.source.text
        changed = text[: fix.span.start] + fix.text + text[fix.span.end :]
        return len(Document(Source(self.source.name, changed)).mistakes()) < len(self.mistakes())

    # ---- names

    def token_at(self, offset: int) -> Token | None:
        """Return the word or sign at an offset, or the one that ends there."""
        touching = [t for t in self.tokens if t.span.start <= offset <= t.span.end]
        return next((t for t in touching if t.kind != "sign"), None)

    @cached_property
    def names(self) -> list[Token]:
        """All places of names, in the order of the file: a word of the language may be one, too."""
        found = []
        for top in self.nodes:
            if top.kind == MISTAKE:  # what cannot be read is known by its words only
                inside = (t for t in self.tokens if top.span.start <= t.span.start < top.span.end)
                found += [t for t in inside if t.kind == "name"]
            else:
                leaves = (node for node in top.walk() if node.kind == "NAME")
                found += [Token("name", node.text, node.span) for node in leaves]
        return found

    def name_at(self, offset: int) -> Token | None:
        """Return the name at an offset, or the one that ends there."""
        return next((t for t in self.names if t.span.start <= offset <= t.span.end), None)

    def occurrences(self, name: str) -> list[Span]:
        """Return all places of a name."""
        return sorted((t.span for t in self.names if t.text == name), key=lambda span: span.start)

    @cached_property
    def declared(self) -> list[Token]:
        """Names where they are declared, in the order of the file."""
        return [
            Token(node.kind, child.text, child.span)
            for top in self.nodes
            for node in top.walk()
            if node.kind in DECLARING
            for child in node.parts()
            if child.kind == "NAME"
        ]

    def declaration(self, name: str, offset: int) -> Token | None:
        """Return where a name is declared: the last place before an offset, else the first."""
        places = [t for t in self.declared if t.text == name]
        words = [t for t in places if t.kind not in ("face", "option_value")] or places
        before = [t for t in words if t.span.start <= offset]
        return before[-1] if before else next(iter(words), None)

    def renamed(self, name: str, other: str) -> str:
        """Return the text with another name for something; raises CannotRename."""
        first = TOKEN.match(other)
        if not NAME.fullmatch(other):
            raise CannotRename(f'"{other}" is no name: letters, digits and _, a letter first')
        if self.occurrences(other):
            raise CannotRename(f'"{other}" is the name of something else')
        if other in RESERVED or first is None or first.lastgroup != "name":
            raise CannotRename(f'"{other}" is a word of the language')
        text = self.source.text
        for span in reversed(self.occurrences(name)):
            text = text[: span.start] + other + text[span.end :]
        new = Document(Source(self.source.name, text)).mistakes()
        if len(new) > len(self.mistakes()):
            raise CannotRename(f'"{name}" has to be called so: {new[0].message}')
        return text

    # ---- the file as a whole

    def symbols(self) -> list[Symbol]:
        """Return the outline."""
        return [self._symbol(node) for node in self.nodes]

    def _symbol(self, node: Node) -> Symbol:
        text = self.source.at(node.span)
        first = text.partition("\n")[0].partition("#")[0].rstrip(" :") or node.kind
        inner = ("variable", "row", "map_row", "advice")
        parts = [part for part in node.parts() if part.kind in inner]
        return Symbol(first, node.kind, node.span, tuple(map(self._symbol, parts)))

    def folds(self) -> Iterator[tuple[int, int]]:
        """Yield the first and last line, counted from 1, of all that goes over several lines."""
        seen = set()
        for top in self.nodes:
            for node in top.walk():
                end = node.span.start + len(self.source.at(node.span).rstrip())
                lines = self.source.line_column(node.span.start)[0], self.source.line_column(end)[0]
                if lines[0] < lines[1] and lines[0] not in seen:
                    seen.add(lines[0])
                    yield lines

    def formatted(self) -> str | None:
        """Return the file in its one layout, None where its syntax is not in order."""
        try:
            return formatted(self.source)
        except RulesError:
            return None

    def completions(self, offset: int) -> list[tuple[str, str]]:
        """Return the words that may stand at an offset, each with its kind."""
        start = len(BEGUN.sub("", self.source.text[:offset]))
        if any(t.kind in ("comment", "string") and t.span.start < start < t.span.end
               for t in self.tokens):  # fmt: skip
            return []
        expected = expected_at(self.source, start)
        names = dict.fromkeys(t.text for t in self.declared if t.span.start != start)
        found = [(word, "word") for word in expected.words]
        return found + [(name, "name") for name in names if expected.name]

    @cached_property
    def spans_of_names(self) -> frozenset[Span]:
        """Where there are names: a word of the language may be one, too."""
        return frozenset(name.span for name in self.names)

    def about(self, token: Token) -> str:
        """Say what a word means, or where a name or a box is declared: Markdown."""
        if token.kind == "string":
            place = self.row(token.text)
        elif token.span in self.spans_of_names:
            place = self.declaration(token.text, token.span.start)
        else:
            return meaning_of(token.text)
        if place is None:
            return meaning_of(token.text)
        line = self.source.line_text(self.source.line_column(place.span.start)[0]).strip()
        return f"```dg\n{line}\n```"

    def row(self, label: str) -> Token | None:
        """Return where the row of a table is declared whose label, in quotes, is this."""
        rows = (node for top in self.nodes for node in top.walk() if node.kind == "row")
        labels = (part for row in rows for part in row.parts() if part.kind == "STRING")
        found = (Token("row", label, part.span) for part in labels if f'"{part.text}"' == label)
        return next(found, None)

    def strategies(self) -> list[tuple[str, Span]]:
        """Return the strategies with the places of their titles."""
        nodes = [node for node in self.nodes if node.kind == "strategy"]
        return [(node.child(0).text, node.child(0).span) for node in nodes]


# ---- the words of the language


COMMENT = re.compile(r"//\s+(\S.*)$", re.MULTILINE)
MOST_EXAMPLES = 3


@cache
def meanings() -> dict[str, str]:
    """Return what each word of the language means, in the order of the reference."""
    return tomllib.loads((files("dicegames.editor") / "words.toml").read_text("utf-8"))


@cache
def _examples() -> list[str]:
    """Return the examples of the grammar file, then the lines of the games, short ones first."""
    text = (files("dicegames.syntax") / "rules.lark").read_text("utf-8")
    shown = [m[1] for m in COMMENT.finditer(text, text.index("item:")) if "--" not in m[1]]
    shown = [each.strip() for line in shown for each in line.split(" / ")]
    rules = [path.read_text("utf-8").splitlines() for path in sorted(supplied().glob("*.dg"))]
    lines = [line.partition("#")[0].strip() for file in rules for line in file]
    return shown + sorted(lines, key=len)


def examples_of(word: str) -> list[str]:
    """Return some lines in which a word stands."""
    pattern = re.compile(rf"\b{re.escape(word)}\b")
    found = (line for line in _examples() if pattern.search(re.sub(r'"[^"]*"', "", line)))
    return list(dict.fromkeys(found))[:MOST_EXAMPLES]


def meaning_of(word: str) -> str:
    """Return what a word means and where it stands: Markdown; nothing for other words."""
    if word not in meanings():
        return ""
    lines = "".join(f"\n{example}" for example in examples_of(word))
    return f"**{word}**: {meanings()[word]}" + (f"\n\n```dg{lines}\n```" if lines else "")
