"""How many turns there can be: that bounds what a counter can be.

Rounds are counted, or every turn uses up a member of a set: it takes away one that is there, or
adds one that is not, and no turn ever changes the set the other way. That the member is there, or
not, is said by the conditions of some move on the way to the end of the turn.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from dicegames.compiler.exploring.explore import Explorer
from dicegames.compiler.exploring.round_ends import at_round_end, ends_of, is_certain
from dicegames.compiler.graph import END_TARGET, ControlNode, Edge
from dicegames.compiler.open_values.facts import known_facts, said_on
from dicegames.rules.parts.types import Value
from dicegames.rules.parts.unknown import Unknown, has_bit, unknown

ADDS, TAKES = "with_bit", "without_bits"


def most_turns(explorer: Explorer, sets: Mapping[int, int]) -> int | None:
    """Return a bound on the number of turns, None if none is found.

    `sets` are slots that hold sets, with the number of members that there can be. Where nothing is
    left of one a further turn may begin, unless that is the end of the game.
    """
    for slot, size in sets.items():
        if way := _used_up(explorer, slot):
            env = at_round_end(explorer.game)
            env[slot] = (1 << size) - 1 if way == ADDS else 0
            return size + (not any(is_certain(end, env) for end in ends_of(explorer.game)))
    return None


def _used_up(explorer: Explorer, slot: int) -> str | None:
    """Return how every turn uses up a member of the set in a slot, None if it does not."""
    leaf, nodes = unknown("slot", slot), explorer.nodes
    changes = [_change(value, leaf) for value in _values(nodes, slot)]
    ways = {change[0] if change else "" for change in changes}
    last = [(node, edge) for node in nodes for edge in node.edges if _ends_turn(edge)]
    if not last or ways not in ({ADDS}, {TAKES}):
        return None
    known = None
    for node, edge in last:
        change = _change(dict(edge.effect).get(slot), leaf)
        if change is None:
            return None
        if not _is_new(change, leaf, set(said_on(edge))):
            known = known or known_facts(nodes, explorer.first_node, explorer.at_start)
            if not _is_new(change, leaf, {*said_on(edge), *known.get(id(node), ())}):
                return None
    return ways.pop()


def _ends_turn(edge: Edge) -> bool:
    """Tell whether a turn ends with an edge, and the game does not."""
    return edge.crossed and edge.target != END_TARGET


def _values(nodes: list[ControlNode], slot: int) -> Iterator[Value]:
    """Yield all that a slot is set to."""
    for edge in (edge for node in nodes for edge in node.edges):
        yield from (value for changed, value in edge.effect if changed == slot)


def _change(value: Value, leaf: Unknown) -> tuple[str, int] | None:
    """Return how a set changes, and the bits of what is added or taken away first."""
    if not isinstance(value, Unknown) or value.name not in (ADDS, TAKES):
        return None
    whole, part = value.arguments
    if whole is leaf:
        bits = 1 << part if value.name == ADDS else part
        return (value.name, bits) if isinstance(bits, int) else None
    inner = _change(whole, leaf)
    return inner if inner is not None and inner[0] == value.name else None


def _is_new(change: tuple[str, int], leaf: Unknown, known: set[Unknown]) -> bool:
    """Tell whether one of the members was there to be taken, or missing to be added."""
    way, bits = change
    members = [i for i in range(bits.bit_length()) if bits >> i & 1]
    there = [has_bit(leaf, member) for member in members]
    if way == ADDS:
        return any(unknown("not", member) in known for member in there)
    return any(member in known for member in there) or any(
        _demanded(condition, leaf) & bits for condition in known
    )


def _demanded(condition: Unknown, leaf: Unknown) -> int:
    """Return the members that a condition demands of a set, all of them together."""
    match condition:
        case Unknown(name="eq", arguments=(Unknown(name="without_bits") as missing, 0)):
            bits, whole = missing.arguments
            return bits if whole is leaf and isinstance(bits, int) else 0
    return 0
