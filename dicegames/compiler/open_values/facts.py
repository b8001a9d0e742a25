"""What is known at the nodes of a control graph: what was asked in the turn, or ended the last."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import cache, partial, reduce

from dicegames.compiler.graph import END_TARGET, ControlNode, Edge, Effect
from dicegames.compiler.open_values.joint import Possible
from dicegames.compiler.open_values.tables import atoms_of
from dicegames.rules.parts.types import Value
from dicegames.rules.parts.unknown import Unknown, is_open, unknown

Facts = frozenset[Unknown]


def said_on(edge: Edge) -> tuple[Unknown, ...]:
    """Return the conditions under which an edge is taken."""
    return atoms_of((*edge.guard, *edge.facts))


def known_facts(
    nodes: list[ControlNode],
    start: int,
    first: Mapping[int, Value],
    about: frozenset[int] | None = None,
    is_certain: Callable[[Unknown], bool] | None = None,
) -> dict[int, Facts]:
    """Return for each node, by its identity, the conditions that hold whatever way led there.

    They speak of the values that the axes have at the node: where one changes on the way, what was
    known of it is forgotten. When a turn begins it is known with what the turn before ended; at the
    `start` of the game as far as that holds for the `first` values as well. Where it is told what
    to know `about`, conditions that speak of other slots are left out. Where `is_certain` tells
    what holds for all values, what a change alone brings about is known as well: a path on which
    a condition is certain does not say it.
    """
    taken = {id(edge): edge for node in nodes for edge in _ways(node)}  # many nodes have the same
    step_of = cache(partial(_step, about=about))
    step = {n: (e.target, *step_of((*e.guard, *e.facts), e.effect)) for n, e in taken.items()}
    steps = {id(node): {step[id(edge)] for edge in _ways(node)} for node in nodes}
    ends = defaultdict[int, set[tuple[Facts, Effect]]](set)
    for n, edge in taken.items():
        if nodes[edge.target].stored:
            ends[edge.target].add((step[n][2], edge.effect if is_certain else ()))
    facts = {id(node): _at_end(ends[n], is_certain) for n, node in enumerate(nodes) if node.stored}
    if (begins := id(nodes[start])) in facts:
        facts[begins] = frozenset(a for a in facts[begins] if _holds_for(a, first))
    pending = [n for n in nodes if n.stored]
    while pending:
        node = pending.pop()
        here, kept = facts[id(node)], dict[frozenset[int], Facts]()  # what holds on, by the change
        for number, changed, said in steps[id(node)]:
            target = nodes[number]
            if target.stored:
                continue
            if changed not in kept:
                kept[changed] = frozenset(a for a in here if changed.isdisjoint(a.slots))
            known = kept[changed] | said
            before = facts.get(id(target))
            joined = known if before is None else _common(before, known)
            if joined != before:
                facts[id(target)] = joined
                pending.append(target)
    return facts


def _at_end(ends: set[tuple[Facts, Effect]], is_certain: Callable[[Unknown], bool] | None) -> Facts:
    """Return what is known wherever a turn ends, or play comes to what has values of its own."""
    if is_certain is None:
        return _in_all({said for said, _ in ends})
    asked = frozenset[Unknown]().union(*(said for said, _ in ends))
    return _in_all({said | _brought(effect, asked - said, is_certain) for said, effect in ends})


def _brought(effect: Effect, asked: Facts, is_certain: Callable[[Unknown], bool]) -> Facts:
    """Return the conditions on what changes that hold behind an effect, whatever was before."""
    values = dict(effect)

    def behind(part: Value) -> Value:
        if not isinstance(part, Unknown) or values.keys().isdisjoint(part.slots):
            return part
        if part.name == "slot":
            return values[part.arguments[0]]
        return unknown(part.name, *map(behind, part.arguments))

    on_changed = (a for a in asked if not values.keys().isdisjoint(a.slots))
    return frozenset(a for a in on_changed if is_certain(behind(a)))


def _in_all(found: set[Facts]) -> Facts:
    """Return what is known on all ways; those that only tell values come last."""
    ways = sorted(found, key=lambda said: sum(map(_tells_a_value, said)))
    return reduce(_common, ways, ways[0]) if ways else frozenset()


def _common(one: Facts, other: Facts) -> Facts:
    """Return what is known both ways: what is said on both, or follows from what an axis is."""
    if one == other:
        return one
    said = one & other
    return said.union(_following(one - said, other), _following(other - said, one))


def _following(said: Facts, known: Facts) -> Facts:
    """Return the conditions that hold for the values that axes are known to have."""
    if not said:
        return said
    values = [(f.slots[0], f.arguments[1]) for f in known if _tells_a_value(f)]
    fixed = dict(values)
    if len(fixed) < len(values):
        return frozenset()  # no play comes there
    return frozenset(a for a in said if fixed.keys() >= {*a.slots} and _holds_for(a, fixed))


def _tells_a_value(fact: Unknown) -> bool:
    if fact.name != "eq" or is_open(fact.arguments[1]):
        return False
    return fact is _is(fact.slots[0], fact.arguments[1])


def _is(slot: int, value: Value) -> Unknown:
    return unknown("eq", unknown("slot", slot), value)


def _ways(node: ControlNode) -> Iterator[Edge]:
    """Yield the edges to other nodes: of what is legal, and of what strategies play."""
    return (e for e in (*node.edges, *(node.played or ())) if e.target != END_TARGET)


def _step(
    said: tuple[Unknown, ...], effect: Effect, about: frozenset[int] | None
) -> tuple[frozenset[int], Facts]:
    """Return which axes change with an effect, and what is known then of what was said before."""
    changed = frozenset([slot for slot, _ in effect])
    known = _said_after(atoms_of(said), effect, changed)
    if about is not None:
        known = frozenset(a for a in known if about.issuperset(a.slots))
    return changed, known


def _said_after(said: Iterable[Unknown], effect: Effect, changed: frozenset[int]) -> Facts:
    """Return what is said of the values that the axes have behind an effect, or are set to.

    Where the next player is the one to move, the seats move on as changes of the edge.
    """
    now: dict[Value, Value] = {value: unknown("slot", slot) for slot, value in effect}

    def after(part: Value) -> Value:
        if not isinstance(part, Unknown) or changed.isdisjoint(part.slots):
            return part
        if part not in now:  # nothing is said of what was there before
            parts = [None] if part.name == "slot" else [after(p) for p in part.arguments]
            now[part] = None if None in parts else unknown(part.name, *parts)
        return now[part]

    fixed = (_is(slot, value) for slot, value in effect if not is_open(value))
    return frozenset(a for a in (*map(after, said), *fixed) if a is not None)


def _holds_for(condition: Unknown, first: Mapping[int, Value]) -> bool:
    domain = {slot: (first[slot],) for slot in condition.slots}
    return Possible(domain).values(condition) == {True}
