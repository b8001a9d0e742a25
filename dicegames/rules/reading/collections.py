"""Dice, sets and ranges: how they are written, and what they hold."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import reduce

from attrs import evolve

from dicegames.ground.multiset import Multiset, contains
from dicegames.ground.source import Span
from dicegames.rules.parts.broken import RuleBroken
from dicegames.rules.parts.flow import Environment, Expression, Run
from dicegames.rules.parts.names import Mistake, Reported, Scope
from dicegames.rules.parts.rows import Boxes
from dicegames.rules.parts.types import (
    ANYTHING,
    BOXES,
    DICE,
    NUMBER,
    SET,
    TRUTH,
    VALUES,
    WORD,
    DiceKind,
    Type,
    Value,
)
from dicegames.rules.parts.unknown import compare, either, has_bit, has_bits, is_open, plain
from dicegames.rules.parts.value_text import members_text
from dicegames.rules.reading.boxes import is_among
from dicegames.rules.reading.checker import Checker, Handler, negated
from dicegames.rules.reading.derive import applied, constant, demand_sound, derived
from dicegames.rules.reading.members import ONE_DIE, as_set_of, can_be_one, is_member, named
from dicegames.rules.reading.pattern_reader import face_index
from dicegames.syntax.nodes import Node

LARGEST_RANGE = 64
MOST_SAID = 1000
"""So many dice of a face can be named at once."""

# ---- how they are written


def _range(checker: Checker, node: Node, scope: Scope) -> Expression:
    ends = [checker.check(part, scope, NUMBER) for part in node.parts()]
    demand_sound(*ends)
    if not all(e.constant for e in ends):
        message = "the ends of a range must be fixed numbers"
        hint = "numbers and options are fixed; narrow a fixed range by a condition, such as: "
        hint += "one of 1 to 20 as n where n <= most"
        raise Mistake("range-not-fixed", message, node.span, hint)
    low, high = (e.value() for e in ends)
    if not 0 <= high - low < LARGEST_RANGE:
        message = f"the range from {low} to {high} is not possible"
        hint = f"a range has {LARGEST_RANGE} numbers at most"
        if high < low and all(part.kind == "integer" for part in node.parts()):
            hint = f"a range goes from the lower number to the higher: {high} to {low}"
        elif high < low:
            hint = "there is no number in it: give the option a narrower range"
        raise Mistake("range-size", message, node.span, hint)
    numbers = tuple(range(low, high + 1))
    return constant(Type("set", numbers), (1 << len(numbers)) - 1, node.span)


def _several(checker: Checker, node: Node, scope: Scope) -> Expression:
    """Check values in brackets: a set if they are fixed, each member once, numbers in order."""
    thrown = checker.names.thrown
    parts = [
        named(part, scope, thrown) or checker.check(part, scope, NUMBER, WORD)
        for part in node.parts()
    ]
    demand_sound(*parts)
    if all(p.constant for p in parts):
        members = dict.fromkeys(p.value() for p in parts)
        _remark_on_copies(checker, node)
        if all(p.type is NUMBER for p in parts):
            members = dict.fromkeys(sorted(members))
        return constant(Type("set", tuple(members)), (1 << len(members)) - 1, node.span)
    kinds = tuple({p.type.kind for p in parts})
    if len(kinds) > 1:
        message = "these are not of one kind: some are numbers, some are words"
        raise Mistake("wrong-type", message, node.span)
    whole = Type(VALUES.kind, kinds)
    return applied(whole, lambda *values: [*values], node.span, *parts)


def _remark_on_copies(checker: Checker, node: Node) -> None:
    """Remark a member that is written twice: it is no list, and each counts once."""
    said: set[str] = set()
    for part in node.parts():
        text = checker.text(part.span)
        if text in said:
            message = f"{text} stands here twice: a set has each of its members once"
            checker.names.diagnostics.remark(
                "done-twice", message, part.span, "leave one of them out"
            )
        said.add(text)


def dice_literal(checker: Checker, node: Node, scope: Scope, of: str = "") -> Expression:
    """Check `{2 2 5}` or `{(7 - f) times n}`: these faces, each as often as is said.

    They are dice of the kind `of` if it has them, else of the first kind that does.
    """
    kinds, parts = list(checker.names.kinds.values()), node.parts()
    kinds.sort(key=lambda kind: kind.name != of)
    if not kinds:
        raise checker.names.no_dice(node.span)
    said = [_said(checker, part.child(0), scope) for part in parts]
    shown = {str(face) for one in said for face in _known(one)}
    kind = next((k for k in kinds if shown <= {str(face) for face in k.faces}), kinds[0])
    faces: list[Expression] = []
    for one in said:
        with checker.names.going_on():
            faces.append(_face(one, kind))
    if len(faces) < len(said):
        raise Reported
    once = constant(NUMBER, 1)
    often = [checker.check(p.child(1), scope, NUMBER) if p.children[1] else once for p in parts]

    def run(env: Environment) -> Value:
        counts = [0] * len(kind.faces)
        for face, times in zip(faces, often, strict=True):
            number = plain(times.run(env))
            if not 0 <= number <= MOST_SAID:
                message = f"there cannot be {number} dice with a face"
                raise RuleBroken(message, times.span, code="dice-number")
            if number:
                counts[plain(face.run(env))] += number
        return tuple(counts)

    return derived(Type("dice", (kind.name,)), run, node.span, *faces, *often)


def _said(checker: Checker, said: Node, scope: Scope) -> Node | Expression:
    """Return the word that names a face, or what computes it: a name bound here, or brackets."""
    if said.kind not in ("INT", "NAME"):
        return checker.check(said, scope, NUMBER, WORD)
    meaning = scope.bound.get(said.text)
    if meaning is None or meaning.type.kind == "dice":  # `red`, as it is called in `each k in hand`
        return evolve(said, text=scope.called(said.text))
    return checker.check(Node("name", said.span, (said,)), scope, NUMBER, WORD)


def _known(said: Node | Expression) -> tuple[Value, ...]:
    """Return the faces that are said, or may be; none where that is open."""
    if isinstance(said, Node):
        return (said.text,)
    return (said.value(),) if said.constant else said.type.of


def _face(said: Node | Expression, kind: DiceKind) -> Expression:
    """Return the index of a face; raises Mistake for a word; what is computed may break."""
    if isinstance(said, Node):
        return constant(NUMBER, face_index(said, kind))

    def run(env: Environment) -> int:
        face = plain(said.run(env))
        if face not in kind.faces:
            message = f'the dice have no face "{face}"'
            raise RuleBroken(message, said.span, code="no-such-face")
        return kind.faces.index(face)

    if said.constant and said.value() in kind.faces:
        return constant(NUMBER, run([]))
    of = said.type if said.type is ANYTHING else NUMBER
    return Expression(of, run, said.reads, False, said.span)


# ---- what they hold


EMPTY_TESTS: dict[str, Callable[[Value], Value]] = {
    "boxes": Boxes.empty,
    "dice": lambda dice: not any(dice),
    "set": lambda mask: compare("eq", mask, 0),
}
"""Tells whether there is nothing in a collection, by its kind."""


def _is_empty(checker: Checker, node: Node, scope: Scope) -> Expression:
    part = checker.check(node.child(0), scope, DICE, SET, BOXES)
    return applied(TRUTH, EMPTY_TESTS.get(part.type.kind, bool), node.span, part)


def _in(checker: Checker, node: Node, scope: Scope) -> Expression:
    whole = checker.check(node.child(1), scope, DICE, SET, BOXES, VALUES)
    item = _face_named(checker, node.child(0), scope, whole.type)
    return is_in(checker, item or checker.check(node.child(0), scope), whole, node.span)


def is_in(checker: Checker, item: Expression, whole: Expression, span: Span) -> Expression:
    """Return the condition that something is in a collection."""
    if whole.type.kind == "dice" and item.type.kind in ("number", "word"):
        number = _counting(checker, whole, item)
        return derived(TRUTH, lambda env: number(env) > 0, span, item, whole)
    if whole.type.kind == "set":
        item = as_set_of(item, whole.type)
    among = _membership(checker, item.type, whole.type)
    if among is not None:
        return applied(TRUTH, among, span, item, whole)
    demand_sound(item, whole)
    hint = ONE_DIE if item.type.kind == "dice" else ""
    raise Mistake("wrong-type", f"{item.type} cannot be in {whole.type}", span, hint)


def _membership(
    checker: Checker, item: Type, whole: Type
) -> Callable[[Value, Value], Value] | None:
    """Return how to tell whether an item is in a collection, None if it cannot be."""
    if (item.kind, whole.kind) == ("box", "boxes"):
        return is_among
    if item.kind == "set" and item == whole:
        return lambda part, mask: has_bits(mask, part)
    if is_member(item, whole):
        return lambda member, mask: _has_member(mask, member, whole.of)
    if whole.kind == "values" and whole.of == (item.kind,):
        return lambda value, values: reduce(either, [compare("eq", value, v) for v in values])
    if whole.kind == "dice" and item == whole:
        return lambda part, dice: contains(dice, part)
    return None


def _number_of(checker: Checker, node: Node, scope: Scope) -> Expression:
    whole = checker.check(node.child(1), scope, DICE)
    item = _face_named(checker, node.child(0), scope, whole.type)
    item = item or checker.check(node.child(0), scope, NUMBER, WORD)
    demand_sound(item, whole)
    return derived(NUMBER, _counting(checker, whole, item), node.span, whole, item)


def _counting(checker: Checker, whole: Expression, item: Expression) -> Run:
    """Return how to count the dice that show a face; where it is fixed, its place is known."""
    dice, faces = whole.run, checker.names.kind_of(whole.type).faces
    # a number is a face of other kinds, perhaps, which these dice never show: that is no mistake
    all_faces = (face for kind in checker.names.kinds.values() for face in kind.faces)
    no_numbers = item.type is NUMBER and all(isinstance(face, str) for face in all_faces)
    if no_numbers or not can_be_one(item, faces):
        message = f"the dice show {members_text(faces)}, never this"
        raise Mistake("wrong-type", message, item.span)
    if item.constant and item.value() in faces:
        place = faces.index(item.value())
        return lambda env: dice(env)[place]

    def run(env: Environment) -> int:
        face = plain(item.run(env))
        return dice(env)[faces.index(face)] if face in faces else 0

    return run


def _face_named(checker: Checker, node: Node, scope: Scope, whole: Type) -> Expression | None:
    """Return a face by its name, even if something that can be no face is called so, too."""
    if whole.kind != "dice":
        return None
    kind = checker.names.kind_of(whole)
    face = named(node, scope, kind.faces)
    if face is None or kind.is_drawn:  # dice of the name of what is drawn may be declared
        return face
    other = checker.check(node, scope).type
    is_no_face = other is NUMBER or (other.kind == "word" and not {*other.of} & {*kind.faces})
    return face if is_no_face else None


def _few_of(checker: Checker, node: Node, scope: Scope) -> Expression:
    """Check `highest 2 of dice`: as many of the highest dice, or the lowest."""
    which, count = node.child(0), checker.check(node.child(1), scope, NUMBER)
    if which.text not in ("highest", "lowest"):
        message = f'"{which.text} ... of" is not known'
        hint = "to pick out dice, write: highest 2 of dice, or: lowest 2 of dice"
        raise Mistake("unknown-function", message, which.span, hint)
    whole = checker.check(node.child(2), scope, DICE)
    demand_sound(count, whole)
    kind = checker.names.kind_of(whole.type)
    if not kind.numeric:
        message = f'"{which.text}" needs faces that are numbers'
        raise Mistake("wrong-type", message, node.child(2).span)
    order = sorted(range(len(kind.faces)), key=lambda i: int(kind.faces[i]))
    if which.text == "highest":
        order.reverse()

    return applied(
        whole.type, lambda n, dice: first_dice(dice, int(plain(n)), order), node.span, count, whole
    )


def first_dice(dice: Multiset, count: int, order: Sequence[int]) -> Multiset:
    """Return so many of the dice, taken face by face in the order of these indices of faces."""
    picked = [0] * len(dice)
    for face in order:
        picked[face] = min(dice[face], max(0, count))
        count -= picked[face]
    return tuple(picked)


def _has_member(mask: Value, member: Value, members: tuple[int | str, ...]) -> Value:
    if is_open(member) and not is_open(mask):
        there = [m for i, m in enumerate(members) if mask >> i & 1]
        return reduce(either, [compare("eq", member, m) for m in there], False)
    value = plain(member)
    return has_bit(mask, members.index(value)) if value in members else False


HANDLERS: dict[str, Handler] = {
    "range": _range,
    "several": _several,
    "span_set": _range,
    "literal": dice_literal,
    "is_empty": _is_empty,
    "is_not_empty": negated(_is_empty),
    "in_": _in,
    "not_in": negated(_in),
    "number_of": _number_of,
    "few_of": _few_of,
}
