"""Values of games of the library, each against a few lines that know this game only.

The figures of `expected/` whose source is an independent computation come from here.
"""

from collections import Counter
from fractions import Fraction
from functools import cache
from itertools import combinations, product
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import dicegames
from tests.test_family_games import with_one_reroll
from tests.test_values_by_hand import Dice, throws

GAMES = Path(__file__).parents[1] / "games"


def solved(name: str, objective: str = "payoff", **options: object) -> float:
    value = dicegames.solve(dicegames.load(GAMES / f"{name}.dg", **options), objective).value
    return value[0] if isinstance(value, tuple) else value


# --- Midnight


@cache
def midnight(left: int, kept: int, *, one: bool, four: bool) -> float:
    """What a turn is worth with so many dice left, the sum of those kept, and what is opened."""
    if not left:
        return kept - 5 if one and four else 0
    total = 0.0
    for dice, chance in throws(left):
        parts = {part for size in range(1, left + 1) for part in combinations(dice, size)}
        total += float(chance) * max(
            midnight(
                left - len(part), kept + sum(part), one=one or 1 in part, four=four or 4 in part
            )
            for part in parts
        )
    return total


@pytest.mark.parametrize(("how_many", "expected"), [(4, None), (6, 18.676337195776)])
def test_midnight(how_many: int, expected: float | None) -> None:
    value = midnight(how_many, 0, one=False, four=False)
    assert solved("midnight", how_many=how_many) == pytest.approx(value, abs=1e-11)
    if expected is not None:
        assert value == pytest.approx(expected, abs=1e-11)


# --- cards of boxes: Crag with one re-roll, Generala with two


def crag_points(dice: Dice) -> list[int]:
    straights = [(1, 3, 5), (2, 4, 6), (1, 2, 3), (4, 5, 6)]
    return [
        *(face * dice.count(face) for face in range(1, 7)),
        *(20 * (dice == straight) for straight in straights),
        25 * (len({*dice}) == 1),
        26 * (sum(dice) == 13),
        50 * (sum(dice) == 13 and len({*dice}) < 3),
    ]


def test_crag() -> None:
    hands, worth = with_one_reroll(3)
    points = np.array([crag_points(dice) for dice in hands]).T
    value = np.zeros(1 << len(points))
    for used in reversed(range(len(value) - 1)):
        free = [box for box in range(len(points)) if not used >> box & 1]
        value[used] = worth(np.max([points[box] + value[used | 1 << box] for box in free], axis=0))
    assert solved("crag") == pytest.approx(float(value[0]), abs=1e-9)
    assert value[0] == pytest.approx(149.84759323164, abs=1e-9)


def generala_points(dice: Dice, served: int, great: int) -> list[int]:
    """What every box brings; nothing extra for more than one throw, and 50 for five alike."""
    counts = sorted(Counter(dice).values())
    straight = dice in ((1, 2, 3, 4, 5), (2, 3, 4, 5, 6))
    return [
        *(face * dice.count(face) for face in range(1, 7)),
        (20 + served) * straight,
        (30 + served) * (counts == [2, 3]),
        (40 + served) * (counts[-1] >= 4),
        great * (counts[-1] == 5),
    ]


def test_generala() -> None:
    hands = [dice for dice, _ in throws(5)]
    odds = np.array([float(p) for _, p in throws(5)])
    number = {dice: n for n, dice in enumerate(hands)}
    kept = sorted({k for dice in hands for n in range(6) for k in combinations(dice, n)})
    chance = np.zeros((len(kept), len(hands)))
    for row, k in zip(chance, kept, strict=True):
        for thrown, p in throws(5 - len(k)):
            row[number[tuple(sorted(k + thrown))]] += float(p)
    may = np.array([[not Counter(k) - Counter(dice) for k in kept] for dice in hands])
    first = np.array([generala_points(dice, 5, 100) for dice in hands]).T
    later = np.array([generala_points(dice, 0, 50) for dice in hands]).T
    value = np.zeros(1 << 10)
    for used in reversed(range(len(value) - 1)):
        free = [(box, value[used | 1 << box]) for box in range(10) if not used >> box & 1]
        best = np.max([later[box] + then for box, then in free], axis=0)
        again = np.where(may, chance @ best, -1.0).max(axis=1)
        again = np.where(may, chance @ again, -1.0).max(axis=1)
        value[used] = odds @ np.maximum(
            again, np.max([first[box] + then for box, then in free], axis=0)
        )
    assert solved("generala") == pytest.approx(float(value[0]), abs=1e-9)


# --- Risk


@cache
def risk(army: int, guard: int, *, stops: bool, worth: int) -> Fraction:
    """Return the attacker's share: to win, or armies with the country's worth, stopping at will."""
    if not army or not guard:
        return Fraction(army + worth * (not guard)) if stops else Fraction(not guard)
    total = Fraction(army) if stops else Fraction(0)
    for red in range(1, min(3, army) + 1):
        value = Fraction(0)
        for (attack, p), (defence, q) in product(throws(red), throws(min(2, guard))):
            pairs = list(zip(attack[::-1], defence[::-1], strict=False))
            won = sum(a > d for a, d in pairs)
            value += p * q * risk(army - len(pairs) + won, guard - won, stops=stops, worth=worth)
        total = max(total, value)
    return total


def test_risk() -> None:
    value = risk(10, 10, stops=False, worth=0)
    assert solved("risk_battle") == pytest.approx(float(value), abs=1e-11)
    for thrown in ("most", "chosen"):  # to throw as many dice as may be is best
        small: dict[str, Any] = {"attackers": 6, "defenders": 5, "thrown": thrown}
        value = risk(6, 5, stops=False, worth=0)
        assert solved("risk_battle", **small) == pytest.approx(float(value), abs=1e-11)
        value = risk(6, 5, stops=True, worth=10)
        found = solved("risk_battle", **small, aim="armies", worth=10)
        assert found == pytest.approx(float(value), abs=1e-11)


# --- Double Shutter


def shutter(tiles: int, *, all_shut: bool) -> Fraction:
    """Return the least expected sum left, or the probability to shut all."""

    def shut(state: Dice, place: int, left: int) -> set[Dice]:
        """What is left of the columns from `place` on if tiles of this sum are shut there."""
        if place == len(state):
            return set() if left else {()}
        rest = {(state[place], *r) for r in shut(state, place + 1, left)}
        if state[place] and left > place:
            rest |= {(state[place] - 1, *r) for r in shut(state, place + 1, left - place - 1)}
        return rest

    @cache
    def value(state: Dice) -> Fraction:
        if not any(state):
            return Fraction(all_shut)
        stuck = Fraction(0 if all_shut else -sum((n + 1) * k for n, k in enumerate(state)))
        ways = Counter(a + b for a, b in product(range(1, 7), repeat=2))
        return sum(
            (
                Fraction(n, 36) * max(map(value, shut(state, 0, dice)), default=stuck)
                for dice, n in ways.items()
            ),
            Fraction(0),
        )

    return value((2,) * tiles) * (1 if all_shut else -1)


@pytest.mark.parametrize("aim", ["low_score", "shut_all"])
def test_double_shutter(aim: str) -> None:
    expected = float(shutter(6, all_shut=aim == "shut_all"))
    assert solved("double_shutter", tiles=6, aim=aim) == pytest.approx(expected, abs=1e-11)
