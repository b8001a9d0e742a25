"""Simulated games of players who play to win, against players of the best mean and each other."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from dicegames.cli.printing import output
from dicegames.cli.printing.games_file import write_games
from dicegames.cli.printing.wording import settings_text
from dicegames.cli.solving import obtained, progress
from dicegames.loading import Game
from dicegames.rules.running.playing import StrategyError


def run(
    game: Game, solving: Mapping[str, Any], games: int, seed: int, out: str | None, report: Any,
    *, json: bool,
) -> int:  # fmt: skip
    """Play the games as --seat says, or with each seat to win and then all; the exit code."""
    by_seat = solving.get("by_seat") or {}
    usual = _style(solving.get("strategy") or "best")
    solution = _solution(game, solving)
    seats = range(1, game.players + 1)
    if over := [seat for seat in by_seat if seat not in seats]:
        raise StrategyError(f"there is no seat {over[0]}: seats are 1 to {game.players}")
    lines = [[_style(by_seat.get(seat, usual)) for seat in seats]]
    if not by_seat and not solving.get("strategy"):
        lines = [["win" if seat == one else "mean" for seat in seats] for one in seats]
        lines.append(["win" for _ in seats])
    rows = [_played(solution, line, games, seed, solving, report) for line in lines]
    if out is not None:
        heads = [f"player {seat}" for seat in seats]
        write_games(out, heads, rows[-1].shares.T)
    if json:
        told = {"games": games, "seed": seed, "rows": [_data(found, seats) for found in rows]}
        output.print_json(_told(game) | told)
    else:
        _for_people(game, rows, seats, games, seed)
    return 0


def compare(
    game: Game, solving: Mapping[str, Any], names: Sequence[str], games: int, seed: int, *,
    json: bool,
) -> int:  # fmt: skip
    """Let ways of playing meet, each in each of two seats; print their chances; the exit code."""
    from dicegames.analysis.to_win.styles import STYLES, style_of  # noqa: PLC0415 - compiled code

    if game.players != 2:
        raise StrategyError("all against all is for two players; see `simulate --seat`")
    styles = [style_of(_style(name)) for name in names] or list(STYLES.values())
    solution = _solution(game, solving)
    met = {
        (one.name, two.name): _played(solution, [one.name, two.name], games, seed, solving)
        for one in styles
        for two in styles
    }
    if json:
        rows = [{"players": names, "player 1": found.chance_without_luck(1)}
                for names, found in met.items()]  # fmt: skip
        output.print_json(_told(game) | {"games": games, "seed": seed, "rows": rows})
        return 0
    from rich.table import Table  # noqa: PLC0415 - not needed by programs

    console = output.console()
    output.title(game.title, settings_text(game))
    console.print(
        "chance of player 1 to win, luck taken out; the columns are player 2", style="dim"
    )
    console.print()
    table = Table.grid(padding=(0, 2))
    table.add_row("", *(style.name for style in styles))
    for one in styles:
        own = [_share(*met[one.name, two.name].chance_without_luck(1)) for two in styles]
        table.add_row(one.name, *own)
    console.print(table)
    told = [(style.name, style.rule) for style in styles]
    told.append(("games", f"{games:,} of each pair, seed {seed}"))
    console.print()
    console.print(output.pairs(told))
    return 0


def _told(game: Game) -> dict[str, Any]:
    return {"game": game.title, "options": game.options, "objective": "win"}


def _style(name: str) -> str:
    return "mean" if name.strip().lower() == "best" else name.strip().lower()


def _solution(game: Game, solving: Mapping[str, Any]) -> Any:
    plays = ("grid", "strategy", "by_seat")
    return obtained(game, "win", {n: wish for n, wish in solving.items() if n not in plays})


def _played(
    solution: Any, line: list[str], games: int, seed: int, solving: Mapping[str, Any],
    report: Any = None,
) -> Any:  # fmt: skip
    from dicegames.analysis.to_win.win_games import play_to_win  # noqa: PLC0415 - compiled code

    with progress(f"Playing {' : '.join(line)}") as bar:
        return play_to_win(solution, games, seed, line, threads=solving.get("threads"),
                           progress=report(bar) if report else bar)  # fmt: skip


def _data(found: Any, seats: range) -> dict[str, Any]:
    known = [seat for seat in seats if not np.isnan(found.adjusted[seat - 1]).any()]
    return {
        "players": found.players,
        "chances": [found.chance(seat) for seat in seats],
        "without_luck": {str(seat): found.chance_without_luck(seat) for seat in known},
        "milliseconds_a_turn": 1000 * found.seconds / max(1, found.turns),
    }


def _for_people(game: Game, rows: list[Any], seats: range, games: int, seed: int) -> None:
    from rich.table import Table  # noqa: PLC0415 - not needed by programs
    from rich.text import Text  # noqa: PLC0415 - as above

    console = output.console()
    output.title(game.title, settings_text(game))
    console.print(output.pairs([("games", f"{games:,}, seed {seed}")]))
    console.print()
    table = Table.grid(padding=(0, 2))
    table.add_column(overflow="fold")
    for justify in ("left", "right", "right"):
        table.add_column(justify=justify, no_wrap=True)
    heads = ("", "plays", "games won", "without luck")
    table.add_row(*(Text(head, style="dim") for head in heads))
    for found in rows:
        for seat in found.to_win if len(found.to_win) == 1 else seats:
            adjusted = found.chance_without_luck(seat)
            shown = "" if np.isnan(adjusted[0]) else _share(*adjusted)
            name = found.players[seat - 1]
            table.add_row(f"player {seat}", name, _share(*found.chance(seat)), shown)
        table.add_row()
    console.print(table)
    rest = "the others for the best mean; " if any(len(row.to_win) == 1 for row in rows) else ""
    turns = sum(row.turns for row in rows)
    took = 1000 * sum(row.seconds for row in rows) / max(1, turns)
    console.print(f"{rest}{took:.2g} ms for each of {turns:,} turns to win", style="dim")


def _share(mean: float, error: float) -> str:
    return f"{mean:.2%} ± {error:.2%}"
