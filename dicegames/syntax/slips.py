"""Slips that show in the line as a whole, not in the word at which the parser stops.

A colon that is missing, what is picked from without its brackets, `max(3, 4)`, phrases of other
languages and of rulebooks: the parser finds these words late, or takes them for something else.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

from dicegames.ground.diagnostic import Diagnostic, closest
from dicegames.ground.source import Span
from dicegames.syntax.hints import CALLED, FOREIGN, LISTS_OF_THINGS, MEASURES
from dicegames.syntax.mistakes import SIMILAR, misplaced
from dicegames.syntax.phrases import PHRASES
from dicegames.syntax.phrases_of_parts import PHRASES_OF
from dicegames.syntax.tokens import WORDS

LANGUAGE = frozenset(word for words in WORDS.values() for word in words.split())

_BLOCK_HEAD = re.compile(r'\s*(?:if|else|repeat|each|otherwise|when|unless|"[^"]*")(?!\w)')
_STATEMENT = re.compile(
    r"(?<=[\w)}\"] )"
    r"(?:end (?:turn|game)|go to \w+|choose again|roll \w+|leave|next|pass|use \w+)(?!\w)"
)
_LAST_NAME = re.compile(r"([\w)}]+) +([^\W\d]\w*) *$")
_CALL = re.compile(r"(?<!\w)([^\W\d]\w*)\(")
_CHANGE = re.compile(
    r"(?:^|[:,]) *([^\W\d]\w*(?: of \w+(?: of \w+)?)?) *([-+*^]|(?:div|mod)\b)(=?) *([^,:]*)"
)
BEGINS_LINE = (
    "write what the line changes, such as: {0} + 2, {0} = 0; or begin it with "
    "roll, choose, if, repeat, each, let, move, draw, use, next, leave, end turn"
)
LONGEST_LINE_READ = 1_000
"""In longer lines no slips are looked for: that takes long, and nobody writes them."""
_TERMS = r"(?:[^()]|\([^()]*\))*?"
_PICK = re.compile(rf"(?<!\w)of ({_TERMS}[-+*,]{_TERMS}) as (\w+)")


def _misplaced(text: str, start: int, help: str) -> Diagnostic:
    return misplaced(text, Span(start, start + len(text)), help)


def slip_in(line: str, at: int, expected: frozenset[str], head: str) -> Diagnostic | None:
    """Return the slip in a line at a column of which the parser stops; None if none is seen.

    Its place is counted from the start of the line.

    line: the line without its comments, what stands in quotes made blank but for the quotes.
    expected: the terminals that the parser could take there. head: the kind of the part.
    """
    if len(line) > LONGEST_LINE_READ:
        return None
    return (
        _twice(line, at)
        or _call(line, at)
        or _pick(line, at)
        or _phrase(line, at, PHRASES_OF.get(head, {}))
        or _change(line, at)
        or _phrase(line, at, PHRASES)
        or _move(line, at, expected, head)
        or _closed(line, at)
        or _capitals(line, at)
        or _colon(line, at, expected, head)
        or _verb(line, at, head)
    )


def head_of(text: str) -> str:
    """Return the word that says what a part is: its first, or `means`."""
    is_means = re.match(r"\w+ [^\"]*\bmeans\b", text.partition("\n")[0].partition("#")[0])
    return "means" if is_means else re.findall(r"^\w*", text)[0]


def _blanked(line: str) -> str:
    """Return a line with blanks for what stands in quotes."""
    return re.sub(r'"[^"]*"', lambda quoted: " " * len(quoted[0]), line)


def _twice(line: str, at: int) -> Diagnostic | None:
    """Find `payoff payoff win`: a word of the language that is written twice."""
    for found in re.finditer(r"\b([^\W\d]\w+) +\1\b", _blanked(line)):
        begins = not line[: found.start()].strip()
        if re.search(r"\bshows? ", line[: found.start()]):
            continue  # in a pattern things stand there as often as they are wanted
        if found[1] in LANGUAGE and (begins or found.start() <= at <= found.end() + 1):
            return _misplaced(found[0], found.start(), f"it stands here twice: {found[1]}")
    return None


def _capitals(line: str, at: int) -> Diagnostic | None:
    """Find `Payoff win`: a word of the language that begins with a capital letter."""
    for found in re.finditer(r"\b[^\W\d]\w*", _blanked(line)):
        word = found[0].lower()
        if word != found[0] and word in LANGUAGE and found.start() <= at <= found.end() + 1:
            return _misplaced(found[0], found.start(), f"write it in small letters: {word}")
    return None


def _phrase(line: str, at: int, phrases: Mapping[str, str]) -> Diagnostic | None:
    """Find `repeat while ...`, `if 2 dice show 6` and what else is said differently here.

    A group that is called `said` is what is to be replaced, where that is not all.
    """
    for pattern, hint in phrases.items():
        for found in re.finditer(pattern, line):
            if found.start() <= at <= found.end() + 1:
                group = "said" if "said" in found.re.groupindex else 0
                text = found[group].strip()
                start = found.start(group) + found[group].index(text)
                told = found.expand(hint)
                if told != f"write: {text}":  # which stands there already
                    return _misplaced(text, start, told)
    return None


def _move(line: str, at: int, expected: frozenset[str], head: str) -> Diagnostic | None:
    """Find a move without its quotes, or one that stands under no choice."""
    begins = line[:at].strip() == ""
    advised = {"BEST", "PICK"} <= expected  # what a line of a strategy plays
    named = re.match(r"([^\W\d][\w ]*?) *(?=:|$)", line[at:])
    if (
        (begins or advised)
        and named is not None
        and "STRING" in expected - {"roll", "ROLL"}
        and named[1] not in {*LANGUAGE, "Otherwise"}
        and not (head in LISTS_OF_THINGS and named[1].split()[0] in LANGUAGE)
    ):
        hint = f'the name of a move is written in quotes: "{named[1]}"'
        return _misplaced(named[1], at, hint)
    quoted = re.match(r'"[^"]*"', line[at:])
    if begins and quoted is not None and "roll" in {name.lower() for name in expected}:
        return _misplaced(quoted[0], at, "moves stand under: choose")
    return None


def _closed(line: str, at: int) -> Diagnostic | None:
    """Find a bracket that is closed and was not opened."""
    for opened, closed in ("()", "{}"):
        if line[at : at + 1] == closed and line.count(opened, 0, at) <= line.count(closed, 0, at):
            return _misplaced(closed, at, "leave it out: no bracket is open here")
    return None


def _call(line: str, at: int) -> Diagnostic | None:
    """Find `max(3, 4)`: a name with its bracket directly behind it."""
    for found in _CALL.finditer(line[: at + 1]):
        word = found[1]
        if word in LANGUAGE - MEASURES:
            continue
        inside, closed, behind = line[found.end() :].partition(")")
        end = len(line) - len(behind)
        if closed and line[end:at].strip():
            continue  # what the parser stops at has nothing to do with it
        inside = inside.strip()
        text = f"{CALLED.get(word, word)} of " + (
            inside if inside.isidentifier() else f"({inside})"
        )
        return misplaced(f"{word}(", Span(*found.span(1)), f"write: {text}")
    return None


def _pick(line: str, at: int) -> Diagnostic | None:
    """Find `one of crown, anchor as c`."""
    if line[at : at + 1] != ",":
        return None
    found = _PICK.search(line)
    if found is None:
        return None
    hint = f"put what is picked from in brackets: of ({found[1]}) as {found[2]}"
    return _misplaced(",", at, hint)


def _change(line: str, at: int) -> Diagnostic | None:
    """Find `score * 2` and `score += 2`, where a statement is expected."""
    for found in _CHANGE.finditer(line):
        target, sign, equals, value = found.groups()
        is_sum = sign in "+-"
        if value and at == found.start(3 if is_sum else 2) and (equals or not is_sum):
            text = f"{target} {sign} {value}" if is_sum else f"{target} = {target} {sign} {value}"
            said = line[found.start(1) : found.end()].rstrip()
            return _misplaced(said, found.start(1), f"write: {text.rstrip(' ;')}")
    return None


def _colon(line: str, at: int, expected: frozenset[str], head: str) -> Diagnostic | None:
    """Find `if dice show 1 end turn`."""
    if head in ("boxes", "patterns") or not _BLOCK_HEAD.match(line) or ":" in line:
        return None
    begin = _begin_of_statement(line, at, expected)
    if begin is None or not line[:begin].strip():
        return None
    text = line[begin:].strip().removeprefix("then ")
    head = line[:begin].split(maxsplit=1)[0]
    shown = '"Name"' if head.startswith('"') else f"{head} ..."
    shown = head if line[:begin].strip() == head in ("otherwise", "else", "repeat") else shown
    message = "a colon is missing here, before what happens"
    return Diagnostic("colon", message, Span(begin, len(line)), f"write: {shown}: {text}")


def _verb(line: str, at: int, head: str) -> Diagnostic | None:
    """Find `perhaps roll all`: a line of a turn that begins with a word that is none of them."""
    found = re.match(r' +([^\W\d]\w*) +(?=[\w"])', line[:at] + line[at : at + 1])
    if head not in ("turn", "step", "at") or found is None or found.end() != at:
        return None
    word = found[1].lower()
    if word in {*LANGUAGE, *FOREIGN} or closest(word, LANGUAGE, SIMILAR):
        return None
    return _misplaced(found[1], found.start(1), BEGINS_LINE.format(found[1]))


def _begin_of_statement(line: str, at: int, expected: frozenset[str]) -> int | None:
    said = _STATEMENT.search(line[: at + 1] + line[at + 1 :])
    if said is not None and said.start() <= at:
        return said.start()
    word = re.match(r"[^\W\d]\w*", line[at:])
    if word is not None and "COLON" in expected and line[at:].strip() != word[0]:
        return at
    last = _LAST_NAME.search(line[:at])
    if last is None or line[at : at + 1] not in ("+", "-", "="):
        return None
    return last.start(2) if not {last[1], last[2]} & LANGUAGE else None
