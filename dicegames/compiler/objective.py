"""What is to be optimised, applied to a game: where play ends for it, and what counts there."""

from __future__ import annotations

from fractions import Fraction

from attrs import evolve, frozen

from dicegames.rules.parts.aim import Aim, ObjectiveError
from dicegames.rules.parts.flow import Environment, Expression, Finish, Test, reachable
from dicegames.rules.parts.game import Game
from dicegames.rules.parts.types import TRUTH, Value
from dicegames.rules.parts.unknown import compare, select, unknown
from dicegames.rules.reading.derive import constant
from dicegames.rules.running.liveness import Slots, looks_ahead

__all__ = ["NeedsGrid", "Objective", "ObjectiveError", "TooMany", "measure", "objective"]


class TooMany(ObjectiveError):
    """What players look at together has too many values."""


class NeedsGrid(ObjectiveError):
    """A game has too many states to be listed, but may be solved on a grid."""


@frozen
class Objective:
    """A goal for one game.

    `ends` are the instructions at which play ends for it, with the slots read there. `final` is
    what the player to move has there, `per_turn` what each turn adds.
    """

    aim: Aim
    game: Game
    ends: dict[int, Slots]
    maximise: bool
    per_turn: float = 0
    noted: bool = False  # whether what the rules note is told apart
    sums: bool = True  # what is gained counts at once; else the end looks at what there is
    sampled: str = ""  # which throws are estimated from samples (see `sampling`)
    apart: bool = False  # each seat has a number of its own, even if one would do for both
    looks_ahead: bool = False  # whether a strategy plays for the points of a turn: they are counted

    @property
    def name(self) -> str:
        """The kind of the objective."""
        return self.aim.kind

    @property
    def at_least(self) -> bool:
        """Whether `reach` asks for as much as the target or more; else for as much or less."""
        game = self.game
        return game.highest_wins if game.payoff_is_win else game.maximise

    def final(self, env: Environment, seat: int) -> Value:
        """Return what a seat (counted from the player to move) has when play ends."""
        if self.name == "turns":
            return 0
        if self.name in ("turn", "average"):
            return measure(self.game).run(env)
        if self.name == "reach":
            had = quantity(self.game).run(env)
            if self.sums:
                return had
            wanted = compare("ge" if self.at_least else "le", had, self.aim.target)
            return select(wanted, 1, 0)
        return self.game.payoff(env, seat)

    @property
    def rotates(self) -> bool:
        """Whether play goes on from seat to seat, each with a value of its own."""
        return self.name == "payoff" and self.game.players > 1

    @property
    def constant_sum(self) -> Fraction | None:
        """What the payoffs of two players add up to, whatever happens; None if nothing is known.

        That is so when both play to win, and when all that moves is money, by payments.
        """
        game = self.game
        if not self.rotates or game.players != 2 or self.apart:
            return None
        if game.payoff_is_win:
            return Fraction(1)
        return sum_of_payoffs(game)

    @property
    def seats(self) -> int:
        """How many numbers tell the values of all seats."""
        return self.game.players if self.rotates and self.constant_sum is None else 1

    @property
    def linear(self) -> tuple[Expression, ...]:
        """The expressions that `final` consists of, for finding what is reward."""
        if self.name == "turns":
            return ()
        if self.name in ("turn", "average"):
            return (measure(self.game),)
        if self.name == "reach":
            return (quantity(self.game),) if self.sums else ()
        return tuple(self.game.payoffs)

    @property
    def counted(self) -> tuple[Expression, ...]:
        """By what the points of a turn are counted, where a strategy plays for them."""
        return (measure(self.game),) if self.looks_ahead else ()


def sum_of_payoffs(game: Game) -> Fraction | None:
    """Return what all payoffs add up to, if each is a player's money and nothing else.

    Money moves by payments only, so that the sum is the same at the end as at the start.
    """
    money = game.names.variables.get("money")
    if money is None or money.scope != "player" or not game.names.has_payments:
        return None
    own = [frozenset({money.base + seat}) for seat in range(game.players)]
    if [e.reads for e in game.payoffs] != own:
        return None
    env = game.start()
    for seat in range(game.players):
        env[money.base + seat] = unknown("slot", money.base + seat)
    if any(e.run(env) is not env[money.base + s] for s, e in enumerate(game.payoffs)):
        return None
    return Fraction(money.initial) * game.players


def measure(game: Game) -> Expression:
    """Return what a turn's points are counted by: the ranking, without one the payoff."""
    if not game.turn_points:
        raise ObjectiveError("the rules have neither a ranking nor points to count")
    return game.turn_points[0]


def quantity(game: Game) -> Expression:
    """Return what `reach` counts: the payoff, or what the ranking goes by."""
    return game.standings[0] if game.payoff_is_win else game.payoffs[0]


def objective(game: Game, text: str = "payoff") -> Objective:
    """Return the objective of a name; raise ObjectiveError if the game has no such thing."""
    aim = Aim.parse(text)
    finishes = [n for n, i in enumerate(game.flow) if isinstance(i, Finish)]
    ends: dict[int, Slots] = dict.fromkeys(finishes, frozenset())
    maximise, per_turn = game.maximise, 0.0
    if aim.kind == "payoff":
        reads = frozenset().union(*(e.reads for e in (*game.payoffs, *game.standings)))
        ends = dict.fromkeys(finishes, reads)
    elif aim.kind == "turn":
        ends = dict.fromkeys([*finishes, game.end_turn], measure(game).reads)
        maximise = game.many_points
    elif aim.kind == "turns":
        _demand_one_player(game, "turns are counted for one player")
        maximise, per_turn = False, 1
    elif aim.kind == "reach":
        _demand_one_player(game, "what one of several reaches depends on what the others want")
        ends = dict.fromkeys(finishes, quantity(game).reads)
        maximise = True
    else:
        game = _without_rounds(game)
        ends = dict.fromkeys(
            finishes, measure(game).reads
        )  # never reached, but it says what counts
        maximise = game.many_points
    wanted = maximise if aim.maximise is None else aim.maximise
    return Objective(aim, game, ends, wanted, per_turn, looks_ahead=looks_ahead(game))


def _without_rounds(game: Game) -> Game:
    """Return a game whose turns go on for ever; raise ObjectiveError if more than rounds end it."""
    _demand_one_player(game, "the long run is looked at for one player")
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


def _counts_rounds(game: Game, test: Test) -> bool:
    """Tell whether a condition ends the game after some number of rounds."""
    counted = {game.names.variables[name].base for name in ("round", "seat")}
    ends = isinstance(game.flow[test.next], Finish)
    return ends and test.condition is not None and test.condition.reads <= counted


def _demand_one_player(game: Game, why: str) -> None:
    if game.players > 1:
        raise ObjectiveError(f"{why}: --set players=1")
