"""Simulated games of a solution, and what they say beside their exact distribution.

A game is given by the seed and its number, so that the same seed gives the same games on every
machine and with any number of threads, and more games begin with the same ones.
"""

from __future__ import annotations

from functools import cached_property, partial
from math import nan, sqrt
from time import perf_counter
from typing import Any

import numpy as np
from attrs import frozen
from numpy.typing import NDArray

from dicegames.analysis.chances.distribution import PERCENTILES
from dicegames.analysis.chances.policy import policies
from dicegames.compiler.compiled import Compiled
from dicegames.ground.arguments import OnProgress, expect_limits, expect_whole
from dicegames.solver.chain.sample import Sampler
from dicegames.solver.kernels.workers import Workers
from dicegames.solver.solved import Solved
from dicegames.solver.status import SolveError, Status

LOT = 50_000
LARGE_LOT = 1_000_000
"""Where moves have to be found again for each lot."""


@frozen(eq=False, slots=False)
class Simulation:
    """What a seat got in each game (of the objective, where that is another): float64[games].

    `preparing`, in which moves are found, and `playing` are the seconds that each took.
    """

    results: NDArray[np.float64]
    seed: int
    preparing: float = 0.0
    playing: float = 0.0

    @property
    def games(self) -> int:
        """Number of games."""
        return len(self.results)

    @cached_property
    def mean(self) -> float:
        """The mean."""
        return float(self.results.mean())

    @cached_property
    def sd(self) -> float:
        """The standard deviation, estimated without bias in its square; NaN for one game."""
        return float(self.results.std(ddof=1)) if self.games > 1 else nan

    @property
    def mean_error(self) -> float:
        """The standard error of the mean, NaN for one game."""
        return self.sd / sqrt(self.games)

    @cached_property
    def sd_error(self) -> float:
        """The standard error of the standard deviation, NaN for one game.

        From that of its square s2, with the fourth central moment m4 and n games:
        Var(s2) = (m4 - s2^2 (n - 3) / (n - 1)) / n.
        """
        n, squared = self.games, self.sd**2
        if n < 2 or squared == 0:
            return self.sd
        fourth = float(((self.results - self.mean) ** 4).mean())
        return sqrt(max(0.0, fourth - squared**2 * (n - 3) / (n - 1)) / n) / (2 * self.sd)

    def percentile(self, percent: float) -> float:
        """Return the lowest result that this share of the games did not exceed."""
        return float(np.percentile(self.results, percent, method="inverted_cdf"))

    @cached_property
    def counts(self) -> dict[float, int]:
        """How often each result came up."""
        values, counts = np.unique(self.results, return_counts=True)
        return dict(zip(values.tolist(), counts.tolist(), strict=True))

    @property
    def modes(self) -> list[float]:
        """The results that came up most often."""
        most = max(self.counts.values())
        return [value for value, count in self.counts.items() if count == most]

    def summary(self) -> dict[str, Any]:
        """Return what is told to programs, by name."""
        return {
            "mean": self.mean,
            "mean_error": self.mean_error,
            "sd": self.sd,
            "sd_error": self.sd_error,
            "percentiles": {str(percent): self.percentile(percent) for percent in PERCENTILES},
            "modes": self.modes,
            "min": float(self.results.min()),
            "max": float(self.results.max()),
        }


def simulate(
    compiled: Compiled, solved: Solved, games: int, seed: int, seat: int, threads: int | None,
    progress: OnProgress | None,
) -> Simulation:  # fmt: skip
    """Play games as the values say: what a seat got. SolveError where the game is too large."""
    expect_whole(games, "the number of games", 1)
    expect_whole(seed, "the seed")
    expect_limits(threads, None, None)
    began, playing, done = perf_counter(), 0.0, 0
    parts: list[NDArray[np.float64]] = []
    with Workers(threads) as workers:
        for policy in policies(compiled, solved, workers, from_disk=True):
            player = Sampler(policy.chain, workers)
            since = perf_counter()
            while done < games:
                count = min(LARGE_LOT if player.emptied else LOT, games - done)
                report = partial(_tell, progress, done, count, games)
                part = player.play(seed, done, count, policy.place(seat), report)
                if part is None:  # a game went beyond the tables
                    break
                parts.append(policy.chain.units.amounts(part) + policy.won(seat))
                report(1.0)
                done += count
            playing += perf_counter() - since - player.learning
            if done == games:
                preparing = perf_counter() - began - playing
                return Simulation(np.concatenate(parts), seed, preparing, playing)
    raise SolveError(Status.TOO_MANY_STATES, "a game went beyond the tables")


def _tell(
    progress: OnProgress | None, done: int, count: int, games: int, share: float, _: float = 1.0
) -> None:
    """Tell that a share of so many games is played, behind those that are done."""
    if progress is not None:
        progress(done + share * count, float(games))
