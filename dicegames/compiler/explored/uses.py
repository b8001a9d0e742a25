"""How many turns there can be: that bounds what a counter can be.

Rounds are counted, or every turn uses up a member of a set: it takes away one that is there, or
adds one that is not, and no turn ever changes the set the other way. That the member is there, or
not, is said by the conditions of some move on the way to the end of the turn. A number with a range
that only ever falls, or only ever rises, is used up likewise, and so is a condition that becomes
true for good, or false. It need not be the same variable in every turn: what is left of all of them
together is less after each turn.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from dicegames.compiler.exploring.explore import Explorer
from dicegames.compiler.exploring.turn_ends import ends_of, is_certain
from dicegames.compiler.graph import END_TARGET, Effect
from dicegames.compiler.open_values.facts import known_facts, said_on
from dicegames.compiler.open_values.joint import Possible
from dicegames.rules.parts.types import TRUTH, Value
from dicegames.rules.parts.unknown import Unknown, has_bit, unknown
from dicegames.rules.running.linear import open_values

MORE, LESS = "with_bits", "without_bits"
Ends = Mapping[int, tuple[int, int]]
"""The least and the greatest value of slots: of a set, none and all of its members."""
Used = tuple[Unknown, tuple[str, int | None]]
"""What something was before, and how it changes: by members of a set, as bits, one of which must
have been there; by 0 if it may have had its last value before, by None if it surely changes."""
Changes = dict[Effect, list[Used]]


def most_turns(explorer: Explorer, sets: Mapping[int, int]) -> int | None:
    """Return a bound on the number of turns, None if none is found.

    `sets` are slots that hold sets, with the number of members that there can be. Where nothing is
    left of one a further turn may begin, unless that is the end of the game. The sets of all
    players are looked at together, too: each turn uses up a member of one of them.
    """
    ends = {slot: (0, (1 << members) - 1) for slot, members in sets.items()}
    several = (group for group in _variables(explorer, sets) if len(group) > 1)
    for group in [*([slot] for slot in sets), *several]:
        if ways := _used_up(explorer, [group], ends):
            return sum(sets[slot] for slot in group) + _one_more(explorer, ends, ways)
    return None


def most_turns_in_all(explorer: Explorer, sets: Mapping[int, int]) -> int | None:
    """Return a bound on the number of turns that use up one thing or another, None without one.

    That is all there is to use up, of sets, conditions and numbers with a range: more than
    `most_turns`.
    """
    slots = explorer.game.names.slots
    ends = {slot: (0, (1 << members) - 1) for slot, members in sets.items()}
    for slot in explorer.roles.axes:
        within = slots[slot].within
        if slots[slot].type == TRUTH:
            ends[slot] = False, True
        elif slots[slot].type.kind == "number" and within is not None:
            ends[slot] = within[0], within[-1]
    lasting = [slot for slot in ends if slots[slot].scope != "turn"]
    ways = _used_up(explorer, _variables(explorer, lasting), ends)
    left = sum(sets.get(slot, ends[slot][1] - ends[slot][0]) for slot in ways)
    return left + _one_more(explorer, ends, ways) if ways else None


def _variables(explorer: Explorer, among: Iterable[int]) -> list[list[int]]:
    """Return the slots of each variable that has any."""
    groups: dict[int, list[int]] = {}
    for slot in among:
        groups.setdefault(explorer.game.names.slots[slot].base, []).append(slot)
    return list(groups.values())


def _one_more(explorer: Explorer, ends: Ends, ways: Mapping[int, str]) -> bool:
    """Tell whether a turn may begin where nothing is left, whoever had the turn before."""
    env = open_values(explorer.game)
    for slot, way in ways.items():
        env[slot] = ends[slot][way == MORE]
    seat = explorer.game.names.variables["seat"].base
    for env[seat] in range(explorer.game.players):
        if not any(is_certain(end, env) for end in ends_of(explorer.game)):
            return True
    return False


def _used_up(explorer: Explorer, groups: Sequence[Sequence[int]], ends: Ends) -> dict[int, str]:
    """Return how slots change of which every turn uses up something; none if a turn does not.

    Left out are groups of slots that change one way and the other.
    """
    ways: dict[int, str] = {}
    changes: Changes = {step.effect: [] for step in explorer.steps}
    for group in groups:
        found = {effect: _changes_of(dict(effect), group, ends) for effect in changes}
        told = {way for used in found.values() for _, (way, _) in used or ()}
        if None not in found.values() and len(told) == 1:
            ways |= dict.fromkeys(group, *told)
            for effect, used in found.items():
                changes[effect] += used or ()
    nodes = explorer.nodes
    edges = {id(edge): edge for node in nodes for edge in node.edges}  # many nodes have the same
    last = {n: e for n, e in edges.items() if e.crossed and e.target != END_TARGET}
    silent = {n for n, e in last.items() if not _is_new(changes[e.effect], set(said_on(e)), ends)}
    if silent and ways:
        known = known_facts(nodes, explorer.first_node, explorer.at_start, frozenset(ways))
        for node, edge in ((n, e) for n in nodes for e in n.edges if id(e) in silent):
            said = {*said_on(edge), *known.get(id(node), ())}
            if not _is_new(changes[edge.effect], said, ends):
                return {}
    return ways if last else {}


def _changes_of(effect: dict[int, Value], group: Sequence[int], ends: Ends) -> list[Used] | None:
    """Return how values that may change places change, None where one gets lost."""
    if effect.keys().isdisjoint(group):
        return []
    leaves, changes = [unknown("slot", s) for s in group], []
    left, fixed = list(leaves), set[Value]()
    for slot, leaf in zip(group, leaves, strict=True):
        value = effect.get(slot, leaf)
        whole = next((each for each in left if value is each or _change(value, each, ends)), None)
        if whole is None:
            fixed.add(value)
            continue
        left.remove(whole)
        if change := _change(value, whole, ends):
            changes.append((whole, change))
    for whole in left:  # each becomes one of the fixed values
        low, high = ({end} for end in ends[whole.arguments[0]])
        if fixed not in (low, high):
            return None
        changes.append((whole, (LESS if fixed == low else MORE, 0)))
    return changes


def _change(value: Value, leaf: Unknown, ends: Ends) -> tuple[str, int | None] | None:
    """Return how a set or a number changes, None if that is not told or it stays the same."""
    if not isinstance(value, Unknown) or len(value.arguments) != 2:
        return None
    name, (whole, part) = value.name, value.arguments
    before = None if whole is leaf else _change(whole, leaf, ends)
    if before is None and (whole is not leaf or not isinstance(part, int)):
        return None
    if name in (MORE, LESS, "with_bit"):
        way = LESS if name == LESS else MORE
        change = before or (way, 1 << part if name == "with_bit" else part)
        return change if change[0] == way else None
    if name == "add" and isinstance(part, int):
        change = before or (MORE if part > 0 else LESS, None)
        return change if (change[0] == MORE) == (part > 0) else None
    if before and name in ("minimum", "maximum") and part == ends[leaf.slots[0]][name == "minimum"]:
        return before if (before[0] == MORE) == (name == "maximum") else (before[0], 0)
    return None


def _is_new(changes: list[Used], known: set[Unknown], ends: Ends) -> bool:
    """Tell whether something was there to be used up."""
    return any(_is_one_new(leaf, *change, known, ends) for leaf, change in changes)


def _is_one_new(leaf: Unknown, way: str, bits: int | None, known: set[Unknown], ends: Ends) -> bool:
    if not bits:
        (slot,) = leaf.slots
        last = {slot: (ends[slot][way == MORE],)}
        about = (condition for condition in known if condition.slots == leaf.slots)
        return bits is None or any(Possible(last).values(each) == {False} for each in about)
    members = [i for i in range(bits.bit_length()) if bits >> i & 1]
    there = [has_bit(leaf, member) for member in members]
    if way == MORE:
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
