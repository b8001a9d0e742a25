"""Decisions that come up in play: how often, and what each move loses there.

They are met in games that are played by throws: so they weigh what a card has to know, and guide
the search for one. What a card is worth is never taken from them. The losses are exact.
"""

from __future__ import annotations

from collections.abc import Callable
from random import Random
from time import monotonic

import numpy as np
from attrs import define, field, frozen

from dicegames.analysis.solution import Solution
from dicegames.rules.parts.flow import Choose, Environment, Move, Offer
from dicegames.rules.running.referee import Position, offers, start
from dicegames.solver.model import Array

LONGEST_GAME = 100_000
"""Steps after which a game is given up: a card may go round for ever."""

Chooser = Callable[["Decision"], int]
"""Says which of the legal moves of a decision is played, -1 for none."""
Watcher = Callable[[Position, Position], None]
"""Sees the positions before and after each move and throw."""


@frozen(eq=False)
class Decision:
    """A position with a choice: what strategies look at, the legal moves, what each loses."""

    position: Position
    env: Environment
    offered: list[Offer]
    legal: list[Move]
    losses: Array

    @property
    def at(self) -> int:
        """The instruction of the rules that asks."""
        return self.position.node.at


@define
class Met:
    """The decisions that have been met, and how often each."""

    solution: Solution
    chance: Random
    decisions: list[Decision] = field(factory=list)
    times: list[float] = field(factory=list)
    watch: Watcher | None = None
    _known: dict[tuple[object, ...], int] = field(factory=dict)

    def play(self, choose: Chooser, games: int, most: int, until: float) -> int:
        """Play games until there are enough decisions, or the time is over; return how many."""
        for number in range(games):
            if len(self.decisions) >= most or monotonic() > until:
                return number
            self._play(choose)
        return games

    def weights(self) -> Array:
        """Return how often each decision has been met, in all: float64[decisions]."""
        return np.array(self.times)

    def forget(self) -> None:
        """Count anew how often decisions are met."""
        self.times = [0.0] * len(self.times)

    def _play(self, choose: Chooser) -> None:
        position, ends = start(self.solution.game), self.solution.compiled.goal.ends
        for _ in range(LONGEST_GAME):
            if position.is_over or position.node.at in ends:
                return
            what = (
                position.throw(self.chance) if position.is_chance else self._move(position, choose)
            )
            if what is None:
                return
            before, position = position, position.after(what, ends)
            if self.watch is not None:
                self.watch(before, position)

    def _move(self, position: Position, choose: Chooser) -> Move | None:
        """Return what is played in a position, the only move where there is but one."""
        number = self._number(position)
        if number < 0:
            return position.moves()[0]
        self.times[number] += 1.0
        decision = self.decisions[number]
        chosen = choose(decision)
        return decision.legal[chosen] if chosen >= 0 else None

    def _number(self, position: Position) -> int:
        """Return the number of a decision, -1 where there is but one move."""
        node = position.node
        key = (node.at, *node.env)
        if key not in self._known:
            self._known[key] = self._add(position)
        return self._known[key]

    def _add(self, position: Position) -> int:
        node = position.node
        env = list(node.env)
        instruction = self.solution.game.flow[node.at]
        assert isinstance(instruction, Choose)
        offered = [offer for offer in offers(instruction, env) if offer[0] is not None]
        legal = [move for _, move, ok in offered if ok]
        if len(legal) < 2:
            return -1
        values = np.array(self.solution.values_after(position, legal))
        sign = 1.0 if self.solution.maximise else -1.0
        losses = np.maximum(0.0, (sign * values).max() - sign * values)
        self.decisions.append(Decision(position, env, offered, legal, losses))
        self.times.append(0.0)
        return len(self.decisions) - 1
