"""Decisions that come up in play: how often, and what each move loses there.

Where the states of a game are few, all are listed one by one, and what a way of playing is worth
is computed from them. Where they are too many, games are played side by side: the turns that they
come to are listed up to where the next ones begin, whose values are known. Either way what a move
loses against best play is exact; in the second case how often a decision comes up is estimated.
"""

from __future__ import annotations

from functools import cached_property

import numpy as np
from attrs import define, field

from dicegames.analysis.solution import Solution
from dicegames.authoring.cards.decisions import Chooser, Decision, Reader, SolvedStates
from dicegames.solver.blocks.many_values import ManyValues
from dicegames.solver.explicit.played import values_played, visits_played
from dicegames.solver.explicit.tail import TailValues, bounded
from dicegames.solver.graph.expand import Known
from dicegames.solver.graph.states import (
    MOST_LISTED_STATES,
    Graph,
    all_known,
    follow,
    number,
    with_rewards,
)
from dicegames.solver.kernels.flat import Flat, flatten
from dicegames.solver.kernels.workers import Workers
from dicegames.solver.model import CHANCE, CHOICE, Array, Model
from dicegames.solver.status import SolveError, Status

MOST_LISTED = 2_000_000
"""States that are listed in all, if there are no more."""
MOST_DECISIONS = 40_000
"""Decisions that are looked at."""
CUT = 40
"""Values of a counter without limit that are listed; beyond, best play is assumed."""
LONGEST_GAME = 5_000
"""Throws and moves after which a game is given up: a card may go round for ever."""
MOST_STARTS = 1_000
"""States whose ways on are listed together."""
UNPLAYED = 30.0
"""What it costs, in largest losses, to say nothing."""
LEAST_WEIGHT = 2e-3
"""How often each decision comes up at least where nothing is said: a card has to say something."""


@define(eq=False)
class Situations:
    """The decisions of a solved game, and what they are worth to somebody who plays by lines.

    A choice of moves says for each decision which of its legal moves is played, -1 for none.
    """

    decisions: list[Decision]
    weight: Array  # float64[decisions]: how often each comes up in a game
    sense: float  # 1 where much is best, else -1
    is_steady = True  # what moves lose is the same beside whichever others

    @cached_property
    def first(self) -> Array:
        """Where the moves of each decision begin in an array of all moves."""
        return np.concatenate([[0], np.cumsum([len(d.legal) for d in self.decisions])])

    @cached_property
    def best_losses(self) -> Array:
        """What each move loses if all later ones are the best: float64[moves]."""
        return np.concatenate([d.losses for d in self.decisions])

    @cached_property
    def silence(self) -> Array:
        """What it costs to say nothing in a decision: float64[decisions]."""
        largest = UNPLAYED * float(self.best_losses.max(initial=1e-9))
        return largest * np.maximum(1.0, LEAST_WEIGHT / np.maximum(self.weight, 1e-9))

    def slope(self, chosen: Array) -> tuple[Array, Array]:
        """Return how often decisions come up, and what moves lose there, beside the chosen ones."""
        return self.weight, self.best_losses

    def lost(self, chosen: Array, most: float = np.inf) -> float:
        """Return what a choice of moves loses in a game; perhaps infinity if more than `most`."""
        own = self.best_losses[np.maximum(self.first[:-1] + chosen, 0)]
        return float(self.weight @ np.where(chosen >= 0, own, self.silence))


@define(eq=False)
class Whole(Situations):
    """All decisions of a game whose states are listed: what lines lose is computed from them.

    Of more than `MOST_DECISIONS`, those that come up most often are kept, and best play is assumed
    in the others.
    """

    listing: SolvedStates
    states: Array  # int64[decisions]
    base: Array  # int64[states]: the best way on of each choice, -1 elsewhere
    is_steady = False

    def _played(self, chosen: Array) -> tuple[Array, Array]:
        ways = (
            self.listing.steps.first[self.states]
            + self._way[self.first[:-1] + np.maximum(chosen, 0)]
        )
        taken = self.base.copy()
        taken[self.states] = np.where(chosen >= 0, ways, self.base[self.states])
        toll = np.zeros(len(self.base))
        toll[self.states] = np.where(chosen >= 0, 0.0, -self.sense * self.silence)
        return taken, toll

    @cached_property
    def _way(self) -> Array:
        return np.concatenate([d.ways for d in self.decisions])

    def met_by(self, chosen: Array) -> Situations:
        """Return the decisions as they come up beside chosen moves, and half as often as before.

        What moves lose is that of best play: it is the same beside whichever others.
        """
        visits = self._visits(self._played(chosen)[0])
        return Situations(self.decisions, (self.weight + visits) / 2.0, self.sense)

    def _visits(self, taken: Array) -> Array:
        listing = self.listing
        return visits_played(listing.steps, taken, listing.starts)[self.states]

    def _values(self, taken: Array, toll: Array, most: float = np.inf) -> Array | None:
        own = self.listing
        value, settled = values_played(own.steps, taken, toll, own.order, own.best, most)
        return value if settled else None

    def lost(self, chosen: Array, most: float = np.inf) -> float:
        value = self._values(*self._played(chosen), most)
        if value is None:
            return np.inf
        lost = float(self.listing.best[0] - value[0])
        return self.sense * lost

    def slope(self, chosen: Array) -> tuple[Array, Array]:
        """Return how often decisions come up, and what moves lose if all else stays as chosen."""
        steps, (taken, toll) = self.listing.steps, self._played(chosen)
        value = self._values(taken, toll)
        if value is None:
            return self.weight, self.best_losses
        visits = self._visits(taken)
        rows = np.repeat(steps.first[self.states], np.diff(self.first)) + self._way
        target = steps.target[rows]
        after = steps.reward[rows] + np.where(target >= 0, value[target], 0.0)
        here = np.repeat((value - toll)[self.states], np.diff(self.first))
        return visits, self.sense * (here - after)


# ---- finding them


def situations(solution: Solution, seed: int) -> Whole | Walked:
    """Return the decisions of a solved game, as far as they can be listed."""
    compiled, solved = solution.compiled, solution.solved
    model = compiled.in_order()[0]
    values = solved.evaluator
    if model.unbounded:
        assert isinstance(values, TailValues)
        model = bounded(model, CUT, values.lines)
    try:
        listing = SolvedStates.of(model, MOST_LISTED)
    except SolveError as error:
        if error.status is not Status.TOO_MANY_STATES or not solved.tables:
            raise
        tables = {node: np.asarray(table) for node, table in solved.tables.items()}
        chosen = model.target[model.kind[model.sources] == CHOICE]
        asked = ManyValues.of(model, tables, chosen)
        return Walked(Reader(compiled), model, asked, np.random.default_rng(seed))
    return _whole(listing, Reader(compiled), model)


def _whole(listing: SolvedStates, reader: Reader, model: Model) -> Whole:
    steps, graph, best = listing.steps, listing.graph, listing.best_moves()
    base = np.full(graph.states, -1, np.int64)
    base[listing.source[best]] = best
    often = visits_played(steps, base, listing.starts)
    astray = base.copy()  # each way as often as another
    astray[listing.chooses] = -1
    ways = np.diff(steps.first)[listing.source]
    even = steps._replace(weight=np.where(listing.moves, 1.0 / ways, steps.weight))
    often = 0.8 * often + 0.2 * visits_played(even, astray, listing.starts)
    met = listing.chooses[often[listing.chooses] > 0]
    states = np.sort(met[np.argsort(-often[met], kind="stable")][:MOST_DECISIONS])
    decisions = [
        reader.decision(
            *graph.state(s), graph.places(s), listing.losses[steps.first[s] : steps.first[s + 1]]
        )
        for s in states.tolist()
    ]
    kept = [n for n, decision in enumerate(decisions) if len(decision.legal) > 1]
    states = states[kept]
    found = [decisions[n] for n in kept]
    return Whole(found, often[states], model.sense, listing, states, base)


@define(eq=False)
class Walked:
    """Games that are played side by side, and the decisions that they meet."""

    reader: Reader
    model: Model
    values: ManyValues
    chance: np.random.Generator
    decisions: list[Decision] = field(factory=list)
    times: list[float] = field(factory=list)
    games: float = 0.0
    _numbers: dict[int, int] = field(factory=dict)  # of decisions, by that of their state
    _unsettled: list[tuple[int, Array, Array]] = field(factory=list)
    _flat: Flat = field(init=False)
    _known: Known = field(init=False)

    def __attrs_post_init__(self) -> None:
        self._flat, self._known = flatten(self.model), all_known(self.model)

    def situations(self) -> Situations:
        """Return the decisions met, with how often each came up."""
        return Situations(self.decisions, np.array(self.times) / self.games, self.model.sense)

    def anew(self, seed: int) -> Walked:
        """Return the same before any game."""
        return Walked(self.reader, self.model, self.values, np.random.default_rng(seed))

    def fade(self, factor: float) -> None:
        """Let what has been met count less."""
        self.times = [factor * times for times in self.times]
        self.games *= factor

    def play(self, choose: Chooser | None, games: int, astray: float = 0.0) -> None:
        """Play games; who does not choose plays best, and sometimes goes astray."""
        keys = np.full(games, number(self.model, self.model.start, self.model.start_point))
        self.games += games
        with Workers(None) as workers:
            for _ in range(LONGEST_GAME):
                if not keys.size:
                    break
                keys = self._onward(keys, choose, astray, workers)
            self._settle(workers)

    def _onward(
        self, keys: Array, choose: Chooser | None, astray: float, workers: Workers
    ) -> Array:
        """Return where games are after one throw or move, those that have not ended."""
        found = [np.zeros(0, np.int64)]
        states, which = np.unique(keys, return_inverse=True)
        for begin in range(0, len(states), MOST_STARTS):
            own = states[begin : begin + MOST_STARTS]
            graph = follow(self.model, self._flat, own, self._known, workers, MOST_LISTED_STATES)
            here = which[(which >= begin) & (which < begin + len(own))] - begin
            ways = self._drawn(graph, here)
            several = np.diff(graph.first[: len(own) + 1]) > 1
            chooses = several & (self.model.kind[graph.nodes[: len(own)]] == CHOICE)
            if chooses.any():
                self._meet(graph, np.flatnonzero(chooses))
                if choose is None:
                    self._settle(workers)
                asked = np.flatnonzero(chooses[here])
                numbers = [self._numbers[int(own[state])] for state in here[asked]]
                moves = np.array([self._choice(n, choose, astray) for n in numbers])
                ways[asked] = np.where(moves >= 0, graph.first[here[asked]] + moves, -1)
            targets = np.where(ways >= 0, graph.target[ways], -1)
            found.append(graph.keys[targets[targets >= 0]])
        return np.concatenate(found)

    def _drawn(self, graph: Graph, here: Array) -> Array:
        """Return the way on from each state `here`: one by chance where dice are thrown."""
        first, last = graph.first[here], graph.first[here + 1]
        sums = np.concatenate([[0.0], np.cumsum(self.model.weight[graph.edge])])
        at = sums[first] + self.chance.random(len(here)) * (sums[last] - sums[first])
        drawn = np.clip(np.searchsorted(sums, at, "right") - 1, first, last - 1)
        return np.where(self.model.kind[graph.nodes[here]] == CHANCE, drawn, first)

    def _meet(self, graph: Graph, states: Array) -> None:
        """Take in the decisions in some states that are new; what moves lose is settled later."""
        fresh = [s for s in states.tolist() if int(graph.keys[s]) not in self._numbers]
        rewarded = with_rewards(graph, self._flat).reward if fresh else graph.reward
        for state in fresh:
            own = slice(*graph.first[state : state + 2].tolist())
            self._numbers[int(graph.keys[state])] = len(self.decisions)
            target = graph.target[own]
            after = np.where(target >= 0, graph.keys[target], -1)
            self._unsettled.append((len(self.decisions), after, rewarded[own]))
            lost = np.zeros(len(target))
            self.decisions.append(
                self.reader.decision(*graph.state(state), graph.places(state), lost)
            )
            self.times.append(0.0)

    def _settle(self, workers: Workers) -> None:
        """Find out what moves lose in decisions that are new."""
        if not self._unsettled:
            return
        numbers, targets, rewards = zip(*self._unsettled, strict=True)
        keys, paid = np.concatenate(targets), np.concatenate(rewards)
        live = np.flatnonzero(keys >= 0)
        nodes, positions = np.divmod(keys[live], self.model.points)
        paid[live] += self.values.take(nodes, positions, workers)
        ends = np.cumsum([len(each) for each in targets])[:-1]
        for number_, after in zip(numbers, np.split(self.model.sense * paid, ends), strict=True):
            decision = self.decisions[number_]
            decision.losses[:] = (after.max() - after)[decision.ways]
        self._unsettled.clear()

    def _choice(self, number_: int, choose: Chooser | None, astray: float) -> int:
        decision = self.decisions[number_]
        self.times[number_] += 1.0
        if choose is not None:
            move = choose(decision)
            return int(decision.ways[move]) if move >= 0 else -1
        if self.chance.random() < astray:
            return int(self.chance.choice(decision.ways))
        return int(decision.ways[int(np.argmin(decision.losses))])
