"""What a report is about: the solved game, and games that are watched; how it is told."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from functools import cached_property

from attrs import define, field, frozen

from dicegames.analysis.chances.distribution import Distribution
from dicegames.analysis.solution import Playing, Solution, solve_game
from dicegames.authoring.reports.listed_game import ListedGame, Play, listed_game
from dicegames.authoring.reports.watched import BestPlay, Chooser, Watch, at_random, by_strategy
from dicegames.ground.diagnostic import RulesError
from dicegames.ground.errors import DicegamesError
from dicegames.ground.limits import Limits
from dicegames.ground.table import Table
from dicegames.rules.parts.game import Rules
from dicegames.rules.running.objectives import objective_of

BEST, RANDOM = "best play", "random moves"
STUDY_SECONDS = 20.0
"""Seconds that a strategy or a change of the rules may take; what takes longer is noted."""
EXACTLY, ESTIMATED = "exact", "estimated"


def told_apart(difference: float, *solutions: Solution) -> float:
    """Return a difference of values of solutions, 0 where their error bounds leave that open."""
    return difference if abs(difference) > sum(s.error_bound for s in solutions) else 0.0


@frozen
class Section:
    """A table of a report: whether its numbers are exact or estimated, and from what."""

    name: str
    basis: str
    source: str
    table: Table


@define(eq=False, slots=False)
class Subject:
    """A solved game of which a report tells; what cannot be told is noted."""

    rules: Rules
    objective: str
    games: int
    seed: int
    threads: int | None
    notes: list[str] = field(factory=list)
    solution: Solution = field(init=False)
    spreads: list[Distribution] = field(init=False)
    best: BestPlay = field(init=False)
    watches: dict[str, Watch] = field(factory=dict)  # by who plays
    lengths: dict[str, Distribution] = field(factory=dict)  # of best play

    def __attrs_post_init__(self) -> None:
        self.solution = solve_game(self.rules, self.objective, limits=Limits(threads=self.threads))
        self.best = BestPlay(self.solution)
        self.spreads = []
        if self.goes_on:
            self.notes.append("no games are looked at: in the long run none comes to its end")
            return
        with self.noting("the distribution of results is not known"):
            self.spreads = self.solution.distributions(threads=self.threads)

    @property
    def goes_on(self) -> bool:
        """Whether turns go on for ever: there are no whole games, and no results of them."""
        return objective_of(self.objective).endless

    @contextmanager
    def noting(self, what: str) -> Iterator[None]:
        """Do what may not be possible; where it is not, what is missing is noted, and why."""
        try:
            yield
        except RulesError as error:
            self.notes.append(f"{what}: {error.diagnostics[0].message}")
        except DicegamesError as error:
            self.notes.append(f"{what}: {error}")

    def solve(self, game: Rules, playing: Playing = None) -> Solution:
        """Solve the game with other rules or players; raises SolutionError where it takes long."""
        return solve_game(
            game, self.objective, playing, limits=Limits(STUDY_SECONDS, threads=self.threads)
        )

    def lost(self, value: float, seat: int = 1) -> float:
        """Return what a seat loses with a value against best play; what rounding leaves is none."""
        sense = 1.0 if self.solution.maximise else -1.0
        return told_apart((self.solution.value_for(seat) - value) * sense, self.solution)

    @property
    def told(self) -> str:
        """Say what was watched."""
        return f"{self.games} games by best play, seed {self.seed}"

    def watch(self, name: str, player: Chooser) -> Watch | None:
        """Return games that were watched, None if something is in the way."""
        watch = Watch.of(self.solution, player, self.seed)
        with self.noting(f"games by {name} were not watched"):
            for _ in range(self.games):
                watch.play()
            return watch
        return None

    @cached_property
    def listed(self) -> ListedGame | None:
        """The game with all its states, if these are few."""
        return listed_game(self.solution.game, self.objective)

    @cached_property
    def plays(self) -> dict[str, Play]:
        """Ways of playing of which all is known exactly, if the states are few."""
        if self.listed is None:
            return {}
        found = {BEST: self.listed.best(), RANDOM: self.listed.at_random()}
        for title in self._strategies:
            game = listed_game(self.solution.game, self.objective, title)
            play = None if game is None else game.by_strategy()
            if play is None:
                self.notes.append(f'how "{title}" plays is not told: it leaves some moves open')
            else:
                found[title] = play
        with self.noting("what comes up is counted in games that are played"):
            for play in found.values():
                _ = play.flow
            return found
        return {}

    @property
    def _strategies(self) -> list[str]:
        """The strategies of the file that do not look ahead."""
        return [title for title, s in self.rules.strategies.items() if not s.looks_ahead]

    def watch_all(self) -> None:
        """Watch games by best play, and if their states are not listed by the others as well."""
        if self.goes_on:
            return
        players: dict[str, Chooser] = {BEST: self.best}
        if not self.plays or self.rules.names.boxes:
            players[RANDOM] = at_random(self.seed)
            for title in self._strategies:
                players[title] = by_strategy(self.rules, self.objective, title)
        for name, player in players.items():
            watch = self.watch(name, player)
            if watch is not None:
                self.watches[name] = watch
            if not self.best.stakes:
                self.notes.append("nothing is chosen in this game")
                break
