"""What an expression of the rules can be: numbers, words, dice, sets, rows of tables, players.

Numbers, conditions and words are Python's own; sets of numbers are frozensets.
"""

from __future__ import annotations

from itertools import combinations, combinations_with_replacement
from typing import Any

from attrs import field, frozen

from dicegames.syntax.nodes import Node

Face = int | str
Value = Any


class Broken(Exception):
    """The rules say something here that cannot be done."""


class Forbidden(Broken):
    """The rules break where it is looked for even if nobody reads what is set; or at the end."""


@frozen
class Kind:
    """A kind of dice: its pile on the table, how many there are, the faces, their weights."""

    name: str
    count: int
    faces: tuple[Face, ...]
    weights: tuple[int, ...]

    def all_of_it(self) -> tuple[Face, ...]:
        """Return every thing in a bag."""
        return tuple(f for f, n in zip(self.faces, self.weights, strict=True) for _ in range(n))

    def sorted(self, faces: list[Face] | tuple[Face, ...]) -> Dice:
        return Dice(self, tuple(sorted(faces, key=self.faces.index)))


@frozen
class Dice:
    """A multiset of faces, the lowest first."""

    kind: Kind
    faces: tuple[Face, ...] = ()

    def plus(self, other: Dice) -> Dice:
        return self.kind.sorted(self.faces + other.faces)

    def minus(self, other: Dice) -> Dice:
        left = list(self.faces)
        for face in other.faces:
            if face in left:
                left.remove(face)
        return Dice(self.kind, tuple(left))

    def holds(self, other: Dice) -> bool:
        return all(self.faces.count(f) >= other.faces.count(f) for f in set(other.faces))


@frozen
class Row:
    """A row of a table; `faces` are those that a player has named for its letters."""

    table: str
    label: str
    node: Node = field(repr=False, eq=False)
    names: tuple[tuple[str, Value], ...] = field(default=(), eq=False)
    boxes: bool = field(default=False, eq=False)
    faces: tuple[tuple[str, Face], ...] = ()

    @property
    def plain(self) -> Row:
        return Row(self.table, self.label, self.node, self.names, self.boxes)


@frozen
class Player:
    """A player by seat, from 0."""

    seat: int


def members(value: Value) -> list[Value]:
    """Return what is in there, each once, the lowest first; rows and players in their order."""
    if isinstance(value, Dice):
        return [face for face in value.kind.faces if face in value.faces]
    if isinstance(value, frozenset):
        return sorted(value, key=lambda x: (isinstance(x, str), x))
    assert isinstance(value, tuple), value
    return list(value)


def size(value: Value) -> int:
    return len(value.faces) if isinstance(value, Dice) else len(value)


def parts(value: Value, least: int, most: int | None) -> list[Value]:
    """Return all that can be picked, the fewest first.

    Of as many, dice with the lowest faces come first; sets with the lowest highest number.
    """
    most = size(value) if most is None else min(most, size(value))
    if isinstance(value, Dice):
        found = []
        for count in range(least, most + 1):
            for faces in combinations_with_replacement(members(value), count):
                part = Dice(value.kind, faces)
                if value.holds(part):
                    found.append(part)
        return found
    assert isinstance(value, frozenset), value
    sets = [c for n in range(least, most + 1) for c in combinations(members(value), n)]
    return [frozenset(c) for c in sorted(sets, key=lambda c: (len(c), c[::-1]))]


def text(value: Value) -> str:
    """Return how a pick is said behind the name of a move."""
    if isinstance(value, Row):
        return " ".join([value.label, *[str(face) for _, face in value.faces]])
    if isinstance(value, Dice | frozenset):
        faces = value.faces if isinstance(value, Dice) else members(value)
        return " ".join(map(str, faces)) or "none"
    return str(value)
