"""The greedy policy: which moves are taken where values are known.

It is asked for some outer points at a time, all inner points together; the moves are found by the
same operations as values are. What turns are worth at their ends is read from tables, or given for
each point that is asked for: then the same point may be asked for again and again.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from attrs import frozen

from dicegames.solver.blocks.block import NO_TRIAL, run_blocks
from dicegames.solver.blocks.components import Components
from dicegames.solver.blocks.laid_out import LaidOut, laid_out
from dicegames.solver.blocks.lookups import UNIT, Blocks
from dicegames.solver.blocks.reads import FullTables, Places
from dicegames.solver.blocks.specialise import Work
from dicegames.solver.graph.must import bit_rows, find_musts
from dicegames.solver.graph.turn import Turn
from dicegames.solver.model import Array, Model

MOST_MOVES_KEPT = 1 << 24
"""Moves and given values that are kept at once by a thread."""
NO_BEGINS, NOTHING_TOLD, NOTHING_GIVEN = (
    np.zeros(0, dtype) for dtype in (np.int64, np.int16, float)
)


@frozen(eq=False, slots=False, kw_only=True)
class Greedy(LaidOut):
    """How the moves of a model are found at its choices and branches."""

    values: Array  # float64: what fetches read
    rows: Array  # int64[slots]: the rows with the numbers of the moves
    ends: int  # how many values are given for each inner point

    @property
    def inner_points(self) -> int:
        """How many inner points there are."""
        return self.points.rank.size

    @property
    def together(self) -> int:
        """How many outer points are asked for at once: as many as there is room for."""
        each = max(1, (self.rows.size + self.ends) * self.inner_points)
        return max(1, min(16, MOST_MOVES_KEPT // (each * self.lanes))) * self.lanes

    def run(
        self, work: Work, outer: Array, top: int, stop: Array, *, choice: Array = NOTHING_TOLD,
        given: Array = NOTHING_GIVEN, begins: Array = NO_BEGINS,
    ) -> None:  # fmt: skip
        """Evaluate outer points (positions in a table), up to an inner rank.

        The moves are told, or the rows are written to `values`, each from where it begins.
        """
        blocks = Blocks(
            values=self.values,
            closure=bit_rows(self.points.rank <= top)[None, :],
            stored_row=self.rows,
            stored_table=begins,
            inner_step=self.places.inner_step,
            first=np.append(np.arange(0, outer.size, self.lanes), outer.size),
            points=outer,
            places=self.places.stand(outer),
            choice=choice,
            given=given,
            ends=self.ends,
        )
        run_blocks(
            self.points, self.fetches, None, self.layout.program, blocks,
            self.layout.ring, work, 0, blocks.first.size - 1, 1, self.worst, NO_TRIAL, self.alike,
            stop,
        )  # fmt: skip


def make_greedy(
    model: Model, turn: Turn, components: Components, slots: Array, values: Array = NOTHING_GIVEN,
    tables: Mapping[tuple[int, int], int] | None = None, places: Places | None = None,
) -> Greedy:  # fmt: skip
    """Prepare a model; told is the last of the components at the nodes `slots`, in their order.

    What a component has at a stored node begins in `values` at `tables[node, component]`; `places`
    says where points stand there, if not in full tables.
    """
    musts, ends = find_musts(model, turn), components[0].ends
    layout = laid_out(model, turn, components, musts)
    return Greedy(
        model=model,
        turn=turn,
        musts=musts,
        layout=layout,
        places=places or FullTables(model),
        tables=tables or {},
        values=values,
        rows=np.array([layout.row_of[n, len(components) - 1] for n in slots.tolist()], np.int64),
        ends=0 if ends is None else int(ends.max(initial=-1)) + 1,
    )


@frozen(eq=False)
class Chooser:
    """The moves at some outer points, and the scratch memory of the thread that finds them.

    `choice[((batch * inner points + inner) * slots + slot) * UNIT + lane]` is the number of the
    move, counted within its node, at the outer point `batch * UNIT + lane`: int16; -1: there is
    none. `given[((batch * inner points + inner) * ends + end) * UNIT + lane]` is what the turn is
    worth where it ends so: float64.
    """

    greedy: Greedy
    work: Work
    choice: Array
    given: Array

    def choose(self, outer: Array, top: int, stop: Array) -> None:
        """Find the moves at outer points (positions in a table), up to an inner rank."""
        self.greedy.run(self.work, outer, top, stop, choice=self.choice, given=self.given)


def make_chooser(greedy: Greedy, points: int | None = None) -> Chooser:
    """The memory of one thread, for so many outer points at a time."""
    each = -(-(points or greedy.together) // UNIT) * UNIT * greedy.inner_points
    moves = np.full(each * greedy.rows.size, -1, np.int16)
    return Chooser(greedy, greedy.work(), moves, np.zeros(each * greedy.ends))
