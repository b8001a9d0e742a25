"""A compiled game: its model, and the way from positions to the states of the model."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from fractions import Fraction

import numpy as np
from attrs import define, evolve, field

from dicegames.compiler.effort import Effort
from dicegames.compiler.emitting.emit import UNTOLD, Emitter, Label, emit, label_edges
from dicegames.compiler.emitting.fitting import Known, fitting_points
from dicegames.compiler.emitting.total import Total, counting, told_at_once
from dicegames.compiler.exploring.explore import Explorer
from dicegames.compiler.exploring.roles import Role, Roles
from dicegames.compiler.goal import Goal
from dicegames.compiler.graph import Guard, Happening
from dicegames.rules.parts.game import Rules
from dicegames.rules.parts.names import Variable
from dicegames.rules.parts.rows import Box
from dicegames.rules.parts.types import Value
from dicegames.rules.running.playing import Seats
from dicegames.rules.running.referee import Position, start
from dicegames.solver.model import Array, Model

Gained = tuple[float, ...]
State = tuple[Gained, int, tuple[int, ...]]
"""What each seat has gained already, a node of the model (-1: play is over), and a point."""


@define(eq=False)
class Compiled:
    """A model, and the way from positions of the game to its states.

    `game` is the game that was compiled: for players who do not interact, that of one player.
    """

    game: Rules
    goal: Goal
    roles_: Roles
    model: Model
    explorer: Explorer
    emitter: Emitter
    labels: Array | None = None  # int64[E]: number of what happens on an edge, see `told`
    told: tuple[Label, ...] = (UNTOLD,)
    total: Total | None = None  # the axis of what has been gained
    base: Model | None = None  # the model without that axis
    seats: Seats = ()  # what plays for each seat, where that is a strategy
    silent: list[tuple[int, Guard]] = field(factory=list)  # nodes where a strategy may say nothing
    played: Model | None = None  # what strategies play, where `model` has all legal moves
    aims: Array | None = None  # int32[E]: rewards that a strategy plays for, if not the payoff's
    by_control: dict[tuple[Value, ...], list[int]] = field(factory=dict)
    fitted: Known = field(factory=dict)

    @property
    def happenings(self) -> list[tuple[Happening, ...]]:
        """What the rules note on an edge, by its label."""
        return [notes for notes, _, _ in self.told]

    @property
    def objective(self) -> str:
        """The name of the objective."""
        return str(self.goal.objective)

    @property
    def roles(self) -> list[Role]:
        """What every variable is for this objective, and why."""
        axes = dict(zip(self.emitter.slots, self.emitter.axes, strict=True))
        alone = {slot for slot, axis in axes.items() if axis.size == 1 and not axis.unbounded}
        why = "it has only one value where later play depends on it"
        listed = self.roles_.listed
        return [evolve(r, role="nothing", reason=why) if r.slot in alone else r for r in listed]

    def locate(self, position: Position) -> State:
        """Return (offset, node, point): a position's value is offset + V(node, point).

        Values and offsets have one number for each seat, the player to move first, or only one
        where that is enough. The offset is what has been gained already; a finished game has
        node -1. Raises LookupError for a position that the rules cannot lead to.
        """
        for place in self.places(position):
            return place
        raise LookupError("the rules cannot lead to this position")

    def places(self, position: Position) -> Iterator[State]:
        """Give every state of the model that means a position, as `locate` does the first.

        Play comes to one of them, but not to all: what was set in this turn may as well have been
        set before.
        """
        node = project(position, self.game).node
        env = list(node.env)
        if node.at in self.goal.ends:
            yield self.final(env)[: self.goal.seats], -1, ()
            return
        live, kept = self.roles_.live[node.at], list(env)
        self.roles_.cap(kept)
        for number in self._candidates(node.at, kept):
            here = self.explorer.nodes[number]
            for point in fitting_points(self.emitter, here, kept, live, self.fitted):
                yield self.offset(env)[: self.goal.seats], number, self._with_total(point, env)

    def begins_turns_at(self, at: int) -> bool:
        """Tell whether turns that begin at an instruction have states of their own.

        Then such a position comes up only if one of these states has a value.
        """
        return any(node.at == at and node.stored for node in self.explorer.nodes)

    def in_the_long_run(self, average: float) -> Compiled:
        """Return the same for an average that has been found: it is what a turn has to bring."""
        return evolve(self, goal=evolve(self.goal, per_turn=-average))

    def in_order(self) -> tuple[Model, Array | None]:
        """Return the model whose edges of choices are the moves in the order of the rules.

        With the labels of its edges. Nodes and values are those of `model`.
        """
        if all(node.offered is None for node in self.explorer.nodes):
            return self.model, self.labels
        own = self.model if self.base is None else self.base
        start, effort = (own.start, own.start_point), Effort()
        model = emit(self.explorer, self.emitter, *start, effort, offered=True)
        model = evolve(model, average=own.average, settled=own.settled, drawn=own.drawn)
        labels, _ = label_edges(self.explorer, self.emitter, self.told, offered=True)
        if self.total is None:
            return model, labels
        if self.total.certain is not None:
            return told_at_once(model, self.total), labels
        target, at_least = self.total.target, self.total.at_least
        return counting(model, target, at_least=at_least)[0], labels

    def final(self, env: list[Value]) -> Gained:
        """Return what play that has ended is worth to each seat, the player to move first."""
        had = [float(self.goal.final(env, seat)) for seat in range(self.model.seats)]
        if self.total is not None:
            had = [float(self.total.reached(np.asarray(self._since_start(v)))) for v in had]
        return tuple(had)

    def offset(self, env: list[Value]) -> Gained:
        """Return what counts besides the value in the model: what has been gained, if at once."""
        return self.gained(env) if self.total is None else (0.0,)

    def _with_total(self, point: tuple[int, ...], env: list[Value]) -> tuple[int, ...]:
        """Return a point with its place on the axis of what has been gained, if there is one."""
        if self.total is None:
            return point
        return self.total.point(point, self._since_start(self.gained(env)[0]))

    def _since_start(self, had: float) -> float:
        """Return how much of what a player has was not there before the first choice or throw."""
        return had - self.gained(list(start(self.game).node.env))[0]

    def gained_before_play(self) -> Gained:
        """Return what each seat has before the first choice or throw, the one to move first.

        Turns that are over by then, since nothing is chosen or thrown in them, count as well.
        """
        first, each = start(self.game), self.goal.per_turn
        had = self.offset(list(first.node.env))
        return (had[0] + each * first.turns_passed, *had[1:])

    def gained(self, env: list[Value]) -> Gained:
        """Return what each seat has gained already."""
        found = [0.0] * self.model.seats
        for slot, factors in self.roles_.rewards.items():
            for seat in range(self.model.seats):
                found[seat] += float(factors[seat] * env[slot])
        return tuple(found)

    def _candidates(self, at: int, env: list[Value]) -> Iterator[int]:
        """Give the nodes that may stand for a position; `env` is what it holds, as it is kept.

        Dice that come to the same with what the axes hold here may not elsewhere.
        """
        nodes, keeper = self.explorer.nodes, self.explorer.keeper(at)
        if not self.by_control:
            for number, node in enumerate(nodes):
                if node.at >= 0:
                    own = self.explorer.keeper(node.at)
                    for key in (own.control_key(node.env), ("plain", *own.plain(node.env))):
                        self.by_control.setdefault((node.at, *key), []).append(number)
        likely = self.by_control.get((at, *keeper.control_key(env)), [])
        yield from likely
        wanted = keeper.key(env)
        for number in self.by_control.get((at, "plain", *keeper.plain(env)), []):
            there = list(env)
            for slot in keeper.control:
                there[slot] = nodes[number].env[slot]
            if number not in likely and keeper.key(there) == wanted:
                yield number


def counted(compiled: Compiled, target: Fraction, *, at_least: bool) -> Compiled:
    """Return the compiled game whose value is the probability that what is gained is enough."""
    missing = target - Fraction(compiled.gained_before_play()[0])
    model, total = counting(compiled.model, missing, at_least=at_least)
    rewards = compiled.roles_.rewards
    reason = f"whether it comes to {target} is asked; it is counted up to there"
    listed = [
        evolve(r, role="axis", reason=reason) if r.slot in rewards else r for r in compiled.roles
    ]
    roles = evolve(compiled.roles_, listed=listed)
    return evolve(compiled, model=model, roles_=roles, total=total, base=compiled.model)


def project(position: Position, game: Rules, seat: int | None = None) -> Position:
    """Return a position of the same rules for more players as one seat has it.

    That is the player to move, unless another seat is asked for.
    """
    own, other = position.game, game
    if own.names is other.names:  # the same rules, played by strategies or without an end
        return position if own is other else evolve(position, game=game)
    env = other.start()
    copy_values(position, env, other, seat, ("player", "table", "turn", "local"))
    return Position(other, _same_place(position, other), tuple(env), position.starts_turn)


def copy_values(
    position: Position, env: list[Value], game: Rules, seat: int | None, scopes: Iterable[str]
) -> None:
    """Set in `env`, of the game for one player, what a seat has in a position for several."""
    own = position.game
    offset = 0 if seat is None else (seat - position.whose_turn) % own.players
    variables = _variables(game)
    for name, one in _variables(own).items():
        if (two := variables.get(name)) is not None and one.scope in scopes:
            keys, first = max(1, len(one.keys)), offset if one.scope == "player" else 0
            for key in range(keys):
                old, new = key * (one.width // keys), key * (two.width // keys)
                value = position.env[one.base + old + first]
                env[two.base + new] = _of_game(value, own, game)
    env[game.names.variables["seat"].base] = 0


def _of_game(value: Value, own: Rules, other: Rules) -> Value:
    """Return what a value of one game is in another one of the same rules: it has its own rows."""
    if not isinstance(value, Box):
        return value
    rows, row = own.names.tables[value.row.table], value.row
    place = next(number for number, candidate in enumerate(rows) if candidate is row)
    return other.names.tables[row.table][place].box(value.binding)


def _variables(game: Rules) -> dict[tuple[str, int, int], Variable]:
    """Return every variable by its name, its place in the rules, and which of these it is.

    What the payoff or the ranking goes through is there once for each player.
    """
    found, seen = {}, Counter[tuple[str, int]]()
    for at, variable in enumerate(game.names.slots):
        if at == variable.base:
            key = (variable.name, variable.span.start)
            found[(*key, seen[key])] = variable
            seen[key] += 1
    return found


def _same_place(position: Position, game: Rules) -> int:
    """Return the instruction of a game at which a position of the same rules stands."""
    if position.starts_turn:
        return game.turn
    instruction = position.game.flow[position.at]
    for number, candidate in enumerate(game.flow):
        same = getattr(candidate, "name", "") == getattr(instruction, "name", "")
        if same and type(candidate) is type(instruction):
            return number
    raise LookupError("the rules cannot lead to this position")
