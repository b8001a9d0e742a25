"""The value of a game in exact fractions, from the referee alone: slow, and simple to trust.

Every position that can come up is listed once: the instruction at which play stands with the values
that later play reads. With `V` a vector by seat, the player to move first::

    chance   V(s) = sum over outcomes of p * V(s')
    choice   V(s) = V(s') of the move that is best for the player to move, the first of equals
    the end  V(s) = the payoffs

Positions that lead to each other are solved together (`exact_cycles`), the others one by one from
the end. Nothing here is shared with the compiler or the solver; it is the oracle of their tests.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

from attrs import define, field

from dicegames.analysis.exact_cycles import Edge, State, solve_states
from dicegames.rules.aim import Aim, ObjectiveError
from dicegames.rules.flow import Expression, Finish, reads_of
from dicegames.rules.game import Game
from dicegames.rules.liveness import Slots, live
from dicegames.rules.referee import Position, start, with_values
from dicegames.rules.types import Value

MOST_STATES = 400_000


class TooLarge(Exception):
    """The game has more positions than exact fractions can deal with in reasonable time."""


def exact_value(
    game: Game,
    position: Position | None = None,
    objective: str = "payoff",
    most: int | None = None,
) -> Fraction | tuple[Fraction, ...]:
    """Return the value from a position on (the start if not given).

    One number for one player, and for objectives other than the payoff; else one for each seat,
    seat 1 first. Points already won are included. `most` limits the positions. Raises TooLarge,
    ObjectiveError, NoValue.
    """
    position = start(game) if position is None else position
    aim = Aim.parse(objective)
    exploration = Exploration(game, aim, MOST_STATES if most is None else most)
    edge = exploration.reach(position.node, position.node.seat)
    exploration.explore()
    values = solve_states(exploration.states, maximise=exploration.maximise)
    found = [v + add for v, add in zip(values[edge.target], edge.reward, strict=True)]
    if len(found) == 1 or aim.kind != "payoff":
        return found[0]
    mover, players = position.node.seat, game.players
    return tuple(found[(seat - mover) % players] for seat in range(players))


def _counted(game: Game, aim: Aim) -> Sequence[Expression]:
    """Return what is read when play ends for an objective, by seat."""
    if aim.kind == "turns":
        return ()
    if aim.kind == "turn":
        return game.standings or game.payoffs
    return game.standings if game.payoff_is_win else game.payoffs


@define
class Exploration:
    """All positions that can come up from one, found breadth first."""

    game: Game
    aim: Aim
    most: int = field(factory=lambda: MOST_STATES)
    stops: dict[int, Slots] = field(init=False)  # where play ends, and what is read there
    slots: list[Slots] = field(init=False)
    states: list[State] = field(factory=list)
    numbers: dict[tuple[Value, ...], int] = field(factory=dict)
    money: range = field(init=False)  # slots that are paid into and never looked at
    pending: list[tuple[int, Position]] = field(factory=list)

    def __attrs_post_init__(self) -> None:
        if self.aim.kind == "average":
            raise ObjectiveError("exact fractions are not to be had for the long run")
        at = [n for n, i in enumerate(self.game.flow) if isinstance(i, Finish)]
        at += [self.game.end_turn] if self.aim.kind == "turn" else []
        reads = frozenset().union(*(e.reads for e in _counted(self.game, self.aim)))
        self.stops = dict.fromkeys(at, reads)
        self.slots = live(self.game, ends=self.stops)
        self.money = _money(self.game) if self.aim.kind == "payoff" else range(0)

    @property
    def maximise(self) -> bool:
        """Whether much is wanted: as the objective says, else as the rules do."""
        game, aim = self.game, self.aim
        if aim.maximise is not None:
            return aim.maximise
        if aim.kind in ("turns", "reach"):
            return aim.kind == "reach"
        return game.highest_wins if aim.kind == "turn" and game.standings else game.maximise

    def explore(self) -> None:
        """Follow every move and every chance outcome."""
        while self.pending:
            number, position = self.pending.pop()
            state = self.states[number]
            if position.is_chance:
                for outcome in position.outcomes():
                    reached = position.play(outcome, self.stops)
                    edge = self.reach(reached, position.seat, outcome.probability)
                    state.edges.append(edge)
            else:
                state.chooses = True
                for move in position.moves():
                    reached = position.play(move, self.stops)
                    state.edges.append(self.reach(reached, position.seat))

    def reach(self, position: Position, mover: int, weight: Fraction = Fraction(1)) -> Edge:
        """Return the edge to a position, which is numbered if it is new."""
        turn_over = position.starts_turn or position.at in self.stops
        node = position if position.at in self.stops else position.node
        if node.at in self.stops and not turn_over:
            turn_over = True
        counted = Fraction(self.aim.kind == "turns" and turn_over)
        rotate = (node.seat - mover) % self.game.players if self.aim.kind == "payoff" else 0
        seats = self.game.players if self.aim.kind == "payoff" else 1
        had = tuple(Fraction(node.env[slot]) for slot in self.money)
        node = with_values(node, dict.fromkeys(self.money, 0))
        env = node.env
        key = (node.at, *(env[slot] for slot in sorted(self.slots[node.at])))
        number = self.numbers.get(key)
        if number is None:
            number = self.numbers[key] = len(self.states)
            if number >= self.most:
                raise TooLarge(f"more than {self.most:,} positions can come up")
            self.states.append(State())
            if node.at in self.stops:
                self.states[number].values = self.final(node, seats)
            else:
                self.pending.append((number, node))
        gained = [counted] + [Fraction(0)] * (seats - 1)
        for seat in range(seats if self.money else 0):
            gained[seat] += had[(seat - rotate) % seats]
        return Edge(weight, number, rotate, tuple(gained))

    def final(self, node: Position, seats: int) -> tuple[Fraction, ...]:
        """Return what counts where play ends, by seat, the player to move first."""
        game, env = self.game, list(node.env)
        if self.aim.kind == "payoff":
            return tuple(Fraction(game.payoff(env, seat)) for seat in range(seats))
        counted = _counted(game, self.aim)
        had = Fraction(counted[0].run(env)) if counted else Fraction(0)
        if self.aim.target is None:
            return (had,)
        much = game.highest_wins if game.payoff_is_win else game.maximise
        return (Fraction(had >= self.aim.target if much else had <= self.aim.target),)


def _money(game: Game) -> range:
    """Return the slots of the players' money where it is the payoff, and nothing asks for it.

    What has been paid is then no part of a position: only what is still to be paid counts.
    """
    money = game.names.variables.get("money")
    if money is None or money.scope != "player" or not game.names.has_payments:
        return range(0)
    slots = range(money.base, money.base + money.width)
    asked = frozenset[int]().union(*map(reads_of, game.flow))
    if [e.reads for e in game.payoffs] != [frozenset({slot}) for slot in slots]:
        return range(0)
    sample = list(range(1, len(game.names.slots) + 1))  # is the payoff the money, unchanged?
    if any(e.run(sample) != sample[s] for e, s in zip(game.payoffs, slots, strict=True)):
        return range(0)
    return slots if asked.isdisjoint(slots) else range(0)
