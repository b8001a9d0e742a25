"""The explicit method: states are listed and solved one by one."""

from __future__ import annotations

from typing import ClassVar, Self

from attrs import evolve, frozen

from dicegames.solver.explicit.explicit import BYTES_PER_STATE, ExplicitValues, solve_explicit
from dicegames.solver.graph.states import MAX_STATES, MoreStates, expand_states, most_listed
from dicegames.solver.methods.method import (
    Asked,
    Cost,
    Pack,
    Packed,
    Solve,
    Unpack,
    ascending,
    demand_names,
    finite,
)
from dicegames.solver.model import Array, Model
from dicegames.solver.solved import Solved
from dicegames.solver.status import SolveError, Status

STATE_SECONDS = 2e-6
"""Time for one state, for each time that its value is looked at."""
MOST_COUNTED = 1_000_000
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
        most = MOST_COUNTED if listed == MAX_STATES else listed
        if asked.memory is not None:
            most = max(1, min(most, asked.memory // BYTES_PER_STATE + 1))
        try:
            states = expand_states(model, asked.workers, most).states
        except MoreStates as more:
            impossible = str(more) if most == listed else ""
            return evolve(found, least=BYTES_PER_STATE * most, impossible=impossible)
        except SolveError as error:
            if error.status is Status.TOO_LONG:
                raise
            too_many = error.status is Status.TOO_MANY_STATES
            return evolve(found, impossible=str(error)) if too_many else found
        return evolve(
            found,
            reachable=states,
            memory=BYTES_PER_STATE * states,
            seconds=states * STATE_SECONDS,
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
        return evolve(bare, evaluator=ExplicitValues(model, keys, finite(values)))


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
        seconds=states * STATE_SECONDS,
    )
