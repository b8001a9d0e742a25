"""All positions that can come up from one, as the states of a finite decision problem.

A position is the instruction at which play stands with the values that later play reads. A
variable that is only added to and that the objective adds up is no part of it: it counts as
a reward `r` on the way. The rules are run by the referee alone. With `V` a vector by seat, the
player to move first::

    chance   V(s) = sum over outcomes of p * (r + V(s'))
    choice   V(s) = r + V(s') of the move that is best for the player to move, the first of equals
    the end  V(s) = the payoffs

Positions that lead to each other are solved together (`ground.exact_cycles`), the others one by one
from the end, all in fractions: slow, and simple to trust. Nothing here is shared with the compiler
or the solver; it is the oracle of their tests.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Sequence
from fractions import Fraction

from attrs import define, field

from dicegames.ground.exact_cycles import Arc, ExactState, ExactValues, Values, solve_states
from dicegames.ground.limits import Limit
from dicegames.ground.numbers import turned
from dicegames.rules.parts.flow import Expression, Instruction, Set, reachable, reads_of
from dicegames.rules.parts.game import Rules
from dicegames.rules.parts.types import Value
from dicegames.rules.running.linear import seat_factors
from dicegames.rules.running.liveness import Slots, live, looks_ahead
from dicegames.rules.running.objectives import Objective, ObjectiveError, objective_of
from dicegames.rules.running.referee import Position, start, with_values

Key = tuple[Value, ...]
"""What tells a position from others: the instruction, and the values that later play reads."""


@define
class Exploration:
    """All positions that can come up from one; no further than to those whose values are known."""

    game: Rules
    objective: Objective
    limit: Limit = field(factory=Limit)
    counted: Sequence[Expression] = field(init=False)  # what is read where play ends, by seat
    stops: dict[int, Slots] = field(init=False)  # where play ends, and what is read there
    slots: list[Slots] = field(init=False)
    states: list[ExactState] = field(factory=list)
    numbers: dict[Key, int] = field(factory=dict)
    known: dict[Key, Values] = field(factory=dict)
    sums: tuple[int, ...] = field(init=False)  # slots that are only added to
    pending: deque[tuple[int, Position]] = field(factory=deque)

    def __attrs_post_init__(self) -> None:
        if self.objective.endless:
            raise ObjectiveError("exact fractions are not to be had for the long run")
        if self.objective.compares(self.game):
            message = "exact fractions are not to be had for the chance to be first"
            raise ObjectiveError(message + "; --objective payoff looks at the result alone")
        self.objective.applied(self.game)
        self.counted = self.objective.counts(self.game)
        self.stops = self.objective.ends(self.game)
        self.slots = live(self.game, ends=self.stops)
        asked = self.game.turn_points[:1] if looks_ahead(self.game) else []
        counted = [self.counted, asked]
        adds_up = self.objective.adds_up(self.game)
        self.sums = tuple(_sums(self.game, counted, self.stops)) if adds_up else ()

    @property
    def maximise(self) -> bool:
        """Whether much is wanted."""
        return self.objective.maximised(self.game)

    @property
    def seats(self) -> int:
        """How many seats have a value of their own."""
        return self.objective.seats(self.game)

    def explore(self, position: Position) -> Arc:
        """Follow every move and every chance outcome; return the edge to the position."""
        first = self.reach(position, position.node.seat, begins=True)
        while self.pending:
            self.limit.check_time()
            number, here = self.pending.popleft()  # near ones first: many are soon found to be many
            state = self.states[number]
            state.chooses = not here.is_chance
            for outcome in here.outcomes():
                reached = here.after(outcome, self.stops)
                state.edges.append(self.reach(reached, here.seat, outcome.probability))
            for move in here.moves():
                state.edges.append(self.reach(here.after(move, self.stops), here.seat))
        return first

    def solved(self) -> ExactValues:
        """Return the values of all states that were met, in fractions."""
        return solve_states(self.states, maximise=self.maximise, limit=self.limit)

    def reach(
        self,
        position: Position,
        mover: int,
        weight: Fraction = Fraction(1),
        *,
        begins: bool = False,
    ) -> Arc:
        """Return the edge to a position, which is numbered if it is new.

        It is the first of all if play `begins` with it: no turn is over there.
        """
        is_end = position.at in self.stops
        node = position if is_end else position.node
        turns = is_end or (position.starts_turn and not begins) + position.turns_passed
        counted = Fraction(self.objective.per_turn * turns)
        seats = self.seats
        rotate = (node.seat - mover) % seats
        notes = position.notes if node is position else position.notes + node.notes
        before, node = node.env, with_values(node, dict.fromkeys(self.sums, 0))
        env = node.env
        key = self.key(node)
        number = self.numbers.get(key)
        if number is None:
            number = self.numbers[key] = len(self.states)
            self.limit.check_positions(number + 1)
            self.states.append(ExactState())
            if node.at in self.stops:
                self.states[number].values = self.final(node)
            elif key in self.known:
                self.states[number].values = self.known[key]
            else:
                self.pending.append((number, node))
        gained = [counted] + [Fraction(0)] * (seats - 1)
        if self.sums and env != before:
            had = [self._difference(seat, before, env) for seat in range(seats)]
            for seat in range(seats):
                gained[seat] += had[(seat - rotate) % seats]
        return Arc(weight, number, rotate, tuple(gained), notes)

    def key(self, node: Position) -> Key:
        """Return the key of a position, without what is only added up."""
        return (node.at, *(node.env[slot] for slot in sorted(self.slots[node.at])))

    def _difference(self, seat: int, env: Sequence[Value], other: Sequence[Value]) -> Fraction:
        """Return how much more counts in the end with one environment than with the other."""
        counted = self.counted[seat]
        return Fraction(counted.run(list(env))) - Fraction(counted.run(list(other)))

    def final(self, node: Position) -> tuple[Fraction, ...]:
        """Return what counts where play ends, by seat, the player to move first."""
        return node.read(self.objective.final, self.seats)


def _sums(game: Rules, counted: Iterable[Sequence[Expression]], ends: Iterable[int]) -> list[int]:
    """Return the slots that nothing asks for, that are only added to, and that are added up.

    What they hold is then no part of a position: only what is still to be gained counts.
    """
    flow = [game.flow[n] for n in reachable(game.flow, game.turn, frozenset(ends)) - set(ends)]
    asked = frozenset[int]().union(*map(reads_of, flow))
    found: list[int] = []
    for name, variable in game.names.variables.items():
        slots = range(variable.base, variable.base + variable.width)
        if (
            variable.scope in ("player", "table")
            and name != "seat"  # whose turn it is, whatever counts
            and variable.type.kind == "number"
            and asked.isdisjoint(slots)
            and all(_only_adds(instruction, slots) for instruction in flow)
            and all(seat_factors(each, s, game) is not None for each in counted for s in slots)
        ):
            found += slots
    return found


def _only_adds(instruction: Instruction, slots: range) -> bool:
    if not isinstance(instruction, Set) or set(slots).isdisjoint(instruction.targets):
        return True
    limited = instruction.within is not None or bool(instruction.ranges)
    return instruction.addition is not None and not limited


# ---- the value in exact fractions


def exact_value(
    game: Rules,
    position: Position | None = None,
    objective: str = "payoff",
    limit: Limit | None = None,
) -> Fraction | tuple[Fraction, ...]:
    """Return the value from a position on (the start if not given).

    One number for one player, and for objectives other than the payoff; else one for each seat,
    seat 1 first. Points already won are included. Raises TooLarge, ObjectiveError, NoValue.
    """
    position = start(game) if position is None else position
    wanted = objective_of(objective)
    exploration = Exploration(game, wanted, Limit() if limit is None else limit)
    edge = exploration.explore(position)
    solved = exploration.solved()
    found = [v + add for v, add in zip(solved.values[edge.target], edge.reward, strict=True)]
    if len(found) == 1 or not wanted.by_seat:
        return found[0]
    return turned(found, -position.node.seat)
