"""The value of positions of a compiled game: what the solver's tables say, moved to the rules.

A position that the control graph passes over (it shares or reorders choices that come to the
same) is worth the best of its moves, or the mean of what chance may do, one step at a time. Where
players do not interact, each one's game is seen as a game for one player (`own_position`).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Self

from attrs import evolve, frozen

from dicegames.compiler.compiled import Compiled, copy_values, project
from dicegames.ground.errors import DicegamesError, TooFar
from dicegames.ground.numbers import turned
from dicegames.rules.parts.broken import RuleBroken
from dicegames.rules.parts.flow import Set, TurnEnds, reachable
from dicegames.rules.parts.game import Rules
from dicegames.rules.running.referee import Move, Outcome, Position, run, start
from dicegames.solver.explicit.subgame import Subgames
from dicegames.solver.solved import Solved

Values = tuple[float, ...]
"""One value for each seat, the player to move first; one only where a single number is enough."""

MOST_TURNS_ON = 2


class UnknownPosition(DicegamesError, LookupError):
    """A position that cannot come up, so that the solution has no value for it."""


@frozen(eq=False)
class PositionValues:
    """Values of positions of `compiled.game`, seen by the player to move.

    In the long run values are known but for a constant, which is `added`.
    """

    compiled: Compiled
    solved: Solved
    added: float = 0.0

    @classmethod
    def in_the_long_run(cls, compiled: Compiled, solved: Solved, average: float) -> Self:
        """Return the values with which the game is worth the average at its start."""
        found = cls(compiled.in_the_long_run(average), solved)
        (worth,) = found.values(start(compiled.game))
        return evolve(found, added=average - worth)

    @contextmanager
    def coming_up(self, position: Position) -> Iterator[None]:
        """Raise UnknownPosition where the rules do not go on from a position.

        From all that can come up they do: that was seen when the game was solved.
        """
        try:
            yield
        except RuleBroken as broken:
            raise UnknownPosition(f"{self._impossible(position)}: {broken.message}") from None

    def values(self, position: Position, depth: int = 0, *, seen_before: bool = False) -> Values:
        """Return the expected final payoffs; raises UnknownPosition.

        `seen_before`: as the turn before sees them where a turn begins. On a grid, which that turn
        reads between its points, they are not quite the same.
        """
        found = self._values_there(position, depth, seen_before=seen_before)
        each = self.compiled.goal.per_turn
        return (found[0] + each * position.turns_passed, *found[1:]) if each else found

    def _values_there(self, position: Position, depth: int, *, seen_before: bool) -> Values:
        """Return the values of the node of a position, as if no turn were passed over before it."""
        node = project(position, self.compiled.game).node
        if node.at in self.compiled.goal.ends:
            return self.compiled.final(list(node.env))
        try:
            found = self._known(node, seen_before=seen_before)
        except LookupError as unknown:
            if depth == MOST_TURNS_ON:
                raise UnknownPosition(self._impossible(node)) from None
            if not depth and position.starts_turn and self.compiled.begins_turns_at(node.at):
                raise UnknownPosition(self._why(node, unknown)) from None
            try:
                return self._one_step(node, depth)
            except UnknownPosition:
                raise UnknownPosition(self._why(node, unknown)) from None
        won = self.compiled.offset(list(node.env))
        return tuple(value + had + self.added for value, had in zip(found, won, strict=True))

    def demand_turn(self, position: Position) -> None:
        """Raise UnknownPosition where no turn begins with what lasts at a position within it.

        That is seen where nothing has changed since then on which what follows depends.
        """
        node, game = project(position, self.compiled.game), self.compiled.game
        if node.starts_turn:
            return
        slots = game.names.slots
        lasting = [s.scope in ("player", "table") for s in slots]
        values = zip(node.env, game.start(), lasting, strict=True)
        ends = {n for n, i in enumerate(game.flow) if isinstance(i, TurnEnds)}
        read = {n for n in self.compiled.roles_.live[game.turn] if lasting[n]}
        for number in reachable(game.flow, game.turn, ends):
            changes = not read.isdisjoint(game.flow[number].targets)
            if changes and node.at in reachable(game.flow, number, ends):
                return
        env = tuple(now if lasts else first for now, first, lasts in values)
        began = Position(game, game.turn, env, starts_turn=True)
        if self.compiled.begins_turns_at(began.node.at):
            self.values(began)

    def _known(self, node: Position, *, seen_before: bool) -> Values:
        """Return the value of the state that stands for a position; LookupError if none has one."""
        far: TooFar | None = None
        for _, number, point in self.compiled.places(node):
            try:
                return self._by_seat(self.solved.value_at(number, point, between=seen_before))
            except TooFar as error:
                far = error
            except LookupError:
                continue
        raise far or LookupError(str(node))

    def offset(self, position: Position) -> Values:
        """Return the points that have been won already, as many numbers as a value has."""
        node = position.node
        if node.at in self.compiled.goal.ends:
            return self.compiled.final(list(node.env))
        return self.compiled.offset(list(node.env))

    def after(self, node: Position, what: Move | Outcome, depth: int = 0) -> Values:
        """Return the values after a move or a chance outcome, the player who moved first."""
        return self.after_each(node, [what], depth)[0]

    def after_each(
        self, node: Position, what: Sequence[Move | Outcome], depth: int = 0
    ) -> list[Values]:
        """Return what `after` does for several moves or outcomes, which are evaluated together."""
        node = project(node, self.compiled.game)
        reached = [node.after(each, self.compiled.goal.ends) for each in what]
        if isinstance(self.solved.evaluator, Subgames) and len(what) > 1:
            places = [next(iter(self.compiled.places(each)), None) for each in reached]
            states = [place[1:] for place in places if place is not None and place[1] >= 0]
            self.solved.evaluator.prepare(states)
        return [self._values_after(node, each, depth) for each in reached]

    def _values_after(self, node: Position, reached: Position, depth: int) -> Values:
        goal = self.compiled.goal
        turn_over = reached.starts_turn or reached.at in goal.ends
        found = self.values(reached, depth, seen_before=turn_over)
        if turn_over and goal.per_turn:
            found = (found[0] + goal.per_turn, *found[1:])
        if len(found) > 1:
            found = turned(found, node.seat - reached.node.seat)  # turns may be passed over
        return found

    def onward(self, node: Position, depth: int = 0) -> list[tuple[Move | Outcome, float, Values]]:
        """Return what comes next, how likely, and its values as `after` has them.

        That is every outcome, or the move that is best for the player to move.
        """
        moves, outcomes = node.moves(), node.outcomes()
        found = self.after_each(node, moves or outcomes, depth)
        if moves:
            sign = 1 if self.compiled.goal.maximise else -1
            best = max(range(len(moves)), key=lambda k: sign * found[k][0])
            return [(moves[best], 1.0, found[best])]
        return [(o, float(o.probability), v) for o, v in zip(outcomes, found, strict=True)]

    def _one_step(self, node: Position, depth: int) -> Values:
        ways = self.onward(node, depth + 1)
        seats = range(len(ways[0][2]))
        return tuple(sum(chance * values[seat] for _, chance, values in ways) for seat in seats)

    def _why(self, node: Position, unknown: LookupError) -> str:
        """Say why a position has no value."""
        if isinstance(unknown, TooFar):
            return f'the value of the position "{node}" is not told: {unknown}'
        return self._impossible(node)

    def _impossible(self, node: Position) -> str:
        one_turn = self.compiled.goal.objective.one_turn
        solved = "the one turn that is solved" if one_turn else "the game"
        played = " as the strategies play it" if any(self.compiled.seats) else ""
        return f'the position "{node}" cannot come up in {solved}{played}'

    def _by_seat(self, value: float | tuple[float, ...]) -> Values:
        model = self.compiled.model
        if isinstance(value, tuple):
            return value
        if model.seats == 2 and model.constant_sum is not None:
            return (float(value), model.constant_sum - float(value))
        return (float(value),)


def own_position(position: Position, single: Rules, seat: int) -> Position:
    """Return how a position looks to one seat alone, as a position of the game for one player.

    The seat to move stands where play stands; another seat waits for its next turn, or has
    finished.
    """
    mover = position.whose_turn
    if seat == mover or (position.is_over and not position.starts_turn):
        return project(position, single, seat)
    env = single.start()
    copy_values(position, env, single, seat, ("player", "table"))
    counter = single.names.variables["round"].base
    played = int(env[counter]) - (seat > mover)
    if played == 0 or not _counts(single, counter):
        return Position(single, single.turn, tuple(env), starts_turn=True)
    env[counter] = played
    return run(single, single.end_turn, env)


def _counts(game: Rules, slot: int) -> bool:
    """Tell whether the rules count in a slot at the end of a turn."""
    return any(isinstance(i, Set) and i.slot == slot for i in game.flow)
