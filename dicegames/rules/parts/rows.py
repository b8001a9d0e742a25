"""Tables of rows: a label, what the dice must show, and what that pays."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import cached_property

from attrs import define, field, frozen

from dicegames.ground.multiset import Multiset, contains, subtract
from dicegames.ground.source import Span
from dicegames.rules.parts.broken import RuleBroken
from dicegames.rules.parts.flow import Environment, Expression
from dicegames.rules.parts.patterns import Binding, Pattern, matches, spares
from dicegames.rules.parts.types import DiceKind, Value
from dicegames.rules.parts.unknown import (
    both,
    compare,
    either,
    has_bit,
    has_bits,
    known,
    larger,
    negate,
    plain,
    select,
    weigh_bits,
    where,
    without_bits,
)


@frozen
class RowPattern:
    """One pattern of a row, a condition on its letters, and a condition on the game."""

    pattern: Pattern
    where: Expression | None
    condition: Expression | None


@define(eq=False)
class Row:
    """A row of a table. `index` is its bit in the set of used boxes, -1 for reusable rows."""

    label: str
    table: str
    index: int
    kind: DiceKind
    alternatives: list[RowPattern] = field(factory=list)
    pays: Expression | None = None
    each: bool = False
    letters: dict[str, int] = field(factory=dict)  # letter -> its slot
    matched: int = -1  # the slot that holds the dice that take part
    reads: frozenset[int] = frozenset()  # slots other than the dice and its own
    dice: int = -1  # the slot of the dice that `pays` may read
    boxes: dict[Binding | None, Box] = field(factory=dict)
    busy: bool = False  # it is being read
    plain: bool = False  # whether it is shown depends on the dice alone

    def box(self, binding: Binding | None = None) -> Box:
        """Return the one object for this row with these faces; () where it has no letters."""
        binding = binding or None
        if binding not in self.boxes:
            self.boxes[binding] = Box(self, binding)
        return self.boxes[binding]

    def used_in(self, used: Value) -> Value:
        """Tell whether it is in the set of used boxes; a reusable row is always open."""
        return has_bit(used, self.index) if self.index >= 0 else False

    def named(self) -> list[Box]:
        """Return the row once for every choice of faces for its letters."""
        self.demand_same_letters()
        return [self.box(binding) for binding in sorted(self._bindings())]

    def demand_same_letters(self, span: Span | None = None) -> None:
        """Raise RuleBroken where its patterns have not the same letters: which would be named?"""
        if len({alternative.pattern.names for alternative in self.alternatives}) > 1:
            message = f'the patterns of "{self.label}" have different letters to be named'
            hint = "write a row for each of them, or the same letters in all"
            raise RuleBroken(message, span, code="naming-letters", help=hint)

    def is_possible(self) -> bool:
        """Tell whether the conditions on the letters allow any faces for them."""
        return bool(self._bindings())

    def _bindings(self) -> set[Binding]:
        """Return the faces for the letters that the conditions on these alone allow."""
        faces = len(self.kind.faces)
        return {
            binding
            for alternative in self.alternatives
            for binding in alternative.pattern.bindings(faces)
            if self._allows(alternative, binding)
        }

    def _allows(self, alternative: RowPattern, binding: Binding) -> bool:
        where, own = alternative.where, {self.letters[n] for n in alternative.pattern.names}
        if where is None or not where.reads <= own:
            return True
        env: Environment = [None] * (1 + max([0, *self.letters.values()]))
        for letter, face in zip(alternative.pattern.names, binding, strict=True):
            env[self.letters[letter]] = self.kind.faces[face]
        return bool(where.run(env))


Read = dict[Multiset, Value]
"""What a box was read as, by the dice that lay there."""


@frozen(eq=False, slots=False)
class Box:
    """A row, with the faces of its letters where the player has named them."""

    row: Row
    binding: Binding | None
    _shown: Read = field(factory=dict, init=False, repr=False)
    _points: Read = field(factory=dict, init=False, repr=False)
    _spare: Read = field(factory=dict, init=False, repr=False)

    def __str__(self) -> str:
        faces = [str(self.row.kind.faces[face]) for face in self.binding or ()]
        return " ".join([self.row.label, *faces])

    def shown(self, dice: Multiset, env: Environment) -> Value:
        """Tell whether the dice show the row."""
        known = self._shown.get(dice)
        if known is not None:
            return known
        if not self.row.plain:
            return self._remembered(self._shown, self._read_shown, dice, env)
        needed = self._needed
        shown = bool(self._taken(dice)) if needed is None else contains(dice, needed)
        self._shown[dice] = shown
        return shown

    def points(self, dice: Multiset, env: Environment) -> Value:
        """Return the points of the best match, 0 without one."""
        if self._is_missed(dice):
            return 0
        return self._remembered(self._points, self._read_points, dice, env)

    def spare(self, dice: Multiset, env: Environment) -> Value:
        """Return the dice that the row does not need, one multiset for each way to show it.

        If the dice do not show it, those beyond its pattern; none where its faces are not named.
        """
        known = self._spare.get(dice)
        if known is not None:
            return known
        if not self.row.plain:
            return self._remembered(self._spare, self._read_spare, dice, env)
        if self._needed is None:
            spared = self._left(dice, () if self._is_missed(dice) else self._taken(dice))
        else:
            spared = frozenset((subtract(dice, self._needed),))
        self._spare[dice] = spared
        return spared

    def lacking(self, dice: Multiset) -> Multiset | None:
        """Return the dice that are still missing; None if that is not the same on all ways."""
        return None if self._needed is None else subtract(self._needed, dice)

    # ---- inside

    @cached_property
    def _needed(self) -> Multiset | None:
        """The dice that the row needs whatever lies there; None if that varies."""
        pattern = self.row.alternatives[0].pattern
        alone = len(self.row.alternatives) == 1 and pattern.is_closed(self.binding)
        return pattern.needs(self.binding or (), pattern.fixed) if alone else None

    def _is_missed(self, dice: Multiset) -> bool:
        """Tell whether it is known already that the dice do not show the row."""
        return self._shown.get(dice) is False

    def _remembered(
        self, read: Read, how: Callable[[Multiset, Environment], Value], dice: Multiset,
        env: Environment,
    ) -> Value:  # fmt: skip
        """Read the row with `dice` on the table, or remember how it was read."""
        if dice in read:
            return read[dice]
        row = self.row
        if row.busy:
            message = f'the points of "{row.label}" depend on themselves'
            raise RuleBroken(message, code="depends-on-itself")
        env[row.dice], kept = dice, env[row.dice]
        row.busy = True
        try:
            result = how(dice, env)
        finally:
            row.busy = False
            env[row.dice] = kept
        if not row.reads:
            read[dice] = result
        return result

    def _matches(self, dice: Multiset, env: Environment) -> Iterator[tuple[Multiset, Value]]:
        row = self.row
        for alternative in row.alternatives:
            for found, matched in matches(alternative.pattern, dice, self.binding):
                env[row.matched] = matched
                for letter, face in zip(alternative.pattern.names, found, strict=True):
                    env[row.letters[letter]] = row.kind.faces[face]
                holds: Value = True
                for condition in (alternative.where, alternative.condition):
                    if condition is not None and holds is not False:
                        holds = known(both(holds, where(holds, condition.run, env)))
                if holds is not False:
                    yield matched, holds

    def _read_shown(self, dice: Multiset, env: Environment) -> Value:
        result: Value = False
        ways = (condition for _, condition in self._matches(dice, env))
        while result is not True:
            condition = where(negate(result), lambda _: next(ways, None), env)
            if condition is None:
                break
            result = known(either(result, condition))
        return result

    def _read_spare(self, dice: Multiset, env: Environment) -> Value:
        ways = () if self._is_missed(dice) else self._matches(dice, env)
        return self._left(dice, [m for m, condition in ways if plain(condition)])

    def _taken(self, dice: Multiset) -> list[Multiset]:
        """Return the dice that take part, for each match, where no conditions are to be met."""
        found = [matches(a.pattern, dice, self.binding) for a in self.row.alternatives]
        return [matched for ways in found for _, matched in ways]

    def _left(self, dice: Multiset, taken: Sequence[Multiset]) -> frozenset[Multiset]:
        """Return what is spare beside the dice that take part, or where none do."""
        if taken:
            return frozenset([subtract(dice, matched) for matched in taken])
        patterns = [alternative.pattern for alternative in self.row.alternatives]
        if self.binding is None and any(pattern.letters for pattern in patterns):
            return frozenset()
        own = self.binding or ()
        return frozenset().union(*(spares(pattern, own, dice) for pattern in patterns))

    def _read_points(self, dice: Multiset, env: Environment) -> Value:
        best: Value = 0
        missed: Value = True  # so far
        for matched, condition in self._matches(dice, env):
            assert self.row.pays is not None
            paid = where(condition, self.row.pays.run, env, otherwise=0)
            paid = paid * (sum(matched) if self.row.each else 1)
            best = select(condition, select(missed, paid, larger(best, paid)), best)
            missed = both(missed, negate(condition))
        return best


@frozen
class Boxes:
    """Rows of tables; `used` is the set of used ones where only open or used rows are meant."""

    rows: tuple[Row, ...]
    used: Value = None
    state: str = "all"

    def restricted(self, state: str, used: Value) -> Boxes:
        """Return those that are open or used."""
        return Boxes(self.rows, used, state)

    def members(self) -> list[tuple[Box, Value]]:
        """Return every row and whether it is meant."""
        if self.state == "all":
            return [(row.box(), True) for row in self.rows]
        open_ = self.state == "open"
        found = []
        for row in self.rows:
            used = row.used_in(self.used)
            found.append((row.box(), negate(used) if open_ else used))
        return found

    def bits(self) -> int:
        """Return the rows that can be used up as a set of bits."""
        return sum(1 << row.index for row in self.rows if row.index >= 0)

    def reusable(self) -> int:
        """Return how many rows can not."""
        return sum(row.index < 0 for row in self.rows)

    def empty(self) -> Value:
        """Tell whether there is none."""
        if self.state == "all":
            return not self.rows
        if self.state == "open":
            return has_bits(self.used, self.bits()) if not self.reusable() else False
        return compare("eq", self.size(), 0)

    def size(self) -> Value:
        """Return how many there are."""
        if self.state == "all":
            return len(self.rows)
        weights = tuple(int(self.bits() >> i & 1) for i in range(self.bits().bit_length()))
        if self.state == "used":
            return weigh_bits(self.used, weights)
        return self.reusable() + weigh_bits(without_bits(self.bits(), self.used), weights)

    def best(self, dice: Multiset, env: Environment) -> Box | None:
        """Return the row that pays most, the first of equals."""
        found: list[tuple[int, Box]] = []
        for box, present in self.members():
            shown = box.shown(dice, env)
            if plain(both(present, shown)):
                found.append((plain(box.points(dice, env)), box))
        return max(found, key=lambda pair: pair[0])[1] if found else None
