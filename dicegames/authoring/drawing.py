"""Drawings of matplotlib: distributions, lines and heat maps of sweeps, how good cards are.

Colours are those of Okabe and Ito, "Color Universal Design" (2008), which the colour-blind tell
apart, and each line has a sign of its own; heat maps use cividis, made for the same purpose.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from matplotlib.figure import Figure

from dicegames.analysis.solution import SolutionError
from dicegames.authoring.sweeps.sweep import demand_drawn
from dicegames.rules.reading.house_rules import option_text
from dicegames.rules.running.objectives import of_one_game

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from dicegames.analysis.chances.distribution import Distribution
    from dicegames.authoring.cards.card import Card
    from dicegames.authoring.sweeps.sweep import Sweep
    from dicegames.ground.table import Cell

COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#56B4E9", "#E69F00", "#8A8A8A")
MARKERS = "os^Dv*x"
MOST_LINES = len(COLOURS)
MOST_BARS = 400
MOST_VALUES_NAMED = 12
"""Values up to which each of them is written below its bar."""
APART = 60
"""Bars up to which there is room for gaps between them."""


def draw_distributions(found: Sequence[Distribution], title: str, unit: str) -> Figure:
    """Return a drawing with a histogram for each seat."""
    figure = Figure(figsize=(8, 2.5 + 2 * len(found)), layout="constrained")
    figure.suptitle(title)
    panels = figure.subplots(len(found), sharex=True, squeeze=False)[:, 0]
    bars = [one.bars(MOST_BARS) for one in found]
    for number, (axes, one, drawn) in enumerate(zip(panels, found, bars, strict=True), 1):
        gap = 0.9 if len(drawn.places) <= APART else 1.0  # finer gaps would be drawn as stripes
        axes.bar(drawn.places, 100 * drawn.masses, width=gap * drawn.width, linewidth=0)
        mean = f"mean {one.mean:.6g}"
        axes.axvline(one.mean, color="black", linewidth=0.8, linestyle="--", label=mean)
        axes.legend(  # above the bars, which may stand anywhere below
            title=drawn.left_out or None, loc="lower right", bbox_to_anchor=(1, 1), frameon=False
        )
        axes.set_ylabel(f"probability in %, each bar {drawn.width:g} wide")
        if len(found) > 1:
            axes.set_title(f"player {number}", loc="left")
    places = sorted({place for drawn in bars for place in drawn.places.tolist()})
    if len(places) <= MOST_VALUES_NAMED and not any(drawn.reach for drawn in bars):
        panels[-1].set_xticks(places)  # nothing lies between the values
    panels[-1].set_xlabel(of_one_game(unit))
    return figure


def draw_sweep(found: Sweep) -> Figure:
    """Return a drawing for each number: lines over one option, a heat map over two.

    Raises SolutionError where there is nothing to draw, or more than two options vary.
    """
    table = found.table
    names = [n for n in table.columns if n not in (*found.varied, "problem")]
    demand_drawn(found.varied)
    if not names:
        raise SolutionError("there is nothing to draw: no setting could be solved")
    groups: dict[str, list[str]] = {}
    for name in names:
        key = name.partition(" of seat")[0] if len(found.varied) == 1 else name
        groups.setdefault(key, []).append(name)
    figure = Figure(figsize=(8, 0.6 + 3.4 * len(groups)), layout="constrained")
    figure.suptitle(f"{found.title}, objective {found.objective}")
    panels = figure.subplots(len(groups), squeeze=False)[:, 0]
    for axes, (key, columns) in zip(panels, groups.items(), strict=True):
        if len(found.varied) == 1:
            _lines(axes, found, key, columns)
        else:
            _heat(figure, axes, found, key)
    return figure


def draw_front(found: Card) -> Figure:
    """Return a drawing of the value of cards over their lines, and that of best play."""
    figure = Figure(figsize=(8, 4), layout="constrained")
    axes = figure.subplots()
    lines = [len(entry.lines) for entry in found.front]
    values = [entry.value for entry in found.front]
    axes.step(
        lines, values, where="post", color=COLOURS[0], marker=MARKERS[0], label="best card found"
    )
    axes.axhline(found.best, color=COLOURS[1], linestyle="--", label="best play")
    axes.set_title(f"{found.title}: cards, objective {found.objective}")
    axes.set_xlabel("lines on the card")
    axes.locator_params(axis="x", integer=True)
    axes.set_ylabel(f"value, objective {found.objective}")
    axes.legend()
    return figure


def _lines(axes: Axes, found: Sweep, key: str, columns: list[str]) -> None:
    table, option = found.table, found.varied[0]
    places = table.column(option)
    for number, name in enumerate(columns):
        pairs = [
            (x, y) for x, y in zip(_shown(places), table.column(name), strict=True) if y is not None
        ]
        style: dict[str, Any] = {
            "color": COLOURS[number % MOST_LINES],
            "marker": MARKERS[number % MOST_LINES],
        }
        axes.plot([x for x, _ in pairs], [y for _, y in pairs], markersize=4, label=name, **style)
    if all(type(place) is int for place in places):
        axes.locator_params(axis="x", integer=True)
    axes.set_xlabel(option)
    axes.set_ylabel(_with_unit(key, found.unit))
    if len(columns) > 1:
        axes.legend()


def _heat(figure: Figure, axes: Axes, found: Sweep, name: str) -> None:
    table, (down, across) = found.table, found.varied
    rows, columns = (list(dict.fromkeys(table.column(n))) for n in (down, across))
    cells: dict[tuple[Cell, Cell], Any] = {
        (a, b): value
        for a, b, value in zip(*(table.column(n) for n in (down, across, name)), strict=True)
    }
    grid = [[_number(cells.get((a, b))) for b in columns] for a in rows]
    image = axes.imshow(grid, cmap="cividis", aspect="auto", origin="lower")
    axes.set_xticks(range(len(columns)), [option_text(v) for v in columns])
    axes.set_yticks(range(len(rows)), [option_text(v) for v in rows])
    axes.set_xlabel(across)
    axes.set_ylabel(down)
    figure.colorbar(image, ax=axes, label=_with_unit(name, found.unit))


def _with_unit(name: str, unit: str) -> str:
    """Return what a number is and in what it is counted, one below the other."""
    kind = name.partition(" of seat")[0]
    known = {"value": unit, "mean": unit, "win": "probability", "tie": "probability"}
    known |= {"error": "at most, in units of the value", "states": "number", "seconds": "seconds"}
    return f"{name}\n{known.get(kind, of_one_game(unit))}"


def _number(value: Any) -> float:
    return float("nan") if value is None else float(value)


def _shown(values: list[Cell]) -> list[Any]:
    """Return numbers as they are, and words as words on the axis."""
    return values if all(type(v) is int for v in values) else [option_text(v) for v in values]
