"""The best chance to exceed n, for every n at once, from every state between turns.

With Z what is still paid from a state on, and half for a draw,

    H(s)[n] = max over all ways to play of P(Z > n) + P(Z = n) / 2,

each n having its own best play. Along n a payment of r only moves a row: what is H(s')[n - r] at
the end of a turn needs no other n. So one turn is evaluated by the operations of the block method,
its lanes being LANES consecutive n at one point instead of LANES points. Where little is good, H is
the least chance.
"""

from __future__ import annotations

from itertools import pairwise
from typing import Final, NamedTuple

import numpy as np
from attrs import define, evolve

from dicegames.ground.arguments import OnProgress
from dicegames.solver.blocks.block import set_bases
from dicegames.solver.blocks.blocks import make_plan, make_run
from dicegames.solver.blocks.gather import Fetches
from dicegames.solver.blocks.lookups import (
    END_BELOW,
    Blocks,
    Points,
    place,
    read_guards,
    read_lookup,
    set_inner,
)
from dicegames.solver.blocks.plan import Plan, Run
from dicegames.solver.blocks.program import LANES, Program, Ring
from dicegames.solver.blocks.specialise import Work, guard_states, run_rows, specialise
from dicegames.solver.graph.dominate import dominated
from dicegames.solver.graph.fold import fold
from dicegames.solver.graph.ordered import merge_by_seat
from dicegames.solver.graph.reduce import Reduced
from dicegames.solver.graph.turn import LOCAL, SHIFT, plan_turn, unfit
from dicegames.solver.kernels.arrays import Matrix, Vector
from dicegames.solver.kernels.evaluate import INLINE, PURE
from dicegames.solver.kernels.kernel import njit
from dicegames.solver.kernels.workers import Workers
from dicegames.solver.model import END, Array, Lookup, Model, Reward
from dicegames.solver.results.curves import (
    TAIL_CUT_OFF,
    Curves,
    joined,
    keep_row,
    new_rows,
    share_row,
)
from dicegames.solver.status import SolveError, Status

UNREACHED: Final = -1  # play does not come there
FILLED: Final = 0
ROWS_FULL: Final = 1
TOO_NARROW: Final = 2
POINTS_TOGETHER: Final = 32
"""Neighbouring points that one thread looks at, which often share their rows."""


class Sources(NamedTuple):
    """Where the fetched rows of one outer point come from, by inner point and fetch."""

    at: Matrix[np.int64]  # [inner points, fetches]: where a row begins, UNREACHED: the worst value
    first: Matrix[np.int64]  # [inner points, fetches]: its first n
    last: Matrix[np.int64]  # [inner points, fetches]: the n behind its last one
    ends: Vector[np.int64]  # [2]: the first n and the one behind the last, of all of them
    out: Matrix[np.float64]  # [inner points * stored nodes, n]: rows under construction


def targets_model(model: Model) -> Reduced:
    """The model in which every payment is looked up where a turn ends; SolveError if it is not so.

    Nothing is averaged; what is nowhere better is dropped, which is right for every n.
    """
    merged, node_of, _ = merge_by_seat(model)
    merged, again, _ = merge_by_seat(merged.with_edges(~dominated(merged)))
    return _looked_up(fold(merged)), again[node_of]


def _looked_up(model: Model) -> Model:
    """The model without constants in its rewards, and with a lookup wherever it ends."""
    lookups = list(model.lookups)
    constants: dict[float, int] = {}

    def lookup(amount: float) -> int:
        if amount not in constants:
            constants[amount] = len(lookups)
            lookups.append(Lookup((), np.array(amount)))
        return constants[amount]

    rewards = [
        Reward(0.0, (*r.lookups, lookup(r.constant)) if r.constant else r.lookups)
        for r in model.rewards
    ]
    reward = model.reward.copy()
    bare = np.array([not r.lookups for r in rewards])
    ends = (model.kind[model.target] == END) & bare[reward]
    rewards.append(Reward(0.0, (lookup(0.0),)))
    reward[ends] = len(rewards) - 1
    return evolve(model, lookups=tuple(lookups), rewards=tuple(rewards), reward=reward)


def demand_late_payments(model: Model) -> None:
    """SolveError unless all that a turn pays is paid where it ends."""
    turn = plan_turn(model)
    pays = np.array([bool(reward.lookups) or reward.constant != 0 for reward in model.rewards])
    met = np.isin(model.sources, turn.nodes)
    within = np.isin(turn.sort, (LOCAL, SHIFT)) & met & pays[model.reward]
    if bool(within.any()):
        raise unfit("points are paid in the middle of a turn")


@njit(**INLINE)
def _find_sources(
    p: Points, t: Fetches, program: Program, known: Curves, scale: float, inner: int, width: int,
    w: Work, s: Sources,
) -> bool:  # fmt: skip
    """Find out which rows are read at an inner point; whether others were noted before."""
    changed = False
    for k in range(t.table.size):
        at, first, last = UNREACHED, 0, 0
        if w.needed[t.cond[k]] != 0:
            paid, to = 0.0, END_BELOW - 1
            for i in range(t.reward_first[k], t.reward_first[k + 1]):
                read_lookup(p, t.reward[i], width, w)
                paid += w.reward[t.reward[i], 0]
            if t.table[k] >= 0:
                to = t.table[k] + inner + w.home[0]
                for i in range(t.move_first[k], t.move_first[k + 1]):
                    read_lookup(p, t.move[i], width, w)
                    to += w.read[t.move[i], 0]
            state = to if to >= 0 else known.at.size - 1  # the end stands last
            if (to >= 0 or to < END_BELOW) and known.length[state] >= 0:
                at, first = known.at[state], known.low[state] + np.int64(np.rint(paid * scale))
                last = first + known.length[state]
                s.ends[0] = min(s.ends[0], first)
                s.ends[1] = max(s.ends[1], last)
        changed |= s.at[inner, k] != at or s.first[inner, k] != first or s.last[inner, k] != last
        s.at[inner, k], s.first[inner, k], s.last[inner, k] = at, first, last
    return changed


@njit(**INLINE)
def _lay(
    t: Fetches, cells: Array, worst: float, inner: int, begin: int, w: Work, s: Sources
) -> None:
    """Lay the rows that are read at an inner point into the lanes of n = begin, begin + 1, ..."""
    rows = w.rows
    for k in range(t.table.size):
        home, at = t.home[k], s.at[inner, k]
        if at == UNREACHED:
            for lane in range(LANES):
                rows[home + lane] = worst
            continue
        ones = min(max(s.first[inner, k] - begin, 0), LANES)
        behind = min(max(s.last[inner, k] - begin, ones), LANES)
        at += begin - s.first[inner, k]
        if ones == 0 and behind == LANES:
            for lane in range(LANES):
                rows[np.uint64(home + lane)] = cells[np.uint64(at + lane)]
            continue
        for lane in range(ones):
            rows[home + lane] = 1.0
        for lane in range(ones, behind):
            rows[home + lane] = cells[at + lane]
        for lane in range(behind, LANES):
            rows[home + lane] = 0.0


@njit(**INLINE)
def _needs(p: Points, b: Blocks, inner: int, w: Work) -> bool:
    """Whether play comes to an inner point of the outer point in the lanes."""
    row = 0
    for k in range(b.major_axes.size):
        row += w.coords[b.major_axes[k], 0] * b.major_step[k]
    one = (b.closure[row, inner // 64] >> np.uint64(inner % 64)) & np.uint64(1)
    return p.ranked.size == 1 or one != 0


@njit(**INLINE)
def _look(p: Points, program: Program, inner: int, first: bool, width: int, w: Work) -> bool:  # noqa: FBT001
    """Look at the guards at an inner point; whether one has changed."""
    changed = read_guards(p, p.once, width, w) if first else False
    set_inner(p, inner, width, w)
    changed = read_guards(p, p.again, width, w) or changed
    guard_states(program, width, w)
    return changed


@njit(**INLINE)
def _evaluate(
    p: Points, t: Fetches, program: Program, b: Blocks, r: Ring, w: Work, s: Sources,
    cells: Array, worst: float, chunk: int, width: int, fresh: bool,  # noqa: FBT001
) -> tuple[float, float]:  # fmt: skip
    """Evaluate LANES n of all inner points: the least at the first n, the most at the last."""
    least, most, first = 1.0, 0.0, True
    for rank in range(p.ranked.size):
        inner = p.ranked[rank]
        if not _needs(p, b, inner, w):
            continue
        fresh = _look(p, program, inner, first, width, w) or fresh
        first = False
        current = set_bases(p, r, inner, w)
        if fresh:
            specialise(program, w)
            fresh = False
        _lay(t, cells, worst, inner, s.ends[0] + chunk, w, s)
        run_rows(program, w, LANES, current)
        for k in range(b.stored_row.size):
            at = program.home[b.stored_row[k]]
            least, most = min(least, w.rows[at]), max(most, w.rows[at + LANES - 1])
            for lane in range(LANES):
                s.out[inner * b.stored_row.size + k, chunk + lane] = w.rows[at + lane]
    return least, most


@njit(**PURE)
def fill_targets(
    p: Points, t: Fetches, program: Program, b: Blocks, r: Ring, w: Work, s: Sources, out: Curves,
    room: Vector[np.int64], scale: float, worst: float, begin: int, end: int, stride: int,
    stop: Vector[np.uint8],
) -> int:  # fmt: skip
    """Fill the rows of outer points from `begin` to `end`: POINTS_TOGETHER of them, every `stride`.

    Where an outer point reads the same rows under the same guards as the one before, it has the
    same row. Rows fall from 1 to 0 with n: they are followed from where the ones before began up to
    where all are 0, then down to where all are 1.
    """
    stored, points, had = b.stored_row.size, p.ranked.size, np.int64(-1)
    lowest = np.int64(-1)
    fresh = w.count[0] == 0
    for number in range((end - begin + stride - 1) // stride * POINTS_TOGETHER):
        block = begin + number // POINTS_TOGETHER * stride + number % POINTS_TOGETHER
        if block >= end or stop[0] != 0:
            break
        width = place(p, b, block, w)
        s.ends[0], s.ends[1] = 1 << 40, -(1 << 40)
        first, changed = True, had < 0 or points > 1
        for rank in range(points):
            inner = p.ranked[rank]
            if _needs(p, b, inner, w):
                fresh = _look(p, program, inner, first, width, w) or fresh
                first = False
                changed = _find_sources(p, t, program, out, scale, inner, width, w, s) or changed
        if not (changed or fresh):
            for k in range(stored):
                share_row(out, b.stored_table[k] + w.home[0], b.stored_table[k] + had)
            continue
        count, had = s.ends[1] - s.ends[0], w.home[0]
        if count + LANES > s.out.shape[1]:
            return TOO_NARROW
        start = count // 2 if lowest < 0 else lowest - s.ends[0] - 2
        low = high = min(max(start, 0), count)
        least, most = 0.0, 1.0  # of all rows, at the lowest n that was looked at and the highest
        while (high < count and most >= TAIL_CUT_OFF) or (low > 0 and least <= 1.0 - TAIL_CUT_OFF):
            up = high < count and most >= TAIL_CUT_OFF
            if not up:
                low = max(low - LANES, 0)
            chunk = high if up else low
            ends = _evaluate(p, t, program, b, r, w, s, out.cells, worst, chunk, width, fresh)
            fresh = False
            least = ends[0] if chunk == low else least
            if up:
                high, most = high + LANES, ends[1]
        lowest = s.ends[0] + high
        for rank in range(points):
            inner = p.ranked[rank]
            if _needs(p, b, inner, w):
                for k in range(stored):
                    state = b.stored_table[k] + w.home[0] + inner
                    row = s.out[inner * stored + k, low:]
                    if not keep_row(out, room, state, s.ends[0] + low, row, high - low, 1.0):
                        return ROWS_FULL
                    lowest = min(lowest, np.int64(out.low[state]))
    return FILLED


def find_targets(
    model: Model, scale: float, cells: int, workers: Workers, report: OnProgress | None = None
) -> tuple[Plan, Curves]:
    """The rows of all states between turns, by their place in the plan's tables, and the plan.

    `scale` units make one point, and there is room for so many cells. SolveError where the game
    does not fall into turns that are paid at their ends, where play goes round, or without room.
    """
    reduced = targets_model(model)
    demand_late_payments(reduced[0])
    plan = make_plan(model, workers, reduced=reduced, alone=True)
    if plan.progress.cyclic:
        raise unfit("turns may lead round")
    run = make_run(plan, workers, lanes=1)
    states, threads = run.blocks.values.size, len(run.works)
    out = new_rows(states + 1, cells)
    out.at[states], out.length[states], out.cells[0] = 0, 1, 0.5  # where play ends
    cuts = np.linspace(1, cells, threads + 1).astype(np.int64)
    rooms = [np.append(cuts[t : t + 2], -1) for t in range(threads)]
    layers, filling = run.grouping.layer_first, _RunFilling(plan, run, out, rooms, scale)
    for begin, end in pairwise(layers.tolist()):
        filling.fill(begin, end, workers)
        if report is not None:
            report(float(end), float(layers[-1]))
    ends = [int(room[0]) for room in filling.rooms]
    return plan, joined(out, cuts[:-1].tolist(), ends)


@define
class _RunFilling:
    """A run, its rows, and room for them, as in `keep_row`, for each thread."""

    plan: Plan
    run: Run
    out: Curves
    rooms: list[Array]
    scale: float
    widest: int = 256

    def fill(self, begin: int, end: int, workers: Workers) -> None:
        """Fill the rows of a layer, in threads; with wider ones where they are too narrow."""
        plan, run, works = self.plan, self.run, self.run.works
        rooms = [room.copy() for room in self.rooms]
        done = workers.run_all(
            [
                (fill_targets, (plan.points, plan.fetches, plan.layout.program, run.blocks,
                                plan.layout.ring, work, self._sources(), self.out, rooms[t],
                                self.scale, plan.worst, begin + POINTS_TOGETHER * t, end,
                                POINTS_TOGETHER * len(works), workers.stop))
                for t, work in enumerate(works)
            ]
        )  # fmt: skip
        if TOO_NARROW in done:
            self.widest *= 2
            self.fill(begin, end, workers)
            return
        if ROWS_FULL in done:
            raise SolveError(Status.TOO_MUCH_MEMORY, "the best chances of all results")
        self.rooms = rooms

    def _sources(self) -> Sources:
        points, fetches = self.plan.points.ranked.size, self.plan.fetches.table.size
        return Sources(
            at=np.zeros((points, fetches), np.int64),
            first=np.zeros((points, fetches), np.int64),
            last=np.zeros((points, fetches), np.int64),
            ends=np.zeros(2, np.int64),
            out=np.zeros((points * self.run.blocks.stored_row.size, self.widest)),
        )
