"""Where a turn may come back to the same point: the solver keeps a value for such a node.

A throw of Toss Up may change nothing. Play then goes round inside the turn, and no node on the way
has a value to be read, since no edge has an effect. One node of each such round gets one.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from dicegames.solver.model import CHOICE, END, Array, Model


def entries_of_loops(model: Model) -> list[int]:
    """Return a node of each loop of edges without effect, none of which enters a stored node.

    None where a counter has no limit: states are listed as far as it counts. None where chance
    alone goes round: such throws are made until they do not come back, to the last digit, where
    states are listed (`solver/explicit/backup`).
    """
    idle = (model.effect == 0) & (model.rotate == 0) & ~model.stored[model.target]
    idle &= model.kind[model.target] != END
    source, target = model.sources, model.target
    if model.unbounded:
        return []
    if _lead_to_loops(model, idle & (model.kind[source] != CHOICE)).any():
        return []
    on_loops = _lead_to_loops(model, idle)
    kept = idle & on_loops[target]
    after = np.split(target[kept], np.cumsum(np.bincount(source[kept], minlength=model.nodes)))
    begun = np.flatnonzero(on_loops)
    return _returns(begun[np.argsort(~model.stored[begun], kind="stable")], after)


def _lead_to_loops(model: Model, chosen: Array) -> Array:
    """Return which nodes lead to a loop of the chosen edges (bool[E]), or are on one: bool[N]."""
    source, target = model.sources[chosen], model.target[chosen]
    found, count = np.ones(model.nodes, np.bool_), 0
    while count != (count := int(found.sum())):
        leads = found[target]
        found[:] = False
        found[source[leads]] = True
    return found


def _returns(begun: Array, after: list[Array]) -> list[int]:
    """Return the targets of edges that lead back to where the search stands, depth first."""
    found: dict[int, None] = {}
    open_, done = set[int](), set[int]()
    for root in begun.tolist():
        ways: list[tuple[int, Iterator[int]]] = []
        target: int | None = root
        while target is not None or ways:
            if target is None:
                node, _ = ways.pop()
                open_.discard(node)
            elif target in open_:
                found[target] = None
            elif target not in done:
                open_.add(target)
                done.add(target)
                ways.append((target, iter(after[target].tolist())))
            target = next(ways[-1][1], None) if ways else None
    return list(found)
