"""A histogram of text: a row for each value, or for each stretch of values where they are many."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from dicegames.analysis.chances.distribution import Distribution
from dicegames.ground.numbers import percent
from dicegames.play.picture import bar
from dicegames.play.wording import Line

MOST_ROWS, ROWS_WITH_RESULTS = 20, 12
SHORTEST_BAR, LONGEST_BAR = 4, 40
NICE = (1, 2, 5)


def histogram(
    found: Distribution, columns: int, results: Sequence[tuple[str, float]] = ()
) -> list[Line]:
    """Return the lines of a histogram that is at most so many columns wide.

    Where there are results of players, fewer and shorter bars leave room for their names.
    """
    rows = _stretches(found, ROWS_WITH_RESULTS if results else MOST_ROWS)
    labels = [shown(a) if a == b else f"{shown(a)} to {shown(b)}" for a, b, _ in rows]
    shares = [percent(mass, 1 if results else 3).rjust(6 if results else 8) for *_, mass in rows]
    names = [", ".join(name for name, result in results if a <= result <= b) for a, b, _ in rows]
    wide, most = max(map(len, labels)), max(mass for *_, mass in rows)
    room = columns - wide - len(shares[0]) - 3
    if results:
        room = min(LONGEST_BAR, room - max(map(len, names)) - 3)
    lines: list[Line] = []
    for label, share, who, (*_, mass) in zip(labels, shares, names, rows, strict=True):
        line = [(f"{label:>{wide}} {share} ", "dim" if results else "")]
        style = ("bold green" if who else "cyan") if results else ""
        line.append((bar(mass / most, max(SHORTEST_BAR, room)), style))
        lines.append([*line, (f" < {who}", "bold")] if who else line)
    return lines


def _stretches(found: Distribution, most: int) -> list[tuple[float, float, float]]:
    """Return stretches (first value, last value, probability); single values if they are few."""
    values, masses = found.values, found.masses
    if len(values) <= most:
        return [(v, v, p) for v, p in zip(values.tolist(), masses.tolist(), strict=True)]
    low, high = found.common()
    width = _nice((high - low) / (most - 2))
    place = np.clip(np.floor(values / width), np.floor(low / width), np.floor(high / width))
    rows = []
    for number in np.unique(place):
        own = place == number
        rows.append((float(values[own][0]), float(values[own][-1]), float(masses[own].sum())))
    return rows


def shown(value: float) -> str:
    """Return a value as people write it."""
    return f"{value:.0f}" if value == int(value) else f"{value:.4g}"


def _nice(width: float) -> float:
    """Return the next larger of 1, 2, 5, 10, 20, 50, ..."""
    power = 10.0 ** np.floor(np.log10(width))
    return float(next(n * power for n in (*NICE, 10) if n * power >= width * (1 - 1e-9)))
