"""Blended rows: weighted sums of moved rows, the tiles of several of them held in registers.

A row holds the probabilities of consecutive sums. States that differ in an inner axis only share
most of what they lead to, so GROUP of them are blended at once, and every tile of a row that is
loaded serves them all. Between rows lie TILE zeros, so that a tile may stick out at either end.
What is to be blended is collected lane by lane for many groups, and then done one lane after the
other, since the groups of a lane lead to the same rows.
"""

from __future__ import annotations

from typing import Final, NamedTuple

import numpy as np

from dicegames.solver.chain.chain import LANES, Walk
from dicegames.solver.kernels import lanes
from dicegames.solver.kernels.arrays import Cube, Matrix, Vector
from dicegames.solver.kernels.evaluate import PURE
from dicegames.solver.kernels.kernel import njit
from dicegames.solver.model import Array

GROUP: Final = 4
TILE: Final = 32
WIDE: Final = (0.0, 0.0, 0.0, 0.0)  # of vectors, see `lanes`
ROOM: Final = 1 << 13
GROUPS: Final = 32


class Blend(NamedTuple):
    """What goes into the rows of some groups of states: scratch memory of one thread."""

    slot: Vector[np.int64]  # [exits * inner points]: slot of an exit that the group takes, else -1
    exit: Vector[np.int64]  # [slots]: its inverse
    chance: Vector[np.float64]  # [slots * GROUP * LANES]: probabilities of the exits
    inner: Vector[np.int64]  # [GROUP]: inner points of the group
    total: Vector[np.float64]  # [GROUP]: sum of the weights
    mean: Vector[np.float64]  # [GROUP]: mean of what is paid and of the values reached
    begin: Matrix[np.int64]  # [LANES, sources]: lowest sum of a row, moved
    length: Matrix[np.int64]  # [LANES, sources]
    at: Matrix[np.int64]  # [LANES, sources]: where the row begins
    weight: Matrix[np.float64]  # [LANES, sources * GROUP]
    last: Matrix[np.int64]  # [LANES, groups]: end of the sources of a group
    members: Vector[np.int64]  # [groups]
    key: Cube[np.int64]  # [LANES, groups, GROUP]: landing keys, -1: not wanted
    low: Cube[np.int64]  # [LANES, groups, GROUP]: lowest sum of a blended row
    high: Cube[np.int64]  # [LANES, groups, GROUP]: the one above the highest
    count: Vector[np.int64]  # type: ignore[assignment]  # [1 + LANES]: groups collected, sources by lane
    out: Matrix[np.float64]  # [GROUP, width]: blended rows, over their common sums


def make_blend(walk: Walk, width: int) -> Blend:
    """Scratch memory for rows of up to `width` sums together."""
    exits = walk.exit_edge.size * walk.rank.size
    sources = max(ROOM, exits)
    return Blend(
        slot=np.full(exits, -1, np.int64),
        exit=np.zeros(exits, np.int64),
        chance=np.zeros(exits * GROUP * LANES),
        inner=np.zeros(GROUP, np.int64),
        total=np.zeros(GROUP),
        mean=np.zeros(GROUP),
        begin=np.zeros((LANES, sources), np.int64),
        length=np.zeros((LANES, sources), np.int64),
        at=np.zeros((LANES, sources), np.int64),
        weight=np.zeros((LANES, sources * GROUP)),
        last=np.zeros((LANES, GROUPS), np.int64),
        members=np.zeros(GROUPS, np.int64),
        key=np.zeros((LANES, GROUPS, GROUP), np.int64),
        low=np.zeros((LANES, GROUPS, GROUP), np.int64),
        high=np.zeros((LANES, GROUPS, GROUP), np.int64),
        count=np.zeros(1 + LANES, np.int64),
        out=np.zeros((GROUP, width + TILE)),
    )


@njit(**PURE)
def blend_one(
    wide: tuple[float, ...], old: Array, m: Blend, lane: int, first: int, last: int, low: int,
    high: int,
) -> None:  # fmt: skip
    """Blend the first row of a group from the sources first..last, over the sums low..high."""
    begin, length, at, weight = m.begin[lane], m.length[lane], m.at[lane], m.weight[lane]
    for x in range(low, high, TILE):
        one = lanes.full(wide, 0.0)
        for k in range(first, last):
            skip = x - begin[k]
            if skip <= -TILE or skip >= length[k]:
                continue
            part = lanes.load(wide, old, at[k] + skip)
            one = lanes.add_product(one, part, lanes.entry(weight, k * GROUP))
        lanes.store(one, m.out[0], x - low)


@njit(**PURE)
def blend_all(
    wide: tuple[float, ...], old: Array, m: Blend, lane: int, first: int, last: int, low: int,
    high: int,
) -> None:  # fmt: skip
    """Blend all rows of a group from the sources first..last, over the sums low..high."""
    begin, length, at, weight = m.begin[lane], m.length[lane], m.at[lane], m.weight[lane]
    for x in range(low, high, TILE):
        one = two = three = four = lanes.full(wide, 0.0)
        for k in range(first, last):
            skip = x - begin[k]
            if skip <= -TILE or skip >= length[k]:
                continue
            part = lanes.load(wide, old, at[k] + skip)
            one = lanes.add_product(one, part, lanes.entry(weight, k * GROUP))
            two = lanes.add_product(two, part, lanes.entry(weight, k * GROUP + 1))
            three = lanes.add_product(three, part, lanes.entry(weight, k * GROUP + 2))
            four = lanes.add_product(four, part, lanes.entry(weight, k * GROUP + 3))
        lanes.store(one, m.out[0], x - low)
        lanes.store(two, m.out[1], x - low)
        lanes.store(three, m.out[2], x - low)
        lanes.store(four, m.out[3], x - low)
