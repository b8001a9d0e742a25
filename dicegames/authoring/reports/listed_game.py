"""How often everything comes up in a game, exactly, where its states are few enough to be listed.

A way of playing is a chance for each way on from a state: one for the best move or for that of a
strategy, the same for all legal moves where they are made at random. With m the expected number of
visits, a way on from s with the chance w comes up m(s) * w times. With r what a transition pays, V
what is still to come and W the mean of its square (both to who moves; `sign` is -1 where the turn
passes to an opponent)::

    V(s) = sum of w * (r + sign * V(s'))
    W(s) = sum of w * (r * r + 2 * r * sign * V(s') + W(s'))

What is spread over steps (throws, say) is found by sending all that is on the way through one of
them at a time.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from functools import cached_property

import numpy as np
from attrs import frozen

from dicegames.analysis.chances.distribution import Distribution
from dicegames.authoring.cards.decisions import SolvedStates, moves_and_edges
from dicegames.authoring.reports.watched import KINDS, option_of, sort_of
from dicegames.compiler.compile import compile_game
from dicegames.compiler.compiled import Compiled
from dicegames.compiler.graph import Edge
from dicegames.ground.errors import DicegamesError
from dicegames.rules.parts.flow import Choose
from dicegames.rules.parts.game import Rules
from dicegames.rules.running.playing import seats_of
from dicegames.rules.running.referee import start
from dicegames.solver.explicit.absorbing import AbsorbingChain
from dicegames.solver.explicit.backup import MEAN_OF, Steps
from dicegames.solver.explicit.scalar import solve_steps
from dicegames.solver.graph.states import expand_states
from dicegames.solver.kernels.workers import Workers
from dicegames.solver.model import CHANCE, CHOICE, TIE, Array

MOST_FOLLOWED = 300_000
"""With more, following all of them throw by throw takes minutes: then games are played instead."""
MOST_STEPS = 5_000
"""Throws, decisions or turns of a game that are followed one by one."""
ROUNDED = 1e-12
"""A variance that is nothing but what rounding leaves, as a share of the square of the mean."""
LEFT_AT_THE_END = 1e-12
"""What may be left on the way at the end."""


@frozen(eq=False, slots=False)
class ListedGame:
    """All states of a game, and what happens on each way on from them.

    All arrays are by transition: `counted` says of each of `watched.KINDS` whether it is one
    (uint8), `moves` how many legal moves it stands for (0 where there is nothing to choose);
    `names` what each of these is called, `sorts` of which sort they are, `notes` what is noted, as
    places in `words`.
    """

    compiled: Compiled
    listing: SolvedStates
    counted: Mapping[str, Array]
    moves: Array
    names: Array
    sorts: Array
    notes: Array
    words: tuple[tuple[str, ...], ...]

    @cached_property
    def second_loses(self) -> Array:
        """What the second best move of each state loses: float64[states], 0 where there is none."""
        own = self.listing
        often = np.maximum(self.moves, 1)
        values = np.repeat(own.graph.model.sense * own.after, often)
        states = np.repeat(own.source, often)
        order = np.lexsort((-values, states))
        values, states = values[order], states[order]
        first = np.searchsorted(states, np.arange(own.graph.states))
        several = np.flatnonzero(np.bincount(states, minlength=len(first)) > 1)
        several = several[own.moves[np.minimum(own.steps.first[several], len(self.moves) - 1)]]
        lost = np.zeros(len(first))
        lost[several] = values[first[several]] - values[first[several] + 1]
        return lost

    def best(self) -> Play:
        """Return best play: of equally good moves the first in the rules."""
        rows = self.listing.best_moves(TIE)
        names, place = np.unique(self.names[rows], return_inverse=True)
        first = np.array([self.words.index(self.words[n][:1]) for n in names], np.int64)
        return self._taking(rows, first[place])

    def mixing(self, chances: Callable[[Array, Array, Array], Array]) -> Play:
        """Return play by lot: `chances` of ways on, from losses, the moves they are, and states."""
        listing = self.listing
        own, weight = listing.moves, listing.steps.weight.copy()
        weight[own] = chances(listing.losses[own], self.moves[own], listing.source[own])
        return Play(self, weight, self.names)

    def at_random(self) -> Play:
        """Return the way of playing in which each legal move is made as often as another."""
        return self.mixing(lambda _, moves, states: moves / np.bincount(states, moves)[states])

    def by_strategy(self) -> Play | None:
        """Return how the strategy plays for which the game was listed; None if it leaves moves."""
        played = self.compiled.played
        assert played is not None
        with Workers(None) as workers:
            graph = expand_states(played, workers, MOST_FOLLOWED)
        rows = np.diff(graph.first)
        asked = np.flatnonzero(played.kind[graph.nodes] == CHOICE)
        if (rows[asked] != 1).any():
            return None
        own = self.listing.graph
        order = np.argsort(own.keys)
        states = order[np.searchsorted(own.keys[order], graph.keys[asked])]
        edges = graph.edge[graph.first[asked]]
        alike = _alike(self.compiled, own.model.first_edge, played.first_edge)
        place = self.listing.source * own.model.edges + own.edge
        taken = np.full(len(states), -1, np.int64)
        for candidates in alike.T:
            wanted = states * own.model.edges + candidates[edges]
            found = np.minimum(np.searchsorted(place, wanted), len(place) - 1)
            fits = (candidates[edges] >= 0) & (place[found] == wanted) & (taken < 0)
            taken[fits] = found[fits]
        if (taken < 0).any():
            return None
        return self._taking(taken, _played(self.compiled, played.first_edge, self.words)[edges])

    def _taking(self, rows: Array, called: Array) -> Play:
        weight = np.where(self.listing.moves, 0.0, self.listing.steps.weight)
        weight[rows] = 1.0
        names = self.names.copy()
        names[rows] = called
        return Play(self, weight, names)


@frozen(eq=False, slots=False)
class Play:
    """A way of playing a listed game; `weight` is the chance of each way on from its state.

    `names` are what the moves are called that are made so, each as often as another.
    """

    game: ListedGame
    weight: Array
    names: Array

    @cached_property
    def flow(self) -> Array:
        """How often each transition comes up in a game (float64[transitions]); raises SolveError.

        Games may go on for ever.
        """
        own = self.game.listing
        with Workers(1) as workers:
            chain = AbsorbingChain.of(own.steps.first, own.steps.target, self.weight, workers)
            return np.asarray(chain.visits(own.starts)[own.source] * self.weight)

    def _rounds(self, counted: Array) -> Iterator[tuple[Array, Array]]:
        """Give where play is after each counted transition, and what came to the end before.

        The first of the latter is what came there without one, the second what did by one.
        """
        own = self.game.listing
        steps, mass = own.steps, own.starts
        last = np.flatnonzero((counted == 0) & (steps.target < 0))
        passed = np.flatnonzero((counted != 0) & (self.weight > 0))
        to = np.where(steps.target[passed] >= 0, steps.target[passed], len(mass))
        with Workers(1) as workers:
            apart = np.where(counted != 0, -1, steps.target)
            chain = AbsorbingChain.of(steps.first, apart, self.weight, workers)
            for _ in range(MOST_STEPS):
                met = chain.visits(mass)
                by = met[own.source[passed]] * self.weight[passed]
                ended = met[own.source[last]] @ self.weight[last]
                reached = np.bincount(to, by, minlength=len(mass) + 1)
                mass = reached[:-1]
                yield mass, np.array([ended, reached[-1]])
                if mass.sum() <= LEFT_AT_THE_END:
                    return
        raise TooManySteps

    def spread(self, kind: str) -> Distribution:
        """Return how likely each number of turns, throws or decisions is; raises TooManySteps."""
        found, left = [0.0], 0.0
        for mass, ended in self._rounds(self.game.counted[kind]):
            found[-1] += ended[0]
            found.append(float(ended[1]))
            left = float(mass.sum())
        values = np.flatnonzero(found)
        masses = np.array(found)[values]
        return Distribution(values.astype(np.float64), masses, left, left == 0.0)

    def times(self, kind: str, name: str) -> float:
        """Return how often a move is made or a note comes up in a game."""
        own = [(n, names) for n, names in enumerate(self.game.words) if name in names]
        if kind == "move":
            shares = ((n, names.count(name) / len(names)) for n, names in own)
            return float(sum(self.flow[self.names == n].sum() * share for n, share in shares))
        began = [form for _, form in self.game.compiled.explorer.start_notes].count(name)
        noted = (self.flow[self.game.notes == n].sum() * names.count(name) for n, names in own)
        return float(began + sum(noted))

    @cached_property
    def moments(self) -> tuple[Array, Array]:
        """The mean of what is still to come in each state, and its variance: float64[states]."""
        return moments(self.game.listing.steps._replace(weight=self.weight))

    @cached_property
    def settled(self) -> Array:
        """The share of the variance of results that is settled after each turn: float64[turns + 1].

        What is left is the mean of the variance of what is still to come.
        """
        mean, variance = self.moments
        if variance[0] <= ROUNDED * max(1.0, mean[0] ** 2):
            return np.zeros(0)
        rounds = self._rounds(self.game.counted["turns"])
        left = [variance[0], *(mass @ variance for mass, _ in rounds)]
        return np.asarray(1.0 - np.array(left) / variance[0])


class TooManySteps(DicegamesError):
    """A game goes on for too long to be followed step by step."""


def listed_game(
    game: Rules, objective: str = "payoff", strategy: str | None = None
) -> ListedGame | None:
    """Return the states of a game, with those of a strategy; None where they are too many.

    Or where more than two play for themselves, or each on their own.
    """
    try:
        seats = () if strategy is None else seats_of(game, strategy)
        compiled = compile_game(game, objective, seats, both=bool(seats), traced=True)
        model, labels = compiled.in_order()
        alone = compiled.game.players == game.players and not compiled.goal.objective.endless
        if not alone or not model.scalar or model.unbounded:
            return None
        listing = SolvedStates.of(model, MOST_FOLLOWED)
    except DicegamesError:
        return None
    if labels is None or labels.max(initial=0) >= len(compiled.told):
        return None
    words: dict[tuple[str, ...], int] = {(): 0}
    graph = listing.graph
    moves, names, sorts = _moves(compiled, model.first_edge, words)
    told = [tuple(form for _, form in notes) for notes, _, _ in compiled.told]
    notes = np.array([words.setdefault(forms, len(words)) for forms in told])
    crossed = np.array([crossed for _, _, crossed in compiled.told])[labels[graph.edge]]
    last_die = np.array([node.dice_left <= 1 for node in compiled.explorer.nodes] + [False])
    ways = np.diff(graph.first)
    node = np.repeat(graph.nodes, ways)
    offered = np.bincount(listing.source, moves[graph.edge])
    several = np.repeat(offered > 1, ways)
    counted = {
        "turns": crossed | (graph.target < 0),
        "throws": (model.kind[node] == CHANCE) & last_die[node],
        "decisions": several & (model.kind[node] == CHOICE),
    }
    return ListedGame(
        compiled,
        listing,
        {kind: counted[kind].astype(np.uint8) for kind in KINDS},
        moves[graph.edge],
        names[graph.edge],
        sorts[graph.edge],
        notes[labels[graph.edge]],
        tuple(words),
    )


def _moves(
    compiled: Compiled, first: Array, words: dict[tuple[str, ...], int]
) -> tuple[Array, Array, Array]:
    """Return by edge how many moves it stands for, how they are called, and of which sort."""
    moves, names, sorts = (np.zeros(first[-1], np.int64) for _ in range(3))
    for choose, edges in _named(compiled, first):
        for edge, called in edges.items():
            moves[edge] = len(called)
            told = tuple(name for name in called if name)
            for name in told:  # strategies play one of them
                words.setdefault((name,), len(words))
            names[edge] = words.setdefault(told, len(words))
            sorts[edge] = words.setdefault((sort_of(choose),), len(words))
    return moves, names, sorts


def _played(compiled: Compiled, first: Array, words: tuple[tuple[str, ...], ...]) -> Array:
    """Return by edge of the strategies how the move is called that is played."""
    names, place = np.zeros(first[-1], np.int64), {told: n for n, told in enumerate(words)}
    for _, edges in _named(compiled, first, played=True):
        for edge, (called, *_) in edges.items():
            names[edge] = place[(called,) if called else ()]
    return names


def _named(
    compiled: Compiled, first: Array, *, played: bool = False
) -> Iterator[tuple[Choose, dict[int, list[str]]]]:
    """Give each choice, with the names of the moves that an edge stands for, "" for no move."""
    for number, node in enumerate(compiled.explorer.nodes):
        if node.kind != "choice" or node.at < 0 or (played and node.played is None):
            continue
        choose = compiled.game.flow[node.at]
        assert isinstance(choose, Choose)
        edges: dict[int, list[str]] = {}
        for move, place in moves_and_edges(compiled, node, played=played):
            option = option_of(choose, move)
            name = "" if option is None else option.told
            edges.setdefault(int(first[number]) + place, []).append(name)
        yield choose, edges


def _alike(compiled: Compiled, first: Array, played: Array) -> Array:
    """Return the edges of legal moves that do what an edge of a strategy does, by that: -1 is none.

    int64[edges of strategies, most that are alike]
    """
    explorer, kept = compiled.explorer, compiled.emitter.kept
    found: dict[int, list[int]] = {}
    for number, node in enumerate(explorer.nodes):
        if node.kind != "choice" or node.played is None:
            continue
        known: dict[Edge, list[int]] = {}
        for place, edge in enumerate(kept(node.ways(offered=True))):
            known.setdefault(_unguarded(edge), []).append(int(first[number]) + place)
        for place, edge in enumerate(kept(node.played)):
            found[int(played[number]) + place] = known.get(_unguarded(edge), [])
    alike = np.full((played[-1], max(map(len, found.values()), default=1) or 1), -1, np.int64)
    for row, edges in found.items():
        alike[row, : len(edges)] = edges
    return alike


def _unguarded(edge: Edge) -> Edge:
    return edge._replace(guard=(), facts=(), for_turn=False)


def moments(steps: Steps) -> tuple[Array, Array]:
    """Return mean and variance of what is still to come where nothing is left to choose."""
    mixed = steps._replace(mode=np.full_like(steps.mode, MEAN_OF))
    with Workers(None) as workers:
        value = solve_steps(mixed, workers)[1]
        after = steps.sign * np.where(steps.target >= 0, value[steps.target], 0.0)
        paid = steps.reward * (steps.reward + 2.0 * after)
        squares = mixed._replace(reward=paid, sign=np.ones_like(steps.sign))
        square = solve_steps(squares, workers)[1]
    return value, np.maximum(0.0, square - value * value)


def one_plays(first: Play, others: Play) -> list[tuple[float, float]]:
    """Return mean and standard deviation of who plays one way while the others play another.

    For each seat. Raises SolveError.
    """
    steps, count = first.game.listing.steps, first.game.listing.graph.states
    turned = steps.sign < 0
    to = np.where(turned, steps.target + count, steps.target)
    back = np.where(turned, steps.target, steps.target + count)
    twice = Steps(
        first=np.concatenate([steps.first, steps.first[1:] + len(to)]),
        target=np.where(np.tile(steps.target < 0, 2), -1, np.concatenate([to, back])).astype(
            steps.target.dtype
        ),
        weight=np.concatenate([first.weight, others.weight]),
        reward=np.tile(steps.reward, 2),
        sign=np.tile(steps.sign, 2),
        mode=np.tile(steps.mode, 2),
    )
    compiled = first.game.compiled
    value, variance = moments(twice)
    begins = start(compiled.game).node
    had = compiled.gained_before_play()
    found = [(float(value[0]) + had[0], float(np.sqrt(variance[0])))]
    total = compiled.model.constant_sum
    if total is not None:
        rest = (total - float(value[count]) + had[1], float(np.sqrt(variance[count])))
        found.insert(1 - begins.seat, rest)
    return found
