"""A solved game as people ask about it: what is it worth, what should I play, what did it cost me?

Values are in the unit and the sign of the rules: where the payoff is to be low, lower is better.
`value_of` counts the points already won, `remaining_of` does not.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cached_property, partial
from os import PathLike
from types import NoneType
from typing import TYPE_CHECKING

import numpy as np
from attrs import field, frozen
from numpy.typing import NDArray

from dicegames.analysis.chances.prospects import Prospects, SolutionError
from dicegames.analysis.saved import identity, store
from dicegames.analysis.saved.folder import ValueFolder
from dicegames.analysis.saved.restoring import restored
from dicegames.analysis.saved.store import StoreError
from dicegames.analysis.solving.gridding import nearest, solve_gridded
from dicegames.analysis.solving.position_values import (
    PositionValues,
    UnknownPosition,
    Values,
    own_position,
)
from dicegames.analysis.solving.reasons import TurnOutlook, Why, compared_choices, ranked
from dicegames.analysis.solving.solve_compiled import solve_compiled
from dicegames.compiler.compile import compile_game
from dicegames.compiler.compiled import Compiled, project
from dicegames.compiler.goal import NeedsGrid, TooMany
from dicegames.ground.arguments import expect, expect_many, expect_whole
from dicegames.ground.limits import UNLIMITED, LimitReached, Limits
from dicegames.ground.numbers import turned
from dicegames.rules.parts.game import HasRules, Rules, rules_of
from dicegames.rules.running.notation import parse_position
from dicegames.rules.running.objectives import objective_of
from dicegames.rules.running.playing import OPTIMAL, Given, name_of, seats_of
from dicegames.rules.running.referee import Choice, Move, Outcome, Position, start
from dicegames.solver.packing import packed
from dicegames.solver.solved import Solved, away
from dicegames.solver.status import Status

if TYPE_CHECKING:
    from dicegames.analysis.solving.explaining import Explainer

__all__ = ["Solution", "SolutionError", "UnknownPosition", "solve_game"]

Playing = Given | Mapping[int, Given] | None
"""What plays: a strategy by its name or as a function, for all seats or by seat (from 1)."""
Value = float | tuple[float, ...]


@frozen(eq=False, slots=False, repr=False)
class Solution(Prospects):
    """A game with the value of every position that can come up."""

    game: Rules
    compiled: Compiled
    solved: Solved
    grid: Mapping[str, int] = field(factory=dict)
    """The step of each variable that is on a grid."""

    def __repr__(self) -> str:
        on_grid = f", grid {dict(self.grid)}" if self.grid else ""
        of = f"{self.game.title!r}, {self.objective}, {self.game.option_values()}"
        return f"<Solution {of}{on_grid}>"

    # ---- the game as a whole

    @cached_property
    def value(self) -> Value:
        """What the game is worth: a number, or one for each seat if there are several players."""
        return self.value_of(start(self.game))

    @property
    def values(self) -> tuple[float, ...]:
        """The same by seat, only one where it is not."""
        return self.value if isinstance(self.value, tuple) else (self.value,)

    @property
    def lower(self) -> Value:
        """The proven lower bound of `value` (for several selfish players: the value itself)."""
        return away(self.value, -self.error_bound)

    def value_for(self, seat: int = 1) -> float:
        """Return `value` to a seat, from 1: the same to all where it is not by seat."""
        value = self.value
        return value[seat - 1] if isinstance(value, tuple) else value

    @property
    def upper(self) -> Value:
        """The proven upper bound of `value` (for several selfish players: the value itself)."""
        return away(self.value, self.error_bound)

    @property
    def objective(self) -> str:
        """What is optimised."""
        return self.compiled.objective

    @property
    def strategies(self) -> tuple[str, ...]:
        """What plays for each seat: the name of a strategy, or "best"."""
        seats = self.compiled.seats or (None,)
        names = [name_of(given) for given in seats]
        return tuple(names * self.game.players)[: self.game.players]

    @property
    def maximise(self) -> bool:
        """Whether the players want much of it, as the rules say."""
        return self.compiled.goal.maximise

    @property
    def error_bound(self) -> float:
        """By how much `value` may be wrong: the gap of cycles, and rounding."""
        return self.solved.error_bound

    @property
    def method(self) -> str:
        """How the game was solved."""
        return self.solved.method

    @property
    def seconds(self) -> float:
        """The time that solving alone took."""
        return self.solved.seconds

    @property
    def states_stored(self) -> int:
        """How many states have a value in a table."""
        return self.solved.states_stored

    @property
    def states_reachable(self) -> int:
        """How many states can come up."""
        return self.solved.states_reachable

    @property
    def by_seat(self) -> bool:
        """Whether values are tuples with one number for each seat."""
        return self.game.players > 1 and self.compiled.goal.objective.by_seat

    # ---- positions

    def value_of(self, position: Position | str) -> Value:
        """Return the expected final payoff from a position on, points already won included.

        A number, or one for each seat, seat 1 first. Raises UnknownPosition, PositionError.
        """
        position = self._own(position)
        with self._evaluator.coming_up(position):
            found = self._by_seats(position, self._evaluator.values)
            return found if self.by_seat else found[0] + self._turns_before(position)

    def values_of(self, positions: Iterable[Position | str]) -> NDArray[np.float64]:
        """Return the values of many positions, in their order; as `value_of`, but faster.

        Shape (positions,), or (positions, seats) where values are by seat. Positions that lie
        together in the solver's tables are evaluated together.
        """
        expect_many(positions, "positions")
        own = [self._own(position) for position in positions]
        shape = (len(own), self.game.players) if self.by_seat else (len(own),)
        values = np.empty(shape, np.float64)
        found: dict[tuple[object, ...], int] = {}
        places = [self._place(position) for position in own]
        for i in sorted(range(len(own)), key=places.__getitem__):
            same = found.setdefault((own[i].at, own[i].starts_turn, *own[i].env), i)
            values[i] = values[same] if same != i else self.value_of(own[i])
        return values

    def remaining_of(self, position: Position | str) -> Value:
        """Return what is still to come: `value_of` without the points already won."""
        position = self._own(position)
        with self._evaluator.coming_up(position):
            found = self._by_seats(position, self._evaluator.values)
            won = self._by_seats(position, self._evaluator.offset)
        found = tuple(value - had for value, had in zip(found, won, strict=True))
        return found if self.by_seat else found[0]

    def options(self, position: Position | str) -> list[Choice]:
        """Return every legal move with its value for the player to move, the best first.

        Values are as in `value_of`; moves of equal value come in the order of the rules. Where a
        strategy plays, this is the one move that it plays.
        """
        position = self._own(position)
        with self._evaluator.coming_up(position):
            node = position.node  # turns may be passed over
            moves = self._mover(node).moves()
            values = self.values_after(node, moves)
            own = {move.label: move for move in node.moves()}
        choices = [Choice(own[m.label], value) for m, value in zip(moves, values, strict=True)]
        return ranked(choices, maximise=self.maximise)

    def values_after(self, position: Position, what: Sequence[Move | Outcome]) -> list[float]:
        """Return the values of moves or chance outcomes for the player to move, as `value_of`."""
        node = position.node
        before, node = self._turns_before(node), self._mover(node)
        return [found[0] + before for found in self._evaluator.after_each(node, what)]

    def best(self, position: Position | str) -> Choice | None:
        """Return the best move, None where nothing is to be chosen."""
        return next(iter(self.options(position)), None)

    def regret(self, position: Position | str, move: Move | str) -> float:
        """Return what a move loses against the best one; never negative.

        Raises SolutionError for a move of which nothing is known, since a strategy makes another.
        """
        position = self._own(position)
        options = self.options(position)
        expect(move, (Move, str), "a move, or its name,")
        name = position.named(move if isinstance(move, str) else move.label).label
        for choice in options:
            if choice.name == name:
                return max(0.0, abs(options[0].value - choice.value))
        raise SolutionError(f'"{name}" has no value: a strategy plays, and makes another move')

    def why(
        self,
        position: Position | str,
        instead: Move | str | None = None,
        move: Move | str | None = None,
        *,
        by_turn: bool = False,
    ) -> Why:
        """Return why a move (the best one) is better than another (the next best), in parts.

        These are the ways in which the turn may end where it is to be `by_turn`, which is soon
        found, and where what pays cannot be told apart. Raises SolutionError where there are no
        parts to tell, or nothing is to be chosen.
        """
        position = self._own(position)
        options = self.options(position)
        choices = compared_choices(position, options, instead, move)
        return self._compared(position, *choices, by_turn=by_turn)

    # ---- on disk

    def save(self, path: str | PathLike[str]) -> None:
        """Write the solution to a file, whole or not at all; raises StoreError."""
        expect(path, (str, PathLike), "the name of a file")
        if any(callable(given) for given in self.compiled.seats):
            raise StoreError("a strategy given as a function cannot be saved")
        header = identity.header_of(self.game, self.objective, self.compiled.model, self.solved)
        header |= {"strategies": list(self.strategies), "noted": self.compiled.goal.noted}
        header["grid"] = dict(self.grid) if self.solved.status is Status.APPROXIMATE else None
        store.write(str(path), header, packed(self.solved))

    @classmethod
    def load(
        cls,
        path: str | PathLike[str],
        game: Rules | HasRules,
        objective: str = "payoff",
        strategy: Playing = None,
    ) -> Solution:
        """Return the solution of a game from a file.

        Raises StoreError for a file that is missing, damaged, foreign, or of other rules.
        """
        expect(path, (str, PathLike), "the name of a file")
        rules = rules_of(game)
        seats = seats_of(rules, strategy)
        return cls(rules, *restored(str(path), rules, objective, seats))

    # ---- inside

    @cached_property
    def _evaluator(self) -> PositionValues:
        compiled, average = self.compiled, self.solved.value
        if compiled.goal.objective.endless and isinstance(average, float):
            return PositionValues.in_the_long_run(compiled, self.solved, average)
        return PositionValues(compiled, self.solved)

    @cached_property
    def _explainer(self) -> Explainer | TurnOutlook:
        from dicegames.analysis.solving.explaining import explainer_of  # noqa: PLC0415 - numba

        return explainer_of(self.game, self._evaluator)

    def _compared(self, position: Position, one: Choice, two: Choice, *, by_turn: bool) -> Why:
        node = self._mover(position.node)
        explainer = TurnOutlook(self._evaluator) if by_turn else self._explainer
        return explainer.why(node, (one.name, two.name), (one.value, two.value))

    @property
    def _is_single(self) -> bool:
        """Whether the game of one player was solved in place of that of several."""
        return self.compiled.game.players != self.game.players

    def _own(self, position: Position | str) -> Position:
        """Return a position of this very game."""
        expect(position, (Position, str), "a position, or its text,")
        if isinstance(position, Position) and position.game is self.game:
            return position
        own = parse_position(self.game, str(position))
        if isinstance(position, str) and {*self.strategies} == {OPTIMAL}:
            with self._evaluator.coming_up(own):
                self._evaluator.demand_turn(self._mover(own))
        return own

    def _mover(self, position: Position) -> Position:
        if self._is_single:
            return own_position(position, self.compiled.game, position.whose_turn)
        return project(position, self.compiled.game)

    def _seen(self, position: Position) -> list[Position]:
        """Return the position as it was solved, for every seat that has a value of its own."""
        if self._is_single and self.by_seat:
            seats = range(self.game.players)
            return [own_position(position, self.compiled.game, seat) for seat in seats]
        return [self._mover(position)]

    def _place(self, position: Position) -> tuple[int, ...]:
        """Return where in the solver's tables a position lies; its neighbours lie beside it."""
        try:
            return self.compiled.locate(self._mover(position))[2]
        except LookupError:
            return ()

    def _by_seats(self, position: Position, what: Callable[[Position], Values]) -> Values:
        """Return something that positions have, by seat, seat 1 first."""
        seen = self._seen(position)
        found = [what(p) for p in seen]
        if len(seen) > 1:
            return tuple(values[0] for values in found)
        return turned(found[0], -position.node.seat)

    def _turns_before(self, position: Position) -> int:
        """Return what the turns that are over have added, where turns count."""
        counter = self.game.names.variables["round"].base
        each = self.compiled.goal.objective.per_turn
        over = position.is_over and not position.starts_turn
        return each and each * (int(position.env[counter]) - 1 + over)


def solve_game(
    game: Rules,
    objective: str = "payoff",
    strategy: Playing = None,
    *,
    grid: Mapping[str, int] | None = None,
    noted: bool = False,
    limits: Limits = UNLIMITED,
    kept_in: ValueFolder | None = None,
) -> Solution:
    """Solve a game; raises SolutionError where that is not possible, with what to do about it.

    `grid` has the step for each variable that is put on a grid; if it has none, a game with too
    many states to be listed is put on the finest grid for which there is room. Where a strategy
    plays (for all seats, or by seat), its moves are what is evaluated. `noted` tells apart what the
    rules note, so that `Solution.outcomes` can be asked for. A game that will not fit the limits of
    memory and time is refused before it is started; the time is that of compiling and solving.
    """
    expect(grid, (Mapping, NoneType), "a grid, such as {'total': 500},")
    seats = seats_of(game, strategy)
    for name, step in (grid or {}).items():
        expect(name, str, "the name of a variable that is put on a grid")
        expect_whole(step, f'the step of "{name}"', 1)
    if kept_in is not None and noted:
        raise SolutionError("what rules note is not kept in a folder of values")
    if kept_in is not None and kept_in.value_only and grid:
        raise SolutionError("all values of a grid are kept: leave value_only out")
    if grid and (not objective_of(objective).is_the_rules_own or noted):
        raise SolutionError("a grid is for the payoff; solve other objectives without it")
    try:
        if grid:
            keep = None
            if kept_in is not None:
                keep = partial(kept_in.for_grid, game, limits.threads or 1, grid)
            return Solution(game, *solve_gridded(game, seats, grid, limits, keep))
        compiled = compile_game(game, objective, seats, noted=noted, limits=limits)
    except LimitReached as reached:
        raise SolutionError(str(reached)) from None
    except TooMany as many:
        raise TooMany(f"{many}{nearest(game, limits.memory)}") from None
    except NeedsGrid:
        if noted or grid is None or kept_in is not None:
            raise
        return Solution(game, *solve_gridded(game, seats, {}, limits))
    keeping = None
    if kept_in is not None:
        keeping = partial(kept_in.made_ready, game, limits.threads or 1)
    return Solution(game, *solve_compiled(compiled, limits, keeping))
