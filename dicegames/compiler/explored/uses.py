"""How many turns there can be: that bounds what a counter can be.

Rounds are counted, or every turn uses up a member of a set: it takes away one that is there, or
adds one that is not, and no turn ever changes the set the other way. That the member is there, or
not, is said by the conditions of some move on the way to the end of the turn.
"""

from __future__ import annotations

from collections.abc import Mapping

from dicegames.compiler.exploring.explore import Explorer
from dicegames.compiler.exploring.round_ends import at_round_end, ends_of, is_certain
from dicegames.compiler.graph import END_TARGET, Effect
from dicegames.compiler.open_values.facts import known_facts, said_on
from dicegames.rules.parts.types import Value
from dicegames.rules.parts.unknown import Unknown, has_bit, unknown

ADDS, TAKES = "with_bit", "without_bits"
Used = tuple[Unknown, tuple[str, int]]
"""A set before, how it changes, and the bits of what is added or taken away first."""


def most_turns(explorer: Explorer, sets: Mapping[int, int]) -> int | None:
    """Return a bound on the number of turns, None if none is found.

    `sets` are slots that hold sets, with the number of members that there can be. Where nothing is
    left of one a further turn may begin, unless that is the end of the game. The sets of all
    players are looked at together, too: each turn uses up a member of one of them.
    """
    slots = explorer.game.names.slots
    groups: dict[int, list[int]] = {}
    for slot in sets:
        groups.setdefault(slots[slot].base, []).append(slot)
    several = (group for group in groups.values() if len(group) > 1)
    effects = {step.effect for step in explorer.steps}
    for group in [*([slot] for slot in sets), *several]:
        if way := _used_up(explorer, group, effects):
            env = at_round_end(explorer.game)
            for slot in group:
                env[slot] = (1 << sets[slot]) - 1 if way == ADDS else 0
            more = not any(is_certain(end, env) for end in ends_of(explorer.game))
            return sum(sets[slot] for slot in group) + more
    return None


def _used_up(explorer: Explorer, group: list[int], effects: set[Effect]) -> str | None:
    """Return how every turn uses up a member of one of the sets, None if it does not."""
    changes = dict[Effect, list[Used]]()
    for effect in effects:
        changed = _changes_of(dict(effect), group)
        if changed is None:
            return None
        changes[effect] = changed
    ways = {way for changed in changes.values() for _, (way, _) in changed}
    if ways not in ({ADDS}, {TAKES}):
        return None
    nodes = explorer.nodes
    edges = {id(edge): edge for node in nodes for edge in node.edges}  # many nodes have the same
    last = {n: e for n, e in edges.items() if e.crossed and e.target != END_TARGET}
    silent = {n for n, e in last.items() if not _is_new(changes[e.effect], set(said_on(e)))}
    if silent:
        known = known_facts(nodes, explorer.first_node, explorer.at_start, frozenset(group))
        for node, edge in ((n, e) for n in nodes for e in n.edges if id(e) in silent):
            if not _is_new(changes[edge.effect], {*said_on(edge), *known.get(id(node), ())}):
                return None
    return ways.pop() if last else None


def _changes_of(effect: dict[int, Value], group: list[int]) -> list[Used] | None:
    """Return how sets that may change places change, None where one gets lost."""
    leaves, changes = [unknown("slot", s) for s in group], []
    if effect.keys().isdisjoint(group):
        return []
    left = list(leaves)
    for slot, leaf in zip(group, leaves, strict=True):
        value = effect.get(slot, leaf)
        whole = next((each for each in left if value is each or _change(value, each)), None)
        if whole is None:
            return None
        left.remove(whole)
        if change := _change(value, whole):
            changes.append((whole, change))
    return changes


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


def _is_new(changes: list[Used], known: set[Unknown]) -> bool:
    """Tell whether one of the members was there to be taken, or missing to be added."""
    return any(_is_one_new(leaf, way, bits, known) for leaf, (way, bits) in changes)


def _is_one_new(leaf: Unknown, way: str, bits: int, known: set[Unknown]) -> bool:
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
