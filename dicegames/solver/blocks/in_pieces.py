"""Solve by blocks with the values kept layer by layer, in the files of a folder.

A layer that is done is never computed again: whoever is interrupted goes on with the next one, and
comes to the same bits.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from math import prod
from time import perf_counter
from typing import Self

import numpy as np
from attrs import frozen

from dicegames.ground.arguments import OnProgress
from dicegames.solver.blocks.blocks import empty_blocks, run_of
from dicegames.solver.blocks.by_layers import ByLayers, Layer
from dicegames.solver.blocks.grouping import SortedPoints, cut_blocks
from dicegames.solver.blocks.lookups import Blocks, largest_of
from dicegames.solver.blocks.pieces import Pieces
from dicegames.solver.blocks.plan import Plan, Run
from dicegames.solver.blocks.rounding import rounding
from dicegames.solver.blocks.specialise import Work
from dicegames.solver.blocks.stuck import find_stuck
from dicegames.solver.explicit.subgame import Subgames
from dicegames.solver.graph.must import bit_rows
from dicegames.solver.kernels.workers import Workers
from dicegames.solver.model import Array
from dicegames.solver.solved import Solved
from dicegames.solver.status import SolveError, Status

IN_PIECES = "blocks, tables in pieces"
"""The name of this method, for people."""
BETWEEN_REPORTS = 1 << 22
"""Evaluations after which progress is told."""
READ_AT_ONCE = 1 << 18
"""Values of a full table that are read in one go."""


@frozen(eq=False)
class TableInPieces:
    """The values of a stored node, read from the files when they are asked for."""

    pieces: Pieces
    table: int

    def __getitem__(self, point: tuple[int, ...]) -> float:
        """The value at a point, NaN where play does not come."""
        position = np.ravel_multi_index(point, self.pieces.places.shape)
        return float(self.take(np.array([position]))[0])

    def take(self, positions: Array) -> Array:
        """The values at positions in a full table."""
        return self.pieces.take(self.table, positions)

    def whole(self) -> Array:
        """All values, as a full table in memory."""
        shape = self.pieces.places.shape
        found = np.empty(prod(shape))
        for first in range(0, found.size, READ_AT_ONCE):
            part = found[first : first + READ_AT_ONCE]
            part[:] = self.take(np.arange(first, first + part.size))
        return found.reshape(shape)


@frozen(eq=False)
class Cut:
    """A layer, or some of its points, cut into blocks, and what evaluates them."""

    layer: Layer
    run: Run
    blocks: Blocks

    @classmethod
    def of(
        cls, run: Run, places: ByLayers, layer: Layer, threads: int, *,
        first: int = 0, last: int | None = None,
    ) -> Self:  # fmt: skip
        """Cut the points first..last of a layer for so many threads; values do not depend on it."""
        position, place = places.points_of(layer, first, layer.points if last is None else last)
        same = np.zeros(position.size, np.int8)
        grouping = cut_blocks(SortedPoints(position, same, same), run.plan.lanes, threads)
        wanted = np.zeros((1, places.inner_points), np.bool_)
        wanted[0, layer.inner] = True
        blocks = Blocks(
            values=run.blocks.values,
            closure=bit_rows(wanted),
            stored_row=run.blocks.stored_row,
            inner_step=run.blocks.inner_step,
            stored_table=run.blocks.stored_table,
            first=grouping.block_first,
            points=position,
            places=place,
        )
        return cls(layer, run, blocks)

    @property
    def count(self) -> int:
        """How many blocks there are."""
        return self.blocks.first.size - 1

    def spread(self, wanted: int) -> int:
        """How many blocks have so many evaluations of a turn, more or less."""
        return max(1, self.count * wanted // max(1, evaluations(self.layer)))

    @property
    def span(self) -> tuple[int, int]:
        """From where to where the values stand in a strip."""
        return int(self.blocks.places[0]), int(self.blocks.places[-1]) + 1

    def evaluate(self, work: Work, first: int, last: int, stride: int, stop: Array) -> None:
        """Evaluate every `stride`-th block from `first` to `last`."""
        self.run.evaluate(work, first, last, stride, stop, blocks=self.blocks)


def empty_run(plan: Plan, pieces: Pieces, threads: int) -> Run:
    """A run without blocks, with memory for so many threads."""
    nothing = cut_blocks(SortedPoints(*(np.zeros(1, np.int64),) * 3), 8, 1)
    blocks = empty_blocks(plan, pieces.space.values, np.zeros(1, np.uint8))
    return run_of(plan, nothing, blocks, threads)


Solver = Callable[[Layer], Iterator[float]]
"""Fills the files that have been made for a layer; gives the shares of it that are done."""


def solve_in_pieces(
    plan: Plan,
    pieces: Pieces,
    solver: Solver,
    progress: OnProgress | None = None,
    *,
    value_only: bool = False,
) -> Solved:
    """Solve by layers what is planned; with `value_only` layers go that are no longer needed."""
    begun, layers = perf_counter(), pieces.places.layers
    left = _left(pieces, value_only=value_only)
    total, done = float(sum(map(evaluations, left))), 0.0
    for layer in left:
        pieces.demand_room(layer)
        for share in solver(layer):
            done += share * evaluations(layer)
            if progress is not None:
                progress(done, total)
        pieces.show_unfinished(layer, write=False)
        largest = max(map(largest_of, pieces.values_of(layer)))
        before = pieces.largest(layers[layer.number - 1]) if layer.number else 0.0
        pieces.finish(layer, max(largest, before))
        first = layer.number + 1 - pieces.places.furthest
        for other in layers[max(0, first - 1) : max(0, first)]:
            if value_only:
                pieces.drop(other)
            else:
                pieces.forget(other)
    for layer in layers if not value_only else layers[-1:]:
        pieces.show(layer)
    return solved_from(plan, pieces, perf_counter() - begun)


def _left(pieces: Pieces, *, value_only: bool) -> list[Layer]:
    """The layers that are still to be solved."""
    layers = pieces.places.layers
    if value_only:
        return list(layers[pieces.newest + 1 :])
    return [layer for layer in layers if not pieces.has(layer)]


def by_threads(plan: Plan, places: ByLayers, pieces: Pieces, workers: Workers) -> Solver:
    """Solve layers by the threads of this process, which write to the files directly."""
    run = empty_run(plan, pieces, workers.threads)

    def solve(layer: Layer) -> Iterator[float]:
        for other in places.behind(layer):
            pieces.show(other)
            pieces.check(other)
        pieces.show_unfinished(layer, write=True)
        cut = Cut.of(run, places, layer, workers.threads)
        each = max(len(run.works), cut.spread(BETWEEN_REPORTS))
        for first in range(0, cut.count, each):
            last = min(first + each, cut.count)
            workers.run_all(
                [
                    (cut.evaluate, (work, first + t, last, len(run.works), workers.stop))
                    for t, work in enumerate(run.works)
                ]
            )
            yield (last - first) / cut.count

    return solve


def evaluations(layer: Layer) -> int:
    """How many times a turn is evaluated in a layer."""
    return layer.points * int(layer.inner.size)


def solved_from(plan: Plan, pieces: Pieces, seconds: float) -> Solved:
    """What the files of a folder say, all layers being there, or at least the last one."""
    model, places = plan.original, pieces.places
    tables = {node: TableInPieces(pieces, table) for node, table in plan.table_of.items()}
    value = tables[model.start][model.start_point]
    if not np.isfinite(value):
        raise SolveError(Status.ENDLESS, "the value is not finite")
    largest = pieces.largest(places.layers[-1])
    error = len(places.layers) * rounding(plan).of(largest)
    states = places.states * pieces.tables
    return Solved(
        model=model,
        status=Status.SOLVED,
        value=value,
        error_bound=error,
        method=IN_PIECES,
        seconds=seconds,
        stuck=find_stuck(plan),
        states_stored=states,
        states_reachable=states,
        layers=len(places.layers),
        tables={},
        evaluator=Subgames(model, tables, in_pieces=True),
    )
