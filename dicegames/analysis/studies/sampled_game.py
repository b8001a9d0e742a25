"""Sampled models of a game, and what their strategies are worth."""

from __future__ import annotations

from time import perf_counter

from attrs import frozen

from dicegames.analysis.solution import SolutionError, solve_game
from dicegames.compiler.compile import compile_game
from dicegames.ground.limits import Limits
from dicegames.rules.parts.game import Rules
from dicegames.solver.status import SolveError


@frozen
class Sampled:
    """A model whose throws are estimated from samples, next to the exact one."""

    samples: int
    seed: int
    throws: str
    promised: float  # the value that the sampled model gives
    worth: float  # the exact value of the strategy that is best in it
    exact: float  # the value under best play
    seconds: float


def sample_game(
    game: Rules,
    samples: int,
    seed: int,
    throws: str = "opening",
    objective: str = "payoff",
    *,
    threads: int | None = None,
    time: float | None = None,
) -> Sampled:
    """Estimate some throws of a game from samples, and evaluate the strategy found exactly.

    Raises SolutionError where play can come back to a position, there is only one turn, or a value
    is not one number, and ObjectiveError for throws that the game has not.
    """
    from dicegames.solver.blocks.sampled import solve_sampled  # noqa: PLC0415 - takes its time to load

    exact = solve_game(game, objective, limits=Limits(time, threads=threads))
    if not isinstance(exact.value, float):
        raise SolutionError("a sampled model needs a game of one player: --set players=1")
    if exact.states_reachable == 1:
        message = "the turn with which a game begins is kept exact, and here is no other: "
        raise SolutionError(f"{message}there is nothing to take samples of")
    compiled = compile_game(game, objective, sampled=throws)
    try:
        begun = perf_counter()
        promised, worth = solve_sampled(compiled.model, samples, seed, threads=threads, time=time)
        seconds = perf_counter() - begun
    except SolveError as error:
        raise SolutionError(f"no samples can be taken here: {error.detail}") from None
    had = compiled.gained_before_play()[0]
    return Sampled(samples, seed, throws, promised + had, worth + had, exact.value, seconds)
