"""Why a move is better where values are approximate: by how the turn may end.

On a grid what comes after a turn is interpolated, so that it has no exact parts. The turn itself is
exact: the value of a move is the sum over the ways in which its turn may end of their probability
times their value. The likeliest ways are followed to their end; what is left when MOST positions
have been looked at is one part, "the turn goes on", of which probability and value are known too.
"""

from __future__ import annotations

import heapq
from itertools import count

from attrs import define, field, frozen

from dicegames.analysis.chances.prospects import SolutionError
from dicegames.analysis.solving.evaluate import Evaluator
from dicegames.analysis.solving.reasons import Pair, Why, of_ends
from dicegames.rules.running.referee import Move, Outcome, Position

MOST = 150
EXACT = 1e-9
GOES_ON = "the turn goes on"


@frozen
class Way:
    """A step that may come: from where, what, how likely, and what it is worth."""

    before: Position
    what: Move | Outcome
    chance: float
    value: float
    notes: tuple[str, ...] = ()


@define(eq=False)
class TurnEnds:
    """Compares moves by how their turn may end."""

    evaluator: Evaluator
    _steps: count[int] = field(factory=count, init=False)

    def why(self, node: Position, moves: tuple[str, str], values: Pair) -> Why:
        """Compare two moves of a position of the compiled game; may raise SolutionError."""
        sides = [self._ends(node, name, value) for name, value in zip(moves, values, strict=True)]
        why = of_ends(moves, values, (sides[0], sides[1]))
        if not why.gap <= EXACT * max(1.0, *map(abs, values)):
            raise SolutionError(f"the parts miss the difference of the values by {why.gap:.1e}")
        return why

    def _ends(self, node: Position, move: str, value: float) -> dict[str, Pair]:
        """Return by what an end is called its probability times its value, and its probability."""
        found: dict[str, Pair] = {}
        pending: list[tuple[float, int, Way]] = []

        def add(name: str, way: Way) -> None:
            worth, chance = found.get(name, (0.0, 0.0))
            found[name] = (worth + way.chance * way.value, chance + way.chance)

        def push(way: Way) -> None:
            heapq.heappush(pending, (-way.chance, next(self._steps), way))

        push(Way(node, node.named(move), 1.0, value))
        for _ in range(MOST):
            if not pending:
                return found
            way = heapq.heappop(pending)[2]
            ends = self.evaluator.compiled.goal.ends
            reached = way.before.after(way.what, ends)
            notes = (*way.notes, *reached.notes)
            if reached.starts_turn or reached.at in ends:
                add(_name(node, reached, notes), way)
                continue
            for next_way in self._onward(node.seat, reached.node, way.chance, notes):
                push(next_way)
        for _, _, way in pending:
            add(GOES_ON, way)
        return found

    def _onward(
        self, seat: int, here: Position, chance: float, notes: tuple[str, ...]
    ) -> list[Way]:
        """Return what may come next, seen by a seat: every outcome, or the move that is best."""
        moves, outcomes = here.moves(), here.outcomes()
        after = self.evaluator.after_each(here, moves or outcomes)
        place = (seat - here.seat) % len(after[0])
        if moves:
            better = self.evaluator.better()
            best = max(range(len(moves)), key=lambda k: better(after[k]))
            return [Way(here, moves[best], chance, after[best][place], notes)]
        return [
            Way(here, outcome, chance * float(outcome.probability), values[place], notes)
            for outcome, values in zip(outcomes, after, strict=True)
        ]


def _name(node: Position, reached: Position, notes: tuple[str, ...]) -> str:
    """Say how a turn ended: by what the rules note, else by the player's numbers that changed."""
    if notes:
        return ", ".join(dict.fromkeys(notes))
    changed = []
    for name, variable in node.game.names.variables.items():
        if variable.scope != "player" or variable.type.kind != "number":
            continue
        first, away = variable.base, (node.seat - reached.seat) % variable.width
        before, after = node.env[first], reached.env[first + away]  # the player to move is first
        if before != after:
            changed.append(f"{name} {float(after) - float(before):+g}")
    return ", ".join(changed) or "nothing gained"
