"""One turn of one game with given values at its ends: its nodes, and where it leads."""

from __future__ import annotations

import numpy as np

from dicegames.solver.chain.batch import WIDTH, Batch, place
from dicegames.solver.chain.chain import LANES, Walk
from dicegames.solver.kernels.evaluate import PURE
from dicegames.solver.kernels.flat import Flat
from dicegames.solver.kernels.kernel import njit
from dicegames.solver.model import CHANCE, Array
from dicegames.solver.results.curves import Rows
from dicegames.solver.results.decide import Turns, decide
from dicegames.solver.results.rivals import Rivals, Tables
from dicegames.solver.results.turns import (
    Lanes,
    home_of,
    inner_of,
    make_lanes,
    make_thread,
    set_ends,
)


@njit(**PURE)
def _look_at(
    width: tuple[float, ...], f: Flat, w: Walk, b: Batch, t: Turns, d: Rows, h: Rows, units: Array,
    lookup_units: Array, home: Array, top: int, base: int, much: bool, m: Lanes,  # noqa: FBT001
) -> None:  # fmt: skip
    place(f, w, b, home, 0, 1)
    b.here[0] = 0
    set_ends(f, w, b, t, d, h, units, lookup_units, top, base, much, m)
    decide(width, f, w, b, t, top)


@njit(**PURE)
def _forward(
    f: Flat, w: Walk, b: Batch, node: int, inner: int, mass: Array, ended: Array
) -> None:  # fmt: skip
    """Probabilities of the ends of the turn in the first lane, from a node at an inner point on."""
    nodes, points = f.kind.size, w.rank.size
    mass[inner * nodes + node] = 1.0
    for rank in range(w.rank[inner], -1, -1):
        here = w.ranked[rank]
        for i in range(w.order.size - 1, -1, -1):
            source = w.order[i]
            own = mass[here * nodes + source]
            if own == 0.0:
                continue
            first, last = f.first_edge[source], f.first_edge[source + 1]
            chance = f.kind[source] == CHANCE
            if not chance:
                first += b.choice[(here * w.slots + w.slot[source]) * LANES]
                last = first + 1
            for edge in range(first, last):
                part = own * f.weight[edge] if chance else own
                if w.exit[edge] >= 0:
                    ended[w.exit[edge] * points + here] += part
                else:
                    to = here if w.shift[edge] < 0 else w.after[w.shift[edge], here]
                    mass[to * nodes + f.target[edge]] += part


class OneTurn:
    """One turn at an outer point, up to an inner rank, with given values at its ends."""

    def __init__(
        self, tables: Tables, position: int, total: int, others: Rivals, weight: float
    ) -> None:
        """`position` is that in a full table; `others` is for one game, `weight` as in `Table`."""
        chain = tables.chain
        self._tables, self._walk = tables, chain.walk
        self._inner, home = inner_of(chain.flat, chain.walk, position), np.zeros(1, np.int64)
        home[0] = home_of(chain.flat, chain.walk, position)
        self._thread = make_thread(chain)
        lanes_ = make_lanes(self._thread.batch, others)
        lanes_.total[:], lanes_.weight[:] = total, weight
        lanes_.wins[:], lanes_.best[:] = others.wins[0], others.best[0]
        _look_at(
            WIDTH, chain.flat, chain.walk, self._thread.batch, self._thread.turns, tables.coming,
            tables.best, tables.units.constant, tables.units.floats, home,
            int(chain.walk.rank[self._inner]), others.base, tables.maximise, lanes_,
        )  # fmt: skip

    def value(self, node: int, position: int) -> float:
        """The value of a node of the chain's model at a position that comes up in the turn."""
        inner = inner_of(self._tables.chain.flat, self._walk, position)
        at = (inner * self._tables.chain.model.nodes + node) * LANES
        return float(self._thread.turns.rows[at])

    def ends(self, node: int, position: int) -> tuple[Array, Array, Array]:
        """Where the turn ends from a node on: keys, what is paid, and the probability of each."""
        chain, walk, batch = self._tables.chain, self._walk, self._thread.batch
        mass = np.zeros(walk.rank.size * chain.model.nodes)
        ended = np.zeros(walk.exit_edge.size * walk.rank.size)
        _forward(chain.flat, walk, batch, node, inner_of(chain.flat, walk, position), mass, ended)
        found = np.flatnonzero(ended)
        return batch.exit_key[found, 0], batch.exit_sum[found, 0, 0], ended[found]
