"""Strategies side by side: what each is worth, and where it loses against the best play.

With V the value under best play, a move a in a state s loses d(s, a) = V(s) - Q(s, a), where Q is
the move's value if all that follows is played best. For a way of playing, the sum over all
decisions of P(they come up) * d is the difference to V at the start (Kakade and Langford, 2002,
lemma 6.1); here it is split by the kind of the decision. Where several play, the others play best,
as they would against best play: they lose nothing, and the sum tells about the one seat alone.
What a strategy leaves open (`best`) is decided as is best for its own play, not for best play.

All states are listed for this, those that best play meets and those that the strategy meets. Where
they are too many, or without end, the sum alone is told: what the strategy is worth is found by
solving it, or, among several players, by following play from the start (`unlisted`).
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from attrs import define, evolve, field, frozen

from dicegames.analysis.chances.prospects import telling
from dicegames.analysis.solution import Solution, SolutionError, solve_game
from dicegames.analysis.solving.solve_compiled import demand_moves
from dicegames.analysis.studies.listed import Followed, Loss, values_by_layers
from dicegames.compiler.compile import compile_game
from dicegames.compiler.compiled import Compiled
from dicegames.compiler.goal import Goal
from dicegames.ground.arguments import ArgumentError, expect_many
from dicegames.ground.limits import Limits
from dicegames.ground.table import Cell, Table, Tabled
from dicegames.rules.parts.game import HasRules, Rules, rules_of
from dicegames.rules.running.playing import Given, Seats, name_of, seats_of
from dicegames.rules.running.referee import start
from dicegames.solver.explicit.explicit import ExplicitValues
from dicegames.solver.explicit.subgame import Subgames
from dicegames.solver.graph.states import expand_states
from dicegames.solver.kernels.workers import Workers
from dicegames.solver.model import Model, fingerprint
from dicegames.solver.solve import cost_of, solve
from dicegames.solver.solved import Solved
from dicegames.solver.status import SolveError, Status

MOST_COMPARED = 4_000_000
"""States that are listed: about 1 GB."""
UNLISTED = (
    "there are too many states to let best play answer without knowing the strategy; "
    "compare a turn (--objective turn), or solve against it (--seat)"
)


@frozen
class StrategyRow:
    """A strategy in one seat (from 1; 0 for players who are looked at alone).

    `value` is what it is worth; `loss` how much less good that is than best play, never negative
    but for rounding; `losses` where that is lost, None where there are too many states to tell.
    `error` bounds how far each may be off.
    """

    strategy: str
    seat: int
    value: float
    loss: float
    losses: tuple[Loss, ...] | None
    error: float


Found = tuple[Goal, StrategyRow, float]
"""The goal, the row of a strategy, and what best play is worth in its seat."""


@frozen
class Comparison(Tabled):
    """Strategies side by side. `best` is what best play is worth to each seat."""

    goal: Goal = field(repr=False)
    best: tuple[float, ...]
    rows: tuple[StrategyRow, ...] = field(repr=False)

    @property
    def table(self) -> Table:
        """The strategies, best play first; a loss within the error bound is 0."""
        seats = len(self.best) > 1

        def cells(name: str, seat: int, *numbers: float) -> tuple[Cell, ...]:
            return (name, *(seat,) * seats, *numbers)

        rows = [cells("best play", seat, value, 0.0) for seat, value in enumerate(self.best, 1)]
        for row in self.rows:
            loss = 0.0 if abs(row.loss) <= row.error else row.loss
            rows.append(cells(row.strategy, row.seat, row.value, loss))
        columns = ("strategy", *("seat",) * seats, "value", "loss")
        return Table(self.goal.game.title, columns, tuple(rows))


def compare(
    game: Rules | HasRules,
    objective: str = "payoff",
    strategies: Sequence[Given] | None = None,
    *,
    threads: int | None = None,
    memory: int | None = None,
    time: float | None = None,
) -> Comparison:
    """Compare strategies with best play: what each loses, and in which decisions.

    Args:
        game: what `load` returns.
        objective: as for `solve`.
        strategies: names, or functions; all that the rules name, if not given.
        threads: how many to use; all cores if not given.
        memory: the most bytes that the tables may take.
        time: the most seconds that compiling and solving may take.

    The losses of a strategy are the sum over all decisions of the probability that they come up
    times what the move loses. Raises SolutionError where there are too many states to list, or a
    limit is reached; StrategyError, ObjectiveError, RulesError.
    """
    limits = Limits(time, memory, threads)
    if strategies is not None:
        expect_many(strategies, "strategies")
        if not strategies:
            raise ArgumentError("a list of strategies is expected, and it is empty")
    rules = rules_of(game)
    given = list(rules.strategies) if strategies is None else list(strategies)
    for strategy in given or [""]:
        seats_of(rules, strategy)  # says of what there is not, before anything is solved
    comparing = _Comparing(rules, objective, limits)
    with telling():
        found = comparing.rows(given)
    best = {row.seat: optimum for _, row, optimum in found}
    rows = tuple(row for _, row, _ in found)
    return Comparison(found[0][0], tuple(best[seat] for seat in sorted(best)), rows)


class _NotListed(SolutionError):
    """States are too many to be listed."""


@define
class _Comparing:
    """The comparison of strategies of a game; equal models are solved once."""

    game: Rules
    objective: str
    limits: Limits
    solved: dict[str, Solved] = field(factory=dict)  # by the fingerprint of the model

    def rows(self, given: Sequence[Given]) -> list[Found]:
        """Return what is found of each strategy in each seat."""
        try:
            return [self.row(seats) for strategy in given for seats in self.seatings(strategy)]
        except _NotListed:
            return self._by_layers(given)

    def seatings(self, strategy: Given) -> list[Seats]:
        """Return who plays where: the strategy in each seat; in all where seats do not matter."""
        game, everywhere = self.game, seats_of(self.game, strategy)
        if game.players == 1 or self._compiled(everywhere).model.seats == 1:
            return [everywhere]
        return [seats_of(game, {seat: strategy}) for seat in range(1, game.players + 1)]

    def _compiled(self, seats: Seats, *, both: bool = False) -> Compiled:
        return compile_game(self.game, self.objective, seats, limits=self.limits, both=both)

    def _sound(self, seats: Seats, *, both: bool = False) -> Compiled:
        """Return the same where strategies must always say something."""
        compiled = self._compiled(seats, both=both)
        if compiled.silent and not both:
            demand_moves(compiled, self.limits.threads)
        return compiled

    def _solution(self, playing: Given | None) -> Solution:
        return solve_game(self.game, self.objective, playing, limits=self.limits)

    def row(self, seats: Seats) -> Found:
        """Return what is found of a strategy in its seat."""
        both = self._compiled(seats, both=True)
        too_large = self._is_too_large(both.model)
        if too_large and both.model.seats > 1:
            raise _NotListed(UNLISTED)
        self._sound(seats)
        best = None if too_large else self._best(both.model)
        if best is None or best.status is Status.TOO_MANY_STATES:
            return self._in_all(both, seats)
        return self._listed(both, best, seats)

    def _is_too_large(self, model: Model) -> bool:
        """Tell whether it is known, before any is listed, that states are too many."""
        if model.unbounded:
            return True
        if int(model.stored.sum()) * model.points <= MOST_COMPARED:
            return False
        try:
            return cost_of(model, evolve(self.limits, memory=None)).reachable > MOST_COMPARED
        except SolveError:
            return False

    def _best(self, model: Model) -> Solved:
        key = fingerprint(model)
        if key not in self.solved:
            self.solved[key] = self._by_tables(model) or solve(
                model, self.limits.for_tables, method="explicit", states=MOST_COMPARED
            )
        return self.solved[key]

    def _by_tables(self, model: Model) -> Solved | None:
        """Solve by the quickest method, and list the values; None where it makes no tables.

        Where many states come back, the explicit method takes long.
        """
        if not model.scalar:
            return None
        found = solve(model, self.limits.for_tables, states=MOST_COMPARED)
        if isinstance(found.evaluator, ExplicitValues):
            return found
        if not found.status.solved or not isinstance(found.evaluator, Subgames):
            return None
        try:
            with Workers(self.limits.threads, self.limits.left) as workers:
                graph = expand_states(model, workers, MOST_COMPARED)
                values = found.evaluator.values_in(graph, workers)
            return evolve(found, evaluator=ExplicitValues.of(graph, values))
        except SolveError:
            return None

    def _listed(self, both: Compiled, solved: Solved, seats: Seats) -> Found:
        if not solved.status.solved or not isinstance(solved.evaluator, ExplicitValues):
            detail = f" ({solved.detail})" if solved.detail else ""
            raise SolutionError(f"{solved.status.value}{detail}")
        assert both.played is not None
        seat = next((n for n, given in enumerate(seats, 1) if given is not None), 1)
        place = (seat - 1 - start(self.game).node.seat) % both.model.seats
        with Workers(self.limits.threads, self.limits.left) as workers:
            graph = expand_states(both.played, workers, MOST_COMPARED)
            met = np.searchsorted(solved.evaluator.keys, graph.keys)
            walk = Followed(both, graph, solved.evaluator.values[met], place, workers)
            change, error = walk.change()
            losses = tuple(walk.losses())
        best = Solution(self.game, both, solved)
        optimum = best.value_for(seat)
        where, bound = 0 if both.model.seats == 1 else seat, error + solved.error_bound
        return _found(both.goal, seats[seat - 1], where, (optimum + change, optimum), bound, losses)

    def _in_all(self, both: Compiled, seats: Seats) -> Found:
        """Return the row where states are too many to say in which decisions a strategy loses."""
        if both.model.seats > 1:
            raise _NotListed(UNLISTED)
        best, own = map(self._solution, (None, seats[0]))
        error = best.error_bound + own.error_bound
        return _found(both.goal, seats[0], 0, (own.value_for(), best.value_for()), error)

    def _by_layers(self, given: Sequence[Given]) -> list[Found]:
        """Return the rows where several play, and states are too many to be listed."""
        self.solved.clear()
        best = self._solution(None)
        everywhere = [seats_of(self.game, strategy) for strategy in given]
        try:
            found = values_by_layers(self.game, best, everywhere, self._sound, self.limits)
        except SolveError as problem:
            unfit = problem.status is Status.UNSUPPORTED
            raise SolutionError(UNLISTED if unfit else str(problem)) from None
        return [
            _found(best.compiled.goal, strategy, seat, (one.value, one.best), one.error)
            for strategy, seats in zip(given, found, strict=True)
            for seat, one in enumerate(seats, 1)
        ]


def _found(
    goal: Goal, given: Given | None, seat: int, values: tuple[float, float], error: float,
    losses: tuple[Loss, ...] | None = None,
) -> Found:  # fmt: skip
    """Return what is found of a strategy; `values` are what it is worth, and best play."""
    value, best = values
    loss = best - value if goal.maximise else value - best
    return goal, StrategyRow(name_of(given), seat, value, loss, losses, error), best
