"""The last turn of a game, slowly: from the referee alone, for all points at risk at once.

Nothing in a set of six dice depends on the points that are banked: its positions are listed once,
with nothing banked, and each has a value for every level of the bank. Where a set is completed, the
next one begins at a higher level; beyond the last level more counts as much as the last.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from attrs import define, field

from dicegames.rules.parts.game import Rules
from dicegames.rules.running.notation import parse_position
from dicegames.rules.running.referee import Position

STEP = 50
Array = np.ndarray[Any, Any]


@define
class LastTurn:
    """The values of the player to move in a last turn: `before` describes its beginning."""

    game: Rules
    before: str
    levels: int
    seat: int = field(init=False)  # of the player to move
    own: int = field(init=False)  # the total that this player has
    root: int = field(init=False)
    numbers: dict[tuple[Any, ...], int] = field(factory=dict)
    nodes: list[tuple[str, Any]] = field(factory=list)  # what follows, targets before sources
    paid: dict[int, float] = field(factory=dict)  # by what the turn brought
    again: Array = field(init=False)  # the value of a new set, by level

    def __attrs_post_init__(self) -> None:
        start = parse_position(self.game, self.before)
        self.seat = start.node.seat
        self.own = self._total(start)
        self.root = self._number(start)
        self.again = np.zeros(self.levels)
        change = 1.0
        while change > 1e-12:
            value = self.values()[self.root]
            change = float(np.abs(value - self.again).max())
            self.again = value

    def options(self, position: Position) -> dict[str, float]:
        """Return the values of the moves at a choice of the first set, whatever is banked."""
        bank = self._variable(position, "banked")
        env = list(position.env)
        env[self.game.names.variables["banked"].base] = 0
        plain = Position(position.game, position.at, tuple(env))
        names = [move.label for move in plain.moves()]
        numbers = [self._number(plain.play(plain.named(name))) for name in names]
        values = self.values()
        return {name: values[n][bank // STEP] for name, n in zip(names, numbers, strict=True)}

    def values(self) -> list[Array]:
        """Return the values of all positions by level, a new set being worth `again`."""
        found: list[Array] = []
        levels = np.arange(self.levels)
        brought = {what for kind, what in self.nodes if kind == "stop"}
        banks = [STEP * level for level in range(self.levels)]
        paid = {what: np.array([self._paid(what + bank) for bank in banks]) for what in brought}
        for kind, what in self.nodes:
            if kind == "lost":
                found.append(np.full(self.levels, what))
            elif kind == "stop":
                found.append(paid[what])
            elif kind == "again":
                points, gain = what
                above = np.minimum(levels + points // STEP, self.levels - 1)
                found.append(self.again[above] + gain)
            elif kind == "chance":
                found.append(sum(float(p) * found[n] for p, n in what))
            else:
                found.append(np.max([found[n] for n in what], axis=0))
        return found

    # ---- the positions

    def _number(self, position: Position) -> int:
        """Return the number of a position, after those to which it leads."""
        key = (position.at, position.env)
        if key not in self.numbers:
            node = self._node(position)
            self.numbers[key] = len(self.nodes)
            self.nodes.append(node)
        return self.numbers[key]

    def _node(self, position: Position) -> tuple[str, Any]:
        if position.is_over:
            brought = self._total(position) - self.own
            payoff = float(position.payoff[self.seat])
            return ("stop", brought) if brought else ("lost", payoff)
        bank = self._variable(position, "banked")
        if bank:  # a set is complete
            money = self.game.names.variables["money"].base
            return "again", (bank, float(position.env[money]))
        if position.is_chance:
            thrown = position.outcomes()
            return "chance", [(o.probability, self._number(position.play(o))) for o in thrown]
        return "choice", [self._number(position.play(move)) for move in position.moves()]

    def _total(self, position: Position) -> int:
        """Return the total of the player to move, who stands first."""
        slot = self.game.names.variables["total"].base
        return int(position.env[slot])

    @staticmethod
    def _variable(position: Position, name: str) -> int:
        return int(position.env[position.game.names.variables[name].base])

    def _paid(self, brought: int) -> float:
        """Return the payoff of a turn that has brought so much, from three dice of a kind."""
        if brought not in self.paid:
            face, worth = (5, 500) if brought >= 500 else (brought // 100, brought // 100 * 100)
            rest = brought - worth
            if brought < 500 and rest:  # 350 or 450: a loose five beside them
                dice = f"{face} {face} {face} 5 2 6"
                kept, bank = f"Keep {face} {face} {face} 5", 0
            else:
                dice, kept, bank = f"{face} {face} {face} 2 4 6", f"Keep {face} {face} {face}", rest
            where = f"dice {dice} | banked {bank} | throws 1 | at keeping 1"
            position = parse_position(self.game, f"{self.before} | {where}")
            over = position.play(position.named(kept)).play("Stop")
            assert over.is_over
            assert self._total(over) - self.own == brought
            self.paid[brought] = float(over.payoff[self.seat])
        return self.paid[brought]
