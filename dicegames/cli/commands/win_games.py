"""Simulated games of players who play to win, against players of the best mean and each other."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from dicegames.cli.printing import output
from dicegames.cli.printing.games_file import write_games
from dicegames.cli.printing.wording import settings_text
from dicegames.cli.solving import obtained, progress
from dicegames.loading import Game


def run(
    game: Game, solving: Mapping[str, Any], games: int, seed: int, out: str | None, report: Any,
    *, json: bool,
) -> int:  # fmt: skip
    """Play the games with each seat to win, then with all; print the chances; the exit code."""
    from dicegames.analysis.to_win.win_games import play_to_win  # noqa: PLC0415 - compiled code

    wishes = {name: wish for name, wish in solving.items() if name != "grid"}
    solution = obtained(game, "win", wishes)
    seats = range(1, game.players + 1)
    rows = []
    for chosen in [*((seat,) for seat in seats), tuple(seats)]:
        with progress("Playing") as bar:
            found = play_to_win(solution, games, seed, to_win=chosen,
                                threads=solving.get("threads"), progress=report(bar))  # fmt: skip
        rows.append(found)
    if out is not None:
        heads = [f"player {seat}" for seat in seats]
        write_games(out, heads, rows[-1].shares.T)
    if json:
        output.print_json(
            {
                "game": game.title,
                "options": game.options,
                "objective": "win",
                "games": games,
                "seed": seed,
                "rows": [_data(found, seats) for found in rows],
            }
        )
    else:
        _for_people(game, rows, seats, games, seed)
    return 0


def _data(found: Any, seats: range) -> dict[str, Any]:
    known = [seat for seat in seats if not np.isnan(found.adjusted[seat - 1]).any()]
    return {
        "to_win": found.to_win,
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
    for _ in range(3):
        table.add_column(justify="right", no_wrap=True)
    heads = ("plays to win", "of", "games won", "without luck")
    table.add_row(*(Text(head, style="dim") for head in heads))
    for found in rows:
        name = "all" if len(found.to_win) > 1 else f"player {found.to_win[0]}"
        for seat in seats if len(found.to_win) > 1 else found.to_win:
            adjusted = found.chance_without_luck(seat)
            shown = "" if np.isnan(adjusted[0]) else _share(*adjusted)
            table.add_row(name, f"player {seat}", _share(*found.chance(seat)), shown)
            name = ""
    console.print(table)


def _share(mean: float, error: float) -> str:
    return f"{mean:.2%} ± {error:.2%}"
