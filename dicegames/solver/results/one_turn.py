"""One turn of one game with given values at its ends: its nodes, and where it leads."""

from __future__ import annotations

import numpy as np

from dicegames.solver.chain.walker import Walker, begin_turns
from dicegames.solver.model import Array
from dicegames.solver.results.given_ends import Share, choose_moves
from dicegames.solver.results.rivals import ChainTables, Rivals

ENDS_SLACK = 1e-9
"""How far the probabilities of all ends may add up to something else than 1."""


class OneTurn:
    """One turn at an outer point, up to an inner rank, with given values at its ends."""

    def __init__(
        self, tables: ChainTables, walker: Walker, position: int, total: int, others: Rivals,
        weights: Array,
    ) -> None:  # fmt: skip
        """`position` is that in a full table; `others` is for one game, `weights` as in `Table`."""
        self._units = tables.units
        self._home, inner = begin_turns(tables.chain, np.array([position]))
        share = Share(np.zeros(1, np.int64), self._home, inner)
        totals, stop = np.array([total]), np.zeros(1, np.uint8)
        choose_moves(tables, walker, share, totals, others, weights, stop)
        moves = walker.batch.choice.copy()
        self._walker = Walker(walker.chain, walker.chooser, walker.batch._replace(choice=moves))

    def ends(self, node: int, position: int) -> tuple[Array, Array, Array]:
        """Where the turn ends from a node on: keys, what is paid, and the probability of each.

        None where the turn does not come to the node.
        """
        inner = int(begin_turns(self._walker.chain, np.array([position]))[1][0])
        places, chance = self._walker.ends_within(self._home, node, inner, self._units)
        found = slice(None) if abs(chance.sum() - 1.0) < ENDS_SLACK else slice(0)
        batch, places = self._walker.batch, places[found]
        return batch.exit_key[places, 0], batch.exit_sum[places, 0, 0], chance[found]
