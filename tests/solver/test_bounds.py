"""Bounds round a cycle hold whatever the values are for which they are asked."""

from __future__ import annotations

import numpy as np

from dicegames.solver.blocks.blocks import make_plan, make_run
from dicegames.solver.blocks.cycle import _RunPart
from dicegames.solver.kernels.workers import Workers
from dicegames.solver.model import CHANCE, END, Axis, Model
from tests.solver.models import Builder

STAY, PLACES = 0.99, 16


def ring() -> Model:
    """Two seats take turns to go round; at each place play may end, at some of them it is won."""
    b = Builder([Axis("place", PLACES, "counter")])
    end, node = b.node("end", END), b.node("node", CHANCE, stored=True)
    further = b.lookup("further", (0,), np.int32, lambda k: (k + 1) % PLACES)
    won = b.lookup("won", (0,), np.float64, lambda k: float(k % 3 == 0))
    b.edge(node, node, weight=STAY, effect=b.effect((0, further)), rotate=1)
    b.edge(node, end, weight=1 - STAY, reward=b.reward(0.0, won))
    return b.build("ring", node, (0,), seats=2, constant_sum=1.0)


def test_bounds_hold_where_blocks_read_each_other_and_seats_rotate() -> None:
    """What is wrong in the last place of one block is wrong everywhere, and seen there alone."""
    to = np.roll(np.eye(PLACES), 1, axis=1)
    ends = (1 - STAY) * (np.arange(PLACES) % 3 == 0)
    exact = np.linalg.solve(np.eye(PLACES) + STAY * to, ends + STAY)
    wrong = 1e-4 * (-STAY) ** (PLACES - 1 - np.arange(PLACES))
    with Workers(2) as workers:
        run = make_run(make_plan(ring(), workers), workers)
        assert run.grouping.block_first.tolist() == [0, PLACES // 2, PLACES]
        run.blocks.values[:] = exact + wrong
        bound, _ = _RunPart(run, 0, 2, workers).prove(1.0, 0.0, 0.0, 1e-12)
        assert 0 < np.abs(run.blocks.values - exact).max() <= bound < 1e-5
