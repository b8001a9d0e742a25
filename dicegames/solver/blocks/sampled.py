"""Sampled models: some chance nodes are estimated from N samples, all else is exact.

For every chance node n that is drawn and every point p, N outcomes k(1), ..., k(N) are drawn by
their weights, once and for all, and stand for the node::

    V(n, p) = sum over i of (r(k(i)) + V(target of k(i))) / N

Nodes with the same outcomes are one state at the same point, and have the same samples: a throw
that opens a turn and its repetition with as much in hand, say.

At the start of the game nothing is drawn: otherwise N throws alone would decide about the value.

V is what the sampled model *promises*.  Its strategy takes the best choices by V; what that is
*worth*, W, is found in the same pass: at choices W follows the choice that is best by V, at chance
nodes the true weights count.

Both are lanes of one block: a point has a lane for V in the first half and one for W in the second,
which reads tables of its own.  Samples come from a hash of the seed, the node, the point and the
number of the sample, so that neither threads nor machines change them.
"""

from __future__ import annotations

from itertools import pairwise
from time import perf_counter
from typing import Final, NamedTuple

import numpy as np
from attrs import frozen

from dicegames.solver.blocks.block import Fetches, Ring, _gather, _needed, _set_bases
from dicegames.solver.blocks.blocks import make_plan, make_run
from dicegames.solver.blocks.execute import DO_COPY, DO_FILL, DO_MASK, DO_MAX, DO_MIN, DO_SUM
from dicegames.solver.blocks.plan import Plan
from dicegames.solver.blocks.points import Blocks, Points, place, read_guards, set_inner
from dicegames.solver.blocks.program import LANES, Program
from dicegames.solver.blocks.specialise import Work, guard_states, specialise
from dicegames.solver.kernels import lanes
from dicegames.solver.kernels.evaluate import INLINE, PURE
from dicegames.solver.kernels.kernel import njit
from dicegames.solver.kernels.workers import Workers
from dicegames.solver.model import Array, Model
from dicegames.solver.status import SolveError, Status

HALF: Final = LANES // 2
GOLDEN: Final = np.uint64(0x9E3779B97F4A7C15)
LOW: Final = np.uint64(0xFFFFFFFF)
WORD: Final = np.uint64(32)


class Draws(NamedTuple):
    """The sums that are drawn, as alias tables over their terms."""

    number: Array  # int32[operations]: of the draw, the same for the same terms, -1 if not drawn
    first: Array  # int64[draws + 1]
    keep: Array  # uint64: the term is taken if 32 random bits are below
    alias: Array  # int64: the term taken otherwise
    samples: int
    seed: int  # uint64
    root: int  # position of the start of the game, where nothing is drawn


@frozen
class Sampled:
    """What a sampled model promises at the start, and what its strategy is worth there."""

    promised: float
    worth: float
    seconds: float


def solve_sampled(
    model: Model, samples: int, seed: int, *, threads: int | None = None, time: float | None = None
) -> Sampled:
    """Solve a model whose `drawn` nodes are estimated; raises SolveError where that cannot be."""
    begun = perf_counter()
    with Workers(threads, time) as workers:
        plan = make_plan(model, workers)
        if plan.progress.cyclic:
            raise SolveError(Status.UNSUPPORTED, "samples need play that never comes back")
        run = make_run(plan, workers, vector=False, lanes=HALF)
        size = run.blocks.values.size
        values = np.tile(run.blocks.values, 2)
        blocks = run.blocks._replace(values=values)
        draws = make_draws(plan, samples, seed)
        program = plan.layout.program
        for begin, end in pairwise(run.grouping.layer_first.tolist()):
            workers.run_all(
                [
                    (
                        run_sampled,
                        (plan.points, plan.fetches, program, blocks, run.ring, work, draws,
                         begin + t, end, len(run.works), size, run.worst, workers.stop),
                    )
                    for t, work in enumerate(run.works)
                ]
            )  # fmt: skip
    small, stored = plan.model, np.flatnonzero(plan.model.stored)
    start = int(np.searchsorted(stored, small.start)) * int(np.prod(small.shape, dtype=np.int64))
    start += int(np.ravel_multi_index(small.start_point, small.shape))
    return Sampled(float(values[start]), float(values[start + size]), perf_counter() - begun)


def make_draws(plan: Plan, samples: int, seed: int) -> Draws:
    """Alias tables (A. J. Walker 1977) of the chance nodes that are drawn."""
    program, drawn = plan.layout.program, plan.model.drawn
    number = np.full(program.kind.size, -1, np.int32)
    first, keep, alias = [0], [np.zeros(0)], [np.zeros(0, np.int64)]
    known: dict[tuple[bytes, bytes, int], int] = {}
    for node in [] if drawn is None else np.flatnonzero(drawn).tolist():
        at = plan.layout.row_of.get(node, -1)
        if not 0 <= at < number.size:
            continue
        terms = slice(program.first[at], program.last[at])
        weight, shift = program.weight[terms], int(program.base[at])
        key = (program.operand[terms].tobytes(), weight.tobytes(), shift)
        number[at] = known.setdefault(key, len(known))
        if number[at] == len(first) - 1:
            parts = _alias(weight)
            keep.append(parts[0])
            alias.append(parts[1])
            first.append(first[-1] + len(parts[0]))
    bits = np.minimum(np.concatenate(keep) * 2.0**32, 2.0**32).astype(np.uint64)
    return Draws(
        number, np.array(first, np.int64), bits, np.concatenate(alias), samples,
        np.uint64(seed % 2**64),
        int(np.ravel_multi_index(plan.model.start_point, plan.model.shape)),
    )  # fmt: skip


def _alias(weights: Array) -> tuple[Array, Array]:
    """For each term the part of its own share that it keeps, and who has the rest."""
    share = (weights * (len(weights) / weights.sum())).tolist()
    keep, alias = np.ones(len(share)), np.arange(len(share))
    small = [i for i, s in enumerate(share) if s < 1]
    large = [i for i, s in enumerate(share) if s >= 1]
    while small and large:
        poor, rich = small.pop(), large[-1]
        keep[poor], alias[poor] = share[poor], rich
        share[rich] -= 1 - share[poor]
        if share[rich] < 1:
            small.append(large.pop())
    return keep, alias


@njit(**INLINE)
def _mix(bits: int) -> int:
    """Scatter 64 bits (the finish of splitmix64, S. Vigna)."""
    bits = (bits ^ (bits >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    bits = (bits ^ (bits >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return bits ^ (bits >> np.uint64(31))


@njit(**PURE)
def draw_term(d: Draws, number: int, point: int, sample: int) -> int:
    """Which of its terms a draw takes at a point for one of the samples."""
    begin = d.first[number]
    terms = np.uint64(d.first[number + 1] - begin)
    key = _mix(d.seed + GOLDEN * np.uint64(number + 1))
    bits = _mix(_mix(key ^ np.uint64(point)) + GOLDEN * np.uint64(sample + 1))
    term = np.int64(((bits >> WORD) * terms) >> WORD)
    return term if (bits & LOW) < d.keep[begin + term] else d.alias[begin + term]


@njit(**PURE)
def _draw(
    d: Draws, rows: Array, offset: Array, at: int, shift: int, number: int, point: int
) -> float:
    """The mean of the samples of one draw at a point, whose lane begins at `shift`."""
    total = 0.0
    for k in range(d.samples):
        total += rows[offset[at + draw_term(d, number, point, k)] + shift]
    return total / d.samples


@njit(**PURE)
def execute_sampled(q: Program, w: Work, d: Draws, inner: int, current: int) -> None:
    """Carry out the operations: the first half of the lanes chooses, the second follows."""
    rows, offset, both, half = w.rows, w.offset, (0, 0, 0, 0), (0, 0)
    for run in range(w.count[0]):
        for i in range(w.runs[2 * run], w.runs[2 * run + 1]):
            at, do, to, kept = q.first[i], w.code[i] // 8, w.to[i], w.keep[i]
            if do in (DO_MAX, DO_MIN):
                best = lanes.load_row(half, rows, offset, at, 0)
                own = lanes.load_row(half, rows, offset, at, HALF)
                for k in range(at + 1, w.last[i]):
                    new = lanes.load_row(half, rows, offset, k, 0)
                    other = lanes.load_row(half, rows, offset, k, HALF)
                    if do == DO_MAX:
                        own = lanes.follow_max(best, new, own, other)
                        best = lanes.maximum(best, new)
                    else:
                        own = lanes.follow_min(best, new, own, other)
                        best = lanes.minimum(best, new)
                lanes.store(best, rows, to)
                lanes.store(own, rows, to + HALF)
                if kept >= 0:
                    lanes.store(best, rows, current + kept)
                    lanes.store(own, rows, current + kept + HALF)
                continue
            shift = w.bases[q.base[i]]
            if do == DO_SUM:
                result = lanes.full(both, w.constant[i])
                for k in range(at, w.last[i]):
                    row = lanes.load_row(both, rows, offset, k, shift)
                    result = lanes.add_rounded(result, row, lanes.entry(q.weight, k))
            elif do == DO_FILL:
                result = lanes.full(both, w.constant[i])
            elif do == DO_COPY:
                result = lanes.load_row(both, rows, offset, at, shift)
            else:
                row = lanes.load_row(both, rows, offset, at, 0)
                result = lanes.add_number(row, w.constant[i])
                if do == DO_MASK:
                    result = lanes.masked(result, lanes.load_row(both, rows, offset, at + 1, 0))
            lanes.store(result, rows, to)
            if do == DO_SUM and d.number[i] >= 0:
                for lane in range(HALF):
                    point = w.home[lane] + inner
                    if point == d.root:
                        continue
                    rows[to + lane] = _draw(d, rows, offset, at, shift + lane, d.number[i], point)
            if kept >= 0:
                lanes.store(lanes.load(both, rows, to), rows, current + kept)


@njit(**INLINE)
def _double(b: Blocks, block: int, size: int, width: int, w: Work) -> None:
    """Fill the lanes of the second half, which read and write the tables `size` further on."""
    for lane in range(LANES):
        own = min(lane % HALF, width - 1)
        further = size if lane >= HALF else 0
        w.home[lane] = b.points[min(b.first[block] + own, b.first[block + 1] - 1)] + further
        for axis in range(w.coords.shape[0]):
            w.coords[axis, lane] = w.coords[axis, own]


@njit(**INLINE)
def _keep(b: Blocks, program: Program, count: int, inner: int, size: int, w: Work) -> None:
    """Store both values of the stored nodes."""
    for s in range(b.stored_row.size):
        row = program.home[b.stored_row[s]]
        for lane in range(count):
            at = b.stored_table[s] + w.home[lane] + inner
            b.values[at] = w.rows[row + lane]
            b.values[at + size] = w.rows[row + HALF + lane]


@njit(**PURE)
def run_sampled(
    p: Points, t: Fetches, program: Program, b: Blocks, r: Ring, w: Work, d: Draws, begin: int,
    end: int, stride: int, size: int, worst: float, stop: Array,
) -> None:  # fmt: skip
    """Evaluate every `stride`-th block from `begin` to `end`."""
    for block in range(begin, end, stride):
        if stop[0] != 0:
            return
        width = place(p, b, block, w)
        _double(b, block, size, width, w)
        count = b.first[block + 1] - b.first[block]
        fresh = read_guards(p, p.once, LANES, w) or w.count[0] == 0
        for i in range(p.ranked.size):
            inner = p.ranked[i]
            if not _needed(p, b, count, inner, w):
                continue
            if p.inner.size > 0:
                set_inner(p, inner, LANES, w)
                fresh = read_guards(p, p.again, LANES, w) or fresh
            current = _set_bases(p, r, inner, w)
            guard_states(program, LANES, w)
            if fresh:
                specialise(program, w)
                fresh = False
            _gather(p, t, program, b, inner, LANES, w, worst, 0.0)
            for k in range(t.home.size):
                for lane in range(LANES):
                    w.rows[t.home[k] + lane] = w.fetched[k, lane]
            execute_sampled(program, w, d, inner, current)
            _keep(b, program, count, inner, size, w)
