"""A histogram of text: a row for each value, or for each stretch of values where they are many."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from attrs import frozen

from dicegames.play.picture import bar

if TYPE_CHECKING:
    from numpy.typing import NDArray

MOST_ROWS = 20
NICE = (1, 2, 5)
RARE = 0.0005
"""The probability of each end that is not drawn where there is no room for it."""


def bins(
    values: NDArray[np.float64], masses: NDArray[np.float64], most: int = MOST_ROWS
) -> list[tuple[float, float, float]]:
    """Return stretches (first value, last value, probability); single values if they are few."""
    if len(values) <= most:
        return [(v, v, p) for v, p in zip(values.tolist(), masses.tolist(), strict=True)]
    low, high = _common(values, masses)
    width = _nice((high - low) / (most - 2))
    place = np.clip(np.floor(values / width), np.floor(low / width), np.floor(high / width))
    found = []
    for number in np.unique(place):
        own = place == number
        found.append((float(values[own][0]), float(values[own][-1]), float(masses[own].sum())))
    return found


def _common(values: NDArray[np.float64], masses: NDArray[np.float64]) -> tuple[float, float]:
    """Return the ends of what is left without rare values."""
    total = np.cumsum(masses)
    ends = np.searchsorted(total, [RARE, total[-1] - RARE])
    low, high = values[np.minimum(ends, len(values) - 1)].tolist()
    return low, high


@frozen
class Bars:
    """Bars of one width, at their middles, and the probability of the ends that are left out."""

    places: NDArray[np.float64]
    masses: NDArray[np.float64]
    width: float
    below: float
    above: float


def bars(values: NDArray[np.float64], masses: NDArray[np.float64], most: int) -> Bars:
    """Return the bars of a picture, all of one width; rare values at the ends are left out.

    A bar stands for whole steps of the values, so that all have as many of them.
    """
    if len(values) < 2:
        return Bars(values, masses, 1.0, 0.0, 0.0)
    step = float(np.diff(values).min())
    low, high = float(values[0]), float(values[-1])
    if (high - low) / step >= most:
        low, high = _common(values, masses)
    width = step * max(1.0, np.ceil((high - low) / step / most))
    shown = (values >= low) & (values <= high)
    place = np.floor((values[shown] - low) / width + 1e-9).astype(np.int64)
    together = np.bincount(place, weights=masses[shown]).astype(np.float64)
    middles = low + width * np.arange(len(together)) + (width - step) / 2
    below, above = float(masses[values < low].sum()), float(masses[values > high].sum())
    return Bars(middles, together, float(width), below, above)


def histogram(values: NDArray[np.float64], masses: NDArray[np.float64], columns: int) -> list[str]:
    """Return the lines of a histogram that is at most so many columns wide."""
    rows = bins(values, masses)
    labels = [stretch(a, b) for a, b, _ in rows]
    wide = max(len(label) for label in labels)
    room = max(4, columns - wide - 11)
    highest = max(p for _, _, p in rows)
    return [
        f"{label:>{wide}} {p:8.3%} {bar(p / highest, room)}"
        for label, (_, _, p) in zip(labels, rows, strict=True)
    ]


def stretch(first: float, last: float) -> str:
    """Return the values from one to another as people write them."""
    return shown(first) if first == last else f"{shown(first)} to {shown(last)}"


def shown(value: float) -> str:
    """Return a value as people write it."""
    return f"{value:.0f}" if value == int(value) else f"{value:.4g}"


def _nice(width: float) -> float:
    """Return the next larger of 1, 2, 5, 10, 20, 50, ..."""
    power = 10.0 ** np.floor(np.log10(width))
    return float(next(n * power for n in (*NICE, 10) if n * power >= width * (1 - 1e-9)))
