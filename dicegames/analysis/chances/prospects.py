"""What may come of a game that is played as a solution says: distributions, outcomes, samples."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING

from dicegames.compiler.compiled import Compiled
from dicegames.ground.arguments import ArgumentError, OnProgress, expect_whole
from dicegames.ground.errors import DicegamesError
from dicegames.ground.limits import LimitReached
from dicegames.rules.parts.game import Rules
from dicegames.solver.solved import Solved
from dicegames.solver.status import SolveError

if TYPE_CHECKING:
    from dicegames.analysis.chances.distribution import Distribution
    from dicegames.analysis.chances.outcomes import Outcomes
    from dicegames.analysis.chances.simulation import Simulation


class SolutionError(DicegamesError):
    """A game could not be solved, or a solution does not belong to it; the message says why."""


class Prospects:
    """What a solution knows beside values."""

    game: Rules
    compiled: Compiled
    solved: Solved

    def distribution(
        self, seat: int = 1, *, threads: int | None = None, progress: OnProgress | None = None
    ) -> Distribution:
        """Return the exact distribution of what a seat gets when all play as the solution says.

        Raises SolutionError where the game is too large for it.
        """
        return self.distributions((seat,), threads=threads, progress=progress)[0]

    def distributions(
        self,
        seats: Sequence[int] | None = None,
        *,
        threads: int | None = None,
        progress: OnProgress | None = None,
    ) -> list[Distribution]:
        """Return the distributions of what seats get: of all if none is named, as `distribution`.

        Where players do not interact, or one turn is looked at, that is a single one.
        """
        from dicegames.analysis.chances.distribution import distributions  # noqa: PLC0415 - compiled code

        seats = range(1, self.compiled.model.seats + 1) if seats is None else seats
        self._demand(seats)
        with telling():
            return distributions(self.compiled, self.solved, seats, threads, progress)

    def outcomes(
        self, *names: str, threads: int | None = None, progress: OnProgress | None = None
    ) -> Outcomes:
        """Return how often what the rules note happens, alone and together; all if none is named.

        The game must have been solved with `noted=True`. Raises OutcomeError, SolutionError.
        """
        from dicegames.analysis.chances.outcomes import outcomes  # noqa: PLC0415 - compiled code

        with telling():
            return outcomes(self.compiled, self.solved, names, threads, progress)

    def simulate(
        self,
        games: int,
        seed: int,
        *,
        seat: int = 1,
        threads: int | None = None,
        progress: OnProgress | None = None,
    ) -> Simulation:
        """Return what a seat got in games played by throws, given by the seed and their numbers.

        Raises SolutionError where the game is too large for it.
        """
        from dicegames.analysis.chances.simulation import simulate  # noqa: PLC0415 - compiled code

        self._demand((seat,))
        with telling():
            own = (self.compiled, self.solved)
            return simulate(*own, games, seed, seat, threads, progress)

    def _demand(self, seats: Sequence[int]) -> None:
        """Raise ArgumentError for seats that the game does not have."""
        players = self.game.players
        for seat in seats:
            expect_whole(seat, "a seat", 1)
            if seat > players:
                raise ArgumentError(f"there is no seat {seat}: the game has {players}")


@contextmanager
def telling() -> Iterator[None]:
    """Turn what the solver cannot do, and limits that are reached, into what people are told."""
    try:
        yield
    except (SolveError, LimitReached) as error:
        raise SolutionError(str(error)) from None
