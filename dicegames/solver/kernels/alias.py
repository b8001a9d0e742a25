"""Alias tables: drawing one of many outcomes from two numbers by chance (A. J. Walker 1977)."""

from __future__ import annotations

import numpy as np

from dicegames.solver.model import Array


def alias_table(weight: Array) -> tuple[Array, Array]:
    """For every outcome: the probability to keep it, and the number of the one instead.

    In the form of M. D. Vose (1991); weights need not add up to 1.
    """
    keep, other = np.ones(len(weight)), np.arange(len(weight))
    scaled = (weight * (len(weight) / float(weight.sum()))).tolist()
    low = [i for i, p in enumerate(scaled) if p < 1]
    high = [i for i, p in enumerate(scaled) if p >= 1]
    while low and high:
        short, rich = low.pop(), high[-1]
        keep[short], other[short] = scaled[short], rich
        scaled[rich] -= 1 - scaled[short]
        if scaled[rich] < 1:
            low.append(high.pop())
    return keep, other
