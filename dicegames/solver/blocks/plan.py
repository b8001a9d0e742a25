"""What a solve by blocks is made of: the plan, known before any value, and the run."""

from __future__ import annotations

from functools import cached_property

import numpy as np
from attrs import field, frozen

from dicegames.solver.blocks.block import Fetches, Ring
from dicegames.solver.blocks.by_layers import ByLayers
from dicegames.solver.blocks.components import Components
from dicegames.solver.blocks.grouping import Grouping
from dicegames.solver.blocks.points import Blocks, Points
from dicegames.solver.blocks.program import LANES, Layout
from dicegames.solver.blocks.reads import Looks, find_reads, points_of
from dicegames.solver.blocks.samples import Samples
from dicegames.solver.blocks.specialise import Work
from dicegames.solver.graph.must import Musts
from dicegames.solver.graph.progress import Progress
from dicegames.solver.graph.reach import Reach
from dicegames.solver.graph.reduce import Reduced
from dicegames.solver.graph.turn import Turn
from dicegames.solver.model import Array, Model

WIDE = 256


@frozen(eq=False, slots=False)
class Plan:
    """Everything that is known of a model before its values.

    `places` is where values stand that are kept by layers, the rows of `reach` then being those of
    the outer points alone; None: in full tables.
    """

    original: Model
    reduced: Reduced
    components: Components
    turn: Turn
    musts: Musts
    progress: Progress
    reach: Reach
    layout: Layout
    samples: Samples | None  # None where all chance is exact
    places: ByLayers | None = None

    @cached_property
    def _reads(self) -> tuple[Looks, Fetches]:
        return find_reads(self.model, self.musts, self.layout, self.places)

    @cached_property
    def points(self) -> Points:
        """How points are looked up."""
        return points_of(self._reads[0], self.turn, self.layout)

    @property
    def pool_bytes(self) -> int:
        """Memory for what is looked up at points, known before it is made."""
        return self._reads[0].bytes

    @property
    def fetches(self) -> Fetches:
        """The rows read from tables."""
        return self._reads[1]

    @property
    def model(self) -> Model:
        """The reduced model."""
        return self.reduced.model

    @property
    def alike(self) -> bool:
        """Whether points differ only by what is fetched at them."""
        return self.layout.settled and not self.turn.inner

    @property
    def lanes(self) -> int:
        """The most points of a block."""
        return WIDE if self.alike else LANES


@frozen(eq=False)
class Run:
    """A plan with its tables and the threads' memory."""

    plan: Plan
    grouping: Grouping
    blocks: Blocks
    ring: Ring
    works: list[Work]
    worst: float
    plain: bool | None  # None: by vectors of lanes; see `run_blocks`
    entered: Array  # bool: entries of all tables that play can come to; empty if nothing is cyclic
    counting: dict[int, float] = field(factory=dict)
    """Entries where play counts rounds (see `cycle`), and by how much their values differ."""

    def position(self, node: int, point: tuple[int, ...], component: int = 0) -> int:
        """Where a component of the value of a stored state is kept in `blocks.values`."""
        model = self.plan.model
        stored = np.flatnonzero(model.stored)
        place = component * len(stored) + int(np.searchsorted(stored, node))
        entries = model.points
        inside = int(np.ravel_multi_index(point, model.shape)) if point else 0
        return place * entries + inside

    def arguments(self, work: Work) -> tuple[object, ...]:
        """The first arguments of the kernels."""
        plan = self.plan
        parts = (plan.points, plan.fetches, plan.samples, plan.layout.program)
        return (*parts, self.blocks, self.ring, work)
