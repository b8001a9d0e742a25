"""Cyclic layers: iterate, then prove.

Inside a cyclic layer the table V is a fixpoint of the block operator F, which is monotone and never
expands distances.  Sweeps (each block sees the newest values) run until nothing but rounding moves.
Then bounds are tried (`bounds`).

Where several selfish players each play best against the others, there is nothing monotone: their
choices may chase each other round and round.  Sets in which they do are swept again from values
drawn at random around those that were met on the way, in search of a fixpoint: then no player gains
by departing alone.  Nothing says that one is found, that there is one, or that it is the only one.

Where none is found, play *counts rounds*: sweep k says what is best with k rounds still to come in
the set, and the last one is far from where they run out.  That is the equilibrium of a game cut off
there, by backward induction; it is one of the game itself but for the chance to come so far, which
is the residual (Fudenberg & Levine, J. Economic Theory 31, 1983).  Sweeps that repeat themselves
tell play that goes round with them: a cyclic Markov equilibrium, which there may be where no
stationary one is (Flesch, Thuijsman & Vrieze, Int. J. Game Theory 26, 1997).
"""

from __future__ import annotations

from functools import cached_property
from itertools import pairwise

import numpy as np
from attrs import frozen

from dicegames.solver.blocks.block import NO_TRIAL, Trial, sweep_closed
from dicegames.solver.blocks.bounds import SPARE_DISTANCE, Bounds
from dicegames.solver.blocks.plan import Run
from dicegames.solver.blocks.rounding import Rounding
from dicegames.solver.kernels.workers import Workers
from dicegames.solver.model import TIE, Array
from dicegames.solver.status import SolveError, Status

SWEEP_LOT = 500
"""So many sweeps at a time, between which it is looked at whether they lead anywhere."""
MOST_CYCLE_SWEEPS = 200_000
CYCLE_SETTLED = {True: 4e-16, False: 1e-13}
"""What may still change in a sweep, in parts of the largest value: where bounds are proven for one
number, nothing but rounding; for several players, whose residual is told, so much as that.
"""
SLOW = 0.97
"""Where so much of the change is left after SWEEP_LOT, MOST_CYCLE_SWEEPS are not enough."""
BRIEF = 10_000_000
"""So many edges followed are done faster than another thread wakes up, or nearly."""
LEAP = 100
"""After twice so many sweeps values leap where points lead to each other in no small rings."""
SHIFTED_BY = 1e-5
"""By how much, in parts of the largest value, values are shifted to see whether they come back."""
QUIET_SWEEPS = 64
"""After so many sweeps in which no further state came back, none will."""
NEAR_ROUNDED, NEAR_LAST = 16, 1 / 16
"""A distance of the layer before is tried first where it is no more than so many times what may be
rounded, else distances from this part of it on.
"""
SMALL_DISTANCE = 1e-7
"""A distance, in parts of the largest value, beside which rounding is nothing."""
MET = 50
"""Sweeps of players who chase each other in which is noted what values come up."""
RANDOM_STARTS = 20
"""From so many drawn values such a set is swept, one after the other, before rounds are counted."""
DRAWN_SWEEPS = 100
"""Sweeps from drawn values: where players do not chase each other, most sets settle in fewer."""
AROUND = 0.5
"""How far outside of the values met they may lie, in parts of the distance of the extremes."""


def solve_cycle(
    run: Run, begin: int, end: int, workers: Workers, rounding: Rounding, near: float, later: float
) -> tuple[float, float, float]:
    """Solve the blocks begin..end, one layer: its error bound, and what the next layer is told.

    That is a distance that may hold there (`near`) and the largest value so far (`later`).
    """
    layer = _RunPart(run, begin, end, workers)
    met, change = layer.sweep(later)
    return (*layer.prove(met, change, near, rounding.of(met)), met)


def settle_cycle(run: Run, begin: int, end: int, workers: Workers) -> float:
    """Solve the blocks begin..end, one layer, for several selfish players; the residual.

    The last component is the chance to be still in the layer after so many sweeps: it begins at 1
    and falls wherever best play may lead out. Where it stays, play goes round for ever.
    """
    layer = _RunPart(run, begin, end, workers)
    run.blocks.values[layer.staying] = 1.0
    _, change = layer.sweep()
    if layer.chance_to_stay() > 0.5:
        raise SolveError(Status.ENDLESS)
    run.blocks.values[layer.staying] = 0.0
    return change


@frozen(eq=False, slots=False)
class _RunPart:
    """The blocks begin..end of a run: a layer, or a closed set in it."""

    run: Run
    begin: int
    end: int
    workers: Workers

    @cached_property
    def where(self) -> Array:
        """Positions of its entries in all tables."""
        return self._entries(self.begin, self.end)

    def _entries(self, begin: int, end: int) -> Array:
        """Positions of the entries of some of its blocks."""
        grouping = self.run.grouping
        first, last = grouping.block_first[[begin, end]]
        lanes, inner = grouping.points[first:last], self.run.plan.points.ranked
        tables = self.run.blocks.stored_table
        every: Array = tables[:, None, None] + lanes[None, :, None] + inner[None, None, :]
        return every.ravel()

    @property
    def staying(self) -> Array:
        """Those of the last component."""
        found: Array = self.where.reshape(len(self.run.plan.components), -1)[-1]
        return found

    def chance_to_stay(self) -> float:
        """The largest, where play can come to."""
        run, staying = self.run, self.staying
        left = run.blocks.values[staying][run.entered[staying % run.entered.size]]
        return float(left.max(initial=0.0))

    def sweep(self, later: float = 0.0) -> tuple[float, float]:
        """Sweep until nothing but rounding moves: the largest value so far and the last change.

        `later` is the largest one of later layers.

        Sets of points that lead to none but themselves in the layer are swept one by one, in
        threads.
        """
        run, scalar = self.run, self.run.plan.model.scalar
        closed, small = run.grouping.closed(self.begin, self.end), CYCLE_SETTLED[scalar]
        least = largest = max(1.0, later)
        change = np.inf
        for sweeps in range(SWEEP_LOT, MOST_CYCLE_SWEEPS + 1, SWEEP_LOT):
            before, change = change, self._swept(closed, SWEEP_LOT, small * largest)
            largest = max(least, float(np.abs(run.blocks.values[self.where]).max(initial=0.0)))
            if change <= 4e-13 * largest or not np.isfinite(largest):
                break
            if not scalar and len(closed) > 2:  # most have settled: the others by themselves
                sets = [_RunPart(run, *pair, self.workers) for pair in pairwise(closed)]
                return largest, max(each.sweep()[1] for each in sets)
            if change > SLOW * before and sweeps > 2 * len(self.where) + SWEEP_LOT:
                break  # every sweep has had its chance to carry news one entry further
        if not np.isfinite(largest) or largest > 1e15:
            raise SolveError(Status.ENDLESS)
        if change > 1e-9 * largest and not scalar:
            change = self._begun_anew(closed, small * largest)
        if change > 1e-9 * largest:
            chasing = "the choices of the players chase each other"
            raise SolveError(Status.NOT_CONVERGED, "" if scalar else chasing)
        return largest, change

    def _swept(self, closed: Array, sweeps: int, small: float) -> float:
        """Sweep closed sets, between the numbers of their first blocks; the largest last change."""
        changes = self._sweep(closed[:-1], closed[1:], sweeps, small, leaps=True)
        return float(changes.max(initial=0))

    def _sweep(
        self, first: Array, last: Array, sweeps: int, small: float = 0.0, *,
        trial: Trial = NO_TRIAL, leaps: bool = False,
    ) -> Array:  # fmt: skip
        """Sweep the closed sets of the blocks first[k]..last[k], in threads; their last changes."""
        run, plan, changes = self.run, self.run.plan, np.zeros(first.size)
        lanes = np.diff(run.grouping.block_first[np.stack([first, last])], axis=0)
        entries = run.blocks.stored_table.size * plan.points.ranked.size
        ring = self._ring if leaps else 0
        room = (4, int(lanes.max(initial=0)) * entries if ring else 0)
        values = int(lanes.sum()) * plan.points.ranked.size * len(plan.components)
        brief = sweeps * values * plan.model.edges < BRIEF
        works = run.works[: 1 if brief else first.size]
        shared = (len(works), plan.worst, trial, plan.alike, self.workers.stop, sweeps, small)
        sets = (first, last, changes)
        tasks = [
            (sweep_closed, (*run.arguments(work), *sets, np.empty(room), ring, t, *shared))
            for t, work in enumerate(works)
        ]
        self.workers.run_all(tasks, brief=brief)
        return changes

    def _begun_anew(self, closed: Array, small: float) -> float:
        """Sweep a closed set in which players chase each other, from other values; the residual.

        What is drawn depends on the set alone. If no values settle, rounds are counted.
        """
        values = self.run.blocks.values
        lowest, highest = self._met(closed, small)
        generator = np.random.default_rng(self.begin)
        for _ in range(RANDOM_STARTS):
            part = generator.uniform(-AROUND, 1 + AROUND, self.where.size)
            values[self.where] = lowest + part * (highest - lowest)
            values[self.staying] = 1.0
            change = self._swept(closed, DRAWN_SWEEPS, small)
            if change <= 1000 * small:
                return change
        self._swept(closed, SWEEP_LOT, small)
        lowest, highest = self._met(closed, small)
        numbers, seats = len(self.run.plan.components), self.run.plan.model.seats
        differ = (highest - lowest).reshape(numbers, -1)[:seats].max(axis=0)
        states = self.where.reshape(numbers, -1)[0]
        moving = differ > TIE
        self.run.counting.update(zip(states[moving].tolist(), differ[moving].tolist(), strict=True))
        return self.chance_to_stay()

    def _met(self, closed: Array, small: float) -> tuple[Array, Array]:
        """The least and the largest values of the entries in some more sweeps."""
        lowest = highest = self.run.blocks.values[self.where]
        for _ in range(MET):
            self._swept(closed, 1, small)
            met = self.run.blocks.values[self.where]
            lowest, highest = np.minimum(lowest, met), np.maximum(highest, met)
        return lowest, highest

    @cached_property
    def _ring(self) -> int:
        """In so many sweeps the same share of the way to each value is left; 0: no leaps.

        That is so where points lead to each other in rings of so many. Else it is so in the end,
        for any number, when what comes nearer sooner has come.
        """
        plan, grouping = self.run.plan, self.run.grouping
        layer = int(np.searchsorted(grouping.layer_first, self.begin, side="right")) - 1
        return (int(grouping.ring[layer]) or LEAP) if plan.model.scalar else 0

    def demand_a_way_out(self, sets: Array, largest: float) -> None:
        """Refuse closed sets in which best play comes to a state that it never leaves.

        There the values V + d are a fixpoint as well. Where nobody loses anything by leaving,
        sweeps from V + d or from V - d (who gains by it leaves at once) bring some of d back to V.
        `sets` (int64[2, sets]) are the first block of each, and the one after its last.
        """
        values = self.run.blocks.values
        where = np.concatenate([self._entries(*pair) for pair in sets.T.tolist()])
        where = where[self.run.entered[where]]
        kept, shift = values[where], SHIFTED_BY * largest
        left = np.zeros(where.size, bool)
        for sign in (1.0, -1.0):
            values[where] = kept + sign * shift
            quiet = 0
            while quiet < QUIET_SWEEPS and not left.all():
                self._sweep(sets[0], sets[1], 1)
                before = int(left.sum())
                left |= np.abs(values[where] - kept) < shift * (1 - 1e-8)
                quiet = quiet + 1 if int(left.sum()) == before else 0
            values[where] = kept
        if not left.all():
            raise SolveError(Status.ENDLESS)

    def prove(
        self, largest: float, change: float, near: float, rounded: float
    ) -> tuple[float, float]:
        """A bound for the distance of the values from the fixpoint, see `bounds`; one to try next.

        So much may be `rounded` in one evaluation. A distance that is `near` is tried first if
        it is small beside that, else what is less by so much that it does not count is not tried.
        """
        run, where = self.run, self.where
        closed, entered = run.grouping.closed(self.begin, self.end), where[run.entered[where]]
        if not np.isfinite(run.blocks.values[entered]).all():
            raise SolveError(Status.ENDLESS)
        bounds = Bounds(
            sweep=lambda sets, trial: self._sweep(sets[0], sets[1], 1, trial=trial),
            weights=run.blocks.weights,
            entered=entered,
            rounded=rounded,
        )
        tried = near if near <= NEAR_ROUNDED * rounded else NEAR_LAST * near
        found = max(change, SPARE_DISTANCE * rounded, tried)
        left, near = bounds.near(np.stack([closed[:-1], closed[1:]]), found)
        if left.size > 0:
            self.demand_a_way_out(left, largest)
            swept = self._sweep(
                left[0], left[1], SWEEP_LOT, CYCLE_SETTLED[True] * largest, leaps=True
            )
            near = bounds.find(left, float(swept.max()), SMALL_DISTANCE * largest)
            found = max(found, near)
        run.blocks.weights[where] = 0
        if not np.isfinite(found):
            raise SolveError(Status.NOT_CONVERGED, "no bound could be proven for a cycle")
        return found, near
