"""Declarations of dice and of the piles that they lie in."""

from __future__ import annotations

from math import comb, prod

from dicegames.ground.source import Span
from dicegames.rules.parts.names import Names, Scope, Variable
from dicegames.rules.parts.types import NUMBER, DiceKind
from dicegames.rules.reading.checker import Checker
from dicegames.rules.reading.declarations import is_fixed
from dicegames.syntax.nodes import Node

MOST_DICE = 20
MOST_FACES = 100
MOST_ROLLS = 200_000
LARGEST_WEIGHT = 1_000_000
Faces = tuple[int | str, ...]


def declare_dice(checker: Checker, nodes: list[Node]) -> None:
    """Declare the kinds of dice, the pile that each is thrown onto, and further piles."""
    names = checker.names
    for node in nodes:
        if node.kind == "pile":
            _piles(names, node)
            continue
        if node.kind == "bag":
            _bag(checker, node)
            continue
        word = node.children[0]
        name, span = ("dice", node.span) if word is None else (word.text, word.span)
        kind = _kind(checker, name, node)
        if kind is None:
            faces = [part.child(0).text for part in node.walk() if part.kind == "face"]
            names.doubtful.update(("dice", name, *faces))
        if kind is not None:
            _declare_kind(names, kind, span)


def _declare_kind(names: Names, kind: DiceKind, span: Span) -> None:
    """Declare a kind of dice, the pile that it lies in at first, and how many are thrown."""
    if not names.declare(kind.name, span):
        return
    names.kinds[kind.name] = kind
    names.words.update(face for face in kind.faces if isinstance(face, str))
    names.add_pile(kind.name, kind, span)
    counter = Variable(f"{kind.name}.thrown", NUMBER, "turn", -1, 1, span, 0)
    names.variables[counter.name] = names.add_variable(counter)


def _bag(checker: Checker, node: Node) -> None:
    """Declare a bag: what lies in it is drawn, and is gone until it is put back."""
    names, word = checker.names, node.child(0)
    found = _faces(checker, node.parts()[1:])
    if found is None:
        names.doubtful.add(word.text)
        return
    faces, weights = found
    if prod(w + 1 for w in weights) > MOST_ROLLS:
        message = "so much can lie in a bag in too many ways"
        hint = f"{MOST_ROLLS} different contents at most"
        names.report("too-many-rolls", message, node.span, hint)
        names.doubtful.add(word.text)
        return
    _declare_kind(names, DiceKind(word.text, sum(weights), faces, weights, True), word.span)


def _kind(checker: Checker, name: str, node: Node) -> DiceKind | None:
    read = _count_and_faces(checker, node)
    if read is None:
        return None
    count, faces, weights = read
    names = checker.names
    if not 1 <= count <= MOST_DICE or not 1 <= len(faces) <= MOST_FACES:
        message = f"a game has 1 to {MOST_DICE} dice of a kind, with 1 to {MOST_FACES} faces"
        names.report("dice-number", message, node.span)
        return None
    if comb(count + len(faces) - 1, count) > MOST_ROLLS:
        message = f"{count} dice with {len(faces)} faces can fall in too many ways"
        hint = f"{MOST_ROLLS} different rolls at most"
        names.report("too-many-rolls", message, node.span, hint)
        return None
    if sum(weights) == 0 or max(weights) > LARGEST_WEIGHT:
        message = "at least one face of a die must be able to fall"
        if sum(weights):
            message = f"the weight of a face is at most {LARGEST_WEIGHT}"
        names.report("dice-weights", message, node.span)
        return None
    return DiceKind(name, count, faces, weights)


def _count_and_faces(checker: Checker, node: Node) -> tuple[int, Faces, tuple[int, ...]] | None:
    if node.kind == "dice_short":
        count, sides = (int(part[:9]) for part in node.child(1).text.split("d"))
    else:
        number = checker.check(node.child(1), Scope(), NUMBER)
        if not is_fixed(checker.names, number, node.child(1).span, "the number of dice"):
            return None
        count = number.value()
        if node.kind == "dice_faces":
            words = node.children[2:]
            found = _faces(checker, [w for w in words if w is not None])
            return None if found is None else (count, *found)
        given = checker.check(node.child(2), Scope(), NUMBER)
        if not is_fixed(checker.names, given, node.child(2).span, "the number of sides"):
            return None
        sides = given.value()
    faces = tuple(range(1, min(sides, MOST_FACES + 1) + 1))
    return count, faces, (1,) * len(faces)


def _faces(checker: Checker, nodes: list[Node]) -> tuple[Faces, tuple[int, ...]] | None:
    """Return the faces of a die and the weight of each; None after a mistake."""
    names = checker.names
    weights: dict[int | str, int] = {}
    for node in nodes:
        word, weight = node.child(0), node.children[1]
        face = int(word.text[:9]) if word.kind == "INT" else word.text
        if word.kind == "INT" and len(word.text) > 9:
            message = f"this number is too large: it has {len(word.text)} digits"
            names.report("number-too-large", message, word.span)
            return None
        if face in weights:
            message = f'the face "{face}" is given twice'
            hint = f"write: {face} times 2"
            names.report("dice-faces", message, node.span, hint)
            return None
        weights[face] = 1
        if weight is not None:
            given = checker.check(weight, Scope(), NUMBER)
            if not is_fixed(names, given, weight.span, "how often a face is there"):
                return None
            weights[face] = given.value()
        if weights[face] < 1:
            message = f'the face "{face}" has the weight {weights[face]}: it never falls'
            names.report("dice-weights", message, node.span, "leave it out")
            return None
    return tuple(weights), tuple(weights.values())


def _piles(names: Names, node: Node) -> None:
    *words, of = node.children
    kinds = names.kinds
    if not kinds or (of is not None and of.text not in kinds):
        message = "a pile belongs to dice that are declared before it"
        names.missing("dice", "no-dice", message, node.span, "declare first: dice 5d6")
        return
    kind = kinds[of.text] if of is not None else next(iter(kinds.values()))
    for word in words:
        if word is not None and names.declare(word.text, word.span):
            names.add_pile(word.text, kind, word.span)
