"""`dicegames stats`: the exact distribution of what a game brings, and of what happens in it."""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator
from functools import partial
from typing import Any

from dicegames.analysis.chances.distribution import Distribution
from dicegames.analysis.chances.outcomes import Count, Outcomes
from dicegames.analysis.solution import Solution
from dicegames.cli.printing import output
from dicegames.cli.printing.answer import Answer, Block, Pairs, Rows, about, heading, told_of
from dicegames.cli.printing.files import demand_csv, demand_drawable, save_drawn, with_csv
from dicegames.cli.printing.histogram import histogram, shown
from dicegames.cli.printing.in_words import is_probability, rounds_rows, unit
from dicegames.cli.solving import Solving, obtained, progress, solved, spreads
from dicegames.cli.watch import peak
from dicegames.loading import Game
from dicegames.play.wording import Line

OUTCOMES_SHOWN = 15
ALL_SEATS = "all"
BARS_APART = 2


def run(
    game: Game, names: str | None, plot: str | None, solving: Solving, *, csv: str | None,
    json: bool,
) -> Answer:  # fmt: skip
    """Return the distribution, or that of the outcomes named."""
    began = time.perf_counter()
    demand_csv(csv, game.file, json=json)
    demand_drawable(plot, game.file)
    if names is not None:
        solution = solved(game, solving, noted=True)
        asked = [name.strip() for name in names.split(",") if name.strip() != ALL_SEATS]
        with progress("Counting outcomes") as report:
            happened = solution.outcomes(*asked, threads=solving.threads, progress=report)
        told = _outcomes_for_programs(game, solution, happened)
        lines = partial(_lines, _outcomes_as_csv(happened))
        return Answer(told, with_csv(csv, lines, _outcomes(game, happened)))
    solution = obtained(game, solving)
    found = spreads(game, solution, solving)
    if plot is not None:
        from dicegames.authoring.drawing import draw_distributions  # noqa: PLC0415 - an extra

        save_drawn(plot, draw_distributions(found, game.title, unit(solution)))
    told = _for_programs(game, solution, found)
    told["seconds"] = time.perf_counter() - began
    people = _for_people(game, solution, found, began)
    return Answer(told, with_csv(csv, partial(_lines, _as_csv(found)), people))


def _lines(rows: Iterable[str]) -> str:
    return "".join(f"{row}\n" for row in rows)


# ---- the distribution


def _for_programs(game: Game, solution: Solution, found: list[Distribution]) -> dict[str, Any]:
    """Return what is told of a game; where there are several seats, first that of seat 1."""
    told = about(game, solution.objective, **told_of(solution, "value error_bound"))
    told |= _figures(found[0])
    told["peak_memory_mb"] = peak() / 1e6
    if len(found) > 1:
        told["seats"] = [_figures(one) for one in found]
        if is_probability(solution):
            wins = [dict(zip(("win", "tie", "loss"), _wins(one), strict=True)) for one in found]
            told["seats"] = [w | f for w, f in zip(wins, told["seats"], strict=True)]
    return told


def _figures(found: Distribution) -> dict[str, Any]:
    return {
        **told_of(found, "mean sd"),
        "percentiles": {str(k): v for k, v in found.percentiles().items()},
        "modes": found.modes,
        "min": found.minimum,
        "max": found.maximum,
        "distribution": [
            [v, p] for v, p in zip(found.values.tolist(), found.masses.tolist(), strict=True)
        ],
        "tail": found.tail,
    }


def _as_csv(found: list[Distribution]) -> Iterator[str]:
    """Yield values and probabilities, behind the player where there are several seats."""
    several = len(found) > 1
    yield "player," * several + "value,probability"
    for seat, one in enumerate(found, 1):
        for value, mass in zip(one.values.tolist(), one.masses.tolist(), strict=True):
            yield f"{seat}," * several + f"{value!r},{mass!r}"


def _for_people(
    game: Game, solution: Solution, found: list[Distribution], began: float
) -> Iterator[Block]:
    yield heading(game)
    several = len(found) > 1
    wins = several and is_probability(solution)
    rows: list[tuple[str, str]] = []
    if wins:
        for number, one in enumerate(found, 1):
            shares = "wins {:.6f}, ties {:.6f}, loses {:.6f}".format(*_wins(one))
            rows.append((f"player {number}", shares))
    elif several:
        yield [(unit(solution), "dim")]
        yield from _table_of_seats(found)
    else:
        (one,) = found
        percentiles = one.percentiles()
        rows = [
            ("mean", output.number(one.mean)),
            ("", unit(solution)),
            ("sd", output.number(one.sd)),
            ("percentiles", ", ".join(f"{p}%: {shown(v)}" for p, v in percentiles.items())),
            ("likeliest", ", ".join(map(shown, one.modes))),
            ("from, to", f"{shown(one.minimum)}, {_most(one)}"),
        ]
    if tail := max(one.tail for one in found):
        rows.append(("tail", f"{output.small(tail)} is not followed any further"))
    pairs = zip(found, solution.values, strict=False)
    off = max(abs(one.mean - value) for one, value in pairs)
    told = f"here it is played by one and the same: {output.small(off)} from the value"
    rows.extend(rounds_rows(solution, told))
    spent = output.duration(time.perf_counter() - began)
    rows.append(("time", f"{spent}, {peak() / 1e6:.0f} MB of memory"))
    yield Pairs(rows)
    for number, one in enumerate(() if wins else found, 1):
        yield [(f"\nplayer {number}" if several else "", "bold")]
        yield from histogram(one, output.console().width)


def _table_of_seats(found: list[Distribution]) -> Iterator[Block]:
    """Yield the figures of several seats beside each other, as many as there is room for."""
    percentiles = [one.percentiles() for one in found]
    lines = {
        "": [f"player {number}" for number in range(1, len(found) + 1)],
        "mean": [output.number(one.mean) for one in found],
        "sd": [output.number(one.sd) for one in found],
        **{f"{p}%": [shown(own[p]) for own in percentiles] for p in percentiles[0]},
        "from": [shown(one.minimum) for one in found],
        "to": [_most(one) for one in found],
        "likeliest": [", ".join(map(shown, one.modes)) for one in found],
    }
    names, (*figures, _) = max(map(len, lines)), lines.values()
    wide = max(len(cell) for cells in figures for cell in cells) + BARS_APART
    beside = max(1, (output.console().width - names) // wide)
    for first in range(0, len(found), beside):
        cut = [(name, cells[first : first + beside]) for name, cells in lines.items()]
        heads, *rows = ([name, *own] for name, own in cut)
        yield Rows("w" + "r" * (len(heads) - 1), rows, heads, styles=("dim", *[""] * beside))


def _most(found: Distribution) -> str:
    return "no limit" if found.maximum is None else shown(found.maximum)


def _wins(found: Distribution) -> tuple[float, float, float]:
    """Return how likely a seat wins, ties and loses; whoever shares the win ties."""
    return found.probability(1.0), found.shared, found.probability(0.0)


# ---- outcomes


def _outcomes(game: Game, found: Outcomes) -> Iterator[Block]:
    yield heading(game)
    for name in found.names:
        yield [(f"\n{name}", "bold")]
        yield _table([((count,), mass) for count, mass in found.alone(name).items()])
    if len(found.names) > 1:
        yield [(f"\n{', '.join(found.names)}", "bold")]
        yield _table(list(found.joint.items()))
    if found.tail:
        yield f"\ntail {output.small(found.tail)}"


def _outcomes_as_csv(found: Outcomes) -> Iterator[str]:
    yield ",".join([*(f'"{name}"' for name in found.names), "probability"])
    for counts, mass in found.joint.items():
        yield ",".join([*(f'"{_said(count)}"' for count in counts), repr(mass)])


def _outcomes_for_programs(game: Game, solution: Solution, found: Outcomes) -> dict[str, Any]:
    return about(game, solution.objective, value=solution.value) | {
        "outcomes": list(found.names),
        "alone": {
            name: [{"happens": dict(c), "probability": p} for c, p in found.alone(name).items()]
            for name in found.names
        },
        "joint": [
            {"happens": [dict(count) for count in counts], "probability": mass}
            for counts, mass in found.joint.items()
        ],
        "tail": found.tail,
    }


def _table(lines: list[tuple[tuple[Count, ...], float]]) -> Rows:
    """Return what happens and how likely it is, the likeliest first."""
    rows: list[list[str | Line]] = [
        [f"{mass:.6f}", "; ".join(map(_said, counts))] for counts, mass in lines[:OUTCOMES_SHOWN]
    ]
    if rest := lines[OUTCOMES_SHOWN:]:
        left = sum(mass for _, mass in rest)
        rows.append([f"{left:.6f}", [(f"{len(rest)} others (--csv lists all)", "dim")]])
    return Rows("rl", rows)


def _said(count: Count) -> str:
    """Say how often something happens."""
    if not count:
        return "-"
    return ", ".join(form if times == 1 else f"{times} x {form}" for form, times in count)
