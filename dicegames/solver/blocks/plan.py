"""What a solve by blocks is made of: the plan, known before any value, and the run."""

from __future__ import annotations

from attrs import frozen

from dicegames.solver.blocks.block import Fetches, Ring
from dicegames.solver.blocks.grouping import Grouping, SortedPoints
from dicegames.solver.blocks.points import Blocks, Points
from dicegames.solver.blocks.program import LANES, Layout
from dicegames.solver.blocks.specialise import Work
from dicegames.solver.graph.must import Musts
from dicegames.solver.graph.progress import Progress
from dicegames.solver.graph.reach import Reach
from dicegames.solver.graph.reduce import Reduced
from dicegames.solver.graph.turn import Turn
from dicegames.solver.model import Array, Model

WIDE = 256


@frozen(eq=False)
class Plan:
    """Everything that is known of a model before its values."""

    original: Model
    reduced: Reduced
    turn: Turn
    musts: Musts
    progress: Progress
    reach: Reach
    layout: Layout
    points: Points
    fetches: Fetches
    sorted_points: SortedPoints

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
    vector: bool
    entered: Array  # bool: entries of all tables that play can come to; empty if nothing is cyclic

    def arguments(self, work: Work) -> tuple[object, ...]:
        """The first arguments of the kernels."""
        plan = self.plan
        return (plan.points, plan.fetches, plan.layout.program, self.blocks, self.ring, work)
