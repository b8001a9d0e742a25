"""Strategies that say nothing in a position that comes up: found before anything is solved.

Whether a condition of the rules can hold at a point is known to the compiler; whether play gets
there is known when all states that can come up are listed.
"""

from __future__ import annotations

import numpy as np
from attrs import evolve

from dicegames.compiler.compiled import Compiled
from dicegames.compiler.graph import ControlNode, Guard
from dicegames.rules.parts.broken import RuleBroken
from dicegames.rules.parts.types import Value
from dicegames.rules.parts.unknown import Unknown
from dicegames.rules.running.referee import Position
from dicegames.solver.graph.states import Graph, expand_states
from dicegames.solver.kernels.workers import Workers
from dicegames.solver.model import END, Reward
from dicegames.solver.solve import solve
from dicegames.solver.status import SolveError


def demand_moves(compiled: Compiled, threads: int | None) -> None:
    """Raise RuleBroken, with a position, if a strategy says nothing where play can come."""
    if _never_silent(compiled, threads):
        return
    try:
        with Workers(threads) as workers:
            graph = expand_states(compiled.base or compiled.model, workers)
    except SolveError:
        message = "whether the strategy always says something cannot be found out"
        hint = "let it end with a line that always holds, such as: otherwise: best"
        source = compiled.game.source
        raise RuleBroken(message, None, source, "strategy-silent", hint) from None
    numbers = {id(node): number for number, node in enumerate(compiled.explorer.nodes)}
    for node, guard in compiled.silent:
        for point in _points(compiled, graph, numbers[id(node)], guard):
            position_at(compiled, node, point).moves()  # says what is wrong


def _never_silent(compiled: Compiled, threads: int | None) -> bool:
    """Tell whether play surely never comes to where a strategy says nothing.

    That is paid 1, all else nothing: then the game is worth something if play can come there.
    """
    model = compiled.base or compiled.model
    if model.seats > 1 or any(axis.unbounded for axis in model.axes):
        return False
    numbers = {id(node): number for number, node in enumerate(compiled.explorer.nodes)}
    paid = np.zeros(model.edges, np.int32)
    for node, guard in compiled.silent:
        first, last = model.first_edge[numbers[id(node)] : numbers[id(node)] + 2]
        own = slice(int(first), int(last))
        ends = model.kind[model.target[own]] == END
        paid[own] = ends & (model.guard[own] == compiled.emitter.guard(guard))
    rewards = (Reward(), Reward(1.0))
    asked = evolve(model, rewards=rewards, reward=paid, maximise=True, settled=None)
    return solve(asked, threads=threads).value == 0.0


def _points(compiled: Compiled, graph: Graph, node: int, guard: Guard) -> list[tuple[int, ...]]:
    """Return the points at which play can come to a node and its guard holds."""
    positions = graph.keys[graph.nodes == node] % graph.points
    if not graph.model.axes:
        return [() for _ in positions]
    emitter = compiled.emitter
    places = np.unravel_index(positions, graph.model.shape)
    holds = np.ones(len(positions), np.bool_)
    for atom in guard:
        slots, table = emitter.table(atom)
        holds &= table[tuple(places[emitter.axis_of(slot)] for slot in slots)]
    return list(zip(*(place[holds].tolist() for place in places), strict=True))


def position_at(compiled: Compiled, node: ControlNode, point: tuple[int, ...]) -> Position:
    """Return the position that a node of the control graph stands for at a point."""
    emitter = compiled.emitter

    def at_point(value: Value) -> Value:
        if not isinstance(value, Unknown):
            return value
        slots, table = emitter.table(value)
        return table.item(tuple(point[emitter.axis_of(slot)] for slot in slots))

    return Position(compiled.game, node.at, tuple(map(at_point, node.env)))
