"""What a solve by blocks is made of: the plan, known before any value, and the run."""

from __future__ import annotations

import numpy as np
from attrs import evolve, field, frozen

from dicegames.solver.blocks.block import NO_TRIAL, run_blocks
from dicegames.solver.blocks.by_layers import ByLayers
from dicegames.solver.blocks.components import Components
from dicegames.solver.blocks.grouping import Grouping
from dicegames.solver.blocks.laid_out import LaidOut
from dicegames.solver.blocks.lookups import Blocks
from dicegames.solver.blocks.samples import Samples
from dicegames.solver.blocks.specialise import Work
from dicegames.solver.graph.progress import Changes, Progress
from dicegames.solver.graph.reach import Reach
from dicegames.solver.model import Array, Model


@frozen(eq=False, slots=False, kw_only=True)
class Plan(LaidOut):
    """Everything that is known of a model before its values.

    `model` is the reduced one. `by_layers` are the places of values that are kept by layers, the
    rows of `reach` then being those of the outer points alone; None: they stand in full tables.
    """

    original: Model
    node_of: Array  # int64: from nodes of the original to those of the model
    components: Components
    progress: Progress
    reach: Reach
    samples: Samples | None = None  # None where all chance is exact
    by_layers: ByLayers | None = None

    def to_share(self) -> Plan:
        """All that evaluating blocks by layers takes, without the tables of the model."""
        assert self.by_layers is not None
        model = evolve(self.model, lookups=())
        places = evolve(self.by_layers, model=model)
        progress = evolve(self.progress, changes=Changes(model))
        whole = evolve(self)  # so that points, which are large, are not kept here
        plan = evolve(
            self, model=model, original=model, places=places, by_layers=places, progress=progress
        )
        plan.__dict__.update(points=whole.points, fetches=whole.fetches)  # as if made already
        return plan

    @property
    def table_of(self) -> dict[int, int]:
        """The number of the table of each stored node of the original model."""
        own = {node: table for table, node in enumerate(np.flatnonzero(self.model.stored).tolist())}
        stored = np.flatnonzero(self.original.stored).tolist()
        where = zip(stored, self.node_of[stored].tolist(), strict=True)
        return {node: own[to] for node, to in where if to in own}


@frozen(eq=False)
class Run:
    """A plan with its tables and the threads' memory."""

    plan: Plan
    grouping: Grouping
    blocks: Blocks
    works: list[Work]
    entered: Array  # bool: entries of all tables that play can come to; empty if nothing is cyclic
    counting: dict[int, float] = field(factory=dict)
    """Entries where play counts rounds (see `cycle`), and by how much their values differ."""

    def position(self, node: int, point: tuple[int, ...], component: int = 0) -> int:
        """Where a component of the value of a stored state is kept in `blocks.values`."""
        model = self.plan.model
        stored = np.flatnonzero(model.stored)
        place = component * len(stored) + int(np.searchsorted(stored, node))
        return place * model.points + model.position(point)

    def arguments(self, work: Work, blocks: Blocks | None = None) -> tuple[object, ...]:
        """The first arguments of the kernels; `blocks` may be others than those of the run."""
        plan = self.plan
        parts = (plan.points, plan.fetches, plan.samples, plan.layout.program)
        return (*parts, self.blocks if blocks is None else blocks, plan.layout.ring, work)

    def evaluate(
        self, work: Work, begin: int, end: int, stride: int, stop: Array, *,
        blocks: Blocks | None = None,
    ) -> None:  # fmt: skip
        """Evaluate every `stride`-th block from `begin` to `end`; see `run_blocks`."""
        plan = self.plan
        run_blocks(
            *self.arguments(work, blocks), begin, end, stride, plan.worst, NO_TRIAL, plan.alike,
            stop,
        )  # fmt: skip
