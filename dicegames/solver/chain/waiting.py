"""Probability that waits at states of layers to come.

Each state has a row, for each seat that may be to move there; when a layer is gone through its rows
are free again.
"""

from __future__ import annotations

from collections import defaultdict
from typing import Final

import numpy as np
from attrs import define, field

from dicegames.solver.graph.turn import unfit
from dicegames.solver.kernels.evaluate import PURE
from dicegames.solver.kernels.kernel import njit
from dicegames.solver.model import Array
from dicegames.solver.status import SolveError, Status

MOST_WAITING_CELLS: Final = 200_000_000


@njit(**PURE)
def take_rows(
    first: Array, target: Array, rotate: Array, seats: int, state: Array, turned: Array,
    looked_at: Array, way: Array, mass: Array, place: Array, free: Array, left: int, taken: Array,
) -> int:  # fmt: skip
    """Give rows to the targets of mass that have none; how many, -1 where too few are free.

    `free[:left]` are rows, the last being taken first, and `taken` is which targets got one.
    """
    count = 0
    for row in range(mass.shape[0]):
        plain = False
        for n in range(looked_at.size):
            own = state[way[n] if (looked_at[n] - turned[row]) % seats == 0 else 0, row]
            if (own == state[0, row] and plain) or not mass[row, n].any():
                continue
            plain |= own == state[0, row]
            for k in range(first[own], first[own + 1]):
                to = target[k] * seats + (turned[row] + rotate[k]) % seats
                if target[k] < 0 or place[to] != 0:
                    continue
                if count == left:
                    for i in range(count):
                        place[taken[i]] = 0
                    return -1
                place[to] = free[left - 1 - count] + 1
                taken[count] = to
                count += 1
    return count


@define(eq=False)
class Waiting:
    """Mass that waits at states of layers to come, each in a row of its own."""

    layers: Array  # int64: by position
    seats: int
    mass: Array  # float64[rows, seats looked at, accounts]
    place: Array  # int32[states * seats]: the row of a state, plus 1, by who is to move; 0: none
    free: Array = field(factory=lambda: np.zeros(1, np.int64))  # int64[rows]: those to be taken
    left: int = 0  # how many: the first ones, the last of which is taken first
    codes: dict[int, list[Array]] = field(factory=lambda: defaultdict(list))  # by layer: places

    def note(self, codes: Array, after: int) -> None:
        """Note where mass waits: all of it comes up after a layer."""
        if not codes.size:
            return
        own = self.layers[codes // self.seats % self.layers.size]
        if own.min() <= after:
            raise unfit("play leads back to a layer that it has left")
        order = np.argsort(own, kind="stable")
        found, first = np.unique(own[order], return_index=True)
        for layer, part in zip(found.tolist(), np.split(codes[order], first[1:]), strict=True):
            self.codes[layer].append(part)

    def pop(self) -> tuple[int, Array, Array]:
        """Return the next layer, where mass waits in it, and that mass; its rows are free again."""
        layer = min(self.codes)
        codes = np.sort(np.concatenate(self.codes.pop(layer)))
        rows = self.place[codes] - 1
        mass = self.mass[rows]
        self.mass[rows] = 0.0
        self.place[codes] = 0
        self.free[self.left : self.left + rows.size] = rows
        self.left += rows.size
        return layer, codes, mass

    def make_room(self, rows: int, accounts: int) -> None:
        """Have at least so many rows and accounts in all."""
        had, columns, width = self.mass.shape
        if rows <= had and accounts <= width:
            return
        accounts = width if accounts <= width else max(accounts, width + width // 2)
        new = room(max(rows, had), columns, accounts)
        new[:had, :, :width] = self.mass
        self.mass, more = new, np.arange(len(new) - 1, had - 1, -1)
        self.free = np.concatenate([self.free[: self.left], more, np.zeros(had, np.int64)])
        self.left += more.size


def room(rows: int, columns: int, accounts: int) -> Array:
    """Mass of none; SolveError where it takes too much."""
    if rows * columns * accounts > MOST_WAITING_CELLS:
        raise SolveError(Status.TOO_MANY_RESULTS, f"{accounts:,} sums in {rows:,} positions")
    return np.zeros((rows, columns, accounts))
