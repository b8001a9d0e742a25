"""What the others may still get, and the chance to win with a result.

It rests on the distribution of what is still to come under best play, from every state between
turns.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from attrs import frozen

from dicegames.ground.arguments import OnProgress
from dicegames.solver.blocks.choices import Greedy
from dicegames.solver.chain import spread
from dicegames.solver.chain.chain import Chain
from dicegames.solver.chain.layer_sweep import sweep
from dicegames.solver.kernels.arrays import Matrix
from dicegames.solver.kernels.evaluate import PURE
from dicegames.solver.kernels.kernel import njit
from dicegames.solver.kernels.workers import Workers
from dicegames.solver.model import Array
from dicegames.solver.results.curves import Curves, keep_row, new_rows
from dicegames.solver.status import SolveError, Status


@frozen(eq=False)
class ChainTables:
    """A chain and what is known of its landing states: rows by key, the end of play last."""

    chain: Chain
    coming: Curves  # D: probabilities
    best: Curves  # H: from 1 to 0
    greedy: Greedy  # of turns with given values at their ends
    left: Array  # int64[positions of a full table]: how many turns are still to come

    @property
    def maximise(self) -> bool:
        """Whether much is good."""
        return self.chain.model.maximise

    @property
    def turns(self) -> int:
        """How many turns a player has in a game."""
        return int(self.left[self.chain.start % len(self.left)])


class Rivals(NamedTuple):
    """What the others may get, by game: results from `base` on; one more at each end is certain."""

    base: int
    wins: Matrix[np.float64]  # [games, results]: G, the chance to win with a result, ties shared
    best: Matrix[np.float64]  # [games, results]: q, of the best of the others


@njit(**PURE)
def _lay_out(d: Curves, keys: Array, totals: Array, base: int, out: Array) -> None:
    """The probabilities of final results, by game, from `base` on."""
    for game in range(keys.size):
        state = keys[game] if keys[game] >= 0 else d.at.size - 1
        for k in range(d.length[state]):
            index = totals[game] + d.low[state] + k - base
            out[game, min(max(index, 0), out.shape[1] - 1)] += d.cells[d.at[state] + k]


def results(tables: ChainTables, keys: Array, totals: Array) -> tuple[int, Array]:
    """The probabilities of final results: the lowest one, and float64[games, others, results].

    `keys` and `totals` are int64[games, others]; there is one more result at each end.
    """
    d = tables.coming
    states = np.where(keys < 0, len(d.at) - 1, keys)
    lowest = totals + d.low[states]
    base = int(lowest.min()) - 1
    width = int((lowest + d.length[states]).max()) + 1 - base
    out = np.zeros((*keys.shape, width))
    for other in range(keys.shape[1]):
        _lay_out(d, keys[:, other], totals[:, other], base, out[:, other])
    return base, out / out.sum(axis=-1, keepdims=True)


def rivals(tables: ChainTables, keys: Array, totals: Array) -> Rivals:
    """What the others may get, from where they stand: int64[games, others] each."""
    return _rivals(tables, *results(tables, keys, totals))


def _rivals(tables: ChainTables, base: int, chance: Array) -> Rivals:
    upto = np.cumsum(chance, axis=-1)
    worse = upto - chance if tables.maximise else 1.0 - upto
    worse = np.maximum(worse, 0.0)
    games, others, width = chance.shape
    # With x between 0 and 1, the product of (worse + x * chance) is a sum over the number of those
    # who tie; integrated, each tie of m + 1 players is shared.
    parts = np.zeros((others + 1, games, width))
    parts[0] = 1.0
    for other in range(others):
        tied = parts[:-1] * chance[:, other]
        parts *= worse[:, other]
        parts[1:] += tied
    wins = (parts / np.arange(1, others + 2)[:, None, None]).sum(axis=0)
    best = np.prod(worse + chance, axis=1) - np.prod(worse, axis=1)
    return Rivals(base, wins, best)


def rivals_of(tables: ChainTables, others: list[tuple[Array, Array, Array]]) -> Rivals:
    """What the others may get: of each the states where they may stand, totals, probabilities."""
    keys, totals = (np.concatenate([other[k] for other in others])[:, None] for k in range(2))
    base, _ = results(tables, keys, totals)
    wide, rows = 0, []
    for states, had, chance in others:
        first, row = results(tables, states[:, None], had[:, None])
        rows.append((first - base, (chance[:, None] * row[:, 0]).sum(axis=0)))
        wide = max(wide, first - base + row.shape[-1])
    out = np.zeros((1, len(others), wide))
    for number, (shift, row) in enumerate(rows):
        out[0, number, shift : shift + len(row)] = row / row.sum()
    return _rivals(tables, base, out)


@njit(**PURE)
def _take(rows: spread.RowTable, keys: Array, out: Curves, room: Array) -> bool:
    """Keep the rows of a layer; False where there is no room."""
    for k in range(keys.size):
        key = keys[k]
        at, length = rows.at[key], rows.length[key]
        row = rows.new[at : at + length]
        if not keep_row(out, room, key, rows.low[key], row, length, 0.0):
            return False
    return True


def find_distributions(
    chain: Chain, cells: int, workers: Workers, report: OnProgress | None = None
) -> tuple[Curves, float]:
    """The rows of probabilities by landing key, and how far a law and a value differed at most.

    There is room for so many cells; SolveError where it is not enough, or the game does not fall
    into layers of turns that are paid at their ends.
    """
    out = new_rows(chain.states + 1, cells)
    out.length[-1], out.cells[0] = 1, 1.0  # where play ends
    room = np.array([1, cells, -1])

    def keep(rows: spread.RowTable, keys: Array) -> None:
        if not workers.run(_take, rows, keys, out, room):
            raise SolveError(Status.TOO_MUCH_MEMORY, "the distributions of all states")

    worst = sweep(chain, workers, report, keep).worst
    return out._replace(cells=out.cells[: int(room[0])]), worst
