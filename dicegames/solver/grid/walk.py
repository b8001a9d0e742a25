"""Kernels for turns that are played: moves that are known, every throw from a generator.

Beyond the last level moves are chosen as there, but counted is on.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from dicegames.solver.grid.turn_model import MergedTurn
from dicegames.solver.kernels.arrays import Matrix, Vector
from dicegames.solver.kernels.evaluate import PURE
from dicegames.solver.kernels.generator import STEP, uniform
from dicegames.solver.kernels.kernel import njit
from dicegames.solver.model import CHANCE, Array


class TurnGraph(NamedTuple):
    """The inside of a turn."""

    chance: Vector[np.uint8]  # [N]: edges are drawn, else chosen
    first: Vector[np.int64]  # [N + 1]
    target: Vector[np.int64]  # [E]: node; -1 - k: the end k of the turn
    rise: Vector[np.int64]  # [E]: levels up
    weight: Vector[np.float64]  # [E]
    guard: Vector[np.int64]  # [E]: number among the guards that vary, -1: none
    reward: Matrix[np.float64]  # [E, columns]


class Lanes(NamedTuple):
    """Turns that are played side by side."""

    state: Vector[np.uint64]  # [lanes]: of the generators
    node: Vector[np.int64]  # [lanes]: of the program; -1 - k: it ended there (too large k: nowhere)
    level: Vector[np.int64]  # [lanes]
    gains: Matrix[np.float64]  # [lanes, columns of the rewards]: sums of what is paid on the way


def graph_of(turn: MergedTurn) -> TurnGraph:
    """Lay out the inside of a turn for playing."""
    model, each = turn.inside, len(turn.inside.rewards) // turn.columns
    constants = np.array([reward.constant for reward in model.rewards]).reshape(-1, each)
    up = np.zeros(len(model.effects), np.int64)
    up[list(turn.rises)] = list(turn.rises.values())
    flag = np.array([guard[0] if guard else -1 for guard in model.guards], np.int64)
    return TurnGraph(
        chance=(model.kind == CHANCE).astype(np.uint8),
        first=model.first_edge,
        target=np.where(turn.end < 0, model.target, -1 - turn.end),
        rise=up[model.effect],
        weight=model.weight,
        guard=flag[model.guard],
        reward=np.ascontiguousarray(constants[:, model.reward].T),
    )


@njit(**PURE)
def _drawn(p: TurnGraph, node: int, u: float) -> int:
    """The edge that chance takes, for a number from 0 up to 1."""
    last = p.first[node + 1] - 1
    for edge in range(p.first[node], last):
        u -= p.weight[edge]
        if u < 0:
            return edge
    return last


@njit(**PURE)
def _chosen(p: TurnGraph, node: int, move: float, guards: Array, level: int, lane: int) -> int:
    """The edge of a move; -1 if it is not known, or none is legal."""
    first = p.first[node]
    if not 0 <= move < p.first[node + 1] - first:
        return -1
    edge = first + int(move)
    guard = p.guard[edge]
    return -1 if guard >= 0 and guards[guard, level, lane] != 0 else int(edge)


@njit(**PURE)
def play_turns(
    p: TurnGraph, slot: Array, levels: int, ends: int, moves: Array, guards: Array, begin: int,
    t: Lanes,
) -> None:  # fmt: skip
    """Play the turns of one vector of lanes, those from `begin` on, to their ends.

    `moves` (float64[levels, slots, lanes]) are the numbers of the edges that are taken at the
    nodes with a `slot` (int64[N], -1: chance), `guards` (float64[guards, levels, lanes]) are 1
    where they fail.
    """
    for lane in range(moves.shape[2]):
        own = begin + lane
        node, state = t.node[own], t.state[own]
        while node >= 0:
            level = min(t.level[own], levels - 1)
            if p.chance[node] != 0:
                state += STEP
                edge = _drawn(p, node, uniform(state))
            else:
                edge = _chosen(p, node, moves[level, slot[node], lane], guards, level, lane)
                if edge < 0:
                    node = -1 - ends
                    break
            for column in range(p.reward.shape[1]):
                t.gains[own, column] += p.reward[edge, column]
            t.level[own] += p.rise[edge]
            node = p.target[edge]
        t.node[own], t.state[own] = node, state
