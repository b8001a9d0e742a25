"""Play as OpenSpiel sees it: states with explicit chance nodes, actions and outcomes by number.

The names are those of OpenSpiel's Python states; the project itself is not needed. A game that wins
shares 1 among the winners here; `returns` gives that as it is.
"""

from __future__ import annotations

from attrs import define, field

from dicegames.adapters.encoding import Encoding
from dicegames.loading import Game
from dicegames.rules.running.legality import MoveError
from dicegames.rules.running.referee import Position

CHANCE_PLAYER, TERMINAL = -1, -4
"""The players that are none: as in OpenSpiel's `PlayerId`."""


@define
class State:
    """A game in progress; `apply_action` changes it, `clone` keeps a copy."""

    encoding: Encoding
    position: Position
    _history: list[int] = field(factory=list)

    def current_player(self) -> int:
        """Return the seat to move from 0, CHANCE_PLAYER or TERMINAL."""
        if self.position.is_over:
            return TERMINAL
        return CHANCE_PLAYER if self.position.is_chance else self.position.node.seat

    def is_terminal(self) -> bool:
        """Tell whether the game is over."""
        return self.position.is_over

    def is_chance_node(self) -> bool:
        """Tell whether chance acts."""
        return self.position.is_chance

    def chance_outcomes(self) -> list[tuple[int, float]]:
        """Return the outcomes of chance by number, with their probabilities."""
        found = enumerate(self.position.outcomes())
        return [(number, float(outcome.probability)) for number, outcome in found]

    def legal_actions(self) -> list[int]:
        """Return the legal actions, or outcomes of chance, ascending."""
        if self.is_chance_node():
            return list(range(len(self.position.outcomes())))
        return sorted(self.encoding.moves(self.position))

    def apply_action(self, action: int) -> None:
        """Make a move, or let chance do what the number says; MoveError if it cannot."""
        if self.is_chance_node():
            outcomes = self.position.outcomes()
            if action not in range(len(outcomes)):
                raise MoveError(f"chance has no outcome {action} in: {self.position}")
            self.position = self.position.after(outcomes[action])
        else:
            move = self.encoding.moves(self.position).get(action)
            if move is None:
                raise MoveError(f"action {action} is not legal in: {self.position}")
            self.position = self.position.after(move)
        self._history.append(action)

    def action_to_string(self, action: int) -> str:
        """Return the name of an action, or the dice of an outcome of chance."""
        outcomes = [outcome.text for outcome in self.position.outcomes()]
        names = outcomes if self.is_chance_node() else self.encoding.actions
        if action not in range(len(names)):
            raise MoveError(f"there is no action {action} in: {self.position}")
        return names[action]

    def returns(self) -> list[float]:
        """Return each seat's payoff, 0 before the end; negated where little is wanted."""
        return self.encoding.rewards(self.position)

    def history(self) -> list[int]:
        """Return the actions and outcomes so far."""
        return list(self._history)

    def clone(self) -> State:
        """Return a copy that goes on by itself."""
        return State(self.encoding, self.position, list(self._history))

    def __str__(self) -> str:
        return str(self.position)


def new_initial_state(game: Game) -> State:
    """Return the state at the start of a game."""
    return State(Encoding(game), game.start())
