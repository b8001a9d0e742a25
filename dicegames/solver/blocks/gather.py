"""Fetch the rows of a block: what tables, given values and rewards say in all lanes."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from dicegames.solver.blocks.lookups import (
    END_BELOW,
    GIVEN_BELOW,
    Blocks,
    Points,
    read_lookup,
    told_at,
)
from dicegames.solver.blocks.program import Program
from dicegames.solver.blocks.specialise import Work
from dicegames.solver.kernels.arrays import Vector
from dicegames.solver.kernels.evaluate import INNER
from dicegames.solver.kernels.kernel import njit
from dicegames.solver.kernels.lanes import entry


class Fetches(NamedTuple):
    """The rows read from tables."""

    table: Vector[np.int64]  # [fetches]: its offset; -1: rewards alone; below: given values
    sign: Vector[np.float64]  # -1 where the seats rotate
    plus: Vector[np.float64]  # the constant sum there
    move_first: Vector[np.int32]  # [fetches + 1]
    move: Vector[np.int32]  # lookups
    reward_first: Vector[np.int32]  # [fetches + 1]
    reward: Vector[np.int32]  # lookups
    cond: Vector[np.int32]  # what is taken for granted; elsewhere the row holds the worst value
    home: Vector[np.int32]  # offset of the row


@njit(**INNER)
def gather(
    p: Points, t: Fetches, program: Program, b: Blocks, begin: int, inner: int, width: int, w: Work,
    worst: float, bias: float,
) -> None:  # fmt: skip
    """Fetch what the tables and rewards give in all lanes, of which the first is point `begin`."""
    needed, fetched, home, read = w.needed, w.fetched, w.home, w.read
    worth, states, places = w.reward, w.state, w.place
    cond, move_first, reward_first, moved = t.cond, t.move_first, t.reward_first, t.move
    paid, tables = t.reward, t.table
    weights, values, given, ends = b.weights, b.values, b.given, b.ends
    inside = inner * b.inner_step
    cond_first, cond_bool = program.cond_first, program.cond_bool
    for k in range(tables.size):
        if needed[cond[k]] == 0:
            for lane in range(width):
                fetched[k, lane] = worst
            continue
        move, reward = move_first[k], reward_first[k]
        moves = move_first[k + 1] - move
        for i in range(moves + reward_first[k + 1] - reward):  # one call, which is inlined
            read_lookup(p, moved[move + i] if i < moves else paid[reward + i - moves], width, w)
        if tables[k] < GIVEN_BELOW:
            end, inner_points = GIVEN_BELOW - 1 - tables[k], p.rank.size
            for lane in range(width):
                fetched[k, lane] = given[told_at(begin + lane, end, ends, inner, inner_points)]
        elif tables[k] < 0:
            for lane in range(width):
                fetched[k, lane] = 0.0
        else:
            table, plus, sign = tables[k] + inside, t.plus[k], t.sign[k]
            for lane in range(width):
                places[lane] = home[lane] + table
            for i in range(move_first[k], move_first[k + 1]):
                j = np.uint64(moved[i])  # never negative, which makes a loop of vectors
                for lane in range(width):
                    places[lane] += read[j, lane]
            for lane in range(width):
                at = places[lane]
                new = plus + sign * entry(values, max(at, 0))
                fetched[k, lane] = new if at >= 0 else (0.0 if at < END_BELOW else worst)
            if bias != 0.0:
                for lane in range(width):
                    if places[lane] >= 0:
                        fetched[k, lane] += bias * weights[places[lane]]
        for i in range(reward_first[k], reward_first[k + 1]):
            j = np.uint64(paid[i])
            for lane in range(width):
                fetched[k, lane] += worth[j, lane]
        for i in range(cond_first[cond[k]], cond_first[cond[k] + 1]):
            j = cond_bool[i]
            if states[j] == 2:
                for lane in range(width):
                    if read[j, lane] == 0:
                        fetched[k, lane] = worst
