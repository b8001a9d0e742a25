"""What a player may want of a game, as one writes it: "payoff", "turns", "reach:300 minimised".

An objective says all that depends on it: where play ends, what counts there, whether much of it
is good, and what a value is in words. Nothing else asks which objective it is.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from fractions import Fraction
from typing import ClassVar

from attrs import evolve, frozen

from dicegames.ground.errors import DicegamesError
from dicegames.ground.numbers import LONGEST_NUMBER
from dicegames.rules.parts.flow import Environment, Expression, Finish, Test, reachable, read_by
from dicegames.rules.parts.game import Rules
from dicegames.rules.parts.types import TRUTH, Value
from dicegames.rules.parts.unknown import compare, select
from dicegames.rules.reading.derive import constant
from dicegames.rules.running.liveness import Slots

SENSES = {"maximised": True, "minimised": False}
LONGEST_PAYOFF = 30
"""A payoff with more characters is called the payoff."""


class ObjectiveError(DicegamesError, ValueError):
    """An objective that does not make sense for a game; the message says why."""

    misused = True


@frozen
class Objective:
    """What is to be large or small.

    `sense` is None where the kind of the objective says which: few turns, a large probability;
    points as the rules have it.
    """

    sense: bool | None = None

    name: ClassVar[str]
    written: ClassVar[str]
    """How one writes it, the target of `reach` as a letter."""

    by_seat: ClassVar[bool] = False
    """Whether play goes on from seat to seat, each with a value of its own."""
    one_turn: ClassVar[bool] = False
    """Whether play ends with the turn."""
    endless: ClassVar[bool] = False
    """Whether play never ends, and the average of its turns is wanted."""
    per_turn: ClassVar[int] = 0
    """What every turn adds."""
    single: ClassVar[str] = ""
    """Why it is for one player, if it is."""

    is_share: ClassVar[bool] = False
    """Whether values are probabilities, whatever the rules say."""
    called: ClassVar[str] = ""
    """What values are, where it is the same for all games."""

    @property
    def target(self) -> Fraction | None:
        """How much is to be reached, where that is asked."""
        return None

    @property
    def is_the_rules_own(self) -> bool:
        """Whether it judges the results of whole games as the rules have them."""
        return False

    def applied(self, game: Rules) -> Rules:
        """Return the game as it is played for this; raises ObjectiveError where that has no sense.

        That is the game itself, unless it must go on for ever.
        """
        if self.single and game.players > 1:
            raise ObjectiveError(f"{self.single}: --set players=1")
        return game

    def counts(self, game: Rules) -> Sequence[Expression]:
        """Return what is counted at the end, for each seat; nothing where turns are."""
        return (measure(game),)

    def ends(self, game: Rules) -> dict[int, Slots]:
        """Return the instructions at which play ends, with the slots read there."""
        at = [number for number, each in enumerate(game.flow) if isinstance(each, Finish)]
        return dict.fromkeys(at, read_by(self.counts(game)))

    def final(self, game: Rules, env: Environment, seat: int) -> Value:
        """Return what a seat (counted from the player to move) has when play ends."""
        return self.counts(game)[seat].run(env)

    def seats(self, game: Rules) -> int:
        """Return how many seats have a number of their own."""
        return game.players if self.by_seat else 1

    def adds_up(self, game: Rules) -> bool:
        """Tell whether what is counted is wanted as it is, not compared with anything."""
        return bool(self.counts(game)) and self.target is None

    def at_least(self, game: Rules) -> bool:
        """Tell whether a target asks for as much or more; else for as much or less."""
        return game.highest_wins if game.payoff_is_win else game.maximise

    def maximised(self, game: Rules) -> bool:
        """Tell whether much is wanted."""
        return self._usual(game) if self.sense is None else self.sense

    def _usual(self, game: Rules) -> bool:
        """Tell whether much is wanted where nothing else is said."""
        return game.many_points

    def is_the_points_of_a_turn(self, game: Rules) -> bool:
        """Tell whether it is what `best turn` plays for."""
        return False

    def is_probability(self, game: Rules) -> bool:
        """Tell whether values are probabilities."""
        return self.is_share

    def compares(self, game: Rules) -> bool:
        """Tell whether results are compared, in a game whose rules do not say so.

        What the rules count is not what is wanted then: no model of the game, and no fractions of
        it, tell the value.
        """
        return False

    def unit(self, game: Rules) -> str:
        """Say what values are."""
        return self.called

    def __str__(self) -> str:
        what = self.name if self.target is None else f"{self.name}:{self.target}"
        if self.sense is None:
            return what
        return f"{what} {'maximised' if self.sense else 'minimised'}"


@frozen
class Payoff(Objective):
    """What the rules play for, each player for his own."""

    name = written = "payoff"
    by_seat = True

    @property
    def is_the_rules_own(self) -> bool:
        return self.sense is None

    def counts(self, game: Rules) -> Sequence[Expression]:
        return game.payoffs

    def ends(self, game: Rules) -> dict[int, Slots]:
        """Return where the rules end the game; the ranking is read there, too."""
        read = read_by([*game.payoffs, *game.standings])
        return dict.fromkeys(super().ends(game), read | game.final_reads)

    def final(self, game: Rules, env: Environment, seat: int) -> Value:
        return game.payoff(env, seat)

    def adds_up(self, game: Rules) -> bool:
        return not game.payoff_is_win

    def _usual(self, game: Rules) -> bool:
        return game.maximise

    def is_probability(self, game: Rules) -> bool:
        return self.is_share or game.payoff_is_win

    def unit(self, game: Rules) -> str:
        if self.is_probability(game):
            return "probability to win, a tie shared"
        words = game.source.words(game.payoffs[0].span)
        return f"expected {words if 0 < len(words) <= LONGEST_PAYOFF else 'payoff'}"


@frozen
class Win(Payoff):
    """To have the best result of all; a tie is shared."""

    name = written = "win"
    is_share = True

    def compares(self, game: Rules) -> bool:
        return not game.payoff_is_win

    def applied(self, game: Rules) -> Rules:
        """Return the game; raises ObjectiveError where nobody else is there, or it is turned."""
        if "players" not in game.names.options:
            raise ObjectiveError("to win takes two players, and these rules are for one")
        if game.players == 1:
            raise ObjectiveError("to win takes two players: --set players=2")
        if self.sense is not None:
            remedy = "leave out --minimise and --maximise, or take --objective payoff"
            raise ObjectiveError(f"winning is always maximised: {remedy}")
        return game


@frozen
class TurnPoints(Objective):
    """The points of one turn, that of the first player."""

    name = written = "turn"
    one_turn = True
    called = "expected points of one turn"

    def ends(self, game: Rules) -> dict[int, Slots]:
        reads = measure(game).reads
        return dict.fromkeys([*super().ends(game), game.end_turn], reads)

    def is_the_points_of_a_turn(self, game: Rules) -> bool:
        return self.sense in (None, game.many_points)


@frozen
class TurnCount(Objective):
    """How many turns the game takes."""

    name = written = "turns"
    per_turn = 1
    single = "turns are counted for one player"
    called = "expected turns"

    def counts(self, game: Rules) -> Sequence[Expression]:
        return ()

    def final(self, game: Rules, env: Environment, seat: int) -> Value:
        return 0

    def _usual(self, game: Rules) -> bool:
        return False


@frozen
class ReachTarget(Objective):
    """Whether the result comes to a target: as much or more, or less where little is good."""

    wanted: Fraction = Fraction(0)

    name = "reach"
    written = "reach:T"
    single = "what one of several reaches depends on what the others want"
    is_share = True

    @property
    def target(self) -> Fraction:
        return self.wanted

    def counts(self, game: Rules) -> Sequence[Expression]:
        return (game.standings[0] if game.payoff_is_win else game.payoffs[0],)

    def final(self, game: Rules, env: Environment, seat: int) -> Value:
        had = self.counts(game)[0].run(env)
        return select(compare("ge" if self.at_least(game) else "le", had, self.wanted), 1, 0)

    def _usual(self, game: Rules) -> bool:
        return True

    def unit(self, game: Rules) -> str:
        limit = "at least" if self.at_least(game) else "at most"
        return f"probability that it comes to {limit} {self.wanted}"


@frozen
class Average(Objective):
    """The points of a turn in a game that goes on for ever."""

    name = written = "average"
    endless = True
    single = "the long run is looked at for one player"
    called = "points of a turn in the long run"

    def applied(self, game: Rules) -> Rules:
        """Return a game without end; raises ObjectiveError if more than rounds end it."""
        return _without_rounds(super().applied(game))


def of_one_game(unit: str) -> str:
    """Return what the result of a single game is, where the mean of it has a unit."""
    if unit.startswith("probability to win"):
        return "1 for a win, 0 for a loss, a tie shared"
    if unit.startswith("probability"):
        return "1 where it comes to that, 0 where it does not"
    return unit.partition(",")[0].removeprefix("expected ")


PAYOFF = Payoff()
OBJECTIVES: tuple[type[Objective], ...] = (Payoff, Win, TurnPoints, TurnCount, Average, ReachTarget)
TARGET_NUMBER = re.compile(r"-?[0-9]+(/[1-9][0-9]*|\.[0-9]+)?")


def objective_of(text: str) -> Objective:
    """Return the objective that is written as "payoff", "reach:300", "turns maximised".

    Raises ObjectiveError for anything else.
    """
    words = str(text).split()
    sense = SENSES.get(words.pop()) if len(words) == 2 else None
    name, colon, number = (words[0] if len(words) == 1 else "").partition(":")
    if name == ReachTarget.name:
        if not TARGET_NUMBER.fullmatch(number):
            raise ObjectiveError('write how much is to be reached: "reach:300"')
        if len(number) > LONGEST_NUMBER:
            raise ObjectiveError(f"what is to be reached has at most {LONGEST_NUMBER} digits")
        return ReachTarget(sense, Fraction(number))
    kind = next((kind for kind in OBJECTIVES if kind.written == name and not colon), None)
    if kind is None or (sense is None and str(text).split() != words):
        known = ", ".join(kind.written for kind in OBJECTIVES)
        raise ObjectiveError(f'there is no objective "{text}"; there are: {known}')
    return kind(sense)


def measure(game: Rules) -> Expression:
    """Return what a turn's points are counted by: the ranking, without one the payoff."""
    if not game.turn_points:
        raise ObjectiveError("the rules have neither a ranking nor points to count")
    return game.turn_points[0]


def _without_rounds(game: Rules) -> Rules:
    """Return a game whose turns go on for ever; raise ObjectiveError if more than rounds end it."""
    flow = list(game.flow)
    for number, instruction in enumerate(flow):
        if isinstance(instruction, Test) and _counts_rounds(game, instruction):
            flow[number] = evolve(instruction, next=instruction.other)
    if any(isinstance(flow[n], Finish) for n in reachable(flow, game.turn)):
        message = "the average of turns is for turns that come again without end, and here the "
        message += "state of play ends the game; --objective turn looks at a single turn, "
        raise ObjectiveError(message + "--objective payoff at the whole game")
    for number, instruction in enumerate(game.flow):
        if isinstance(instruction, Test) and flow[number] is not instruction:
            # it still leads to the end, where what is gained is read, but never goes there
            flow[number] = evolve(instruction, condition=constant(TRUTH, False))
    return evolve(game, flow=flow)


def _counts_rounds(game: Rules, test: Test) -> bool:
    """Tell whether a condition ends the game after some number of rounds."""
    counted = {game.names.variables[name].base for name in ("round", "seat")}
    ends = isinstance(game.flow[test.next], Finish)
    return ends and test.condition.reads <= counted
