"""Why a move is better where values are approximate: by how the turn may end.

On a grid what comes after a turn is interpolated, so that it has no exact parts. The turn itself is
exact: the value of a move is the sum over the ways in which its turn may end of their probability
times their value. The likeliest ways are followed to their end; what is left when MOST positions
have been looked at is one part, "the turn goes on", of which probability and value are known too.
The end of a turn is worth what the next turn is from there, played out; a turn that leads there
reads the grid between its points instead. By how much that misses is a part as well.
"""

from __future__ import annotations

from attrs import define

from dicegames.analysis.solving.position_values import PositionValues
from dicegames.analysis.solving.reasons import EXACT, Pair, Why, demand_exact, of_ends
from dicegames.rules.running.referee import Move, Outcome, Position
from dicegames.solver.status import Status

MOST = 400
GOES_ON = "the turn goes on"
BETWEEN = "read between points of the grid"


@define
class TurnEnd:
    """Where the turn may come, with how much probability, and that times what it is worth."""

    reached: Position
    notes: tuple[str, ...]
    chance: float = 0.0
    worth: float = 0.0


@define(eq=False)
class TurnOutlook:
    """Compares moves by how their turn may end."""

    evaluator: PositionValues

    def why(self, node: Position, moves: tuple[str, str], values: Pair) -> Why:
        """Compare two moves of a position of the compiled game; may raise SolutionError."""
        sides = [self._ends(node, name, value) for name, value in zip(moves, values, strict=True)]
        maximise = self.evaluator.compiled.goal.maximise
        return demand_exact(of_ends(moves, values, (sides[0], sides[1]), maximise=maximise))

    def _ends(self, node: Position, move: str, value: float) -> dict[str, Pair]:
        """Return by what an end is called its probability times its value, and its probability."""
        found: dict[str, Pair] = {}
        places: dict[object, TurnEnd] = {}
        first = TurnEnd(node, (), 1.0, value)
        self._add(places, first, node.named(move), 1.0, value)
        ends = self.evaluator.compiled.goal.ends
        missed = 0.0
        for _ in range(MOST):
            if not places:
                break
            place = places.pop(max(places, key=lambda key: places[key].chance))
            reached = place.reached
            if reached.starts_turn or reached.at in ends:
                _count(found, _name(node, reached, place.notes), place)
                continue
            here = reached.node
            missed += place.worth
            for what, share, worth in self.evaluator.onward(here):
                own = worth[(node.seat - here.seat) % len(worth)]
                self._add(places, place, what, share * place.chance, own)
                missed -= share * place.chance * own
        for place in places.values():
            _count(found, GOES_ON, place)
        read_between = self.evaluator.solved.status is Status.APPROXIMATE
        if read_between and abs(missed) > EXACT * max(1.0, abs(value)):
            found[BETWEEN] = (missed, 0.0)
        return found

    def _add(
        self, places: dict[object, TurnEnd], place: TurnEnd, what: Move | Outcome, chance: float,
        value: float,
    ) -> None:  # fmt: skip
        """Add what comes of a place; equal positions are one."""
        reached = place.reached.node.after(what, self.evaluator.compiled.goal.ends)
        notes = tuple(dict.fromkeys((*place.notes, *reached.notes)))
        key = (reached.at, reached.env, reached.starts_turn, notes)
        own = places.setdefault(key, TurnEnd(reached, notes))
        own.chance += chance
        own.worth += chance * value


def _count(found: dict[str, Pair], name: str, place: TurnEnd) -> None:
    worth, chance = found.get(name, (0.0, 0.0))
    found[name] = (worth + place.worth, chance + place.chance)


def _name(node: Position, reached: Position, notes: tuple[str, ...]) -> str:
    """Say how a turn ended: by what the rules note, else by the player's numbers that changed."""
    if notes:
        return ", ".join(notes)
    changed = []
    for name, variable in node.game.names.variables.items():
        if variable.scope != "player" or variable.type.kind != "number":
            continue
        first, away = variable.base, (node.seat - reached.seat) % variable.width
        before, after = node.env[first], reached.env[first + away]  # the player to move is first
        if before != after:
            changed.append(f"{name} {float(after) - float(before):+g}")
    return ", ".join(changed) or "nothing gained"
