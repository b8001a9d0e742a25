"""Simulated games of players who play to win, against players of the best mean and each other."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from dicegames.analysis.to_win.styles import STYLES, Style, style_of
from dicegames.analysis.to_win.win_games import play_to_win
from dicegames.cli.printing.answer import Answer, Block, Pairs, Rows, about, heading
from dicegames.cli.printing.files import write_games
from dicegames.cli.solving import Running, Solving, obtained, progress
from dicegames.ground.diagnostic import folded
from dicegames.ground.numbers import percent
from dicegames.loading import Game
from dicegames.play.wording import Line
from dicegames.rules.running.playing import OPTIMAL, StrategyError, demand_seats


def run(game: Game, solving: Solving, games: int, seed: int, out: str | None) -> Answer:
    """Play the games as --seat says, or with each seat to win and then all."""
    by_seat, usual = solving.by_seat, solving.strategy or "best"
    seats = range(1, game.players + 1)
    demand_seats(game.rules, by_seat)
    lines = [[_style(by_seat.get(seat, usual)).name for seat in seats]]
    if not by_seat and not solving.strategy:
        lines = [["win" if seat == one else "mean" for seat in seats] for one in seats]
        lines.append(["win" for _ in seats])
    solution = _solution(game, solving)
    rows = [_played(solution, line, games, seed, solving, Running) for line in lines]
    if out is not None:
        heads = [f"player {seat}" for seat in seats]
        write_games(out, heads, rows[-1].shares.T)
    told = about(game, "win", games=games, seed=seed, rows=[_data(one, seats) for one in rows])
    return Answer(told, _for_people(game, rows, seats, games, seed))


def compare(game: Game, solving: Solving, names: Sequence[str], games: int, seed: int) -> Answer:
    """Let ways of playing meet, each in each of two seats; return their chances."""
    if game.players != 2:
        message = "all against all is for two players: --set players=2; `simulate` takes more"
        raise StrategyError(message)
    styles = [_style(name) for name in names] or list(STYLES.values())
    solution = _solution(game, solving)
    met = {
        (one.name, two.name): _played(solution, [one.name, two.name], games, seed, solving)
        for one in styles
        for two in styles
    }
    chances = [(pair, found.chance_without_luck(1)) for pair, found in met.items()]
    told = [{"players": pair, "player 1": chance} for pair, chance in chances]
    chance = {pair: _share(*own) for pair, own in chances}
    rows = [[one.name, *(chance[one.name, two.name] for two in styles)] for one in styles]
    rules = [(style.name, style.rule) for style in styles]
    what = "chance of player 1 to win, luck taken out; the columns are player 2"
    blocks: list[Block] = [heading(game), [(what, "dim")], ""]
    blocks.append(Rows("l" * (1 + len(styles)), [["", *(s.name for s in styles)], *rows]))
    blocks += ["", Pairs([*rules, ("games", f"{games:,} of each pair, seed {seed}")])]
    return Answer(about(game, "win", games=games, seed=seed, rows=told), blocks)


def _style(name: str) -> Style:
    return style_of("mean" if folded(name) == OPTIMAL else name)


def _solution(game: Game, solving: Solving) -> Any:
    return obtained(game, Solving("win", solution=solving.solution, **solving.limits))


def _played(
    solution: Any, line: list[str], games: int, seed: int, solving: Solving, report: Any = None
) -> Any:
    with progress(f"Playing {' : '.join(line)}") as bar:
        return play_to_win(solution, games, seed, line, threads=solving.threads,
                           progress=report(bar) if report else bar)  # fmt: skip


def _data(found: Any, seats: range) -> dict[str, Any]:
    known = [seat for seat in seats if not np.isnan(found.adjusted[seat - 1]).any()]
    return {
        "players": found.players,
        "chances": [found.chance(seat) for seat in seats],
        "without_luck": {str(seat): found.chance_without_luck(seat) for seat in known},
        "milliseconds_a_turn": 1000 * found.seconds / max(1, found.turns),
    }


def _for_people(
    game: Game, rows: list[Any], seats: range, games: int, seed: int
) -> Iterator[Block]:
    yield heading(game)
    yield Pairs([("games", f"{games:,}, seed {seed}")])
    yield ""
    lines: list[list[str | Line]] = []
    for found in rows:
        for seat in found.to_win if len(found.to_win) == 1 else seats:
            adjusted = found.chance_without_luck(seat)
            shown = "" if np.isnan(adjusted[0]) else _share(*adjusted)
            own = _share(*found.chance(seat))
            lines.append([f"player {seat}", found.players[seat - 1], own, shown])
        lines.append([])
    yield Rows("lwrr", lines, ("", "plays", "games won", "without luck"))
    rest = "the others for the best mean; " if any(len(row.to_win) == 1 for row in rows) else ""
    turns = sum(row.turns for row in rows)
    took = 1000 * sum(row.seconds for row in rows) / max(1, turns)
    yield [(f"{rest}{took:.2g} ms for each of {turns:,} turns to win", "dim")]


def _share(mean: float, error: float) -> str:
    return f"{percent(mean)} ± {percent(error)}"
