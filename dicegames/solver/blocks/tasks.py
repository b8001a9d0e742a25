"""Solving by layers as tasks for an executor, whose processes may run on other machines.

A task is some points of a layer. Whoever carries it out maps the plan from a file, or on another
machine makes the model and the plan by itself, once for each process; reads the later layers from
the files of the folder, which all of them see; evaluates them in memory of its own; and
writes the values to where they belong in the file of the layer. A task may be carried out twice, or
in part: what it writes is the same each time.
"""

from __future__ import annotations

import platform
import threading
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import FIRST_COMPLETED, Executor, Future, wait
from contextlib import contextmanager
from itertools import islice
from pathlib import Path
from typing import TypeVar

import numpy as np
from attrs import define, frozen

from dicegames.ground.errors import DicegamesError
from dicegames.solver.blocks.blocks import make_plan
from dicegames.solver.blocks.by_layers import ByLayers, Layer
from dicegames.solver.blocks.in_pieces import Cut, Solver, empty_run, evaluations
from dicegames.solver.blocks.pieces import Crew, Pieces, PiecesError, open_pieces
from dicegames.solver.blocks.plan import Plan, Run, mapped, shared
from dicegames.solver.kernels.workers import Workers
from dicegames.solver.model import Model

LARGEST_TASK = 1 << 20
"""Evaluations of a turn in a task: some seconds."""
SMALLEST_TASK = 1 << 17
"""Fewer take less time than to hand them over."""
EACH = 4
"""Tasks of a layer for each worker, where they are not larger or smaller than that."""
AHEAD = 4
"""Tasks that wait for each one that runs: so many thousands of them start at once."""

TASK_TRIES = 3
"""How often a task is carried out of which no answer comes."""

T = TypeVar("T")
R = TypeVar("R")
K = TypeVar("K")


def in_turn(
    executor: Executor, call: Callable[[T], R], tasks: Mapping[K, T], workers: int
) -> Iterator[tuple[K, R]]:
    """Yield what tasks come to, as they end; whoever stops asking calls off those that wait.

    When a worker dies its executor may lose an answer, with an error that says nothing of the task.
    So what fails is tried again, unless the program itself says why.
    """
    left = iter(tasks.items())
    running: dict[Future[R], K] = {}
    failed: Counter[K] = Counter()
    try:
        while True:
            for number, task in islice(left, AHEAD * workers - len(running)):
                running[executor.submit(call, task)] = number
            if not running:
                return
            for future in wait(running, return_when=FIRST_COMPLETED).done:
                number = running.pop(future)
                error = future.exception()
                lost = isinstance(error, Exception) and not isinstance(error, DicegamesError)
                failed[number] += lost
                if lost and failed[number] < TASK_TRIES:
                    running[executor.submit(call, tasks[number])] = number
                else:
                    yield number, future.result()
    finally:
        for future in running:
            future.cancel()


@frozen
class Task:
    """A part of the points of a layer: all that is needed to evaluate it, wherever that is done."""

    model: Callable[[], Model]
    folder: Path
    identity: str
    exactly: str  # the identity with all places, which both sides must find alike
    machine: str  # whose processes find the plan in the folder
    layer: int
    part: int  # from 0
    parts: int


@contextmanager
def by_crew(
    crew: Crew, plan: Plan, pieces: Pieces, identity: str, workers: Workers
) -> Iterator[Solver]:
    """Solve layers by tasks; `workers` has the deadline."""

    def solve(layer: Layer) -> Iterator[float]:
        for other in pieces.places.behind(layer):
            pieces.show(other)
            pieces.check(other)  # once for all
        parts = parts_of(evaluations(layer), crew.workers)
        about = crew.model, folder, identity, pieces.identity, machine
        tasks = {part: Task(*about, layer.number, part, parts) for part in range(parts)}
        for _ in in_turn(crew.executor, evaluate, tasks, crew.workers):
            workers.look()
            yield 1 / parts

    folder = pieces.folder.resolve()
    with shared(plan, folder) as machine:
        yield solve


def parts_of(size: int, workers: int) -> int:
    """In how many tasks a layer of so many evaluations is cut."""
    each = min(LARGEST_TASK, max(SMALLEST_TASK, size // (EACH * workers)))
    return max(1, size // each)


# ---- where they are carried out


@define(eq=False)
class _Opened:
    """The files of a folder as one thread sees them, and the layer that it is at."""

    run: Run
    places: ByLayers
    pieces: Pieces
    layer: Layer | None = None

    def turn_to(self, layer: Layer) -> None:
        """Make a layer ready, if it is not that already."""
        if self.layer is layer:
            return
        needed = self.places.behind(layer)
        before = () if self.layer is None else (*self.places.behind(self.layer), self.layer)
        self.layer = None
        for other in before:
            if other not in needed or other is before[-1]:
                self.pieces.forget(other)
        for other in needed:
            self.pieces.show(other)
        self.pieces.lend(layer)
        self.layer = layer


_planning = threading.Lock()
_plans: dict[str, Plan] = {}
_own = threading.local()


def evaluate(task: Task) -> None:
    """Evaluate a task, and write the values; raises PiecesError."""
    opened = _opened(task)
    layer = opened.places.layers[task.layer]
    opened.turn_to(layer)
    first, last = (layer.points * part // task.parts for part in (task.part, task.part + 1))
    if first < last:
        cut = Cut.of(opened.run, opened.places, layer, 1, first=first, last=last)
        cut.evaluate(opened.run.works[0], 0, cut.count, 1, np.zeros(1, np.uint8))
        opened.pieces.write(layer, *cut.span)


def _opened(task: Task) -> _Opened:
    known: dict[tuple[Path, str], _Opened] = _own.__dict__.setdefault("known", {})
    about = task.folder, task.exactly
    if about not in known:
        known.clear()
        plan = _plan(task)
        places = plan.by_layers
        assert places is not None
        pieces = open_pieces(task.folder, task.identity, places, int(plan.model.stored.sum()))
        if pieces.identity != task.exactly:
            raise PiecesError("a worker makes other places of the rules: is its version another?")
        known[about] = _Opened(empty_run(plan, pieces, 1), places, pieces)
    return known[about]


def _plan(task: Task) -> Plan:
    """Return the plan, mapped or made once for each process."""
    with _planning:
        if task.exactly not in _plans:
            _plans.clear()
            plan = mapped(task.folder) if task.machine == platform.node() else None
            if plan is None:
                with Workers(1) as workers:
                    plan = make_plan(task.model(), workers, by_layers=True)
            _plans[task.exactly] = plan
        return _plans[task.exactly]
