"""What may come of a game that is played as a solution says: distributions, outcomes, samples."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from dicegames.compiler.compiled import Compiled
from dicegames.solver.solved import Solved
from dicegames.solver.status import SolveError

if TYPE_CHECKING:
    from dicegames.analysis.distribution import Distribution
    from dicegames.analysis.outcomes import Outcomes
    from dicegames.analysis.simulation import Simulation

Progress = Callable[[float, float], None]


class SolutionError(Exception):
    """A game could not be solved, or a solution does not belong to it; the message says why."""


class Prospects:
    """What a solution knows beside values."""

    compiled: Compiled
    solved: Solved

    @property
    def won_at_start(self) -> float:
        """What is won before the first choice or throw."""
        raise NotImplementedError

    def distribution(
        self, seat: int = 1, *, threads: int | None = None, progress: Progress | None = None
    ) -> Distribution:
        """Return the exact distribution of what a seat gets when all play as the solution says.

        Raises SolutionError where the game is too large for it, or every seat has its own value.
        """
        from dicegames.analysis.distribution import distribution  # noqa: PLC0415 - compiled code

        with _told(self.compiled):
            parts = (self.compiled, self.solved, self.won_at_start)
            return distribution(*parts, seat, threads=threads, progress=progress)

    def outcomes(
        self, *names: str, threads: int | None = None, progress: Progress | None = None
    ) -> Outcomes:
        """Return how often what the rules note happens, alone and together; all if none is named.

        The game must have been solved with `noted=True`. Raises OutcomeError, SolutionError.
        """
        from dicegames.analysis.outcomes import outcomes  # noqa: PLC0415 - compiled code

        with _told(self.compiled):
            return outcomes(self.compiled, self.solved, names, threads=threads, progress=progress)

    def simulate(
        self,
        games: int,
        seed: int,
        *,
        threads: int | None = None,
        progress: Progress | None = None,
    ) -> Simulation:
        """Return games played by throws, each given by the seed and its number.

        Raises SolutionError where the game is too large for it, or every seat has its own value.
        """
        from dicegames.analysis.simulation import simulate  # noqa: PLC0415 - compiled code

        with _told(self.compiled):
            parts = (self.compiled, self.solved, self.won_at_start)
            return simulate(*parts, games, seed, threads=threads, progress=progress)


@contextmanager
def _told(compiled: Compiled) -> Iterator[None]:
    """Turn what the solver cannot do into what people are told."""
    if not compiled.model.scalar:
        raise SolutionError(
            "distributions, outcomes and simulated games are for one player, and for two whose "
            "payoffs have a constant sum; here every seat has a value of its own: look at a turn "
            "(--objective turn), or at one player where the rules allow it (--set players=1)"
        )
    try:
        yield
    except SolveError as error:
        raise SolutionError(str(error)) from None
