"""What is paid as whole numbers of one unit, so that sums are exact and rows can be indexed."""

from __future__ import annotations

from fractions import Fraction
from math import gcd, lcm
from typing import Final

import numpy as np
from attrs import frozen

from dicegames.solver.model import Array, Formula, Lookup, Model
from dicegames.solver.status import SolveError, Status

LARGEST_DENOMINATOR: Final = 10**6


@frozen(eq=False)
class Units:
    """Payments of a model, in whole units."""

    unit: Fraction
    constant: Array  # int64[rewards]
    floats: Array  # int64: the pool of reward lookups (see `flat`)
    span: int  # between the least and the most that one step can pay, and zero

    def amounts(self, counts: Array) -> Array:
        """Return what so many units are: float64, rounded once below 2**53 / numerator."""
        return np.asarray(counts, np.float64) * self.unit.numerator / self.unit.denominator


def find_units(model: Model, floats: Array, used: Array) -> Units:
    """Find the largest unit of the rewards that are `used`; SolveError where there is none.

    `floats` is the pool of reward lookups.
    """
    constants = np.array([reward.constant for reward in model.rewards])
    lookups = {k for number in np.flatnonzero(used).tolist() for k in model.rewards[number].lookups}
    tables = [_different(model.lookups[k]) for k in sorted(lookups)]
    numbers = np.unique(np.concatenate([constants[used], *tables]))
    parts = [Fraction(float(n)).limit_denominator(LARGEST_DENOMINATOR) for n in numbers]
    near = all(
        abs(float(part) - n) <= 1e-12 * max(1.0, abs(n))
        for part, n in zip(parts, numbers.tolist(), strict=True)
    )
    whole = lcm(*(part.denominator for part in parts))
    if not near or whole > LARGEST_DENOMINATOR**2:
        raise SolveError(Status.UNSUPPORTED, "what is paid is not a multiple of one fraction")
    unit = Fraction(gcd(*(int(part * whole) for part in parts)), whole) or Fraction(1)
    scale = float(1 / unit)
    span = round(_span(model, used) * scale)
    return Units(unit, _whole(constants, scale), _whole(floats, scale), span)


def _different(lookup: Lookup | Formula) -> Array:
    return np.unique(lookup.values) if lookup.few is None else lookup.few


def _span(model: Model, used: Array) -> float:
    """How far apart single payments may be, and zero."""
    lowest = highest = 0.0
    for number in np.flatnonzero(used).tolist():
        reward = model.rewards[number]
        tables = [model.lookups[k].values for k in reward.lookups]
        lowest = min(lowest, reward.constant + sum(float(t.min(initial=0.0)) for t in tables))
        highest = max(highest, reward.constant + sum(float(t.max(initial=0.0)) for t in tables))
    return highest - lowest


def _whole(numbers: Array, scale: float) -> Array:
    return np.rint(numbers * scale).astype(np.int64)
