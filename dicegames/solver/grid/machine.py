"""The turn of a grid as operations on rows: the same as those of blocks, level by level.

A level is an inner point. What a turn brings at its ends is fetched; what is entered from a lower
level is remembered in a bank of its level. Beyond the last level the counter stays there: a row of
the last level may read rows of the same level, and is computed until nothing changes.
"""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
from attrs import evolve, frozen

from dicegames.solver.blocks.components import Component
from dicegames.solver.blocks.laid_out import make_work
from dicegames.solver.blocks.needs import drop_names
from dicegames.solver.blocks.program import Layout, Program, lay_out
from dicegames.solver.blocks.specialise import Work
from dicegames.solver.blocks.terms import FOLLOW, MAX, build_terms
from dicegames.solver.grid.kernels import GRID_LANES, Fetched, run_turns
from dicegames.solver.grid.turn_model import MergedTurn
from dicegames.solver.kernels.workers import Workers
from dicegames.solver.model import Array
from dicegames.solver.status import SolveError, Status


@frozen(eq=False)
class Machine:
    """A turn laid out, and the rows that are asked for."""

    turn: MergedTurn
    layout: Layout
    fetched: Fetched
    rises: Array  # int64
    rows: Array  # int64: positions of the rows that are told

    def run(
        self, levels: int, ends: Array, guards: Array, workers: Workers | None = None, *,
        every: bool = False, lanes: int = GRID_LANES, apart: int = 1,
    ) -> Array:  # fmt: skip
        """Evaluate turns: float64[vectors, levels told, rows, lanes], the rows that are asked for.

        `ends` (float64[vectors, ends, levels, components, GRID_LANES]) is what turns bring at their
        ends, `guards` (float64[vectors, guards, levels, GRID_LANES]) is 1 where a guard fails,
        else 0. Told is the first level, or with `every` all of them, for so many lanes. Levels
        that are evaluated lie `apart`, see `is_evaluated`. Raises SolveError if the last level
        does not settle.
        """
        out = np.empty((len(ends), levels if every else 1, self.rows.size, lanes))
        stop = np.zeros(1, np.uint8) if workers is None else workers.stop
        layout = self.layout
        if not run_turns(
            layout.program, layout.ring, self.work(), self.fetched, self.rises, levels, ends,
            guards, self.rows, out, np.zeros((2, layout.ring.bank)), stop, apart,
        ) and not stop[0]:  # fmt: skip
            raise SolveError(Status.NOT_CONVERGED, "the last level inside a turn")
        return out

    def work(self) -> Work:
        """Scratch memory of one thread."""
        guards = len(self.turn.guards)
        return make_work(self.layout, GRID_LANES, 0, guards, guards)


def machine(
    turn: MergedTurn, told: int, wanted: Iterable[tuple[int, int]], *, paid: int | None = None
) -> Machine:
    """Lay out a turn for values with so many components.

    `wanted` are the rows asked for: nodes of the inside and components, of which number `told` is
    that of the moves: the number of the edge that is taken, counted within its node. Only the first
    `paid` components have rewards, all of them unless told; with none there are no guards, either.
    """
    asked, paid = list(wanted), told if paid is None else paid
    inside, nothing = turn.inside, np.zeros(turn.inside.edges, np.int32)
    stored = np.isin(np.arange(inside.nodes), [n for n, component in asked if component < told])
    guard = inside.guard if paid else nothing
    components = [
        Component(
            rewards=turn.reward(component) if component < paid else nothing,
            follows=0,
            seen=(),
            ends=np.where(turn.end < 0, -1, turn.end * told + component),
        )
        for component in range(told)
    ]
    if any(component == told for _, component in asked):
        components.append(Component(nothing, 0, (), tells_moves=True))
    terms = build_terms(evolve(inside, stored=stored, guard=guard), turn.order, tuple(components))
    drop_names(terms)
    layout = lay_out(terms, range(len(turn.guards)))
    ends = np.array([fetch.fetch.end for fetch in layout.fetches if fetch.fetch], np.int64)
    home = layout.program.home[layout.program.kind.size :].astype(np.int64)
    rows = np.array([layout.row_of[key] for key in asked], np.int64)
    rises = np.array([turn.rises[effect] for effect in layout.shifts], np.int64)
    fetched = Fetched(ends // told, ends % told, home, _copied(layout.program))
    return Machine(turn, layout, fetched, rises, rows)


def _copied(program: Program) -> Array:
    """Return where in a bank a fetched row is kept as it is, and which: int64[copies, 2].

    That is the best of one move, or what follows it.
    """
    read = np.diff(program.first)
    one = ((program.kind == MAX) & (read == 1)) | ((program.kind == FOLLOW) & (read == 3))
    kept = np.flatnonzero(one & (program.ring >= 0))
    row = program.operand[program.first[kept + 1] - 1] - program.kind.size
    return np.column_stack([program.ring[kept], row])[row >= 0].astype(np.int64)
