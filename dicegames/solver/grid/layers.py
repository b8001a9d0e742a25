"""Solving layer by layer: sweeps until a layer settles, or rounds that are counted if it does not.

Where three or more choose, there need not be play that is best for all and does not count. Then it
is told what is best with k rounds still to come, by backward induction from so far ahead that
hardly any play comes there. The table keeps the values of one round.
"""

from __future__ import annotations

from time import perf_counter

import numpy as np
from attrs import define, field

from dicegames.ground.arguments import OnProgress
from dicegames.solver.grid.end_values import EndValues
from dicegames.solver.grid.grid import Filling, GridLayer, GridTable
from dicegames.solver.grid.kept import KeptGrid, LayersSolved
from dicegames.solver.model import Array
from dicegames.solver.status import SolveError, Status

SURE = 1e-9
"""What chance to leave its layer counts as none."""


@define(eq=False, slots=False)
class Following(Filling):
    """What is evaluated beside the values of a table, on the same points and in the same layers."""

    base: Filling
    own: EndValues = field(init=False)  # what the player to move chooses by

    def __attrs_post_init__(self) -> None:
        super().__attrs_post_init__()
        self.own = EndValues(self.points, self.turn, 1)
        self.rows, self.begins, self.number = self.base.rows, self.base.begins, self.base.number
        self.known = self.base.known

    @property
    def judged(self) -> Array:
        """What moves are chosen by: float64[rows, seats]."""
        return self.base.values

    def followed(self, shown: dict[int, Array], others: Array) -> Array:
        """Return the ends of turns: what is chosen by, then what others have that follow."""
        chosen = self.own.values(shown, self.grid.levels, self.number, self.judged)
        return np.concatenate([chosen, others], axis=3)


@define(eq=False, slots=False)
class Staying(Following):
    """The chance that best play has not left its layer after some turns; see `demand_an_end`."""

    patience: float = field(init=False, default=0.0)  # how much less a move may bring that leads on

    def __attrs_post_init__(self) -> None:
        super().__attrs_post_init__()
        self.seats = self.paid = 1
        self.ends = EndValues(self.points, self.turn, 1)
        self.ends.sense = 0.0  # it is paid nothing
        self.values = np.zeros((len(self.rows), 1))

    @property
    def judged(self) -> Array:
        """The values; of moves that are nearly as good those that lead on."""
        if not self.patience:
            return self.base.values
        return self.base.values - self.patience * self.values

    def played(self, stored: int, shown: dict[int, Array], guards: Array) -> Array:
        """Return the chance to be still in the layer after a turn: float64[lanes, 1]."""
        staying = self.ends.values(shown, self.grid.levels, self.number, self.values)
        return self.evaluated(stored, self.followed(shown, staying), guards)[:, 1:]

    def leave(self, left: Array) -> Array:
        """Return those rows of a layer that best play never leaves."""
        self.values[left] = 1.0
        while left.size:
            before = left.size
            self.sweep(left)
            left = left[self.values[left, 0] > 1.0 - SURE]
            if left.size == before:
                break
        return left


LAYER_SETTLED = 1e-7
"""A layer is swept until nothing changes by more."""
UNSETTLED = 1e-5
"""The largest residual, in parts of the largest value, with which there is a solution."""
MOST_LAYER_SWEEPS = 100
FORESEEN_SWEEPS = 30
"""Sweeps in which limits are foreseen; where the players' choices chase each other, it fails."""
UNMOVED = 1e-11
"""What reads a value that changes by no more than this is not evaluated again."""
MOST_ROUNDS = 1000
NOTED = 1e-6
"""With this chance to stay so long the values of a round are noted, and compared from then on."""
GONE = 1e-12
"""With this chance to stay so long no more rounds are counted."""


def table(kept: KeptGrid, progress: OnProgress | None = None) -> tuple[GridTable, LayersSolved]:
    """Solve on a grid whose points are found; the values, and how they were found.

    Raises SolveError.
    """
    found, filling = solve(kept, progress), kept.filling
    largest = filling.largest
    if not np.isfinite(largest):
        if filling.beyond:  # else no turn that comes up ends so
            beyond = f'"{filling.beyond}" takes values that were not foreseen: give it limits in '
            beyond += 'the rules, such as "from -100 to 200 capped"'
            raise SolveError(Status.UNSUPPORTED, beyond)
        raise SolveError(Status.NO_MOVE)
    if found.change > UNSETTLED * max(1.0, largest):
        raise SolveError(Status.NOT_CONVERGED)
    return filling.table, found


def solve(kept: KeptGrid, progress: OnProgress | None) -> LayersSolved:
    """Solve all layers that are not in files, the last of the game first; points are found."""
    found, filling = kept.restore(), kept.filling
    began = perf_counter() - found.seconds
    for layer in filling.each_layer(kept.row):
        found.layers += 1
        if layer.around.size:
            found.cycles += 1
        if layer.reader.size:
            found.change = max(found.change, _solve_layer(filling, layer, found))
        else:
            filling.sweep(layer.rows)
        found.seconds, row = perf_counter() - began, int(layer.rows[-1]) + 1
        kept.keep(found, row)
        if progress is not None:
            progress(row, len(filling.rows))
    return found


def _solve_layer(filling: Filling, layer: GridLayer, found: LayersSolved) -> float:
    """Solve a layer whose rows read each other; what one more sweep would change.

    Rounds are counted only for the rows that do not settle. Those that read them have what they
    had; but if that moves once more by what was counted, they are counted too.
    """
    change, counted = _settle(filling, layer)
    while counted.size:
        change = _count_rounds(filling, counted, found)
        others = np.setdiff1d(layer.readers(counted), counted)
        before = filling.values[others]
        filling.sweep(others)
        farthest = np.abs(filling.values[others] - before).max(axis=1)
        moved = float(farthest.max(initial=0.0))
        if moved <= LAYER_SETTLED:
            return max(change, moved)
        counted = np.union1d(counted, others[farthest > UNMOVED])
    return change


def _settle(filling: Filling, layer: GridLayer) -> tuple[float, Array]:
    """Sweep a layer's rows until they settle, each again when what it reads has moved.

    Returns what one more sweep would change, and the rows that do not settle.
    """
    rows, values = layer.rows, filling.values
    first, due = rows[0], np.ones(rows.size, np.bool_)
    changes, change, calm = list[Array](), np.inf, False
    for sweep in range(MOST_LAYER_SWEEPS):
        moved = np.zeros((rows.size, filling.seats))
        for group in filling.by_seat(rows):
            swept = group[due[group - first]]
            before = values[swept]
            filling.sweep(swept)
            with np.errstate(invalid="ignore"):  # what is infinite stays so
                step = np.where(values[swept] == before, 0.0, values[swept] - before)
            moved[swept - first] = step
            due[swept - first] = False
            due[layer.readers(swept[np.abs(step).max(axis=1) > UNMOVED]) - first] = True
        change = float(np.abs(moved).max())
        if change <= LAYER_SETTLED:
            if calm:
                return change, rows[:0]
            calm = True
            changes.clear()
            continue
        calm, changes = False, [*changes[-1:], moved]
        leap = np.zeros_like(moved)
        if sweep > 2 * FORESEEN_SWEEPS:
            leap = -moved / 2
        elif sweep < FORESEEN_SWEEPS and filling.grid.balanced and len(changes) == 2:
            leap = _leap(*changes)
        leaps = rows[leap.any(axis=1)]
        if leaps.size:
            values[rows] += leap
            due[leaps - first] = True
            due[layer.readers(leaps) - first] = True
            changes.clear()
    return change, rows[due]


def _leap(old: Array, new: Array) -> Array:
    """How far values are from their limit that come nearer to it by the same factor in each sweep.

    Only where what one gains others lose: else values that are too large may stay, as it would
    be best for all never to come to the end.
    """
    with np.errstate(invalid="ignore"):  # what became infinite fits nothing; `table` refuses it
        factor = (old * new).sum(axis=1) / np.maximum((old * old).sum(axis=1), 1e-300)
        factor = np.where((factor > 0) & (factor < 0.9), factor, 0.0)[:, None]
        return np.where(factor > 0, new * (factor / (1 - factor)), 0.0)


def _count_rounds(filling: Filling, rows: Array, found: LayersSolved) -> float:
    """Go back from so far ahead that hardly any play comes there; what that chance is worth."""
    staying = Staying(filling.model, filling.grid, filling.workers, filling)
    staying.values[rows] = chance = 1.0
    lowest = highest = filling.values[rows]
    for number in range(MOST_ROUNDS):
        for group in filling.by_seat(rows):
            staying.sweep(group)  # chosen is by what the round after is worth, as in the next line
            filling.sweep(group)
        met = filling.values[rows]
        if chance > NOTED:
            lowest = highest = met
        lowest, highest = np.minimum(lowest, met), np.maximum(highest, met)
        chance = float(staying.values[rows].max())
        if chance <= GONE or (number > MOST_LAYER_SWEEPS and chance > 0.5):
            break
    largest = max(1.0, float(np.abs(filling.values[rows]).max()))
    differ = (highest - lowest).max(axis=1)
    found.counting += int((differ > 4 * NOTED * largest).sum())
    found.differ = max(found.differ, float(differ.max()))
    return 2 * chance * largest
