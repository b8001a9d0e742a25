"""`dicegames diff`: what a house rule is worth, and which decisions it changes."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import click

from dicegames.analysis.solution import Solution
from dicegames.analysis.studies.difference import Difference, difference
from dicegames.cli.options import by_name
from dicegames.cli.printing import output
from dicegames.cli.printing.answer import Answer, Block, Pairs, Rows, Title, told_of
from dicegames.cli.printing.in_words import settings_text, unit
from dicegames.cli.solving import Solving, progress, solved
from dicegames.ground.numbers import percent
from dicegames.loading import Game, load

DIFFERENCES_SHOWN = 8


def run(
    file: str, other: str, settings: Mapping[str, str], solving: Solving, games: int, seed: int
) -> Answer:
    """Compare two rules files, or two settings of one."""
    first = load(file, **settings)
    own = {**settings, **by_name((other,))} if "=" in other else settings
    second = load(file if "=" in other else other, **own)
    solutions = solved(first, solving), solved(second, solving)
    if solutions[0].maximise != solutions[1].maximise:
        raise click.UsageError("in one of these games more is better, in the other less")
    try:
        with progress(f"Playing {first.title}") as report:
            found = difference(*solutions, games=games, seed=seed, progress=report)
    except ValueError as error:
        raise click.UsageError(str(error)) from None
    told = _for_programs(first, second, found, seed)
    return Answer(told, _for_people(first, second, solutions[1], found, seed))


def _for_programs(first: Game, second: Game, found: Difference, seed: int) -> dict[str, Any]:
    return {
        "games": [
            {"game": game.title, "options": game.options, "value": value}
            for game, value in ((first, found.before), (second, found.after))
        ],
        "difference": found.value,
        "played": found.games,
        "seed": seed,
        **told_of(found, "decisions elsewhere"),
        "changed": [
            {
                "position": each.position,
                "first": each.before,
                "second": each.after,
                **told_of(each, "loss times"),
            }
            for each in found.changed
        ],
    }


def _for_people(
    first: Game, second: Game, solution: Solution, found: Difference, seed: int
) -> Iterator[Block]:
    yield Title(first.title if first.title == second.title else f"{first.title}, {second.title}")
    rows = [("first", settings_text(first.options)), *_shown(found.before)]
    rows += [("second", settings_text(second.options)), *_shown(found.after)]
    signed = ", ".join(f"{value:+.6f}" for value in found.value)
    rows += [("difference", signed), ("", unit(solution))]
    known = found.decisions - found.elsewhere
    met, games = output.counted(known, "decision"), output.counted(found.games, "game")
    share = f" ({percent(found.times_changed / known, 1)})" if known else ""
    rows.append(("changed", f"{found.times_changed:,} of {met}{share}"))
    rows.append(("", f"met in {games} by the best moves of the first rules, seed {seed}"))
    if found.elsewhere:
        rows.append(("", f"{found.elsewhere:,} more are not known to the second rules"))
    yield Pairs(rows)
    if found.changed:
        yield ""
        shown = []
        for each in found.changed[:DIFFERENCES_SHOWN]:
            loss = "not legal" if each.loss is None else output.number(each.loss, 4)
            shown.append((each.position, each.before, each.after, loss))
        yield Rows("lllr", shown, ("position", "first", "second", "loss"))
    if len(found.changed) > DIFFERENCES_SHOWN:
        yield [(f"and {len(found.changed) - DIFFERENCES_SHOWN} more: --json lists them", "dim")]


def _shown(values: tuple[float, ...]) -> list[tuple[str, str]]:
    lines = [output.number(value) for value in values]
    if len(lines) > 1:
        lines = [f"player {seat}: {line}" for seat, line in enumerate(lines, 1)]
    return [("", line) for line in lines]
