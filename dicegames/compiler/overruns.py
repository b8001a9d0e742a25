"""Values that leave their declared range: shown not to happen, or told with a way to it.

Where a value is open while the rules are explored, the explorer notes under which condition it
would leave the range of its variable. Most of these conditions cannot hold for the values that the
variables may have, and with what was asked in the turn before. For the others the referee looks
for a game.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

import numpy as np
from numpy.typing import NDArray

from dicegames.compiler.explore import Explorer
from dicegames.compiler.graph import END, Guard
from dicegames.compiler.ranges import LARGEST_JOINT, conjuncts
from dicegames.compiler.tables import slots_of, table
from dicegames.rules.broken import RuleBroken
from dicegames.rules.search import find_break
from dicegames.rules.types import Value
from dicegames.rules.unknown import Unknown

Values = Mapping[int, tuple[Value, ...]]


def refuse_overruns(explorer: Explorer, values: Values) -> None:
    """Raise RuleBroken unless no value can leave its range; `values` are those of the axes."""
    if not explorer.overruns:
        return
    game = explorer.game
    arrays = {slot: np.asarray(v) for slot, v in values.items()}
    facts = _facts(explorer)
    asked = {(o.at, o.outside, facts[id(o.node)] | _atoms(o.guard)) for o in explorer.overruns}
    suspects = [at for at, outside, known in asked if _may_hold(outside, known, arrays)]
    if not suspects:
        return
    found = find_break(game)
    if found.broken is not None:
        raise found.broken
    if not found.exhausted:
        setting = game.flow[min(suspects)]
        message = "it cannot be shown that the value stays in its range here"
        hint = "widen the range where it is declared, or write capped behind it"
        raise RuleBroken(message, setting.span, game.source, "out-of-range", hint)


def _atoms(guard: Guard) -> frozenset[Unknown]:
    return frozenset(atom for part in guard for atom in conjuncts(part))


def _facts(explorer: Explorer) -> dict[int, frozenset[Unknown]]:
    """Return the conditions that hold at each node since the turn began, whatever led there."""
    nodes = explorer.nodes
    facts: dict[int, frozenset[Unknown]] = {id(n): frozenset() for n in nodes if n.stored}
    pending = [n for n in nodes if n.stored]
    while pending:
        node = pending.pop()
        for edge in node.edges:
            if edge.target == END or nodes[edge.target].stored:
                continue
            changed = {slot for slot, _ in edge.effect}
            known = facts[id(node)] | _atoms(edge.guard)
            if changed:
                known = frozenset(a for a in known if changed.isdisjoint(slots_of(a)))
            target = nodes[edge.target]
            before = facts.get(id(target))
            if before is None or not before <= known:
                facts[id(target)] = known if before is None else before & known
                pending.append(target)
    return facts


def _may_hold(
    outside: Unknown, known: frozenset[Unknown], arrays: Mapping[int, NDArray[np.int64]]
) -> bool:
    """Tell whether a condition can hold together with known ones that speak of the same."""
    slots = set(slots_of(outside))
    conditions = [outside]
    for atom in sorted(known, key=repr):
        joint = slots | set(slots_of(atom))
        if slots & set(slots_of(atom)) and _size(joint, arrays) <= LARGEST_JOINT:
            conditions.append(atom)
            slots = joint
    holds: NDArray[np.bool_] = np.array([True])
    for condition in conditions:
        own, values = table(condition, arrays)
        holds = holds & values.reshape([len(arrays[s]) if s in own else 1 for s in sorted(slots)])
    return bool(holds.any())


def _size(slots: Iterable[int], arrays: Mapping[int, NDArray[np.int64]]) -> int:
    size = 1
    for slot in slots:
        size *= len(arrays[slot])
    return size
