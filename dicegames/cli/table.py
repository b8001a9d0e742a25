"""A game on the table: who sits there, who judges, and where it is shown."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from attrs import define

from dicegames.cli.seating import Solutions, judge_of, ledger_of, seated, unit_of
from dicegames.cli.terminal import Seat
from dicegames.loading import Game
from dicegames.play.judge import Ledger
from dicegames.play.match import Match
from dicegames.play.players import Player
from dicegames.play.transcript import Header
from dicegames.play.wording import Unit

Grades = tuple[float, float, float]


@define
class Wishes:
    """What the command line asks for besides the game."""

    judge: str
    grades: Grades | None
    plain: bool
    solving: Mapping[str, Any]


def wishes_of(given: Mapping[str, Any]) -> Wishes:
    """Return what the options of a command ask for."""
    solving = dict(given)
    own = {name: solving.pop(name) for name in ("judge", "grades", "plain")}
    return Wishes(own["judge"], own["grades"], own["plain"], solving)


@define
class Table:
    """A game, the players at it, and who judges it."""

    game: Game
    header: Header
    terminal: Seat
    players: list[Player]
    unit: Unit
    ledger: Ledger | None
    without: str
    solution: Any
    solving: Mapping[str, Any]

    @property
    def compiled(self) -> Any:
        """The compiled game of the solution, None if there is none."""
        return None if self.solution is None else self.solution.compiled

    @property
    def names(self) -> list[str]:
        """What the players are called."""
        return [player.name for player in self.players]


def table_of(game: Game, match: Match, header: Header, wishes: Wishes, *, bots: bool) -> Table:
    """Return who sits at a game; `bots` must be able to play only if they are to."""
    solutions = Solutions(game, wishes.solving)
    players = seated(header.seats, game, solutions, playing=bots)
    judge, without = judge_of(wishes.judge, solutions)
    ledger = None if judge is None else ledger_of(match, judge, wishes.grades)
    unit = Unit() if ledger is None else unit_of(judge, ledger.scale)
    seat = Seat(plain=wishes.plain)
    return Table(game, header, seat, players, unit, ledger, without, judge, wishes.solving)
