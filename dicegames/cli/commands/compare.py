"""`dicegames compare`: the strategies of a rules file side by side, and where they lose."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from dicegames.cli.commands import win_games
from dicegames.cli.printing import output
from dicegames.cli.printing.wording import settings_text, unit_of
from dicegames.cli.solving import progress
from dicegames.loading import Game, compare, load
from dicegames.rules.running.objectives import objective_of

if TYPE_CHECKING:
    from dicegames.analysis.studies.compare import Comparison, StrategyRow

PLACES = 6


def run(
    file: str,
    settings: Mapping[str, str],
    objective: str,
    strategies: Sequence[str],
    limits: Mapping[str, Any],
    games: tuple[int, int],
    *,
    json: bool,
) -> int:
    """Print what strategies are worth and what they lose; return the exit code.

    `games` are how many and their seed, where the chance to win is compared.
    """
    game = load(file, **settings)
    if objective_of(objective).against_others and not game.rules.payoff_is_win:
        return win_games.compare(game, limits, strategies, *games, json=json)
    with progress(f"Comparing strategies of {game.title}"):
        found = compare(game, objective, strategies or None, **limits)
    if json:
        output.print_json(_for_programs(game, found))
    else:
        _for_people(game, found)
    return 0


def _for_programs(game: Game, found: Comparison) -> dict[str, Any]:
    rows = [
        {
            "strategy": row.strategy,
            "seat": row.seat or None,
            "value": row.value,
            "loss": row.loss,
            "error_bound": row.error,
            "losses": [
                {"decision": part.kind, "decisions": part.decisions, "loss": part.loss}
                for part in row.losses
            ],
        }
        for row in found.rows
    ]
    answer: dict[str, Any] = {"game": game.title, "options": game.options}
    return answer | {"objective": str(found.goal.objective), "best": found.best, "strategies": rows}


def _for_people(game: Game, found: Comparison) -> None:
    from rich.table import Table  # noqa: PLC0415 - not needed by programs
    from rich.text import Text  # noqa: PLC0415

    console = output.console()
    output.title(game.title, settings_text(game))
    console.print(unit_of(found.goal), style="dim")
    if len(found.best) > 1:
        others = "other" if len(found.best) == 2 else "others"
        console.print(f"each seat in turn, the {others} playing best", style="dim")
    console.print()
    kinds = {part.kind for row in found.rows for part in row.losses}
    table = Table.grid(padding=(0, 2))
    for justify in ("left", "right", "right", "left"):
        table.add_column(justify=justify, no_wrap=justify == "right", overflow="fold")
    where = ("where it is lost",) if len(kinds) != 1 else ()
    table.add_row(*(Text(word, style="dim") for word in ("strategy", "value", "loss", *where)))
    for number, best in enumerate(found.best, 1):
        seat = number if len(found.best) > 1 else 0
        table.add_row(
            Text(f"best play{_seat(seat)}", style="bold green"),
            Text(output.number(best, PLACES), style="bold green"),
        )
    for row in sorted(found.rows, key=lambda row: (row.seat, row.loss)):
        table.add_row(
            Text(f"{row.strategy}{_seat(row.seat)}"),
            output.number(row.value, PLACES),
            output.number(max(0.0, row.loss), PLACES),
            *([Text(_where(row))] if where else []),
        )
    console.print(table)


def _seat(seat: int) -> str:
    return f", player {seat}" if seat else ""


def _where(row: StrategyRow) -> str:
    """Say in which decisions a strategy loses how much."""
    if not row.losses:
        return "(too many states to tell)"
    return "\n".join(
        f"{output.number(max(0.0, part.loss), PLACES)} {part.kind}" for part in row.losses
    )
