"""`dicegames compare`: the strategies of a rules file side by side, and where they lose."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from dicegames.analysis.studies.compare import Comparison, StrategyRow, compare
from dicegames.cli.commands import win_games
from dicegames.cli.printing import output
from dicegames.cli.printing.answer import Answer, Block, Rows, about, heading, told_of
from dicegames.cli.printing.in_words import unit_of
from dicegames.cli.solving import Solving, progress
from dicegames.loading import Game
from dicegames.play.wording import Line


def run(game: Game, strategies: Sequence[str], solving: Solving, games: int, seed: int) -> Answer:
    """Return what strategies are worth and what they lose.

    `games` are played where the chance to win is compared.
    """
    if solving.aim.compares(game.rules):
        return win_games.compare(game, solving, strategies, games, seed)
    with progress(f"Comparing strategies of {game.title}"):
        found = compare(game, solving.objective, strategies or None, **solving.limits)
    return Answer(_for_programs(game, found), _for_people(game, found))


def _for_programs(game: Game, found: Comparison) -> dict[str, Any]:
    rows = [
        {
            "strategy": row.strategy,
            "seat": row.seat or None,
            **told_of(row, "value loss"),
            "error_bound": row.error,
            "losses": row.losses
            and [{"decision": p.kind, **told_of(p, "decisions loss")} for p in row.losses],
        }
        for row in found.rows
    ]
    return about(game, str(found.goal.objective), best=found.best, strategies=rows)


def _for_people(game: Game, found: Comparison) -> Iterator[Block]:
    yield heading(game)
    yield [(unit_of(found.goal), "dim")]
    if len(found.best) > 1:
        others = "other" if len(found.best) == 2 else "others"
        yield [(f"each seat in turn, the {others} playing best", "dim")]
    yield ""
    kinds = {part.kind for row in found.rows for part in row.losses or ()}
    where = ("where it is lost",)[: len(kinds) != 1]
    rows: list[list[str | Line]] = []
    for number, best in enumerate(found.best, 1):
        seat = number if len(found.best) > 1 else 0
        name = f"best play{_seat(seat)}"
        rows.append([[(name, "bold green")], [(output.number(best), "bold green")]])
    for row in sorted(found.rows, key=lambda row: (row.seat, row.loss)):
        values = (output.number(value) for value in (row.value, max(0.0, row.loss)))
        rows.append(
            [f"{row.strategy}{_seat(row.seat)}", *values, *([_where(row)] if where else [])]
        )
    yield Rows("lrr" + "l" * len(where), rows, ("strategy", "value", "loss", *where))


def _seat(seat: int) -> str:
    return f", player {seat}" if seat else ""


def _where(row: StrategyRow) -> str:
    """Say in which decisions a strategy loses how much."""
    if row.losses is None:
        return "(too many states to tell)"
    if not row.losses:
        return "(no decision comes up)"
    return "\n".join(f"{output.number(max(0.0, part.loss))} {part.kind}" for part in row.losses)
