"""Which points of a layer are solved together: those that lead to each other and back."""

import tracemalloc

import numpy as np
import pytest

import dicegames
from dicegames.compiler.compile import compile_game
from dicegames.ground.source import Source
from dicegames.rules.check import check
from dicegames.solver.blocks import grouping
from dicegames.solver.blocks.blocks import make_plan
from dicegames.solver.blocks.grouping import sort_points
from dicegames.solver.kernels.workers import Workers


@pytest.mark.parametrize(
    ("name", "options", "sets"),
    [
        ("chutes_and_ladders", {"players": 2}, 1),
        ("pig", {"target": 12}, 11 * 12 // 2),  # two of the totals 0 and 2 to 11, whoever moves
    ],
)
def test_sets_are_the_same_however_many_pairs_are_held(
    name: str, options: dict[str, int], sets: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    model = compile_game(dicegames.load(name, **options).rules).model
    with Workers(1) as workers:
        plan = make_plan(model, workers)
    parts = (plan.model, plan.turn, plan.musts, plan.layout, plan.progress, plan.reach)
    at_once = sort_points(*parts)
    monkeypatch.setattr(grouping, "MOST_PAIRS", 0)
    one_by_one = sort_points(*parts)
    assert at_once.position.tolist() == one_by_one.position.tolist()
    assert at_once.closed.tolist() == one_by_one.closed.tolist()
    assert len(np.unique(at_once.closed)) == sets


ROW = """
game "Numbers that rise"

dice 2d6

each player
    field of (1 to 4) = 0 to 12
    misses = 0 to 2

fits of (p, n) means
    all of
        field of p = 0
        every q in (1 to 4) has (q >= p or field of q = 0 or field of q < n)
        every q in (1 to 4) has (q <= p or field of q = 0 or field of q > n)

turn
    roll all
    choose
        one of 1 to 4 as p where fits of (p, sum of dice): field of p = sum of dice
        "Miss": misses + 1

ends when misses = 2
payoff highest size of those p in (1 to 4) where field of p > 0
"""


def test_few_points_are_sorted_as_among_all(monkeypatch: pytest.MonkeyPatch) -> None:
    """Guards of many axes were looked up everywhere: that took longer than all of the rest."""
    model = compile_game(check(Source("row.dg", ROW))).model
    with Workers(1) as workers:
        plan = make_plan(model, workers)
    parts = (plan.model, plan.turn, plan.musts, plan.layout, plan.progress, plan.reach)
    tracemalloc.start()
    few = sort_points(*parts)
    _, taken = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    everywhere = np.prod(plan.model.shape)
    assert few.position.size * grouping.FEW_POINTS < everywhere
    assert taken < everywhere * 16
    monkeypatch.setattr(grouping, "FEW_POINTS", everywhere)
    assert few.position.tolist() == sort_points(*parts).position.tolist()
