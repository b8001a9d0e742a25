"""Who sits where, as the command line says it; and who judges."""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import rich_click as click
from attrs import define, evolve

from dicegames.analysis.saved import identity
from dicegames.analysis.saved.restoring import header_of
from dicegames.analysis.saved.store import DamagedFile
from dicegames.analysis.solution import Solution
from dicegames.cli.failure import Failure, failure_of
from dicegames.cli.printing.in_words import is_probability
from dicegames.cli.printing.output import counted
from dicegames.cli.solving import Solving, known, obtained
from dicegames.cli.watch import within
from dicegames.configuration import ConfigurationError, setting
from dicegames.ground.diagnostic import did_you_mean
from dicegames.ground.numbers import whole_number
from dicegames.ground.reading import is_regular
from dicegames.loading import Game
from dicegames.play.judge import Judge, Ledger, Scale, usual_thresholds
from dicegames.play.levels import BY_NAME as LEVELS
from dicegames.play.levels import player_of
from dicegames.play.match import Match, Player, any_move, by_position, people
from dicegames.play.transcript import BOT, HUMAN
from dicegames.rules.running.objectives import ObjectiveError
from dicegames.rules.running.playing import OPTIMAL as BEST
from dicegames.rules.running.playing import StrategyError, left_by, title_of
from dicegames.rules.running.referee import Move, Position
from dicegames.solver.model import Formula

OPTIMAL_BOT, RANDOM_BOT, WIN_BOT, NOBODY = "optimal", "random", "win", "none"
LONGEST_SOLVE = 60.0
"""Seconds after which another judge is looked for, unless --time says otherwise."""
AT_THE_TABLE = 2.0
"""The same where somebody waits for the first prompt, and what takes longer goes on meanwhile."""
BACKGROUND_SECONDS = 600.0
"""Seconds in which a better judge is looked for in the background."""
FINEST = [Solving(grid={}, time=time) for time in (None, BACKGROUND_SECONDS)]
"""How a solution is asked for that may be on a grid: the finest for which there was time."""
SEATING_MEMORY = 4_000_000_000
LARGEST_CHANCE = 1.0


@define
class Solutions:
    """The solution of a game, solved or read when it is first asked for.

    It is exact, unless one on a grid is kept from an earlier time.
    """

    game: Game
    solving: Solving
    patience: float = LONGEST_SOLVE
    exact: Any = None
    problem: str = ""
    winning: Any = None
    spent: float = 0.0

    def solution(self) -> Any:
        """Return the solution, None where there is none: then `problem` says why."""
        if self.exact is None and not self.problem:
            limits = self._limited()
            given = limits.solution is not None
            began = time.monotonic()
            try:
                with within(limits.time, limits.memory):
                    self.exact = None if given else self.kept()
                    self.exact = self.exact or obtained(self.game, limits)
            except Exception as error:
                failure = failure_of(error)
                if failure is None or given:
                    raise
                self.problem = _problem(failure)
                self.spent = time.monotonic() - began
        return self.exact

    def to_win(self) -> Any:
        """Return who judges by the chance to win; raises what `solve` does where nobody can."""
        if self.winning is None:
            with within(self.solving.time, self.solving.memory):
                asked = evolve(self.solving, solution=None, objective="win")
                self.winning = obtained(self.game, asked)
        return self.winning

    def kept(self) -> Any:
        """Return the solution that is kept, exact or else on a grid; None where there is none."""
        found = (known(self.game, asked) for asked in FINEST)
        return next(filter(None, found), None)

    def kept_turn(self) -> Any:
        """Return the solution of a turn that is kept, None where there is none."""
        return known(self.game, Solving(objective="turn"))

    def _limited(self) -> Solving:
        """Return how to solve, within limits of time and memory."""
        asked = self.solving
        named = asked.solution is not None  # nothing else could judge meanwhile
        time = asked.time or (LONGEST_SOLVE if named else self.patience)
        return evolve(asked, time=time, memory=asked.memory or SEATING_MEMORY)

    def of_turn(self, title: str | None = None) -> Any:
        """Return the solution of a turn, None where there is none; a strategy plays if named.

        It has the time that the game has left; unless a time is given, as much again.
        """
        asked = evolve(self._limited(), objective="turn", strategy=title, by_seat={}, solution=None)
        if self.problem and asked.time is not None:
            left = max(0.0, asked.time - self.spent)
            asked = evolve(asked, time=left if self.solving.time else asked.time + left)
        try:
            with within(asked.time, asked.memory):
                return obtained(self.game, asked)
        except Exception as error:
            if failure_of(error) is None:
                raise
            return None

    def of_file(self, path: str) -> Any:
        """Return the solution in a file or folder, for whatever objective and strategies."""
        header = header_of(path)
        identity.demand_game(path, header, self.game.rules)
        named = dict(enumerate(header["strategies"][: self.game.players], 1))
        try:
            return Solution.load(path, self.game.rules, header["objective"], named)
        except (ObjectiveError, StrategyError) as error:
            raise DamagedFile(path, str(error)) from None


def _problem(failure: Failure) -> str:
    """Return why there is no solution, with advice for games that are played.

    What a message says behind its first clause is advice for the command that solves.
    """
    message = re.split(r"[;:] ", failure.listed()[0]["message"])[0]
    return message + (" (--time and --memory allow more)" if "allowed" in message else "")


def seated(
    specs: Sequence[str], game: Game, solutions: Solutions, *, playing: bool = True
) -> list[Player]:
    """Return the players of a game; bots choose only where they are `playing`.

    Raises click.UsageError.
    """
    humans = [spec for spec in specs if not spec.startswith(BOT)]
    named = iter(people(humans.count(HUMAN)))
    players = []
    for number, spec in enumerate(specs, 1):
        if spec == HUMAN:
            player = next(named)
            alone = len(humans) == 1
            players.append(player if alone else Player(f"Player {number}"))
        elif spec.startswith(BOT):
            choose = _bot(spec, game, solutions) if playing else any_move
            players.append(Player(_title(spec, game), choose))
        else:
            players.append(Player(spec))
    names = [player.name for player in players]
    return [
        Player(f"{p.name} {n}", p.choose) if names.count(p.name) > 1 else p
        for n, p in enumerate(players, 1)
    ]


def _title(spec: str, game: Game) -> str:
    name = spec.removeprefix(BOT).strip()
    if name.endswith(".solution"):
        return Path(name).stem
    return title_of(game.rules, name) or name


def _bot(spec: str, game: Game, solutions: Solutions) -> Callable[[Match], Move]:
    name = spec.removeprefix(BOT).strip()
    if name == RANDOM_BOT:
        return any_move
    if name == WIN_BOT:
        return by_position(_best(solutions.to_win()))
    if name in (OPTIMAL_BOT, BEST) or name in LEVELS:
        solutions.patience = LONGEST_SOLVE  # nobody else can choose for it meanwhile
        solution = solutions.solution()
        if solution is None:
            others = " or ".join(
                f'"{BOT}{other}"' for other in [*game.rules.strategies, RANDOM_BOT]
            )
            raise click.UsageError(f"{spec} cannot play: {solutions.problem}; {others} can")
        return player_of(LEVELS[name], solution) if name in LEVELS else by_position(_best(solution))
    if name.endswith(".solution") or is_regular(name):
        return by_position(_best(solutions.of_file(name)))
    if title := title_of(game.rules, name):
        return _strategist(game, title, solutions)
    hint = did_you_mean(name, [*game.rules.strategies, OPTIMAL_BOT, RANDOM_BOT, WIN_BOT, *LEVELS])
    known = ", ".join([OPTIMAL_BOT, RANDOM_BOT, WIN_BOT, *LEVELS, *game.rules.strategies])
    raise click.UsageError(f'no bot is called "{name}"; {hint or f"there are {known}"}')


def opponent(game: Game, *, solved: bool) -> str:
    """Return a bot that can play, for people who do not know one."""
    able = [title for title, its in game.rules.strategies.items() if its.is_for_turn]
    return f"{BOT}{OPTIMAL_BOT if solved else able[0] if able else RANDOM_BOT}"


def _strategist(game: Game, title: str, solutions: Solutions) -> Callable[[Match], Move]:
    """Return how a strategy of the rules file plays; where it says `best`, as the solution does.

    Of one that looks ahead to the end of the turn, the solution of the turn knows positions that
    can come up in the first turn of a game, and those that are like them; in others the turn is
    played out from the position.
    """
    follow, strategy = _following(game, title, solutions), game.rules.strategies[title]
    if not strategy.is_for_turn:
        solutions.patience = LONGEST_SOLVE
    for_turn = strategy.looks_ahead and strategy.is_for_turn
    turn = solutions.of_turn(title) if for_turn else None
    if turn is None:
        return by_position(follow)

    def choose(position: Position) -> Move:
        try:
            return _best(turn)(position)
        except LookupError:
            return follow(position)

    return by_position(choose)


def _following(game: Game, title: str, solutions: Solutions) -> Callable[[Position], Move]:
    leaves = left_by(game.rules, title)

    def choose(position: Position) -> Move:
        left = {move.label for move in leaves(position)}
        if len(left) == 1:
            return position.named(left.pop())
        solution = solutions.solution()
        if solution is None:
            message = f'the strategy "{title}" leaves it to the best move here'
            raise StrategyError(f"{message}, and it is not known: {solutions.problem}")
        best: Move = next(
            choice.move for choice in solution.options(position) if choice.move.label in left
        )
        return best

    return choose


def _best(judge: Judge) -> Callable[[Position], Move]:
    return lambda position: judge.options(position)[0].move


def specs_for(given: Sequence[str], players: int) -> tuple[str, ...]:
    """Return who sits at each place: in this order, or where `2=WHO` says; else at the keyboard."""
    named: dict[int, str] = {}
    for spec in given:
        seat, who = _placed(spec)
        if seat is None:
            seat = next(n for n in range(1, len(named) + 2) if n not in named)
        if seat in named:
            raise click.UsageError(f"--seat {spec}: seat {seat} is filled twice")
        if not who or who == BOT or not who.isprintable():
            raise click.UsageError(f'"{spec}" sits nowhere: --seat me, --seat bot:optimal')
        if who in (OPTIMAL_BOT, BEST, RANDOM_BOT, WIN_BOT, *LEVELS):
            raise click.UsageError(f"--seat {spec}: a bot is meant by {BOT}{who}")
        named[seat] = who
    some = counted(players, "player")
    if given and not are_placed(given) and len(given) != players:
        raise click.UsageError(f"the game has {some}, --seat is there {len(given)} times")
    for seat in named:
        if not 1 <= seat <= players:
            raise click.UsageError(f"the game has {some}: there is no seat {seat}")
    specs = [named.get(seat, HUMAN) for seat in range(1, players + 1)]
    return tuple(_usual_bot() if spec == BOT[:-1] else _from_anywhere(spec) for spec in specs)


def are_placed(given: Sequence[str]) -> bool:
    """Tell whether some who play are given a seat by its number."""
    return any(_placed(spec)[0] is not None for spec in given)


def _placed(spec: str) -> tuple[int | None, str]:
    """Return the number of the seat, if it is told, and who sits there."""
    place, equals, who = spec.partition("=")
    seat = whole_number(place.strip()) if equals else None
    return seat, (spec if seat is None else who).strip()


def _usual_bot() -> str:
    """Return the bot of the level that is set; best play where none is."""
    level, where = setting("level") or (OPTIMAL_BOT, "")
    known = [*LEVELS, OPTIMAL_BOT]
    if level not in known:
        hint = did_you_mean(level, known) or f"there are: {', '.join(known)}"
        raise ConfigurationError(f'{where}, level: there is no bot "{level}"; {hint}')
    return f"{BOT}{level}"


def _from_anywhere(spec: str) -> str:
    """Return who sits at a place, a file named so that it is found from any folder."""
    name = spec.removeprefix(BOT).strip()
    is_file = spec.startswith(BOT) and name.endswith(".solution") and is_regular(name)
    return f"{BOT}{Path(name).resolve()}" if is_file else spec


def ledger_of(match: Match, judge: Any, grades: tuple[float, float, float] | None) -> Ledger:
    """Return the ledger of a match: of the whole game, or of its turns where these are solved."""
    if not judge.compiled.goal.objective.is_the_rules_own:
        title, span = "expected points of the turn", " in this turn"
        scale = Scale(grades or usual_thresholds(1.0), title=title, span=span)
        return Ledger(match, judge, scale, is_whole=False)
    share = is_probability(judge)
    title = "chance to win" if share else "expected result"
    thresholds = grades or usual_thresholds(_factor(judge))
    return Ledger(match, judge, Scale(thresholds, is_share=share, title=title))


def _factor(solution: Any) -> float:
    """Return what stands for a point: 0.01 where the payoff moves by 1 at most, as chances do."""
    if is_probability(solution):
        return 0.01
    model = solution.compiled.model
    if any(isinstance(lookup, Formula) for lookup in model.lookups):
        return 1.0
    largest = max(
        abs(reward.constant)
        + sum(float(abs(model.lookups[n].values).max()) for n in reward.lookups)
        for reward in model.rewards
    )
    return 0.01 if largest <= LARGEST_CHANCE else 1.0


def judge_of(spec: str, solutions: Solutions) -> tuple[Any, str]:
    """Return who judges the result, or else the turns, or None; and why not the result."""
    if spec == NOBODY:
        return None, "nobody judges this game (--judge none)"
    if spec == OPTIMAL_BOT:
        return solutions.solution() or solutions.of_turn(), solutions.problem
    if spec == WIN_BOT:
        return solutions.to_win(), ""
    judge = solutions.of_file(spec)
    if {*judge.strategies} != {BEST}:
        raise click.UsageError(f"{spec} knows nothing of moves that its strategies do not play")
    if not judge.compiled.goal.objective.is_the_rules_own:
        raise click.UsageError(f"{spec} is for {judge.objective}: it does not judge the result")
    return judge, ""
