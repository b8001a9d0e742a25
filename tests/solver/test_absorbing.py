"""Expected visits: all of them against fractions, however long play goes round."""

from __future__ import annotations

from fractions import Fraction
from random import Random

import numpy as np
import pytest

from dicegames.solver.explicit import absorbing
from dicegames.solver.explicit.absorbing import AbsorbingChain
from dicegames.solver.kernels.workers import Workers
from dicegames.solver.model import Array, rows_begin
from dicegames.solver.status import SolveError, Status

Ways = list[list[tuple[int, Fraction]]]
"""By state: where each way on leads, -1 being the end, and its chance."""


def a_chain(seed: int) -> Ways:
    """Return a chain that goes round; in every third one the end is as good as never met."""
    random = Random(seed)
    states, leaves = random.randint(1, 13), Fraction(1, 10**7 if seed % 3 == 0 else 16)
    found: Ways = []
    for state in range(states):
        targets = [random.randrange(-1, states) for _ in range(random.randint(1, 3))]
        if seed % 2:  # mostly onwards
            onwards = (min(states - 1, state + random.randint(1, 3)) for _ in targets)
            targets = [
                t if random.random() < 0.3 else o for t, o in zip(targets, onwards, strict=True)
            ]
        shares = [random.randint(1, 8) for _ in targets]
        parts = [Fraction(share, sum(shares)) * (1 - leaves) for share in shares]
        found.append([*zip(targets, parts, strict=True), (-1, leaves)])
    return found


def visits_of(ways: Ways, starts: list[int]) -> Array:
    first = rows_begin(np.array([len(row) for row in ways]))
    target = np.array([t for row in ways for t, _ in row], np.int32)
    weight = np.array([float(chance) for row in ways for _, chance in row])
    with Workers(1) as workers:
        return AbsorbingChain.of(first, target, weight, workers).visits(np.array(starts))


def exact_visits(ways: Ways, starts: list[int]) -> list[Fraction]:
    """Solve m = s + m P by elimination."""
    count = len(ways)
    rows = [[Fraction(i == j) for j in range(count)] + [Fraction(starts[i])] for i in range(count)]
    for state, row in enumerate(ways):
        for target, chance in row:
            if target >= 0:
                rows[target][state] -= chance
    for column in range(count):
        pivot = next(r for r in range(column, count) if rows[r][column])
        rows[column], rows[pivot] = rows[pivot], rows[column]
        top = rows[column] = [n / rows[column][column] for n in rows[column]]
        for other in range(count):
            if other != column and rows[other][column]:
                part = rows[other][column]
                rows[other] = [a - part * b for a, b in zip(rows[other], top, strict=True)]
    return [row[-1] for row in rows]


@pytest.mark.parametrize("seed", range(60))
def test_visits_are_right_to_rounding(seed: int) -> None:
    ways = a_chain(seed)
    starts = [Random(seed).randint(0, 2) for _ in ways]
    expected = exact_visits(ways, starts)
    for found, right in zip(visits_of(ways, starts), expected, strict=True):
        assert abs(Fraction(float(found)) - right) <= Fraction(1, 10**14) * right


@pytest.mark.parametrize("seed", [1, 2, 4, 5])
def test_where_too_many_go_round_they_are_sent_on_until_none_is_left(
    seed: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    ways = a_chain(seed)
    starts = [1, *[0] * (len(ways) - 1)]
    monkeypatch.setattr(absorbing, "MOST_SET_APART", 0)
    assert visits_of(ways, starts) == pytest.approx(
        [float(n) for n in exact_visits(ways, starts)], rel=1e-12, abs=1e-15
    )


def test_what_is_not_followed_to_its_end_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    slow: Ways = [[(1, Fraction(1))], [(0, 1 - Fraction(1, 10**7)), (-1, Fraction(1, 10**7))]]
    assert visits_of(slow, [1, 0]) == pytest.approx([1e7, 1e7], rel=1e-14)
    monkeypatch.setattr(absorbing, "MOST_SET_APART", 0)
    with pytest.raises(SolveError) as refused:
        visits_of(slow, [1, 0])
    assert refused.value.status is Status.NOT_CONVERGED


def test_play_without_an_end_is_refused_where_it_comes_there() -> None:
    half = Fraction(1, 2)
    ways: Ways = [[(1, half), (-1, half)], [(-1, Fraction(1))], [(3, Fraction(1))], []]
    ways[3] = [(2, Fraction(1))]
    assert visits_of(ways, [1, 0, 0, 0]).tolist() == [1.0, 0.5, 0.0, 0.0]
    with pytest.raises(SolveError) as refused:
        visits_of(ways, [0, 0, 1, 0])
    assert refused.value.status is Status.ENDLESS
