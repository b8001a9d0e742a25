"""Patterns in dice, and what the rows of tables are worth."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations, permutations

from attrs import evolve

from dicegames.syntax.nodes import Node
from tests.reference.expressions import View
from tests.reference.values import Broken, Dice, Face, Row, Value

Letters = dict[str, Value]


def letters_of(view: View, pattern: Node, dice: Dice) -> list[str]:
    """Return the letters of a pattern, in the order in which they first stand there."""
    found: list[str] = []
    for element in pattern.parts():
        first = element.parts()[0]
        if first.kind == "NAME" and not _is_face(view, first.text, dice):
            found += [first.text] if first.text not in found else []
    return found


def _is_face(view: View, name: str, dice: Dice) -> bool:
    return name in dice.kind.faces or isinstance(view.names.get(name), int | str)


def matches(
    view: View, pattern: Node, dice: Dice, fixed: Letters | None = None
) -> Iterator[tuple[Letters, Dice]]:
    """Yield every way in which dice show a pattern: the letters, and the dice that take part.

    Letters stand for different faces; ways come in the order of the faces of the first letter,
    then of the second.
    """
    for letters, needed in contents(view, pattern, dice, fixed):
        if dice.holds(needed):
            yield letters, _taking_part(view, pattern, letters, dice, needed)


def contents(
    view: View, pattern: Node, dice: Dice, fixed: Letters | None = None
) -> Iterator[tuple[Letters, Dice]]:
    """Yield the letters and the least dice of a pattern, shown or not."""
    names = letters_of(view, pattern, dice)
    fixed = {n: f for n, f in (fixed or {}).items() if n in names}
    for faces in permutations(dice.kind.faces, len(names)):
        letters = dict(zip(names, faces, strict=True))
        if any(letters[n] != f for n, f in fixed.items()):
            continue
        for needed in _least(view, pattern, letters, dice):
            yield letters, needed


def _least(view: View, pattern: Node, letters: Letters, dice: Dice) -> Iterator[Dice]:
    """Yield the least dice that show it, one for every place where a run can begin."""
    faces: list[Face] = []
    runs: list[list[Face]] = [[]]
    for element in pattern.parts():
        first = element.parts()[0]
        if first.kind in ("DOTS", "ANY"):
            continue
        if first.kind in ("INT", "NAME"):
            faces.append(_face(view, first, letters))
            continue
        length, all_faces = view(first), list(dice.kind.faces)
        starts = range(len(all_faces) - length + 1)
        runs = [all_faces[at : at + length] for at in starts]
    for run in runs:
        if set(faces) <= set(dice.kind.faces):  # a letter may have a face of other dice
            yield dice.kind.sorted([*faces, *run])


def _face(view: View, node: Node, letters: Letters) -> Face:
    if node.kind == "INT":
        return int(node.text)
    if node.text in letters:
        return letters[node.text]  # type: ignore[no-any-return]
    value = view.names.get(node.text, node.text)
    assert isinstance(value, int | str)
    return value


def _taking_part(view: View, pattern: Node, letters: Letters, dice: Dice, needed: Dice) -> Dice:
    """Return the dice that take part: of a face with dots, or with `any`, all of them."""
    every: set[Face] = set()
    before: Node | None = None
    for element in pattern.parts():
        first = element.parts()[0]
        if first.kind == "DOTS":
            assert before is not None
            every.add(_face(view, before, letters))
        elif first.kind == "ANY":
            what = element.parts()[1]
            if what.text == "dice":
                every |= set(dice.faces)
            else:
                every.add(_face(view, what, letters))
        before = first
    rest = [f for f in needed.faces if f not in every]
    return dice.kind.sorted([*rest, *[f for f in dice.faces if f in every]])


# ---- rows


def row_matches(view: View, row: Row, dice: Dice) -> Iterator[tuple[Letters, Dice, View]]:
    """Yield every way in which dice show a row: letters, dice that take part, who knows them."""
    inside = view.reading(row)
    for alternative in alternatives(row):
        pattern, where, condition = alternative.children
        assert pattern is not None
        if condition is not None and not inside(condition):
            continue
        for letters, part in matches(inside, pattern, dice, dict(row.faces)):
            pips = sum(f for f in part.faces if isinstance(f, int))
            knowing = inside.knowing(**letters, sum=pips)
            if where is None or knowing(where):
                yield letters, part, knowing


def alternatives(row: Row) -> list[Node]:
    return [part for part in row.node.parts() if part.kind == "alternative"]


def points(view: View, row: Row) -> int:
    """Return what a row is worth: the best match, 0 where there is none."""
    dice = view.variable(main_pile(view))
    pays, each = row.node.children[-2], row.node.children[-1]
    assert pays is not None
    found = []
    for _, part, knowing in row_matches(view, row, dice):
        value = knowing(pays)
        found.append(value * len(part.faces) if each is not None else value)
    return int(max(found, default=0))


def best(view: View, rows: tuple[Row, ...]) -> Row:
    """Return the row that pays most, the first of equals."""
    dice = view.variable(main_pile(view))
    shown = [row for row in rows if any(True for _ in row_matches(view, row, dice))]
    if not shown:
        raise Broken("the dice show no row of the table")
    return max(shown, key=lambda row: points(view, row))


def spare(view: View, row: Row) -> Dice:
    """Return the dice that a row does not need, shown or not; which ones must be clear."""
    dice: Dice = view.variable(main_pile(view))
    spared = {dice.minus(part) for _, part, _ in row_matches(view, row, dice)}
    inside = view.reading(row)
    for alternative in () if spared else alternatives(row):
        pattern = alternative.child(0)
        for letters, least in contents(inside, pattern, dice, dict(row.faces)):
            spared.add(dice.minus(_taking_part(inside, pattern, letters, dice, least)))
    if len(spared) != 1:
        raise Broken("which dice the row needs is open")
    return spared.pop()


def main_pile(view: View) -> str:
    return next(iter(view.book.kinds))


def named_faces(view: View, row: Row) -> list[Row]:
    """Return a row once for all faces that its letters can stand for, shown or not.

    Letters that play the same part have their faces in ascending order, unless the row speaks of
    letters by name.
    """
    dice: Dice = view.variable(main_pile(view))
    inside = view.reading(row)
    found: set[tuple[tuple[str, Face], ...]] = set()
    for alternative in alternatives(row):
        pattern, where, _ = alternative.children
        assert pattern is not None
        for letters in _in_order(view, row, alternative, dice):
            if where is None or inside.knowing(**letters)(where):
                found.add(tuple(letters.items()))
    plain, at = row.plain, dice.kind.faces.index
    ordered = sorted(found, key=lambda faces: [at(face) for _, face in faces])
    return [evolve(plain, faces=faces) for faces in ordered]


def _in_order(view: View, row: Row, alternative: Node, dice: Dice) -> Iterator[Letters]:
    """Yield faces for the letters of a pattern, those with the same part in ascending order."""
    pattern, *rest = alternative.children
    assert pattern is not None
    names = letters_of(view, pattern, dice)
    said = [node for node in (*rest, row.node.children[-2]) if node is not None]
    told = {n.text for node in said for n in node.walk() if n.kind == "NAME"}
    elements = [[p.text for p in element.parts()] for element in pattern.parts()]
    part = {name: _part(name, elements) for name in names}
    pairs = [(a, b) for a, b in combinations(names, 2) if part[a] == part[b]]
    for faces in permutations(dice.kind.faces, len(names)):
        letters = dict(zip(names, faces, strict=True))
        at = {name: dice.kind.faces.index(face) for name, face in letters.items()}
        if not told.isdisjoint(names) or all(at[a] < at[b] for a, b in pairs):
            yield letters


def _part(name: str, elements: list[list[str]]) -> tuple[int, bool]:
    """Return how often a letter stands in a pattern, and whether dots follow it."""
    own = [at for at, element in enumerate(elements) if element == [name]]
    return len(own), any(elements[at + 1 : at + 2] == [["..."]] for at in own)
