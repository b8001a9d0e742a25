"""The block method: layers from the end of the game to its start, blocks of lanes in threads.

With the layers of `progress`, every table entry that a block reads lies in a later layer, which is
solved, or in its own layer, which then is cyclic and is iterated (`cycle`).  All blocks of a layer
are independent: thread t takes the blocks t, t + T, t + 2 T, ...
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise
from math import inf, prod
from time import perf_counter

import numpy as np
from attrs import evolve

from dicegames.ground.arguments import OnProgress
from dicegames.solver.blocks.by_layers import find_places
from dicegames.solver.blocks.components import Components, Question, values, values_and_answers
from dicegames.solver.blocks.cycle import settle_cycle, solve_cycle
from dicegames.solver.blocks.grouping import Grouping, Images, cut_blocks, row_ranks, sort_points
from dicegames.solver.blocks.laid_out import laid_out
from dicegames.solver.blocks.lookups import Blocks, fill_row_ends, largest_of
from dicegames.solver.blocks.plan import Plan, Run
from dicegames.solver.blocks.reads import FullTables
from dicegames.solver.blocks.rounding import rounding
from dicegames.solver.blocks.stuck import find_stuck
from dicegames.solver.explicit.subgame import Subgames
from dicegames.solver.graph.fold import fold
from dicegames.solver.graph.layered import inner_by_layer
from dicegames.solver.graph.must import find_musts
from dicegames.solver.graph.ordered import merge_by_seat
from dicegames.solver.graph.progress import Progress, find_progress
from dicegames.solver.graph.reach import outer_only, start_reach
from dicegames.solver.graph.reduce import Reduced, reduce
from dicegames.solver.graph.symmetry import symmetries
from dicegames.solver.graph.turn import plan_turn
from dicegames.solver.kernels.flat import strides
from dicegames.solver.kernels.workers import Workers
from dicegames.solver.model import Array, Model
from dicegames.solver.solved import Solved
from dicegames.solver.status import SolveError, Status

MAX_ENTRIES = 400_000_000
MAX_NUMBERED = 1e15
"""Entries that have a number each, though most have no place: more are refused."""
MASK_PIECE = 1 << 22


def make_plan(
    model: Model,
    workers: Workers,
    question: Question | None = None,
    reduced: Reduced | None = None,
    *,
    by_layers: bool = False,
    alone: bool = False,
    counted: float = inf,
    demand: Callable[[Model, Components, Progress], None] | None = None,
) -> Plan:
    """Plan a solve by blocks; SolveError where the method does not fit.

    What is asked for is the value; by seat, with what each could gain, if it is not one number.
    `reduced` is the model with less to do, where that is not what any value allows. `by_layers`:
    the values are to be kept layer by layer, in no full tables. `alone`: all lanes are for
    one point. `counted`: in larger tables, not to be solved, all points count as reachable.
    `demand` is asked before points are followed, and may raise SolveError.
    """
    question = question or (values if model.scalar else values_and_answers)
    _refuse(model, by_layers=by_layers)
    small, node_of = reduced or _smaller(model)
    components = question(small)
    turn = plan_turn(small)
    if small.unbounded:
        raise SolveError(Status.UNSUPPORTED, "an axis is unbounded")
    musts = find_musts(small, turn)
    progress = find_progress(small, turn, musts)
    if by_layers and progress.cyclic:
        raise SolveError(Status.UNSUPPORTED, "play may return inside a layer")
    if demand is not None:
        demand(small, components, progress)
    found = outer_only(small, turn, progress) if by_layers else (turn, progress)
    searching = start_reach(small, *found, workers, every=entries_of(small) > counted)
    layout = laid_out(small, turn, components, musts, alone=alone)
    alike = question is values and not (by_layers or turn.inner)
    renamings = symmetries(small) if alike else ()
    reach, places = workers.finish(searching), None
    if by_layers:
        layered = inner_by_layer(small, turn, progress, reach)
        ranks = row_ranks(small, turn, musts, layout, reach)
        places = find_places(small, turn, reach, layered, ranks)
    return Plan(
        model=small,
        turn=turn,
        musts=musts,
        layout=layout,
        places=places or FullTables(small),
        original=model,
        node_of=node_of,
        components=components,
        progress=progress,
        reach=reach,
        by_layers=places,
        renamings=renamings,
    )


def _smaller(model: Model) -> Reduced:
    """The model with less to do; where others follow choices, these are left as they are."""
    if model.scalar:
        reduced, node_of = reduce(model)
        return fold(reduced), node_of
    return merge_by_seat(model)[:2]


def _refuse(model: Model, *, by_layers: bool) -> None:
    """Full tables must fit: an explicit list may be smaller."""
    if not model.scalar and bool((model.chooser != 0).any()):
        raise SolveError(Status.UNSUPPORTED, "somebody else than the player to move chooses")
    entries = entries_of(model)
    if by_layers and (not model.scalar or model.settled is not None):
        raise SolveError(Status.UNSUPPORTED, "a position has several numbers")
    if entries > (MAX_NUMBERED if by_layers else MAX_ENTRIES):
        raise SolveError(Status.UNSUPPORTED, f"the tables would have {entries:.3g} entries")
    if model.unbounded:
        raise SolveError(Status.UNSUPPORTED, "a counter without limit")


def entries_of(model: Model) -> float:
    """Entries of the full tables of a model."""
    return float(np.count_nonzero(model.stored)) * prod(map(float, model.shape))


def make_run(plan: Plan, workers: Workers, *, lanes: int | None = None) -> Run:
    """Empty tables, blocks (of at most so many points), and memory for each thread."""
    model, numbers = plan.model, len(plan.components)
    size = numbers * int(np.count_nonzero(model.stored)) * model.points
    weights = np.zeros(size if plan.progress.cyclic and model.scalar else 1, np.float32)
    blocks = empty_blocks(plan, np.zeros(size), weights)
    _fill_settled(plan, blocks.values)
    parts = (plan.turn, plan.musts, plan.layout, plan.progress, plan.reach)
    sorted_points, images = sort_points(model, *parts), None
    if plan.renamings:
        sorted_points, images = Images.spare(
            model, plan.renamings, sorted_points, _entered(plan), cyclic=plan.progress.cyclic
        )
    grouping = cut_blocks(sorted_points, lanes or plan.lanes, workers.threads)
    points = grouping.points
    blocks = blocks._replace(first=grouping.block_first, points=points, places=points)
    return evolve(run_of(plan, grouping, blocks, workers.threads), images=images)


def empty_blocks(plan: Plan, values: Array, weights: Array) -> Blocks:
    """What blocks write to, before there are any."""
    model, layout, reach = plan.model, plan.layout, plan.reach
    stored = np.flatnonzero(model.stored)
    numbers = range(len(plan.components))
    met = [(n, c) for c in numbers for n in stored.tolist() if (n, c) in layout.row_of]
    places = np.searchsorted(stored, [n for n, _ in met]) + len(stored) * np.array(
        [c for _, c in met]
    )
    return Blocks(
        inner_step=plan.places.inner_step,
        major_axes=np.array(reach.major, np.int64),
        major_step=strides(reach.major_shape),
        closure=reach.closure,
        stored_row=np.array([layout.row_of[key] for key in met], np.int64),
        stored_table=places.astype(np.int64) * plan.places.size,
        values=values,
        weights=weights,
    )


def run_of(plan: Plan, grouping: Grouping, blocks: Blocks, threads: int) -> Run:
    """A run with memory for each thread."""
    works = [plan.work() for _ in range(threads)]
    entered = _entered(plan) if plan.progress.cyclic else np.zeros(0, np.bool_)
    return Run(plan, grouping, blocks, works, entered)


def _entered(plan: Plan) -> Array:
    """Which entries of all tables play can come to."""
    model, reach = plan.model, plan.reach
    size = model.points
    found = np.zeros((reach.entered.shape[0], size), np.bool_)
    for table, rows in zip(found, reach.entered, strict=True):
        view = table.reshape(model.shape).transpose([*reach.major, *reach.minor])
        view[...] = reach.bits(rows).reshape(view.shape)
    return found.ravel()


def _fill_settled(plan: Plan, values: Array) -> None:
    """Write the values that are known beforehand, also where play is not followed for them."""
    known, reach = plan.model.settled, plan.reach
    if known is None or reach.settled is None:
        return
    size = plan.model.axes[known.axis].size
    step = int(strides(plan.model.shape)[known.axis])
    first, last = known.first.ravel(), known.last.ravel()
    at = reach.begins()
    entries = plan.model.points
    for table in range(0, values.size, entries):
        fill_row_ends(values, at + table, step, size, first, last, known.below, known.above)


def run_layers(run: Run, workers: Workers, progress: OnProgress | None) -> tuple[float, int]:
    """Solve layer by layer: the error bound of the cycles, and their number."""
    grouping, error, cycles, near = run.grouping, 0.0, 0, 0.0
    blocks = len(grouping.block_first) - 1
    proven = run.plan.progress.cyclic and run.plan.model.scalar
    rounded, largest = rounding(run.plan) if proven else None, largest_of(run.blocks.values)
    for layer, (begin, end) in enumerate(pairwise(grouping.layer_first.tolist())):
        if rounded is not None:
            found, near, largest = solve_cycle(run, begin, end, workers, rounded, near, largest)
            error, cycles = error + found, cycles + 1
        elif run.plan.progress.cyclic:
            error, cycles = max(error, settle_cycle(run, begin, end, workers)), cycles + 1
        else:
            works = run.works[: end - begin]
            tasks = [(w, begin + t, end, len(works), workers.stop) for t, w in enumerate(works)]
            workers.run_all([(run.evaluate, task) for task in tasks])
        if run.images is not None:
            run.images.fill(layer, run.blocks)
        if progress is not None:
            progress(float(end), float(blocks))
    return error, cycles


def solve_blocks(plan: Plan, workers: Workers, progress: OnProgress | None = None) -> Solved:
    """Solve by blocks what is planned; SolveError where sweeps do not settle."""
    begun, model = perf_counter(), plan.original
    run = make_run(evolve(plan), workers)
    error, cycles = run_layers(run, workers, progress)
    layers = len(run.grouping.layer_first) - 1
    values, gains, counting = run.blocks.values, () if model.scalar else _gains(run), run.counting
    plan = evolve(run.plan)
    del run  # and what is looked up at points, which is large
    tables, reachable = _tables(plan, values)
    start = np.atleast_1d(tables[model.start][model.start_point])
    if not np.isfinite(start).all():
        raise SolveError(Status.ENDLESS, "the value is not finite")
    if model.scalar and not cycles:  # round cycles it is part of the gap
        largest = max(largest_of(table.ravel()) for table in tables.values())
        error += layers * rounding(plan).of(largest)
    return Solved(
        model=model,
        status=Status.SOLVED if model.scalar else Status.RESIDUAL,
        value=float(start[0]) if model.scalar else tuple(start.tolist()),
        error_bound=error,
        method="blocks",
        seconds=perf_counter() - begun,
        stuck=find_stuck(plan),
        states_stored=reachable,
        states_reachable=reachable,
        layers=layers,
        cycles=cycles,
        tables=tables,
        evaluator=Subgames(model, tables),
        gains=gains,
        counting=len(counting),
        residual=max(counting.values(), default=0.0),
    )


def _gains(run: Run) -> tuple[float, ...]:
    """What each seat could gain at the start by departing alone."""
    small, found = run.plan.model, []
    for seat in range(small.seats):
        value, answer = (
            float(run.blocks.values[run.position(small.start, small.start_point, seat + k)])
            for k in (0, small.seats)
        )
        found.append(max(0.0, answer - value if small.maximise else value - answer))
    return tuple(found)


def _tables(plan: Plan, values: Array) -> tuple[dict[int, Array], int]:
    """Tables of the original stored nodes, NaN where nothing is known; entries that come up."""
    model, reach = plan.model, plan.reach
    stored = np.flatnonzero(model.stored)
    seats = 1 if model.scalar else model.seats
    split = values.reshape(len(plan.components), len(stored), *model.shape)[:seats]
    axes = [1 + a for a in (*reach.major, *reach.minor)]
    known: list[Array] = []
    count = 0
    for place in range(len(stored)):
        view = split[:, place].transpose([0, *axes])
        view = view if reach.major and reach.minor else view[:, None]
        words = reach.entered[place].reshape(view.shape[1], -1, reach.entered.shape[2])
        step = max(
            1, MASK_PIECE * view.shape[1] // view.size
        )  # piece by piece: the masks are large
        for k in range(0, view.shape[1], step):
            own = view[:, k : k + step]
            met = reach.bits(words[k : k + step]).reshape(own.shape[1:])
            count += int(np.count_nonzero(met))
            if reach.settled is not None:
                settled = reach.settled.reshape(words.shape)[k : k + step]
                met |= reach.bits(settled).reshape(met.shape)
            np.copyto(own, np.nan, where=~met)
        known.append(split[0, place] if model.scalar else np.stack(list(split[:, place]), axis=-1))
    return {node: known[table] for node, table in plan.table_of.items()}, count
