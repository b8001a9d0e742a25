"""Tables of rows: a label, what the dice must show, and what that pays."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

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
    cache: dict[tuple[Binding | None, Multiset], Value] = field(factory=dict)  # points
    seen: dict[tuple[Binding | None, Multiset], Value] = field(factory=dict)  # shown or not
    spared: dict[tuple[Binding | None, Multiset], Value] = field(factory=dict)  # spare dice
    needed: dict[Binding | None, Multiset | None] = field(factory=dict)  # whatever lies there
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

    def _matches(
        self, binding: Binding | None, dice: Multiset, env: Environment
    ) -> Iterator[tuple[Multiset, Value]]:
        for alternative in self.alternatives:
            for found, matched in matches(alternative.pattern, dice, binding):
                env[self.matched] = matched
                for letter, face in zip(alternative.pattern.names, found, strict=True):
                    env[self.letters[letter]] = self.kind.faces[face]
                holds: Value = True
                for condition in (alternative.where, alternative.condition):
                    if condition is not None and holds is not False:
                        holds = known(both(holds, where(holds, condition.run, env)))
                if holds is not False:
                    yield matched, holds

    def shown(self, binding: Binding | None, dice: Multiset, env: Environment) -> Value:
        """Tell whether the dice show the row."""
        known = self.seen.get((binding, dice))
        if known is not None:
            return known
        if not self.plain:
            return self._remembered(self.seen, self._shown, binding, dice, env)
        needed = self._always_needed(binding)
        shown = bool(self._taken(binding, dice)) if needed is None else contains(dice, needed)
        self.seen[binding, dice] = shown
        return shown

    def points(self, binding: Binding | None, dice: Multiset, env: Environment) -> Value:
        """Return the points of the best match, 0 without one."""
        if self._is_missed(binding, dice):
            return 0
        return self._remembered(self.cache, self._points, binding, dice, env)

    def spare(self, binding: Binding | None, dice: Multiset, env: Environment) -> Value:
        """Return the dice that the row does not need, one multiset for each way to show it.

        If the dice do not show it, those beyond its pattern; none where its faces are not named.
        """
        known = self.spared.get((binding, dice))
        if known is not None:
            return known
        if not self.plain:
            return self._remembered(self.spared, self._spare, binding, dice, env)
        needed = self._always_needed(binding)
        if needed is None:
            taken = () if self._is_missed(binding, dice) else self._taken(binding, dice)
            spared = self._left(binding, dice, taken)
        else:
            spared = frozenset((subtract(dice, needed),))
        self.spared[binding, dice] = spared
        return spared

    def lacking(self, binding: Binding | None, dice: Multiset) -> Multiset | None:
        """Return the dice that are still missing; None if that is not the same on all ways."""
        needed = self._always_needed(binding)
        return None if needed is None else subtract(needed, dice)

    def _always_needed(self, binding: Binding | None) -> Multiset | None:
        """Return the dice that the row needs whatever lies there; None if that varies."""
        if binding not in self.needed:
            pattern = self.alternatives[0].pattern
            alone = len(self.alternatives) == 1 and pattern.is_closed(binding)
            self.needed[binding] = pattern.needs(binding or (), pattern.fixed) if alone else None
        return self.needed[binding]

    def _is_missed(self, binding: Binding | None, dice: Multiset) -> bool:
        """Tell whether it is known already that the dice do not show the row."""
        return self.seen.get((binding, dice)) is False

    def _remembered(
        self,
        known: dict[tuple[Binding | None, Multiset], Value],
        read: Callable[[Binding | None, Multiset, Environment], Value],
        binding: Binding | None,
        dice: Multiset,
        env: Environment,
    ) -> Value:
        """Read the row with `dice` on the table, or remember how it was read."""
        key = (binding, dice)
        if key in known:
            return known[key]
        if self.busy:
            message = f'the points of "{self.label}" depend on themselves'
            raise RuleBroken(message, code="depends-on-itself")
        env[self.dice], kept = dice, env[self.dice]
        self.busy = True
        try:
            result = read(binding, dice, env)
        finally:
            self.busy = False
            env[self.dice] = kept
        if not self.reads:
            known[key] = result
        return result

    def _shown(self, binding: Binding | None, dice: Multiset, env: Environment) -> Value:
        result: Value = False
        ways = (condition for _, condition in self._matches(binding, dice, env))
        while result is not True:
            condition = where(negate(result), lambda _: next(ways, None), env)
            if condition is None:
                break
            result = known(either(result, condition))
        return result

    def _spare(self, binding: Binding | None, dice: Multiset, env: Environment) -> Value:
        ways = () if self._is_missed(binding, dice) else self._matches(binding, dice, env)
        return self._left(binding, dice, [m for m, condition in ways if plain(condition)])

    def _taken(self, binding: Binding | None, dice: Multiset) -> list[Multiset]:
        """Return the dice that take part, for each match, where no conditions are to be met."""
        found = [matches(a.pattern, dice, binding) for a in self.alternatives]
        return [matched for ways in found for _, matched in ways]

    def _left(
        self, binding: Binding | None, dice: Multiset, taken: Sequence[Multiset]
    ) -> frozenset[Multiset]:
        """Return what is spare beside the dice that take part, or where none do."""
        if taken:
            return frozenset([subtract(dice, matched) for matched in taken])
        patterns = [alternative.pattern for alternative in self.alternatives]
        if binding is None and any(pattern.letters for pattern in patterns):
            return frozenset()
        return frozenset().union(*(spares(pattern, binding or (), dice) for pattern in patterns))

    def _points(self, binding: Binding | None, dice: Multiset, env: Environment) -> Value:
        best: Value = 0
        missed: Value = True  # so far
        for matched, condition in self._matches(binding, dice, env):
            assert self.pays is not None
            paid = where(condition, self.pays.run, env, otherwise=0)
            paid = paid * (sum(matched) if self.each else 1)
            best = select(condition, select(missed, paid, larger(best, paid)), best)
            missed = both(missed, negate(condition))
        return best


@frozen(eq=False)
class Box:
    """A row, with the faces of its letters where the player has named them."""

    row: Row
    binding: Binding | None

    def __str__(self) -> str:
        faces = [str(self.row.kind.faces[face]) for face in self.binding or ()]
        return " ".join([self.row.label, *faces])


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
            shown = box.row.shown(box.binding, dice, env)
            if plain(both(present, shown)):
                found.append((plain(box.row.points(box.binding, dice, env)), box))
        return max(found, key=lambda pair: pair[0])[1] if found else None
