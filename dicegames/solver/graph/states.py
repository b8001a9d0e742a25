"""The states of a model, one by one: all that can be reached, and the transitions between them."""

from __future__ import annotations

import numpy as np
from attrs import evolve, frozen

from dicegames.solver.graph.expand import (
    BAD_BRANCH,
    BAD_EFFECT,
    EXPANDED,
    LISTS_FULL,
    NO_LEGAL_MOVE,
    NO_VALUE,
    OVERRUN,
    TOO_MANY,
    Known,
    Listing,
    edge_rewards,
    expand,
)
from dicegames.solver.kernels.flat import Flat, flatten
from dicegames.solver.kernels.workers import Workers
from dicegames.solver.model import END, Array, Effect, Model, Reward, rows_begin
from dicegames.solver.status import SolveError, State, Status

MOST_LISTED_STATES = 20_000_000
MAX_RECTANGLE = 200_000_000
MOST_SEARCHED = 2_000_000
"""So many states of selfish players are listed where more than `MAX_RECTANGLE` could be."""
BRIEF_STATES = 5_000
"""To look at each of so many once takes no more than some milliseconds."""
ROOM_AT_START = 2048
"""States and transitions for which there is room at the start."""
_TROUBLE = {
    NO_LEGAL_MOVE: Status.NO_MOVE,
    BAD_BRANCH: Status.AMBIGUOUS,
    BAD_EFFECT: Status.BAD_EFFECT,
    OVERRUN: Status.NO_TAIL,
    NO_VALUE: Status.UNSUPPORTED,
}


class MoreStates(SolveError):
    """More states can be reached than the limit allows."""

    def __init__(self, limit: int, possible: int) -> None:
        super().__init__(
            Status.TOO_MANY_STATES, f"more than {limit:,} of up to {possible:,} states"
        )


class NoValue(SolveError):
    """A cycle has no value; `among` are the numbers of the states where play can be kept."""

    def __init__(self, status: Status, among: Array) -> None:
        super().__init__(status)
        self.among = among


@frozen(eq=False)
class Graph:
    """The expanded states of a model; arrays as in `expand.expand`."""

    model: Model
    points: int
    keys: Array
    first: Array
    target: Array
    edge: Array
    reward: Array

    @property
    def states(self) -> int:
        """Number of states."""
        return len(self.keys)

    @property
    def nodes(self) -> Array:
        """Control node of every state."""
        return self.keys // self.points

    @property
    def source(self) -> Array:
        """The state from which each transition leads: int64."""
        return np.repeat(np.arange(self.states), np.diff(self.first))

    def places(self, number: int) -> Array:
        """The edges of the transitions of a state, counted from the first one of its node."""
        first = self.model.first_edge[self.keys[number] // self.points]
        return np.asarray(self.edge[self.first[number] : self.first[number + 1]] - first)

    def state(self, number: int) -> State:
        """Node and point of a state."""
        node, position = divmod(int(self.keys[number]), self.points)
        return node, self.model.point_at(position)


def most_listed(model: Model) -> int:
    """Return how many states of a model are listed at most."""
    wide = model.points * model.nodes > MAX_RECTANGLE
    return MOST_SEARCHED if wide and not model.scalar else MOST_LISTED_STATES


def nothing_known(model: Model) -> Known:
    """No state has a value."""
    return Known(
        np.full(model.nodes, -1, np.int64), np.zeros((0, 1)), np.zeros(0, np.int64), partial=False
    )


def all_known(model: Model, nodes: Array | None = None) -> Known:
    """Every state of some nodes, or of all, counts as known: a search does not lead beyond it."""
    table = np.full(model.nodes, 0 if nodes is None else -1)
    table[nodes] = 0
    one = np.lib.stride_tricks.as_strided(np.zeros((1, 1)), (model.points, 1), (0, 8))
    return Known(table, one, np.zeros(0, np.int64), partial=False)


def expand_states(model: Model, workers: Workers, limit: int = MOST_LISTED_STATES) -> Graph:
    """All states reachable from the start; SolveError where the model or the limit forbids."""
    graph = list_states(model, workers, min(limit, most_listed(model)))
    return with_rewards(graph, flatten(model))


def list_states(model: Model, workers: Workers, limit: int) -> Graph:
    """The same without the rewards."""
    if model.points * model.nodes >= 2**62:
        raise SolveError(Status.TOO_MANY_STATES, f"{model.points} points")
    start = np.array([number(model, model.start, model.start_point)])
    return follow(model, flatten(model), start, nothing_known(model), workers, limit)


def number(model: Model, node: int, point: tuple[int, ...]) -> int:
    """The number of a state: node * points + position in a full table."""
    return node * model.points + model.position(point)


def follow(
    model: Model, flat: Flat, starts: Array, known: Known, workers: Workers, limit: int
) -> Graph:
    """All states reachable from some, by number, up to known ones; SolveError. Without rewards."""
    points = model.points
    given = (flat, starts, known, points, limit, workers.stop)
    outcome, found = workers.run(_followed, *given, brief=limit <= BRIEF_STATES)
    if outcome == TOO_MANY:
        raise MoreStates(limit, points * model.nodes)
    count, state, used, _ = found.counts.tolist()
    if outcome != EXPANDED:
        node, position = divmod(int(found.keys[state]), points)
        raise SolveError(_TROUBLE[outcome], states=((node, model.point_at(position)),))
    keys, first = found.keys[:count], found.first[: state + 1]
    return Graph(model, points, keys, first, found.target[:used], found.edge[:used], np.zeros(0))


def _followed(
    flat: Flat, starts: Array, known: Known, points: int, limit: int, stop: Array
) -> tuple[int, Listing]:
    """Follow states, with more room whenever it is needed: the outcome and what was met."""
    begun = len(starts)
    keys = np.concatenate([starts, np.empty(ROOM_AT_START, np.int64)])
    listing = Listing(
        np.array([begun, 0, 0, 0]), keys, np.zeros(len(keys) + 1, np.int64), _table(len(keys)),
        np.empty(ROOM_AT_START, np.int32), np.empty(ROOM_AT_START, np.int32),
    )  # fmt: skip
    both = np.zeros((2, flat.size.size), np.int64)
    while True:
        outcome = expand(flat, known, begun, points, limit, listing, both, stop)
        if outcome != LISTS_FULL:
            return outcome, listing
        listing = _larger(listing, int(np.diff(flat.first_edge).max()))


def _larger(listing: Listing, edges: int) -> Listing:
    """The same with room for a state of so many edges."""
    counts, keys, first, table, target, edge = listing
    if counts[0] + edges > len(keys):
        keys, first = (_twice(array, edges) for array in (keys, first))
        table = _table(len(keys))
        counts[3] = 0
    if counts[2] + edges > len(target):
        target, edge = _twice(target, edges), _twice(edge, edges)
    return Listing(counts, keys, first, table, target, edge)


def _twice(array: Array, least: int) -> Array:
    return np.concatenate([array, np.empty(max(len(array), least), array.dtype)])


def _table(room: int) -> Array:
    """An empty hash table for so many states."""
    return np.full(1 << (2 * room - 1).bit_length(), -1, np.int32)


def with_rewards(graph: Graph, flat: Flat) -> Graph:
    """The graph with what every transition brings: to seat 0, or to each if all have a number."""
    arrays = (graph.keys, graph.first, graph.edge, graph.points)
    if graph.model.scalar:
        return evolve(graph, reward=edge_rewards(flat, *arrays))
    columns = [np.ascontiguousarray(column) for column in graph.model.rewards_by_seat.T]
    found = [edge_rewards(flat._replace(reward=column), *arrays) for column in columns]
    return evolve(graph, reward=np.stack(found, axis=1))


def in_order(component: Array, found: int) -> tuple[Array, Array]:
    """States sorted by component, and where each component begins."""
    ends = rows_begin(np.bincount(component, minlength=found))
    return np.argsort(component, kind="stable"), ends


# ---- listed states as a model


def one_by_one(graph: Graph) -> Model:
    """The model of listed states: node n is state n, and the last node is the end of play.

    The graph has its rewards; edges are its transitions, in their order. Where few of
    the states that tables have room for come up, such a model is walked much faster.
    """
    model, edge = graph.model, graph.edge
    paid, number = np.unique(graph.reward, return_inverse=True)
    reward = 1 + number.reshape(len(edge), -1).astype(np.int32)
    always = np.zeros(len(edge), np.int32)
    return evolve(
        model,
        axes=(),
        lookups=(),
        guards=((),),
        effects=(Effect(),),
        rewards=(Reward(), *(Reward(amount) for amount in paid.tolist())),
        kind=np.append(model.kind[graph.nodes], np.int8(END)),
        chooser=np.append(model.chooser[graph.nodes], np.int8(0)),
        stored=np.append(model.stored[graph.nodes], False),
        first_edge=np.append(graph.first, len(edge)),
        target=np.where(graph.target < 0, graph.states, graph.target).astype(np.int32),
        weight=model.weight[edge],
        guard=always,
        effect=always,
        reward=reward[:, 0],
        rotate=model.rotate[edge],
        start=0,
        start_point=(),
        drawn=None,
        settled=None,
        other_rewards=None if model.other_rewards is None else reward[:, 1:],
    )
