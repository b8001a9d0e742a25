"""Strategies side by side: what each is worth, and where it loses against the best play.

With V the value under best play, a move a in a state s loses d(s, a) = V(s) - Q(s, a), where Q is
the move's value if all that follows is played best. For a way of playing, the sum over all
decisions of P(they come up) * d is the difference to V at the start (Kakade and Langford, 2002,
lemma 6.1); here it is split by the kind of the decision. Where several play, the others play best,
as they would against best play: they lose nothing, and the sum tells about the one seat alone.
What a strategy leaves open (`best`) is decided as is best for its own play, not for best play.

All states are listed for this, those that best play meets and those that the strategy meets. Where
they are too many, or without end, the sum alone is told.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from attrs import define, field, frozen

from dicegames.analysis.solution import Solution, SolutionError, solve_game
from dicegames.analysis.solving.silence import demand_moves
from dicegames.compiler.compile import compile_game
from dicegames.compiler.compiled import Compiled
from dicegames.compiler.goal import Goal
from dicegames.compiler.limits import PROGRAM_BYTES, LimitReached, Limits
from dicegames.ground.arguments import expect_limits, expect_many
from dicegames.rules.parts.flow import Choose
from dicegames.rules.parts.game import Game, HasRules, rules_of
from dicegames.rules.running.playing import Given, Seats, name_of, seats_of
from dicegames.rules.running.referee import start
from dicegames.solver.explicit.backup import SUM, Steps
from dicegames.solver.explicit.explicit import ExplicitValues
from dicegames.solver.explicit.scalar import solve_steps, steps_of
from dicegames.solver.graph.states import Graph, expand_states
from dicegames.solver.kernels.workers import Workers
from dicegames.solver.model import CHANCE, CHOICE, Array, Model, as_good, fingerprint, rows_begin
from dicegames.solver.solve import cost_of, solve
from dicegames.solver.solved import Solved
from dicegames.solver.status import SolveError, Status

MOST_STATES = 4_000_000
"""States that are listed: about 1 GB."""
UNLISTED = (
    "there are too many states to let best play answer without knowing the strategy; "
    "compare a turn (--objective turn), or solve against it (--seat)"
)


@frozen
class Loss:
    """What a strategy loses in decisions of one kind, in all its expected number of them."""

    kind: str
    decisions: float
    loss: float


@frozen
class StrategyRow:
    """A strategy in one seat (from 1; 0 for players who are looked at alone).

    `value` is what it is worth; `loss` how much less good that is than best play, never negative
    but for rounding; `losses` where that is lost, nothing if that is not known. `error` bounds how
    far each may be off.
    """

    strategy: str
    seat: int
    value: float
    loss: float
    losses: tuple[Loss, ...]
    error: float


@frozen
class Comparison:
    """Strategies side by side. `best` is what best play is worth to each seat."""

    goal: Goal
    best: tuple[float, ...]
    rows: tuple[StrategyRow, ...]


def compare(
    game: Game | HasRules,
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
    expect_limits(threads, memory, time)
    expect_many([] if strategies is None else strategies, "strategies")
    rules = rules_of(game)
    given = list(rules.strategies) if strategies is None else list(strategies)
    if not given:
        seats_of(rules, "")  # says that there are none
    comparing = _Comparing(rules, objective, threads, Limits(time, memory))
    try:
        found = [
            comparing.row(seats) for strategy in given for seats in comparing.seatings(strategy)
        ]
    except LimitReached as reached:
        raise SolutionError(str(reached)) from None
    best = {row.seat: optimum for _, row, optimum in found}
    rows = tuple(row for _, row, _ in found)
    return Comparison(found[0][0], tuple(best[seat] for seat in sorted(best)), rows)


@define
class _Comparing:
    """The comparison of strategies of a game; equal models are solved once."""

    game: Game
    objective: str
    threads: int | None
    limits: Limits
    solved: dict[str, Solved] = field(factory=dict)  # by the fingerprint of the model

    def seatings(self, strategy: Given) -> list[Seats]:
        """Return who plays where: the strategy in each seat; in all where seats do not matter."""
        game, everywhere = self.game, seats_of(self.game, strategy)
        if game.players == 1 or self._compiled(everywhere).model.seats == 1:
            return [everywhere]
        return [seats_of(game, {seat: strategy}) for seat in range(1, game.players + 1)]

    def _compiled(self, seats: Seats, *, both: bool = False) -> Compiled:
        return compile_game(self.game, self.objective, seats, limits=self.limits, both=both)

    def row(self, seats: Seats) -> tuple[Goal, StrategyRow, float]:
        """Return the goal, the row of a strategy, and what best play is worth in its seat."""
        both = self._compiled(seats, both=True)
        too_large = self._is_too_large(both.model)
        if too_large and both.model.seats > 1:
            raise SolutionError(UNLISTED)
        compiled = self._compiled(seats)
        if compiled.silent:
            demand_moves(compiled, self.threads)
        best = None if too_large else self._best(both.model)
        if best is None or best.status is Status.TOO_MANY_STATES:
            return both.goal, *self._in_all(both, seats)
        return both.goal, *self._listed(both, best, seats)

    def _is_too_large(self, model: Model) -> bool:
        """Tell whether it is known, before any is listed, that states are too many."""
        if any(axis.unbounded for axis in model.axes):
            return True
        if int(model.stored.sum()) * model.points <= MOST_STATES:
            return False
        try:
            return (
                cost_of(model, threads=self.threads, time=self.limits.left).reachable > MOST_STATES
            )
        except SolveError:
            return False

    def _best(self, model: Model) -> Solved:
        key = fingerprint(model)
        if key not in self.solved:
            memory = self.limits.memory
            self.solved[key] = solve(
                model,
                threads=self.threads,
                memory=None if memory is None else memory - PROGRAM_BYTES,
                time=self.limits.left,
                method="explicit",
                states=MOST_STATES,
            )
        return self.solved[key]

    def _listed(self, both: Compiled, solved: Solved, seats: Seats) -> tuple[StrategyRow, float]:
        if not solved.status.solved or not isinstance(solved.evaluator, ExplicitValues):
            detail = f" ({solved.detail})" if solved.detail else ""
            raise SolutionError(f"{solved.status.value}{detail}")
        assert both.played is not None
        seat = next((n for n, given in enumerate(seats, 1) if given is not None), 1)
        place = (seat - 1 - start(self.game).node.seat) % both.model.seats
        try:
            with Workers(self.threads, self.limits.left) as workers:
                graph = expand_states(both.played, workers, MOST_STATES)
                met = np.searchsorted(solved.evaluator.keys, graph.keys)
                walk = _Walk(both, graph, solved.evaluator.values[met], place, workers)
                change, error = walk.change()
                losses = tuple(walk.losses())
        except SolveError as problem:
            raise SolutionError(str(problem)) from None
        best = Solution(self.game, both, solved)
        optimum = best.value_for(seat)
        value = optimum + change
        loss = optimum - value if both.goal.maximise else value - optimum
        where = 0 if both.model.seats == 1 else seat
        name, bound = name_of(seats[seat - 1]), error + solved.error_bound
        return StrategyRow(name, where, value, loss, losses, bound), optimum

    def _in_all(self, both: Compiled, seats: Seats) -> tuple[StrategyRow, float]:
        """Return the row where states are too many to say in which decisions a strategy loses."""
        if both.model.seats > 1:
            raise SolutionError(UNLISTED)
        best, own = (
            solve_game(
                self.game,
                both.objective,
                playing,
                threads=self.threads,
                memory=self.limits.memory,
                time=self.limits.left,
            )
            for playing in (None, seats[0])
        )
        optimum, value = best.value_for(), own.value_for()
        loss = optimum - value if both.goal.maximise else value - optimum
        error = best.error_bound + own.error_bound
        return StrategyRow(name_of(seats[0]), 0, value, loss, (), error), optimum


def _through(graph: Graph, steps: Steps, values: Array) -> Array:
    """Return what transitions bring to who moves, from the values [state, component] after them."""
    seen = -graph.model.rotate[graph.edge].astype(np.int64) % values.shape[1]
    reached = np.where(steps.target >= 0, values[steps.target, seen], 0.0)
    return np.asarray(steps.reward + steps.sign * reached)


class _Walk:
    """The states that come up while a strategy plays, each choice being made.

    `best` are their values under best play, float64[states, components]; `place` is the seat of the
    strategy, counted from the one that begins.
    """

    def __init__(self, both: Compiled, graph: Graph, best: Array, place: int, workers: Workers):
        self.both = both
        self.graph = graph
        self.best = best
        self.place = place
        self.workers = workers
        self.all = steps_of(graph)
        self.all_from = np.repeat(np.arange(graph.states), np.diff(self.all.first))
        through = own = _through(graph, self.all, best)
        if both.model.seats == 1:  # what the strategy leaves open is best for its own play
            own = _through(graph, self.all, solve_steps(self.all, workers)[1][:, None])
        self._take(self._first_best(own))
        if both.model.seats > 1:
            self._improve()
        self.source = self.all_from[self.kept]
        sign = 1.0 if both.model.maximise else -1.0
        lost = sign * (best[self.source, 0] - through[self.kept])
        self.is_choice = graph.model.kind[graph.nodes] == CHOICE
        self.lost = np.where(self.is_choice[self.source], lost, 0.0)

    def _first_best(self, through: Array) -> Array:
        """Return the first of the equally good best transitions of every state, int64[states]."""
        source = self.all_from
        good = through if self.graph.model.maximise else -through
        best = np.full(self.graph.states, -np.inf)
        np.maximum.at(best, source, good)
        equal = np.flatnonzero(as_good(good, best[source], 1.0))
        return np.asarray(equal[np.unique(source[equal], return_index=True)[1]])

    def _take(self, decided: Array) -> None:
        """Keep these transitions, and all of chance: `steps`, and in `kept` which they are."""
        graph, steps, source = self.graph, self.all, self.all_from
        taken = graph.model.kind[graph.nodes][source] == CHANCE
        taken[decided] = True
        self.kept = np.flatnonzero(taken)
        self.steps = steps._replace(
            first=rows_begin(np.bincount(source[self.kept], minlength=graph.states)),
            target=steps.target[self.kept],
            weight=steps.weight[self.kept],
            reward=steps.reward[self.kept],
            sign=steps.sign[self.kept],
            mode=np.full(graph.states, SUM, np.uint8),
        )

    def _improve(self) -> None:
        """Decide what the strategy leaves open as is best for its own play, by policy iteration.

        The others play on as they would against best play.
        """
        sense = 1.0 if self.graph.model.maximise else -1.0
        is_open = (self.graph.model.kind[self.graph.nodes] == CHOICE) & self._is_own()
        is_open &= np.diff(self.all.first) > 1
        decided = self._first_best(_through(self.graph, self.all, self.best))
        while is_open.any():
            values = solve_steps(self._seen(), self.workers)[1].reshape(self.best.shape)
            through = _through(self.graph, self.all, values)
            better = self._first_best(through)
            gains = is_open & ~as_good(through[decided], through[better], sense)
            if not gains.any():
                return
            decided = np.where(gains, better, decided)
            self._take(decided)

    def _is_own(self) -> Array:
        """Return in which states the strategy is to move, and nobody else may be."""
        seats, steps = self.both.model.seats, self.all
        seen = np.zeros(self.graph.states * seats, np.bool_)  # state * seats + how far its seat is
        new = np.array([self.place])
        while new.size:
            seen[new] = True
            state, away = np.divmod(new, seats)
            rows = steps.first[state + 1] - steps.first[state]
            taken = np.repeat(steps.first[state] - rows_begin(rows)[:-1], rows) + np.arange(
                sum(rows)
            )
            after = np.repeat(away, rows) - self.graph.model.rotate[self.graph.edge[taken]]
            target = steps.target[taken].astype(np.int64)
            found = np.unique(target[target >= 0] * seats + after[target >= 0] % seats)
            new = found[~seen[found]]
        one_of = seen.reshape(-1, seats)
        return one_of[:, 0] & ~one_of[:, 1:].any(axis=1)

    def change(self) -> tuple[float, float]:
        """Return what the strategy gets beyond best play, and how far off that may be."""
        place = self.place
        _, value, errors, _, _ = solve_steps(self._seen(), self.workers)
        if self.best.shape[1] > 1:
            return float(value[place] - self.best[0, place]), float(errors[place])
        change = float(value[0] - self.best[0, 0])
        return -change if place else change, float(errors[0])

    def _seen(self) -> Steps:
        """Return the transitions as they look to the seats, if each has a number of its own.

        To the seat that is `place` on from the one to move a state is number state * seats + place.
        """
        seats, own = self.best.shape[1], self.steps
        if seats == 1:
            return own
        rows = np.repeat(np.diff(own.first), seats)
        first = rows_begin(rows)
        number = np.repeat(np.arange(len(rows)), rows)
        place, taken = number % seats, np.arange(len(number)) - first[number]
        taken += own.first[number // seats]
        edge = self.kept[taken]
        after = (place - self.graph.model.rotate[self.graph.edge[edge]]) % seats
        target = own.target[taken].astype(np.int64)
        return Steps(
            first=first,
            target=np.where(target >= 0, target * seats + after, -1).astype(np.int32),
            weight=own.weight[taken],
            reward=self.graph.reward[edge, place],
            sign=np.ones(len(number)),
            mode=np.full(len(rows), SUM, np.uint8),
        )

    def losses(self) -> list[Loss]:
        """Return what is lost in each kind of decision, the most first."""
        nodes = self.both.explorer.nodes
        own = {n: node.at for n, node in enumerate(nodes) if node.played is not None}
        at = np.array([own.get(n, -1) for n in range(len(nodes) + 1)])[self.graph.nodes]
        at[~self.is_choice] = -1
        found = []
        for place in sorted(set(at[at >= 0].tolist())):
            here = (at == place)[self.source]
            decisions = self._sum(here.astype(np.float64))
            found.append(Loss(self._kind(place), decisions, self._sum(self.lost * here)))
        return sorted(found, key=lambda loss: -loss.loss)

    def _sum(self, reward: Array) -> float:
        """Return the expected sum of rewards of transitions over a game."""
        plain = np.ones(len(reward))
        counted = self.steps._replace(reward=reward, sign=plain)
        return float(solve_steps(counted, self.workers)[1][0])

    def _kind(self, place: int) -> str:
        """Name a kind of decision by the moves that there are."""
        choose = self.both.game.flow[place]
        assert isinstance(choose, Choose)
        labels = [option.label or " and ".join(option.names) for option in choose.options]
        return " or ".join(dict.fromkeys(labels))
