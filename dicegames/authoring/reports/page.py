"""Pages of HTML, such as a report: nothing is fetched, light and dark, wide and narrow.

Histograms are drawn as inline SVG, with a title, labelled ends and a colour that the colour-blind
tell from the page.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from jinja2 import DictLoader, Environment

from dicegames.analysis.chances.distribution import Distribution
from dicegames.authoring.reports.report import Report
from dicegames.authoring.table import Table, cell_text
from dicegames.ground.numbers import percent
from dicegames.rules.running.objectives import of_one_game

WIDTH, HEIGHT, LOW = 480, 170, 28
MOST_BARS = 80

BASE = """<!doctype html>
<html lang="en"><head><meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{{ title }}</title>
<style>
:root { color-scheme: light dark; --bar: #0072b2; --line: #8888; }
@media (prefers-color-scheme: dark) { :root { --bar: #56b4e9; } }
body { font: 16px/1.5 system-ui, sans-serif; max-width: 50rem; margin: 2rem auto; padding: 0 1rem; }
.scroll { overflow-x: auto; }
table { border-collapse: collapse; }
th, td { padding: .2rem .8rem .2rem 0; border-bottom: 1px solid var(--line); text-align: left; }
.number { text-align: right; font-variant-numeric: tabular-nums; white-space: nowrap; }
.basis { font-size: .85rem; opacity: .75; margin: -.6rem 0 .6rem; }
figure { margin: 1rem 0; max-width: 36rem; }
svg { width: 100%; height: auto; } svg rect { fill: var(--bar); }
svg text { fill: currentColor; font-size: 14px; }
@media (max-width: 30rem) { svg text { font-size: 18px; } }
figcaption { margin-bottom: .3rem; } figcaption small { display: block; }
svg path { stroke: currentColor; fill: none; }
{% block style %}{% endblock %}</style></head><body>
{% block body %}{% endblock %}
</body></html>
"""

TEMPLATE = """{% extends "base" %}{% block body %}
<h1>{{ found.title }}</h1>
<p>Objective {{ found.objective }}{% for name, value in found.options.items() %};
{{ name }} {{ text(value) }}{% endfor %}. Seed {{ found.seed }}.</p>
{% for chart in charts %}
<figure><figcaption>{{ chart.title }} <small>{{ chart.told }}</small></figcaption>
<svg viewBox="0 0 {{ width }} {{ height + 50 }}" role="img" aria-label="{{ chart.title }}">
<title>{{ chart.title }}</title>
{% for bar in chart.bars -%}
<rect x="{{ bar.x }}" y="{{ bar.y }}" width="{{ bar.w }}" height="{{ bar.h }}">\
<title>{{ bar.title }}</title></rect>
{% endfor -%}
<path d="M6 {{ low }}H0V{{ height }}H{{ width }}"/>
<text x="0" y="{{ low - 8 }}">{{ chart.top }}</text>
<text x="0" y="{{ height + 18 }}">{{ chart.low }}</text>
<text x="{{ width }}" y="{{ height + 18 }}" text-anchor="end">{{ chart.high }}</text>
<text x="{{ width / 2 }}" y="{{ height + 38 }}" text-anchor="middle">{{ chart.axis }}</text>
</svg></figure>
{% endfor %}
{% for section in found.sections %}
<h2>{{ section.table.title }}</h2>
<p class="basis">{{ section.basis }}: {{ section.source }}</p>
<div class="scroll"><table><thead><tr>
{% for name in section.table.columns %}\
<th{% if section.table.rows and section.table.rows[0][loop.index0] is number %} class="number"\
{% endif %}>{{ name }}</th>{% endfor %}</tr></thead><tbody>
{% for row in section.table.rows %}<tr>{% for cell in row -%}
<td{% if cell is number %} class="number"{% endif %}>{{ text(cell) }}</td>
{%- endfor %}</tr>
{% endfor %}</tbody></table></div>
{% endfor %}
{% for note in found.notes %}<p class="basis">{{ note }}</p>{% endfor %}
{% endblock %}
"""


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
    return rendered(TEMPLATE, f"{found.title}: report", **values)


def rendered(template: str, title: str, **values: Any) -> str:
    """Return a page from a template that extends "base", all values escaped."""
    environment = Environment(
        autoescape=True, trim_blocks=True, loader=DictLoader({"base": BASE, "page": template})
    )
    return environment.get_template("page").render(title=title, text=cell_text, **values)


def _chart(found: Distribution, title: str, axis: str) -> dict[str, Any]:
    """Return what is drawn of a distribution."""
    drawn = found.bars(MOST_BARS)
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
