"""The two forms of a model: what is state is listed in tables, or kept on a grid."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np
from attrs import frozen

from dicegames.compiler.compiled import Compiled
from dicegames.compiler.emitting.emit import Emitter, indices
from dicegames.compiler.emitting.for_turn import decide_for_turn
from dicegames.compiler.emitting.formulas import FormulaEmitter
from dicegames.compiler.explored.separate_ends import separate_ends
from dicegames.compiler.exploring.explore import Explorer
from dicegames.compiler.exploring.happenings import NO_POINTS
from dicegames.compiler.exploring.refusals import no_way_out, too_wide
from dicegames.compiler.exploring.roles import Roles, TurnVariables, assign_roles, roles_listed
from dicegames.compiler.exploring.turn_ends import Ends
from dicegames.compiler.goal import Goal, NotTurnByTurn
from dicegames.compiler.graph import CERTAIN, ControlNode, Edge, TooWide
from dicegames.compiler.open_values.ranges import Box
from dicegames.ground.diagnostic import did_you_mean
from dicegames.rules.parts.game import Rules
from dicegames.rules.running.objectives import ObjectiveError
from dicegames.solver.model import END, Array, Axis, Model, met_along


@frozen
class ModelForm:
    """Tables: every value that may come up is listed, and so is what the rules say of it.

    With `listed` nothing is left open either: every position is a node. With `ends_apart` the ends
    of turns are nodes: what is asked there is looked up once, not for each way there.
    """

    on_grid: ClassVar[bool] = False
    listed: bool = False
    ends_apart: bool = False

    def ends(self, goal: Goal) -> Ends:
        """Return what the ends of turns are; those that end play, or are counted, are no nodes."""
        if self.on_grid or self.listed or goal.looks_ahead or goal.game.end_turn in goal.ends:
            return Ends.ON_THE_WAY
        return Ends.NODES if self.ends_apart else Ends.COUNTED

    def roles(self, goal: Goal, turn: TurnVariables, watched: frozenset[int]) -> Roles:
        """Return what every variable is."""
        if self.listed:
            return roles_listed(goal, watched)
        return assign_roles(goal, turn, watched)

    def least(self) -> Box:
        """Return values that counters have in any case."""
        return {}

    def emitter(
        self, game: Rules, roles: Roles, axes: list[Axis], values: dict[int, Array]
    ) -> Emitter:
        """Return what turns open expressions into lookups."""
        return Emitter(roles.axes, axes, values, roles.capped)

    def start_index(self, explorer: Explorer, emitter: Emitter, slot: int) -> int:
        """Return the index with which an axis begins."""
        axis = emitter.axes[emitter.axis_of(slot)]
        shown = np.asarray(explorer.at_start[slot])
        return int(indices(axis, shown, emitter.values[slot]))

    def settle_turns(self, explorer: Explorer, emitter: Emitter) -> None:
        """Decide the moves that a strategy plays for the points of the turn.

        In the long run turns that are passed over are turns of their own.
        """
        if explorer.goal.objective.endless:
            _tell_passed_turns(explorer)
        if explorer.goal.looks_ahead:
            decide_for_turn(explorer, emitter)

    def settle_ends(self, explorer: Explorer, emitter: Emitter) -> None:
        """Leave the ends of turns where they are."""

    def aims(self, explorer: Explorer, emitter: Emitter) -> Array | None:
        """Return the reward that every edge is chosen by, where that is not what is paid."""
        return None

    def demand_end(self, explorer: Explorer, model: Model) -> None:
        """Raise RuleBroken where nothing leads to the end any more; the long run needs none.

        Only the graph is looked at: a way to the end whose condition no values of the axes fulfil
        is not in it. What depends on the values themselves is left to the solver.
        """
        if explorer.goal.objective.endless:
            return
        met = met_along(np.arange(model.nodes) == model.start, model.sources, model.target)
        ending = met_along(model.kind == END, model.target, model.sources)
        lost = [int(n) for n in np.flatnonzero(met & ~ending) if explorer.nodes[n].at >= 0]
        if lost:
            raise no_way_out(explorer.game, explorer.nodes[lost[0]].at)

    def too_wide(self, game: Rules, wide: TooWide) -> Exception:
        """Return what says that a turn is too large."""
        return too_wide(game, wide, listed=self.listed)


@frozen
class GridForm(ModelForm):
    """What lasts may have any number of values, and none is listed: formulas are in their place.

    `names` are the variables that are to be put on a grid; those without limit always are. Where a
    strategy plays for the points of a turn, its moves are left open, and the model says in `aims`
    what they are chosen by. With `like`, the same game played by others, what outlasts a turn has
    at least the values that it has there.
    """

    on_grid: ClassVar[bool] = True
    names: frozenset[str] = frozenset()
    like: Compiled | None = None

    def roles(self, goal: Goal, turn: TurnVariables, watched: frozenset[int]) -> Roles:
        return assign_roles(goal, turn, watched, counted=False)

    def least(self) -> Box:
        """Return the values of the counters with a limit in the game that it is like."""
        if self.like is None:
            return {}
        axes, slots = self.like.model.axes, self.like.game.names.slots
        counters = (
            slot
            for slot, axis in zip(self.like.roles_.axes, axes, strict=True)
            if slots[slot].type.kind == "number" and not axis.unbounded
        )
        return {s: frozenset(self.like.emitter.values[s].tolist()) for s in counters}

    def emitter(
        self, game: Rules, roles: Roles, axes: list[Axis], values: dict[int, Array]
    ) -> Emitter:
        """Return what makes formulas; raises ObjectiveError for a name that cannot be on a grid."""
        slots = game.names.slots
        lasting = {
            slot: axis.unbounded
            for slot, axis in zip(roles.axes, axes, strict=True)
            if slots[slot].type.kind == "number" and slots[slot].scope != "turn"
        }
        _demand(self.names, {slots[s].name for s in lasting} - {"seat", "round"})
        many = frozenset(s for s, free in lasting.items() if free or slots[s].name in self.names)
        return FormulaEmitter(roles.axes, axes, values, roles.capped, many=many)

    def start_index(self, explorer: Explorer, emitter: Emitter, slot: int) -> int:
        axis = emitter.axes[emitter.axis_of(slot)]
        value: Any = explorer.at_start[slot]
        words = emitter.values[slot].tolist() if axis.kind == "enum" else []
        return (
            words.index(value) if value in words else int((value or 0) - axis.offset) // axis.step
        )

    def settle_turns(self, explorer: Explorer, emitter: Emitter) -> None:
        """Make choices of the nodes where a strategy plays for the points of the turn."""
        for node in explorer.nodes:
            if any(edge.for_turn for edge in node.edges):
                node.kind = "choice"

    def settle_ends(self, explorer: Explorer, emitter: Emitter) -> None:
        """Make nodes of the ends of turns; a counter goes on to what it is there."""
        steps = {slot: axis.step for slot, axis in zip(emitter.slots, emitter.axes, strict=True)}
        for slot, rise in separate_ends(explorer, steps).items():
            emitter.lengthen(slot, rise // steps[slot])

    def aims(self, explorer: Explorer, emitter: Emitter) -> Array | None:
        """Return the reward of every edge that is the points of the turn; many are wanted."""
        if not explorer.goal.looks_ahead:
            return None
        sign = 1 if explorer.game.many_points else -1
        kept = (emitter.kept(node.edges) for node in explorer.nodes)
        points = [edge.points for edges in kept for edge in edges]
        if NO_POINTS in points:
            explorer.demand_points()  # else play does not come there
            points = [0 if each is NO_POINTS else each for each in points]
        return np.array([emitter.reward(sign * each) for each in points], np.int32)

    def demand_end(self, explorer: Explorer, model: Model) -> None:
        """Sweeps will tell whether there is an end."""

    def too_wide(self, game: Rules, wide: TooWide) -> Exception:
        found = game.names.variables.get(wide.name)
        if found is None or found.scope == "turn":
            return NotTurnByTurn("a turn has too many situations for a grid")
        message = f'"{wide.name}" changes ever more in a loop of the turn and lasts beyond it: '
        message += "such a game cannot be put on a grid. Count in a variable of the turn what "
        message += f'the turn brings, and add it to "{wide.name}" where the turn ends'
        return NotTurnByTurn(message)


TABLES = ModelForm()
LISTED = ModelForm(listed=True)
ENDS_APART = ModelForm(ends_apart=True)


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


def _tell_passed_turns(explorer: Explorer) -> None:
    """Make a state of every turn that is passed over, in which nothing happens but its end.

    Where nothing is thrown or chosen in a turn (the player sits out), the way from the turn before
    it leads on to the next one. What such turns pay, and change, stays on that way.
    """
    nodes, known = explorer.nodes, dict[tuple[int, int], int]()

    def by_turns(edge: Edge) -> Edge:
        """Return an edge that ends one turn; states behind it end the others."""
        target = edge.target
        for left in range(1, edge.passed + 1):
            if (edge.target, left) not in known:
                known[edge.target, left] = len(nodes)
                onward = Edge(CERTAIN, (), (), explorer.nothing, target, crossed=True)
                nodes.append(ControlNode(-1, [], "branch", stored=True, edges=[onward]))
            target = known[edge.target, left]
        return edge._replace(target=target, passed=0)

    for node in list(nodes):
        node.edges[:] = map(by_turns, node.edges)
