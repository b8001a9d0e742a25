"""Is there an end? A game from some moment of which nothing leads to the end has no value.

Only the graph is looked at: a way to the end whose condition no values of the axes fulfil is none,
since the model does not have it. What depends on the values themselves is left to the solver.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from dicegames.compiler.exploring.explore import Explorer
from dicegames.rules.parts.broken import RuleBroken
from dicegames.solver.model import END, Model


def refuse_endless(explorer: Explorer, model: Model) -> None:
    """Raise RuleBroken where play comes to a moment from which there is no way to the end."""
    source = model.sources
    start = np.arange(model.nodes) == model.start
    met = _reached(start, source, model.target)
    ending = _reached(model.kind == END, model.target, source)
    lost = [int(n) for n in np.flatnonzero(met & ~ending) if explorer.nodes[n].at >= 0]
    if not lost:
        return
    game = explorer.game
    message = "play can go round for ever from here: no outcome leads to the end"
    remedy = "look at what ends the game, and whether it can come true"
    span = game.flow[explorer.nodes[lost[0]].at].span
    raise RuleBroken(message, span, game.source, "no-way-out", remedy)


def _reached(
    begin: NDArray[np.bool_], source: NDArray[np.int64], target: NDArray[np.int32]
) -> NDArray[np.bool_]:
    """Return the nodes to which edges lead from some nodes, and these."""
    found, before = begin.copy(), 0
    while before < (now := int(found.sum())):
        before = now
        found[target[found[source]]] = True
    return found
