"""What is drawn."""

import numpy as np
import pytest

from dicegames.analysis.chances.distribution import Distribution

drawing = pytest.importorskip("dicegames.authoring.drawing")


def test_few_values_are_written_below_their_bars() -> None:
    result = Distribution(np.array([0.0, 1.0]), np.array([0.25, 0.75]))
    level = Distribution(np.array([0.0, 0.5, 1.0]), np.array([0.25, 0.5, 0.25]))
    for found, places in (([result] * 2, [0, 1]), ([result, level], [0, 0.5, 1])):
        ticks = drawing.draw_distributions(found, "Game", "points").axes[-1].get_xticks()
        assert ticks.tolist() == places
    many = Distribution(np.arange(500.0), np.full(500, 1 / 500))
    assert len(drawing.draw_distributions([many], "Game", "points").axes[0].get_xticks()) < 20


def test_what_the_mean_is_stands_beside_the_bars() -> None:
    even = Distribution(np.array([-1.0, 1.0]), np.array([0.5, 0.5]))
    figure = drawing.draw_distributions([even] * 2, "Game", "points")
    figure.draw_without_rendering()
    for axes in figure.axes:
        legend = axes.get_legend().get_window_extent()
        assert legend.y0 >= axes.get_window_extent().y1
        assert not legend.overlaps(axes.title.get_window_extent())
