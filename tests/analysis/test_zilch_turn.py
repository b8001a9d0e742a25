"""One turn of Zilch, best play without the penalty, by a second way that shares nothing with ours.

Written from the published rules alone, in fractions, so that there is no cut-off and no rounding:
six dice always bring something, so from some points on (`TAIL`) one rolls six dice and banks with
fewer, and rolling six is worth the same, `BONUS`, whatever the points. Below that the values follow
from each other.
"""

from __future__ import annotations

from collections import Counter
from fractions import Fraction
from functools import cache
from itertools import combinations_with_replacement, product
from math import factorial, inf, prod
from pathlib import Path

import pytest

from dicegames.loading import load, solve

GAMES = Path(__file__).parents[2] / "games"
BONUS = Fraction(66475, 139)
TAIL = 3150
LEAST_BANKED = 300


def points(taken: dict[int, int]) -> int | None:
    """What dice taken together are worth, None if one of them does not score."""
    total = 0
    for face, count in taken.items():
        if count >= 3:
            total += (1000 if face == 1 else 100 * face) * 2 ** (count - 3)
        elif count > 0 and face not in (1, 5):
            return None
        else:
            total += count * (100 if face == 1 else 50)
    return total


def ways(dice: Counter[int]) -> dict[int, int]:
    """Dice left to roll -> the most points with which so many are left."""
    found: dict[int, int] = {}
    size, counts = dice.total(), sorted(dice.values())
    for chosen in product(*(range(count + 1) for count in dice.values())):
        won = points(dict(zip(dice, chosen, strict=True)))
        if sum(chosen) and won is not None:
            left = size - sum(chosen) or 6
            found[left] = max(found.get(left, 0), won)
    if size == 6 and counts in ([1] * 6, [2, 2, 2], [2, 4], [6]):
        found[6] = max(found.get(6, 0), 1500)
    return found or ({6: 500} if size == 6 else {})


@cache
def rolls(size: int) -> list[tuple[Fraction, list[tuple[int, int]]]]:
    """The probabilities of what so many dice show, each with its ways."""
    found = []
    for faces in combinations_with_replacement(range(1, 7), size):
        dice = Counter(faces)
        same = prod(map(factorial, dice.values()))
        found.append((Fraction(factorial(size) // same, 6**size), [*ways(dice).items()]))
    return found


def values(
    tail: int, bonus: Fraction | float, most: float = inf
) -> dict[tuple[int, int], Fraction | float]:
    """The value of so many points with so many dice to roll.

    From `tail` on one banks, with six dice one wins the bonus as well; `most` points count.
    """
    found: dict[tuple[int, int], Fraction | float] = {}

    def value(size: int, had: int) -> Fraction | float:
        if had < tail:
            return found[size, had]
        return min(most, had) + (bonus if size == 6 else 0)

    for had in range(tail - 50, -1, -50):
        for size in range(1, 7):
            expected = sum(
                weight * max(value(left, had + won) for left, won in options)
                for weight, options in rolls(size)
                if options
            )
            found[size, had] = max(expected, had if had >= LEAST_BANKED else 0)
    return found


@cache
def exact() -> Fraction:
    return Fraction(values(TAIL, BONUS)[6, 0])


def test_the_tail_is_right() -> None:
    """Six dice bring the bonus; with fewer it is better to bank."""
    gain = {
        size: sum(
            weight * max(won + (BONUS if left == 6 else 0) for left, won in options)
            for weight, options in rolls(size)
            if options
        )
        for size in range(1, 7)
    }
    kept = {size: sum(weight for weight, options in rolls(size) if options) for size in gain}
    assert kept[6] == 1
    assert gain[6] == BONUS
    assert all(kept[size] * TAIL + gain[size] < TAIL for size in range(1, 6))


def test_ours_is_the_exact_value() -> None:
    found = solve(load(GAMES / "zilch.dg", penalty="no"), "turn")
    assert isinstance(found.value, float)
    assert found.value == pytest.approx(float(exact()), rel=0, abs=max(found.error_bound, 1e-9))
    assert float(exact()) == pytest.approx(623.017488974821, rel=0, abs=1e-12)


@pytest.mark.parametrize(
    ("tail", "most"),
    [(12_050, inf), (12_800, 12_800)],
    ids=["who has more than 12,000 points must bank", "no more than 12,800 points count"],
)
def test_the_figure_in_circulation_is_cut_off(tail: int, most: float) -> None:
    """623.0174625 comes out where the points of a turn end somewhere."""
    cut = float(values(tail, 0.0, most)[6, 0])
    assert cut == pytest.approx(623.0174625, rel=0, abs=5e-8)
    assert cut < float(exact()) - 1e-5
