"""Counters that grow without limit, but decide all that is asked of them from some value on.

Who has 100 points has won, and the points of the turn are added only where the game goes on: so
from 100 on it does not matter how many they are. A counter is kept only up to such a value if, for
all values of the others,

* each comparison with it comes out the same from there on,
* on no way that is still open it is added to anything else, or counts for the result,
* it never falls again, but to what does not depend on it.

With the counter kept up to there, all others take the same values as without, so that it may be
asked of their ranges as they are found then. Where that is so whatever values the others have, all
values are alike from there on: `round <= 10` tells rounds apart up to the eleventh. What the rules
ask plain values of (a map, say) is told only of the values that are known by then: that is open.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from math import inf, isinf

from attrs import define, field

from dicegames.compiler.exploring.explore import Explorer
from dicegames.compiler.graph import Edge, Guard
from dicegames.compiler.open_values.tables import atoms_of
from dicegames.rules.parts.types import Value
from dicegames.rules.parts.unknown import COMPARISONS, Unknown

Range = tuple[float, float]
Sum = tuple[int, float, float]
"""How often a counter is in a sum, and the least and the most of all the rest."""


NO_SLOT = -1


class _Open(Exception):
    """Something depends on the counter, however large it is."""


def decided_from(
    explorer: Explorer, slots: Collection[int], ranges: Mapping[int, Range]
) -> int | None:
    """Return from which value on it does not matter how large a variable is; None: it always does.

    `slots` are those of the variable for all seats, which change places; `ranges` are those of all
    axes. What may be as large as it likes goes up to infinity; only that is looked at.
    """
    endless = [slot for slot in slots if ranges[slot][1] == inf]
    try:
        return max([_Question(slot, slots, ranges).least(explorer) for slot in endless], default=0)
    except _Open:
        return None


def not_excluded(conditions: Iterable[Value], ranges: Mapping[int, Range]) -> set[Value]:
    """Return the alternatives of comparisons that may hold, as far as the ranges of axes tell.

    Only the ends of the ranges are looked at: no table of values is made.
    """
    question = _Question(NO_SLOT, (), ranges)

    def may_hold(condition: Value) -> bool:
        try:
            parts = _parts(condition)
            return any(question.compared(part.name, *part.arguments) for part in parts)
        except _Open:
            return True

    return set(filter(may_hold, conditions))


def _parts(condition: Value) -> list[Unknown]:
    """Return the comparisons of which one must hold; raises _Open for anything else."""
    if isinstance(condition, Unknown) and condition.name == "or":
        return [part for each in condition.arguments for part in _parts(each)]
    if isinstance(condition, Unknown) and condition.name in COMPARISONS:
        return [condition]
    raise _Open


@define
class _Question:
    """What is asked of a counter; `enough` decides all that has been looked at."""

    slot: int
    alike: Collection[int]  # slots that are kept as far as this one
    ranges: Mapping[int, Range]
    enough: int = 0
    rises: set[tuple[int, float]] = field(factory=set)  # what it is set to: times itself, and more
    sums: dict[Unknown, Sum | None] = field(factory=dict)  # None: open

    def least(self, explorer: Explorer) -> int:
        """Return from which value on it does not matter how large the counter is; or _Open."""
        for value in explorer.asked:
            self.settled(value)
        for node in explorer.nodes:
            for slot, value in enumerate(node.env):
                self._set(slot, value)
        edges = {id(e): e for n in explorer.nodes for e in (*n.edges, *(n.played or ()))}
        for edge in edges.values():
            self._edge(edge)
        for overrun in explorer.overruns:
            if not self._closed(overrun.guard):
                self.settled(overrun.outside)
        for _, guard in explorer.silent:
            self._closed(guard)
        if any((times - 1) * self.enough + more < 0 for times, more in self.rises):
            raise _Open
        return self.enough

    def _edge(self, edge: Edge) -> None:
        if self._closed(edge.guard + edge.facts):
            return
        for slot, value in edge.effect:
            self._set(slot, value)
        for value in (*edge.reward, edge.points, *(paid.amount for paid in edge.paid)):
            self.settled(value)

    def _set(self, slot: int, value: Value) -> None:
        """Look at what a slot is set to: the counter itself must stay as large as it is."""
        if slot not in self.alike or not self._asks(value):
            self.settled(value)
            return
        times, low, _ = self._sum(value)
        if times < 1 or low == -inf:
            raise _Open
        self.rises.add((times, low))

    def _closed(self, guard: Guard) -> bool:
        """Tell whether a way is closed to large values; _Open if they leave it open whether."""
        doubtful = False
        for atom in atoms_of(guard):
            try:
                if self.settled(atom) is False:
                    return True
            except _Open:
                doubtful = True
        if doubtful:
            raise _Open
        return False

    def _asks(self, value: Value) -> bool:
        return isinstance(value, Unknown) and self.slot in value.slots

    def settled(self, value: Value) -> Value:
        """Return what an expression comes to for large values, itself if that depends on others.

        Raises _Open where it depends on how large the counter is.
        """
        if not isinstance(value, Unknown) or not self._asks(value):
            return value
        parts = value.arguments
        if value.name in COMPARISONS:
            return self.compared(value.name, *parts)
        match value.name:
            case "slot":
                raise _Open
            case "not":
                found = self.settled(parts[0])
                return not found if isinstance(found, bool) else value
            case "and" | "or":
                return self._joined(value)
            case "select" | "minimum" | "maximum":
                parts = self._left(value)
                if len(parts) == 1:
                    return self.settled(parts[0])
        for part in parts:
            self.settled(part)
        return value

    def _left(self, value: Unknown) -> tuple[Value, ...]:
        """Return the parts of which an expression is one; for large values that alone, if known."""
        match value.name, value.arguments:
            case "select", (condition, one, other):
                met = self.settled(condition)
                return (one if met else other,) if isinstance(met, bool) else (one, other)
            case "minimum" | "maximum" as name, (one, other):
                if self._sum(one)[0] != self._sum(other)[0]:
                    lower = self.compared("lt", one, other)
                    return (one if lower is (name == "minimum") else other,)
                return one, other
        raise AssertionError(value)

    def _joined(self, value: Unknown) -> Value:
        """Return what two conditions come to: one of them may decide, whatever the other says."""
        decisive, found, doubtful = value.name == "or", list[Value](), False
        for part in value.arguments:
            try:
                found.append(self.settled(part))
            except _Open:
                doubtful = True
        if any(each is decisive for each in found):
            return decisive
        if doubtful:
            raise _Open
        return value if any(isinstance(each, Unknown) for each in found) else not decisive

    def compared(self, name: str, one: Value, other: Value) -> Value:
        """Return how a comparison comes out for large values."""
        times, low, high = _sum_of(self._sum(one), self._sum(other), -1)
        if times == 0:
            ends = {bool(COMPARISONS[name](end, 0)) for end in (low, high)}
            if len(ends) > 1 or (name in ("eq", "ne") and low < 0 < high):
                raise _Open  # the rest would have to be told without the counter
            return ends.pop()
        # The difference is at least 0 (or 1) from some value on, or at most 0 (or -1).
        far = low if times > 0 else -high
        if far == -inf:
            raise _Open
        strict = name not in (("ge", "lt") if times > 0 else ("gt", "le"))
        self.enough = max(self.enough, int(-((far - strict) // abs(times))))
        return name in (("ge", "gt", "ne") if times > 0 else ("lt", "le", "ne"))

    def _sum(self, value: Value) -> Sum:
        """Return how often the counter is in a sum, and the range of all the rest; or _Open."""
        if not isinstance(value, Unknown):
            if type(value) is not int:
                raise _Open
            return 0, value, value
        if value not in self.sums:
            self.sums[value] = None
            self.sums[value] = self._sum_of_parts(value)
        if (found := self.sums[value]) is None:
            raise _Open
        return found

    def _sum_of_parts(self, value: Unknown) -> Sum:
        if value.name == "slot":
            slot = value.arguments[0]
            return (1, 0, 0) if slot == self.slot else (0, *self.ranges.get(slot, (-inf, inf)))
        match value.name, value.arguments:
            case "add", (one, other):
                return _sum_of(self._sum(one), self._sum(other), 1)
            case "subtract", (one, other):
                return _sum_of(self._sum(one), self._sum(other), -1)
            case "multiply", (one, int(factor)):
                return _sum_of((0, 0, 0), self._sum(one), factor)
            case "select" | "minimum" | "maximum", _:
                return _one_of(value.name, [self._sum(part) for part in self._left(value)])
            case "quotient", (one, int(by)) if by > 0 and not self._asks(one):
                _, low, high = self._sum(one)
                return 0, _quotient(low, by), _quotient(high, by)
            case "remainder", (_, int(by)) if by > 0 and not self._asks(value):
                return 0, 0, by - 1
            case "weigh_bits", (_, weights) if not self._asks(value):
                return 0, sum(min(w, 0) for w in weights), sum(max(w, 0) for w in weights)
        raise _Open


def _quotient(end: float, by: int) -> float:
    return end if isinf(end) else end // by


def _one_of(name: str, sums: list[Sum]) -> Sum:
    """Return what holds of one of some sums, or of the least or the largest of them."""
    often, lows, highs = zip(*sums, strict=True)
    if len(set(often)) > 1:
        raise _Open
    least, most = (max if name == "maximum" else min), (min if name == "minimum" else max)
    return often[0], least(lows), most(highs)


def _sum_of(one: Sum, other: Sum, factor: int) -> Sum:
    """Return a sum and so many times another one."""
    if factor == 0:
        return one
    low, high = sorted((factor * other[1], factor * other[2]))
    return one[0] + factor * other[0], one[1] + low, one[2] + high
