"""An objective applied to a game, with what its model is to tell."""

from __future__ import annotations

from fractions import Fraction
from functools import cached_property

from attrs import frozen

from dicegames.rules.parts.broken import NotShown
from dicegames.rules.parts.flow import Environment, Expression
from dicegames.rules.parts.game import Rules
from dicegames.rules.parts.types import Value
from dicegames.rules.parts.unknown import unknown
from dicegames.rules.running.liveness import Slots, looks_ahead
from dicegames.rules.running.objectives import Objective, ObjectiveError, measure


class TooMany(ObjectiveError):
    """What players look at together has too many values."""


class NeedsGrid(ObjectiveError):
    """A game has too many states to be listed, but may be solved on a grid."""


class FarTooMany(NotShown):
    """So many states that to list all positions is hardly worth a try."""


class NotTurnByTurn(ObjectiveError):
    """What outlasts a turn changes in a loop of it: a turn cannot be played out as a whole."""


@frozen
class Goal:
    """An objective for one game.

    `ends` are the instructions at which play ends for it, with the slots read there; `per_turn` is
    what each turn adds.
    """

    objective: Objective
    game: Rules
    ends: dict[int, Slots]
    maximise: bool
    per_turn: float = 0
    noted: bool = False  # whether what the rules note is told apart
    traced: bool = False  # whether it is told apart what pays
    sums: bool = True  # what is gained counts at once; else the end looks at what there is
    sampled: str = ""  # which throws are estimated from samples (see `sampling`)
    apart: bool = False  # each seat has a number of its own, even if one would do for both
    looks_ahead: bool = False  # whether a strategy plays for the points of a turn: they are counted

    @property
    def _asks_at_once(self) -> bool:
        """Whether a target is compared with an axis of what was gained, not at the end."""
        return self.sums and self.objective.target is not None

    def final(self, env: Environment, seat: int) -> Value:
        """Return what a seat (counted from the player to move) has when play ends."""
        if self._asks_at_once:
            return self.objective.counts(self.game)[seat].run(env)
        return self.objective.final(self.game, env, seat)

    @property
    def rotates(self) -> bool:
        """Whether play goes on from seat to seat, each with a value of its own."""
        return self.objective.by_seat and self.game.players > 1

    @property
    def may_be_listed(self) -> bool:
        """Whether positions can be listed one by one; else a turn is asked about, or samples."""
        return not (self.sampled or self.objective.endless or self.objective.one_turn)

    @cached_property
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

    @cached_property
    def seats(self) -> int:
        """How many numbers tell the values of all seats."""
        return self.game.players if self.rotates and self.constant_sum is None else 1

    @property
    def linear(self) -> tuple[Expression, ...]:
        """The expressions that `final` consists of, for finding what is reward."""
        if self.objective.target is not None and not self.sums:
            return ()
        return tuple(self.objective.counts(self.game))

    @property
    def counted(self) -> tuple[Expression, ...]:
        """By what the points of a turn are counted, where a strategy plays for them."""
        return (measure(self.game),) if self.looks_ahead else ()


def sum_of_payoffs(game: Rules) -> Fraction | None:
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


def goal_of(game: Rules, objective: Objective) -> Goal:
    """Apply an objective to a game; raise ObjectiveError if that has no sense."""
    game = objective.applied(game)
    return Goal(
        objective,
        game,
        objective.ends(game),
        objective.maximised(game),
        objective.per_turn,
        looks_ahead=looks_ahead(game),
    )
