"""Sets that every turn uses up: they bound the number of turns, and with it what a counter can be.

A turn uses up a member if it takes away one that is there, or adds one that is not. That it is so
is said by the conditions of some move on the way: they are followed along the control graph of a
turn, as what is known of the set on all ways to a node.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from dicegames.compiler.graph import END, Edge, Node
from dicegames.compiler.ranges import conjuncts
from dicegames.rules.parts.types import Value
from dicegames.rules.parts.unknown import Unknown, unknown

Known = tuple[int, int]
"""Members known to be missing, and to be there: bits, as they were when the turn began."""
NOTHING: Known = (0, 0)


def most_turns(nodes: list[Node], start: int, sets: Mapping[int, int]) -> int | None:
    """Return a bound on the number of turns, None if none is found.

    `sets` are slots that hold sets, with the number of members that there can be.
    """
    return next((size for s, size in sets.items() if _is_used_up(nodes, start, s)), None)


def _is_used_up(nodes: list[Node], start: int, slot: int) -> bool:
    """Tell whether every turn uses up a member of the set in a slot."""
    leaf = unknown("slot", slot)
    last = [(n, edge) for n, node in enumerate(nodes) for edge in _crossing(node)]
    if not last or not all(_member(_after(edge, slot), leaf) for _, edge in last):
        return False
    known: dict[int, Known] | None = None
    for number, edge in last:
        name, bits = _member(_after(edge, slot), leaf) or ("", 0)
        missing, there = _said(edge, leaf)
        if not bits & (missing if name == "with_bit" else there):
            known = _along(nodes, start, slot) if known is None else known
            missing, there = _joined(known[number], (missing, there))
            if not bits & (missing if name == "with_bit" else there):
                return False
    return True


def _crossing(node: Node) -> Iterator[Edge]:
    """Yield the edges with which a turn ends and the game does not."""
    return (edge for edge in node.edges if edge.crossed and edge.target != END)


def _after(edge: Edge, slot: int) -> Value:
    return dict(edge.effect).get(slot)


def _member(value: Value, leaf: Unknown) -> tuple[str, int] | None:
    """Return how a set changes, and the bits of what is added or taken away first."""
    if not isinstance(value, Unknown) or value.name not in ("with_bit", "without_bits"):
        return None
    whole, part = value.arguments
    if whole is leaf:
        if not isinstance(part, int):
            return None
        return value.name, 1 << part if value.name == "with_bit" else part
    inner = _member(whole, leaf)
    return inner if inner is not None and inner[0] == value.name else None


def _along(nodes: list[Node], start: int, slot: int) -> dict[int, Known]:
    """Return what is known of a set at each node, whatever way led there in the turn."""
    leaf = unknown("slot", slot)
    known: dict[int, Known] = {start: NOTHING}
    pending = [start]
    while pending:
        number = pending.pop()
        for edge in nodes[number].edges:
            if edge.target == END:
                continue
            changed = edge.crossed or _after(edge, slot) is not None
            found = NOTHING if changed else _joined(known[number], _said(edge, leaf))
            old = known.get(edge.target)
            new = found if old is None else (old[0] & found[0], old[1] & found[1])
            if new != old:
                known[edge.target] = new
                pending.append(edge.target)
    return known


def _joined(a: Known, b: Known) -> Known:
    return a[0] | b[0], a[1] | b[1]


def _said(edge: Edge, leaf: Unknown) -> Known:
    """Return what the conditions of an edge say of a set."""
    missing = there = 0
    for condition in (atom for guard in (*edge.guard, *edge.facts) for atom in conjuncts(guard)):
        match condition:
            case Unknown(name="has_bit", arguments=(whole, bit)) if whole is leaf:
                there |= 1 << bit
            case Unknown(name="not", arguments=(Unknown(name="has_bit", arguments=(whole, bit)),)):
                missing |= 1 << bit if whole is leaf else 0
            case Unknown(name="eq", arguments=(Unknown(name="without_bits") as left, 0)):
                bits, whole = left.arguments
                there |= bits if whole is leaf and isinstance(bits, int) else 0
    return missing, there
