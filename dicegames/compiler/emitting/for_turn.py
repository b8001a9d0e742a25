"""Moves for the points of a turn: decided at every point of the axes, before anything is solved.

With `best turn` a strategy plays the move that brings the most expected points in this turn, and is
followed in the rest of it. W(n, p), the points still to come in the turn at a node n and a point p,
is what solving finds, but with the end of the turn as the end of play::

    chance   W(n, p) = sum of w(e) * (points(e) + W(e))
    choice   W(n, p) = max, over the edges whose guard holds, of points(e) + W(e)

All points are evaluated together, an array having a dimension only for the axes on which W depends.
Each move gets the guard that it is the best one, the first of equals. What was left open is then
decided, and the model is that of any other strategy. Where points cannot be counted, W is no number
(NaN): a move must not be chosen by it.
"""

from __future__ import annotations

from functools import reduce
from graphlib import CycleError, TopologicalSorter

import numpy as np

from dicegames.compiler.emitting.emit import Emitter, indices
from dicegames.compiler.exploring.explore import Explorer
from dicegames.compiler.graph import END_TARGET, ControlNode, Edge
from dicegames.compiler.open_values.tables import atoms_of, without_idle
from dicegames.rules.parts.types import Value
from dicegames.rules.parts.unknown import Unknown, unknown
from dicegames.rules.running.objectives import ObjectiveError
from dicegames.solver.model import Array, as_good, over

MOST_TURN_VALUES = 60_000_000
"""Values that are kept: about 500 MB."""
MOST_SWEEPS_OF_TURN = 20_000
TURN_SETTLED = 1e-14
"""What a sweep may still change, as a part of the largest value."""


def decide_for_turn(explorer: Explorer, emitter: Emitter) -> None:
    """Replace the guards of moves that are played for the points of the turn.

    Raises ObjectiveError where that cannot be done.
    """
    nodes = explorer.nodes
    open_nodes = [n for n in nodes if any(e.for_turn for e in n.ways(played=True))]
    if not open_nodes:
        return
    for axis, slot in zip(emitter.axes, emitter.slots, strict=True):
        if axis.unbounded:
            limited = explorer.game.names.slots[slot].with_limit
            message = f'"{axis.name}" knows no limit, so that the best move of the turn is not '
            message += "found for every value of it; solved are such games with a limit "
            message += f"({limited}), and one turn alone: --objective turn"
            raise ObjectiveError(message)
    turn = _PointsToCome(explorer, emitter)
    turn.evaluate(open_nodes)
    for node in open_nodes:
        decided = turn.decided(node)
        if node.played is None:
            node.edges = decided
        else:
            node.played = decided


def is_last(edge: Edge) -> bool:
    """Tell whether a turn, or the game, is over with an edge."""
    return edge.crossed or edge.target == END_TARGET


class _PointsToCome:
    """The points still to come in a turn, at every node and point; much is always good here."""

    def __init__(self, explorer: Explorer, emitter: Emitter):
        self.explorer = explorer
        self.nodes = explorer.nodes
        self.emitter = emitter
        self.sign = 1.0 if explorer.game.many_points else -1.0
        self.dimensions = len(emitter.axes)
        self.values: dict[int, Array] = {}
        self.kept = 0  # numbers in all these arrays
        self.chosen = 0

    # ---- the values

    def evaluate(self, wanted: list[ControlNode]) -> None:
        """Find the values of the nodes that can still come up in the turns of some nodes."""
        numbers = {id(node): number for number, node in enumerate(self.nodes)}
        order, cyclic = self._order([numbers[id(node)] for node in wanted])
        if not cyclic:
            for number in order:
                self._keep(number, self._value(number))
            return
        low = self._least(order)
        for number in order:
            self._keep(number, np.full((1,) * self.dimensions, low))
        for _ in range(MOST_SWEEPS_OF_TURN):
            if self._sweep(order) <= TURN_SETTLED:
                return
        raise ObjectiveError("the points of a turn do not settle: it goes on for too long")

    def _order(self, starts: list[int]) -> tuple[list[int], bool]:
        """Return the nodes, each after those it leads to, and whether some lead to each other."""
        after: dict[int, list[int]] = {}
        pending = list(starts)
        while pending:
            number = pending.pop()
            if number not in after:
                ways = (e for e in self.nodes[number].ways(played=True) if not is_last(e))
                after[number] = list(dict.fromkeys(edge.target for edge in ways))
                pending += after[number]
        try:
            return list(TopologicalSorter(after).static_order()), False
        except CycleError:
            return list(after)[::-1], True

    def _least(self, order: list[int]) -> float:
        """Return a number below all values; from there on sweeps rise to them.

        Where points can be lost again and again on the way, there is no such number.
        """
        low = 0.0
        for number in order:
            for edge in self.nodes[number].ways(played=True):
                points = float((self.sign * self._spread(edge.points)).min())
                if points < 0 and not is_last(edge):
                    message = "points can be lost again and again in a turn; the move that brings "
                    raise ObjectiveError(message + "the most in it is not looked for there")
                low = min(low, points)
        return low

    def _sweep(self, order: list[int]) -> float:
        """Evaluate all nodes once; return the largest change, as a part of the largest value."""
        change, largest = 0.0, 1.0
        for number in order:
            before, after = self.values[number], self._value(number)
            known = np.isfinite(after)
            if known.any():
                largest = max(largest, float(np.abs(after[known]).max()))
                with np.errstate(invalid="ignore"):  # no way before, and none now: no change
                    moved = np.abs(np.where(known, after - before, 0.0))
                change = max(change, float(moved.max()))
            self._keep(number, after)
        return change / largest

    def _keep(self, number: int, value: Array) -> None:
        before, value = self.values.get(number), without_idle(value).copy()
        self.kept += value.size - (0 if before is None else before.size)
        self.values[number] = value
        if self.kept > MOST_TURN_VALUES:
            message = "a turn has too many situations to find the best move of the turn in each; "
            raise ObjectiveError(message + "--objective turn looks at one turn")

    def _value(self, number: int) -> Array:
        node = self.nodes[number]
        if node.kind == "chance":
            return reduce(np.add, [float(e.weight) * self._through(e) for e in node.edges])
        nowhere = np.full((1,) * self.dimensions, -np.inf)
        return reduce(np.maximum, map(self._where_it_holds, node.ways(played=True)), nowhere)

    def _where_it_holds(self, edge: Edge) -> Array:
        return np.where(self._holds(edge), self._through(edge), -np.inf)

    def _through(self, edge: Edge) -> Array:
        """Return the points to come if an edge is taken."""
        points = self.sign * self._spread(edge.points)
        return points if is_last(edge) else points + self._moved(self.values[edge.target], edge)

    def _moved(self, value: Array, edge: Edge) -> Array:
        """Return the values at the points to which an edge leads; -inf where there is none."""
        if not edge.effect:
            return value
        inside = np.ones((1,) * self.dimensions, np.bool_)
        places: list[Array] = []
        for number, size in enumerate(value.shape):
            shape = [-1 if k == number else 1 for k in range(self.dimensions)]
            places.append(np.arange(size).reshape(shape))
        for slot, changed in edge.effect:
            number = self.emitter.axis_of(slot)
            axis = self.emitter.axes[number]
            shown = self.emitter.within(slot, self._spread(changed))
            place = indices(axis, shown, self.emitter.values[slot])
            inside = inside & (place >= 0)
            if value.shape[number] > 1:
                places[number] = np.maximum(place, 0)
        return np.where(inside, value[tuple(places)], -np.inf)

    def _holds(self, edge: Edge) -> Array:
        found = np.ones((1,) * self.dimensions, np.bool_)
        for atom in atoms_of(edge.guard):
            found = found & self._spread(atom)
        return found

    def _spread(self, value: Value) -> Array:
        """Return an expression at every point, with one dimension for each axis."""
        if not isinstance(value, Unknown):
            plain = value if isinstance(value, int | str) else float(value)
            return np.full((1,) * self.dimensions, plain)
        slots, table = self.emitter.table(value)
        axes = [self.emitter.axis_of(slot) for slot in slots]
        table = table.transpose(sorted(range(len(axes)), key=axes.__getitem__))
        return over(range(self.dimensions), tuple(axes), table)

    # ---- the choices

    def decided(self, node: ControlNode) -> list[Edge]:
        """Return the edges of a node, each move for the turn where it is the best one."""
        ahead = [edge for edge in node.ways(played=True) if edge.for_turn]
        through = list(map(self._where_it_holds, ahead))
        if any(np.isnan(value).any() for value in through):
            self.explorer.demand_points()  # else play comes to none of these points
            through = [np.nan_to_num(value, nan=-np.inf, neginf=-np.inf) for value in through]
        best = reduce(np.maximum, through)
        taken = np.zeros((1,) * self.dimensions, np.bool_)
        found = [edge for edge in node.ways(played=True) if not edge.for_turn]
        for edge, value in zip(ahead, through, strict=True):
            own = self._holds(edge) & as_good(value, best, 1.0) & ~taken
            taken = taken | own
            if own.any():
                found.append(edge._replace(guard=self._guard(own), for_turn=False))
        return found

    def _guard(self, own: Array) -> tuple[Unknown, ...]:
        """Return the guard that holds at some points, as an expression with this very table."""
        own = without_idle(own)
        if own.size == 1 and own.all():
            return ()
        slots = [slot for slot, size in zip(self.emitter.slots, own.shape, strict=True) if size > 1]
        order = sorted(range(len(slots)), key=slots.__getitem__)
        table = own.reshape([size for size in own.shape if size > 1]).transpose(order)
        self.chosen += 1
        leaves = [unknown("slot", slot) for slot in sorted(slots)]
        atom = unknown("is best of the turn", self.chosen, *leaves)
        self.emitter.tables[atom] = (tuple(sorted(slots)), np.ascontiguousarray(table))
        return (atom,)
