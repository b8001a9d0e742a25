"""The block method: turns at many points at once, layer by layer."""

from __future__ import annotations

from contextlib import ExitStack
from functools import partial
from time import perf_counter
from typing import ClassVar, Self

import numpy as np
from attrs import define, evolve

from dicegames.solver.blocks.block import run_blocks
from dicegames.solver.blocks.blocks import MAX_ENTRIES, entries_of, make_plan, solve_blocks
from dicegames.solver.blocks.by_layers import ByLayers
from dicegames.solver.blocks.components import Components, numbers_kept
from dicegames.solver.blocks.gather import gather
from dicegames.solver.blocks.in_pieces import by_threads, solve_in_pieces
from dicegames.solver.blocks.pieces import locked, open_pieces
from dicegames.solver.blocks.plan import Plan
from dicegames.solver.blocks.specialise import run_rows
from dicegames.solver.blocks.tasks import by_crew
from dicegames.solver.explicit.backup import solve_alone
from dicegames.solver.explicit.explicit import BYTES_PER_STATE
from dicegames.solver.explicit.subgame import Subgames
from dicegames.solver.graph.expand import expand, tarjan, write_rewards
from dicegames.solver.graph.must import flow
from dicegames.solver.graph.progress import Form, Progress, comes_round
from dicegames.solver.graph.reach import Reach
from dicegames.solver.graph.reach_kernels import search
from dicegames.solver.graph.states import most_listed
from dicegames.solver.graph.symmetry import first_images
from dicegames.solver.kernels.precompile import compile_ahead
from dicegames.solver.methods.by_states import (
    SWEEPS_OF_STATES,
    ByStates,
    seconds_listed,
    transitions_of,
)
from dicegames.solver.methods.method import (
    OPERATION_SECONDS,
    Asked,
    Cost,
    Pack,
    Packed,
    Unfit,
    Unpack,
    demand_names,
)
from dicegames.solver.model import Array, Model
from dicegames.solver.solved import Solve, Solved
from dicegames.solver.status import SolveError, Status

TABLE_PREFIX = "table "
ON_DISK_SECONDS = 8e-11
"""Of an operation, where guards save most of them. Fitted to a card of twenty boxes, which took
5.6e-11 with saved throws and 1.2e-10 without: within a factor of 1.5 of both."""
SWEEPS_OF_CYCLE = 20
"""How often a cycle of few points is looked at, more or less; others are as listed states."""
FEW_FOR_EQUATIONS = 2_000
"""So few values are found by equations where sweeps take too long, all states being listed."""
LOOSE = {True: 1e-11, False: 1e-12}
"""A large error of one number, or a large residual, in parts of the largest value."""
LANE_BYTES = 256
ENTRY_BYTES = 8
CYCLE = " or round a cycle; where that does not settle, states are listed"
POINTS_EXAMINED = 1 << 20
"""Points that are looked at together."""
POINT_BYTES = 32  # of an outer point of a layer that is solved
BYTES_PER_ENTRY = 9  # its value, and the marks of reachable points
WEIGHT_BYTES = 4  # of an entry, where cycles have bounds
LEFT_TO_STATES = (Status.UNSUPPORTED, Status.NOT_CONVERGED, Status.ENDLESS)
"""Where sweeps find this, the explicit method goes on: it also says where play never ends."""


@define(eq=False)
class ByBlocks:
    """Models whose turns lead on to later layers, or round in cycles of few points."""

    form: ClassVar[str] = "blocks"
    mark: ClassVar[str] = ""
    values: ClassVar[type] = Subgames
    model: Model
    plans: list[Plan]  # none when it has been solved: the largest of its arrays are let go
    began: float

    @classmethod
    def fit(cls, model: Model, asked: Asked, why: str) -> Self:
        """Plan a solve; SolveError where the model does not fall into turns."""
        if not model.axes:
            listed = model.stored.sum() > 1
            why = "every position is a node" if listed else "nothing outlives a turn"
            raise SolveError(Status.UNSUPPORTED, why)
        began = perf_counter()
        if compile_ahead(run_blocks):
            compile_ahead(gather, run_rows)  # parts of it
            compile_ahead(flow, search)
        compile_ahead(expand, write_rewards, tarjan)  # for what tables do not hold
        compile_ahead(solve_alone)
        by_layers = asked.in_folder or entries_of(model) > MAX_ENTRIES
        demand = partial(_demand_few_sweeps, model, asked.memory) if asked.goes_on else None
        plan = make_plan(
            model, asked.workers, by_layers=by_layers, counted=asked.counted, demand=demand
        )
        return cls(model, [plan], began)

    def cost(self, asked: Asked) -> Cost:
        """What solving will take: operations are counted as if no guard ever saved one."""
        (plan,), model, threads = self.plans, self.model, asked.workers.threads
        small, cyclic, places = plan.model, plan.progress.cyclic, plan.by_layers
        cost = Cost(
            form=self.form,
            why="every turn leads on to a later layer" + (CYCLE if cyclic else ""),
            nodes=model.nodes,
            edges=model.edges,
            reduced_nodes=small.nodes,
            table_states=int(entries_of(small)),
            progress=", then ".join(_rising(small, form) for form in plan.progress.forms),
            cyclic=cyclic,
            memory=0,
            seconds=0.0,
        )
        if places is not None:
            return self._cost_in_pieces(cost, plan, places, asked)
        sizes = _layer_sizes(plan.reach)
        each, lanes = _seconds(small, plan.components, plan.progress), small.nodes + small.edges
        if not comes_round(small, plan.progress):  # else all of a layer may be one closed set
            each /= threads
        images = _images(plan)
        planned = perf_counter() - self.began  # a solve takes that as well
        return evolve(
            cost,
            reachable=_counted(plan, int(np.bitwise_count(plan.reach.entered).sum()), asked),
            layers=len(sizes),
            memory=_tables(model, plan) + _bytes(plan) + lanes * LANE_BYTES * threads,
            seconds=planned + (sum(sizes) - images) * each,
            layer_sizes=sizes,
            images=images,
        )

    def _cost_in_pieces(self, cost: Cost, plan: Plan, places: ByLayers, asked: Asked) -> Cost:
        """What it takes where tables are too large for memory, or are to be kept in a folder."""
        small, tables = plan.model, int(plan.model.stored.sum())
        sizes = tuple(layer.points * layer.inner.size for layer in reversed(places.layers))
        widest = max((layer.end - layer.begin) * layer.inner.size for layer in places.layers)
        at_once = widest * (1 + places.furthest) * tables * ENTRY_BYTES
        rises = {axis for form in plan.progress.forms for axis in form.axes}
        leads_on = np.unique(small.effect[small.stored[small.target]]).tolist()
        ways = {tuple(p for p in small.effects[n].assign if p[0] in rises) for n in leads_on}
        return evolve(
            cost,
            reachable=_counted(plan, places.states * tables, asked),
            layers=len(sizes),
            memory=at_once + POINT_BYTES * max(layer.points for layer in places.layers),
            seconds=small.edges * sum(sizes) * ON_DISK_SECONDS / asked.workers.threads,
            impossible="" if asked.in_folder else _to_disk(plan, places),
            disk=_on_disk(plan, places),
            ways=len(ways),
            layer_sizes=sizes,
        )

    def solve(self, asked: Asked) -> Solved:
        """Solve; what does not settle, the explicit method solves."""
        plan = self.plans[0]
        if plan.by_layers is not None:
            return self._solve_in_pieces(plan, plan.by_layers, asked)
        needed = _bytes(self.plans[0])
        if asked.memory is not None and needed > asked.memory:
            raise SolveError(Status.TOO_MUCH_MEMORY, f"{needed:.3g} bytes")
        try:
            solved = solve_blocks(self.plans.pop(), asked.workers, asked.progress)
            if asked.goes_on and _stays_long(solved):
                solved = self._listed_if_better(solved, asked)
            return evolve(solved, seconds=perf_counter() - self.began)
        except SolveError as unsettled:
            if not asked.goes_on or unsettled.status not in LEFT_TO_STATES:
                raise
            try:
                return ByStates(self.model, str(unsettled)).solve(asked)
            except SolveError as error:
                if error.status is Status.TOO_MANY_STATES:
                    raise unsettled from None
                raise

    def _listed_if_better(self, solved: Solved, asked: Asked) -> Solved:
        try:
            listed = ByStates(self.model, "play stays long").solve(asked)
        except SolveError as error:
            if error.status is Status.TOO_LONG:
                raise
            return solved
        better = listed.status is solved.status and listed.error_bound < solved.error_bound
        return listed if better else solved

    def _solve_in_pieces(self, plan: Plan, places: ByLayers, asked: Asked) -> Solved:
        keeping = asked.keeping
        if keeping is None:
            raise SolveError(Status.TOO_MUCH_MEMORY, _to_disk(plan, places))
        tables = int(plan.model.stored.sum())
        keeping.make()
        with locked(keeping.folder), ExitStack() as stack:
            pieces = open_pieces(keeping.folder, keeping.identity, places, tables)
            if keeping.crew is None:
                solver = by_threads(plan, places, pieces, asked.workers)
            else:
                crew = by_crew(keeping.crew, plan, pieces, keeping.identity, asked.workers)
                solver = stack.enter_context(crew)
            solved = solve_in_pieces(
                plan, pieces, solver, asked.progress, value_only=keeping.value_only
            )
            solved = evolve(solved, seconds=perf_counter() - self.began)
            if not keeping.value_only:
                keeping.note(places, solved, plan.table_of)
        return solved

    @classmethod
    def pack(cls, solved: Solved, inside: Pack) -> dict[str, Array]:
        """Return the tables of the stored nodes."""
        if not isinstance(solved.evaluator, Subgames) or solved.evaluator.in_pieces:
            raise Unfit("its values are kept in a folder already: name that instead of a file")
        return {f"{TABLE_PREFIX}{node}": table for node, table in solved.tables.items()}

    @classmethod
    def unpack(cls, bare: Solved, arrays: Packed, inside: Unpack, solve: Solve) -> Solved:
        """Take the tables of all stored nodes; NaN stands where play does not come."""
        model = bare.model
        shape = model.shape if model.scalar else (*model.shape, model.seats)
        stored = {node: f"{TABLE_PREFIX}{node}" for node in np.flatnonzero(model.stored).tolist()}
        demand_names(arrays, *stored.values())
        tables = {node: arrays.take(name, "f", *shape) for node, name in stored.items()}
        if any(np.isinf(table).any() for table in tables.values()):
            raise Unfit("a value is not finite")
        values = Subgames(model, tables)
        return evolve(bare, method=cls.form, tables=tables, evaluator=values)


def _seconds(model: Model, components: Components, progress: Progress) -> float:
    """What a point takes one thread, in all sweeps, as if no guard ever saved an operation."""
    sweeps = 1
    if progress.cyclic:
        sweeps = SWEEPS_OF_STATES if comes_round(model, progress) else SWEEPS_OF_CYCLE
    return sweeps * model.edges * len(components) * OPERATION_SECONDS


def _stays_long(solved: Solved) -> bool:
    """Whether the error of few values is large, since play stays long in a cycle."""
    numbers = 1 if solved.model.scalar else solved.model.seats
    if not solved.cycles or solved.states_stored * numbers > FEW_FOR_EQUATIONS:
        return False
    known = (np.abs(table[np.isfinite(table)]) for table in solved.tables.values())
    largest = max((float(table.max(initial=1.0)) for table in known), default=1.0)
    return solved.error_bound > LOOSE[solved.model.scalar] * largest


def _demand_few_sweeps(
    model: Model, memory: int | None, small: Model, components: Components, progress: Progress
) -> None:
    """Leave it to the listing of states where that takes less.

    In a sweep, blocks look at the moves from all points at each of them.
    """
    states = model.nodes * model.points
    room = most_listed(model) if memory is None else memory // BYTES_PER_STATE
    if states > room or not comes_round(small, progress):
        return
    listed = seconds_listed(model, states, transitions_of(model) * model.points)
    if listed < _seconds(small, components, progress) * model.points:
        raise SolveError(Status.UNSUPPORTED, "play comes round among many positions")


def _on_disk(plan: Plan, places: ByLayers) -> int:
    return places.entries * int(plan.model.stored.sum()) * ENTRY_BYTES


def _to_disk(plan: Plan, places: ByLayers) -> str:
    needed = f"{_on_disk(plan, places) / 1e9:,.1f} GB"
    return f"the values need {needed}: keep them in a folder, --store FOLDER"


def _tables(model: Model, plan: Plan) -> int:
    """Memory for what the rules say: of the model, of the reduced one, and in one pool."""
    lookups = (*model.lookups, *plan.model.lookups)
    return plan.pool_bytes + sum(lookup.kept.nbytes for lookup in lookups)


def _bytes(plan: Plan) -> int:
    """Memory for the tables of a reduced model."""
    model = plan.model
    weights = WEIGHT_BYTES if plan.progress.cyclic and model.scalar else 0
    return (BYTES_PER_ENTRY + weights) * int(entries_of(model)) * numbers_kept(model)


def _counted(plan: Plan, states: int, asked: Asked) -> int:
    """How many states can come up; -1 where it was not looked."""
    return states if entries_of(plan.model) <= asked.counted else -1


def _images(plan: Plan) -> int:
    """How many points have the values of others, nearly: a few of these are solved as well."""
    if not plan.renamings:
        return 0
    rows = np.flatnonzero(plan.reach.closure.any(axis=1))
    positions = np.concatenate([own for _, _, own in plan.reach.points(rows)])
    first = first_images(plan.model, plan.renamings, positions)
    return int(np.count_nonzero(first != np.arange(first.size)))


def _layer_sizes(reach: Reach) -> tuple[int, ...]:
    """The points of each layer, the first of the game first."""
    minors = np.unique(reach.minor_layer)
    layers = np.unique(np.unique(reach.layer)[:, None] + minors)
    columns = [np.flatnonzero(reach.minor_layer == minor) for minor in minors]
    sizes = np.zeros(layers.size)  # of whole numbers, all of which are exact
    step = max(1, POINTS_EXAMINED // reach.minor_points)
    for k in range(0, reach.layer.size, step):
        bits, own = reach.bits(reach.closure[k : k + step]), reach.layer[k : k + step]
        for minor, points in zip(minors, columns, strict=True):
            met = bits if len(minors) == 1 else bits[:, points]
            sizes += np.bincount(
                np.searchsorted(layers, own + minor), met.sum(axis=1), minlength=layers.size
            )
    return tuple(sizes[sizes > 0].astype(np.int64).tolist())


def _rising(model: Model, form: Form) -> str:
    """What rises or falls as play goes on."""
    names = " and ".join(f'"{model.axes[axis].name}"' for axis in form.axes)
    sets = any(model.axes[axis].kind == "set" for axis in form.axes)
    if form.sign > 0:
        return f"more in {names}" if sets else f"a higher {names}"
    return f"less in {names}" if sets else f"a lower {names}"
