"""Syntax errors in plain words: what stands there, and what belongs there."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping

from attrs import frozen

from dicegames.ground.diagnostic import Diagnostic, closest, did_you_mean
from dicegames.ground.numbers import NUMBER_WORDS
from dicegames.ground.source import Source, Span
from dicegames.syntax import hints
from dicegames.syntax.text import indent_of
from dicegames.syntax.tokens import RESERVED, STATEMENT_WORDS

MOST_ALTERNATIVES = 6
LINE_ENDS = ("_NL", "$END", "_DEDENT")
SIMILAR = 0.75


@frozen
class Mismatch:
    """What the parser met: the terminal, its text, its place, and the terminals it could take.

    before: the word before it. before_is_name: that was taken for a name. is_before_known: it
    stands elsewhere in the file, too. is_bracket_open: a bracket was opened in the line and not
    closed. head: the word with which the part begins. begins: how many columns the line is
    indented, if the word before is its first; -1 if it is not. instead: the terminals that the
    parser could take in place of the word before.
    """

    terminal: str
    text: str
    span: Span
    expected: frozenset[str]
    before: str = ""
    before_span: Span = Span(0, 0)
    before_is_name: bool = False
    is_before_known: bool = False
    is_bracket_open: bool = False
    head: str = ""
    begins: int = -1
    instead: frozenset[str] = frozenset()


def unexpected(found: Mismatch, words: Mapping[str, str]) -> Diagnostic:
    """Describe a word at which the parser cannot go on; `words` are those of the language."""
    expected = {words.get(name, name) for name in found.expected} - {"_DEDENT", "$END"}
    known = {word for word in words.values() if word.isalpha()}
    if found.terminal == "_INDENT":
        message = "this line is indented, but the line above it begins no block"
        return Diagnostic("indented", message, found.span, "begin it where the line above begins")
    of_two = found.before in hints.FIRST_OF_TWO or " " in _similar_part(found)
    if found.begins == 0 and found.text != "of" and of_two:
        return _beginning(found)
    if found.before_is_name and found.before:
        mistaken = _mistaken_word(found, known, {words.get(n, n) for n in found.instead} & known)
        if mistaken is not None:
            return mistaken
    hint = _remedy(found, expected)
    if found.terminal in LINE_ENDS:
        message = "the line ends here, but something is missing"
        return Diagnostic("line-ends", message, found.span, hint)
    is_taken = found.text in known and "NAME" in expected and not _is_alternative(found, expected)
    if is_taken and found.text not in hints.MISPLACED and found.before not in hints.MEASURES:
        hint = hints.PICKED if found.head == "strategy" else "choose another name"
        return _reserved(found.text, found.span, hint)
    if found.head == "dice" != found.before and found.text == "=" and found.before in known:
        return _reserved(found.before, found.before_span, "choose another name")
    if found.begins == 0 and found.text == "of" and found.before in RESERVED:
        return _reserved(found.before, found.before_span, "choose another name")
    if hint == _measured(found):
        return misplaced(f"{found.before} {found.text}", found.before_span.to(found.span), hint)
    return misplaced(found.text, found.span, hint)


def _measured(found: Mismatch) -> str:
    """Return what is meant by a measure without its `of`: `sum dice`."""
    return f"write: {found.before} of {found.text}"


def no_block(line: str, span: Span) -> Diagnostic:
    """Describe a line that nothing belongs to, although it says that something follows."""
    hint = "write them below, indented by four spaces; pass does nothing"
    if re.fullmatch(r' *"[^"]*" *', line):
        hint += f": {line.strip()}: pass"
    return Diagnostic("no-block", "the lines that belong to this one are missing", span, hint)


def _beginning(found: Mismatch) -> Diagnostic:
    """Describe the beginning of a part that has two words, as `this turns`."""
    said = f"{found.before} {found.text}".rstrip()
    whole = found.before_span.to(found.span) if found.text else found.before_span
    hint = hints.BEGINNINGS.get(said) or _meant_part(found) or _where_it_belongs(found)
    return Diagnostic("misplaced", f'no part of a file begins with "{said}"', whole, hint)


def _reserved(word: str, span: Span, hint: str) -> Diagnostic:
    message = f'the word "{word}" has a meaning of its own and cannot be a name'
    return Diagnostic("reserved", message, span, hint)


def _mistaken_word(found: Mismatch, known: set[str], possible: set[str]) -> Diagnostic | None:
    """Describe a word that was taken for a name, but was meant as a word of the language.

    possible: the words that could stand in its place.
    """
    word = found.before
    if word in RESERVED:
        begins = found.begins > 0 and word in hints.OF_A_TURN
        place = hints.OWN_MEANING if begins else hints.MISPLACED.get(word, hints.OWN_MEANING)
        hint = _where_it_belongs(found) if found.begins == 0 else place
        return Diagnostic("misplaced", f'"{word}" cannot stand here', found.before_span, hint)
    if word in hints.HEADS and found.begins > 0:
        message = f'"{word}" cannot stand here'
        return Diagnostic("misplaced", message, found.before_span, hints.FIRST_COLUMN)
    hint = _what_was_meant(found, possible)
    if not hint or (word in known and word not in hints.FOREIGN):
        return None
    message = f'the word "{word}" has no meaning here'
    return Diagnostic("unknown-word", message, found.before_span, hint)


def _what_was_meant(found: Mismatch, possible: set[str]) -> str:
    """Return what to write instead of a word that was taken for a name; "" for a name."""
    word = found.before
    if word.lower() in hints.FOREIGN and found.begins != 0:
        return hints.FOREIGN[word.lower()]
    if found.begins == 0:
        return _what_part_was_meant(found)
    is_alone = found.begins >= 0  # a line of one word, as a name never is
    if found.is_before_known or word in hints.WHO_AND_WHAT:
        return ""
    if found.terminal in LINE_ENDS and not is_alone and found.expected != {"OF"}:
        return ""
    return did_you_mean(word, possible, SIMILAR)


def _what_part_was_meant(found: Mismatch) -> str:
    """Return what to write instead of a part with an unknown first word; "" for `NAME means`."""
    word = found.before
    if word.lower() in hints.BEGINNINGS:
        return hints.BEGINNINGS[word.lower()]
    if did_you_mean(found.text, ("means", "of"), SIMILAR) or word in hints.HEADS:
        return ""
    return _meant_part(found) or (hints.VARIABLES if found.text == "=" else hints.PARTS_OF_A_FILE)


def _meant_part(found: Mismatch) -> str:
    return f'did you mean "{part}"?' if (part := _similar_part(found)) else ""


def _similar_part(found: Mismatch) -> str:
    """Return the word, or the words, with which the part begins that was meant; "" if none."""
    words = "at the end" if found.before == "at" else f"{found.before} {found.text}"
    return closest(found.before, {*hints.HEADS, "dice", "table"}, SIMILAR) or closest(
        words, ("each player", "this turn", "at the end"), SIMILAR
    )


def _where_it_belongs(found: Mismatch) -> str:
    """Say where a line belongs that begins no part of a file."""
    said = f"{found.before} {found.text}"
    if found.before in hints.DONE_IN_A_TURN and said not in hints.LACKING_A_LETTER:
        return f"{hints.BELOW_TURN}, indented by four spaces"
    return _meant_part(found) or hints.PARTS_OF_A_FILE


def _remedy(found: Mismatch, expected: set[str]) -> str:
    """Say what to write instead of what stands there."""
    before, text = found.before, found.text
    if (before, text) in hints.DOUBLE_SIGNS:
        return hints.DOUBLE_SIGNS[before, text]
    if text in hints.MISPLACED:
        return "write: when" if (found.head, text) == ("strategy", "if") else hints.MISPLACED[text]
    if text.lower() in hints.FOREIGN:
        return hints.FOREIGN[text.lower()]
    for remedy in (_remedy_here, _remedy_of_end, _remedy_of_word):
        if told := remedy(found, expected):
            return told
    words = [word for word in expected if word.isalpha() and word.islower()]
    return did_you_mean(text, words, SIMILAR) or belongs(expected)


def _remedy_here(found: Mismatch, expected: set[str]) -> str:
    """Say the same where it depends on what could stand there, or on the line; "" where not."""
    before, text = found.before, found.text
    if not before and text in hints.HEADS:
        return hints.FIRST_COLUMN
    if not before and text in STATEMENT_WORDS.split() and found.head in hints.LISTS_OF_THINGS:
        return hints.BELOW_TURN
    if found.is_bracket_open and ")" in expected:
        return hints.UNCLOSED
    if _is_alternative(found, expected):
        return hints.OPTION_VALUES if found.head == "option" else hints.ALTERNATIVES
    if text == ":" and not expected.isdisjoint(LINE_ENDS):
        return hints.NO_COLON
    if before == "player" and "of" in expected:
        return hints.ANY_PLAYER if found.begins else hints.BEGINNINGS["player"]
    if before in hints.MEASURES and (text.isalnum() or text == "(") and found.before_is_name:
        return _measured(found)
    if text == ":" and "times" in expected:
        return "write: repeat 3 times: ..., or: repeat until ...: ..."
    if text == "to" and (before.isdigit() or found.before_is_name):
        return f"a range stands in brackets here: ({before} to ...)"
    if found.head in ("boxes", "patterns") and "pays" in expected:
        return hints.ON_LETTERS if text in hints.COMPARISON_SIGNS else hints.PAYS
    if found.head == "dice" and (before, text) != ("dice", ":"):
        return hints.DICE_EXAMPLES
    return ""


def _remedy_of_end(found: Mismatch, expected: set[str]) -> str:
    """Say what is missing at the end of a line; "" where that is not known."""
    name = found.before
    if found.terminal not in LINE_ENDS:
        return ""
    if found.begins == 0 and expected == {"NAME"}:
        return hints.NAMELESS.format(name)
    if {"if", "otherwise"} <= expected:
        return hints.CASES
    if "else" in expected:
        of_row = found.head in ("boxes", "patterns")
        return hints.CONDITION_OF_ROW if of_row else "say what it is otherwise: ... else 0"
    is_statement = found.begins > 0 or expected == {"=", "+", "-", "of"}
    if is_statement and found.is_before_known and name not in hints.WHO_AND_WHAT:
        return f"to change it, write: {name} + 1; a step of this name begins with: go to {name}"
    return hints.TWO_NAMES if expected == {"of"} else ""


def _remedy_of_word(found: Mismatch, expected: set[str]) -> str:
    """Say what to write instead of a word that lacks another one before it, or is a number."""
    if found.text.lower() in NUMBER_WORDS and "INT" in expected:
        return f"write: {NUMBER_WORDS.index(found.text.lower())}"
    if found.terminal == "DICE" and "dice" in expected:
        return f"write: dice {found.text}"
    heads = {found.head, *('"' for head in ("boxes", "patterns") if head == found.head)}
    if found.text in (",", ":") and found.before in heads:
        return "leave it out"
    if found.text == "," and {"and", "or"} & expected:
        return hints.NO_COMMA
    if (
        found.terminal == "STRING"
        and "NAME" in expected
        and found.before
        and found.text[1:-1].isidentifier()
    ):
        return hints.UNQUOTED.format(found.text[1:-1])
    if expected == {"of"} and found.before_is_name and found.before not in hints.MEASURES:
        return hints.TWO_NAMES
    return hints.OF_EACH if found.text == "=" and expected == {"in"} else ""


def _is_alternative(found: Mismatch, expected: set[str]) -> bool:
    """Whether a bar was meant: `high or low`."""
    is_list = found.head in ("option", "boxes", "patterns")
    return is_list and found.text in (",", "or") and "|" in expected


def shown(text: str) -> str:
    """Return a word as messages show it."""
    return text if '"' in text else f'"{text}"'


def misplaced(text: str, span: Span, help: str) -> Diagnostic:
    """Describe words that do not belong where they stand."""
    return Diagnostic("unexpected", f"{shown(text)} does not belong here", span, help)


def belongs(expected: Iterable[str]) -> str:
    """Say in plain words what could stand at a place; nothing if that is too much."""
    left = set(expected)
    found = []
    for needed, members, name in hints.GROUPS:
        if needed <= left:
            if name == "the beginning of a part":
                return hints.PARTS_OF_A_FILE
            left -= needed | members
            found.append(name)
    words = [hints.TERMINAL_WORDS.get(word, shown(word)) for word in sorted(left)]
    all_ = list(dict.fromkeys([*words, *found]))
    return "expected here: " + listed(all_) if 0 < len(all_) <= MOST_ALTERNATIVES else ""


def listed(words: list[str]) -> str:
    """Join words: a, b or c."""
    return " or ".join([", ".join(words[:-1]), words[-1]] if len(words) > 1 else words)


def follows(source: Source, before: Diagnostic | None, mistake: Diagnostic) -> bool:
    """Tell whether a line as a whole is out of place, as the one before it: the head is missing.

    What has a remedy of its own is told.
    """
    if before is None or "write" in mistake.help:
        return False
    if not _is_of_line(source, before) or not _is_of_line(source, mistake):
        return False
    first, line = (source.line_column(d.span.start)[0] for d in (before, mistake))
    indent = indent_of(source.line_text(first))
    between = (source.line_text(n).partition("#")[0] for n in range(first + 1, line))
    return all(indent_of(text) > indent for text in between if text.strip())


def _is_of_line(source: Source, mistake: Diagnostic) -> bool:
    """Tell whether a mistake is that of a line as a whole."""
    line, column = source.line_column(mistake.span.start)
    begins = column - 1 == indent_of(source.line_text(line))
    is_out_of_place = mistake.code in ("unexpected", "misplaced", "indentation")
    return mistake.code == "line-ends" or (begins and is_out_of_place)
