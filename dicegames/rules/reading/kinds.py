"""Declarations of dice and of the piles that they lie in."""

from __future__ import annotations

from math import comb, prod

from dicegames.ground.diagnostic import did_you_mean, named
from dicegames.ground.source import Span
from dicegames.rules.parts.names import Mistake, Names, Reported, Variable
from dicegames.rules.parts.types import NUMBER, DiceKind
from dicegames.rules.reading.checker import Checker
from dicegames.rules.reading.declarations import fixed
from dicegames.syntax.nodes import Node
from dicegames.syntax.tokens import BEHIND_A_NUMBER

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
            with names.going_on(*(word.text for word in node.children[:-1] if word)):
                _piles(names, node)
            continue
        word = node.children[0]
        name, span = ("dice", node.span) if word is None else (word.text, word.span)
        faces = [part.child(0).text for part in node.walk() if part.kind == "face"]
        with names.going_on("dice", name, *faces):
            if node.kind == "bag" and not names.doubtful.isdisjoint(faces):
                raise Reported  # whether dice of these kinds lie in it is not known
            kind = _bag if node.kind == "bag" else _kind
            _declare_kind(names, kind(checker, name, node), span)


def _declare_kind(names: Names, kind: DiceKind, span: Span) -> None:
    """Declare a kind of dice, the pile that it lies in at first, and how many are thrown."""
    if kind.name in BEHIND_A_NUMBER and not kind.is_drawn:
        message = f'the word "{kind.name}" means something else in: roll 1 {kind.name}'
        raise Mistake("reserved", message, span, "give the dice another name")
    if not names.declare(kind.name, span):
        return
    names.kinds[kind.name] = kind
    names.words.update(face for face in kind.faces if isinstance(face, str))
    names.add_pile(kind.name, kind, span)
    counter = Variable(f"{kind.name}.thrown", NUMBER, "turn", -1, 1, span, 0)
    names.variables[counter.name] = names.add_variable(counter)


def _bag(checker: Checker, name: str, node: Node) -> DiceKind:
    """Return what lies in a bag: it is drawn, and is gone until it is put back."""
    faces, weights = _faces(checker, node.parts()[1:])
    others = checker.names.kinds.keys() - {*faces}
    for part in node.parts()[1:] if others != checker.names.kinds.keys() else ():
        word = part.child(0)
        if word.text not in checker.names.kinds and (hint := did_you_mean(word.text, others)):
            raise Mistake("unknown-name", f'no dice are called "{word.text}"', word.span, hint)
    ways = prod(w + 1 for w in weights)
    if ways > MOST_ROLLS:
        message = f"the contents of this bag can differ in {ways:,} ways, {MOST_ROLLS:,} at most"
        hint = "put fewer things in; where a turn draws only one, a die with these weights does: "
        hint += f"dice {name} = 1 with faces {faces[0]} times {weights[0]}, ..., and roll 1 {name}"
        raise Mistake("too-many-rolls", message, node.span, hint)
    return DiceKind(name, sum(weights), faces, weights, True)


def _kind(checker: Checker, name: str, node: Node) -> DiceKind:
    """Return dice that are thrown."""
    count, faces, weights = _count_and_faces(checker, node)
    if not 1 <= count <= MOST_DICE or not 1 <= len(faces) <= MOST_FACES:
        message = f"a game has 1 to {MOST_DICE} dice of a kind, with 1 to {MOST_FACES} faces"
        raise Mistake("dice-number", message, node.span)
    if comb(count + len(faces) - 1, count) > MOST_ROLLS:
        message = f"{count} dice with {len(faces)} faces can fall in too many ways"
        hint = f"{MOST_ROLLS:,} different rolls at most"
        raise Mistake("too-many-rolls", message, node.span, hint)
    if sum(weights) == 0 or max(weights) > LARGEST_WEIGHT:
        message = "at least one face of a die must be able to fall"
        if sum(weights):
            message = f"the weight of a face is at most {LARGEST_WEIGHT}"
        raise Mistake("dice-weights", message, node.span)
    return DiceKind(name, count, faces, weights)


def _count_and_faces(checker: Checker, node: Node) -> tuple[int, Faces, tuple[int, ...]]:
    if node.kind == "dice_short":
        count, sides = (int(part[:9]) for part in node.child(1).text.split("d"))
    else:
        count = fixed(checker, node.child(1), "the number of dice")
        if node.kind == "dice_faces":
            return count, *_faces(checker, [w for w in node.children[2:] if w is not None])
        sides = fixed(checker, node.child(2), "the number of sides")
    faces = tuple(range(1, min(sides, MOST_FACES + 1) + 1))
    return count, faces, (1,) * len(faces)


def _faces(checker: Checker, nodes: list[Node]) -> tuple[Faces, tuple[int, ...]]:
    """Return the faces of a die and the weight of each; raises Reported."""
    weights: dict[int | str, int] = {}
    for node in nodes:
        word, weight = node.child(0), node.children[1]
        face = int(word.text[:9]) if word.kind == "INT" else word.text
        if word.kind == "INT" and len(word.text) > 9:
            message = f"this number is too large: it has {len(word.text)} digits"
            raise Mistake("number-too-large", message, word.span)
        if face in weights:
            message = f'the face "{face}" is given twice'
            alike = sum(other.child(0).text == word.text for other in nodes)
            hint = f"write: {face} times {alike}"
            raise Mistake("dice-faces", message, node.span, hint)
        often = "how often a face is there"
        weights[face] = 1 if weight is None else fixed(checker, weight, often)
        said = set() if weight is None else {each.text for each in weight.walk()}
        may_be_none = weights[face] == 0 and not said.isdisjoint(checker.names.options)
        if weights[face] < 1 and not may_be_none:
            message = f'the face "{face}" has the weight {weights[face]}: it never falls'
            raise Mistake("dice-weights", message, node.span, "leave it out")
    return tuple(weights), tuple(weights.values())


def _piles(names: Names, node: Node) -> None:
    *words, of = node.children
    kind = names.first_kind() if of is None else names.kinds.get(of.text)
    if kind is None:
        message = "a pile belongs to dice, or to a bag, that are declared before it"
        if of is None:
            raise Mistake("no-dice", message, node.span, "declare first: dice 5d6", "dice")
        there = f"there are: {named(names.kinds)}" if names.kinds else ""
        hint = (
            did_you_mean(of.text, names.kinds) or there or f"declare first: bag {of.text} with ..."
        )
        raise Mistake("no-dice", message, of.span, hint, of.text)
    for word in words:
        if word is not None and names.declare(word.text, word.span):
            names.add_pile(word.text, kind, word.span)
