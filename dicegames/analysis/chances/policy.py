"""A solution made ready for walking: its choices, the laws of its turns, what is paid in units.

A model whose counter has no upper limit is cut off far up, where its values lie on lines that are
proven; the probability that goes beyond is found, and counts as tail.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from itertools import chain as one_after_another
from typing import cast

import numpy as np
from attrs import evolve, frozen

from dicegames.compiler.compiled import Compiled
from dicegames.rules.running.referee import start
from dicegames.solver.blocks.in_pieces import TableInPieces
from dicegames.solver.chain.chain import OFF_TABLES, Chain, make_chain, step_by_step
from dicegames.solver.explicit.explicit import ExplicitValues, solve_explicit
from dicegames.solver.explicit.subgame import Subgames
from dicegames.solver.explicit.tail import TailValues, bounded
from dicegames.solver.explicit.turns import TurnValues
from dicegames.solver.graph.beside import beside
from dicegames.solver.graph.states import expand_states, one_by_one
from dicegames.solver.kernels.workers import Workers
from dicegames.solver.model import Array, Model
from dicegames.solver.solved import Evaluator, Solved
from dicegames.solver.status import SolveError, Status

GRIDDED = (
    "values on a grid are approximate, and so is what follows from them; "
    "games at their true totals are played by `simulate`, a single turn is exact (--objective turn)"
)
LONG_RUN = (
    "no game ends in the long run, so that none is followed to its end; "
    "--objective turn looks at one turn, --objective payoff at a whole game"
)
LIMITLESS = "points at risk, or another counter, have no limit beside what lasts"
ONE_TURN = "; one turn can be looked at: --objective turn"
SMALLEST_CUT = 256
SPARSE = 10
"""Entries of tables for each listed state from which on the states are followed one by one."""
MOST_LOOKED_UP = 2_000_000
MOST_HELD = 200_000_000
"""Numbers in tables: 1.6 GB."""


@frozen(eq=False)
class Policy:
    """The best choices of a solved model, as a chain."""

    compiled: Compiled
    chain: Chain

    @property
    def is_cut_off(self) -> bool:
        """Whether the tables end where play may go on."""
        return bool((self.chain.walk.label == OFF_TABLES).any())

    def place(self, seat: int) -> int:
        """Return where a seat (from 1) sits, counted from the one that begins."""
        return (seat - 1 - start(self.compiled.game).node.seat) % self.chain.model.seats

    def won(self, seat: int) -> float:
        """Return what a seat has before the first choice or throw."""
        return self.compiled.gained_before_play()[self.place(seat)]


def policies(
    compiled: Compiled, solved: Solved, apart: Workers | None = None, *, from_disk: bool = False
) -> Iterator[Policy]:
    """Return the policy of a solution; where a counter has no limit, cut off ever further up.

    `from_disk` tells that values need not be in memory; `apart` are given where the nodes of the
    chain need not be those of the model, so that few states are followed one by one. Raises
    SolveError where the game does not fall into turns, or is too large.
    """
    model, labels = compiled.in_order()
    if solved.status is Status.APPROXIMATE:
        raise SolveError(Status.UNSUPPORTED, GRIDDED)
    if model.average:
        raise SolveError(Status.UNSUPPORTED, LONG_RUN)
    if not model.unbounded:
        yield _whole(compiled, solved, (model, labels), apart, from_disk=from_disk)
        return
    values = solved.evaluator
    if apart and isinstance(values, TurnValues):
        model, values = values.only_turn(model)
    if not isinstance(values, TailValues):
        one_turn = compiled.goal.objective.one_turn
        raise SolveError(Status.UNSUPPORTED, LIMITLESS + ("" if one_turn else ONE_TURN))
    size, largest = SMALLEST_CUT, model.axes[0].size
    while size <= largest:
        cut = bounded(model, size, values.lines)
        steps = np.zeros(cut.edges, np.int64)
        steps[: model.edges] = 0 if labels is None else labels
        steps[model.edges + 1 :: 2] = OFF_TABLES  # of each pair added, the second leads beyond
        yield _below(compiled, cut, values, steps, apart)
        size *= 2


def _below(
    compiled: Compiled, cut: Model, values: TailValues, labels: Array, apart: Workers | None
) -> Policy:
    """The policy of a model that is cut off; state by state, if a turn goes round in a state."""
    try:
        return _policy(compiled, cut, _looked_up(cut, values), labels)
    except SolveError as error:
        if apart is None or error.status is not Status.UNSUPPORTED:
            raise
    listed = solve_explicit(cut, apart).evaluator
    assert isinstance(listed, ExplicitValues)
    cut = step_by_step(cut)
    return _policy(compiled, cut, _looked_up(cut, listed), labels)


def _whole(
    compiled: Compiled,
    solved: Solved,
    ordered: tuple[Model, Array | None],
    apart: Workers | None,
    *,
    from_disk: bool,
) -> Policy:
    """The policy over all positions; `ordered` is the model with its labels."""
    (model, labels), values = ordered, solved.evaluator
    if apart and isinstance(values, ExplicitValues) and _is_sparse(model, values):
        return _listed(compiled, ordered, values, apart)
    one = model.scalar and model.constant_sum is None
    if from_disk and one and isinstance(values, Subgames) and values.in_pieces:
        tables = cast(Mapping[int, TableInPieces], values.tables)
        return _policy(compiled, model, tables, labels)
    try:
        return _policy(compiled, model, _tables(model, solved), labels)
    except SolveError as error:
        if values is None or error.status is not Status.UNSUPPORTED:
            raise
    if apart and isinstance(values, ExplicitValues):
        return _listed(compiled, ordered, values, apart)
    model = step_by_step(model)
    return _policy(compiled, model, _looked_up(model, values), labels)


def _is_sparse(model: Model, values: ExplicitValues) -> bool:
    """Whether tables would have room for many more states than are listed."""
    room = model.points * int(np.count_nonzero(model.stored))
    return room * model.seats > MOST_HELD or room > SPARSE * len(values.keys)


def _listed(
    compiled: Compiled,
    ordered: tuple[Model, Array | None],
    values: ExplicitValues,
    workers: Workers,
) -> Policy:
    """The policy of listed states, each of which is a node; `ordered` as above."""
    model, labels = ordered
    graph = expand_states(model, workers)
    alone = step_by_step(one_by_one(graph))
    stored = np.flatnonzero(alone.stored)
    found = values.values_of(graph.keys[stored])
    tables = dict(zip(stored.tolist(), found[:, 0] if model.scalar else found, strict=True))
    return _policy(compiled, alone, tables, None if labels is None else labels[graph.edge])


def played_beside(
    compiled: Compiled, solved: Solved, ways: Iterable[Model]
) -> tuple[Policy, Array]:
    """Return the policy of a solution with other ways to play a turn beside it.

    These are models with the same axes. With it come the landings at which turns begin: of the
    policy, then of each way. SolveError where turns begin in several ways, or counters have no end.
    """
    model, _ = compiled.in_order()
    if solved.status is Status.APPROXIMATE or model.unbounded:
        raise SolveError(Status.UNSUPPORTED)
    whole, starts = beside(one_after_another([model], ways))
    policy = _policy(compiled, whole, _tables(model, solved), None)
    chain = policy.chain
    landings = chain.walk.landing[chain.node_of[starts]]
    begin = int(landings[0]) * chain.walk.entries + model.position(model.start_point)
    return evolve(policy, chain=evolve(chain, start=begin)), landings


def _policy(
    compiled: Compiled, model: Model, tables: Mapping[int, Array] | Mapping[int, TableInPieces],
    labels: Array | None,
) -> Policy:  # fmt: skip
    decided = compiled.model.settled is not None  # where no move changes it, play is not followed
    chain = make_chain(model, tables, labels, missing=0.0 if decided else np.nan)
    return Policy(compiled, chain)


def _tables(model: Model, solved: Solved) -> dict[int, Array]:
    if solved.tables:
        return {node: np.asarray(table) for node, table in solved.tables.items()}
    if solved.evaluator is None:
        raise SolveError(Status.UNSUPPORTED, "there are no values")
    if not isinstance(solved.evaluator, Subgames) or not solved.evaluator.in_pieces:
        return _looked_up(model, solved.evaluator)
    tables = cast(Mapping[int, TableInPieces], solved.evaluator.tables)
    if (numbers := model.points * len(tables)) > MOST_HELD:
        raise SolveError(
            Status.TOO_MANY_RESULTS,
            f"all values of the folder have to be in memory for it, in tables of "
            f"{8e-9 * numbers:.1f} GB, and at most {8e-9 * MOST_HELD:.1f} GB are read",
        )
    return {node: table.whole() for node, table in tables.items()}


def _looked_up(model: Model, values: Evaluator) -> dict[int, Array]:
    """Tables of the stored nodes: those of listed states, or filled one by one."""
    stored = np.flatnonzero(model.stored).tolist()
    entries = len(stored) * model.points
    listed = isinstance(values, ExplicitValues)
    if entries * model.seats > (MOST_HELD if listed else MOST_LOOKED_UP):
        raise SolveError(Status.TOO_MANY_TO_FOLLOW, f"{entries * model.seats:,} values")
    if isinstance(values, ExplicitValues):
        return {node: values.table(node) for node in stored}
    known = values.tables if isinstance(values, TailValues) else {}
    tables = {}
    for node in stored:
        table = np.full((*model.shape, *(() if model.scalar else (model.seats,))), np.nan)
        below = known.get(node, ())  # where nothing is known, play does not come
        if len(below):
            table[: len(below)] = below[: len(table)]
        for point in np.ndindex(model.shape):
            if point and point[0] < len(below):
                continue
            try:
                table[point] = values.value_at(node, point)
            except LookupError:
                continue  # play does not come there
        tables[node] = table
    return tables
