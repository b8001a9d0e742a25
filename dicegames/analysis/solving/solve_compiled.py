"""Solve a compiled game, or say why not: before it starts, or with the place in its rules.

A strategy that says nothing in a position that comes up is found before anything is solved. Whether
a condition of the rules can hold at a point is known to the compiler; whether play gets there is
known when all states that can come up are listed.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import Self

import numpy as np
from attrs import evolve, frozen

from dicegames.analysis.chances.prospects import SolutionError
from dicegames.analysis.solving.extremes import prepared
from dicegames.analysis.solving.gridding import nearest
from dicegames.analysis.solving.outlook import blame, refusal, with_program
from dicegames.compiler.compile import compile_game
from dicegames.compiler.compiled import Compiled
from dicegames.compiler.form import TABLES, GridForm
from dicegames.compiler.graph import ControlNode, Guard
from dicegames.ground.limits import Limits
from dicegames.ground.source import Source
from dicegames.rules.check import check
from dicegames.rules.parts.broken import RuleBroken
from dicegames.rules.parts.game import Rules
from dicegames.rules.parts.types import Value
from dicegames.rules.parts.unknown import Unknown
from dicegames.rules.running.fields import notation_of
from dicegames.rules.running.playing import Seats
from dicegames.rules.running.referee import Position
from dicegames.solver.blocks.pieces import Keeping
from dicegames.solver.graph.states import Graph, expand_states
from dicegames.solver.kernels.workers import Workers
from dicegames.solver.methods.method import Cost
from dicegames.solver.model import END, Model, Reward
from dicegames.solver.solve import solve
from dicegames.solver.solved import Solved
from dicegames.solver.status import SolveError, State, Status

TOO_LARGE = (Status.TOO_MANY_STATES, Status.TOO_MUCH_MEMORY, Status.TOO_LONG)


def solve_compiled(
    compiled: Compiled, limits: Limits, keeping: Callable[[Compiled], Keeping] | None = None
) -> tuple[Compiled, Solved]:
    """Solve a compiled game, made ready; raises SolutionError or RuleBroken where it has no value.

    `keeping` makes the folder ready in which the values are kept, if they are.
    """
    compiled = prepared(compiled, limits.threads)
    kept = None if keeping is None else keeping(compiled)
    if compiled.silent:
        demand_moves(compiled, limits.threads)
    limited = limits.memory is not None or limits.time is not None
    solved = solve(
        compiled.model,
        limits.for_tables,
        keeping=kept,
        accept=partial(_demand_fit, compiled, limits) if limited else None,
    )
    _demand_value(compiled, solved, limits.memory)
    return compiled, solved


def _demand_fit(compiled: Compiled, limits: Limits, cost: Cost) -> None:
    """Raise SolutionError where a game will not fit the limits."""
    refused = refusal(compiled, with_program(cost), limits)
    if refused:
        what_fits = "" if compiled.model.scalar else nearest(compiled.game, limits.memory)
        raise SolutionError(refused + what_fits)


def _demand_value(compiled: Compiled, solved: Solved, memory: int | None) -> None:
    """Raise SolutionError or RuleBroken where a game is not solved."""
    if not solved.status.solved:
        raise _growing(compiled, solved) or SolutionError(_told(compiled, solved, memory))
    if solved.stuck is None:
        return
    found = compiled.explorer.find_break()
    found.demand()
    if not found.exhausted:
        message = "it cannot be shown that there always is a legal move here"
        choice = compiled.game.flow[compiled.explorer.nodes[solved.stuck].at]
        hint = "add to the choice: otherwise"
        raise RuleBroken(message, choice.span, compiled.game.source, "no-move", hint)


def _told(compiled: Compiled, solved: Solved, memory: int | None) -> str:
    """Say how a solve failed, and what made the game large if that was the reason."""
    text = solved.status.value + (f" ({solved.detail})" if solved.detail else "")
    if solved.trouble:
        return text + _place(compiled, solved.trouble)
    if solved.status is Status.NO_COST:
        line, _ = compiled.game.source.line_column(compiled.game.payoff_at.start)
        return f"{text}; what is played for is said in line {line}"
    if solved.status not in TOO_LARGE:
        return text
    what_fits = "" if compiled.model.scalar else nearest(compiled.game, memory)
    return f"{text}; {blame(compiled)}{what_fits}"


def _place(compiled: Compiled, states: tuple[State, ...]) -> str:
    """Show one of the positions in which the trouble lies."""
    nodes, axes = compiled.explorer.nodes, len(compiled.emitter.axes)
    moments = notation_of(compiled.game).moments  # a turn may begin with neither throw nor choice
    shown = [s for s in states if s[0] < len(nodes) and nodes[s[0]].at in moments]
    shown = [s for s in shown if len(s[1]) >= axes]  # one of a turn alone may have no such point
    if not shown:
        return ""
    node, point = shown[0]
    position = position_at(compiled, nodes[node], point)
    line, _ = compiled.game.source.line_column(position.instruction.span.start)
    return f"; this is so from: {position} (line {line})"


def _growing(compiled: Compiled, solved: Solved) -> RuleBroken | None:
    """Return what names the counters without limit, None if it is not they that are in the way."""
    axes = zip(compiled.emitter.axes, compiled.emitter.slots, strict=True)
    slots = [compiled.game.names.slots[slot] for axis, slot in axes if axis.unbounded]
    free = list({variable.name: variable for variable in slots}.values())
    below = solved.status is Status.BAD_EFFECT  # all values from 0 on have a place
    if not free or not (below or solved.status in (Status.UNSUPPORTED, Status.NO_TAIL)):
        return None
    variable, names = free[0], " and ".join(f'"{one.name}"' for one in free)
    message = f"{names} can grow without limit inside a turn, and no end of it is proven"
    remedy = "give a limit, such as: " + "; ".join(one.with_limit for one in free)
    if below:
        message = f"{names} may fall below 0 inside a turn, and no range is declared"
        remedy = "give a range, such as: " + "; ".join(one.with_limits for one in free)
    if not compiled.goal.objective.one_turn:
        remedy += "; or look at a single turn: --objective turn"
    source = compiled.game.source
    return RuleBroken(message, variable.span, source, "grows-without-limit", remedy)


@frozen
class Recipe:
    """A game as text, which any process can make a model of."""

    source: Source
    options: Mapping[str, Value]
    objective: str
    seats: Seats
    on_grid: frozenset[str] | None = None  # names of what is on a grid, if anything

    @classmethod
    def of(
        cls, game: Rules, objective: str, seats: Seats, on_grid: frozenset[str] | None = None
    ) -> Self:
        """Return that of a game."""
        return cls(game.source, game.option_values(), objective, seats, on_grid)

    def __call__(self) -> Model:
        """Return the model."""
        game = check(self.source, self.options, thorough=False)
        form = TABLES if self.on_grid is None else GridForm(names=self.on_grid)
        return prepared(compile_game(game, self.objective, self.seats, form=form), 1).model


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
    for number, guard in compiled.silent:
        node = compiled.explorer.nodes[number]
        for point in _points(compiled, graph, number, guard):
            position_at(compiled, node, point).moves()  # says what is wrong


def _never_silent(compiled: Compiled, threads: int | None) -> bool:
    """Tell whether play surely never comes to where a strategy says nothing.

    That is paid 1, all else nothing: then the game is worth something if play can come there.
    """
    model = compiled.base or compiled.model
    if model.seats > 1 or model.unbounded:
        return False
    paid = np.zeros(model.edges, np.int32)
    for number, guard in compiled.silent:
        first, last = model.first_edge[number : number + 2]
        own = slice(int(first), int(last))
        ends = model.kind[model.target[own]] == END
        paid[own] = ends & (model.guard[own] == compiled.emitter.guard(guard))
    rewards = (Reward(), Reward(1.0))
    asked = evolve(model, rewards=rewards, reward=paid, maximise=True, settled=None)
    return solve(asked, Limits(threads=threads)).value == 0.0


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
