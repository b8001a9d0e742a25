"""One turn of one game with given values at its ends: its nodes, and where it leads."""

from __future__ import annotations

import numpy as np

from dicegames.solver.chain.chain import LANES, Walk
from dicegames.solver.chain.walker import Walker
from dicegames.solver.kernels.evaluate import PURE
from dicegames.solver.kernels.flat import Flat
from dicegames.solver.kernels.kernel import njit
from dicegames.solver.model import CHANCE, Array
from dicegames.solver.results.given_ends import Share, begin_turns, choose_moves
from dicegames.solver.results.rivals import ChainTables, Rivals

CLOSE = 1e-9
"""How far the probabilities of all ends may add up to something else than 1."""


@njit(**PURE)
def forward(
    f: Flat, w: Walk, choice: Array, node: int, inner: int, mass: Array, ended: Array
) -> None:  # fmt: skip
    """Probabilities of the ends of a turn, from a node at an inner point on."""
    exits = w.exit_edge.size
    mass[inner, node] = 1.0
    for rank in range(w.rank[inner], -1, -1):
        here = w.ranked[rank]
        for i in range(w.order.size - 1, -1, -1):
            source = w.order[i]
            own = mass[here, source]
            if own == 0.0:
                continue
            first, last = f.first_edge[source], f.first_edge[source + 1]
            chance = f.kind[source] == CHANCE
            if not chance:
                taken = choice[here * w.slots + w.slot[source]]
                first, last = first + taken, first + (taken + 1 if taken >= 0 else 0)
            for edge in range(first, last):
                part = own * f.weight[edge] if chance else own
                if w.exit[edge] >= 0:
                    ended[here * exits + w.exit[edge]] += part
                else:
                    to = here if w.shift[edge] < 0 else w.after[w.shift[edge], here]
                    if to >= 0:
                        mass[to, f.target[edge]] += part


class OneTurn:
    """One turn at an outer point, up to an inner rank, with given values at its ends."""

    def __init__(
        self, tables: ChainTables, walker: Walker, position: int, total: int, others: Rivals,
        weights: Array,
    ) -> None:  # fmt: skip
        """`position` is that in a full table; `others` is for one game, `weights` as in `Table`."""
        self._chain, walk = tables.chain, tables.chain.walk
        home, inner = self._place(position)
        share = Share(np.zeros(1, np.int64), home, inner)
        totals, stop = np.array([total]), np.zeros(1, np.uint8)
        choose_moves(tables, walker, share, totals, others, weights, stop)
        exits, points = walk.exit_edge.size, walk.rank.size
        self._choice = walker.chooser.choice[::LANES].copy()
        shape = (exits, points)
        self._key = walker.batch.exit_key[:, 0].reshape(shape).T.ravel()
        self._paid = walker.batch.exit_sum[:, 0, 0].reshape(shape).T.ravel()

    def _place(self, position: int) -> tuple[np.ndarray, np.ndarray]:
        home, inner = np.zeros(1, np.int64), np.zeros(1, np.int64)
        begin_turns(self._chain.flat, self._chain.walk, np.array([position]), home, inner)
        return home, inner

    def ends(self, node: int, position: int) -> tuple[Array, Array, Array]:
        """Where the turn ends from a node on: keys, what is paid, and the probability of each.

        None where the turn does not come to the node.
        """
        chain, walk = self._chain, self._chain.walk
        mass = np.zeros((walk.rank.size, chain.model.nodes))
        ended = np.zeros(len(self._key))
        inner = int(self._place(position)[1][0])
        forward(chain.flat, walk, self._choice, node, inner, mass, ended)
        found = np.flatnonzero(ended if abs(ended.sum() - 1.0) < CLOSE else ())
        return self._key[found], self._paid[found], ended[found]
