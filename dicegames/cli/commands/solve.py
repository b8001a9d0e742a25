"""`dicegames solve`: the exact value of a game, how it was found, and how the game opens."""

from __future__ import annotations

import math
import time
from collections.abc import Iterator
from typing import Any

import click

from dicegames.analysis.solution import Solution
from dicegames.analysis.solving.gridding import closed_at
from dicegames.analysis.studies.opening import opening
from dicegames.cli.printing import output
from dicegames.cli.printing.answer import Block, Pairs, Rows, about, answer, heading
from dicegames.cli.printing.wording import (
    grid_text,
    players_text,
    rounds_rows,
    unit,
    value_lines,
)
from dicegames.cli.solving import solved
from dicegames.cli.watch import peak
from dicegames.ground.writing import demand_writable
from dicegames.loading import Game
from dicegames.solver.solved import Solved
from dicegames.solver.status import Status


def run(
    game: Game, objective: str, *, exact: bool, samples: int | None, seed: int, sample: str,
    json: bool, **solving: Any,
) -> int:  # fmt: skip
    """Solve a game and print what it is worth; return the exit code."""
    began = time.perf_counter()
    store, out = solving["store"], solving["out"]
    if store is None and solving["value_only"]:
        raise click.UsageError("--value-only goes with --store")
    if store is None and solving["executor"] is not None:
        raise click.UsageError("--executor goes with --store: its workers share that folder")
    if store is not None and (exact or samples is not None or out is not None):
        raise click.UsageError("--store goes with none of --exact, --samples and --out")
    if exact and samples is not None:
        raise click.UsageError("--exact and --samples do not go together")
    if exact:
        from dicegames.cli.commands import exact as fractions  # noqa: PLC0415 - where it is asked for

        return fractions.run(game, objective, solving, json=json)
    if samples is not None:
        from dicegames.cli.commands import sampling  # noqa: PLC0415 - as above

        return sampling.run(game, objective, solving, samples, seed, sample, json=json)
    del solving["out"]
    if out is not None:
        demand_writable(out, game.file)
    solution = solved(game, objective, solving)
    if out is not None:
        solution.save(out)
    blocks = _for_people(game, solution, out, began)
    return answer(_for_programs(game, solution, out), blocks, json=json)


def _for_programs(game: Game, solution: Solution, out: str | None) -> dict[str, Any]:
    told = {
        "strategies": solution.strategies,
        "value": solution.value,
        "lower": solution.lower,
        "upper": solution.upper,
        "error_bound": solution.error_bound,
        "status": solution.solved.status.name.lower(),
        "gains": solution.solved.gains,
        "counting": solution.solved.counting,
        "estimate": solution.solved.estimate,
        "estimate_anywhere": solution.solved.estimate_anywhere,
        "residual": solution.solved.residual,
        "method": solution.method,
        "grid": dict(solution.grid),
        "closed_at": dict([closed[:2]]) if (closed := _closed_at(solution)) else {},
        "states_stored": solution.states_stored,
        "states_reachable": solution.states_reachable,
        "seconds": solution.seconds,
        "peak_memory_mb": peak() / 1e6,
    }
    return about(game, solution.objective) | told | ({} if out is None else {"out": out})


def _for_people(game: Game, solution: Solution, out: str | None, began: float) -> Iterator[Block]:
    solved = solution.solved
    on_grid = solved.status is Status.APPROXIMATE
    places = output.decimals(solved.estimate if on_grid else solution.error_bound)
    lines = value_lines(solution, solution.value, places)
    rows = [("value", lines[0]), *(("", line) for line in lines[1:]), ("", unit(solution))]
    if playing := players_text(solution):
        rows.append(("played by", playing))
    rows.extend(_certainty(solution))
    rows.append(("method", _method(solution)))
    if solution.grid:
        rows.append(("grid", grid_text(solution.grid)))
        rows.extend(_closed(solution))
    stored, reachable = map(output.grouped, (solution.states_stored, solution.states_reachable))
    rows.append(("states", f"{stored} stored, {reachable} can come up"))
    if out is not None:
        rows.append(("saved", out))
    opens = opening(solution)
    whole = output.duration(time.perf_counter() - began)
    memory = f"{peak() / 1e6:.0f} MB"
    spent = f"{output.duration(solution.seconds)} solving, {whole} in all, {memory} of memory"
    rows.append(("time", spent))
    yield heading(game)
    yield Pairs(rows)
    if opens is not None:
        yield ""
        yield [(opens.title, "bold")]
        moves = ((o.what, [(o.move, "bold")], output.number(o.value, 4)) for o in opens.lines)
        yield Rows("llr", moves)


def _certainty(solution: Solution) -> list[tuple[str, str]]:
    """Say how sure the value is: a bound, or for selfish players what is known instead."""
    solved = solution.solved
    if solution.compiled.goal.objective.against_others and not solution.game.payoff_is_win:
        return _range(solution)
    if solved.status is Status.APPROXIMATE:
        rows = [
            ("error", f"not bounded, the grid is an approximation: {_compared(solved)}"),
            ("residual", output.small(solved.residual)),
        ]
        return [*rows, *_gains(solved.gains)]
    if solved.status is not Status.RESIDUAL:
        return [("error", f"at most {output.small(solution.error_bound)}")]
    left = f"{output.small(solution.error_bound)}: what one more sweep would change"
    return [("residual", left), *_gains(solved.gains), *rounds_rows(solution)]


def _compared(solved: Solved) -> str:
    """Say what a grid of twice the step finds, which may not have been worked out."""
    if math.isnan(solved.estimate):
        return "only one grid was worked out, and there is none to compare it with"
    start, most = output.small(solved.estimate), output.small(solved.estimate_anywhere)
    return f"twice the step changes this by {start}, no start of a turn by more than {most}"


def _range(solution: Solution) -> list[tuple[str, str]]:
    """Say between what bounds the best answer to players of the best mean lies."""
    lower, upper = solution.lower, solution.upper
    assert isinstance(lower, tuple)
    assert isinstance(upper, tuple)
    told = [
        f"player {seat}: from {low:.2%} to {high:.2%}"
        for seat, (low, high) in enumerate(zip(lower, upper, strict=True), 1)
    ]
    rows = [("best answer", told[0]), *(("", line) for line in told[1:])]
    rows.append(("", "to players of the best mean; the value is what choices go by"))
    return [*rows, ("error", f"of these at most {output.small(solution.error_bound)}")]


def _gains(gains: tuple[float, ...]) -> list[tuple[str, str]]:
    if not gains:
        return []
    most = output.small(max(gains))
    return [("gains", f"{most}: the most that a player could gain by departing alone")]


def _closed(solution: Solution) -> list[tuple[str, str]]:
    """Say how far a counter without limit goes inside a turn, and what becomes of more."""
    closed = _closed_at(solution)
    if closed is None:
        return []
    name, last, chance = closed
    told = f"{name} up to {last:,}, more counts as that: at most {chance:.0%} of turns come there"
    return [("", told)]


def _closed_at(solution: Solution) -> tuple[str, int, float] | None:
    if not solution.grid:
        return None
    return closed_at(solution.solved)


def _method(solution: Solution) -> str:
    layers, cycles = solution.solved.layers, solution.solved.cycles
    parts = [solution.method]
    if layers:
        parts.append(output.counted(layers, "layer"))
    if cycles:
        parts.append(output.counted(cycles, "cycle"))
    return ", ".join(parts)
