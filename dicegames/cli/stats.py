"""`dicegames stats`: the exact distribution of what a game brings, and of what happens in it."""

from __future__ import annotations

import time
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from dicegames.cli import output
from dicegames.cli.histogram import histogram, shown
from dicegames.cli.solve import peak_memory_mb
from dicegames.cli.solving import obtained, progress, solved
from dicegames.cli.wording import is_probability, settings_text, unit
from dicegames.loading import Game, load

if TYPE_CHECKING:
    from dicegames.analysis.distribution import Distribution
    from dicegames.analysis.outcomes import Count, Outcomes
    from dicegames.analysis.solution import Solution

MOST_SHOWN = 15
ALL = "all"


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
        from dicegames.cli.plot import demand  # noqa: PLC0415 - only where it is asked for

        demand(plot)
    game = load(file, **settings)
    threads = solving.get("threads")
    if names is not None:
        limits = {key: value for key, value in solving.items() if key != "solution"}
        solution = solved(game, objective, {**limits, "noted": True})
        asked = [name.strip() for name in names.split(",") if name.strip() != ALL]
        with progress("Counting outcomes") as report:
            found = solution.outcomes(*asked, threads=threads, progress=report)
        _outcomes(game, solution, found, json=json, csv=csv)
        return 0
    solution = obtained(game, objective, solving)
    with progress("Finding the distribution") as report:
        distribution = solution.distribution(threads=threads, progress=report)
    if plot is not None:
        from dicegames.cli.plot import save  # noqa: PLC0415 - as above

        save(plot, distribution, game.title, unit(solution))
    if json:
        answer = _for_programs(game, solution, distribution)
        answer["seconds"] = time.perf_counter() - began
        output.print_json(answer)
    elif csv:
        _as_csv(distribution)
    else:
        _for_people(game, solution, distribution, began)
    return 0


# ---- the distribution


def _for_programs(game: Game, solution: Solution, found: Distribution) -> dict[str, Any]:
    answer: dict[str, Any] = {
        "game": game.title,
        "options": game.options,
        "objective": solution.objective,
        "value": solution.value,
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
        "peak_memory_mb": peak_memory_mb(),
    }
    if _by_seat(solution):
        answer["seats"] = _seats(found)
    return answer


def _as_csv(found: Distribution) -> None:
    print("value,probability")
    for value, mass in zip(found.values.tolist(), found.masses.tolist(), strict=True):
        print(f"{value!r},{mass!r}")


def _for_people(game: Game, solution: Solution, found: Distribution, began: float) -> None:
    console = output.console()
    output.title(game.title, settings_text(game))
    if _by_seat(solution):
        rows = []
        for number, seat in enumerate(_seats(found), 1):
            told = ", ".join(
                f"{word} {seat[key]:.6f}"
                for word, key in (("wins", "win"), ("ties", "tie"), ("loses", "loss"))
            )
            rows.append((f"player {number}", told))
    else:
        percentiles = found.percentiles()
        most = "no limit" if found.maximum is None else shown(found.maximum)
        rows = [
            ("mean", output.number(found.mean)),
            ("", unit(solution)),
            ("sd", output.number(found.sd)),
            ("percentiles", ", ".join(f"{p}%: {shown(v)}" for p, v in percentiles.items())),
            ("likeliest", ", ".join(map(shown, found.modes))),
            ("from, to", f"{shown(found.minimum)}, {most}"),
        ]
    if found.tail:
        rows.append(("tail", f"{output.small(found.tail)} is not followed any further"))
    spent = output.duration(time.perf_counter() - began)
    rows.append(("time", f"{spent}, {peak_memory_mb():.0f} MB of memory"))
    console.print(output.pairs(rows))
    if not _by_seat(solution):
        console.print()
        for line in histogram(found.values, found.masses, console.width):
            console.print(line, markup=False, highlight=False)


def _by_seat(solution: Solution) -> bool:
    return is_probability(solution) and solution.game.players == 2


def _seats(found: Distribution) -> list[dict[str, float]]:
    """Return how the result is distributed by seat; whoever shares the win ties."""
    win, loss = found.probability(1.0), found.probability(0.0)
    tie = float(found.masses.sum()) - win - loss
    tie = 0.0 if len(found.values) <= 2 and found.probability(0.5) == 0 else tie
    return [
        {"win": win, "tie": tie, "loss": loss},
        {"win": loss, "tie": tie, "loss": win},
    ]


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
