"""`dicegames export`: a small game for an independent tool."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from dicegames.analysis.prism import prism_text
from dicegames.analysis.solution import SolutionError
from dicegames.analysis.store import MissingFile
from dicegames.ground.exact_limit import Limit, TooLarge
from dicegames.loading import load, solve
from dicegames.rules.playing import StrategyError, played_by
from dicegames.rules.referee import Move, Position

MOST_POSITIONS = 200_000


def run(
    file: str, settings: Mapping[str, str], objective: str, fixed: int | None, out: str | None
) -> int:
    """Write a game in the language of PRISM; return the exit code."""
    game = load(file, **settings)
    rules = game.rules
    if fixed is not None:
        if fixed > game.players:
            raise StrategyError(f"there is no seat {fixed}: seats are 1 to {game.players}")
        solution = solve(game, objective)

        def best(position: Position) -> Move:
            choice = solution.best(position)
            assert choice is not None
            return choice.move

        rules = played_by(rules, tuple(best if s == fixed else None for s in seats(game.players)))
    try:
        text = prism_text(rules, objective, Limit(MOST_POSITIONS))
    except TooLarge as large:
        message = f"{large}: only small games are exported; set smaller options"
        raise SolutionError(message) from None
    if out is None:
        print(text, end="")
        return 0
    try:
        Path(out).write_text(text, "utf-8")
    except OSError as error:
        raise MissingFile(f"{out} cannot be written: {error.strerror}") from None
    return 0


def seats(players: int) -> range:
    """Return the seats, counted from 1."""
    return range(1, players + 1)
