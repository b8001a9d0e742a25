"""The types of values in rules, and the words that messages use for them."""

from __future__ import annotations

from functools import lru_cache
from operator import mul
from typing import Any

from attrs import frozen

from dicegames.ground.multiset import Multiset

Value = Any
"""What expressions yield: int, bool, a Multiset, a bit mask for a set, a Box, or an Unknown."""


@frozen
class Type:
    """The type of an expression.

    `kind` is one of the constants below; `of` tells more: the dice kind of dice, the members of
    a set, the words of a word.
    """

    kind: str
    of: tuple[Any, ...] = ()

    def __str__(self) -> str:
        return KIND_WORDS[self.kind]


KIND_WORDS = {
    "number": "a number",
    "truth": "a condition (yes or no)",
    "word": "a word",
    "dice": "dice",
    "set": "a set",
    "values": "several values",
    "box": "a box",
    "boxes": "boxes",
    "player": "a player",
    "players": "players",
    "unknown": "a value",
}

NUMBER = Type("number")
VALUES = Type("values")
"""Values in brackets that are not all fixed: `(points, 4)`; `of` is their kind."""
TRUTH = Type("truth")
DICE = Type("dice")
SET = Type("set")
WORD = Type("word")
BOX = Type("box")
BOXES = Type("boxes")
PLAYER = Type("player")
PLAYERS = Type("players")
ANYTHING = Type("unknown")
"""The type of an expression that has already been reported; it fits everywhere."""


def alike(one: Type, other: Type) -> bool:
    """Tell whether values of two types can stand for each other, as in two cases."""
    return one.kind == other.kind and (one.kind not in ("dice", "set") or one.of == other.of)


def common(one: Type, other: Type) -> Type:
    """Return the type of values of two types that are alike."""
    if one.kind != "word":
        return one
    return Type("word", tuple(dict.fromkeys((*one.of, *other.of))))


def type_of_face(members: tuple[Any, ...]) -> Type:
    """Return the type of the members of dice or of a set: words, where not all are numbers."""
    return NUMBER if all(type(m) is int for m in members) else Type("word", members)


@frozen
class DiceKind:
    """A kind of dice: how many there are, their faces, and the weight of each face.

    What lies in a bag is of a kind, too: it is drawn and not thrown, and the weights of its faces
    are how many there are of each.
    """

    name: str
    count: int
    faces: tuple[int | str, ...]
    weights: tuple[int, ...]
    is_drawn: bool = False

    def text(self, dice: Multiset) -> str:
        """Show dice as people write them: `1 1 5`."""
        return _shown(self.faces, dice)

    @property
    def numeric(self) -> bool:
        """Tell whether all faces are numbers."""
        return all(isinstance(face, int) for face in self.faces)

    def total(self, dice: Multiset) -> int:
        """Return the sum of numeric dice."""
        return sum(map(mul, self.faces, dice))


@lru_cache(maxsize=1 << 16)
def _shown(faces: tuple[int | str, ...], dice: Multiset) -> str:
    return " ".join(str(f) for f, c in zip(faces, dice, strict=True) for _ in range(c)) or "none"
