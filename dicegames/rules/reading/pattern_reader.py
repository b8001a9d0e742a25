"""Reading patterns: from the words of a rules file to what the dice must show."""

from __future__ import annotations

from collections.abc import Collection
from itertools import pairwise

from attrs import define, evolve, field

from dicegames.ground.diagnostic import did_you_mean, is_latin
from dicegames.ground.numbers import whole_number
from dicegames.ground.source import Span
from dicegames.rules.parts.flow import Expression
from dicegames.rules.parts.names import Mistake, Scope
from dicegames.rules.parts.patterns import Pattern
from dicegames.rules.parts.types import ANYTHING, BOX, NUMBER, DiceKind
from dicegames.rules.reading.checker import Checker
from dicegames.syntax.hints import ALL_EVEN, ALL_ODD, UNQUOTED
from dicegames.syntax.nodes import Node

MOST_BINDINGS = 20_000
ELEMENT_WORDS = ("INT", "NAME", "STRING", "DOTS", "ANY")


@define
class _Draft:
    """A pattern while its elements are read."""

    fixed: list[int]
    letters: dict[str, tuple[int, bool]] = field(factory=dict)
    every: list[int] = field(factory=list)
    last: int | str | None = None  # the face or letter before


COMBINATION_NAMES = {
    **dict.fromkeys(("pair", "pairs", "two"), "a pair is written: x x; two pairs: x x y y"),
    **dict.fromkeys(("triple", "triples", "three"), "three of a kind are written: x x x"),
    **dict.fromkeys(("four", "quadruple"), "four of a kind are written: x x x x"),
    "five": "five of a kind are written: x x x x x",
    "to": "a range stands in round brackets: (1 to 6)",
    "of": "write, for three of a kind: x x x",
    **dict.fromkeys(("straight", "street"), "a straight is written: run of 5, or: 1 2 3 4 5"),
    **dict.fromkeys(("full", "house"), "a full house is written: x x x y y"),
    **dict.fromkeys(
        ("otherwise", "else", "nothing", "anything"), "what the dice always show is: any dice"
    ),
    **dict.fromkeys(("count", "number"), "any number of dice with a face are: any 2"),
    **dict.fromkeys(
        ("all", "same"),
        f"all the dice: any dice; all of one face, an x for each: x x x x x; all even: {ALL_EVEN}",
    ),
    "even": f"write: {ALL_EVEN}",
    "odd": f"write: {ALL_ODD}",
    **dict.fromkeys(
        ("no", "not", "without"), "what is missing is asked: any dice if 6 not in dice"
    ),
    **{
        name: f"any number of them are: any {face}"
        for face, name in enumerate(("ones", "twos", "threes", "fours", "fives", "sixes"), 1)
    },
}
"""What combinations are called, and how their patterns are written."""


def face_index(word: Node, kind: DiceKind) -> int:
    """Return the index of a face; raises Mistake for one that the dice do not have."""
    value = whole_number(word.text) if word.kind == "INT" else word.text
    if value in kind.faces:
        return kind.faces.index(value)
    hint = did_you_mean(word.text, [str(f) for f in kind.faces]) if word.kind == "NAME" else ""
    if not hint:
        faces = [str(f) for f in kind.faces]
        few = faces if len(faces) <= 12 else [*faces[:3], "...", faces[-1]]
        hint = COMBINATION_NAMES.get(word.text.lower(), "its faces are " + " ".join(few))
        if len(word.text) > 1 and len(set(word.text)) == 1:
            hint = f"write the letters apart: {' '.join(word.text)}"
    message = f'the dice have no face "{word.text}"'
    raise Mistake("no-such-face", message, word.span, hint)


def named_box(checker: Checker, node: Node, scope: Scope) -> Expression | None:
    """Return the box that a pattern consists of, if it is just the name of one."""
    elements = node.parts()
    word = elements[0].parts()[0]
    if len(elements) != 1 or len(elements[0].parts()) != 1:
        return None
    if word.kind == "STRING":
        return checker.check(Node("label", word.span, (word,)), scope)
    if word.kind == "NAME" and word.text in scope.bound:
        found = checker.find(word.text, word.span, scope)
        if found is not None and found.type in (BOX, ANYTHING):
            return found
    return None


def read_pattern(checker: Checker, node: Node, scope: Scope, kind: DiceKind) -> Pattern:
    """Return a pattern over dice of a kind; raises Reported."""
    elements = node.parts()
    for element in elements:
        word = element.parts()[0]
        if word.kind == "STRING" or word.kind not in ELEMENT_WORDS or _is_any_dice(element):
            return _lone(checker, element, elements, scope, kind)
    _demand_apart([element.parts()[-1] for element in elements])
    draft = _Draft([0] * len(kind.faces))
    for element in elements:
        _read_element(checker, element, draft, scope, kind)
    _demand_one_alphabet(draft.letters, node.span)
    return _finished(draft, kind, node)


def read_for_one_kind(checker: Checker, node: Node, scope: Scope, kind: DiceKind) -> Pattern | None:
    """Return a pattern that is asked of one kind after another; None if only others can show it."""
    others = [other for other in checker.names.thrown.values() if other is not kind]
    first = [element.parts()[0] for element in node.parts()]
    names = {word.text for word in first if word.kind == "NAME"} - {*kind.faces, *scope.bound}
    if any(not names.isdisjoint(other.faces) for other in others):  # a face, so it is no letter
        return None
    try:
        return read_pattern(checker, _asked_of(checker, node, scope, kind), scope, kind)
    except Mistake as mistake:
        if mistake.found.code not in ("no-such-face", "pattern-impossible"):
            raise
        asked = ((other, _asked_of(checker, node, scope, other)) for other in others)
        if not any(_can_be_shown(checker, part, scope, other) for other, part in asked):
            raise
        return None


def _asked_of(checker: Checker, node: Node, scope: Scope, kind: DiceKind) -> Node:
    """Return a pattern without `any 8` where a kind has no such face and another one has."""
    asked = []
    for element in node.parts():
        alone = evolve(node, children=(element,))
        can = [k for k in checker.names.thrown.values() if _can_be_shown(checker, alone, scope, k)]
        if element.parts()[0].kind != "ANY" or kind in can or not can:
            asked.append(element)
    return evolve(node, children=tuple(asked))


def _can_be_shown(checker: Checker, node: Node, scope: Scope, kind: DiceKind) -> bool:
    try:
        read_pattern(checker, node, scope, kind)
    except Mistake:
        return False
    return True


def _demand_apart(words: list[Node]) -> None:
    """Raise Mistake where a number is written together with a letter, such as in 6s."""
    for one, other in pairwise(words):
        if (one.kind, other.kind) == ("INT", "NAME") and one.span.end == other.span.start:
            said = f'"{one.text}{other.text}" is a number and a letter'
            span = Span(one.span.start, other.span.end)
            raise Mistake("no-such-face", said, span, f"write the number alone: {one.text}")


def _demand_one_alphabet(letters: Collection[str], span: Span) -> None:
    """Raise Mistake where letters look alike and are not: a Latin x beside a Cyrillic one."""
    foreign = [letter for letter in letters if not is_latin(letter)]
    if foreign and len(foreign) < len(letters):
        message = f"the letter {foreign[0]} of this pattern is from another alphabet"
        raise Mistake("character", message, span, "take all letters from one alphabet")


def _read_element(
    checker: Checker, element: Node, draft: _Draft, scope: Scope, kind: DiceKind
) -> None:
    parts = element.parts()
    word = parts[0]
    if word.kind == "DOTS":
        _repeat(draft, element.span)
    elif word.kind != "ANY" and _is_letter(word, scope, kind):
        count, open_ended = draft.letters.get(word.text, (0, False))
        draft.letters[word.text] = (count + 1, open_ended)
        draft.last = word.text
    else:
        face = _face_or_bound(checker, parts[-1], scope, kind)
        if word.kind == "ANY":
            draft.every.append(face)
        else:
            draft.fixed[face] += 1
            draft.last = face


def _finished(draft: _Draft, kind: DiceKind, node: Node) -> Pattern:
    letters = draft.letters
    size = sum(draft.fixed) + sum(count for count, _ in letters.values())
    if size > kind.count or len(letters) > len(kind.faces):
        what = f"{size} dice" if size > kind.count else f"{len(letters)} different faces"
        message = f"no roll can match this: it needs {what}"
        raise Mistake("pattern-impossible", message, node.span, _dice_there_are(kind))
    counts = tuple(letters.values())
    pattern = Pattern(tuple(letters), tuple(draft.fixed), counts, tuple(draft.every))
    demand_narrow(pattern, kind, node.span)
    return pattern


def demand_narrow(pattern: Pattern, kind: DiceKind, span: Span) -> None:
    """Raise Mistake unless the letters stand for few enough faces to try them all."""
    if pattern.count_bindings(len(kind.faces)) > MOST_BINDINGS:
        message = "the letters of this pattern can stand for too many different faces"
        raise Mistake("pattern-too-wide", message, span, "use fewer letters")


def _dice_there_are(kind: DiceKind) -> str:
    there = "there is one die" if kind.count == 1 else f"there are {kind.count} dice"
    return f"{there} with {len(kind.faces)} faces"


# ---- elements that stand alone


def _is_any_dice(element: Node) -> bool:
    parts = element.parts()
    return parts[0].kind == "ANY" and parts[1].kind == "NAME" and parts[1].text == "dice"


def _lone(
    checker: Checker, element: Node, elements: list[Node], scope: Scope, kind: DiceKind
) -> Pattern:
    """Read "any dice" or "run of 4"; a quoted row is no part of a pattern."""
    word = element.parts()[0]
    if len(elements) > 1 or word.kind == "STRING":
        message, hint = "this is written alone, without further dice", ""
        if word.kind == "STRING":
            message = "a row in quotes cannot be part of a pattern here"
            hint = "" if word.text in checker.names.rows else UNQUOTED.format(word.text)
        raise Mistake("pattern-alone", message, element.span, hint)
    none = (0,) * len(kind.faces)
    if word.kind == "ANY":
        return Pattern((), none, whole=True)
    length = checker.sound(word, scope, NUMBER)
    if not length.constant:
        raise Mistake("run-length", "the length of a run must be a fixed number", word.span)
    if not 1 <= length.value() <= min(kind.count, len(kind.faces)):
        message = f"no roll can match a run of {length.value()}"
        raise Mistake("pattern-impossible", message, word.span, _dice_there_are(kind))
    return Pattern((), none, run=length.value())


# ---- letters and faces


def _repeat(draft: _Draft, span: Span) -> None:
    if draft.last is None:
        message = '"..." comes after the face or letter that may come more often'
        raise Mistake("dots", message, span, "write: x x x ...")
    if isinstance(draft.last, int):
        draft.every.append(draft.last)
    else:
        draft.letters[draft.last] = (draft.letters[draft.last][0], True)


def _is_letter(word: Node, scope: Scope, kind: DiceKind) -> bool:
    is_name = word.kind == "NAME" and word.text not in kind.faces
    is_free = word.text not in scope.bound or word.text in scope.letters
    return is_name and is_free and len(word.text) == 1


def _face_or_bound(checker: Checker, word: Node, scope: Scope, kind: DiceKind) -> int:
    if word.kind != "NAME" or word.text in kind.faces or word.text not in scope.bound:
        return face_index(word, kind)
    found = checker.find(word.text, word.span, scope)
    if found is not None and found.constant and found.value() in kind.faces:
        return kind.faces.index(found.value())
    if found is not None and found.constant:
        message = f'the dice have no face "{found.value()}", which "{word.text}" stands for here'
        raise Mistake("no-such-face", message, word.span)
    message = f'the face "{word.text}" must be known when the rules are read'
    hint = f"count it: {word.text} in dice; two of them: number of {word.text} in dice >= 2"
    raise Mistake("face-not-fixed", message, word.span, hint)
