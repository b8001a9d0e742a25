"""The greedy policy: which moves are taken where values are known.

It is asked for some outer points at a time, all inner points together; the moves are found by the
same operations as values are.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from attrs import frozen

from dicegames.solver.blocks.block import Fetches, Ring, run_blocks
from dicegames.solver.blocks.components import moves_chosen
from dicegames.solver.blocks.needs import settle_guards
from dicegames.solver.blocks.plan import WIDE
from dicegames.solver.blocks.points import UNIT, Blocks, Points
from dicegames.solver.blocks.program import LANES, Layout, lay_out
from dicegames.solver.blocks.reads import find_reads
from dicegames.solver.blocks.samples import Samples, make_samples
from dicegames.solver.blocks.specialise import Work
from dicegames.solver.blocks.terms import build_terms
from dicegames.solver.blocks.work import banks_of, make_work
from dicegames.solver.graph.must import Musts, find_musts
from dicegames.solver.graph.turn import Turn
from dicegames.solver.model import Array, Model

MOST_MOVES = 1 << 24
"""Moves that are kept at once by a thread."""


@frozen(eq=False)
class Greedy:
    """How the moves of a model are found; `slots` are its choices and branches, in order."""

    layout: Layout
    points: Points
    fetches: Fetches
    samples: Samples
    ring: Ring
    musts: Musts
    values: Array  # float64: what fetches read
    rows: Array  # int64[slots]: the rows with the numbers of the moves
    alike: bool  # whether points differ only by what is fetched at them
    worst: float

    @property
    def inner_points(self) -> int:
        """How many inner points there are."""
        return self.points.rank.size

    @property
    def together(self) -> int:
        """How many outer points are asked for at once: as many as there is room for."""
        each = max(1, self.rows.size * self.inner_points)
        wide = WIDE if self.alike else LANES
        return max(1, min(16, MOST_MOVES // (each * wide))) * wide


def make_greedy(
    model: Model, turn: Turn, values: Array, tables: Mapping[tuple[int, int], int], slots: Array
) -> Greedy:
    """Prepare a model; `slots` are its choices and branches in the order in which they are told.

    What seat s has at a stored node begins in `values` at `tables[node, s]`.
    """
    musts = find_musts(model, turn)
    terms = build_terms(model, turn, moves_chosen(model))
    need = settle_guards(terms, musts)
    banks = banks_of(turn)
    layout = lay_out(terms, model.guards, musts.lookups, need, banks)
    points, fetches = find_reads(model, turn, musts, layout)
    read = [operation.fetch for operation in layout.fetches]
    where = [-1 if f is None else tables.get((f.target, f.component), -1) for f in read]
    return Greedy(
        layout,
        points,
        fetches._replace(table=np.array(where, np.int64)),
        make_samples(model, layout, 0, 0),
        Ring(layout.ring_at, layout.bank, banks, layout.spare),
        musts,
        values,
        np.array([layout.row_of[node, 1] for node in slots.tolist()], np.int64),
        layout.settled and not turn.inner,
        -np.inf if model.maximise else np.inf,
    )


@frozen(eq=False)
class Chooser:
    """The moves at some outer points, and the scratch memory of the thread that finds them.

    `choice[((batch * inner points + inner) * slots + slot) * UNIT + lane]` is the number of the
    move, counted within its node, at the outer point `batch * UNIT + lane`: int16; -1: there is
    none.
    """

    greedy: Greedy
    work: Work
    choice: Array

    def choose(self, outer: Array, top: int, stop: Array) -> None:
        """Find the moves at outer points (positions in a table), up to an inner rank."""
        greedy, wide = self.greedy, WIDE if self.greedy.alike else LANES
        nothing = np.zeros(0, np.int64)
        blocks = Blocks(
            first=np.append(np.arange(0, outer.size, wide), outer.size),
            points=outer,
            major_axes=nothing,
            major_step=nothing,
            closure=_up_to(greedy, top),
            stored_row=greedy.rows,
            stored_table=nothing,
            values=greedy.values,
            near=np.zeros(1, np.uint8),
            choice=self.choice,
        )
        run_blocks(
            greedy.points, greedy.fetches, greedy.samples, greedy.layout.program, blocks,
            greedy.ring, self.work, 0, blocks.first.size - 1, 1, greedy.worst, 0.0, greedy.alike,
            True, stop,
        )  # fmt: skip


def _up_to(greedy: Greedy, top: int) -> Array:
    """The inner points up to a rank, as bits: uint64[1, words]."""
    points = greedy.inner_points
    wanted = np.zeros(-(-points // 64) * 64, np.uint8)
    wanted[greedy.points.ranked[: top + 1]] = 1
    return np.packbits(wanted, bitorder="little").view(np.uint64)[None, :]


def make_chooser(greedy: Greedy) -> Chooser:
    """The memory of one thread."""
    wide = WIDE if greedy.alike else LANES
    axes, looks = greedy.points.stride.size, greedy.points.even.size
    work = make_work(greedy.layout, wide, axes, looks, len(greedy.musts.lookups))
    batches = -(-greedy.together // UNIT)
    moves = batches * UNIT * greedy.inner_points * greedy.rows.size
    return Chooser(greedy, work, np.full(moves, -1, np.int16))
