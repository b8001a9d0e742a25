"""Where a strategy loses against best play, from a list of all states; or the sum, layer by layer.

What a move loses is seen from the values of best play; how often that happens, from the strategy's
own play. What it leaves open is decided as is best for its own play, by policy iteration.

Where states are too many to be listed, play is followed forward from the start, as for
distributions (`chain/tally`): in the turns of one seat by a strategy, in those of the others by the
moves that are best against best play. All strategies and seats go along side by side, so that the
laws of a layer are found once.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cached_property

import numpy as np
from attrs import evolve, frozen

from dicegames.analysis.chances.distribution import demand_value
from dicegames.analysis.chances.policy import played_beside
from dicegames.analysis.solution import Solution, SolutionError
from dicegames.analysis.solving.solve_compiled import solve_compiled
from dicegames.compiler.compiled import Compiled
from dicegames.ground.limits import Limits
from dicegames.rules.parts.flow import Choose
from dicegames.rules.parts.game import Rules
from dicegames.rules.running.playing import Seats
from dicegames.solver.chain.tally import Ways, tally
from dicegames.solver.explicit.absorbing import AbsorbingChain
from dicegames.solver.explicit.backup import MEAN_OF, ROUNDOFF, Steps
from dicegames.solver.explicit.backup_seats import SeatSteps
from dicegames.solver.explicit.scalar import solve_steps, steps_of
from dicegames.solver.explicit.seats import by_seat
from dicegames.solver.graph.states import Graph
from dicegames.solver.kernels.workers import Workers
from dicegames.solver.model import CHANCE, CHOICE, Array, Model, as_good, rows_begin, rows_taken
from dicegames.solver.status import SolveError, Status


@frozen
class Loss:
    """What a strategy loses in decisions of one kind, in all its expected number of them.

    A choice with a single legal move counts as one.
    """

    kind: str
    decisions: float
    loss: float


def _through(graph: Graph, steps: Steps, values: Array) -> Array:
    """Return what transitions bring to who moves, from the values [state, component] after them."""
    seen = -graph.model.rotate[graph.edge].astype(np.int64) % values.shape[1]
    reached = np.where(steps.target >= 0, values[steps.target, seen], 0.0)
    return np.asarray(steps.reward + steps.sign * reached)


class Followed:
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
        self.brings = through[self.kept]
        self.is_choice = graph.model.kind[graph.nodes] == CHOICE

    @cached_property
    def visits(self) -> Array:
        """How often each state comes up in a game: float64[states]."""
        steps, starts = self.steps, np.zeros(self.graph.states)
        starts[0] = 1.0
        return AbsorbingChain.of(steps.first, steps.target, steps.weight, self.workers).visits(
            starts
        )

    @cached_property
    def lost(self) -> Array:
        """What each decision loses in a game, so often as it comes up: float64[states]."""
        behind = np.zeros(self.graph.states)
        behind[self.source] = self.best[self.source, 0] - self.brings  # one way on of each choice
        return np.where(self.is_choice, self.both.model.sense * behind * self.visits, 0.0)

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
            mode=np.full(graph.states, MEAN_OF, np.uint8),
        )

    def _improve(self) -> None:
        """Decide what the strategy leaves open as is best for its own play, by policy iteration.

        The others play on as they would against best play.
        """
        sense = self.graph.model.sense
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
            begin, taken = rows_taken(steps.first, state)
            after = (
                np.repeat(away, np.diff(begin)) - self.graph.model.rotate[self.graph.edge[taken]]
            )
            target = steps.target[taken].astype(np.int64)
            found = np.unique(target[target >= 0] * seats + after[target >= 0] % seats)
            new = found[~seen[found]]
        one_of = seen.reshape(-1, seats)
        return one_of[:, 0] & ~one_of[:, 1:].any(axis=1)

    def change(self) -> tuple[float, float]:
        """Return what the strategy gets beyond best play, and how far off that may be."""
        if self.best.shape[1] == 1:
            return -self.both.model.sense * float(self.lost.sum()), self._off_by()
        _, value, errors, _, _ = solve_steps(self._seen(), self.workers)
        return float(value[self.place] - self.best[0, self.place]), float(errors[self.place])

    def _off_by(self) -> float:
        """Bound what the sum of the losses may be off by, seen as a change of the first value.

        For any numbers V, those of a chain begin with V(0) + sum of visits * (P V - V): so nothing
        rests on how good the values are. What counts beside the decisions of the strategy is all
        that others lose, by ties; throws; and what is rounded.
        """
        states, weight = self.graph.states, self.steps.weight
        mean = np.bincount(self.source, weight * self.brings, minlength=states)
        size = np.bincount(self.source, weight * np.abs(self.brings), minlength=states)
        ways = np.diff(self.steps.first)
        rest = np.where(ways > 0, np.abs(mean - self.best[:, 0]), 0.0)
        rest[self.is_choice & self._is_own()] = 0.0
        rounding = (ways + 4) * ROUNDOFF * (size + np.abs(self.best[:, 0]))
        return float(self.visits @ (rest + rounding))

    def _seen(self) -> Steps:
        """Return the transitions as they look to the seats, if each has a number of its own.

        To the seat that is `place` on from the one to move a state is number state * seats + place.
        """
        seats, own = self.best.shape[1], self.steps
        if seats == 1:
            return own
        kept, states = self.kept, np.arange(len(own.mode))
        seen = SeatSteps(
            first=own.first,
            target=own.target,
            weight=own.weight,
            reward=self.graph.reward[kept],
            rotate=self.graph.model.rotate[self.graph.edge[kept]],
            chooser=np.full(len(states), -1, np.int8),
            sense=self.graph.model.sense,
        )
        return by_seat(seen, states, np.zeros((len(states), seats)), states, open=False)

    def losses(self) -> list[Loss]:
        """Return what is lost in each kind of decision, the most first."""
        nodes = self.both.explorer.nodes
        own = {n: node.at for n, node in enumerate(nodes) if node.played is not None}
        at = np.array([own.get(n, -1) for n in range(len(nodes) + 1)])[self.graph.nodes]
        at[~self.is_choice] = -1
        found = []
        for place in sorted(set(at[at >= 0].tolist())):
            here = at == place
            decisions, lost = self.visits[here].sum(), self.lost[here].sum()
            found.append(Loss(self._kind(place), float(decisions), float(lost)))
        return sorted(found, key=lambda loss: -loss.loss)

    def _kind(self, place: int) -> str:
        """Name a kind of decision by the moves that there are."""
        choose = self.both.game.flow[place]
        assert isinstance(choose, Choose)
        labels = [option.label or " and ".join(option.names) for option in choose.options]
        return " or ".join(dict.fromkeys(labels))


OPEN_REST = (
    'there are too many states to find what is best for the rest of a strategy that says "best"; '
    "let it end with a move, or with: best turn"
)
TAIL = 1e-14
"""The most probability that may still be on the way."""


@frozen
class Against:
    """What a strategy is worth in a seat, the others playing best, and what best play is worth."""

    best: float
    value: float
    error: float  # the most by which the value may be off


def _frame(compiled: Compiled) -> object:
    """What tells the axes of a model from those of another one."""
    emitter = compiled.emitter
    values = {slot: tuple(shown) for slot, shown in emitter.values.items()}
    return compiled.model.axes, emitter.slots, emitter.capped, values


def values_by_layers(
    game: Rules, best: Solution, strategies: Sequence[Seats],
    compiled: Callable[..., Compiled], limits: Limits,
) -> list[list[Against]]:  # fmt: skip
    """Return what strategies are worth, by strategy and seat.

    `strategies` play for all seats; `compiled` makes the game of one, with all moves beside its own
    where `both` is asked for. Those that keep in mind something else than `best` does are
    each looked at with a best play that keeps it in mind as well. Raises SolutionError.
    """
    alike, apart = list[int](), list[int]()

    def ways() -> Iterator[Model]:  # one at a time, since their tables are large
        for number, seats in enumerate(strategies):
            alone = compiled(seats)
            if (alone.model.kind == CHOICE).any():
                raise SolutionError(OPEN_REST)
            if _frame(alone) == _frame(best.compiled):
                alike.append(number)
                yield alone.model
            else:
                apart.append(number)

    with Workers(limits.threads, limits.left) as workers:
        values = _followed(best, ways(), workers)
        found = dict(zip(alike, values, strict=True))
        for number in apart:
            both = compiled(strategies[number], both=True)
            assert both.played is not None
            own = Solution(game, *solve_compiled(evolve(both, silent=[]), limits))
            (found[number],) = _followed(own, [both.played], workers)
    return [found[number] for number in range(len(strategies))]


def _followed(best: Solution, models: Iterable[Model], workers: Workers) -> list[list[Against]]:
    """Return the same for strategies, each being a model of the turns that it plays."""
    seats = range(1, best.game.players + 1)
    policy, starts = played_beside(best.compiled, best.solved, models)
    columns = [(way, seat) for way in range(len(starts)) for seat in seats]
    tallies = tally(
        policy.chain,
        None,
        None,
        seats=[policy.place(seat) for _, seat in columns],
        ways=Ways(starts, [way for way, _ in columns]),
        workers=workers,
    )
    if max(one.tail for one in tallies) > TAIL:
        raise SolveError(Status.NOT_CONVERGED, "play goes on for longer than was followed")
    means = [one.paid * float(policy.chain.units.unit) for one in tallies]
    found: list[list[Against]] = [[] for _ in starts]
    for (way, seat), mean in zip(columns, means, strict=True):
        optimum, followed = best.value_for(seat), means[seat - 1]
        demand_value(best.solved, policy, seat, followed + policy.won(seat))
        off = abs(followed + policy.won(seat) - optimum)  # some, where best play counts rounds
        error = best.solved.error_bound + off
        found[way].append(Against(optimum, optimum + mean - followed, error))
    return found[1:]
