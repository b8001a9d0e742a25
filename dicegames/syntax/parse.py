"""From text to syntax tree; only `syntax` knows lark.

A file is cut into its top-level parts (each begins in the first column), and every part is parsed
by itself: a mistake in one does not hide the mistakes of the others. Within a part, the line of a
mistake is taken out and the rest is parsed again.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache, lru_cache
from typing import Any

from attrs import evolve, frozen
from lark import Token, Tree
from lark.exceptions import UnexpectedCharacters, UnexpectedToken
from lark.indenter import DedentError
from lark.parsers.lalr_interactive_parser import InteractiveParser

from dicegames.ground.diagnostic import Diagnostic, Diagnostics, RulesError
from dicegames.ground.source import Source, Span
from dicegames.syntax.characters import strange_character
from dicegames.syntax.grammar import grammar_parser
from dicegames.syntax.hints import UNCLOSED
from dicegames.syntax.mistakes import Mismatch, follows, no_block, unexpected
from dicegames.syntax.nodes import Node
from dicegames.syntax.slips import head_of, slip_in
from dicegames.syntax.text import code_of, indent_of, is_readable, open_brackets
from dicegames.syntax.tokens import RESERVED

DEEPEST_NESTING = 80
MOST_SYNTAX_ERRORS = 30
"""Syntax errors after which the rest of a file is not looked at."""

MISTAKE = "mistake"
"""The kind of the node that stands for a part with syntax errors.

Its text is what cannot be read; its child, if it has one, is the part without that.
"""


@frozen
class _TextPart:
    """The text of one top-level part and its offset in the file."""

    text: str
    offset: int
    source: Source

    def span(self, start: int, length: int = 1) -> Span:
        """Return the place in the file of a place in this part."""
        return Span(self.offset + start, self.offset + start + max(1, length))


def parse(source: Source, diagnostics: Diagnostics) -> list[Node]:
    """Return the top-level parts of a rules file; report those that are not in order.

    A part with a syntax error is a node of the kind MISTAKE.
    """
    nodes, mistakes = _parsed(source)
    diagnostics.found.extend(mistakes)
    return list(nodes)


def parse_whole(source: Source) -> list[Node]:
    """Return the top-level parts of a rules file; raises RulesError where one is not in order."""
    diagnostics = Diagnostics(source)
    nodes = parse(source, diagnostics)
    if diagnostics.found:
        raise RulesError(source, diagnostics.sorted())
    return nodes


@lru_cache(maxsize=8)
def _parsed(source: Source) -> tuple[tuple[Node, ...], tuple[Diagnostic, ...]]:
    """Return the parts of a file and its mistakes; a file is asked for more than once."""
    diagnostics = Diagnostics(source)
    if not is_readable(source, diagnostics):
        return (), tuple(diagnostics.found)
    claimed = {m[1] for m in _EXPLAINED.finditer(source.text) if m[1] in RESERVED}
    nodes = tuple(
        _parse_part(part, diagnostics, claimed)
        if len(diagnostics.found) < MOST_SYNTAX_ERRORS
        else _mistake(part)
        for part in _split(source)
    )
    return nodes, tuple(diagnostics.found)


_EXPLAINED = re.compile(r"^(\w+) +of +[^\n]*\bmeans\b", re.MULTILINE)
"""A function that the rules explain; its name may be a word of the language."""


def _split(source: Source) -> list[_TextPart]:
    """Cut the file before every line that begins in the first column."""
    starts: list[int] = []
    for number, start in enumerate(source.line_starts, 1):
        line = source.line_text(number)
        if line.strip() and not line.lstrip().startswith("#") and (line[0] != " " or not starts):
            starts.append(start)
    ends = [*starts[1:], len(source.text)]
    return [
        _TextPart(source.text[a:b].rstrip() + "\n", a, source)
        for a, b in zip(starts, ends, strict=True)
    ]


def _parse_part(part: _TextPart, diagnostics: Diagnostics, claimed: set[str]) -> Node:
    """Return the tree of a part; faults in the use of `claimed` names are told where they stand."""
    tree, mistake = _attempt(part)
    if tree is not None:
        node = _convert(tree, part, diagnostics)
        return node if node is not None else _mistake(part)
    whole, before, explains = part, None, _EXPLAINED.match(part.text) is not None
    for _ in range(MOST_SYNTAX_ERRORS):  # also those that are not told
        if mistake is None or len(diagnostics.found) >= MOST_SYNTAX_ERRORS:
            break
        line = part.source.line_text(part.source.line_column(mistake.span.start)[0])
        used = any(re.search(rf"\b{name} of\b", line) for name in claimed)
        told = explains or part.offset == mistake.span.start or not used
        if told and not follows(part.source, before, mistake):
            diagnostics.put(mistake)
        before = mistake
        part, mistake = _repaired(part, mistake)
    return _mistake(whole, part if mistake is None else None)


def _mistake(part: _TextPart, repaired: _TextPart | None = None) -> Node:
    """Return the node of a part with mistakes, which may have been taken out of it."""
    span = part.span(0, len(part.text.rstrip()))
    if repaired is not None and (tree := _attempt(repaired)[0]) is not None:
        kept = _convert(tree, repaired, Diagnostics(part.source))
        if kept is not None:
            pairs = zip(part.text.split("\n"), repaired.text.split("\n"), strict=True)
            faulty = "\n".join(line for line, left in pairs if line != left)
            return Node(MISTAKE, span, (kept,), faulty)
    return Node(MISTAKE, span, (), part.text)


def _attempt(part: _TextPart) -> tuple[Tree[Token] | None, Diagnostic | None]:
    """Return the tree of a part, or its first mistake."""
    try:
        return grammar_parser().parse(part.text), None
    except UnexpectedCharacters as error:
        at: Any = error.pos_in_stream
        return None, strange_character(part.text, at, part.offset)
    except DedentError:
        message = "this line is indented unlike any line above it"
        hint = "the lines of one block begin in the same column"
        span = part.span(_first_bad_indent(part.text))
        return None, Diagnostic("indentation", message, span, hint)
    except UnexpectedToken as error:
        return None, _unexpected(error, part)


# ---- going on after a mistake


def _repaired(part: _TextPart, mistake: Diagnostic) -> tuple[_TextPart, Diagnostic | None]:
    """Take the line of a mistake out; return what is left, and the next mistake after it."""
    at = mistake.span.start - part.offset
    begin = next(iter(open_brackets(code_of(part.text), at)), at)  # of all lines in brackets
    line, is_block = part.text.count("\n", 0, begin), mistake.code == "indented"
    for word in ("pass", ""):
        left = evolve(part, text=_without_line(part.text, line, word, is_block=is_block))
        _, following = _attempt(left)
        if following is None:
            return left, None
        if part.text.count("\n", 0, following.span.start - part.offset) > line:
            return left, following
    return part, None


def _without_line(text: str, number: int, word: str, *, is_block: bool) -> str:
    """Blank a line and the block below it, or that it begins, all other text keeping its place."""
    lines = text.split("\n")
    indent = indent_of(lines[number])
    for i in range(number, len(lines)):
        content = lines[i].strip()
        outside = i > number and content and indent_of(lines[i]) < indent + (not is_block)
        if outside and not (indent_of(lines[i]) == indent and re.match(r"else\b", content)):
            break
        lines[i] = " " * len(lines[i])
    if len(lines[number]) >= indent + len(word):
        lines[number] = (" " * indent + word).ljust(len(lines[number]))
    return "\n".join(lines)


def _first_bad_indent(text: str) -> int:
    """Return the offset of the first line whose indentation matches no open block."""
    open_columns, offset, code = [0], 0, code_of(text)
    for line in text.split("\n"):
        content = line.strip()
        if content and not content.startswith("#") and not open_brackets(code, offset):
            column = indent_of(line)
            while column < open_columns[-1]:
                open_columns.pop()
                if column > open_columns[-1]:
                    return offset + column
            if column > open_columns[-1]:
                open_columns.append(column)
        offset += len(line) + 1
    return max(0, len(text.rstrip()) - 1)


# ---- what the parser met


@cache
def _words() -> dict[str, str]:
    """Return the words and signs of the language by the names of their terminals."""
    definitions = grammar_parser().terminals
    return {d.name: str(d.pattern.value) for d in definitions if d.pattern.type == "str"}


def _unexpected(error: UnexpectedToken, part: _TextPart) -> Diagnostic:
    token, (parser, last, instead) = error.token, _before_mistake(part)
    expected = frozenset[str](parser.accepts())  # type: ignore[no-untyped-call]
    at = _position(token, part)
    end = _end_of_open_line(part.text, at)
    if end >= 0:
        return Diagnostic(
            "line-ends", "the line ends here, but something is missing", part.span(end), UNCLOSED
        )
    begins_line = not part.text[part.text.rfind("\n", 0, at) + 1 : at].strip()
    is_bare = expected == {"_INDENT"} and (begins_line or token.type in ("$END", "_DEDENT"))
    slip = _slip(part, len(part.text[:at].rstrip()) if is_bare else at, expected)
    if slip is not None:
        return slip
    if is_bare:
        ends = len(part.text[:at].rstrip())
        return no_block(part.text[part.text.rfind("\n", 0, ends) + 1 : ends], part.span(ends))
    if token.type == "_INDENT":
        first_word = re.compile(r"[^\n]*\n(?:[ \t]*(?:#[^\n]*)?\n)*[ \t]*(\S+)").match(
            part.text, at
        )
        assert first_word is not None
        span = part.span(first_word.start(1), len(first_word[1]))
        return unexpected(Mismatch(token.type, "", span, expected), _words())
    return unexpected(_found(token, last, part, at, (expected, instead)), _words())


def _slip(part: _TextPart, at: int, expected: frozenset[str]) -> Diagnostic | None:
    begin = part.text.rfind("\n", 0, at) + 1
    line = re.sub(r"#.*", "", part.text[begin:].partition("\n")[0])
    found = slip_in(line.rstrip(), at - begin, expected, head_of(part.text))
    if found is None:
        return None
    at, length = found.span.start, found.span.end - found.span.start
    return evolve(found, span=part.span(begin + at, length))


def _end_of_open_line(text: str, at: int) -> int:
    """Return where a line ends that opens a bracket, if it was forgotten to close it; else -1.

    Lines in brackets go on as long as they are indented deeper than the first.
    """
    code = code_of(text)
    brackets = open_brackets(code, at)
    opened = brackets[-1] if brackets else at
    begin, end = text.rfind("\n", 0, opened) + 1, code.find("\n", opened)
    if not 0 <= end < at:
        return -1
    here = text[text.rfind("\n", 0, at) + 1 :].partition("\n")[0]
    is_closed = opened not in open_brackets(code, len(code))
    if is_closed and indent_of(here) > indent_of(text[begin:end]):
        return -1
    return begin + len(code[begin:end].rstrip())


def _found(
    token: Token, last: Token | None, part: _TextPart, at: int, possible: tuple[frozenset[str], ...]
) -> Mismatch:
    """Gather what stands around a misplaced word; `possible`: what fits there, and before."""
    text = str(token).strip()
    line = part.text[part.text.rfind("\n", 0, at) + 1 : at]
    before = re.search(r"(\w+|[^\w\s])\s*$", line)
    word, word_at = (before[1], at - len(line) + before.start(1)) if before else ("", at)
    is_first = before is not None and not line[: before.start(1)].strip()
    return Mismatch(
        token.type,
        text,
        part.span(at, len(text)),
        possible[0],
        word,
        part.span(word_at, len(word)),
        last is not None and last.type == "NAME" and str(last) == word,
        len(re.findall(rf"\b{re.escape(word)}\b", part.source.text)) > 1,
        bool(open_brackets(code_of(line), len(line))),
        head_of(part.text),
        indent_of(line) if is_first else -1,
        possible[1],
    )


def _before_mistake(part: _TextPart) -> tuple[InteractiveParser, Token | None, frozenset[str]]:
    """Return the parser before the word that it cannot take, the word before, and what else fits.

    The error itself holds the parser after it, when some reductions have been made already.
    """
    taken, word = 0, None
    try:
        for word in grammar_parser().parse_interactive(part.text).iter_parse():  # noqa: B007
            taken += 1
    except UnexpectedToken as error:
        taken -= error.token is word  # else the lexer finds no word that could be taken
    parser, word = grammar_parser().parse_interactive(part.text), None
    words = parser.iter_parse()
    for _ in range(taken):
        word = next(words)
    instead = frozenset[str](parser.accepts())  # type: ignore[no-untyped-call]
    if word is not None:
        parser.feed_token(word)  # the iterator would look for the next word first
    return parser, word, instead


def _position(token: Token, part: _TextPart) -> int:
    """Return where a token stands; for the end of a line, the end of what it says."""
    if token.type == "$END" or token.start_pos is None:
        return len(part.text.rstrip())
    return int(token.start_pos)


# ---- lark's tree into ours


def _convert(tree: Tree[Token], part: _TextPart, diagnostics: Diagnostics) -> Node | None:
    """Turn lark's tree into ours, unless it is deeper than recursion may go."""
    for depth, deepest in enumerate(_levels(tree)):
        if depth == DEEPEST_NESTING:
            start = 0 if deepest.meta.empty else int(deepest.meta.start_pos)
            message = "the rules are nested too deeply here"
            hint = "name the inner parts: NAME means ..., or a step of their own"
            diagnostics.add("nesting", message, part.span(start), hint)
            return None
    return _convert_tree(tree, part)


def _levels(tree: Tree[Token]) -> Iterator[Tree[Token]]:
    """Yield one tree of each level, from the root down."""
    level = [tree]
    while level:
        yield level[0]
        level = [c for t in level for c in t.children if isinstance(c, Tree)]


def _convert_tree(item: Tree[Token] | Token | None, part: _TextPart) -> Node | None:
    if item is None:
        return None
    if isinstance(item, Token):
        text = str(item)[1:-1] if item.type == "STRING" else " ".join(item.split())
        return Node(item.type, part.span(item.start_pos or 0, len(item)), (), text)
    children = tuple(_convert_tree(child, part) for child in item.children)
    if item.meta.empty:
        return Node(str(item.data), part.span(0), children)
    start, end = item.meta.start_pos, item.meta.end_pos
    span = part.span(start, len(part.text[start:end].rstrip()))
    bracketed = getattr(item.meta, "container_start_pos", start) < start
    return Node(str(item.data), span, children, "", bracketed)
