"""Looking ahead to the end of the turn: the move that brings the most expected points in it.

A strategy that says `best turn` is followed in the rest of the turn, too; `best` is read as the
best move of the turn there. The turn is played out from the position by the referee, in fractions:
of moves that bring the same, the first in the order of the rules is played.
"""

from __future__ import annotations

from fractions import Fraction

from attrs import define, field

from dicegames.ground.exact_cycles import Arc, NoExactValue
from dicegames.ground.limits import Limit, TooLarge
from dicegames.rules.parts.flow import Environment, Move
from dicegames.rules.parts.game import Rules
from dicegames.rules.running.exploration import Exploration, Key
from dicegames.rules.running.liveness import without_idle
from dicegames.rules.running.objectives import TurnPoints
from dicegames.rules.running.referee import Position, with_values

TURN_POSITIONS = 30_000
TURN_TIMEOUT = 60.0
"""Seconds after which a turn counts as too large."""


class CannotLook(Exception):
    """A turn cannot be played out from a position; the message says why."""


@define(eq=False)
class RestOfTurn:
    """The rest of a turn of a game in which a strategy plays in all seats, `best turn` being free.

    What has been found out about positions is kept.
    """

    game: Rules
    exploration: Exploration = field(init=False)
    best: dict[Key, int] = field(factory=dict)  # the number of the best move of a position

    def __attrs_post_init__(self) -> None:
        self.exploration = Exploration(self.game, TurnPoints())
        self.game = without_idle(self.game, self.exploration.slots)

    def reads(self, at: int) -> frozenset[int]:
        """Return the slots on which the best move depends at an instruction."""
        return self.exploration.slots[at] - set(self.exploration.sums)

    def choose(self, at: int, env: Environment) -> Move:
        """Return the move to be played at a choice; raises CannotLook."""
        slots, needed = self.game.names.slots, self.exploration.slots[at]
        shown = (env[n] if n in needed else v.initial for n, v in enumerate(slots))
        position = Position(self.game, at, tuple(shown))
        bare = with_values(position, dict.fromkeys(self.exploration.sums, 0))
        key = self.exploration.key(bare)
        if key not in self.best:
            self._play_out(bare)
        return position.moves()[self.best[key]]

    def _play_out(self, position: Position) -> None:
        """Find the best move of a position, and of all that can come up in the rest of the turn."""
        exploration = self.exploration
        exploration.states.clear()
        exploration.numbers.clear()
        exploration.pending.clear()
        exploration.limit = Limit(TURN_POSITIONS, TURN_TIMEOUT)
        try:
            exploration.explore(position)
            solved = exploration.solved()
        except (TooLarge, NoExactValue) as error:
            raise CannotLook(str(error)) from None
        sign = 1 if exploration.maximise else -1

        def worth(edge: Arc) -> Fraction:
            return sign * (edge.reward[0] + solved.values[edge.target][0])

        for key, number in exploration.numbers.items():
            exploration.known[key] = solved.values[number]
            state = exploration.states[number]
            if state.chooses:
                found = [worth(edge) for edge in state.edges]
                self.best[key] = found.index(max(found))
