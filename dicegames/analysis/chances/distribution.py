"""The exact distribution of what a game pays, when it is played as a solution says.

Nothing is simulated: probabilities are pushed through the laws of the turns (see `solver.chain`).
Large games for one are swept from their end, layer by layer; others are followed from the start.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property

import numpy as np
from attrs import field, frozen
from numpy.typing import NDArray

from dicegames.analysis.chances.policy import Policy, policies
from dicegames.compiler.compiled import Compiled
from dicegames.ground.arguments import OnProgress
from dicegames.ground.numbers import percent
from dicegames.solver.chain.accounts import Account, Sign
from dicegames.solver.chain.chain import OFF_TABLES
from dicegames.solver.chain.layer_sweep import sweep
from dicegames.solver.chain.tally import tally
from dicegames.solver.kernels.workers import Workers
from dicegames.solver.solved import Solved
from dicegames.solver.status import SolveError, Status

PERCENTILES = (5, 25, 50, 75, 95)
ENOUGH = 1e-15
"""A tail that is smaller than this is small enough."""
RARE = 0.0005
"""The probability of each end that is not drawn where there is no room for it."""
CLOSE = 1e-9
"""How far a mean may be from the value, where that is around 1 and has no error, and a value from a
whole win; what is left out of a picture without a word."""


@frozen
class Bars:
    """Bars of one width, at their middles, and the probability of the ends that are left out.

    `reach` is how far the first and the last value of a bar lie from its middle.
    """

    places: NDArray[np.float64]
    masses: NDArray[np.float64]
    width: float
    reach: float
    below: float
    above: float

    @property
    def left_out(self) -> str:
        """How much of the ends is not drawn, in words; empty where all is."""
        ends = (("lower", self.below), ("higher", self.above))
        told = [f"{name} {percent(mass)}" for name, mass in ends if mass > CLOSE]
        return f"not drawn: {', '.join(told)}" if told else ""


@frozen(eq=False, slots=False)
class Distribution:
    """A distribution on finitely many values, and the probability `tail` that lies elsewhere.

    `values` ascend, `masses` are their probabilities (float64), all above zero. The tail is zero
    where the game has an end in sight; else it is the probability that play goes on for longer than
    was followed. `bounded` says whether `values` holds all values that are possible.
    """

    values: NDArray[np.float64]
    masses: NDArray[np.float64] = field(repr=False)
    tail: float = 0.0
    bounded: bool = True

    @cached_property
    def mean(self) -> float:
        """The mean."""
        return float(self.masses @ self.values)

    @cached_property
    def sd(self) -> float:
        """The standard deviation, 0 where only one value is possible."""
        if len(self.values) == 1:
            return 0.0  # masses sum to 1 within rounding, so the mean may be beside the value
        return float(np.sqrt(self.masses @ (self.values - self.mean) ** 2))

    @property
    def minimum(self) -> float:
        """The lowest value that is possible."""
        return float(self.values[0])

    @property
    def maximum(self) -> float | None:
        """The highest value that is possible, None where there is no end to them."""
        return float(self.values[-1]) if self.bounded else None

    @property
    def modes(self) -> list[float]:
        """The likeliest values."""
        likeliest = float(self.masses.max())
        return [float(v) for v in self.values[self.masses >= likeliest * (1 - 1e-12)]]

    def percentile(self, percent: float) -> float:
        """Return the lowest value that is reached with at least this probability from below."""
        total = np.cumsum(self.masses)
        place = int(np.searchsorted(total, percent / 100 * (1 - 1e-15)))
        return float(self.values[min(place, len(self.values) - 1)])

    def percentiles(self, percents: Sequence[float] = PERCENTILES) -> dict[float, float]:
        """Return several percentiles."""
        return {percent: self.percentile(percent) for percent in percents}

    def probability(self, value: float) -> float:
        """Return the probability of a value."""
        place = int(np.searchsorted(self.values, value - 1e-9))
        met = place < len(self.values) and abs(self.values[place] - value) < 1e-9
        return float(self.masses[place]) if met else 0.0

    @property
    def shared(self) -> float:
        """The probability that a win is shared: of values between 0 and 1."""
        return float(self.masses[(self.values > CLOSE) & (self.values < 1 - CLOSE)].sum())

    def common(self) -> tuple[float, float]:
        """Return the ends of what is left without rare values."""
        total = np.cumsum(self.masses)
        ends = np.searchsorted(total, [RARE, total[-1] - RARE])
        low, high = self.values[np.minimum(ends, len(self.values) - 1)].tolist()
        return low, high

    def bars(self, most: int) -> Bars:
        """Return the bars of a picture, all of one width; rare values at the ends are left out.

        A bar stands for whole steps of the values, so that all have as many of them.
        """
        values, masses = self.values, self.masses
        if len(values) < 2:
            return Bars(values, masses, 1.0, 0.0, 0.0, self.tail)
        step = float(np.diff(values).min())
        low, high = float(values[0]), float(values[-1])
        if (high - low) / step >= most:
            low, high = self.common()
        width = step * max(1.0, np.ceil((high - low) / step / most))
        shown = (values >= low) & (values <= high)
        place = np.floor((values[shown] - low) / width + 1e-9).astype(np.int64)
        together = np.bincount(place, weights=masses[shown]).astype(np.float64)
        reach = float(width - step) / 2
        middles = low + width * np.arange(len(together)) + reach
        below, above = float(masses[values < low].sum()), float(masses[values > high].sum())
        above += self.tail
        return Bars(middles, together, float(width), reach, below, above)


def distributions(
    compiled: Compiled, solved: Solved, seats: Sequence[int], threads: int | None,
    progress: OnProgress | None,
) -> list[Distribution]:  # fmt: skip
    """Return the distributions of what seats get (of the objective, where that is another).

    Raises SolveError where the game is too large or has no such distribution, and where values that
    have not settled are not those of the moves that are best by them.
    """
    if compiled.total is not None and isinstance(solved.value, float):  # a yes or no
        masses = np.array([1.0 - solved.value, solved.value])
        met = np.flatnonzero(masses > 0)
        return [Distribution(met.astype(np.float64), masses[met])] * len(seats)
    found: list[Distribution] = []
    with Workers(threads) as workers:
        for policy in policies(compiled, solved, workers):
            found = _of_policy(policy, seats, workers, progress)
            if all(one.tail < ENOUGH for one in found):
                for seat, one in zip(seats, found, strict=True):
                    demand_value(solved, policy, seat, one.mean)
                break
    return found


def demand_value(solved: Solved, policy: Policy, seat: int, mean: float) -> None:
    """Raise SolveError where the mean of a distribution is not the value that was found."""
    place, value = policy.place(seat), solved.value
    if isinstance(value, tuple):
        value = value[place]
    elif place:
        value = (policy.compiled.model.constant_sum or 0.0) - value
    value += policy.won(seat)
    # Where play counts rounds, here it is that of one and the same round.
    error = solved.error_bound + solved.residual
    if not abs(mean - value) <= CLOSE * max(1.0, abs(value)) + error:
        told = f"the value of player {seat} is {value:.9g}, the mean {mean:.9g}"
        raise SolveError(Status.NOT_CONVERGED, told)


def _of_policy(
    policy: Policy, seats: Sequence[int], workers: Workers, progress: OnProgress | None
) -> list[Distribution]:
    if policy.is_cut_off:  # what goes beyond is counted apart
        return _tallied(policy, seats, workers, progress)
    try:
        spread = sweep(policy.chain, workers, progress)
    except SolveError as error:
        if error.status is not Status.UNSUPPORTED:
            raise
        return _tallied(policy, seats, workers, progress)
    met = np.flatnonzero(spread.mass)
    values = policy.chain.units.amounts(spread.low + met)
    return [Distribution(values + policy.won(seat), spread.mass[met]) for seat in seats]


def _tallied(
    policy: Policy, seats: Sequence[int], workers: Workers, progress: OnProgress | None
) -> list[Distribution]:
    def advance(account: Account, sign: Sign) -> Account:
        """Add to what the seat has been paid."""
        if not isinstance(account, int) or sign.label == OFF_TABLES:
            return None
        return account + sign.paid

    places = [policy.place(seat) for seat in seats]
    tallies = tally(policy.chain, 0, advance, seats=places, workers=workers, report=progress)
    found = []
    for seat, one in zip(seats, tallies, strict=True):
        beyond = one.mass.pop(None, 0.0)
        sums = np.array(sorted(one.mass), np.int64)  # type: ignore[type-var]  # all are numbers
        values = policy.chain.units.amounts(sums) + policy.won(seat)
        masses = np.array([one.mass[paid] for paid in sums.tolist()], np.float64)
        tail = one.tail + beyond
        bounded = not tail or not (one.pays_early or policy.is_cut_off)
        found.append(Distribution(values, masses, tail, bounded))
    return found
