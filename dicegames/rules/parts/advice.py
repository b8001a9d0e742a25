"""Strategies at work: which move an ordered list of advice plays in a choice.

A line of a strategy has a condition and says which move it wishes for, as a list of moves in the
order of preference. The first line whose condition holds, with the first of its moves that is
legal, is played. Conditions may be open (see `unknown`); then each move comes with the condition
under which it is the one::

    played(move)  =  nothing before it  and  the line's condition  and  the move is legal

Letters in the patterns of a line stand for the lowest faces that fit, the highest if it says so;
those of the move go first. They stand for the same faces in the move and in the patterns that must
be shown for the condition to hold.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from attrs import evolve, frozen

from dicegames.ground import multiset
from dicegames.ground.multiset import Multiset
from dicegames.ground.source import Span
from dicegames.rules.parts.flow import (
    Alternative,
    Decided,
    Environment,
    Expression,
    Move,
    Offer,
    read_by,
)
from dicegames.rules.parts.patterns import Pattern, matches
from dicegames.rules.parts.rows import Box
from dicegames.rules.parts.types import DiceKind, Value
from dicegames.rules.parts.unknown import both, compare, either, is_open, known, negate, where

Faces = dict[str, int | str]
"""The face of each letter of a line: dice of several kinds may show it."""

Wished = list[tuple[Move, Value]]
"""Moves in the order of preference, each with the condition that it is legal."""


@frozen(eq=False)
class AskedPattern:
    """Dice in a condition, and the pattern that they are asked for; `kind` has their faces."""

    dice: Expression
    pattern: Pattern
    kind: DiceKind


@frozen(eq=False)
class Wish:
    """The move that a line names; `reads` are the slots that finding it looks at.

    `ranked` are the options of which it picks by a measure.
    """

    find: Callable[[Environment, list[Offer], list[Faces]], Wished]
    reads: frozenset[int] = frozenset()
    free: bool = False  # every move that is found may be played
    for_turn: bool = False  # of these, the one that brings the most points in this turn
    ranked: tuple[Measured, ...] = ()


@frozen(eq=False)
class Line:
    """A line of a strategy: when it applies, and what it wishes for."""

    span: Span
    condition: Expression
    shown: tuple[AskedPattern, ...]
    wish: Wish
    highest: bool = False

    @property
    def reads(self) -> frozenset[int]:
        """The slots that the line looks at."""
        return read_by([self.condition, self.wish, *(asked.dice for asked in self.shown)])

    def wished(self, env: Environment, offered: list[Offer]) -> Wished:
        """Return the moves that the line names, the one to be preferred first."""
        letters: list[Faces] = [{}]
        for shown in self.shown:
            dice = shown.dice.run(env)
            found = fits(shown.pattern, shown.kind, dice, letters, highest=self.highest)
            letters = [faces for faces, _ in found]
        return self.wish.find(env, offered, letters)


@frozen(eq=False)
class Strategy:
    """A named strategy of a rules file."""

    title: str
    span: Span
    lines: tuple[Line, ...]

    @property
    def reads(self) -> frozenset[int]:
        """The slots that its lines look at."""
        return read_by(self.lines)

    @property
    def looks_ahead(self) -> bool:
        """Whether it plays for the points of the turn where it says so: `best turn`."""
        return any(line.wish.for_turn for line in self.lines)

    @property
    def is_for_turn(self) -> bool:
        """Whether all that it leaves open is `best turn`.

        Then the objective `turn`, solved for this strategy, tells all that it plays.
        """
        return all(line.wish.for_turn for line in self.lines if line.wish.free)

    def decide(self, env: Environment, offered: list[Offer], *, for_turn: bool = False) -> Decided:
        """Return what is played in a choice with these moves.

        Where no option is legal, what the rules say for this case is played without being asked
        for; so is the only move that is legal, if no line applies. With `for_turn` the turn is all
        that is looked at: `best turn` is `best`.
        """
        played = [(move, legal, legal) for option, move, legal in offered if option is None]
        asked = left = [offer for offer in offered if offer[0] is not None]
        rest: Value = True
        for _, legal, _ in played:
            rest = both(rest, negate(legal))
        free = False
        ahead: list[tuple[Move, Value, Value]] = []
        for line in self.lines if asked else ():
            wished = line.wished(env, asked)
            holds = where(rest, line.condition.run, env) if wished else False
            applies = both(rest, holds)
            if applies is False:
                continue
            if holds is True:  # where it is silent, none of these is legal
                spoken = {(id(move), id(legal)) for move, legal in wished}
                left = [offer for offer in left if (id(offer[1]), id(offer[2])) not in spoken]
            looks_ahead = line.wish.for_turn and not for_turn
            free = free or (line.wish.free and not looks_ahead)
            into = ahead if looks_ahead else played
            taken: Value = False
            for move, legal in wished:
                before = False if line.wish.free else taken
                into.append((move, legal, both(both(applies, negate(before)), legal)))
                taken = either(taken, legal)
            rest = known(both(rest, negate(both(holds, taken))))
            if rest is False:
                break
        forced = _forced(left) if rest is not False else []
        played += [(move, alone, both(rest, alone)) for move, alone in forced]
        some: Value = False  # where no move is legal play cannot come
        for _, _, legal in left if len(left) > 1 else ():  # a single one is forced
            some = either(some, legal)
        for _, alone in forced:
            rest = both(rest, negate(alone))
        rest = known(both(rest, some))
        kept = [[item for item in items if item[2] is not False] for items in (played, ahead)]
        return Decided(kept[0], rest, free, kept[1])

    def explain(self, env: Environment, offered: list[Offer]) -> tuple[str, Span]:
        """Say why nothing is played in a position, and which line is to blame."""
        for line in self.lines:
            wished = line.wished(env, offered)
            if line.condition.run(env) is True and not any(legal for _, legal in wished):
                return f'what the strategy "{self.title}" says is not legal here', line.span
        return f'the strategy "{self.title}" has no move here', self.span


def _forced(offered: list[Offer]) -> Wished:
    """Return the moves that can be the only legal one, each with the condition that it is."""
    found: Wished = []
    for _, move, legal in offered:
        alone = legal
        for _, other, also in offered:
            if other is not move:
                alone = both(alone, negate(also))
            if alone is False:
                break
        else:
            found.append((move, alone))
    return found


# ---- patterns


def fits(
    pattern: Pattern, kind: DiceKind, dice: Multiset, letters: list[Faces], *, highest: bool
) -> list[tuple[Faces, Multiset]]:
    """Return how a pattern fits dice where some letters have their faces: letters, dice needed.

    The lowest faces come first, or the highest.
    """
    ways = matches(evolve(pattern, ordered=True), dice)
    shown = [
        ({name: kind.faces[at] for name, at in zip(pattern.names, binding, strict=False)}, needed)
        for binding, needed in (ways[::-1] if highest else ways)
    ]
    return [
        (joined, needed)
        for faces in letters
        for own, needed in shown
        if (joined := _join(faces, own)) is not None
    ]


def _join(one: Faces, other: Faces) -> Faces | None:
    """Return the faces of all letters, None if a letter would have two, or two letters one."""
    if any(one.get(letter, face) != face for letter, face in other.items()):
        return None
    joined = {**one, **other}
    return joined if len(set(joined.values())) == len(joined) else None


# ---- what a line may wish for


def anything(*, for_turn: bool = False) -> Wish:
    """Return the wish for the best move, whichever it is, of the game or of this turn."""
    return Wish(lambda env, offered, letters: _among(offered), free=True, for_turn=for_turn)


def named(label: str) -> Wish:
    """Return the wish for moves by their name, or by the row that is picked."""
    return Wish(lambda env, offered, letters: _among(offered, lambda m: is_named(label, m)))


def said(text: str) -> Wish:
    """Return the wish for a move that picks several things, told without the `and` between."""

    def bare(label: str) -> str:
        return label.replace(" and ", " ")

    return Wish(lambda env, offered, _: _among(offered, lambda m: bare(m.label) == bare(text)))


def _among(offered: list[Offer], fits: Callable[[Move], bool] = lambda _: True) -> Wished:
    return [(move, legal) for _, move, legal in offered if fits(move)]


def is_named(label: str, move: Move) -> bool:
    """Tell whether a label is that of a move, or of the row that it picks."""
    value = move.value
    return move.label == label or (isinstance(value, Box) and value.row.label == label)


def row_with_faces(
    label: str, words: Sequence[int | str], kind: DiceKind, *, highest: bool
) -> Wish:
    """Return the wish for a row whose letters have these faces: face indices, or letters."""

    def find(env: Environment, offered: list[Offer], letters: list[Faces]) -> Wished:
        rows = _among(offered, lambda m: is_named(label, m))
        found: Wished = []
        for move, legal in reversed(rows) if highest else rows:
            binding = move.value.binding or ()
            said = list(zip(words, binding, strict=False))
            given = {word: kind.faces[at] for word, at in said if isinstance(word, str)}
            fixed = all(isinstance(word, str) or word == at for word, at in said)
            joined = any(_join(faces, given) is not None for faces in letters)
            if len(binding) == len(words) and fixed and joined:
                found.append((move, legal))
        return found

    return Wish(find)


def dice_wished(
    options: Sequence[Alternative],
    pattern: Pattern,
    kind: DiceKind,
    *,
    highest: bool,
    thrown: bool | None = None,
) -> Wish:
    """Return the wish to pick the dice of a pattern.

    Or to keep them, or to throw them, whichever is picked: then `thrown` says which. The lowest
    faces of the letters go first; with the same ones, the first option.
    """

    def find(env: Environment, offered: list[Offer], letters: list[Faces]) -> Wished:
        found, sign = [], -1 if highest else 1
        for option in options:
            assert option.whole is not None
            whole = option.whole.run(env)
            legal = {move.value: (move, ok) for of, move, ok in offered if of is option}
            ways = fits(pattern, kind, whole, letters, highest=highest) if legal else []
            for place, (faces, needed) in enumerate(ways):
                rest_is_picked = thrown is not None and option.rolls != thrown
                picked = multiset.subtract(whole, needed) if rest_is_picked else needed
                if picked in legal:
                    own = [sign * kind.faces.index(faces[name]) for name in pattern.names]
                    found.append((own, place, legal[picked]))
        found.sort(key=lambda each: each[:2])
        return list(dict.fromkeys(move for _, _, move in found))

    return Wish(find, read_by(option.whole for option in options))


def picked(options: Sequence[Alternative], values: Value) -> Wish:
    """Return the wish to pick just this: a set of numbers, or a number."""

    def find(env: Environment, offered: list[Offer], letters: list[Faces]) -> Wished:
        return [(m, ok) for option, m, ok in offered if option in options and m.value == values]

    return Wish(find, read_by(option.whole for option in options))


# ---- picking what has most or least of something


@frozen(eq=False)
class Measured:
    """An option, a condition on what is picked, and by what it is ranked: sign, expression."""

    option: Alternative
    where: Expression | None
    ranks: tuple[tuple[int, Expression], ...]

    @property
    def reads(self) -> frozenset[int]:
        """The slots that are read, other than that of what is picked."""
        return read_by([self.where, *(rank for _, rank in self.ranks)]) - {self.option.slot}


def ranked(parts: Sequence[Measured]) -> Wish:
    """Return the wish for the move that ranks first, the first of equals in their order."""

    def find(env: Environment, offered: list[Offer], letters: list[Faces]) -> Wished:
        found = []
        for part in parts:
            for option, move, legal in offered:
                if option is part.option:
                    env[option.slot] = move.value
                    allowed = legal
                    if part.where is not None:
                        allowed = known(both(legal, where(legal, part.where.run, env)))
                    if allowed is not False:
                        marks = [
                            sign * where(allowed, rank.run, env, otherwise=0)
                            for sign, rank in part.ranks
                        ]
                        found.append((move, allowed, marks))
        return _in_order(found)

    return Wish(find, read_by(parts), ranked=tuple(parts))


def _in_order(found: list[tuple[Move, Value, list[Value]]]) -> Wished:
    if not is_open(*(mark for _, _, marks in found for mark in marks)):
        found.sort(key=lambda item: [-mark for mark in item[2]])
        return [(move, legal) for move, legal, _ in found]
    return list(_winners(found))


def _winners(found: list[tuple[Move, Value, list[Value]]]) -> Iterator[tuple[Move, Value]]:
    """Yield each move with the condition that it is legal and no other goes before it."""
    for place, (move, legal, marks) in enumerate(found):
        first = legal
        for other, (_, also, others) in enumerate(found):
            if other != place:
                before = _before(others, marks, earlier=other < place)
                first = both(first, negate(both(also, before)))
        if first is not False:
            yield move, first


def _before(marks: list[Value], others: list[Value], *, earlier: bool) -> Value:
    """Tell whether marks rank before others; of equals the earlier does."""
    result: Value = earlier
    for mark, other in zip(reversed(marks), reversed(others), strict=True):
        equal = both(compare("eq", mark, other), result)
        result = either(compare("gt", mark, other), equal)
    return result
