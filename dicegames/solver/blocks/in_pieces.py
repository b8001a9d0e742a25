"""Solve by blocks with the values kept layer by layer, in the files of a folder.

A layer that is done is never computed again: whoever is interrupted goes on with the next one, and
comes to the same bits.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from time import perf_counter

import numpy as np
from attrs import frozen

from dicegames.solver.blocks.block import run_blocks
from dicegames.solver.blocks.blocks import empty_blocks, rounding, run_of, with_points
from dicegames.solver.blocks.by_layers import Layer
from dicegames.solver.blocks.grouping import SortedPoints, cut_blocks
from dicegames.solver.blocks.pieces import Pieces
from dicegames.solver.blocks.plan import Plan, Run
from dicegames.solver.blocks.points import largest_of
from dicegames.solver.blocks.stuck import find_stuck
from dicegames.solver.explicit.subgame import of_pieces
from dicegames.solver.graph.reach import pack
from dicegames.solver.kernels.workers import Workers
from dicegames.solver.model import Array
from dicegames.solver.solved import Solved
from dicegames.solver.status import SolveError, Status

Progress = Callable[[float, float], None]
TOGETHER = 1 << 22
"""Evaluations after which progress is told."""


@frozen(eq=False)
class TableInPieces:
    """The values of a stored node, read from the files when they are asked for."""

    pieces: Pieces
    table: int

    def __getitem__(self, point: tuple[int, ...]) -> float:
        """The value at a point, NaN where play does not come."""
        place, layer = self.pieces.places.place_of(point)
        return float("nan") if place < 0 else self.pieces.value_at(self.table, place, layer)

    def take(self, positions: Array) -> Array:
        """The values at positions in a full table."""
        points = np.unravel_index(positions, self.pieces.places.model.shape)
        return np.array([self[tuple(map(int, point))] for point in zip(*points, strict=True)])


def solve_in_pieces(
    plan: Plan,
    pieces: Pieces,
    workers: Workers,
    progress: Progress | None = None,
    *,
    vector: bool = True,
    value_only: bool = False,
) -> Solved:
    """Solve by layers what is planned; with `value_only` layers go that are no longer needed."""
    begun = perf_counter()
    layers = pieces.places.layers
    left = _left(pieces, value_only=value_only)
    if left:
        _Solving(plan, pieces, workers, progress, vector, value_only).solve(left)
    layers_needed = layers if not value_only else layers[-1:]
    for layer in layers_needed:
        pieces.show(layer)
    return solved_from(plan, pieces, perf_counter() - begun)


def _left(pieces: Pieces, *, value_only: bool) -> list[Layer]:
    """The layers that are still to be solved."""
    layers = pieces.places.layers
    if value_only:
        return list(layers[pieces.newest + 1 :])
    return [layer for layer in layers if not pieces.has(layer)]


@frozen(eq=False)
class _Solving:
    plan: Plan
    pieces: Pieces
    workers: Workers
    progress: Progress | None
    vector: bool
    value_only: bool

    def solve(self, left: list[Layer]) -> None:
        plan, pieces, layers = self.plan, self.pieces, self.pieces.places.layers
        nothing = cut_blocks(SortedPoints(*(np.zeros(1, np.int64),) * 3), 8, 1)
        blocks = empty_blocks(plan, pieces.space.values, np.zeros(1, np.uint8))
        run = run_of(plan, nothing, blocks, self.workers, vector=self.vector)
        total, done = float(sum(map(_work, left))), 0.0
        for layer in left:
            behind = layers[max(0, layer.number - pieces.places.furthest) : layer.number]
            for other in behind:
                pieces.show(other)
                pieces.check(other)
            pieces.demand_room(layer)
            for share in self._solve(run, layer):
                done += share * _work(layer)
                if self.progress is not None:
                    self.progress(done, total)
            largest = max(map(largest_of, pieces.values_of(layer)))
            before = pieces.largest(layers[layer.number - 1]) if layer.number else 0.0
            pieces.finish(layer, max(largest, before))
            first = layer.number + 1 - pieces.places.furthest
            for other in layers[max(0, first - 1) : max(0, first)]:
                if self.value_only:
                    pieces.drop(other)
                else:
                    pieces.forget(other)

    def _solve(self, run: Run, layer: Layer) -> Iterator[float]:
        """Solve a layer; gives which share of it has been done since the last time."""
        workers, places = self.workers, self.pieces.places
        position, place = places.points_of(layer)
        same = np.zeros(position.size, np.int8)
        grouping = cut_blocks(SortedPoints(position, same, same), self.plan.lanes, workers.threads)
        wanted = np.zeros((1, self.plan.turn.rank.size), np.bool_)
        wanted[0, layer.inner] = True
        nothing = np.zeros(0, np.int64)
        blocks = with_points(run.blocks, grouping, place)._replace(
            major_axes=nothing,
            major_step=nothing,
            closure=pack(wanted, -(-wanted.size // 64)),
        )
        parts = run.plan.points, run.plan.fetches, None, run.plan.layout.program, blocks, run.ring
        end = grouping.block_first.size - 1
        each = max(len(run.works), end * TOGETHER // max(1, position.size * layer.inner.size))
        for first in range(0, end, each):
            last = min(first + each, end)
            workers.run_all(
                [
                    (
                        run_blocks,
                        (*parts, work, first + t, last, len(run.works), run.worst, 0.0,
                         run.plan.alike, run.plain, workers.stop),
                    )
                    for t, work in enumerate(run.works)
                ]
            )  # fmt: skip
            yield (last - first) / end


def _work(layer: Layer) -> int:
    return layer.points * int(layer.inner.size)


def solved_from(plan: Plan, pieces: Pieces, seconds: float) -> Solved:
    """What the files of a folder say, all layers being there, or at least the last one."""
    model, small, places = plan.original, plan.model, pieces.places
    stored = np.flatnonzero(small.stored).tolist()
    own = {node: TableInPieces(pieces, place) for place, node in enumerate(stored)}
    where = plan.reduced.node_of
    originals = np.flatnonzero(model.stored).tolist()
    tables = {n: own[int(where[n])] for n in originals if int(where[n]) in own}
    value = tables[model.start][model.start_point]
    if not np.isfinite(value):
        raise SolveError(Status.ENDLESS, "the value is not finite")
    error = rounding(plan, len(places.layers), pieces.largest(places.layers[-1]))
    states = places.states * len(stored)
    return Solved(
        model=model,
        status=Status.SOLVED,
        value=value,
        lower=value - error,
        upper=value + error,
        error_bound=error,
        method="blocks, tables in pieces",
        seconds=seconds,
        stuck=find_stuck(plan),
        states_stored=states,
        states_reachable=states,
        layers=len(places.layers),
        tables={},
        evaluator=of_pieces(model, tables),
    )
