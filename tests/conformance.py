"""The two views of one game side by side: what the referee does and what the model says.

A state means the same on both sides if play stands at the same instruction, what control tells
apart is equal, and so are the values of the axes that still matter. From a position the referee
lists moves or throws and their successors. In the model the same state is found and its edges are
followed through the nodes that stand for no position (branches, dice one at a time). Steps,
odds, rewards, ends and the states they lead to have to be equal.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable
from typing import Any

import numpy as np

from dicegames.compiler.compiled import Compiled
from dicegames.rules.parts.flow import Choose, Throw
from dicegames.rules.running.referee import Position
from dicegames.solver.model import CHANCE, CHOICE, END

Point = tuple[int, ...]
State = tuple[Any, ...]
Gains = tuple[float, ...]
"""What each seat with a number of its own gains, the player to move first."""
Steps = dict[tuple[State, Gains, int], float]
"""(state reached, gains, seats moved on) -> probability, or 1 for a move."""

OVER = ("over",)
MOST_KEPT = 100_000
"""How many meanings of states are remembered."""


class Conformance:
    """Compares a compiled game with its referee, position by position."""

    def __init__(self, compiled: Compiled):
        self.compiled = compiled
        self.model = compiled.model
        self.ends = compiled.goal.ends
        self._trivial: dict[int, list[tuple[int, float]]] = {}
        self._readers: dict[int, tuple[Any, list[tuple[Point, Any]]]] = {}
        self._states: dict[tuple[int, Point], State] = {}
        self._controls: dict[tuple[Any, ...], State] = {}
        self._live: dict[int, list[int]] = {}

    def compare(self, position: Position) -> None:
        """Fail unless the model does in a position what the rules do there."""
        _, node, point = self.compiled.locate(position)
        where = str(position)
        assert self.state(node, point) == self.meaning(position), where
        of_model: Steps = defaultdict(float)
        self._collect(node, point, ((0.0,) * self.compiled.goal.seats, 0, 1.0), of_model)
        of_referee = self.of_referee(position)
        assert of_model.keys() == of_referee.keys(), where
        if position.is_chance:
            assert all(abs(of_model[k] - p) < 1e-12 for k, p in of_referee.items()), where

    # ---- the model's side

    def state(self, node: int, point: Point) -> State:
        """Return what a state of the model means."""
        found = self._states.get((node, point))
        if found is None:
            if len(self._states) > MOST_KEPT:
                self._states.clear()
            control, tables = self._reader(node)
            values = (table.item(tuple(point[a] for a in axes)) for axes, table in tables)
            found = self._states[node, point] = (*control, *values)
        return found

    def _reader(self, number: int) -> tuple[State, list[tuple[Point, Any]]]:
        """Return what control says at a node, and for each live axis a table of its values."""
        if number not in self._readers:
            explorer, emitter = self.compiled.explorer, self.compiled.emitter
            node = explorer.nodes[number]
            tables = []
            for slot in self._live_axes(node.at):
                expression = node.env[slot]
                slots, values = (
                    emitter.table(expression) if hasattr(expression, "name") else ((), expression)
                )
                tables.append((tuple(emitter.axis_of(s) for s in slots), np.asarray(values)))
            self._readers[number] = self._control(node.at, node.env), tables
        return self._readers[number]

    def _collect(
        self, node: int, point: Point, so_far: tuple[Gains, int, float], found: Steps
    ) -> None:
        """Add up the steps from a node, passing nodes that stand for no position."""
        model, nodes = self.model, self.compiled.explorer.nodes
        reward, turned, weight = so_far
        guards: dict[int, bool] = {}
        splits = nodes[node].kind == "branch" and nodes[node].at >= 0
        here = self.state(node, point) if splits else None  # of which the same may stand further on
        for edge, chance in self._ways(node):
            guard = int(model.guard[edge])
            if guard not in guards:
                guards[guard] = all(self._lookup(g, point) for g in model.guards[guard])
            if not guards[guard]:
                continue
            gained = self._joined(reward, self._gains(edge, point), turned)
            target, seats = int(model.target[edge]), turned + int(model.rotate[edge])
            after = self._after(int(model.effect[edge]), point)
            if model.kind[target] == END:
                found[OVER, rounded(gained), 0] += weight * chance
            elif not self._stands(target) or (splits and self.state(target, after) == here):
                self._collect(target, after, (gained, seats, weight * chance), found)
            else:
                key = self.state(target, after), rounded(gained), seats % model.seats
                found[key] += weight * chance

    def _stands(self, node: int) -> bool:
        """Tell whether play can stand at a node: not within a step, nor where ways meet."""
        at = self.compiled.explorer.nodes[node].at
        return at >= 0 and isinstance(self.compiled.game.flow[at], Choose | Throw)

    def _ways(self, node: int) -> list[tuple[int, float]]:
        """Return the edges from a node with their odds; what goes one die at a time is joined."""
        if node not in self._trivial:
            odds: dict[int, float] = defaultdict(float)
            open_: dict[int, float] = {node: 1.0}
            while open_:
                following: dict[int, float] = defaultdict(float)
                for number, weight in open_.items():
                    for edge in self._edges(number):
                        chance = weight * float(self.model.weight[edge])
                        target = int(self.model.target[edge])
                        if self._is_plain(edge) and self._joins(number, target):
                            following[target] += chance
                        else:
                            odds[edge] += chance
                open_ = following
            self._trivial[node] = list(odds.items())
        return self._trivial[node]

    def _edges(self, node: int) -> range:
        return range(int(self.model.first_edge[node]), int(self.model.first_edge[node + 1]))

    def _is_plain(self, edge: int) -> bool:
        model = self.model
        parts = (model.guard, model.effect, model.reward, model.rotate)
        others = model.other_rewards
        return all(part[edge] == 0 for part in parts) and (others is None or not others[edge].any())

    def _joins(self, node: int, target: int) -> bool:
        """Tell whether two nodes are parts of one throw, or of one choice."""
        nodes = self.compiled.explorer.nodes
        if self.model.kind[node] != self.model.kind[target]:
            return False
        if self.model.kind[node] == CHANCE:
            return nodes[node].dice_left > 1
        return bool(self.model.kind[node] == CHOICE) and nodes[target].at < 0

    def _after(self, effect: int, point: Point) -> Point:
        assign = self.model.effects[effect].assign
        if not assign:
            return point
        after = list(point)
        for axis, lookup in assign:
            after[axis] = int(self._lookup(lookup, point))
        return tuple(after)

    def _joined(self, had: Gains, gains: Gains, turned: int) -> Gains:
        """Add gains of the seats as they are counted `turned` seats on."""
        if len(had) == 1:  # one number: opposed players, nothing else
            return (had[0] + (-gains[0] if turned % self.model.seats else gains[0]),)
        return tuple(had[s] + gains[(s - turned) % len(had)] for s in range(len(had)))

    def _gains(self, edge: int, point: Point) -> Gains:
        """Return what an edge brings to each seat that has a number of its own."""
        others = self.model.other_rewards
        numbers = [int(self.model.reward[edge]), *([] if others is None else others[edge].tolist())]
        return tuple(self._reward(number, point) for number in numbers)

    def _reward(self, number: int, point: Point) -> float:
        paid = self.model.rewards[number]
        return paid.constant + sum(float(self._lookup(k, point)) for k in paid.lookups)

    def _lookup(self, number: int, point: Point) -> Any:
        found = self.model.lookups[number]
        return found.values[tuple(point[a] for a in found.axes)]

    # ---- the referee's side

    def meaning(self, position: Position) -> State:
        """Return what a position means."""
        env = list(position.env)
        self.compiled.roles_.cap(env)
        control = self._control(position.at, env)
        return (*control, *(env[slot] for slot in self._live_axes(position.at)))

    def of_referee(self, position: Position) -> Steps:
        """Return where the rules lead from a position."""
        found: Steps = defaultdict(float)
        won = self._won(position)
        if position.is_chance:
            for outcome in position.outcomes():
                key = self._successor(position, position.after(outcome, self.ends), won)
                found[key] += float(outcome.probability)
        else:
            for move in position.moves():
                found[self._successor(position, position.after(move, self.ends), won)] = 1.0
        return found

    def _successor(
        self, before: Position, reached: Position, won: Gains
    ) -> tuple[State, Gains, int]:
        """Return (state, gains, seats moved on) of a step of the referee."""
        goal = self.compiled.goal
        turns = goal.per_turn * (reached.starts_turn or reached.at in self.ends)
        if reached.at not in self.ends:
            reached = reached.node
        turned = (reached.whose_turn - before.whose_turn) % self.model.seats
        if reached.at in self.ends:
            there = [(seat - turned) % self.model.seats for seat in range(goal.seats)]
            final = [float(goal.final(list(reached.env), seat)) for seat in there]
            return OVER, rounded([f - w for f, w in zip(final, won, strict=True)], turns), 0
        has = self._won(reached, -turned)
        gained = [h - w for h, w in zip(has, won, strict=True)]
        return self.meaning(reached), rounded(gained, turns), turned

    def _won(self, position: Position, by: int = 0) -> Gains:
        """Return what each seat has gained already, counted from `by` seats after the mover."""
        won = self.compiled.gained(list(position.env))
        return tuple(won[(by + s) % len(won)] for s in range(self.compiled.goal.seats))

    # ---- both

    def _live_axes(self, at: int) -> list[int]:
        if at not in self._live:
            live = self.compiled.explorer.roles.live[at]
            self._live[at] = [s for s in self.compiled.emitter.slots if s in live]
        return self._live[at]

    def _control(self, at: int, env: Any) -> State:
        """Return the instruction and what control tells apart there."""
        keeper = self.compiled.explorer.keeper(at)
        raw = (at, keeper.control_raw(env))
        if raw not in self._controls:
            if len(self._controls) > MOST_KEPT:
                self._controls.clear()
            self._controls[raw] = (at, keeper.control_key(list(env)))
        return self._controls[raw]


def rounded(gains: Iterable[float], turns: float = 0.0) -> Gains:
    """Return gains as they are compared; turns count for the player to move."""
    found = [round(gain, 9) + 0.0 for gain in gains]
    return (round(found[0] + turns, 9) + 0.0, *found[1:])


def key_of(compiled: Compiled) -> Callable[[Position], State]:
    """Return a function that gives what later play reads of a position."""
    live, rewards = compiled.explorer.roles.live, compiled.roles_.rewards.keys()
    read: dict[int, list[int]] = {}

    def key(position: Position) -> State:
        at, env = position.at, position.env
        if at not in read:
            read[at] = sorted(live[at] - rewards)
        return (at, *(env[slot] for slot in read[at]))

    return key
