"""Which points of a layer are solved together: those that lead to each other and back."""

import numpy as np
import pytest

import dicegames
from dicegames.compiler.compile import compile_game
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
