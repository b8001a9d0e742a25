"""What may stand at a place of a rules file, by the grammar: for an editor that completes."""

from __future__ import annotations

import re
from contextlib import suppress
from functools import cache

from attrs import frozen
from lark import Token
from lark.exceptions import UnexpectedInput
from lark.indenter import DedentError

from dicegames.ground.source import Source
from dicegames.syntax.grammar import grammar_parser
from dicegames.syntax.tokens import WORDS

BLOCK_ENDS = ("_DEDENT", "$END")


@frozen
class Expected:
    """The words of the language that may stand at a place, and whether a name may."""

    words: tuple[str, ...]
    name: bool


def expected_at(source: Source, offset: int) -> Expected:
    """Return what may stand at an offset; nothing where what is before it cannot be read."""
    start = _start_of_part(source, offset)
    parser = grammar_parser().parse_interactive(source.text[start:offset])
    taken: list[Token] = []
    with suppress(UnexpectedInput, DedentError):  # what has been taken until then is kept
        taken.extend(parser.iter_parse())
    while taken and taken[-1].type in BLOCK_ENDS:
        taken.pop()
    parser = grammar_parser().parse_interactive("")
    try:
        for token in taken:
            parser.feed_token(token)
    except (UnexpectedInput, DedentError):
        return Expected((), name=False)
    accepted = parser.accepts()  # type: ignore[no-untyped-call]
    words = {word for terminal in accepted for word in _words_of(terminal)}
    return Expected(tuple(sorted(words)), name="NAME" in accepted)


def _start_of_part(source: Source, offset: int) -> int:
    """Return where the part begins that an offset lies in: a line that begins in column one."""
    line, column = source.line_column(offset)
    if not source.line_text(line)[: column - 1]:
        return offset
    while line > 1 and not re.match(r"[^\s#]", source.line_text(line)):
        line -= 1
    return source.line_starts[line - 1]


@cache
def _words_of(terminal: str) -> tuple[str, ...]:
    """Return the words that a terminal of the grammar stands for; `each player` is one here."""
    if terminal == "SCOPE":
        return ("each player", "table", "this turn")
    if terminal == "NAME":
        return ()
    definition = next((d for d in grammar_parser().terminals if d.name == terminal), None)
    if definition is None:
        return ()
    pattern = re.compile(definition.pattern.to_regexp())
    known = [word for words in WORDS.values() for word in words.split()]
    return tuple(word for word in known if pattern.fullmatch(word))
