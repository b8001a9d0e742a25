"""The explicit method: states are listed and solved one by one."""

from __future__ import annotations

from typing import ClassVar, Self

import numpy as np
from attrs import evolve, frozen

from dicegames.solver.explicit.explicit import BYTES_PER_STATE, ExplicitValues, solve_explicit
from dicegames.solver.graph.expand import components
from dicegames.solver.graph.must import find_musts
from dicegames.solver.graph.progress import comes_round, find_progress
from dicegames.solver.graph.reach import start_reach
from dicegames.solver.graph.states import MOST_LISTED_STATES, MoreStates, list_states, most_listed
from dicegames.solver.graph.turn import plan_turn
from dicegames.solver.kernels.workers import Workers
from dicegames.solver.methods.method import (
    Asked,
    Cost,
    Pack,
    Packed,
    Unpack,
    ascending,
    demand_names,
    finite,
)
from dicegames.solver.model import BRANCH, END, Array, Model
from dicegames.solver.solved import Solve, Solved
from dicegames.solver.status import SolveError, Status

STATE_SECONDS = 2e-6
"""Time in which a state is listed, and its value found from those that follow."""
TRANSITION_SECONDS = 2e-9
"""Time for a number of a transition, for each further time that it is looked at."""
SWEEPS_OF_STATES = 200
"""How often states are looked at that lead to each other, more or less."""
MOST_COUNTED_STATES = 1_000_000
"""States that are counted before a game is solved."""


@frozen(eq=False)
class ByStates:
    """Every model whose states can be listed."""

    form: ClassVar[str] = "explicit"
    mark: ClassVar[str] = "keys"
    values: ClassVar[type] = ExplicitValues
    model: Model
    why: str

    @classmethod
    def fit(cls, model: Model, asked: Asked, why: str) -> Self:
        """Make it ready."""
        return cls(model, why)

    def cost(self, asked: Asked) -> Cost:
        """What solving will take: states are counted up to a limit."""
        model, most = self.model, most_listed(self.model)
        found, listed = every_state(model, self.form, self.why), most
        most = MOST_COUNTED_STATES if listed == MOST_LISTED_STATES else listed
        if asked.memory is not None:
            most = max(1, min(most, asked.memory // BYTES_PER_STATE + 1))
        try:
            graph = list_states(model, asked.workers, most)
        except MoreStates as more:
            impossible = str(more) if most == listed else ""
            met = found if impossible else _met(found, model, asked.workers)
            return evolve(met, least=BYTES_PER_STATE * most, impossible=impossible)
        except SolveError as error:
            if error.status is Status.TOO_LONG:
                raise
            too_many = error.status is Status.TOO_MANY_STATES
            return evolve(found, impossible=str(error)) if too_many else found
        count, component = asked.workers.run(components, graph.first, graph.target)
        together = np.bincount(component, minlength=count)[component] > 1
        round_ = int(np.diff(graph.first)[together].sum())
        return evolve(
            found,
            reachable=graph.states,
            memory=BYTES_PER_STATE * graph.states,
            seconds=seconds_listed(model, graph.states, round_),
        )

    def solve(self, asked: Asked) -> Solved:
        """Solve."""
        states = asked.states
        if asked.memory is not None:
            states = min(states, max(1, asked.memory // BYTES_PER_STATE))
        return solve_explicit(self.model, asked.workers, states)

    @classmethod
    def pack(cls, solved: Solved, inside: Pack) -> dict[str, Array]:
        """Return every state and its values."""
        values = solved.evaluator
        assert isinstance(values, ExplicitValues)
        return {"keys": values.keys, "values": values.values}

    @classmethod
    def unpack(cls, bare: Solved, arrays: Packed, inside: Unpack, solve: Solve) -> Solved:
        """Return a solved model with its values; raises Unfit."""
        model = bare.model
        demand_names(arrays, "keys", "values")
        keys = ascending(arrays.take("keys", "i", None), model.nodes * model.points)
        values = arrays.take("values", "f", len(keys), 1 if model.scalar else model.seats)
        listed = ExplicitValues(model, keys, finite(values))
        return evolve(bare, method=cls.form, evaluator=listed)


def transitions_of(model: Model) -> int:
    """Transitions from all states of a point at most: of a branch there is one."""
    own, branches = np.diff(model.first_edge), model.kind == BRANCH
    return int(own[~branches].sum()) + int(np.count_nonzero(branches))


def seconds_listed(model: Model, states: int, transitions: int) -> float:
    """What it takes to list and solve states, so many of their transitions being in cycles."""
    numbers = 1 if model.scalar else model.seats
    return states * STATE_SECONDS + SWEEPS_OF_STATES * transitions * numbers * TRANSITION_SECONDS


def _met(found: Cost, model: Model, workers: Workers) -> Cost:
    """The cost by the points to which turns come, if the model falls into turns."""
    try:
        turn = plan_turn(model)
        progress = find_progress(model, turn, find_musts(model, turn))
        reach = workers.finish(start_reach(model, turn, progress, workers))
    except SolveError as error:
        if error.status is Status.TOO_LONG:
            raise
        return found
    points = int(np.bitwise_count(reach.closure).sum())
    states = points * int(np.count_nonzero(model.kind != END))
    round_ = transitions_of(model) * points if comes_round(model, progress) else 0
    return evolve(
        found, memory=BYTES_PER_STATE * states, seconds=seconds_listed(model, states, round_)
    )


def every_state(model: Model, form: str, why: str) -> Cost:
    """What it takes if every state comes up."""
    states = model.nodes * model.points
    return Cost(
        form=form,
        why=why,
        nodes=model.nodes,
        edges=model.edges,
        reduced_nodes=model.nodes,
        table_states=int(model.stored.sum()) * model.points,
        memory=BYTES_PER_STATE * states,
        seconds=seconds_listed(model, states, 0),
    )
