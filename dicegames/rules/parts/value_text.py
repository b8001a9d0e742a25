"""Values as people write them, and back: `12`, `yes`, `1 2 3`, `Two triples 3 5`."""

from __future__ import annotations

import re
from collections.abc import Sequence

from dicegames.ground.diagnostic import did_you_mean, folded, named
from dicegames.ground.errors import DicegamesError
from dicegames.ground.multiset import Multiset
from dicegames.ground.numbers import signed_number
from dicegames.rules.parts.names import Names
from dicegames.rules.parts.rows import Box, Row
from dicegames.rules.parts.types import DiceKind, Type, Value

TRUTHS = {"yes": True, "no": False}


class PositionError(DicegamesError, ValueError):
    """A text is no position of the game; `help` says what to write instead, if that is known."""

    misused = True

    def __init__(self, message: str, help: str = "") -> None:
        self.message = message
        self.help = help
        super().__init__(f"{message}; {help}" if help else message)


# ---- values to text


def value_text(names: Names, name: str, type: Type, value: Value) -> str:
    """Return a value as text; `name` is the variable that holds it."""
    match type.kind:
        case "truth":
            return "yes" if value else "no"
        case "dice":
            return names.kind_of(type).text(value)
        case "set":
            members = [m for i, m in enumerate(type.of) if value >> i & 1]
            if name == "used":
                return ", ".join(box_rows(names)[m].label for m in members) or "none"
            return " ".join(map(str, members)) or "none"
    return str(value)


def box_rows(names: Names) -> list[Row]:
    """Return the rows of all boxes, in the order of their bits."""
    return [row for table in names.boxes for row in names.tables[table]]


# ---- text to values


def parse_value(names: Names, name: str, type: Type, text: str) -> Value:
    """Return the value that a text stands for; raises PositionError."""
    match type.kind:
        case "truth":
            return _word(name, text, TRUTHS)
        case "word":
            return _word(name, text, {str(word): word for word in type.of})
        case "dice":
            return parse_dice(names.kind_of(type), name, text)
        case "set":
            return _set(names, name, type, text)
        case "box":
            return _box(names, text)
    return parse_number(name, text)


NEXT_FIELD = re.compile(r"[+-]?[0-9]+[\s,;/]+[^\W\d]")
"""A number with a further field behind it: `5 ; round 2`."""


def parse_number(name: str, text: str) -> int:
    """Return a whole number."""
    number = signed_number(text)
    if number is None:
        shown = f'"{text}" is not one' if text else "none is given"
        hint = "write | between the fields" if NEXT_FIELD.match(text) else ""
        raise PositionError(f'"{name}" is a whole number, {shown}', hint)
    return number


def _word(name: str, text: str, known: dict[str, Value]) -> Value:
    if text.lower() in known:
        return known[text.lower()]
    if text in known:
        return known[text]
    raise PositionError(f'"{name}" cannot be "{text}"', "possible are " + ", ".join(known))


def parse_dice(kind: DiceKind, name: str, text: str) -> Multiset:
    """Return dice such as `1 2 3 3`, in any order; digits may stand together: `1233`.

    name: of the pile; "" for what is thrown or drawn.
    """
    counts = [0] * len(kind.faces)
    faces = {str(face).lower(): i for i, face in enumerate(kind.faces)}
    for token in _tokens(text):
        for part in [token] if token in faces else _split(token, faces):
            if part not in faces:
                shown = f"its faces are {named(map(str, kind.faces))}"
                where = f' in "{name}"' if name else ""
                what = "of what is drawn" if kind.is_drawn else f"of the dice{where}"
                raise PositionError(f'"{part}" is no face {what}', shown)
            counts[faces[part]] += 1
    return tuple(counts)


def _tokens(text: str) -> list[str]:
    tokens = text.lower().replace(",", " ").split()
    return [] if tokens == ["none"] else tokens


def _split(token: str, faces: dict[str, int]) -> Sequence[str]:
    """Take apart faces that stand together, if each is a single character."""
    return token if token.isdigit() and all(len(f) == 1 for f in faces) else [token]


def _set(names: Names, name: str, type: Type, text: str) -> int:
    if name == "used":
        return _used(names, text)
    mask = 0
    words = {str(m).lower(): m for m in type.of if isinstance(m, str)}
    for token in _tokens(text):
        member = words[token] if token in words else parse_number(name, token)
        if member not in type.of:
            hint = f"it holds {members_text(type.of)}"
            raise PositionError(f'{member} cannot be in "{name}"', hint)
        bit = 1 << type.of.index(member)
        if mask & bit:
            raise PositionError(f'{member} is twice in "{name}"')
        mask |= bit
    return mask


def told_apart(*types: Type) -> list[str]:
    """Return what types are called; where that is the same, with what they hold."""
    shown = [str(each) for each in types]
    if len({*shown}) > 1 or types[0].kind not in ("set", "dice"):
        return shown
    if types[0].kind == "dice":
        return [f'dice of the kind "{each.of[0]}"' for each in types]
    return [f"a set of {members_text(each.of)}" for each in types]


def members_text(members: tuple[int | str, ...]) -> str:
    """Return what a set may hold, in words."""
    numeric = all(isinstance(m, int) for m in members)
    if (
        numeric
        and len(members) > 2
        and members == tuple(range(int(members[0]), int(members[-1]) + 1))
    ):
        return f"numbers from {members[0]} to {members[-1]}"
    return named(map(str, members))


def _used(names: Names, text: str) -> int:
    labels = {row.label.lower(): row for row in box_rows(names)}
    mask = 0
    for part in [] if folded(text) in ("", "none") else text.split(","):
        label = folded(part)
        if not label:
            raise PositionError('a box is missing beside a comma in "used"', "leave the comma out")
        if label not in labels:
            shown = [row.label for row in labels.values()]
            hint = did_you_mean(label, shown) or f"the boxes are {named(shown, 24)}"
            raise PositionError(f'no box is called "{part.strip()}"', hint)
        bit = 1 << labels[label].index
        if mask & bit:
            raise PositionError(f'the box "{labels[label].label}" is given twice')
        mask |= bit
    return mask


def _box(names: Names, text: str) -> Box:
    wanted = folded(text)
    rows = sorted(names.rows.values(), key=lambda row: -len(row.label))
    for row in rows:
        label = row.label.lower()
        if wanted == label or wanted.startswith(label + " "):
            return _named(row, wanted.removeprefix(label).split())
    labels = [row.label for row in rows]
    hint = did_you_mean(text, labels) or f"the boxes are {named(labels, 24)}"
    raise PositionError(f'no box is called "{text}"', hint)


def _named(row: Row, faces: list[str]) -> Box:
    """Return a row with the faces of its letters; equal letters may change places."""
    if not faces:
        return row.box()
    boxes = {str(box).lower().removeprefix(row.label.lower()): box for box in row.named()}
    found = boxes.get(" " + " ".join(faces))
    if found is None:
        loose = [box for key, box in boxes.items() if sorted(key.split()) == sorted(faces)]
        if len(loose) != 1:
            message = f'"{row.label}" does not go with the faces {" ".join(faces)}'
            raise PositionError(message, f"possible are {named(map(str, boxes.values()), 4)}")
        found = loose[0]
    return found
