"""Forward through a turn: probability is pushed along the choices from one landing to the next.

A turn is cut into *pieces* at hubs: landing nodes, and nodes entered when an inner axis moves. Each
piece is gone through once for all turns that lead into it; `find_laws` joins pieces to the law of
one landing state in each lane.
"""

from __future__ import annotations

import numpy as np

from dicegames.solver.chain.batch import OFF_TABLE, Batch, jump, place, set_inner
from dicegames.solver.chain.chain import CHAIN_LANES, Walk
from dicegames.solver.kernels import lanes
from dicegames.solver.kernels.evaluate import INLINE, PURE, reward_at
from dicegames.solver.kernels.flat import Flat
from dicegames.solver.kernels.kernel import njit
from dicegames.solver.model import CHANCE, END, Array


@njit(**INLINE)
def _touch(b: Batch, goal: int) -> None:
    if b.marked[goal] == 0:
        b.marked[goal] = 1
        b.touched[b.count[0]] = goal
        b.count[0] += 1


@njit(**INLINE)
def _goal_of(f: Flat, w: Walk, edge: int, inner: int) -> int:
    """Number of the destination of an edge that leaves a piece; OFF_TABLE where there is none."""
    points = w.rank.size
    if w.exit[edge] >= 0:
        return int((w.hub_first.size - 1 + w.exit[edge]) * points + inner)
    after = w.after[w.shift[edge], inner]
    return int(w.hub[f.target[edge]] * points + after) if after >= 0 else OFF_TABLE


@njit(**INLINE)
def _push(width: tuple[float, ...], f: Flat, w: Walk, b: Batch, node: int, inner: int) -> None:
    """Push the probability at a node along its edges."""
    first, last, own = f.first_edge[node], f.first_edge[node + 1], node * CHAIN_LANES
    if f.kind[node] == CHANCE:
        mass = lanes.load(width, b.mass, own)
        for edge in range(first, last):
            to = lanes.entry(w.onward, edge)
            if to >= 0:
                sum_ = lanes.add_product(lanes.load(width, b.mass, to), mass, f.weight[edge])
                lanes.store(sum_, b.mass, to)
            else:
                goal = _goal_of(f, w, edge, inner)
                if goal < 0:
                    continue
                _touch(b, goal)
                to = goal * CHAIN_LANES
                sum_ = lanes.add_product(lanes.load(width, b.goal, to), mass, f.weight[edge])
                lanes.store(sum_, b.goal, to)
        return
    at = b.here[0] + (inner * w.slots + w.slot[node]) * CHAIN_LANES
    for lane in range(CHAIN_LANES):
        if b.choice[at + lane] < 0:
            continue  # nothing is known here: play does not come to this point
        edge = first + b.choice[at + lane]
        to = lanes.entry(w.onward, edge)
        if to >= 0:
            b.mass[to + lane] += b.mass[own + lane]
        elif b.mass[own + lane] != 0.0:
            goal = _goal_of(f, w, edge, inner)
            if goal >= 0:
                _touch(b, goal)
                b.goal[goal * CHAIN_LANES + lane] += b.mass[own + lane]


@njit(**INLINE)
def find_piece(
    width: tuple[float, ...], f: Flat, w: Walk, b: Batch, hub: int, inner: int, node: int
) -> bool:
    """Push probability 1 from a node of a hub's piece to its ends; False where there is no room."""
    points = w.rank.size
    hubs = (w.hub_first.size - 1) * points
    begin, end = w.hub_first[hub], w.hub_first[hub + 1]
    lanes.store(lanes.full(width, 1.0), b.mass, node * CHAIN_LANES)
    b.count[0] = 0
    for i in range(begin, end):
        own = w.hub_nodes[i] * CHAIN_LANES
        if lanes.any_of(lanes.load(width, b.mass, own)):
            _push(width, f, w, b, w.hub_nodes[i], inner)
            lanes.store(lanes.full(width, 0.0), b.mass, own)
    number, at = b.count[1], b.count[2]
    room = at + b.count[0] <= b.entry_goal.size
    for k in range(b.count[0]):
        goal = b.touched[k]
        b.marked[goal] = 0
        if room:
            b.entry_goal[at + k] = goal
            lanes.store(
                lanes.load(width, b.goal, goal * CHAIN_LANES), b.entry_mass, (at + k) * CHAIN_LANES
            )
            if goal < hubs:
                b.needed[goal] = 1
        lanes.store(lanes.full(width, 0.0), b.goal, goal * CHAIN_LANES)
    if not room:
        return False
    b.piece_hub[number] = hub * points + inner
    b.piece_of[hub * points + inner] = number
    b.piece_first[number] = at
    b.piece_first[number + 1] = at + b.count[0]
    b.count[1] += 1
    b.count[2] += b.count[0]
    return True


@njit(**PURE)
def find_pieces(width: tuple[float, ...], f: Flat, w: Walk, b: Batch, top: int) -> bool:
    """Find the pieces of all needed hubs, highest rank first; False where there is no room."""
    points = w.rank.size
    for rank in range(top, -1, -1):
        inner = w.ranked[rank]
        for hub in range(w.hub_first.size - 1):
            if b.needed[hub * points + inner] == 0:
                continue
            if not find_piece(width, f, w, b, hub, inner, w.hub_nodes[w.hub_first[hub]]):
                return False
    return True


@njit(**INLINE)
def know_exit(f: Flat, w: Walk, b: Batch, goal: int) -> None:
    """Find where an exit leads in each lane, and what it pays to each seat."""
    points = w.rank.size
    place_ = goal - (w.hub_first.size - 1) * points
    if b.exit_known[place_] != 0:
        return
    b.exit_known[place_] = 1
    edge = w.exit_edge[place_ // points]
    set_inner(f, w, b, place_ % points)
    target = f.target[edge]
    for lane in range(CHAIN_LANES):
        to, point = OFF_TABLE, b.coords[:, lane]
        b.exit_key[place_, lane] = -1
        if f.kind[target] != END:
            to = jump(f, b, f.effect[edge], lane)
            b.exit_key[place_, lane] = w.landing[target] * w.entries + to if to >= 0 else -2
        for seat in range(w.seats):
            reward = f.reward[edge] + seat * w.each
            mean = reward_at(f, reward, point, f.reward_constant, f.floats)
            if to >= 0:
                own = (seat - f.rotate[edge]) % w.seats * w.entries + to
                mean += w.values[w.table[target] + own] if w.table[target] >= 0 else np.nan
            b.exit_sum[place_, seat, lane] = reward_at(f, reward, point, w.paid, w.paid_pool)
            b.exit_mean[place_, seat, lane] = mean


@njit(**PURE)
def find_laws(width: tuple[float, ...], f: Flat, w: Walk, b: Batch, hub: int, inner: int) -> int:
    """Probability of every exit from a landing state in each lane; the number of exits.

    Their numbers are in `touched`, their probabilities in `goal`: `clear_laws` must follow.
    """
    begin = b.piece_of[hub * w.rank.size + inner]
    lanes.store(lanes.full(width, 1.0), b.goal, b.piece_hub[begin] * CHAIN_LANES)
    return join_pieces(width, f, w, b, begin)


@njit(**PURE)
def find_laws_within(
    width: tuple[float, ...], f: Flat, w: Walk, b: Batch, home: Array, hub: int, inner: int,
    node: int,
) -> int:  # fmt: skip
    """As `find_laws` from a node of a hub's piece, at one outer point; -1 without room."""
    place(f, w, b, home, 0, 1)
    if not find_piece(width, f, w, b, hub, inner, node):
        return -1
    if not find_pieces(width, f, w, b, w.rank[inner]):
        return -1
    lanes.store(lanes.full(width, 1.0), b.goal, b.piece_hub[0] * CHAIN_LANES)
    return join_pieces(width, f, w, b, 0)


@njit(**PURE)
def join_pieces(width: tuple[float, ...], f: Flat, w: Walk, b: Batch, begin: int) -> int:
    """Probability of every exit from the hubs with some in `goal`, of pieces from `begin` on."""
    hubs = (w.hub_first.size - 1) * w.rank.size
    b.count[0] = 0
    for piece in range(begin, b.count[1]):
        own = b.piece_hub[piece] * CHAIN_LANES
        mass = lanes.load(width, b.goal, own)
        if not lanes.any_of(mass):
            continue
        lanes.store(lanes.full(width, 0.0), b.goal, own)
        for k in range(b.piece_first[piece], b.piece_first[piece + 1]):
            goal = b.entry_goal[k]
            to = goal * CHAIN_LANES
            part = lanes.multiply(mass, lanes.load(width, b.entry_mass, k * CHAIN_LANES))
            lanes.store(lanes.add(lanes.load(width, b.goal, to), part), b.goal, to)
            if goal >= hubs:
                _touch(b, goal)
    for k in range(b.count[0]):
        know_exit(f, w, b, b.touched[k])
    return int(b.count[0])


@njit(**PURE)
def clear_laws(width: tuple[float, ...], b: Batch) -> None:
    """Make room for the next law."""
    for k in range(b.count[0]):
        b.marked[b.touched[k]] = 0
        lanes.store(lanes.full(width, 0.0), b.goal, b.touched[k] * CHAIN_LANES)
    b.count[0] = 0
