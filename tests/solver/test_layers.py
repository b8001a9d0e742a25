"""Sweeps of a layer of a grid."""

from types import SimpleNamespace
from typing import Any

import numpy as np

from dicegames.solver.blocks.by_layers import _spans
from dicegames.solver.graph.must import bit_rows
from dicegames.solver.grid.grid import GridLayer
from dicegames.solver.grid.layers import _leap


def test_what_became_infinite_is_left_as_it_is() -> None:
    """A turn without an end that was foreseen: the others are moved on, and nothing is warned of.

    Row 1 nears its limit by one half in each sweep: 1/4 was the last step, and what follows adds up
    to 1/4 more. Row 3 moves by as much in each sweep.
    """
    old = np.array([[np.inf, -np.inf], [0.5, -0.5], [1.0, -1.0], [1.0, -1.0]])
    new = np.array([[0.0, 0.0], [0.25, -0.25], [np.inf, -np.inf], [1.0, -1.0]])
    assert _leap(old, new).tolist() == [[0.0, 0.0], [0.25, -0.25], [0.0, 0.0], [0.0, 0.0]]


def test_rows_read_each_other_within_a_layer() -> None:
    """Row 10 reads 11, from which play goes round between 11 and 12; 13 is read by 14 alone."""
    layer = GridLayer(np.arange(10, 15), np.array([10, 11, 12, 14]), np.array([11, 12, 11, 13]))
    assert layer.readers(np.array([11, 13])).tolist() == [10, 12, 14]
    assert layer.readers(np.array([10])).tolist() == []
    assert layer.around.tolist() == [10, 11, 12]


def test_spans_of_rows_of_hundreds_of_points() -> None:
    met = np.zeros((3, 330), np.bool_)
    met[0, [190, 255]] = met[1, [256, 329]] = met[2, 3] = True
    reach: Any = SimpleNamespace(closure=bit_rows(met))
    spans = [part.tolist() for part in _spans(reach, np.arange(3))]
    assert spans == [[190, 256, 3], [66, 74, 1], [2, 2, 1]]
