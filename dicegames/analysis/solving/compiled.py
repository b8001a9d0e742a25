"""Solve a game that is compiled, within limits that are told before it starts."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any, Self

from attrs import frozen

from dicegames.analysis.solving.extremes import prepared
from dicegames.analysis.solving.silence import demand_moves
from dicegames.analysis.solving.unsolved import demand_fit, demand_value
from dicegames.compiler.compile import compile_game
from dicegames.compiler.compiled import Compiled
from dicegames.compiler.limits import PROGRAM_BYTES, Limits
from dicegames.ground.source import Source
from dicegames.rules.check import check
from dicegames.rules.parts.game import Game
from dicegames.rules.parts.types import Value
from dicegames.rules.running.playing import Seats
from dicegames.solver.blocks.pieces import Keeping
from dicegames.solver.model import Model
from dicegames.solver.solve import solve
from dicegames.solver.solved import Solved


def solve_compiled(
    compiled: Compiled,
    limits: Limits,
    solving: Mapping[str, Any],
    keeping: Callable[[Compiled], Keeping] | None = None,
) -> tuple[Compiled, Solved]:
    """Solve a compiled game, made ready; raises SolutionError or RuleBroken where it has no value.

    `solving` are the threads, the memory (bytes) and what is told of progress. `keeping` makes the
    folder ready in which the values are kept, if they are.
    """
    memory, threads = solving["memory"], solving["threads"]
    compiled = prepared(compiled, threads)
    kept = None if keeping is None else keeping(compiled)
    if compiled.silent:
        demand_moves(compiled, threads)
    limited = memory is not None or limits.time is not None
    solved = solve(
        compiled.model,
        time=limits.left,
        **{**solving, "memory": None if memory is None else memory - PROGRAM_BYTES},
        keeping=kept,
        accept=partial(demand_fit, compiled, memory=memory, time=limits.time) if limited else None,
    )
    demand_value(compiled, solved, memory)
    return compiled, solved


@frozen
class Recipe:
    """A game as text, which any process can make a model of."""

    source: Source
    options: Mapping[str, Value]
    objective: str
    seats: Seats

    @classmethod
    def of(cls, game: Game, objective: str, seats: Seats) -> Self:
        """Return that of a game."""
        return cls(game.source, game.option_values(), objective, seats)

    def __call__(self) -> Model:
        """Return the model."""
        game = check(self.source, self.options, thorough=False)
        return prepared(compile_game(game, self.objective, self.seats), 1).model
