"""Strategies against best play where states are too many to be listed, layer by layer.

Play is followed forward from the start, as for distributions (`chain/tally`): in the turns of one
seat by a strategy, in those of the others by the moves that are best against best play. All
strategies and seats go along side by side, so that the laws of a layer are found once.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Protocol

from attrs import evolve, frozen

from dicegames.analysis.chances.distribution import demand_value
from dicegames.analysis.chances.policy import played_beside
from dicegames.analysis.solution import Solution, SolutionError
from dicegames.analysis.solving.solve_compiled import solve_compiled
from dicegames.compiler.compiled import Compiled
from dicegames.compiler.limits import Limits
from dicegames.rules.parts.game import Game
from dicegames.rules.running.playing import Seats
from dicegames.solver.chain.tally import Ways, tally
from dicegames.solver.kernels.workers import Workers
from dicegames.solver.model import CHOICE, Model
from dicegames.solver.status import SolveError, Status

OPEN = (
    'there are too many states to find what is best for the rest of a strategy that says "best"; '
    "let it end with a move, or with: best turn"
)
TAIL = 1e-14
"""The most probability that may still be on the way."""


@frozen
class Against:
    """What a strategy is worth in a seat, the others playing best, and what best play is worth."""

    best: float
    value: float
    error: float  # the most by which the value may be off


class Compiles(Protocol):
    """What compiles a game for what plays, with all moves beside it where `both` is asked for."""

    def __call__(self, seats: Seats, *, both: bool = False) -> Compiled:
        """Return the game."""
        ...


def _frame(compiled: Compiled) -> object:
    """What tells the axes of a model from those of another one."""
    emitter = compiled.emitter
    values = {slot: tuple(shown) for slot, shown in emitter.values.items()}
    return compiled.model.axes, emitter.slots, emitter.capped, values


def values_by_layers(
    game: Game, best: Solution, strategies: Sequence[Seats], compiled: Compiles,
    threads: int | None, limits: Limits,
) -> list[list[Against]]:  # fmt: skip
    """Return what strategies are worth, by strategy and seat.

    `strategies` play for all seats. Those that keep in mind something else than `best` does are
    each looked at with a best play that keeps it in mind as well. Raises SolutionError.
    """
    alike, apart = list[int](), list[int]()

    def ways() -> Iterator[Model]:  # one at a time, since their tables are large
        for number, seats in enumerate(strategies):
            alone = compiled(seats)
            if (alone.model.kind == CHOICE).any():
                raise SolutionError(OPEN)
            if _frame(alone) == _frame(best.compiled):
                alike.append(number)
                yield alone.model
            else:
                apart.append(number)

    with Workers(threads, limits.left) as workers:
        values = _followed(best, ways(), workers)
        found = dict(zip(alike, values, strict=True))
        for number in apart:
            both = compiled(strategies[number], both=True)
            assert both.played is not None
            solving = {"threads": threads, "memory": limits.memory, "progress": None}
            own = Solution(game, *solve_compiled(evolve(both, silent=[]), limits, solving))
            (found[number],) = _followed(own, [both.played], workers)
    return [found[number] for number in range(len(strategies))]


def _followed(best: Solution, models: Iterable[Model], workers: Workers) -> list[list[Against]]:
    """Return the same for strategies, each being a model of the turns that it plays."""
    seats = range(1, best.game.players + 1)
    policy, starts = played_beside(best.compiled, best.solved, models)
    columns = [(way, seat) for way in range(len(starts)) for seat in seats]
    tallies = tally(
        policy.chain,
        policy.units,
        None,
        None,
        seats=[policy.place(seat) for _, seat in columns],
        ways=Ways(starts, [way for way, _ in columns]),
        workers=workers,
    )
    if max(one.tail for one in tallies) > TAIL:
        raise SolveError(Status.NOT_CONVERGED, "play goes on for longer than was followed")
    means = [one.paid * float(policy.units.unit) for one in tallies]
    found: list[list[Against]] = [[] for _ in starts]
    for (way, seat), mean in zip(columns, means, strict=True):
        optimum, followed = best.value_for(seat), means[seat - 1]
        demand_value(best.solved, policy, seat, followed + policy.won(seat))
        off = abs(followed + policy.won(seat) - optimum)  # some, where best play counts rounds
        error = best.solved.error_bound + off
        found[way].append(Against(optimum, optimum + mean - followed, error))
    return found[1:]
