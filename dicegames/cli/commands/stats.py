"""`dicegames stats`: the exact distribution of what a game brings, and of what happens in it."""

from __future__ import annotations

import time
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from dicegames.cli.commands.solve import peak_memory_mb
from dicegames.cli.printing import output
from dicegames.cli.printing.histogram import histogram, shown
from dicegames.cli.printing.wording import is_probability, settings_text, unit
from dicegames.cli.solving import obtained, progress, solved, spreads
from dicegames.library import file_of
from dicegames.loading import Game, load

if TYPE_CHECKING:
    from dicegames.analysis.chances.distribution import Distribution
    from dicegames.analysis.chances.outcomes import Count, Outcomes
    from dicegames.analysis.solution import Solution

MOST_SHOWN = 15
ALL = "all"
SAID = ("wins", "ties", "loses")
NEARLY = 1e-9
GAP = 2


def run(
    file: str,
    settings: Mapping[str, str],
    objective: str,
    solving: Mapping[str, Any],
    *,
    names: str | None,
    json: bool,
    csv: bool,
    plot: str | None,
) -> int:
    """Print the distribution, or that of the outcomes named; return the exit code."""
    began = time.perf_counter()
    if plot is not None:
        from dicegames.cli.printing.plot import demand  # noqa: PLC0415 - only where it is asked for

        demand(plot, file_of(file))
    game = load(file, **settings)
    threads = solving.get("threads")
    if names is not None:
        limits = {key: value for key, value in solving.items() if key != "solution"}
        solution = solved(game, objective, {**limits, "noted": True})
        asked = [name.strip() for name in names.split(",") if name.strip() != ALL]
        with progress("Counting outcomes") as report:
            happened = solution.outcomes(*asked, threads=threads, progress=report)
        _outcomes(game, solution, happened, json=json, csv=csv)
        return 0
    solution = obtained(game, objective, solving)
    found = spreads(game, solution, solving)
    if plot is not None:
        from dicegames.cli.printing.plot import save  # noqa: PLC0415 - as above

        save(plot, found, game.title, unit(solution))
    if json:
        answer = _for_programs(game, solution, found)
        answer["seconds"] = time.perf_counter() - began
        output.print_json(answer)
    elif csv:
        _as_csv(found)
    else:
        _for_people(game, solution, found, began)
    return 0


# ---- the distribution


def _for_programs(game: Game, solution: Solution, found: list[Distribution]) -> dict[str, Any]:
    """Return what is told of a game; where there are several seats, first that of seat 1."""
    answer: dict[str, Any] = {
        "game": game.title,
        "options": game.options,
        "objective": solution.objective,
        "value": solution.value,
        **_figures(found[0]),
        "peak_memory_mb": peak_memory_mb(),
    }
    if len(found) > 1:
        wins = [_wins(one) if is_probability(solution) else {} for one in found]
        answer["seats"] = [w | _figures(one) for w, one in zip(wins, found, strict=True)]
    return answer


def _figures(found: Distribution) -> dict[str, Any]:
    return {
        "mean": found.mean,
        "sd": found.sd,
        "percentiles": {str(k): v for k, v in found.percentiles().items()},
        "modes": found.modes,
        "min": found.minimum,
        "max": found.maximum,
        "distribution": [
            [v, p] for v, p in zip(found.values.tolist(), found.masses.tolist(), strict=True)
        ],
        "tail": found.tail,
    }


def _as_csv(found: list[Distribution]) -> None:
    """Print values and probabilities, behind the player where there are several seats."""
    several = len(found) > 1
    print("player," * several + "value,probability")
    for seat, one in enumerate(found, 1):
        for value, mass in zip(one.values.tolist(), one.masses.tolist(), strict=True):
            print(f"{seat}," * several + f"{value!r},{mass!r}")


def _for_people(game: Game, solution: Solution, found: list[Distribution], began: float) -> None:
    console = output.console()
    output.title(game.title, settings_text(game))
    several = len(found) > 1
    wins = several and is_probability(solution)
    rows: list[tuple[str, str]] = []
    if wins:
        for number, one in enumerate(found, 1):
            shares = ", ".join(f"{word} {p:.6f}" for word, p in _wins(one, *SAID).items())
            rows.append((f"player {number}", shares))
    elif several:
        console.print(unit(solution), style="dim")
        _table_of_seats(found)
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
    spent = output.duration(time.perf_counter() - began)
    rows.append(("time", f"{spent}, {peak_memory_mb():.0f} MB of memory"))
    console.print(output.pairs(rows))
    for number, one in enumerate(() if wins else found, 1):
        console.print(f"\nplayer {number}" if several else "", style="bold")
        for line in histogram(one.values, one.masses, console.width):
            console.print(line, markup=False, highlight=False)


def _table_of_seats(found: list[Distribution]) -> None:
    """Print the figures of several seats beside each other, as many as there is room for."""
    from rich.table import Table  # noqa: PLC0415 - not needed by programs
    from rich.text import Text  # noqa: PLC0415

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
    wide = max(len(cell) for cells in figures for cell in cells) + GAP
    beside = max(1, (output.console().width - names) // wide)
    for first in range(0, len(found), beside):
        table = Table.grid(padding=(0, 0, 0, GAP), pad_edge=False)
        table.add_column(style="dim", no_wrap=True)
        for _ in found[first : first + beside]:
            table.add_column(justify="right", overflow="fold")
        for name, cells in lines.items():
            own = cells[first : first + beside]
            table.add_row(Text(name), *(Text(cell, style="" if name else "dim") for cell in own))
        output.console().print(table)


def _most(found: Distribution) -> str:
    return "no limit" if found.maximum is None else shown(found.maximum)


def _wins(
    found: Distribution, win: str = "win", tie: str = "tie", loss: str = "loss"
) -> dict[str, float]:
    """Return how likely a seat wins, ties and loses; whoever shares the win ties."""
    shared = (found.values > NEARLY) & (found.values < 1 - NEARLY)
    return {
        win: found.probability(1.0),
        tie: float(found.masses[shared].sum()),
        loss: found.probability(0.0),
    }


# ---- outcomes


def _outcomes(game: Game, solution: Solution, found: Outcomes, *, json: bool, csv: bool) -> None:
    if json:
        output.print_json(_outcomes_for_programs(game, solution, found))
        return
    if csv:
        print(",".join([*(f'"{name}"' for name in found.names), "probability"]))
        for counts, mass in found.joint.items():
            print(",".join([*(f'"{_said(count)}"' for count in counts), repr(mass)]))
        return
    console = output.console()
    output.title(game.title, settings_text(game))
    for name in found.names:
        console.print(f"\n{name}", markup=False, style="bold")
        _table([((count,), mass) for count, mass in found.alone(name).items()])
    if len(found.names) > 1:
        console.print(f"\n{', '.join(found.names)}", markup=False, style="bold")
        _table(list(found.joint.items()))
    if found.tail:
        console.print(f"\ntail {output.small(found.tail)}", markup=False)


def _outcomes_for_programs(game: Game, solution: Solution, found: Outcomes) -> dict[str, Any]:
    return {
        "game": game.title,
        "options": game.options,
        "objective": solution.objective,
        "value": solution.value,
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


def _table(lines: list[tuple[tuple[Count, ...], float]]) -> None:
    """Print what happens and how likely it is, the likeliest first."""
    from rich.table import Table  # noqa: PLC0415 - not needed by programs
    from rich.text import Text  # noqa: PLC0415

    table = Table.grid(padding=(0, 2))
    table.add_column(justify="right", no_wrap=True)
    table.add_column(overflow="fold")
    for counts, mass in lines[:MOST_SHOWN]:
        table.add_row(f"{mass:.6f}", Text("; ".join(_said(count) for count in counts)))
    rest = lines[MOST_SHOWN:]
    if rest:
        left = sum(mass for _, mass in rest)
        table.add_row(f"{left:.6f}", Text(f"{len(rest)} others (--csv lists all)", style="dim"))
    output.console().print(table)


def _said(count: Count) -> str:
    """Say how often something happens."""
    if not count:
        return "-"
    return ", ".join(form if times == 1 else f"{times} x {form}" for form, times in count)
