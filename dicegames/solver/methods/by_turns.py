"""Turn by turn: each turn is a model of its own, and so is the long run of them."""

from __future__ import annotations

from typing import ClassVar, Self

import numpy as np
from attrs import evolve, frozen

from dicegames.solver.explicit.turn_starts import MOST_TURN_STARTS, TurnStarts
from dicegames.solver.explicit.turns import TurnValues, solve_average, solve_turns
from dicegames.solver.methods.by_states import every_state
from dicegames.solver.methods.method import (
    Asked,
    Cost,
    Pack,
    Packed,
    Unfit,
    Unpack,
    ascending,
    demand_names,
    finite,
)
from dicegames.solver.model import Array, Model
from dicegames.solver.solved import Solve, Solved
from dicegames.solver.status import SolveError, Status

TURN_BYTES = 3_000_000
"""Memory for the values inside one turn."""
TURN_SECONDS = 0.2
TURN_ROUNDS = 20
"""How often turns are solved until a long run is known."""
RETURNING = 6
"""How often a turn is solved that may lead back to its own start."""


@frozen(eq=False)
class ByTurns:
    """The long run, and turns in which a counter without limit lives beside what outlives them."""

    form: ClassVar[str] = "turn by turn"
    mark: ClassVar[str] = "starts"
    values: ClassVar[type] = TurnValues
    model: Model

    @classmethod
    def fit(cls, model: Model, asked: Asked, why: str) -> Self:
        """Make it ready; SolveError where turns are not to be looked at one by one."""
        if model.average:
            return cls(model)
        within = len(model.axes) > 1 and model.unbounded
        if not within or TurnStarts(model, asked.solve).is_one_turn:
            raise SolveError(Status.UNSUPPORTED, "no counter without limit lives inside a turn")
        return cls(model)

    def cost(self, asked: Asked) -> Cost:
        """What solving will take: turns are counted by following them."""
        model, why = self.model, "a counter without limit lives inside a turn"
        if model.average:
            why = "turns come again; in the long run they bring so much each"
        found = every_state(model, self.form, why)
        turns = TurnStarts(model, asked.solve)
        if not model.average:
            try:
                turns.demand_a_difference()
            except SolveError as error:
                return evolve(found, impossible=str(error), at_any_size=True)
        try:
            starts = len(turns.all_starts())
        except SolveError as error:
            too_many = error.status is Status.TOO_MANY_STATES
            return evolve(found, impossible=str(error)) if too_many else found
        solves = TURN_ROUNDS * starts
        if not model.average:
            returning = sum(number in turns.following(number) for number in turns.all_starts())
            solves = starts + (RETURNING - 1) * returning
        return evolve(
            found,
            table_states=starts,
            reachable=starts,
            memory=TURN_BYTES * starts,
            seconds=TURN_SECONDS * solves,
            impossible="" if model.average else _without_end(turns),
        )

    def solve(self, asked: Asked) -> Solved:
        """Solve."""
        return (solve_average if self.model.average else solve_turns)(self.model, asked.solve)

    @classmethod
    def pack(cls, solved: Solved, inside: Pack) -> dict[str, Array]:
        """Return what each turn begins with, and its worth."""
        values = solved.evaluator
        assert isinstance(values, TurnValues)
        starts = np.array(list(values.values), np.int64)
        return {"starts": starts, "worths": np.array(list(values.values.values()))}

    @classmethod
    def unpack(cls, bare: Solved, arrays: Packed, inside: Unpack, solve: Solve) -> Solved:
        """Return a solved model with its values; raises Unfit."""
        model = bare.model
        demand_names(arrays, "starts", "worths")
        starts = arrays.take("starts", "i", None)
        ascending(np.sort(starts), int(model.stored.sum()) * model.points)
        if len(starts) > MOST_TURN_STARTS:
            raise Unfit("turns begin in too many ways")
        worths = finite(arrays.take("worths", "f", len(starts)))
        pairs = zip(starts.tolist(), worths.tolist(), strict=True)
        values = TurnValues(TurnStarts(model, solve), dict(pairs))
        return evolve(bare, method=cls.form, evaluator=values)


def _without_end(turns: TurnStarts) -> str:
    """Say why turns are not solved, nothing if they are: one on which no other follows is tried."""
    try:
        turns.solved(turns.last_first()[0], {})
    except SolveError as error:
        if error.status not in (Status.NO_TAIL, Status.UNSUPPORTED):
            raise
        return str(error)
    return ""
