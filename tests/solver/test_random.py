"""Random models: blocks, the explicit method and fractions agree."""

from __future__ import annotations

import numpy as np
import pytest

from dicegames.solver.graph.reduce import reduce
from dicegames.solver.model import END
from dicegames.solver.solve import solve
from dicegames.solver.validation import validate
from tests.solver.random_models import Maker, exact, exact_by_seat, selfish


@pytest.mark.parametrize("seed", range(60))
def test_methods_agree(seed: int) -> None:
    model = Maker(seed, two_seats=seed % 3 == 0, bits=seed % 2 == 0).model()
    validate(model)
    values = exact(model)
    start = float(values[model.start, model.start_point])
    explicit = solve(model, method="explicit")
    assert explicit.status.solved, explicit.detail
    assert explicit.value == pytest.approx(start, abs=1e-12)
    solved = solve(model, method="blocks")
    assert solved.status.solved, solved.detail
    assert solved.method == "blocks"
    assert solved.value == pytest.approx(start, abs=1e-12)
    assert isinstance(solved.lower, float)
    assert isinstance(solved.upper, float)
    assert solved.lower - 1e-12 <= start <= solved.upper + 1e-12
    for (node, point), value in values.items():
        assert solved.value_at(node, point) == pytest.approx(float(value), abs=1e-12)


@pytest.mark.parametrize("seed", range(12))
def test_reduction_keeps_every_value(seed: int) -> None:
    model = Maker(seed, two_seats=False, bits=seed % 2 == 0).model()
    reduced, node_of = reduce(model)
    validate(reduced)
    assert reduced.edges <= model.edges
    smaller = exact(reduced)
    for (node, point), value in exact(model).items():
        other = int(node_of[node])
        if (other, point) in smaller and model.kind[node] != END:
            assert float(smaller[other, point]) == pytest.approx(float(value), abs=1e-12)


@pytest.mark.parametrize("seed", range(6))
def test_tables_hold_reachable_points_only(seed: int) -> None:
    model = Maker(seed, two_seats=False, bits=True).model()
    values = exact(model)
    solved = solve(model, method="blocks")
    for node, table in solved.tables.items():
        met = {point for n, point in values if n == node}
        known = {tuple(int(i) for i in p) for p in np.argwhere(~np.isnan(table))}
        assert met <= known


@pytest.mark.parametrize("seed", range(30))
def test_methods_agree_where_a_tie_matters_to_another_seat(seed: int) -> None:
    """Payments of -1, 0 and 1: most choices have several best moves, which others care about."""
    model = selfish(seed, bits=seed % 4 < 2)
    validate(model)
    start = [float(v) for v in exact_by_seat(model)]
    for method in ("explicit", "blocks"):
        solved = solve(model, method=method)
        assert solved.status.solved, solved.detail
        assert solved.method == ("explicit" if method == "explicit" else "blocks")
        assert solved.value == pytest.approx(start, rel=0, abs=1e-12)
        assert max(solved.gains) < 1e-9  # nothing is repeated: the values are an equilibrium
