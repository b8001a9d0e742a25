"""Listed states in which something is chosen: what the variables hold, which moves are legal."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cached_property

import numpy as np
from attrs import define, field, frozen

from dicegames.compiler.compiled import Compiled
from dicegames.compiler.graph import ControlNode
from dicegames.compiler.open_values.tables import evaluate
from dicegames.rules.parts.flow import Choose, Environment, Move, Offer, option_reads
from dicegames.rules.parts.unknown import Unknown
from dicegames.rules.running.referee import offers
from dicegames.solver.explicit.backup import Steps
from dicegames.solver.explicit.scalar import solve_steps, steps_of
from dicegames.solver.graph.expand import components
from dicegames.solver.graph.states import Graph, expand_states, in_order
from dicegames.solver.kernels.workers import Workers
from dicegames.solver.model import CHOICE, Array, Model

Key = tuple[object, ...]
Chooser = Callable[["Decision"], int]
"""Says which of the legal moves of a decision is played, -1 for none."""


@frozen(eq=False)
class Decision:
    """A state with a choice: what strategies look at, the legal moves, and what each loses.

    ways: the place of each move among the ways on from the state. losses: float64, by legal move.
    """

    at: int
    env: Environment
    offered: list[Offer]
    legal: list[Move]
    ways: Array
    losses: Array

    def seen(self, slots: Sequence[int]) -> Key:
        """Return what some slots hold."""
        return (self.at, *[self.env[slot] for slot in slots])


@frozen(eq=False, slots=False)
class SolvedStates:
    """Listed states with their values under best play, and the ways on from each."""

    graph: Graph
    steps: Steps
    best: Array  # float64[states]
    after: Array  # float64[transitions]: what each brings, all later moves being the best

    @classmethod
    def of(cls, model: Model, most: int) -> SolvedStates:
        """List the states of a model and solve it; SolveError where there are more than so many."""
        with Workers(None) as workers:
            graph = expand_states(model, workers, most)
            steps = steps_of(graph)
            best = solve_steps(steps, workers)[1]
        reached = np.where(steps.target >= 0, best[steps.target], 0.0)
        return cls(graph, steps, best, steps.reward + steps.sign * reached)

    @cached_property
    def starts(self) -> Array:
        """Where a game begins: 1 for that state, float64[states]."""
        return np.asarray(np.eye(1, self.graph.states)[0])

    @cached_property
    def source(self) -> Array:
        """The state from which each transition leads: int64."""
        return self.graph.source

    @cached_property
    def moves(self) -> Array:
        """Which transitions are moves: bool."""
        return np.asarray(self.graph.model.kind[self.graph.nodes[self.source]] == CHOICE)

    @cached_property
    def chooses(self) -> Array:
        """The states in which there are several moves: int64."""
        return np.flatnonzero(np.bincount(self.source[self.moves]) > 1)

    @cached_property
    def losses(self) -> Array:
        """What each transition loses against the best one of its state: float64."""
        top, gains = np.full(self.graph.states, -np.inf), self.graph.model.sense * self.after
        np.maximum.at(top, self.source, gains)
        return np.asarray(top[self.source] - gains)

    def best_moves(self, tie: float = 0.0) -> Array:
        """Return the first of the best moves of each state, those that lose no more than a tie."""
        rows = np.flatnonzero((self.losses <= tie) & self.moves)
        return np.asarray(rows[np.unique(self.source[rows], return_index=True)[1]])

    @cached_property
    def order(self) -> Array:
        """The states, those that follow before those that lead there."""
        with Workers(1) as workers:
            found, component = workers.run(components, self.steps.first, self.steps.target)
        backwards = component[::-1]  # in a cycle what was met later comes first
        return np.asarray(len(component) - 1 - in_order(backwards, found)[0])


@define(eq=False)
class Reader:
    """Reads the decisions of listed states: what the variables hold, and which moves are legal."""

    compiled: Compiled
    _moves: dict[int, dict[tuple[str, int], int]] = field(factory=dict)
    _offers: dict[Key, tuple[list[Offer], list[Move]]] = field(factory=dict)

    def decision(self, node: int, point: Sequence[int], edges: Array, losses: Array) -> Decision:
        """Return the decision in a state, and what it loses to go on by each of some edges.

        Edges are counted from the first one of the node; moves that are alike have one.
        """
        known = self.compiled.explorer.nodes[node]
        env = self._env(known, point)
        offered, legal = self._legal(known.at, env)
        place = {int(edge): n for n, edge in enumerate(edges)}
        moves = self._edges(node, known)
        ways = np.array([place[moves[m.label, m.entry]] for m in legal], np.int64)
        return Decision(known.at, env, offered, legal, ways, losses[ways])

    def _env(self, node: ControlNode, point: Sequence[int]) -> Environment:
        emitter = self.compiled.emitter
        total = self.compiled.total
        if total is not None:
            point = (*point[: total.axis], *point[total.axis + 1 :])
        held = {s: emitter.values[s][i] for s, i in zip(emitter.slots, point, strict=True)}
        done: dict[int, object] = {}
        return [_plain(evaluate(v, held, done)) if isinstance(v, Unknown) else v for v in node.env]

    def _legal(self, at: int, env: Environment) -> tuple[list[Offer], list[Move]]:
        choose = self.compiled.game.flow[at]
        assert isinstance(choose, Choose)
        reads = sorted(frozenset[int]().union(*(option_reads(o) for o in choose.options)))
        key = (at, *[env[slot] for slot in reads])
        if key not in self._offers:
            offered = [offer for offer in offers(choose, env) if offer[0] is not None]
            self._offers[key] = (offered, [move for _, move, ok in offered if ok])
        return self._offers[key]

    def _edges(self, number_: int, node: ControlNode) -> dict[tuple[str, int], int]:
        """Return the place of each move among the edges of its node."""
        if number_ not in self._moves:
            found = moves_and_edges(self.compiled, node)
            self._moves[number_] = {(move.label, move.entry): n for move, n in found}
        return self._moves[number_]


def moves_and_edges(
    compiled: Compiled, node: ControlNode, *, played: bool = False
) -> list[tuple[Move, int]]:
    """Return the moves of a choice, each with the place of its edge: those alike have one.

    Of all that are legal, or of those that strategies play.
    """
    kept = compiled.emitter.kept(node.ways(played=played, offered=not played))
    place = {id(edge): n for n, edge in enumerate(kept)}
    moves = compiled.explorer.moves_at(node, played=played)
    return [(move, place[id(edge)]) for move, edge in moves if id(edge) in place]


def _plain(value: object) -> object:
    return value.item() if isinstance(value, np.generic | np.ndarray) else value
