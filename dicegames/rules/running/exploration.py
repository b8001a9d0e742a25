"""All positions that can come up from one, as the states of a finite decision problem.

A position is the instruction at which play stands with the values that later play reads. A
variable that is only added to and that the objective adds up is no part of it: it counts on the
way. The rules are run by the referee alone; `ground.exact_cycles` solves the states in fractions.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from fractions import Fraction

from attrs import define, field

from dicegames.ground.exact_cycles import Edge, State, Values
from dicegames.ground.exact_limit import Limit
from dicegames.rules.parts.aim import Aim, ObjectiveError
from dicegames.rules.parts.flow import Expression, Finish, Instruction, Set, reachable, reads_of
from dicegames.rules.parts.game import Game
from dicegames.rules.parts.types import Value
from dicegames.rules.running.linear import seat_factors
from dicegames.rules.running.liveness import Slots, live, looks_ahead
from dicegames.rules.running.referee import Position, with_values

Key = tuple[Value, ...]
"""What tells a position from others: the instruction, and the values that later play reads."""


def _counted(game: Game, aim: Aim) -> Sequence[Expression]:
    """Return what is read when play ends for an objective, by seat."""
    if aim.kind == "turns":
        return ()
    if aim.kind == "turn":
        return game.turn_points
    return game.standings if game.payoff_is_win else game.payoffs


@define
class Exploration:
    """All positions that can come up from one; no further than to those whose values are known."""

    game: Game
    aim: Aim
    limit: Limit = field(factory=Limit)
    counted: Sequence[Expression] = field(init=False)  # what is read where play ends, by seat
    stops: dict[int, Slots] = field(init=False)  # where play ends, and what is read there
    slots: list[Slots] = field(init=False)
    states: list[State] = field(factory=list)
    numbers: dict[Key, int] = field(factory=dict)
    known: dict[Key, Values] = field(factory=dict)
    sums: tuple[int, ...] = field(init=False)  # slots that are only added to
    pending: list[tuple[int, Position]] = field(factory=list)

    def __attrs_post_init__(self) -> None:
        if self.aim.kind == "average":
            raise ObjectiveError("exact fractions are not to be had for the long run")
        if self.aim.kind == "turns" and self.game.players > 1:
            raise ObjectiveError("turns are counted for one player: --set players=1")
        at = [n for n, i in enumerate(self.game.flow) if isinstance(i, Finish)]
        at += [self.game.end_turn] if self.aim.kind == "turn" else []
        self.counted = _counted(self.game, self.aim)
        reads = frozenset().union(*(e.reads for e in self.counted))
        reads |= self.game.final_reads if self.aim.kind == "payoff" else frozenset()
        self.stops = dict.fromkeys(at, reads)
        self.slots = live(self.game, ends=self.stops)
        asked = self.game.turn_points[:1] if looks_ahead(self.game) else []
        counted = [self.counted, asked]
        self.sums = tuple(_sums(self.game, counted, self.stops)) if self._adds_up else ()

    @property
    def maximise(self) -> bool:
        """Whether much is wanted: as the objective says, else as the rules do."""
        game, aim = self.game, self.aim
        if aim.maximise is not None:
            return aim.maximise
        if aim.kind in ("turns", "reach"):
            return aim.kind == "reach"
        return game.many_points if aim.kind == "turn" else game.maximise

    @property
    def _adds_up(self) -> bool:
        """Whether what is counted at the end is wanted as it is, not compared with anything."""
        return self.aim.kind == "turn" or (
            self.aim.kind == "payoff" and not self.game.payoff_is_win
        )

    def explore(self, position: Position) -> Edge:
        """Follow every move and every chance outcome; return the edge to the position."""
        first = self.reach(position.node, position.node.seat)
        while self.pending:
            self.limit.check_time()
            number, here = self.pending.pop()
            state = self.states[number]
            state.chooses = not here.is_chance
            for outcome in here.outcomes():
                reached = here.after(outcome, self.stops)
                state.edges.append(self.reach(reached, here.seat, outcome.probability))
            for move in here.moves():
                state.edges.append(self.reach(here.after(move, self.stops), here.seat))
        return first

    def reach(self, position: Position, mover: int, weight: Fraction = Fraction(1)) -> Edge:
        """Return the edge to a position, which is numbered if it is new."""
        turn_over = position.starts_turn or position.at in self.stops
        node = position if position.at in self.stops else position.node
        if node.at in self.stops and not turn_over:
            turn_over = True
        counted = Fraction(self.aim.kind == "turns" and turn_over)
        rotate = (node.seat - mover) % self.game.players if self.aim.kind == "payoff" else 0
        seats = self.game.players if self.aim.kind == "payoff" else 1
        notes = position.notes if node is position else position.notes + node.notes
        before, node = node.env, with_values(node, dict.fromkeys(self.sums, 0))
        env = node.env
        key = self.key(node)
        number = self.numbers.get(key)
        if number is None:
            number = self.numbers[key] = len(self.states)
            self.limit.check_positions(number + 1)
            self.states.append(State())
            if node.at in self.stops:
                self.states[number].values = self.final(node, seats)
            elif key in self.known:
                self.states[number].values = self.known[key]
            else:
                self.pending.append((number, node))
        gained = [counted] + [Fraction(0)] * (seats - 1)
        if self.sums and env != before:
            had = [self._difference(seat, before, env) for seat in range(seats)]
            for seat in range(seats):
                gained[seat] += had[(seat - rotate) % seats]
        return Edge(weight, number, rotate, tuple(gained), notes)

    def key(self, node: Position) -> Key:
        """Return the key of a position, without what is only added up."""
        return (node.at, *(node.env[slot] for slot in sorted(self.slots[node.at])))

    def _difference(self, seat: int, env: Sequence[Value], other: Sequence[Value]) -> Fraction:
        """Return how much more counts in the end with one environment than with the other."""
        counted = self.counted[seat]
        return Fraction(counted.run(list(env))) - Fraction(counted.run(list(other)))

    def final(self, node: Position, seats: int) -> tuple[Fraction, ...]:
        """Return what counts where play ends, by seat, the player to move first."""
        game, env = self.game, list(node.env)
        if self.aim.kind == "payoff":
            return tuple(Fraction(game.payoff(env, seat)) for seat in range(seats))
        had = Fraction(self.counted[0].run(env)) if self.counted else Fraction(0)
        if self.aim.target is None:
            return (had,)
        much = game.highest_wins if game.payoff_is_win else game.maximise
        return (Fraction(had >= self.aim.target if much else had <= self.aim.target),)


def _sums(game: Game, counted: Iterable[Sequence[Expression]], ends: Iterable[int]) -> list[int]:
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
    limited = instruction.within != (None, None) or bool(instruction.limits)
    return instruction.addition is not None and not limited
