"""Values of many states in the middle of turns at once, from the tables of a solved model.

Turns are evaluated by the operations of the block method, at all points that are asked about; the
nodes that are asked about count as stored, so that their rows are kept and written.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from attrs import evolve, frozen

from dicegames.solver.blocks.choices import Greedy, make_greedy
from dicegames.solver.blocks.components import values as values_of
from dicegames.solver.graph.canonical import canonical
from dicegames.solver.graph.fold import fold
from dicegames.solver.graph.ordered import merge_alike
from dicegames.solver.graph.turn import READ, plan_turn, reachable_nodes, unfit
from dicegames.solver.kernels.workers import Workers
from dicegames.solver.model import END, Array, Model
from dicegames.solver.status import SolveError, Status

MOST_WRITTEN = 1 << 23
"""That are written at once, for all nodes together."""


@frozen(eq=False)
class ManyValues:
    """Values of some nodes of a model at any points.

    row: int64[nodes], the number of the row of each node that is asked about, -1 of others and of
    the end. begin: where the numbers that are written begin in `greedy.values`.
    """

    model: Model
    greedy: Greedy
    row: Array
    begin: int

    @classmethod
    def of(cls, model: Model, tables: Mapping[int, Array], nodes: Array) -> ManyValues:
        """Prepare a model whose stored nodes have these tables; SolveError where it does not fit.

        One number tells what all seats have; `nodes` are those that will be asked about.
        """
        merged, node_of = merge_alike(canonical(model))
        own = np.unique(node_of[nodes])
        met = reachable_nodes(merged, merged.start)
        own = own[met[own] & (merged.kind[own] != END)]
        stored = merged.stored.copy()
        stored[own] = True
        small = fold(evolve(merged, stored=stored))
        turn = plan_turn(small)
        where = {(int(node_of[n]), 0): at for at, n in enumerate(tables)}
        where = {key: at * model.points for key, at in where.items()}
        read = small.target[(turn.sort == READ) & np.isin(small.sources, turn.nodes)]
        if not {*read.tolist()} <= {node for node, _ in where}:
            raise unfit("a turn goes round")
        known = [np.asarray(table).ravel() for table in tables.values()]
        room = max(MOST_WRITTEN, 2 * len(own) * _inner_points(model))
        values = np.concatenate([*known, np.zeros(room)])
        row = np.full(small.nodes, -1, np.int64)
        row[own] = np.arange(len(own))
        greedy = make_greedy(small, turn, values_of(small), own, values, where)
        return cls(model, greedy, row[node_of], len(known) * model.points)

    def take(self, nodes: Array, positions: Array, workers: Workers) -> Array:
        """Return the values of states: of each node at a position in a full table, float64.

        Raises SolveError where play from a state comes to such as have no value.
        """
        found = np.zeros(len(nodes))
        asked = np.flatnonzero(self.row[nodes] >= 0)
        inner = _inner_points(self.model)  # inner axes are the last
        asked = asked[np.argsort(positions[asked] // inner, kind="stable")]
        outer = positions[asked] // inner * inner
        room = (self.greedy.values.size - self.begin) // max(1, self.greedy.rows.size)
        work = self.greedy.work()
        first = 0
        while first < len(asked):
            last = int(np.searchsorted(outer, outer[first] + room - inner, "right"))
            here, at = asked[first:last], positions[asked[first:last]]
            begins = self.begin + room * np.arange(self.greedy.rows.size) - outer[first]
            top = int(self.greedy.points.rank[at % inner].max())
            points = np.unique(outer[first:last])
            workers.run(
                lambda p, t, b: self.greedy.run(work, p, t, workers.stop, begins=b),
                points, top, begins,
            )  # fmt: skip
            found[here] = self.greedy.values[begins[self.row[nodes[here]]] + at]
            first = last
        unasked = (self.row[nodes] < 0) & (self.model.kind[nodes] != END)
        if unasked.any() or not np.isfinite(found).all():
            raise SolveError(Status.BAD_EFFECT)
        return found


def _inner_points(model: Model) -> int:
    """How many inner points there are."""
    sizes = [axis.size for axis in model.axes if axis.inner]
    return int(np.prod(sizes, dtype=np.int64))
