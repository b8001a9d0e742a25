"""Histograms and sweeps as images, where matplotlib is installed."""

from __future__ import annotations

from collections.abc import Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

from dicegames.analysis.solution import SolutionError
from dicegames.cli.printing.histogram import Bars, bars, shown
from dicegames.ground.writing import demand_writable, whole_file
from dicegames.rules.running.objectives import of_one_game

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from dicegames.analysis.chances.distribution import Distribution

MOST_BARS = 400
APART = 60
"""Bars up to which there is room for gaps between them."""
KINDS = (".png", ".svg", ".pdf")


def demand(path: str, rules: str) -> None:
    """Raise SolutionError or UnwritableFile, before any work, where it cannot be drawn."""
    if Path(path).suffix.lower() not in KINDS:
        raise SolutionError(f"{path}: a plot is a file with an end such as {', '.join(KINDS)}")
    if find_spec("matplotlib") is None:
        message = 'plots need matplotlib, which is not installed: pip install "dicegames[plot]"'
        raise SolutionError(message)
    demand_writable(path, rules)


def save(path: str, found: Sequence[Distribution], title: str, unit: str) -> None:
    """Draw a histogram for each seat into a file; raises UnwritableFile."""
    from matplotlib.figure import Figure  # noqa: PLC0415 - an extra

    figure = Figure(figsize=(8, 2.5 + 2 * len(found)), layout="constrained")
    figure.suptitle(title)
    panels = figure.subplots(len(found), sharex=True, squeeze=False)[:, 0]
    for number, (axes, distribution) in enumerate(zip(panels, found, strict=True), 1):
        drawn = bars(distribution.values, distribution.masses, MOST_BARS)
        gap = 0.9 if len(drawn.places) <= APART else 1.0  # finer gaps would be drawn as stripes
        axes.bar(drawn.places, 100 * drawn.masses, width=gap * drawn.width, linewidth=0)
        mean = f"mean {shown(round(distribution.mean, 4))}"
        axes.axvline(distribution.mean, color="black", linewidth=0.8, linestyle="--", label=mean)
        axes.legend(title=_left_out(drawn), loc="best", frameon=False)
        axes.set_ylabel(f"probability in %, each bar {shown(drawn.width)} wide")
        if len(found) > 1:
            axes.set_title(f"player {number}")
    panels[-1].set_xlabel(of_one_game(unit))
    save_drawn(path, figure)


def _left_out(drawn: Bars) -> str | None:
    """Say how much of the ends is not drawn."""
    ends = (("lower", drawn.below), ("higher", drawn.above))
    told = [f"{name} {mass:.2%}" for name, mass in ends if mass]
    return f"not drawn: {', '.join(told)}" if told else None


def save_drawn(path: str, figure: Figure) -> None:
    """Write what was drawn into a file; raises UnwritableFile."""
    with whole_file(path) as file:
        figure.savefig(file, format=Path(path).suffix[1:].lower())
