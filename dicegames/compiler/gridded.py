"""Compiling a game for a grid: what lasts may have any number of values, and none is listed."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from attrs import evolve

from dicegames.compiler.compile import axes_of, explore_all, values_listed
from dicegames.compiler.compiled import Compiled
from dicegames.compiler.emitting.emit import emit
from dicegames.compiler.emitting.formulas import FormulaEmitter
from dicegames.compiler.explored.ends import separate_ends
from dicegames.compiler.explored.lattice import one_die_at_a_time
from dicegames.compiler.explored.overruns import refuse_overruns
from dicegames.compiler.exploring.explore import Explorer
from dicegames.compiler.exploring.roles import Roles, assign_roles
from dicegames.compiler.goal import Goal, goal_of
from dicegames.compiler.graph import TooWide
from dicegames.compiler.limits import UNLIMITED, Limits
from dicegames.compiler.open_values.ranges import Box
from dicegames.ground.collector import collector_at_rest
from dicegames.ground.diagnostic import did_you_mean
from dicegames.rules.parts.game import Game
from dicegames.rules.parts.names import Variable
from dicegames.rules.running.objectives import PAYOFF, ObjectiveError
from dicegames.rules.running.playing import Seats, played_by
from dicegames.solver.model import Array, Axis


def compile_on_grid(
    game: Game,
    seats: Seats = (),
    names: frozenset[str] = frozenset(),
    limits: Limits = UNLIMITED,
    *,
    like: Compiled | None = None,
) -> Compiled:
    """Return the model of a game's payoff with formulas in the place of tables.

    `names` are the variables that are to be put on a grid; those without limit always are. Where a
    strategy plays for the points of a turn, its moves are left open, and the model says in `aims`
    what they are chosen by. With `like`, the same game played by others, what outlasts a turn has
    at least the values that it has there. Raises RuleBroken and ObjectiveError as `compile_game`.
    """
    goal = evolve(goal_of(played_by(game, seats), PAYOFF), apart=True)
    turn_axes: tuple[str, ...] = ()
    with collector_at_rest():
        while True:
            try:
                return _compile(goal, turn_axes, seats, names, limits, like)
            except TooWide as wide:
                if not wide.name or wide.name in turn_axes:
                    raise ObjectiveError("a turn has too many situations for a grid") from None
                turn_axes = (*turn_axes, wide.name)


def _compile(
    goal: Goal, turn_axes: tuple[str, ...], seats: Seats, names: frozenset[str],
    limits: Limits, like: Compiled | None,
) -> Compiled:  # fmt: skip
    game = goal.game
    slots = game.names.slots
    roles = assign_roles(goal, turn_axes)
    counters = {s for s in roles.axes if slots[s].type.kind == "number"}
    fixed = {s: values_listed(game, s) for s in roles.axes if s not in counters}
    box: Box = {s: frozenset({slots[s].initial}) for s in counters}
    unbounded: set[int] = set()
    explorer, start, box = explore_all(
        goal, roles, box, fixed, unbounded, limits, both=False, on_grid=True, least=_listed(like)
    )
    refuse_overruns(explorer, {**fixed, **{s: tuple(sorted(v)) for s, v in box.items()}})
    _leave_open(explorer)
    one_die_at_a_time(explorer, frozenset())
    separate_ends(explorer)
    axes, values = axes_of(game, roles, box, fixed, unbounded)
    lasting = {s for s in counters if slots[s].scope != "turn"}
    many = frozenset(s for s in lasting if s in unbounded or slots[s].name in names)
    _demand(names, {slots[s].name for s in lasting} - {"seat", "round"})
    emitter = FormulaEmitter(roles.axes, axes, values, roles.capped, many=many)
    first = explorer.start_effect
    point = tuple(
        _index(axis, first.get(slot, slots[slot].initial), fixed.get(slot, ()))
        for axis, slot in zip(axes, roles.axes, strict=True)
    )
    _demand_turn_axes(roles, slots)
    aims = _aims(explorer, emitter) if goal.looks_ahead else None
    model = emit(explorer, emitter, start, point, limits)
    silent = [(n, guard) for n, guard in explorer.silent if emitter.guard(guard) is not None]
    told: dict[str, Any] = {"seats": seats, "silent": silent, "aims": aims}
    return Compiled(game, goal, roles, model, explorer, emitter, turn_axes, **told)


def _demand_turn_axes(roles: Roles, slots: list[Variable]) -> None:
    """Raise ObjectiveError where a loop of the turn changes what outlasts it: turns are a whole."""
    for slot in sorted(roles.inner & set(roles.axes)):
        if slots[slot].scope != "turn":
            message = f'"{slots[slot].name}" changes in a loop of the turn and lasts beyond it: '
            raise ObjectiveError(message + "such a game cannot be put on a grid")


def _index(axis: Axis, value: Any, words: Sequence[Any]) -> int:
    """Return the index of the value with which a variable begins."""
    if axis.kind == "enum" and value in words:
        return words.index(value)
    return int((value or 0) - axis.offset) // axis.step


def _leave_open(explorer: Explorer) -> None:
    """Make choices of the nodes where a strategy plays for the points of the turn."""
    for node in explorer.nodes:
        if any(edge.for_turn for edge in node.edges):
            node.kind = "choice"


def _aims(explorer: Explorer, emitter: FormulaEmitter) -> Array:
    """Return the reward of every edge that is the points of the turn; many of them are wanted."""
    sign = 1 if explorer.game.many_points else -1
    return np.array(
        [
            emitter.reward(sign * edge.points)
            for node in explorer.nodes
            for edge in node.edges
            if emitter.guard(edge.guard, edge.facts) is not None
        ],
        np.int32,
    )


def _listed(like: Compiled | None) -> Box:
    """Return the values of the counters of a game that have a limit."""
    if like is None:
        return {}
    axes = zip(like.roles_.axes, like.model.axes, strict=True)
    counters = (s for s, axis in axes if axis.kind == "counter" and not axis.unbounded)
    return {s: frozenset(like.emitter.values[s].tolist()) for s in counters}


def _demand(names: frozenset[str], known: set[str]) -> None:
    """Raise ObjectiveError for a name that is no number which lasts from turn to turn."""
    for name in sorted(names - known):
        there = f"; there are: {', '.join(sorted(known))}" if known else ""
        hint = did_you_mean(name, sorted(known)) or f"a grid is for a number that lasts{there}"
        raise ObjectiveError(f'"{name}" cannot be put on a grid: {hint}')


def many_of(compiled: Compiled) -> dict[int, int]:
    """Return the axes that are put on a grid, each with the slot of its variable."""
    emitter = compiled.emitter
    assert isinstance(emitter, FormulaEmitter)
    return {emitter.axis_of(slot): slot for slot in emitter.many}
