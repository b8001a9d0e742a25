"""A solved or compiled game as a process for independent tools: states, choices, probabilities.

The states are those of the model (see `solver.model`), once for every seat that may be on move,
with nodes merged that behave alike: they keep all their choices. Seats that are *fixed* play as the
solution says: their states are those between pieces of a turn, and each leads on with the law of
such a piece (see `solver.chain`), so that whoever solves the process finds the best answer.
Only states that can come up are numbered; the last one is the end.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from typing import Final

import numpy as np
from attrs import define, evolve, field, frozen

from dicegames.analysis.chances.policy import Policy, policies
from dicegames.analysis.chances.prospects import SolutionError
from dicegames.compiler.compiled import Compiled
from dicegames.ground.limits import UNLIMITED, Limits
from dicegames.rules.running.referee import start
from dicegames.solver.chain.by_seat import by_seat
from dicegames.solver.chain.chain import Chain
from dicegames.solver.chain.laws import Laws, find_all_laws, places_among
from dicegames.solver.graph.expand import edge_rewards
from dicegames.solver.graph.ordered import merge_alike, merge_by_seat
from dicegames.solver.graph.states import Graph, list_states
from dicegames.solver.kernels.flat import Flat, flatten
from dicegames.solver.kernels.workers import Workers
from dicegames.solver.model import CHOICE, Array, rows_begin, rows_taken
from dicegames.solver.solved import Solved
from dicegames.solver.status import SolveError, Status

STATES_AT_ONCE: Final = 1 << 14
"""So many states are looked at together."""
MOST_WRITTEN_STATES: Final = 10_000_000
BYTES_PER_LINE: Final = 300


@frozen(eq=False)
class ProcessPart:
    """Some states of a process, and the ways on from each of them."""

    chooses: Array  # bool[states]
    first: Array  # int64[states + 1]
    target: Array  # int64[ways]
    weight: Array  # float64[ways]: 1 where it is chosen
    won: Array  # float64[ways, seats]: what each seat wins on the way, seat 1 first


@frozen(eq=False)
class Fixed:
    """How seats play that are fixed."""

    seats: frozenset[int]
    laws: Laws
    unit: float
    entered: Array  # int64[states of the graph]: the law of a turn that begins there, or -1
    left: Array  # int64[ways of the laws]: the state of the graph to which a turn leads, or -1


@define(eq=False)
class Process:
    """The states of a game, counted by seat on move and state of the graph, or law."""

    graph: Graph
    flat: Flat
    each: int  # number of rewards of one seat; those of the next are that many further on
    fixed: Fixed | None
    begun: Array  # float64[seats]: what each seat has at the start
    begin: int
    bases: Array  # int64[seats + 1]
    number: Array = field(factory=lambda: np.zeros(0, np.int64))  # of those that come up, else -1
    choices: int = 0
    choosers: set[int] = field(factory=set)

    @property
    def seats(self) -> int:
        """How many players there are."""
        return len(self.begun)

    @property
    def states(self) -> int:
        """How many states come up, the end included."""
        return int(self.number[-1]) + 1

    def all_rows(self) -> Iterator[ProcessPart]:
        """Give the states that come up, but for the end, in their order."""
        met = np.flatnonzero(self.number[:-1] >= 0)
        for part in self._parts(met):
            rows = self._rows(part)
            yield evolve(rows, target=self.number[rows.target])

    def follow(self) -> None:
        """Number the states that come up."""
        met = np.zeros(int(self.bases[-1]) + 1, np.bool_)
        met[-1] = True  # the end is a state in any case
        self.choices = 1
        new = np.array([self.begin])
        while new.size:
            met[new] = True
            found = []
            for part in self._parts(new):
                rows = self._rows(part)
                ways = np.diff(rows.first)
                self.choices += int(np.where(rows.chooses, ways, 1).sum())
                if bool((rows.chooses & (ways > 1)).any()):
                    self.choosers.add(self._own(part)[0])
                found.append(np.unique(rows.target[~met[rows.target]]))
            new = np.unique(np.concatenate(found))
        self.number = np.where(met, np.cumsum(met) - 1, -1)

    def _parts(self, states: Array) -> Iterator[Array]:
        """Divide states (ascending) into parts of one seat that are not too large."""
        ends = np.searchsorted(states, self.bases)
        for low, high in zip(ends[:-1].tolist(), ends[1:].tolist(), strict=True):
            for at in range(low, high, STATES_AT_ONCE):
                yield states[at : min(at + STATES_AT_ONCE, high)]

    def _own(self, states: Array) -> tuple[int, Array]:
        """Return the seat on move in some states, and what they are among its own."""
        seat = int(np.searchsorted(self.bases, states[0], side="right")) - 1
        return seat, states - self.bases[seat]

    def _rows(self, states: Array) -> ProcessPart:
        seat, own = self._own(states)
        if self._plays(seat):
            return self._fixed_rows(seat, own)
        graph, model = self.graph, self.graph.model
        first, ways = rows_taken(graph.first, own)
        edge, target = graph.edge[ways], graph.target[ways].astype(np.int64)
        entered = target if self.fixed is None else self.fixed.entered[target]
        to = self._places(seat, model.rotate[edge], target, target, entered)
        chooses = model.kind[graph.keys[own] // graph.points] == CHOICE
        paid = [
            edge_rewards(
                self.flat._replace(reward=self.flat.reward + np.int32(k * self.each)),
                graph.keys[own], first, edge, graph.points,
            )
            for k in range(self.seats)
        ]  # fmt: skip
        won = self._won(seat, np.stack(paid, axis=1), target < 0)
        return ProcessPart(chooses, first, to, model.weight[edge], won)

    def _fixed_rows(self, seat: int, own: Array) -> ProcessPart:
        assert self.fixed is not None
        laws = self.fixed.laws
        first, ways = rows_taken(laws.first, own)
        law = laws.to[ways]
        to = self._places(seat, laws.rotate[ways], law, self.fixed.left[ways], law)
        won = self._won(seat, laws.paid[ways] * self.fixed.unit, law < 0)
        return ProcessPart(np.zeros(len(own), np.bool_), first, to, laws.chance[ways], won)

    def _plays(self, seat: int) -> bool:
        """Tell whether a seat is fixed."""
        return self.fixed is not None and seat in self.fixed.seats

    def _places(self, seat: int, rotate: Array, to: Array, state: Array, law: Array) -> Array:
        """Return where ways lead (`to` < 0: to the end), by the states and laws entered there."""
        mover = (seat + rotate.astype(np.int64)) % self.seats
        plays = np.array([self._plays(k) for k in range(self.seats)])
        own = self.bases[mover] + np.where(plays[mover], law, state)
        return np.where(to < 0, self.bases[-1], own)

    def _won(self, mover: int, paid: Array, ends: Array) -> Array:
        """Return what each seat wins, seat 1 first, from what is paid, the mover first.

        What was there before the start counts at the end: there is no play without it.
        """
        found: Array = np.roll(paid, mover, axis=1) + ends[:, None] * self.begun
        return found


def process_of(
    compiled: Compiled, solved: Solved, fixed: Collection[int] = (), limits: Limits = UNLIMITED
) -> Process:
    """Return the process of a game; seats that are `fixed` (from 1) play as it is solved.

    Players who do not affect each other are one: then it is that one who is fixed.
    Raises SolutionError where that is not possible.
    """
    model = compiled.in_order()[0]
    if model.average:
        raise SolutionError("the long run cannot be exported; take one turn: --objective turn")
    if compiled.goal.objective.compares(compiled.game):
        message = "the chance to be first cannot be exported"
        raise SolutionError(message + "; take the result alone: --objective payoff")
    for axis, slot in zip(compiled.emitter.axes, compiled.emitter.slots, strict=True):
        if axis.unbounded:
            limited = compiled.game.names.slots[slot].with_limit
            raise SolutionError(
                f'"{axis.name}" knows no limit, so the states of this game cannot be listed; give '
                f"it one, such as: {limited}"
            )
    limit = MOST_WRITTEN_STATES
    if limits.memory is not None:
        limit = min(limit, 1 + limits.memory // BYTES_PER_LINE)
    try:
        with Workers(limits.threads, limits.left) as workers:
            if fixed:
                policy = next(policies(compiled, solved))
                seats = frozenset(min(seat, model.seats) - 1 for seat in fixed)
                graph, play = _with_fixed(policy, seats, workers, limit)
                each = policy.chain.walk.each
            else:
                model, _, labels = merge_by_seat(by_seat(model))
                model, _ = merge_alike(model)
                graph, play, each = list_states(model, workers, limit), None, len(labels)
    except SolveError as error:
        raise SolutionError(_remedied(error)) from None
    process = _followed(compiled, graph, play, each)
    if len(process.choosers) > 1:
        raise SolutionError(
            "several players choose, which is no Markov decision process; say with --fixed who "
            "plays best, or export a small game for PRISM: --format prism"
        )
    return process


def _remedied(error: SolveError) -> str:
    """Say why a game is not exported, and what to do about it."""
    if error.status is Status.TOO_MANY_STATES:
        return f"too many states to be exported: {error.detail}; set smaller options"
    if error.status is Status.UNSUPPORTED:
        remedy = "export a small game for PRISM: --format prism"
        return f"this game cannot be exported: {error.detail}; {remedy}"
    return str(error)


def _with_fixed(
    policy: Policy, seats: frozenset[int], workers: Workers, limit: int
) -> tuple[Graph, Fixed]:
    """Return the states of a game, and how seats play from those where their turns begin."""
    chain, unit = policy.chain, float(policy.chain.units.unit)
    model, node_of = merge_alike(chain.model)
    graph = list_states(model, workers, limit)
    begin = _begins(graph, chain, node_of)
    laws = find_all_laws(chain, workers, begin=begin[begin >= 0])
    entered = laws.numbers(begin)
    landing, position = np.divmod(laws.key[laws.to], graph.points)
    wanted = node_of[chain.landing_nodes[landing]] * graph.points + position
    turned = (laws.rotate != 0) & (laws.to >= 0)
    left = places_among(graph.keys, np.where(turned, wanted, -1))
    if bool((left[turned] < 0).any()):
        raise SolveError(Status.BAD_EFFECT)
    return graph, Fixed(seats, laws, unit, entered, left)


def _begins(graph: Graph, chain: Chain, node_of: Array) -> Array:
    """Return the chain's key of every state of the graph in which a turn may begin, else -1."""
    turned = graph.model.rotate[graph.edge] != 0
    begins = np.zeros(graph.states, np.bool_)
    begins[graph.target[turned & (graph.target >= 0)]] = True
    begins[0] = True
    leader = np.zeros(graph.model.nodes, np.int64)
    leader[node_of[::-1]] = np.arange(len(node_of))[::-1]
    landing = chain.walk.landing[leader[graph.nodes]]
    return np.where(begins, landing * graph.points + graph.keys % graph.points, -1)


def _followed(compiled: Compiled, graph: Graph, fixed: Fixed | None, each: int) -> Process:
    mover, seats = start(compiled.game).node.seat, graph.model.seats
    had = compiled.gained_before_play()
    had = had if len(had) == seats else (0.0,) * seats
    plays = [fixed is not None and seat in fixed.seats for seat in range(seats)]
    sizes = [fixed.laws.states if fixed and p else graph.states for p in plays]
    bases = rows_begin(np.array(sizes))
    at = int(fixed.entered[0]) if fixed and plays[mover] else 0
    begin = int(bases[mover]) + at
    flat = flatten(graph.model)
    process = Process(graph, flat, each, fixed, np.roll(had, mover), begin, bases)
    process.follow()
    return process
