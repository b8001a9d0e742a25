"""Hand-built games against figures of other programs.

Despirala: the C++ Despirala engine in exact arithmetic mode.  Yahtzee: yatzy-solver 1.0.0, variant
american (bonus paid on reaching 63).  Pig: the optimal first player wins with 0.530592725...
"""

from __future__ import annotations

import numpy as np
import pytest

from dicegames.solver.model import CHOICE
from dicegames.solver.solve import solve
from dicegames.solver.solved import Solved
from tests.solver.models import Despirala, Yahtzee, pig

# used boxes as a mask, goods at the start of the turn, value
NORMAL = [
    (0, 0, 443.616365582862),
    (4031, 30, 187.34868572072),
    (10574, 35, 274.624970307461),
    (15360, 3, 239.549220530133),
    (15782, 6, 115.518773317217),
]
MISERE = [
    (0, 0, 105.972952236092),
    (15078, 41, 137.378744893329),
    (706, 11, 109.861355209729),
    (15357, 50, 101.613318972896),
    (4112, 0, 97.417296398759),
]


def solved_game(model: object) -> Solved:
    solved = solve(model)  # type: ignore[arg-type]
    assert solved.status.solved, solved.detail
    assert solved.method == "blocks"
    return solved


@pytest.mark.parametrize(("misere", "figures"), [(False, NORMAL), (True, MISERE)])
def test_despirala(misere: bool, figures: list[tuple[int, int, float]]) -> None:
    model = Despirala(misere=misere).model()
    solved = solved_game(model)
    assert solved.value == pytest.approx(figures[0][2], abs=1e-9)
    assert solved.error_bound < 1e-9
    table = solved.tables[model.start]
    for used, goods, value in figures:
        assert table[used, goods + 5] == pytest.approx(value, abs=1e-9)
        assert solved.value_at(model.start, (used, goods + 5)) == table[used, goods + 5]
    assert np.isnan(table[0, 40])


def test_yahtzee() -> None:
    model = Yahtzee().model()
    solved = solved_game(model)
    assert solved.value == pytest.approx(254.58960948196315, abs=1e-9)
    assert solved.states_reachable == 536_448
    table = solved.tables[model.start]
    assert table[0b0000001000101, 10, 0] == pytest.approx(195.8932322121491, abs=1e-9)
    mask = sum(1 << box for box in (0, 1, 2, 6, 7, 11, 12))
    assert table[mask, 8, 1] == pytest.approx(125.20187776211968, abs=1e-9)
    mask = sum(1 << box for box in (0, 1, 9, 11))
    assert table[mask, 5, 1] == pytest.approx(195.5872973684417, abs=1e-9)


def test_pig() -> None:
    solved = solved_game(pig())
    assert solved.value == pytest.approx(0.5305927252737, abs=1e-12)
    assert isinstance(solved.lower, float)
    assert isinstance(solved.upper, float)
    assert solved.lower <= 0.5305927252737 <= solved.upper
    assert solved.upper - solved.lower < 1e-10
    assert solved.cycles > 0


def test_pig_both_ways() -> None:
    model = pig(20)
    explicit, blocks = solve(model, method="explicit"), solve(model, method="blocks")
    assert explicit.value == pytest.approx(blocks.value, abs=1e-12)
    node = int(np.flatnonzero(model.kind == CHOICE)[3])
    for point in ((0, 0), (3, 12), (10, 4)):
        one, other = explicit.value_at(node, point), blocks.value_at(node, point)
        assert one == pytest.approx(other, abs=1e-11)


def test_values_of_small_games_agree() -> None:
    for model in (Despirala(boxes=3).model(), Yahtzee(closed=0b1011111011110).model()):
        values = [solve(model, method=m).value for m in ("blocks", "explicit")]
        assert values[0] == pytest.approx(values[1], abs=1e-11)


def test_unreachable_points_are_not_made_up() -> None:
    model = Despirala(boxes=3).model()
    solved = solve(model, method="blocks")
    with pytest.raises(LookupError):
        solved.value_at(model.start, (0b1, 5))
    with pytest.raises(LookupError):
        solved.value_at(model.start, (0, 99))
    with pytest.raises(LookupError):
        solved.value_at(model.nodes, (0, 0))
