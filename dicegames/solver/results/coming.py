"""The distribution of what is still to come under best play, from every state between turns."""

from __future__ import annotations

import numpy as np

from dicegames.ground.arguments import OnProgress
from dicegames.solver.chain import spread
from dicegames.solver.chain.chain import Chain
from dicegames.solver.chain.layer_sweep import sweep
from dicegames.solver.chain.units import Units
from dicegames.solver.kernels.evaluate import PURE
from dicegames.solver.kernels.kernel import njit
from dicegames.solver.kernels.workers import Workers
from dicegames.solver.model import Array
from dicegames.solver.results.curves import Curves, keep_row, new_rows
from dicegames.solver.status import SolveError, Status


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
    chain: Chain, units: Units, cells: int, workers: Workers, report: OnProgress | None = None
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

    worst = sweep(chain, units, workers, report, keep).worst
    return out._replace(cells=out.cells[: int(room[0])]), worst
