"""What a solve by blocks is made of: the plan, known before any value, and the run.

A plan may be kept in a file, which other processes of this machine map instead of planning anew. It
has its length in bytes of a list, the list, and arrays of bytes, each at a multiple of `ALIGNMENT`.
The list says how long they are, with a pickle of all that is no array.
"""

from __future__ import annotations

import mmap
import pickle
import platform
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import numpy as np
from attrs import evolve, field, frozen

from dicegames.solver.blocks.block import NO_TRIAL, run_blocks
from dicegames.solver.blocks.by_layers import ByLayers
from dicegames.solver.blocks.components import Components
from dicegames.solver.blocks.grouping import Grouping, Images
from dicegames.solver.blocks.laid_out import LaidOut
from dicegames.solver.blocks.lookups import Blocks
from dicegames.solver.blocks.samples import Samples
from dicegames.solver.blocks.specialise import Work
from dicegames.solver.graph.progress import Changes, Progress
from dicegames.solver.graph.reach import Reach
from dicegames.solver.graph.symmetry import Renaming
from dicegames.solver.model import Array, Model

PLAN_FILE = "plan.part"
ALIGNMENT = 64
PLAN_HEAD = 8


@frozen(eq=False, slots=False, kw_only=True)
class Plan(LaidOut):
    """Everything that is known of a model before its values.

    `model` is the reduced one. `by_layers` are the places of values that are kept by layers, the
    rows of `reach` then being those of the outer points alone; None: they stand in full tables.
    Points to which `renamings` lead have the same values.
    """

    original: Model
    node_of: Array  # int64: from nodes of the original to those of the model
    components: Components
    progress: Progress
    reach: Reach
    samples: Samples | None = None  # None where all chance is exact
    by_layers: ByLayers | None = None
    renamings: tuple[Renaming, ...] = ()  # of the axes, that change no value

    def to_share(self) -> Plan:
        """All that evaluating blocks by layers takes, without the tables of the model."""
        model = evolve(self.model, lookups=())
        progress = evolve(self.progress, changes=Changes(model))
        whole = evolve(self)  # so that points, which are large, are not kept here
        plan = evolve(self, model=model, original=model, progress=progress)
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
    images: Images | None = None
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


# ---- a plan in a file


@contextmanager
def shared(plan: Plan, folder: Path) -> Iterator[str]:
    """Keep a plan in a folder; the machine whose processes may read it, "" where there is none."""
    path = folder / PLAN_FILE
    try:
        try:
            _write(plan, path)
            machine = platform.node()
        except OSError:  # no room: then all plan by themselves
            machine = ""
            path.unlink(missing_ok=True)
        yield machine
    finally:
        with suppress(OSError):
            path.unlink(missing_ok=True)


def _write(plan: Plan, path: Path) -> None:
    found: list[pickle.PickleBuffer] = []
    data = pickle.dumps(plan.to_share(), protocol=5, buffer_callback=found.append)
    parts = [buffer.raw() for buffer in found]
    about = pickle.dumps(([part.nbytes for part in parts], data))
    with path.open("wb") as file:
        file.write(len(about).to_bytes(PLAN_HEAD, "little") + about)
        for part in parts:
            file.write(bytes(-file.tell() % ALIGNMENT))
            file.write(part)


def mapped(folder: Path) -> Plan | None:
    """Return the plan that is kept in a folder, None if there is none any more.

    Its arrays may be written to, which changes nothing in the file.
    """
    try:
        with (folder / PLAN_FILE).open("rb") as file:
            data = memoryview(mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_COPY))
    except OSError:
        return None
    at = PLAN_HEAD + int.from_bytes(data[:PLAN_HEAD], "little")
    sizes, others = pickle.loads(data[PLAN_HEAD:at])  # noqa: S301 - the process that asks has written it
    parts = []
    for size in sizes:
        at += -at % ALIGNMENT
        parts.append(data[at : at + size])
        at += size
    plan = pickle.loads(others, buffers=parts)  # noqa: S301 - as above
    assert isinstance(plan, Plan)
    return plan
