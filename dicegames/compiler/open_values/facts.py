"""What is known at the nodes of a control graph: what was asked in the turn, or ended the last."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping
from functools import reduce

from dicegames.compiler.graph import END_TARGET, ControlNode, Edge
from dicegames.compiler.open_values.joint import Possible
from dicegames.compiler.open_values.tables import atoms_of
from dicegames.rules.parts.types import Value
from dicegames.rules.parts.unknown import Unknown, is_open, unknown

Facts = frozenset[Unknown]


def said_on(edge: Edge) -> tuple[Unknown, ...]:
    """Return the conditions under which an edge is taken."""
    return atoms_of((*edge.guard, *edge.facts))


def known_facts(
    nodes: list[ControlNode], start: int, first: Mapping[int, Value]
) -> dict[int, Facts]:
    """Return for each node, by its identity, the conditions that hold whatever way led there.

    They speak of the values that the axes have at the node: where one changes on the way, what was
    known of it is forgotten. When a turn begins it is known with what the turn before ended; at the
    `start` of the game as far as that holds for the `first` values as well.
    """
    taken = {id(edge): edge for node in nodes for edge in _ways(node)}  # many nodes have the same
    step = {number: _step(edge) for number, edge in taken.items()}
    steps = {id(node): {step[id(edge)] for edge in _ways(node)} for node in nodes}
    ends = defaultdict[int, set[Facts]](set)
    for number, _, said in (step for found in steps.values() for step in found):
        if nodes[number].stored:
            ends[number].add(said)
    facts = {id(node): _in_all(ends[n]) for n, node in enumerate(nodes) if node.stored}
    if (begins := id(nodes[start])) in facts:
        facts[begins] = frozenset(a for a in facts[begins] if _holds_for(a, first))
    pending = [n for n in nodes if n.stored]
    while pending:
        node = pending.pop()
        for number, changed, said in steps[id(node)]:
            target = nodes[number]
            if target.stored:
                continue
            known = said.union(a for a in facts[id(node)] if changed.isdisjoint(a.slots))
            before = facts.get(id(target))
            joined = known if before is None else _common(before, known)
            if joined != before:
                facts[id(target)] = joined
                pending.append(target)
    return facts


def _in_all(found: set[Facts]) -> Facts:
    """Return what is known on all ways; those that only tell values come last."""
    ways = sorted(found, key=lambda said: sum(map(_tells_a_value, said)))
    return reduce(_common, ways, ways[0]) if ways else frozenset()


def _common(one: Facts, other: Facts) -> Facts:
    """Return what is known both ways: what is said on both, or follows from what an axis is."""
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


def _step(edge: Edge) -> tuple[int, frozenset[int], Facts]:
    """Return where an edge leads, which axes change on it, and what is said behind it."""
    return edge.target, frozenset([slot for slot, _ in edge.effect]), _said_after(edge)


def _said_after(edge: Edge) -> Facts:
    """Return what is said on an edge of the values that the axes have behind it, or are set to.

    Where the next player is the one to move, the seats move on as changes of the edge.
    """
    if not edge.effect:
        return frozenset(said_on(edge))
    changed = {slot for slot, _ in edge.effect}
    now: dict[Value, Value] = {value: unknown("slot", slot) for slot, value in edge.effect}

    def after(part: Value) -> Value:
        if not isinstance(part, Unknown) or changed.isdisjoint(part.slots):
            return part
        if part not in now:  # nothing is said of what was there before
            parts = [None] if part.name == "slot" else [after(p) for p in part.arguments]
            now[part] = None if None in parts else unknown(part.name, *parts)
        return now[part]

    fixed = (_is(slot, value) for slot, value in edge.effect if not is_open(value))
    return frozenset(a for a in (*map(after, said_on(edge)), *fixed) if a is not None)


def _holds_for(condition: Unknown, first: Mapping[int, Value]) -> bool:
    domain = {slot: (first[slot],) for slot in condition.slots}
    return Possible(domain).values(condition) == {True}
