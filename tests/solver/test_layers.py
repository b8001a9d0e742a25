"""Sweeps of a layer of a grid."""

import numpy as np

from dicegames.solver.grid.layers import _extrapolate


def test_what_became_infinite_is_left_as_it_is() -> None:
    """A turn without an end that was foreseen: the others are moved on, and nothing is warned of.

    Row 1 nears its limit by one half in each sweep: 1/2, 1/4 and what follows add up to 1/4 more.
    """
    values = np.array([[np.inf, -np.inf], [0.75, -0.75], [2.0, -2.0]])
    old = np.array([[np.inf, -np.inf], [0.5, -0.5], [1.0, -1.0]])
    new = np.array([[0.0, 0.0], [0.25, -0.25], [np.inf, -np.inf]])
    assert _extrapolate(values, np.arange(3), old, new)
    assert values.tolist() == [[np.inf, -np.inf], [1.0, -1.0], [2.0, -2.0]]
