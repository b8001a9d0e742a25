"""How many turns there can be: that bounds what a counter can be.

Rounds are counted, or every turn uses up a member of a set: it takes away one that is there, or
adds one that is not, and no turn ever changes the set the other way. That the member is there, or
not, is said by the conditions of some move on the way to the end of the turn.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from dicegames.compiler.graph import END, ControlNode, Edge
from dicegames.compiler.open_values.facts import known_facts, said_on
from dicegames.rules.parts.broken import RuleBroken
from dicegames.rules.parts.flow import Environment, Expression, Test
from dicegames.rules.parts.game import Game
from dicegames.rules.parts.types import Value
from dicegames.rules.parts.unknown import NeedsValue, Unknown, has_bit, unknown
from dicegames.rules.running.linear import open_values

MOST_ROUNDS = 1000
"""More rounds than this bound nothing that could be listed."""
ADDS, TAKES = "with_bit", "without_bits"


def most_turns(nodes: list[ControlNode], sets: Mapping[int, int]) -> int | None:
    """Return a bound on the number of turns, None if none is found.

    `sets` are slots that hold sets, with the number of members that there can be.
    """
    return next((size for s, size in sets.items() if _is_used_up(nodes, s)), None)


def most_turns_in_rounds(game: Game) -> int | None:
    """Return after how many turns the rounds end the game, None if they do not."""
    seat, round_ = (game.names.variables[name].base for name in ("seat", "round"))
    env = open_values(game)
    env[seat] = game.players - 1
    at = game.flow[game.end_turn]
    while isinstance(at, Test):  # the ends of the game, one after the other
        if at.condition is not None and round_ in at.condition.reads:
            for env[round_] in range(1, MOST_ROUNDS + 1):
                if _certain(at.condition, env):
                    return int(env[round_]) * game.players
        at = game.flow[at.other]
    return None


def _certain(condition: Expression, env: Environment) -> bool:
    """Tell whether a condition holds whatever is open."""
    try:
        return condition.run(env) is True
    except (NeedsValue, RuleBroken):
        return False


def _is_used_up(nodes: list[ControlNode], slot: int) -> bool:
    """Tell whether every turn uses up a member of the set in a slot."""
    leaf = unknown("slot", slot)
    changes = [_change(value, leaf) for value in _values(nodes, slot)]
    last = [(node, edge) for node in nodes for edge in node.edges if _ends_turn(edge)]
    if not last or not all(changes) or len({way for way, _ in filter(None, changes)}) != 1:
        return False
    known = None
    for node, edge in last:
        change = _change(dict(edge.effect).get(slot), leaf)
        if change is None:
            return False
        if not _is_new(change, leaf, set(said_on(edge))):
            known = known_facts(nodes) if known is None else known
            if not _is_new(change, leaf, {*said_on(edge), *known.get(id(node), ())}):
                return False
    return True


def _ends_turn(edge: Edge) -> bool:
    """Tell whether a turn ends with an edge, and the game does not."""
    return edge.crossed and edge.target != END


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
