"""Bounds round a cycle: trial solutions above and below, that an evaluation brings nearer.

The block operator F (see `cycle`) is monotone.  With U = V + d w, for weights w of the states, one
more evaluation gives F(U); if F(U) <= U everywhere then the fixpoint lies below U, and the same
with V - d w shows it from below.  What is rounded in that evaluation must hold in the distance,
too: rounding adds up for as long as play stays.  Seats that rotate under a constant sum read C - V,
so there the bounds change places, which the sign of d takes into account.  No block sees in a trial
what another one has come to, where it would have the wrong sign.

First all weights are 1.  Where a turn always leads to another one in the layer, or hardly ever out
of it, little is gained in one evaluation.  There the weights w = 1 + F' w, F' being what becomes of
small distances, tell how long play stays.

Where a player may *wait* and lose nothing by it, as by rolling until the turn is lost, V + d is a
fixpoint as well, and nothing brings it nearer.  Then the weights are those of play that leaves,
which are found from the other side, and waiting must gain no more than is rounded.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from attrs import frozen

from dicegames.solver.blocks.block import NOTHING_LACKS, Trial
from dicegames.solver.model import Array

DISTANCES_TRIED = 40
"""How often a larger distance is tried."""
ROUNDINGS_APART = 1000
"""Beside a distance of so many times what is rounded, that is nothing."""
WEIGHT_ROUNDS = 500
"""So often weights are let grow: where play stays longer, the explicit method finds bounds."""
LOOKED = 20
"""After so many times it is looked at whether the bound becomes better by it."""
BOUND_LEFT = 0.9
"""As much of the bound is left where it does."""
WAITS, STAYS = 1 - 1e-5, 0.5
"""A player waits where weights grow by more than the first on one side, by less than the other one
on the other side.
"""
GROWN = 0.1
"""Weights that grow by no more than this leave the rest of a distance to rounding."""
SPARE_DISTANCE = 1.1
"""So many times the distance that is needed is tried."""
BOTH = (1, -1)


@frozen(eq=False)
class Bounds:
    """Bounds for closed sets, each int64[2]: its first block, and the one after its last."""

    sweep: Callable[[Array, Trial], Array]
    """What is lacking of weights of closed sets (int64[2, sets]) in a trial: float64[sets]."""
    weights: Array  # of all entries
    entered: Array  # those that play can come to: what the others have means nothing
    rounded: float  # at most, in one evaluation

    def near(self, sets: Array, distance: float) -> tuple[Array, float]:
        """The closed sets of which it is not proven that values are as near as that.

        In the others every state leaves something of the distance: none is there that play never
        leaves, since there all of it is left, and what is rounded comes on top. Also a distance
        that might have been proven for these.
        """
        self.weights[self.entered] = 1
        lacking = self._lacking(sets, distance, BOTH)
        proven = lacking[lacking <= 0]
        nearer = self.rounded / distance - proven.max(initial=NOTHING_LACKS)
        return sets[:, lacking > 0], SPARE_DISTANCE * self.rounded / nearer

    def find(self, sets: Array, change: float, shift: float) -> float:
        """A bound for some closed sets, in which a sweep changes so much; inf: there is none.

        A `shift` of values is no more than what tells how long play stays.
        """
        found, shift = 0.0, max(shift, ROUNDINGS_APART * self.rounded)
        leaves = self._weigh(sets, shift, BOTH)
        for sides in (BOTH, (1,), (-1,)):
            own = sets[:, leaves == sum(sides)]
            if leaves.any():
                self._weigh(own, shift, sides)
            if own.size > 0:
                found = max(found, self._distance(own, change, sides))
        return found

    def _weigh(self, sets: Array, shift: float, sides: tuple[int, ...]) -> Array:
        """Let the weights of closed sets grow; by set, 0 or the side where play does not wait."""
        self.weights[self.entered] = 1
        growing, best, leaves = np.arange(sets.shape[1]), np.inf, np.zeros(sets.shape[1], np.int64)
        for turn in range(1, WEIGHT_ROUNDS + 1):
            trials = [Trial(side * shift, shift, grows=True) for side in sides]
            grown = np.max([self.sweep(sets[:, growing], trial) for trial in trials], axis=0)
            if turn % LOOKED == 0 and sides == BOTH:
                up, down = (self.sweep(sets[:, growing], Trial(s * shift, shift)) for s in BOTH)
                leaves[growing] = 1 * ((up < STAYS) & (down > WAITS))
                leaves[growing] -= (down < STAYS) & (up > WAITS)
                grown[leaves[growing] != 0] = 0
            growing, grown = growing[grown > GROWN], grown[grown > GROWN]
            if growing.size == 0:
                break
            if turn % LOOKED == 0 and (most := float(grown.max())) < WAITS:
                bound = float(self.weights[self.entered].max()) / (1 - most)
                if bound > BOUND_LEFT * best:
                    break
                best = bound
        return leaves

    def _distance(self, sets: Array, change: float, sides: tuple[int, ...]) -> float:
        """A bound that holds for closed sets with their weights; inf: there is none."""
        heaviest = float(self.weights[self.entered].max())
        distance = SPARE_DISTANCE * (change + self.rounded) / (1 - GROWN)
        for _ in range(DISTANCES_TRIED):
            lacking = self._lacking(sets, distance, sides).max()
            if lacking <= 0:
                return distance * heaviest
            nearer = self.rounded / distance - lacking  # by an evaluation, so many parts
            further = SPARE_DISTANCE * self.rounded / nearer if nearer > 0 else 2 * distance
            distance = max(SPARE_DISTANCE * distance, further)
        return np.inf

    def _lacking(self, sets: Array, distance: float, sides: tuple[int, ...]) -> Array:
        """What is lacking of weights at a distance, whatever is rounded.

        Beyond the sides that play leaves nothing but what is rounded may be lacking.
        """
        trials = [
            Trial(side * distance, self.rounded if side in sides else -self.rounded)
            for side in BOTH
        ]
        found: Array = np.max([self.sweep(sets, trial) for trial in trials], axis=0)
        return found
