"""A turn laid out: its operations, how its points are looked up, and scratch memory for threads."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property

import numpy as np
from attrs import frozen

from dicegames.solver.blocks.components import Components
from dicegames.solver.blocks.gather import Fetches
from dicegames.solver.blocks.lookups import Points
from dicegames.solver.blocks.needs import settle_guards
from dicegames.solver.blocks.program import LANES, Layout, lay_out
from dicegames.solver.blocks.reads import Looks, Places, fetches_of, points_of
from dicegames.solver.blocks.specialise import Work
from dicegames.solver.blocks.terms import build_terms
from dicegames.solver.graph.must import Musts
from dicegames.solver.graph.turn import Turn
from dicegames.solver.model import Array, Model

WIDE_BLOCK = 256


@frozen(eq=False, slots=False, kw_only=True)
class LaidOut:
    """A turn as operations, for values that stand at `places`.

    `tables` says where what a component has at a stored node begins there, -1 being nowhere; None:
    table after table, component after component.
    """

    model: Model
    turn: Turn
    musts: Musts
    layout: Layout
    places: Places
    tables: Mapping[tuple[int, int], int] | None = None

    @cached_property
    def _reads(self) -> tuple[Looks, Fetches]:
        looks = Looks(self.model, self.musts, self.places)
        return looks, fetches_of(looks, self.layout, self.tables)

    @cached_property
    def points(self) -> Points:
        """How points are looked up."""
        return points_of(self._reads[0], self.turn, self.layout)

    @property
    def pool_bytes(self) -> int:
        """Memory for what is looked up at points, known before it is made."""
        return self._reads[0].bytes

    @cached_property
    def fetches(self) -> Fetches:
        """The rows read from tables."""
        return self._reads[1]

    @property
    def alike(self) -> bool:
        """Whether points differ only by what is fetched at them."""
        return self.layout.settled and not self.turn.inner

    @property
    def lanes(self) -> int:
        """The most points of a block."""
        return WIDE_BLOCK if self.alike else LANES

    @property
    def worst(self) -> float:
        """What stands where nothing is known."""
        return -np.inf if self.model.maximise else np.inf

    def work(self) -> Work:
        """Scratch memory for a thread."""
        axes, looks = self.points.stride.size, self.points.even.size
        return make_work(self.layout, self.lanes, axes, looks, len(self.musts.lookups))


def laid_out(
    model: Model, turn: Turn, components: Components, musts: Musts, *, alone: bool = False
) -> Layout:
    """The operations of a turn; for `alone` see `lay_out`.

    A turn with given ends may be asked about wherever it can be played from, not only where play
    comes to: there nothing is taken for granted.
    """
    terms = build_terms(model, turn, components)
    need = settle_guards(terms, musts) if components[0].ends is None else None
    return lay_out(terms, musts.lookups, need, alone=alone)


def _aligned(size: int) -> Array:
    """Zeros from an address divisible by 64."""
    raw = np.zeros(size + 8)
    skip = (-raw.ctypes.data) % 64 // 8
    return raw[skip : skip + size]


def make_work(layout: Layout, lanes: int, axes: int, looks: int, bools: int) -> Work:
    """Scratch memory of one thread, for blocks of so many points.

    `looks` is the number of lookups, of which the first `bools` are those of guards.
    """
    program = layout.program
    read = np.zeros((looks, lanes), np.int64)
    return Work(
        rows=_aligned(layout.size),
        home=np.zeros(lanes, np.int64),
        coords=np.zeros((axes, lanes), np.int64),
        place=np.zeros(lanes, np.int64),
        known=np.zeros(looks, np.uint8),
        read=read,
        reward=read.view(np.float64),
        state=np.full(bools, -1, np.int64),
        fetched=np.zeros((len(layout.fetches), lanes)),
        new=np.zeros(lanes, np.uint8),
        lane=np.zeros(lanes, np.int64),
        column=np.zeros(lanes, np.int64),
        bases=np.zeros(1 + len(layout.shifts), np.int64),
        guard_state=np.zeros(program.guard_first.size - 1, np.uint8),
        needed=np.zeros(program.cond_first.size - 1, np.uint8),
        code=program.code.copy(),
        last=program.last.copy(),
        offset=program.offset.copy(),
        constant=program.constant.copy(),
        alive=np.ones(program.cond.size, np.uint8),
        owner=np.arange(program.cond.size, dtype=np.int32),
        runs=np.zeros(2 * program.kind.size + 2, np.int32),
        count=np.zeros(1, np.int64),
    )
