"""How often each state of listed play comes up, once nothing is left to choose.

With P the chances of going on and s those of where play begins, the expected numbers of visits are
the least solution of ``m = s + m P`` (the fundamental matrix: Kemeny and Snell 1960, 3.2).
Components are passed through from the start to the end. Inside one that has cycles, some states
are set apart, those to which a search of it returns: without them nothing goes round, and one pass
sends all on, to them or out. The chances from each of them to the others, and out, are a small
chain of their own, and its visits are found by taking away one state after the other (Grassmann,
Taksar and Heyman 1985): all is added, nothing subtracted, so that each number is right to rounding
however long play goes round.
"""

from __future__ import annotations

from typing import NamedTuple, Self

import numpy as np
from attrs import frozen

from dicegames.solver.explicit.direct import search
from dicegames.solver.graph.expand import components
from dicegames.solver.graph.states import in_order
from dicegames.solver.kernels.arrays import Vector
from dicegames.solver.kernels.evaluate import PURE
from dicegames.solver.kernels.kernel import njit
from dicegames.solver.kernels.workers import Workers
from dicegames.solver.model import Array, rows_begin
from dicegames.solver.status import SolveError, Status

MOST_SET_APART = 2_000
MOST_CHAIN_ROOM = 1 << 24
"""Chances between states that are set apart, in all components."""
MOST_ROUNDS_SENT = 100_000
"""So often what goes round is sent on where more are set apart."""
LEFT_GOING_ROUND = 1e-16
"""What may be left on the way there."""


class ChainParts(NamedTuple):
    """A chain of listed states by its components, those before which nothing comes first."""

    first: Vector[np.int64]  # [states + 1]
    target: Vector[np.int32]  # -1 for the end
    weight: Vector[np.float64]
    order: Vector[np.int64]  # the states; inside a component those set apart cut all cycles
    ends: Vector[np.int64]  # [components + 1] in `order`
    component: Vector[np.int64]  # [states]
    apart: Vector[np.int64]  # [states]: its number among those of the component, or -1
    cuts: Vector[np.int64]  # [components]: how many are set apart
    room: Vector[np.int64]  # [components]: where its chances begin, or -1 where they are too many


@njit(**PURE)
def _pass(p: ChainParts, own: int, flow: Array, met: Array, back: Array) -> float:
    """Send on what is in a component, once; what leaves it. What comes back is added to `back`."""
    out = 0.0
    for i in range(p.ends[own], p.ends[own + 1]):
        s = p.order[i]
        here, flow[s] = flow[s], 0.0
        if here == 0.0:
            continue
        met[s] += here
        for k in range(p.first[s], p.first[s + 1]):
            t, part = p.target[k], here * p.weight[k]
            if t >= 0 and p.component[t] == own and p.apart[t] >= 0:
                back[p.apart[t]] += part
                continue
            if t < 0 or p.component[t] != own:
                out += part
            if t >= 0:
                flow[t] += part
    return out


@njit(**PURE)
def _chances_from(
    p: ChainParts, own: int, state: int, row: Array, flow: Array, met: Array, back: Array
) -> None:
    """Write where play comes to from a state set apart: to which of them first, or out."""
    n = p.cuts[own]
    for j in range(n):
        back[j] = 0.0
    flow[state] = 1.0
    row[n] = _pass(p, own, flow, met, back)
    for j in range(n):
        row[j] = back[j]
    for i in range(p.ends[own], p.ends[own + 1]):  # what has left is not on the way here
        for k in range(p.first[p.order[i]], p.first[p.order[i] + 1]):
            if p.target[k] >= 0:
                flow[p.target[k]] = 0.0


@njit(**PURE)
def _reduce(chances: Array, at: int, n: int) -> None:
    """Take away one state after the other, the last first: it is passed through at once.

    Rows of n + 1 chances begin at `at`, the last of each leading out. The chance of leaving a state
    for those before it, or out, takes the place of that of coming back.
    """
    wide = n + 1
    for k in range(n - 1, -1, -1):
        own = at + k * wide
        leaves = chances[own + n]
        for j in range(k):
            leaves += chances[own + j]
        chances[own + k] = leaves
        for i in range(k if leaves > 0.0 else 0):
            row = at + i * wide
            part = chances[row + k] / leaves
            if part > 0.0:
                chances[row + k] = part
                for j in range(k):
                    chances[row + j] += part * chances[own + j]
                chances[row + n] += part * chances[own + n]


@njit(**PURE)
def _prepare(
    p: ChainParts, chances: Array, flow: Array, met: Array, back: Array, stop: Array
) -> None:
    """Write the chances of all components, as they are when they are reduced."""
    for own in range(p.cuts.size):
        n, at = p.cuts[own], p.room[own]
        if n == 0 or at < 0:
            continue
        for i in range(p.ends[own], p.ends[own + 1]):
            s = p.order[i]
            if stop[0] != 0:
                return
            if p.apart[s] >= 0:
                row = chances[at + p.apart[s] * (n + 1) : at + (p.apart[s] + 1) * (n + 1)]
                _chances_from(p, own, s, row, flow, met, back)
        _reduce(chances, at, n)


@njit(**PURE)
def _come_round(chances: Array, at: int, n: int, visits: Array) -> None:
    """Turn how often play comes in at each state set apart into how often it comes there at all."""
    wide = n + 1
    for k in range(n - 1, -1, -1):
        own = at + k * wide
        if visits[k] > 0.0:
            visits[k] = visits[k] / chances[own + k] if chances[own + k] > 0.0 else np.inf
        for j in range(k if visits[k] > 0.0 else 0):
            visits[j] += visits[k] * chances[own + j]
    for k in range(1, n):
        for i in range(k):
            visits[k] += visits[i] * chances[at + i * wide + k]


@njit(**PURE)
def _through(
    p: ChainParts, chances: Array, own: int, flow: Array, met: Array, back: Array, stop: Array
) -> float:
    """Add up the visits of a component; what is left on the way in it."""
    n, at = p.cuts[own], p.room[own]
    for j in range(n):
        back[j] = 0.0
    for i in range(p.ends[own], p.ends[own + 1] if n > 0 else 0):
        s = p.order[i]
        if p.apart[s] >= 0:
            back[p.apart[s]], flow[s] = flow[s], 0.0
    _pass(p, own, flow, met, back)
    rest = 0.0
    for _ in range(MOST_ROUNDS_SENT if n > 0 else 0):
        if at >= 0:
            _come_round(chances, at, n, back)
        for i in range(p.ends[own], p.ends[own + 1]):
            s = p.order[i]
            if p.apart[s] >= 0:
                flow[s], back[p.apart[s]] = back[p.apart[s]], 0.0
        _pass(p, own, flow, met, back)
        rest = 0.0
        for j in range(n if at < 0 else 0):  # else all that comes back has been counted
            rest += back[j]
        if rest <= LEFT_GOING_ROUND or stop[0] != 0:
            break
    return rest


@njit(**PURE)
def _visits(
    p: ChainParts, chances: Array, flows: Array, met: Array, back: Array, stop: Array
) -> float:
    """Add up the visits of all states, by row; the most that is left on the way in a component."""
    left = 0.0
    for row in range(flows.shape[0]):
        for own in range(p.cuts.size):
            left = max(left, _through(p, chances, own, flows[row], met[row], back, stop))
    return left


@frozen(eq=False)
class AbsorbingChain:
    """Play in which nothing is left to choose, and that may come to the end from everywhere."""

    parts: ChainParts
    chances: Array  # float64
    workers: Workers

    @classmethod
    def of(cls, first: Array, target: Array, weight: Array, workers: Workers) -> Self:
        """Prepare the ways on of each state, whose chances sum to 1; rows are as in `Steps`.

        Those of chance 0 are none. A state without any is an end. Raises SolveError if stopped.
        """
        states, taken = len(first) - 1, np.flatnonzero(weight > 0)
        rows = np.repeat(np.arange(states), np.diff(first))[taken]
        begin = rows_begin(np.bincount(rows, minlength=states))
        target, weight = np.ascontiguousarray(target[taken]), weight[taken].astype(np.float64)
        found, component = workers.run(components, begin, target)
        component = found - 1 - component.astype(np.int64)
        order, path, at = np.zeros((3, states), np.int64)
        returned = np.zeros(states, np.uint8)
        workers.run(search, begin, target, order, returned, path, at)
        backwards = order[::-1]
        order = backwards[np.argsort(component[backwards], kind="stable")]
        _, ends = in_order(component, found)
        apart = np.flatnonzero(returned)
        apart = apart[np.argsort(component[apart], kind="stable")]
        count = np.bincount(component[apart], minlength=found)
        number = np.full(states, -1)
        number[apart] = np.arange(len(apart)) - np.repeat(rows_begin(count)[:-1], count)
        sizes = np.where(count <= MOST_SET_APART, count * (count + 1), 0)
        room = np.where(np.cumsum(sizes) <= MOST_CHAIN_ROOM, rows_begin(sizes)[:-1], -1)
        room[(count > 0) & (sizes == 0)] = -1
        parts = ChainParts(begin, target, weight, order, ends, component, number, count, room)
        chances = np.zeros(int(sizes[room >= 0].sum()))
        if len(chances):
            flow, met = np.zeros((2, states))
            back = np.zeros(count.max())
            workers.run(_prepare, parts, chances, flow, met, back, workers.stop)
        return cls(parts, chances, workers)

    def visits(self, starts: Array) -> Array:
        """Return how often each state comes up, from so many starts in each.

        Both are float64[states], or [any number, states]. Raises SolveError where play may go on
        for ever, or for too long to be followed.
        """
        flows = np.array(starts, np.float64, ndmin=2)
        met, back = np.zeros_like(flows), np.zeros(self.parts.cuts.max(initial=0))
        given = (self.parts, self.chances, flows, met, back)
        left = self.workers.run(_visits, *given, self.workers.stop)
        if not np.isfinite(met).all():
            raise SolveError(Status.ENDLESS)
        if left > LEFT_GOING_ROUND:
            raise SolveError(Status.NOT_CONVERGED, "play goes on for longer than was followed")
        return met.reshape(starts.shape)
