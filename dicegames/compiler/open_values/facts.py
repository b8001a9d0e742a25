"""What is known at the nodes of a control graph: conditions that hold since the turn began."""

from __future__ import annotations

from dicegames.compiler.graph import END, ControlNode, Edge
from dicegames.compiler.open_values.tables import atoms_of, slots_of
from dicegames.rules.parts.unknown import Unknown

Facts = frozenset[Unknown]


def said_on(edge: Edge) -> tuple[Unknown, ...]:
    """Return the conditions under which an edge is taken."""
    return atoms_of((*edge.guard, *edge.facts))


def known_facts(nodes: list[ControlNode]) -> dict[int, Facts]:
    """Return for each node, by its identity, the conditions that hold whatever way led there.

    They speak of the values that the axes have at the node: where one changes on the way, what was
    known of it is forgotten.
    """
    facts: dict[int, Facts] = {id(n): frozenset() for n in nodes if n.stored}
    pending = [n for n in nodes if n.stored]
    while pending:
        node = pending.pop()
        for edge in node.edges:
            if edge.target == END or nodes[edge.target].stored:
                continue
            changed = {slot for slot, _ in edge.effect}
            known = facts[id(node)].union(said_on(edge))
            if changed:
                known = frozenset(a for a in known if changed.isdisjoint(slots_of(a)))
            target = nodes[edge.target]
            before = facts.get(id(target))
            if before is None or not before <= known:
                facts[id(target)] = known if before is None else before & known
                pending.append(target)
    return facts
