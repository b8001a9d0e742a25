"""`dicegames solve`: the exact value of a game, how it was found, and how the game opens.

With --exact the value in fractions, from the rules alone; with --samples what a sampled model
promises, and what its strategy is worth.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from fractions import Fraction
from typing import Any

import click
from attrs import asdict

from dicegames.analysis.solution import Solution, SolutionError
from dicegames.analysis.solving.gridding import closed_at
from dicegames.analysis.studies.opening import opening
from dicegames.analysis.studies.sampled_game import sample_game
from dicegames.cli.options import is_given
from dicegames.cli.printing import output
from dicegames.cli.printing.answer import Answer, Block, Pairs, Rows, about, heading, told_of
from dicegames.cli.printing.in_words import (
    grid_text,
    players_text,
    unit,
    value_lines,
    what_is_known,
)
from dicegames.cli.solving import Solving, progress, solved
from dicegames.cli.watch import peak
from dicegames.ground.exact_cycles import NoExactValue
from dicegames.ground.limits import Limit, TooLarge
from dicegames.ground.numbers import percent
from dicegames.ground.writing import demand_writable
from dicegames.loading import Game
from dicegames.rules.running.exploration import exact_value
from dicegames.rules.running.playing import played_by, seats_of
from dicegames.solver.status import Status

LONGEST_EXACT = 60
"""Fractions with more characters than this are rounded for people, not for programs."""


def run(
    game: Game, out: str | None, samples: int | None, seed: int, sample: str, solving: Solving, *,
    exact: bool,
) -> Answer:  # fmt: skip
    """Solve a game and return what it is worth."""
    began = time.perf_counter()
    store = solving.store
    if store is None and solving.value_only:
        raise click.UsageError("--value-only goes with --store")
    if solving.grid and solving.value_only:
        raise click.UsageError("--value-only does not go with --grid, of which all values are kept")
    if store is None and solving.executor is not None:
        raise click.UsageError("--executor goes with --store: its workers share that folder")
    if store is not None and (exact or samples is not None or out is not None):
        raise click.UsageError("--store goes with none of --exact, --samples and --out")
    if exact and samples is not None:
        raise click.UsageError("--exact and --samples do not go together")
    if samples is None and (is_given("seed") or is_given("sample")):
        raise click.UsageError("--seed and --sample go with --samples; without it nothing is drawn")
    if exact:
        if out is not None:
            raise click.UsageError("--out does not go with --exact")
        return _in_fractions(game, solving)
    if samples is not None:
        if out is not None or solving.grid:
            raise click.UsageError("--samples goes with neither --out nor --grid")
        return _sampled(game, solving, samples, seed, sample)
    demand_writable(out, game.file)
    solution = solved(game, solving)
    if out is not None:
        solution.save(out)
    blocks = _for_people(game, solution, out, began)
    return Answer(_for_programs(game, solution, out), blocks)


def _for_programs(game: Game, solution: Solution, out: str | None) -> dict[str, Any]:
    told = {
        **told_of(solution, "strategies value lower upper error_bound"),
        "status": solution.solved.status.name.lower(),
        **told_of(solution.solved, "gains counting estimate estimate_anywhere residual"),
        "method": solution.method,
        "grid": dict(solution.grid),
        "closed_at": dict([closed[:2]]) if (closed := closed_at(solution.solved)) else {},
        **told_of(solution, "states_stored states_reachable seconds"),
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
    stored, reachable = solution.states_stored, solution.states_reachable
    states = f"{stored:,} stored, {reachable:,} can come up"
    if stored < reachable:  # those inside a turn are listed as well
        states = f"{reachable:,} can come up, {stored:,} of them between turns"
    rows.append(("states", states))
    if out is not None:
        rows.append(("saved", out))
    opens = opening(solution)
    whole, memory = time.perf_counter() - began, f"{peak() / 1e6:.0f} MB"
    earlier = " with earlier runs" if solution.seconds > whole else ""
    spent = f"{output.duration(solution.seconds)} solving{earlier}"
    rows.append(("time", f"{spent}, {output.duration(whole)} in all, {memory} of memory"))
    yield heading(game)
    yield Pairs(rows)
    if opens is not None:
        yield ""
        yield [(opens.title, "bold")]
        moves = ((o.what, [(o.move, "bold")], output.number(o.value, 4)) for o in opens.lines)
        yield Rows("llr", moves)


def _certainty(solution: Solution) -> list[tuple[str, str]]:
    """Say how sure the value is: a bound, or for selfish players what is known instead."""
    if solution.compiled.goal.objective.compares(solution.game):
        return _range(solution)
    if solution.solved.status in (Status.APPROXIMATE, Status.RESIDUAL):
        return what_is_known(solution)
    return [("error", f"at most {output.small(solution.error_bound)}")]


def _range(solution: Solution) -> list[tuple[str, str]]:
    """Say between what bounds the best answer to players of the best mean lies."""
    lower, upper = solution.lower, solution.upper
    assert isinstance(lower, tuple)
    assert isinstance(upper, tuple)
    told = [
        f"player {seat}: from {percent(low)} to {percent(high)}"
        for seat, (low, high) in enumerate(zip(lower, upper, strict=True), 1)
    ]
    rows = [("best answer", told[0]), *(("", line) for line in told[1:])]
    rows.append(("", "to players of the best mean; the value is what choices go by"))
    return [*rows, ("error", f"of these at most {output.small(solution.error_bound)}")]


def _closed(solution: Solution) -> list[tuple[str, str]]:
    """Say how far a counter without limit goes inside a turn, and what becomes of more."""
    closed = closed_at(solution.solved)
    if closed is None:
        return []
    name, last, chance = closed
    rarely = f"at most {percent(chance, None)} of turns come there"
    told = f"{name} up to {last:,}, more counts as that: {rarely}"
    return [("", told)]


def _method(solution: Solution) -> str:
    layers, cycles = solution.solved.layers, solution.solved.cycles
    parts = [solution.method]
    if layers:
        parts.append(output.counted(layers, "layer"))
    if cycles:
        parts.append(output.counted(cycles, "cycle"))
    return ", ".join(parts)


# ---- other ways


def _in_fractions(game: Game, solving: Solving) -> Answer:
    """Return the value in fractions."""
    playing, limit = solving.playing, Limit.within(solving.time)
    if solving.grid:
        raise click.UsageError("--grid does not go with --exact")
    try:
        rules = played_by(game.rules, seats_of(game.rules, playing), solving.aim)
        found = exact_value(rules, objective=solving.objective, limit=limit)
    except TooLarge as large:
        message = f"{large}: fractions are for small games; {large.remedy}, "
        raise SolutionError(message + "or solve without --exact, with an error bound") from None
    except NoExactValue as endless:
        raise SolutionError(f"{endless}, so there is no value") from None
    values, several = (found, True) if isinstance(found, tuple) else ((found,), False)
    shown, rounded = [str(v) for v in values], [float(v) for v in values]
    told = about(game, solving.objective, value=shown if several else shown[0])
    told |= {"approximate": rounded if several else rounded[0]}
    names = [f"player {n}" for n in range(1, len(values) + 1)] if len(values) > 1 else ["value"]
    rows = Pairs([(name, _text(value)) for name, value in zip(names, values, strict=True)])
    told |= {"error_bound": 0, "method": "fractions"}
    return Answer(told, [heading(game), rows])


def _text(value: Fraction) -> str:
    whole = str(value)
    if value.denominator == 1:
        return whole
    rounded = output.number(float(value), 12)
    return (
        f"{whole} = {rounded}"
        if len(whole) <= LONGEST_EXACT
        else f"{rounded}..., {len(whole)} digits"
    )


def _sampled(game: Game, solving: Solving, samples: int, seed: int, throws: str) -> Answer:
    """Return the values of a sampled model beside the exact one."""
    if solving.playing:
        raise click.UsageError("--samples finds a strategy of its own; leave out the others")
    with progress(f"Solving {game.title}"):
        found = sample_game(
            game.rules, samples, seed, throws, solving.objective,
            threads=solving.threads, time=solving.time,
        )  # fmt: skip
    rows = [
        ("promised", f"{found.promised:.4f}"),
        ("worth", f"{found.worth:.4f}"),
        ("best play", f"{found.exact:.4f}"),
        ("samples", f"{samples:,} at each state, seed {seed}, of the throws: {throws}"),
        ("time", output.duration(found.seconds)),
    ]
    told = about(game, solving.objective) | asdict(found)
    return Answer(told, [heading(game), Pairs(rows)])
