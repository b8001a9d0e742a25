"""A game on the table: who sits there, who judges, where it is shown, and how its end compares."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

from attrs import define, evolve, field

from dicegames.cli.failure import failure_of
from dicegames.cli.playing.seating import (
    AT_THE_TABLE,
    LONGEST_SOLVE,
    NOBODY,
    OPTIMAL_BOT,
    WIN_BOT,
    Solutions,
    judge_of,
    ledger_of,
    seated,
)
from dicegames.cli.playing.why import told as reasons
from dicegames.cli.printing.histogram import histogram, shown
from dicegames.cli.printing.in_words import grid_text, is_probability
from dicegames.cli.printing.terminal import Seat
from dicegames.cli.solving import Solving, redraw_nothing, spreads
from dicegames.cli.watch import within
from dicegames.ground.limits import LimitReached
from dicegames.ground.numbers import percent
from dicegames.loading import Game
from dicegames.play.adviser import Adviser, strategies_of
from dicegames.play.judge import Ledger
from dicegames.play.match import Match, Player
from dicegames.play.record import EQUAL, luck_percentile
from dicegames.play.screen import heading
from dicegames.play.transcript import Header
from dicegames.play.tutor import Tutor
from dicegames.play.wording import Line

Grades = tuple[float, float, float]
MISTAKES = "mistakes"
"""How a game that is kept says of what a tutor warns, where no size is given."""


@define
class Wishes:
    """What the command line asks for besides the game."""

    judge: str | None
    grades: Grades | None
    plain: bool
    solving: Solving
    tutor: Tutor = field(factory=Tutor)


def settings_of(wishes: Wishes) -> dict[str, str]:
    """Return what a game that is kept says of wishes, with names of files from any folder."""
    found = {}
    if wishes.judge not in (None, OPTIMAL_BOT):
        is_file = wishes.judge not in (NOBODY, WIN_BOT)
        found["judge"] = str(Path(wishes.judge).resolve()) if is_file else wishes.judge
    if wishes.grades is not None:
        found["grades"] = ",".join(map(repr, wishes.grades))
    if wishes.plain:
        found["plain"] = "yes"
    if wishes.tutor.warns:
        found["tutor"] = MISTAKES if wishes.tutor.size is None else repr(wishes.tutor.size)
    if (path := wishes.solving.solution) is not None:
        found["solution"] = str(Path(path).resolve())
    return found


def with_settings(wishes: Wishes, settings: Mapping[str, str]) -> Wishes:
    """Return wishes, those that are not said as they were when the game was left."""
    judge, grades = wishes.judge or settings.get("judge"), wishes.grades
    if grades is None and "grades" in settings:
        with suppress(ValueError):  # then it is damaged, and as usual
            first, second, third = map(float, settings["grades"].split(","))
            grades = (first, second, third)
    path = wishes.solving.solution or settings.get("solution")
    plain = wishes.plain or settings.get("plain") == "yes"
    tutor, said = wishes.tutor, settings.get("tutor")
    if said is not None and not tutor.warns:
        with suppress(ValueError):
            tutor = Tutor(None if said == MISTAKES else float(said), warns=True)
    return Wishes(judge, grades, plain, evolve(wishes.solving, solution=path), tutor)


@define
class GameTable:
    """A game, the players at it, and who judges it."""

    game: Game
    header: Header
    terminal: Seat
    players: list[Player]
    ledger: Ledger | None
    without: str
    solution: Any
    wishes: Wishes

    @property
    def compiled(self) -> Any:
        """The compiled game whose solution judges the result, None if nobody does."""
        return self.solution.compiled if self.is_judged else None

    @property
    def is_judged(self) -> bool:
        """Whether somebody judges the result of the game."""
        return self.ledger is not None and self.ledger.is_whole

    @property
    def has_spread(self) -> bool:
        """Whether the result is a score of which there is a distribution, judged by somebody."""
        one = self.is_judged and self.compiled.game.players == 1
        return one and not is_probability(self.solution)

    @property
    def missing(self) -> str:
        """What is not judged, and why; empty where all is."""
        if self.is_judged:
            grid = self.solution.grid
            return f"values are approximate: {grid_text(grid)}" if grid else ""
        if self.ledger is None:
            return f"without luck and losses: {self.without}"
        return f"moves are judged by the points of their turn, not by the result: {self.without}"

    @property
    def missing_yet(self) -> str:
        """The same while a better judge is looked for."""
        if self.is_judged:
            return self.missing
        told = "moves are judged by the points of this turn only"
        if self.ledger is None:
            told = "there are neither luck nor losses"
        return f"not solved yet, which goes on in the background; until then {told}"

    def better(self, match: Match) -> tuple[Ledger, str] | None:
        """Return who judges a match better, and what to say, if somebody does by now."""
        solutions = Solutions(self.game, Solving())
        found = solutions.kept() or (solutions.kept_turn() if self.ledger is None else None)
        if found is None:
            return None
        self.solution, self.ledger = found, ledger_of(match, found, self.wishes.grades)
        news = f"solved by now: the {self.ledger.scale.title} is judged from here on"
        return self.ledger, f"{news}; {self.missing}" if self.missing else news

    def adviser(self, **more: Any) -> Adviser:
        """Return whom players ask about their moves."""
        who = (self.terminal, self.ledger, self.without)
        return Adviser(*who, explain=reasons, strategies=strategies_of(self.game.rules), **more)

    @property
    def names(self) -> list[str]:
        """What the players are called."""
        return [player.name for player in self.players]


def table_of(game: Game, match: Match, header: Header, wishes: Wishes, *, bots: bool) -> GameTable:
    """Return who sits at a game; `bots` must be able to play only if they are to."""
    seat = Seat(plain=wishes.plain)
    if wishes.plain:
        redraw_nothing()
    solutions = Solutions(
        game, wishes.solving, AT_THE_TABLE if bots and seat.typing else LONGEST_SOLVE
    )
    players = seated(header.seats, game, solutions, playing=bots)
    judge, without = judge_of(wishes.judge or OPTIMAL_BOT, solutions)
    ledger = None if judge is None else ledger_of(match, judge, wishes.grades)
    return GameTable(game, header, seat, players, ledger, without, judge, wishes)


def spread_lines(
    table: GameTable,
    match: Match,
    patience: float | None = None,
    wait: Callable[[], None] = lambda: None,
) -> list[Line]:
    """Return where the final scores lie; nothing where players meet, or one only wins or loses.

    It is looked for after `wait`, which ends when it is no longer computed elsewhere. Nobody waits
    for longer than `patience` seconds, nor after Ctrl-C.
    """
    ledger = table.ledger
    if ledger is None or not table.has_spread:
        return []
    try:
        with within(patience):
            wait()
            found = spreads(table.game, table.solution, table.wishes.solving)[0]
    except (KeyboardInterrupt, LimitReached):
        told = "how it compares with all games is still to be computed: dicegames analyse last"
        return [[("", "")], [(told, "dim")]]
    except Exception as error:
        failure = failure_of(error)
        if failure is None:
            raise
        return [[(f"the distribution is not known: {failure.listed()[0]['message']}", "dim")]]
    lines = heading("Among all games that are played in the best way", table.terminal)
    results = list(zip(table.names, map(float, match.result), strict=True))
    values, masses = found.values, found.masses
    for seat, (name, result) in enumerate(results):
        less, more = (
            masses[values < result - EQUAL].sum(),
            masses[values > result + EQUAL].sum(),
        )
        same = masses.sum() - less - more
        shares = {"less": less, "the same": same, "more": more}
        told = ", ".join(f"{name} in {percent(share, 1)}" for name, share in shares.items())
        lines.append([(f"{name}: {shown(result)}", "bold"), (f", {told}", "")])
        account = ledger.account(seat)
        if account.losses > EQUAL:  # else it says no more than the result
            maximise = table.solution.maximise
            share = luck_percentile([account.luck], values, masses, maximise=maximise)
            luck = ledger.scale.change(account.luck)
            lines.append([(f"  luck {luck}: more than in {percent(share, 1)} of them", "")])
    if table.terminal.plain:
        return lines
    return lines + histogram(found, table.terminal.width, results)
