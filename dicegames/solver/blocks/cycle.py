"""Cyclic layers: iterate, then prove.

Inside a cyclic layer the table V is a fixpoint of the block operator F, which is monotone and never
expands distances.  Sweeps (each block sees the newest values) run until nothing but rounding moves.
Then bounds are tried: with U = V + d on the layer, one more evaluation gives F(U); if F(U) <= U
everywhere then the fixpoint lies below U, and F(V - d) >= V - d shows the same from below.  Seats
that rotate under a constant sum read C - V, so there the bounds change places, which the sign of d
takes into account.  The d that works is the error of the layer; it is doubled until it does.

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

from dicegames.solver.blocks.block import sweep_closed
from dicegames.solver.blocks.plan import Run
from dicegames.solver.kernels.workers import Workers
from dicegames.solver.model import TIE, Array
from dicegames.solver.status import SolveError, Status

SWEEPS = 500
"""So many sweeps at a time, between which it is looked at whether they lead anywhere."""
MOST_SWEEPS = 200_000
SETTLED = {True: 4e-16, False: 1e-13}
"""What may still change in a sweep, in parts of the largest value: where bounds are proven for one
number, nothing but rounding; for several players, whose residual is told, so much as that.
"""
SLOW = 0.97
"""Where so much of the change is left after SWEEPS, MOST_SWEEPS are not enough."""
SHIFT = 1e-5
"""By how much, in parts of the largest value, values are shifted to see whether they come back."""
QUIET = 64
"""After so many sweeps in which no further state came back, none will."""
NEAR = 1 / 16
"""From this part of what held in the layer before on distances are tried."""
ROUNDS = 40
"""How often the distance is doubled in search of a bound."""
SMALL = 1e-7
"""A distance, in parts of the largest value, beside which rounding is nothing."""
WEIGHED = 500
"""So often weights are let grow: where play stays longer, the explicit method finds bounds."""
LOOSE = 1e-11
"""Before a larger error is told, in parts of the largest value, weights are tried."""
TIGHT = 1e-13
"""The largest error that is proven by weights, in parts of the largest value."""
FEW = 100
"""With so few entries states are listed in place of a larger error, which finds them exactly."""
GROWN = 0.5
"""Weights that grow by no more than this in a sweep leave half a distance to rounding."""
MET = 50
"""Sweeps of players who chase each other in which is noted what values come up."""
BEGINNINGS = 20
"""From so many drawn values such a set is swept, one after the other, before rounds are counted."""
TRIED = 100
"""Sweeps from drawn values: where players do not chase each other, most sets settle in fewer."""
AROUND = 0.5
"""How far outside of the values met they may lie, in parts of the distance of the extremes."""


def solve_cycle(run: Run, begin: int, end: int, workers: Workers, near: float = 0.0) -> float:
    """Solve the blocks begin..end, one layer; the error bound, which may be `near` another one."""
    layer = _Layer(run, begin, end, workers)
    largest, change = layer.sweep()
    layer.demand_a_way_out(largest)
    error = layer.prove(largest, change, near)
    if error > LOOSE * largest and run.blocks.values.size <= FEW:
        raise SolveError(Status.NOT_CONVERGED, "play stays long")
    return error


def settle_cycle(run: Run, begin: int, end: int, workers: Workers) -> float:
    """Solve the blocks begin..end, one layer, for several selfish players; the residual.

    The last component is the chance to be still in the layer after so many sweeps: it begins at 1
    and falls wherever best play may lead out. Where it stays, play goes round for ever.
    """
    layer = _Layer(run, begin, end, workers)
    run.blocks.values[layer.staying] = 1.0
    _, change = layer.sweep()
    if layer.chance_to_stay() > 0.5:
        raise SolveError(Status.ENDLESS)
    run.blocks.values[layer.staying] = 0.0
    return change


@frozen(eq=False, slots=False)
class _Layer:
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

    def sweep(self) -> tuple[float, float]:
        """Sweep until nothing but rounding moves: the largest value and the last change.

        Sets of points that lead to none but themselves in the layer are swept one by one, in
        threads.
        """
        run, scalar = self.run, self.run.plan.model.scalar
        closed, small = run.grouping.closed(self.begin, self.end), SETTLED[scalar]
        largest, change = 1.0, np.inf
        for sweeps in range(SWEEPS, MOST_SWEEPS + 1, SWEEPS):
            before, change = change, self._swept(closed, SWEEPS, small * largest)
            largest = max(1.0, float(np.abs(run.blocks.values[self.where]).max(initial=0.0)))
            if change <= 4e-13 * largest or not np.isfinite(largest):
                break
            if not scalar and len(closed) > 2:  # most have settled: the others by themselves
                sets = [_Layer(run, *pair, self.workers) for pair in pairwise(closed)]
                return largest, max(each.sweep()[1] for each in sets)
            if change > SLOW * before and sweeps > 2 * len(self.where) + SWEEPS:
                break  # every sweep has had its chance to carry news one entry further
            if scalar:
                self._foresee(closed)
        if not np.isfinite(largest) or largest > 1e15:
            raise SolveError(Status.ENDLESS)
        if change > 1e-9 * largest and not scalar:
            change = self._begun_anew(closed, small * largest)
        if change > 1e-9 * largest:
            chasing = "the choices of the players chase each other"
            raise SolveError(Status.NOT_CONVERGED, "" if scalar else chasing)
        return largest, change

    def _foresee(self, closed: Array) -> None:
        """Move the values to where sweeps lead that come nearer by the same factor each time.

        That is Aitken's way (Proc. Royal Soc. Edinburgh 46, 1926) for all values together; it is
        taken back where the next sweep changes more than the last one.
        """
        values, where, met = self.run.blocks.values, self.where[self.run.entered[self.where]], []
        for _ in range(3):
            self._swept(closed, 1, 0.0)
            met.append(values[where].copy())
        old, new = met[1] - met[0], met[2] - met[1]
        factor = float(old @ new) / max(float(old @ old), 1e-300)
        if 0 < factor < 1:
            values[where] += factor / (1 - factor) * new
            if self._swept(closed, 1, 0.0) > np.abs(new).max():
                values[where] = met[2]

    def _swept(self, closed: Array, sweeps: int, small: float) -> float:
        """Sweep closed sets, between the numbers of their first blocks; the largest last change."""
        return self._sweep(closed[:-1], closed[1:], sweeps, small, leaps=self._leaps)

    def _sweep(
        self, first: Array, last: Array, sweeps: int, small: float = 0.0, *, bias: float = 0.0,
        leaps: bool = False,
    ) -> float:  # fmt: skip
        """Sweep the closed sets of the blocks first[k]..last[k], in threads."""
        run, plan = self.run, self.run.plan
        lanes = np.diff(run.grouping.block_first[np.stack([first, last])], axis=0)
        room = (2, int(lanes.max(initial=0)) * run.blocks.stored_table.size if leaps else 0)
        shared = (plan.worst, bias, plan.alike, self.workers.stop, sweeps, small)
        tasks = [
            (
                sweep_closed,
                (*run.arguments(work), first, last, np.empty(room), t, len(run.works), *shared),
            )
            for t, work in enumerate(run.works)
        ]
        return max(self.workers.run_all(tasks))

    def _begun_anew(self, closed: Array, small: float) -> float:
        """Sweep a closed set in which players chase each other, from other values; the residual.

        What is drawn depends on the set alone. If no values settle, rounds are counted.
        """
        values = self.run.blocks.values
        lowest, highest = self._met(closed, small)
        generator = np.random.default_rng(self.begin)
        for _ in range(BEGINNINGS):
            part = generator.uniform(-AROUND, 1 + AROUND, self.where.size)
            values[self.where] = lowest + part * (highest - lowest)
            values[self.staying] = 1.0
            change = self._swept(closed, TRIED, small)
            if change <= 1000 * small:
                return change
        self._swept(closed, SWEEPS, small)
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
    def _leaps(self) -> bool:
        """Whether every point leads to itself alone in the layer, so that sweeps may leap."""
        plan, grouping = self.run.plan, self.run.grouping
        layer = int(np.searchsorted(grouping.layer_first, self.begin, side="right")) - 1
        return plan.model.scalar and not plan.turn.inner and bool(grouping.alone[layer])

    def demand_a_way_out(self, largest: float) -> None:
        """Refuse a layer in which best play comes to a state that it never leaves.

        There the values V + d are a fixpoint as well. Where nobody loses anything by leaving,
        sweeps from V + d or from V - d (who gains by it leaves at once) bring some of d back to V.
        """
        values, where = self.run.blocks.values, self.where
        kept, closed = values[where].copy(), self.run.grouping.closed(self.begin, self.end)
        shift, left = SHIFT * largest, ~self.run.entered[where]
        for sign in (1.0, -1.0):
            values[where] = kept + sign * shift
            quiet = 0
            while quiet < QUIET and not left.all():
                self._sweep(closed[:-1], closed[1:], 1)
                before = int(left.sum())
                left |= np.abs(values[where] - kept) < shift * (1 - 1e-8)
                quiet = quiet + 1 if int(left.sum()) == before else 0
            values[where] = kept
        if not left.all():
            raise SolveError(Status.ENDLESS)

    def prove(self, largest: float, change: float, near: float) -> float:
        """A distance d with F(V + d) <= V + d and F(V - d) >= V - d, or the largest d w below.

        What is less than `near` by so much that it does not count is not tried.
        """
        values, weights, where = self.run.blocks.values, self.run.blocks.weights, self.where
        kept, closed = values[where].copy(), self.run.grouping.closed(self.begin, self.end)
        weights[where] = 1
        distance, by_weights = max(change, 4e-16 * largest), False
        while distance < NEAR * near:
            distance *= 2
        unproven = np.arange(closed.size - 1)  # sets that lead to no others: each has its distance
        for _ in range(ROUNDS):
            if distance > LOOSE * largest and not by_weights:
                by_weights = True
                if (proven := self._prove_by_weights(largest)) is not None:
                    return proven
                kept, unproven = values[where].copy(), np.arange(closed.size - 1)
            beyond = np.zeros(where.size, np.bool_)
            for bias in (distance, -distance):
                self._sweep(closed[unproven], closed[unproven + 1], 1, bias=bias)
                beyond |= (values[where] - kept) * np.sign(bias) > distance
                values[where] = kept
            if not beyond.any():
                weights[where] = 0
                return distance
            unproven = self._sets_of(beyond, closed)
            distance *= 2
        raise SolveError(Status.NOT_CONVERGED, "no bound could be proven for a cycle")

    def _sets_of(self, entries: Array, closed: Array) -> Array:
        """The numbers of the closed sets that have some of the entries of the layer (bool)."""
        lanes = np.diff(self.run.grouping.block_first[self.begin : self.end + 1])
        inner = self.run.plan.points.ranked.size
        points = entries.reshape(-1, int(lanes.sum()), inner).any(axis=(0, 2))
        blocks = np.repeat(np.arange(self.begin, self.end), lanes)[points]
        found: Array = np.unique(np.searchsorted(closed, blocks, side="right") - 1)
        return found

    def _prove_by_weights(self, largest: float) -> float | None:
        """The largest d w(s), with F(V + d w) <= V + d w and F(V - d w) >= V - d w; None if large.

        Where a turn always leads to another one in the layer, or hardly ever out of it, nothing is
        gained in one evaluation but rounding. The weights w = 1 + F' w, F' being what becomes of
        small distances, tell how long play stays; what sweeps still change counts as often, so it
        has to be rounding.
        """
        workers, closed = self.workers, self.run.grouping.closed(self.begin, self.end)
        distance = max(self._swept(closed, SWEEPS, SETTLED[True] * largest), 4e-16 * largest)
        grown, heaviest = np.inf, 1.0
        for _ in range(WEIGHED):
            if grown <= GROWN or distance * heaviest > TIGHT * largest:
                break
            grown = workers.run(self._weigh, SMALL * largest)
            heaviest = float(self.run.blocks.weights[self.where].max())
        while distance * heaviest <= TIGHT * largest:
            if workers.run(self._holds, distance):
                self.run.blocks.weights[self.where] = 0
                return distance * heaviest
            distance *= 2
        self.run.blocks.weights[self.where] = 1
        return None

    def _weigh(self, distance: float) -> float:
        """Let the weights grow, with the newest ones at once; by how much they do."""
        weights, grown = self.run.blocks.weights, 0.0
        for block in range(self.begin, self.end):
            at = self._entered(block)
            new = np.maximum(weights[at], 1 + self._moved(at, block, distance))
            grown = max(grown, float((new - weights[at]).max(initial=0.0)))
            weights[at] = new
        return grown

    def _holds(self, distance: float) -> bool:
        """Tell whether no value moves by more than its weight."""
        for block in range(self.begin, self.end):
            at = self._entered(block)
            if bool((self._moved(at, block, distance) > self.run.blocks.weights[at]).any()):
                return False
        return True

    def _entered(self, block: int) -> Array:
        """Positions of the entries of a block that play can come to; the others mean nothing."""
        at, entered = self._entries(block, block + 1), self.run.entered
        return at[entered[at % entered.size]]

    def _moved(self, at: Array, block: int, distance: float) -> Array:
        """By how much the values of a block move, in parts of a distance to all that it reads."""
        values, work, stop = self.run.blocks.values, self.run.works[0], self.workers.stop
        kept, moved = values[at].copy(), np.zeros(at.size)
        for bias in (distance, -distance):
            self.run.evaluate(work, block, block + 1, 1, stop, bias=bias)
            moved = np.fmax(moved, (values[at] - kept) / bias)
            values[at] = kept
        return moved
