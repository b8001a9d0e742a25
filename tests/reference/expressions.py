"""What an expression says in a position: plain recursion over the syntax tree."""

from __future__ import annotations

from collections.abc import Callable, Container, Iterable
from typing import Any

from attrs import evolve, field, frozen

from dicegames.syntax.nodes import Node
from tests.reference.rulebook import Rulebook
from tests.reference.values import Broken, Dice, Player, Row, Value, members, size

MOST_BITS = 4_000
"""A number squared turn by turn has soon more digits than can be told in time."""


@frozen
class View:
    """A position as a sentence of the rules sees it.

    `cells` holds every pile and variable; a player's variable is a tuple by seat. `own` is the seat
    that names without `of` mean, `mover` that of the player whose turn it is.
    """

    book: Rulebook
    cells: dict[str, Value]
    own: int
    mover: int
    names: dict[str, Value] = field(factory=dict)
    is_end: bool = False
    """Whether it is asked if the game ends."""
    order: tuple[int, ...] | None = None
    """The seats from first to last, while a settlement is reckoned."""

    def __call__(self, node: Node) -> Value:
        if node.kind == "NAME":  # as in: roll n red
            return self.named(node.text)
        method = getattr(self, f"_{node.kind.rstrip('_')}", None)
        if method is None:
            raise NotImplementedError(node.kind)
        return method(*node.children)

    def knowing(self, **names: Value) -> View:
        known = self.names | names
        return View(self.book, self.cells, self.own, self.mover, known, self.is_end, self.order)

    def reading(self, row: Row) -> View:
        """Return how a row sees the position: its variables are those of the player to move.

        What is called by a name where the row is asked for is not seen.
        """
        return evolve(self, own=self.mover, names=dict(row.names), is_end=False)

    # ---- words

    def _integer(self, number: Node) -> int:
        return int(number.text)

    def _yes(self, _: Node) -> bool:
        return True

    def _no(self, _: Node) -> bool:
        return False

    def _label(self, name: Node) -> Row | str:
        return next((row for row in self.book.rows if row.label == name.text), name.text)

    def _name(self, name: Node) -> Value:
        return self.named(name.text)

    def named(self, name: str) -> Value:
        if name in self.names:
            value = self.names[name]
            if not self._is_kind(value):
                return value
            return self.cells[value] or Dice(self.book.kinds[value])  # none before a throw
        book = self.book
        if name in book.means:
            return self._meaning(book.means[name])
        if name in book.variables or name in book.piles:
            return self.variable(name)
        if name in book.options and name != "players":
            return book.options[name]
        return self._built_in(name)

    def _is_kind(self, word: Value) -> bool:
        return isinstance(word, str) and word in self.book.kinds

    def word(self, node: Node, words: Container[Value]) -> Value:
        """Return one of some words where it is named, else what is said."""
        name = node.child(0).text if node.kind == "name" else ""
        meant = self.names.get(name, name)
        return meant if isinstance(meant, str) and meant in words else self(node)

    def _built_in(self, name: str) -> Value:
        match name:
            case "seat":
                return self.own + 1
            case "round":
                return self.cells["round"]
            case "mover":
                return Player(self.mover)
            case "players":
                return self._round_from(self.mover)
            case "others":
                return self._round_from(self.mover)[1:]
            case "winner":
                return self._winner()
            case "boxes":
                return tuple(row for row in self.book.rows if row.boxes)
            case "used":  # the numbers of the boxes
                boxes = self._built_in("boxes")
                return frozenset(map(boxes.index, self.variable("used")))
        if name in self.book.tables:
            return tuple(row for row in self.book.rows if row.table == name)
        return name  # a word: a face, or one of the words of a variable or an option

    def variable(self, name: str, seat: int | None = None) -> Value:
        value = self.cells[name]
        declared = self.book.variables.get(name)
        if name != "used" and (declared is None or not declared.scope.startswith("each")):
            return value
        return value[self.own if seat is None else seat]

    def _meaning(self, node: Node, **names: Value) -> Value:
        view = self.knowing(**names)
        lines = [n for n in node.parts()[1:] if n.kind != "parameters"]
        match node.kind:
            case "means":
                return view(lines[0])
            case "means_any":
                return any(view(line) for line in lines)
            case "means_all":
                return all(view(line) for line in lines)
        return next(
            view(c.child(0)) for c in lines if c.kind == "case_otherwise" or view(c.child(1))
        )

    def _round_from(self, seat: int) -> tuple[Player, ...]:
        count = self.book.players
        return tuple(Player((seat + i) % count) for i in range(count))

    # ---- numbers

    def _plus(self, a: Node, b: Node) -> Value:
        left, right = self(a), self(b)
        if isinstance(left, Dice):
            return left.plus(right)
        return left | _as_set(right) if isinstance(left, frozenset) else left + right

    def _minus(self, a: Node, b: Node) -> Value:
        left, right = self(a), self(b)
        if isinstance(left, Dice):
            return left.minus(_as_dice(left, right))
        return left - _as_set(right) if isinstance(left, frozenset) else left - right

    def _times(self, a: Node, b: Node) -> int:
        found = int(self(a) * self(b))
        if found.bit_length() > MOST_BITS:
            raise Broken("a number that grows and grows, of which nobody asks how large it is")
        return found

    def _divide(self, a: Node, sign: Node, b: Node) -> int:
        left, right = self(a), self(b)
        if right == 0:
            raise Broken("a division by nothing")
        return int(left // right if sign.text == "div" else left % right)

    def _power(self, a: Node, b: Node) -> int:
        base, exponent = self(a), self(b)
        if exponent < 0:
            raise Broken("a power below nothing")
        return int(base**exponent)

    def _negative(self, a: Node) -> int:
        return -int(self(a))

    def _conditional(self, a: Node, condition: Node, b: Node) -> Value:
        return self(a) if self(condition) else self(b)

    # ---- conditions

    def _or(self, *parts: Node) -> bool:
        return any(self(part) for part in parts)

    def _and(self, *parts: Node) -> bool:
        return all(self(part) for part in parts)

    def _negation(self, part: Node) -> bool:
        return not self(part)

    def _equal(self, a: Node, b: Node) -> bool:
        sides = [self.word(side, self.book.kinds) for side in (a, b)]
        sides = sides if all(map(self._is_kind, sides)) else [self(a), self(b)]
        return bool(_plain(sides[0]) == _plain(sides[1]))

    def _compare(self, a: Node, sign: Node, b: Node) -> bool:
        left, right = _plain(self(a)), _plain(self(b))
        if isinstance(left, Row):
            left, right = (self.book.rows.index(row.plain) for row in (left, right))
        return bool(_SIGNS[sign.text](left, right))

    def _is_empty(self, a: Node) -> bool:
        return size(self(a)) == 0

    def _is_not_empty(self, a: Node) -> bool:
        return size(self(a)) > 0

    def _is_box(self, a: Node, state: Node) -> bool:
        is_used = self(a).plain in self.variable("used")
        return bool(is_used == (state.text == "used"))

    def _is_not_box(self, a: Node, state: Node) -> bool:
        return not self._is_box(a, state)

    def _all_boxes(self, a: Node, state: Node) -> bool:
        rows = self(a)
        seats = range(self.book.players) if self.is_end else [self.own]
        used = [row in self.variable("used", seat) for row in rows for seat in seats]
        return all(used) if state.text == "used" else not any(used)

    def _in(self, a: Node, b: Node) -> bool:
        whole = self(b)
        inside = self.word(a, whole.kind.faces) if isinstance(whole, Dice) else self(a)
        if isinstance(inside, Dice):
            return bool(whole.holds(inside))
        return _plain(inside) in members(whole)

    def _not_in(self, a: Node, b: Node) -> bool:
        return not self._in(a, b)

    def _shows(self, pile: Node, pattern: Node) -> bool:
        dice = self(pile)
        if pile.kind == "name" and self._is_kind(self.names.get(pile.child(0).text)):
            first = [element.parts()[0] for element in pattern.parts()]
            faces = {face for kind in self.book.kinds.values() for face in kind.faces}
            others = faces - set(dice.kind.faces) - set(self.names)
            if any(word.kind == "NAME" and word.text in others for word in first):
                return False  # a face of another kind, and no letter
        return next(iter(self.shown(dice, pattern)), None) is not None

    def shown(self, dice: Dice, pattern: Node) -> Iterable[tuple[dict[str, Value], Dice]]:
        """Yield how the dice show a pattern that stands in a condition: letters and dice."""
        from tests.reference.patterns import matches, row_matches

        only = pattern.parts()[0].parts()[0] if len(pattern.parts()) == 1 else None
        if only is not None and only.kind in ("NAME", "STRING"):
            row = self.named(only.text) if only.kind == "NAME" else self._label(only)
            if isinstance(row, Row):
                return ((letters, part) for letters, part, _ in row_matches(self, row, dice))
        return matches(self, pattern, dice)

    def _quantified(self, how: Node, name: Node, where: Node, condition: Node) -> bool:
        found = (self.knowing(**{name.text: each})(condition) for each in members(self(where)))
        return _HOW[how.text](found)

    def _players_have(self, how: Node, condition: Node) -> bool:
        seats = range(self.book.players)
        return _HOW[how.text](evolve(self, own=seat)(condition) for seat in seats)

    # ---- dice, sets, rows, players

    def _literal(self, *faces: Node) -> Dice:
        found: list[Value] = []
        for face in faces:
            word, times = face.child(0), face.children[1]
            how_many = 1 if times is None else self(times)
            if word.kind not in ("INT", "NAME"):
                found += [_plain(self(word))] * how_many
                continue
            meant = int(word.text) if word.kind == "INT" else self.names.get(word.text, word.text)
            found += [meant] * how_many
        kinds = [*self.book.kinds.values(), *self.book.bags.values()]
        kind = next((k for k in kinds if set(found) <= set(k.faces)), kinds[0])
        return kind.sorted(found)

    def _range(self, a: Node, b: Node) -> frozenset[int]:
        return frozenset(range(self(a), self(b) + 1))

    _span_set = _range

    def _several(self, *values: Node | None) -> frozenset[Value]:
        return frozenset(self.word(v, self.book.kinds) for v in values if v is not None)

    def _open(self, table: Node) -> tuple[Row, ...]:
        return tuple(row for row in self(table) if row not in self.variable("used"))

    def _number_of(self, face: Node, where: Node) -> int:
        whole = self(where)
        return int(whole.faces.count(_plain(self.word(face, whole.kind.faces))))

    def _few_of(self, name: Node, how_many: Node, where: Node) -> Dice:
        dice, count = self(where), max(0, self(how_many))
        faces = dice.faces[:count] if name.text == "lowest" else dice.faces[::-1][:count]
        return Dice(dice.kind, faces if name.text == "lowest" else faces[::-1])

    def _those(self, name: Node, where: Node, condition: Node) -> Value:
        whole = self(where)
        kept = [x for x in members(whole) if self.knowing(**{name.text: x})(condition)]
        if isinstance(whole, Dice):
            return Dice(whole.kind, tuple(f for f in whole.faces if f in kept))
        return frozenset(kept) if isinstance(whole, frozenset) else tuple(kept)

    def _over(self, function: Node, each: Node, name: Node, where: Node) -> int:
        found = [self.knowing(**{name.text: x})(each) for x in members(self(where))]
        return _measure(function.text, found or [0])

    def _over_dice(self, function: Node, each: Node, _die: Node, name: Node, where: Node) -> int:
        found = [self.knowing(**{name.text: face})(each) for face in self(where).faces]
        return _measure(function.text, found or [0])

    def _of(self, function: Node, of: Node) -> Value:
        name, book = function.text, self.book
        if name in book.means:
            node = book.means[name]
            parameters = [n.text for n in node.child(1).parts()]
            given = of.parts() if len(parameters) > 1 else [of]
            values = (self.word(each, book.kinds) for each in given)
            return self._meaning(node, **dict(zip(parameters, values, strict=True)))
        if name in book.maps:
            return self._looked_up(book.maps[name], self(of))
        if name in book.variables:
            return self.variable_of(name, of)
        found = self(of)
        match name:
            case "size":
                return size(found)
            case "distinct":
                return len(members(found))
            case "sum" | "highest" | "lowest":
                return _measure(name, found.faces if isinstance(found, Dice) else members(found))
            case "left" | "right":
                return Player((found.seat + (1 if name == "left" else -1)) % book.players)
            case "seat":
                return found.seat + 1
            case "others":
                return self._round_from(found.seat)[1:]
            case "place":
                return self._place(found.seat)
            case "points" | "best" | "spare":
                return self._of_rows(name, found)
        raise NotImplementedError(f"{name} of")

    def _of_rows(self, name: str, found: Value) -> Value:
        from tests.reference import patterns

        match name:
            case "points":
                return patterns.points(self, found)
            case "best":
                return patterns.best(self, found)
        return patterns.spare(self, found)

    def variable_of(self, name: str, of: Node | None) -> Value:
        key, seat = self.place(name, of)
        whole = self.variable(name, seat)
        if key is None:
            return whole
        if key not in dict(whole):
            raise Broken(f"{name} has no place {key}")
        return dict(whole)[key]

    def place(self, name: str, of: Node | None) -> tuple[Value, int]:
        """Return the key of one of several values, None where there is one, and whose it is."""
        keyed = self.book.variables[name].node.children[2] is not None
        said = of.parts() if keyed and of is not None and of.kind == "several" else [of]
        found = [self(part) for part in said if part is not None]
        seats = [part.seat for part in found if isinstance(part, Player)]
        return found[0] if keyed else None, seats[0] if seats else self.own

    def _looked_up(self, node: Node, key: Value) -> Value:
        for row in node.parts()[1:]:
            if row.kind == "map_otherwise":
                return self(row.child(0))
            if self(row.child(0)) == _plain(key):
                return self(row.child(1))
        raise Broken(f"the map has nothing for {key}")

    # ---- the ranking

    def ranked(self) -> list[int]:
        """Return by seat what the ranking goes by, more being better."""
        assert self.book.ranking is not None
        direction, expr = self.book.ranking.child(0), self.book.ranking.child(1)
        sign = 1 if direction.text == "highest" else -1
        return [sign * evolve(self, own=seat)(expr) for seat in range(self.book.players)]

    def ties(self) -> str:
        assert self.book.ranking is not None
        _, _, ties, condition, other = self.book.ranking.children
        if ties is None:
            return "share"
        return ties.text if condition is None or other is None or self(condition) else other.text

    def _place(self, seat: int) -> int:
        if self.order is not None:
            return self.order.index(seat) + 1
        points = self.ranked()
        ahead = sum(p > points[seat] for p in points)
        if self.ties() == "earlier":
            ahead += sum(p == points[seat] for p in points[:seat])
        return ahead + 1

    def _winner(self) -> Player:
        if self.order is not None:
            return Player(self.order[0])
        points = self.ranked()
        return Player(points.index(max(points)))


def _plain(value: Value) -> Value:
    """Return a value as it is compared: a single die is its face, a row is itself."""
    if isinstance(value, Dice) and len(value.faces) == 1:
        return value.faces[0]
    return value.plain if isinstance(value, Row) else value


def _as_set(value: Value) -> frozenset[int]:
    return value if isinstance(value, frozenset) else frozenset([value])


def _as_dice(like: Dice, value: Value) -> Dice:
    return value if isinstance(value, Dice) else Dice(like.kind, (value,))


def _measure(name: str, found: Any) -> int:
    if name == "sum":
        return int(sum(found))
    if not found:
        raise Broken(f"the {name} of nothing")
    return int(max(found) if name == "highest" else min(found))


_HOW: dict[str, Callable[[Iterable[bool]], bool]] = {
    "any": any,
    "some": any,
    "every": all,
    "no": lambda found: not any(found),
}
_SIGNS: dict[str, Callable[[Any, Any], bool]] = {
    "!=": lambda a, b: a != b,
    "<": lambda a, b: a < b,
    "<=": lambda a, b: a <= b,
    ">": lambda a, b: a > b,
    ">=": lambda a, b: a >= b,
}
