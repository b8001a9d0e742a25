"""Moves as numbers, positions as vectors: what learning programs see of a game.

The actions of a game are all names that its moves may ever have, in the order of the rules; the
last is "(no move)", which goes on where nothing can be chosen. An action keeps its number.

An observation is a vector of whole numbers: first a one for the choice that is to be made among
zeros for the others, then what lies open, the player's own values first: numbers as they are, yes
and no as 1 and 0, words by their place, sets by one number for each member, dice by one number for
each face (how many show it), boxes by their place in the tables.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from functools import cached_property
from random import Random
from typing import Any

import numpy as np
from attrs import frozen
from numpy.typing import NDArray

from dicegames.loading import Game
from dicegames.play.match import NO_MOVE
from dicegames.rules.parts.flow import Choose
from dicegames.rules.parts.names import Variable
from dicegames.rules.parts.rows import Box
from dicegames.rules.parts.types import Value
from dicegames.rules.reading.arithmetic import LARGEST_NUMBER
from dicegames.rules.running.referee import Move, Position


@contextmanager
def needs(project: str) -> Iterator[None]:
    """Say how a project is installed where its import fails."""
    try:
        yield
    except ImportError as error:
        message = f"this needs {project}: pip install 'dicegames[rl]' ({error})"
        raise ImportError(message, name=error.name) from None


Observation = dict[str, NDArray[np.int8] | NDArray[np.int64]]
NO_CHOICE = -1


@frozen(slots=False)
class Encoding:
    """The actions and observations of a game."""

    game: Game

    @cached_property
    def actions(self) -> tuple[str, ...]:
        """The names of all moves; an action is a place in them."""
        rules = self.game.rules
        names: dict[str, None] = {}
        for option in rules.alternatives:
            texts = [""] if option.texts is None else option.texts(rules.start())
            names.update(dict.fromkeys(f"{option.label} {text}".strip() for text in texts))
        return (*names, NO_MOVE)

    @cached_property
    def numbers(self) -> dict[str, int]:
        """The action of each name of a move."""
        return {name: number for number, name in enumerate(self.actions)}

    @cached_property
    def size(self) -> int:
        """How many numbers an observation has."""
        return len(self._choices) + sum(_width(variable, self) for _, variable in self._seen)

    @cached_property
    def space(self) -> Any:
        """The space of what `seen` returns, by Gymnasium."""
        from gymnasium import spaces  # noqa: PLC0415 - only environments need it

        numbers = spaces.Box(-LARGEST_NUMBER, LARGEST_NUMBER, (self.size,), np.int64)
        mask = spaces.Box(0, 1, (len(self.actions),), np.int8)
        return spaces.Dict({"observation": numbers, "action_mask": mask})

    def moves(self, position: Position) -> dict[int, Move]:
        """Return the legal moves of a position by their actions."""
        return {self.numbers[move.label]: move for move in position.moves()}

    def mask(self, position: Position) -> NDArray[np.int8]:
        """Return a one for each legal action; shape (actions,). After the end that is no move."""
        mask = np.zeros(len(self.actions), np.int8)
        mask[list(self.moves(position))] = 1
        mask[-1] |= position.is_over
        return mask

    def observation(self, position: Position, seat: int | None = None) -> NDArray[np.int64]:
        """Return what a seat (the player to move by default) sees; shape (size,)."""
        node = position.node
        turned = 0 if seat is None else (seat - node.seat) % self.game.players
        found = [int(number == node.at) for number in self._choices]
        for slot, variable in self._seen:
            found.extend(self._shown(variable, node.env[self._turned(slot, variable, turned)]))
        return np.array(found, np.int64)

    def seen(self, position: Position, seat: int | None = None) -> Observation:
        """Return what a seat (the player to move by default) sees, and which actions are legal."""
        return {"observation": self.observation(position, seat), "action_mask": self.mask(position)}

    def after_chance(self, position: Position, dice: Random) -> Position:
        """Return the position at which something is to be chosen, or the end."""
        while position.is_chance:
            position = position.after(position.throw(dice))
        return position

    def rewards(self, position: Position) -> list[float]:
        """Return each seat's payoff, 0 before the end; negated where little is wanted."""
        if not position.is_over:
            return [0.0] * self.game.players
        sign = 1.0 if self.game.rules.maximise else -1.0
        return [sign * float(payoff) for payoff in position.payoff]

    # ---- inside

    @cached_property
    def _choices(self) -> list[int]:
        flow = self.game.rules.flow
        return [number for number, step in enumerate(flow) if isinstance(step, Choose)]

    @cached_property
    def _seen(self) -> list[tuple[int, Variable]]:
        slots = self.game.rules.names.slots
        return [(slot, variable) for slot, variable in enumerate(slots) if "." not in variable.name]

    @cached_property
    def _rows(self) -> list[str]:
        return list(self.game.rules.names.rows)

    def _turned(self, slot: int, variable: Variable, turned: int) -> int:
        """Return the slot of the player who sits so many seats on."""
        if variable.scope != "player":
            return slot
        players = self.game.players
        key, own = divmod(slot - variable.base, players)
        return variable.base + key * players + (own + turned) % players

    def _shown(self, variable: Variable, value: Value) -> list[int]:
        kind, width = variable.type.kind, _width(variable, self)
        if value is None:
            return [NO_CHOICE] * width
        match kind:
            case "dice":
                return list(value)
            case "set":
                return [value >> bit & 1 for bit in range(width)]
            case "word":
                return [variable.type.of.index(value)]
            case "box":
                assert isinstance(value, Box)
                return [self._rows.index(value.row.label)]
        return [int(value)]


def _width(variable: Variable, encoding: Encoding) -> int:
    """Return how many numbers show a variable."""
    kind = variable.type
    if kind.kind == "dice":
        return len(encoding.game.rules.names.kind_of(kind).faces)
    return len(kind.of) if kind.kind == "set" else 1
