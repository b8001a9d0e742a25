"""Whole games, played out by the referee: whoever plays is a strategy, chance is drawn."""

from __future__ import annotations

from functools import lru_cache
from random import Random

from attrs import frozen

from dicegames.ground.errors import DicegamesError
from dicegames.ground.numbers import turned
from dicegames.ground.source import Source
from dicegames.rules.check import check
from dicegames.rules.parts.game import Rules
from dicegames.rules.parts.types import Value
from dicegames.rules.running.objectives import Objective, ObjectiveError, objective_of
from dicegames.rules.running.playing import StrategyError, played_by
from dicegames.rules.running.referee import Move, Position, start

ENDLESS_AFTER = 1_000_000
"""Throws and moves after which a game is said to go on for too long."""


class GameTooLong(DicegamesError):
    """A game that does not come to its end."""


@frozen
class WholeGames:
    """Games of some rules: who plays what for what, so that another process can make it anew.

    `names` are the strategies by seat. A game is given by the seed and its number.
    """

    source: Source
    options: tuple[tuple[str, Value], ...]
    names: tuple[str, ...]
    objective: str
    seed: int

    def play(self, numbers: range) -> list[tuple[float, ...]]:
        """Play the games of these numbers: what counts for each seat, by game.

        Raises RuleBroken where the rules break or a strategy says nothing, StrategyError where it
        leaves a choice to the best move, GameTooLong.
        """
        game, objective = self.ready()
        chances = (Random(f"{self.seed} {each}") for each in numbers)  # noqa: S311 - repeatable
        return [_result(game, objective, chance) for chance in chances]

    def ready(self) -> tuple[Rules, Objective]:
        """Return the game with its choices decided, and what counts; ObjectiveError."""
        return _ready(self.source, self.options, self.names, self.objective)


@lru_cache(maxsize=2)
def _ready(
    source: Source, options: tuple[tuple[str, Value], ...], names: tuple[str, ...], wanted: str
) -> tuple[Rules, Objective]:
    objective, rules = objective_of(wanted), check(source, dict(options), thorough=False)
    if not counts_whole_games(objective, rules):
        raise ObjectiveError(f"whole games are played for payoff, turns or reach:T, not {wanted}")
    return played_by(objective.applied(rules), names, objective), objective


def counts_whole_games(objective: Objective, game: Rules) -> bool:
    """Tell whether an objective says what each game comes to, by itself."""
    return not (objective.endless or objective.one_turn or objective.compares(game))


def _result(game: Rules, objective: Objective, chance: Random) -> tuple[float, ...]:
    """Play a game; return what counts for each seat."""
    position, turns = start(game), 0
    for _ in range(ENDLESS_AFTER):
        if position.starts_turn:
            turns += position.turns_passed + (not position.is_over)
        if position.is_over:
            return _counted(position.node, objective, turns)
        happens = position.throw(chance) if position.is_chance else _move(position)
        position = position.after(happens)
    raise GameTooLong(f"a game goes on for more than {ENDLESS_AFTER:,} throws and moves")


def _move(position: Position) -> Move:
    """Return the move that a strategy plays; StrategyError where it leaves that to best play."""
    moves = position.moves()
    if len(moves) > 1:
        message = "a strategy leaves it to the best move, which is not known without solving"
        raise StrategyError(f"{message}: {position}")
    return moves[0]


def _counted(node: Position, objective: Objective, turns: int) -> tuple[float, ...]:
    """Return what counts at the end of a game, player 1 first."""
    found = turned(node.read(objective.final, objective.seats(node.game)), -node.seat)
    return tuple(float(each + turns * objective.per_turn) for each in found)
