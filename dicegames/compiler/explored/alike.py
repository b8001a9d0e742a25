"""Counters that grow without limit, but whose values are all alike from some point on.

`round <= 10` tells rounds apart up to the eleventh; from there on a game in which nothing else
asks for the round goes on in the same way. Such a counter is kept only up to that value. It must
only ever rise, and be compared with fixed numbers only. What the rules ask plain values of (a map,
say) is told only of the values that are known by then: that is no comparison.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable

from dicegames.compiler.exploring.explore import Explorer
from dicegames.rules.parts.types import Value
from dicegames.rules.parts.unknown import COMPARISONS, Unknown


def alike_from(explorer: Explorer, slots: Collection[int]) -> dict[int, int]:
    """Return from which value on all values of a counter are alike, of those that have one."""
    found: dict[int, int] = {}
    if not slots:
        return found
    asked, changed = _expressions(explorer)
    for slot in slots:
        leaf, limits, seen = explorer.leaves[slot], set[int](), set[Unknown]()
        others = [v for target, v in changed if target != slot or not _rises(v, leaf)]
        if all(_thresholds(v, leaf, limits, seen) for v in (*asked, *others)) and limits:
            found[slot] = max(limits) + 1
    return found


def _expressions(explorer: Explorer) -> tuple[set[Unknown], set[tuple[int, Unknown]]]:
    """Return what is asked, by guards and gains too, and what slots are set to, each once."""
    edges = {id(edge): edge for node in explorer.nodes for edge in node.edges}.values()
    asked = {v for e in edges for v in (*e.guard, *e.reward) if isinstance(v, Unknown)}
    asked |= explorer.asked
    changes: list[Iterable[tuple[int, Value]]] = [edge.effect for edge in edges]
    changes += [enumerate(node.env) for node in explorer.nodes]
    return asked, {(s, v) for change in changes for s, v in change if isinstance(v, Unknown)}


def _rises(value: Value, leaf: Unknown) -> bool:
    """Tell whether a change adds to a counter, by a number or by a choice of numbers."""
    if value is leaf or not isinstance(value, Unknown):
        return value is leaf
    if value.name == "select":
        return all(_rises(v, leaf) for v in value.arguments[1:])
    added = _added(value, leaf)
    return bool(added) and min(added) >= 0


def _thresholds(value: Value, leaf: Unknown, limits: set[int], seen: set[Unknown]) -> bool:
    """Collect the numbers that a counter is compared with; False if it is used otherwise."""
    if not isinstance(value, Unknown) or value in seen or leaf.slots[0] not in value.slots:
        return True
    seen.add(value)
    if value is leaf:
        return False
    if value.name in COMPARISONS:
        sides = value.arguments
        for one, other in (sides, sides[::-1]):
            added = _added(one, leaf)
            if added and isinstance(other, int):
                limits.update(other - n for n in added)
                return one is leaf or _thresholds(one.arguments[1], leaf, limits, seen)
    return all(_thresholds(part, leaf, limits, seen) for part in value.arguments)


def _added(value: Value, leaf: Unknown) -> list[int]:
    """Return the numbers of which one is added to the counter; none if it is anything else."""
    if value is leaf:
        return [0]
    if not isinstance(value, Unknown) or value.name != "add" or value.arguments[0] is not leaf:
        return []
    added = value.arguments[1]
    is_choice = isinstance(added, Unknown) and added.name == "select"
    numbers = added.arguments[1:] if is_choice else (added,)
    return list(numbers) if all(isinstance(n, int) for n in numbers) else []
