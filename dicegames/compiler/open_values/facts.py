"""What is known at the nodes of a control graph: what was asked in the turn, or ended the last."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from dicegames.compiler.effort import Budget
from dicegames.compiler.graph import END_TARGET, ControlNode, Edge
from dicegames.compiler.open_values.joint import values_where
from dicegames.compiler.open_values.tables import atoms_of, slots_of
from dicegames.rules.parts.types import Value
from dicegames.rules.parts.unknown import Unknown, unknown

Facts = frozenset[Unknown]


def said_on(edge: Edge) -> tuple[Unknown, ...]:
    """Return the conditions under which an edge is taken."""
    return atoms_of((*edge.guard, *edge.facts))


def known_facts(nodes: list[ControlNode], first: Mapping[int, Value]) -> dict[int, Facts]:
    """Return for each node, by its identity, the conditions that hold whatever way led there.

    They speak of the values that the axes have at the node: where one changes on the way, what was
    known of it is forgotten. When a turn begins it is known with what the turn before ended, as
    far as that holds for the `first` values as well.
    """
    begun: dict[int, Facts] = {}
    for edge in (edge for node in nodes for edge in _ways(node)):
        target = nodes[edge.target]
        if target.stored:
            said = _said_after(edge)
            begun[id(target)] = begun.get(id(target), said) & said
    facts = {
        id(node): frozenset(a for a in begun.get(id(node), ()) if _holds_for(a, first))
        for node in nodes
        if node.stored
    }
    pending = [n for n in nodes if n.stored]
    while pending:
        node = pending.pop()
        for edge in _ways(node):
            if nodes[edge.target].stored:
                continue
            changed = {slot for slot, _ in edge.effect}
            known = facts[id(node)]
            if edge.guard or edge.facts:
                known = known.union(said_on(edge))
            if changed:
                known = frozenset(a for a in known if changed.isdisjoint(slots_of(a)))
            target = nodes[edge.target]
            before = facts.get(id(target))
            if before is None or not before <= known:
                facts[id(target)] = known if before is None else before & known
                pending.append(target)
    return facts


def _ways(node: ControlNode) -> Iterator[Edge]:
    """Yield the edges to other nodes: of what is legal, and of what strategies play."""
    return (e for e in (*node.edges, *(node.played or ())) if e.target != END_TARGET)


def _said_after(edge: Edge) -> Facts:
    """Return what is said on an edge of the values that the axes have behind it."""
    if edge.rotate:
        return frozenset()  # the seats are others there
    changed = {slot for slot, _ in edge.effect}
    now = {value: unknown("slot", slot) for slot, value in edge.effect}

    def after(part: Value) -> Value:
        if not isinstance(part, Unknown) or changed.isdisjoint(part.slots):
            return part
        if part in now or part.name == "slot":
            return now.get(part)  # nothing is said of what was there before
        parts = [after(p) for p in part.arguments]
        return None if None in parts else unknown(part.name, *parts)

    return frozenset(a for said in said_on(edge) if (a := after(said)) is not None)


def _holds_for(condition: Unknown, first: Mapping[int, Value]) -> bool:
    domain = {slot: (first[slot],) for slot in condition.slots}
    return values_where(condition, (), domain, Budget()) == {True}
