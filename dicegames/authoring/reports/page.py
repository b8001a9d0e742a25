"""Pages of HTML, such as a report: nothing is fetched, light and dark, wide and narrow.

Histograms are drawn as inline SVG, with a title, labelled ends and a colour that the colour-blind
tell from the page.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from jinja2 import Environment, PackageLoader

from dicegames.analysis.chances.distribution import Distribution
from dicegames.authoring.reports.report import Report
from dicegames.ground.numbers import percent
from dicegames.ground.table import Table, cell_text
from dicegames.rules.running.objectives import of_one_game

WIDTH, HEIGHT, LOW = 480, 170, 28
MOST_PAGE_BARS = 80
PAGES = PackageLoader("dicegames", "pages")


def page(found: Report) -> str:
    """Return a report as one HTML document."""
    axis = f"result: {of_one_game(found.unit)}"
    several = len(found.distributions) > 1
    charts = [
        _chart(one, f"Results{f' of seat {seat}' if several else ''}, exact", axis)
        for seat, one in enumerate(found.distributions, 1)
    ]
    basis = {section.name: section.basis for section in found.sections}
    for kind, one in found.lengths.items():
        if len(one.values) == 1:
            continue  # the same in every game: there is nothing to draw
        title = f"{kind.capitalize()} in a game by best play, {basis['length']}"
        charts.append(_chart(one, title, kind))
    charts += [
        _settled(section.table, section.basis)
        for section in found.sections
        if section.name == "drama"
    ]
    values = {"found": found, "charts": charts, "width": WIDTH, "height": HEIGHT, "low": LOW}
    return rendered("report", f"{found.title}: report", **values)


def rendered(name: str, title: str, **values: Any) -> str:
    """Return the page of a template in `dicegames/pages`, all values escaped."""
    environment = Environment(autoescape=True, trim_blocks=True, loader=PAGES)
    return environment.get_template(f"{name}.html").render(title=title, text=cell_text, **values)


def _chart(found: Distribution, title: str, axis: str) -> dict[str, Any]:
    """Return what is drawn of a distribution."""
    drawn = found.bars(MOST_PAGE_BARS)
    tallest = float(drawn.masses.max())
    told = [f"mean {found.mean:.6g}, standard deviation {found.sd:.6g}", drawn.left_out]
    pairs = zip(drawn.places, drawn.masses, strict=True)
    names = [f"{_stretch(place, drawn.reach)}: {percent(mass, 4)}" for place, mass in pairs]
    return {
        "title": title,
        "told": "; ".join(filter(None, told)),
        "bars": _bars((drawn.masses / tallest).tolist(), names),
        "low": f"{drawn.places[0] - drawn.reach:g}",
        "high": f"{drawn.places[-1] + drawn.reach:g}",
        "top": f"probability {percent(tallest)}",
        "axis": axis,
    }


def _stretch(middle: float, reach: float) -> str:
    return f"{middle - reach:g} to {middle + reach:g}" if reach else f"{middle:g}"


def _settled(table: Table, basis: str) -> dict[str, Any]:
    """Return what is drawn of how much of the variance of results is settled by when."""
    turns, shares = table.column("turns"), table.column("share settled")
    heights = [float(share or 0) for share in shares]
    names = [
        f"after {turn} turns: {percent(share, 1)}"
        for turn, share in zip(turns, heights, strict=True)
    ]
    return {
        "title": f"{table.title}, {basis}",
        "told": "the share of the variance of the results that is settled",
        "bars": _bars(heights, names),
        "low": f"{turns[0]}",
        "high": f"{turns[-1]}",
        "top": "100%",
        "axis": "turns played, of all players",
    }


def _bars(heights: Sequence[float], names: Sequence[str]) -> list[dict[str, Any]]:
    """Return the places of bars whose heights are shares of the axis."""
    step = WIDTH / max(1, len(heights))
    return [
        {
            "x": round(number * step, 2),
            "y": round(HEIGHT - (HEIGHT - LOW) * height, 2),
            "w": round(step * 0.9, 2),
            "h": round((HEIGHT - LOW) * height, 2),
            "title": name,
        }
        for number, (height, name) in enumerate(zip(heights, names, strict=True))
    ]
