"""Values of games of the library, each against a few lines that know this game only.

The figures of `expected/` whose source is an independent computation come from here.
"""

from collections import Counter
from collections.abc import Callable
from fractions import Fraction
from functools import cache
from itertools import combinations, product
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import dicegames
from dicegames.compiler.explored import domains
from tests.test_family_games import Array, with_one_reroll
from tests.test_values_by_hand import Dice, throws, zombies

GAMES = Path(__file__).parents[1] / "games"


def solved(name: str, **options: object) -> float:
    value = dicegames.solve(dicegames.load(GAMES / f"{name}.dg", **options)).value
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


def with_five_dice() -> tuple[list[Dice], Array, Callable[[Array], Array]]:
    """The hands, their odds, and what numbers for all hands are worth before a re-roll, by hand."""
    hands = [dice for dice, _ in throws(5)]
    odds = np.array([float(p) for _, p in throws(5)])
    number = {dice: n for n, dice in enumerate(hands)}
    kept = sorted({k for dice in hands for n in range(6) for k in combinations(dice, n)})
    chance = np.zeros((len(kept), len(hands)))
    for row, k in zip(chance, kept, strict=True):
        for thrown, p in throws(5 - len(k)):
            row[number[tuple(sorted(k + thrown))]] += float(p)
    may = np.array([[not Counter(k) - Counter(dice) for k in kept] for dice in hands])
    return hands, odds, lambda best: np.where(may, chance @ best, -1.0).max(axis=1)


def test_generala() -> None:
    hands, odds, again = with_five_dice()
    first = np.array([generala_points(dice, 5, 100) for dice in hands]).T
    later = np.array([generala_points(dice, 0, 50) for dice in hands]).T
    value = np.zeros(1 << 10)
    for used in reversed(range(len(value) - 1)):
        free = [(box, value[used | 1 << box]) for box in range(10) if not used >> box & 1]
        more = again(again(np.max([later[box] + then for box, then in free], axis=0)))
        at_once = np.max([first[box] + then for box, then in free], axis=0)
        value[used] = odds @ np.maximum(more, at_once)
    assert solved("generala") == pytest.approx(float(value[0]), abs=1e-9)


def balut_points(dice: Dice) -> list[int]:
    counts = sorted(Counter(dice).values())
    return [
        *(face * dice.count(face) for face in (4, 5, 6)),
        sum(dice) * (dice in ((1, 2, 3, 4, 5), (2, 3, 4, 5, 6))),
        sum(dice) * (counts == [2, 3]),
        sum(dice),
        (20 + sum(dice)) * (counts == [5]),
    ]


@pytest.mark.parametrize("times", [1, 2])
def test_balut(times: int) -> None:
    hands, odds, again = with_five_dice()
    points = np.array([balut_points(dice) for dice in hands]).T

    @cache
    def value(left: Dice) -> float:
        free = [n for n, k in enumerate(left) if k]
        if not free:
            return 0.0
        after = [points[n] + value((*left[:n], left[n] - 1, *left[n + 1 :])) for n in free]
        return float(odds @ again(again(np.max(after, axis=0))))

    assert solved("balut", times=times) == pytest.approx(value((times,) * 7), abs=1e-9)


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


# --- Farkle


def farkle_worth(face: int, count: int, *, boxed: bool) -> int:
    """What so many dice of a face bring; 0: they may not be taken."""
    single = {1: 100, 5: 50}.get(face, 0)
    three = 100 * face if face > 1 else 300 if boxed else 1000
    if count < 3:
        return single * count
    if boxed:
        return three if count == 3 else 1000 * (count - 3)
    if count == 6:
        return 2 * three
    return three + single * (count - 3) if single or count == 3 else 0


def farkle_takings(dice: Dice, *, boxed: bool) -> dict[int, int]:
    """The most points with which so many dice are left, 6 if none is."""
    counts = Counter(dice)
    shape = sorted(counts.values())
    found: dict[int, int] = {}
    for taken in product(*(range(n + 1) for n in counts.values())):
        worths = [farkle_worth(f, n, boxed=boxed) for f, n in zip(counts, taken, strict=True)]
        if any(taken) and all(w or not n for w, n in zip(worths, taken, strict=True)):
            left = len(dice) - sum(taken) or 6
            found[left] = max(found.get(left, 0), sum(worths))
    if boxed and len(dice) == 6:
        special = 1500 if shape in ([1] * 6, [2, 2, 2], [2, 4]) else 2500 * (shape == [3, 3])
        if special:
            found[6] = max(found.get(6, 0), special)
    return found


def farkle_odds(*, boxed: bool) -> dict[int, dict[tuple[tuple[int, int], ...], float]]:
    """By the number of dice, how likely each is of what can be taken."""
    odds: dict[int, dict[tuple[tuple[int, int], ...], float]] = {n: {} for n in range(1, 7)}
    for n, found in odds.items():
        for dice, chance in throws(n):
            ways = tuple(farkle_takings(dice, boxed=boxed).items())
            found[ways] = found.get(ways, 0.0) + float(chance)
    return odds


def farkle_turn(*, boxed: bool, most: int = 30000) -> float:
    """Return the most expected points of a turn; from so many points on to roll loses too much."""
    odds = farkle_odds(boxed=boxed)
    worth: dict[tuple[int, int], float] = {}
    for points in range(most, -1, -50):
        for n in range(6, 0, -1):
            rolled = 0.0
            for ways, p in odds[n].items():
                rolled += p * max(
                    (worth.get((left, points + won), points + won) for left, won in ways),
                    default=0.0,
                )
            worth[n, points] = max(points, rolled) if points else rolled
    return worth[6, 0]


@pytest.mark.parametrize("table", ["basic", "boxed"])
def test_a_turn_of_farkle(table: str) -> None:
    game = dicegames.load(GAMES / "farkle.dg", opening=0, table=table)
    expected = farkle_turn(boxed=table == "boxed")
    assert dicegames.solve(game, "turn").value == pytest.approx(expected, abs=1e-8)


def farkle_race(target: int, opening: int) -> float:
    """Return the fewest expected turns of one player; a lost turn begins anew."""
    odds, fewest = farkle_odds(boxed=False), dict[int, float]()

    def turn(total: int, lost: float) -> float:
        """The turns that follow, if that is what follows a lost one."""
        after: dict[tuple[int, int], float] = {}
        for points in range(max(target - total, opening) - 50, -1, -50):  # more are enough
            for n in range(1, 7):
                rolled = sum(
                    p
                    * min(
                        (after.get((left, points + won), 0.0) for left, won in ways), default=lost
                    )
                    for ways, p in odds[n].items()
                )
                may = points > 0 and (total > 0 or points >= opening)
                banked = fewest.get(total + points, 0.0) if may else rolled
                after[n, points] = min(banked, rolled)
        return after[6, 0]

    for total in range(target - 50, -1, -50):
        value, before = 1.0, 0.0
        while abs(value - before) > 1e-14 * value:
            before, value = value, 1 + turn(total, value)
        fewest[total] = value
    return fewest[0]


@pytest.mark.parametrize(
    ("most", "method"), [(domains.MOST_DECIDED, "blocks"), (0, "turn by turn")]
)
def test_the_fewest_turns_of_farkle(
    monkeypatch: pytest.MonkeyPatch, most: int, method: str
) -> None:
    """Points beyond the target need not be counted; those of a longer game are."""
    monkeypatch.setattr(domains, "MOST_DECIDED", most)
    game = dicegames.load(GAMES / "farkle.dg", target=400, opening=200)
    solution = dicegames.solve(game, "turns")
    assert solution.solved.method.startswith(method)
    expected = farkle_race(400, 200)
    assert isinstance(solution.value, float)
    assert abs(solution.value - expected) <= solution.solved.error_bound + 1e-12
    assert solution.solved.error_bound < 1e-10


# --- Cosmic Wimpout


Cubes = tuple[int, int]
"""How many white cubes and how many black ones."""
Taken = tuple[int, Cubes, int]
"""The points of a throw, the cubes that are left, and the face of a flash to be cleared."""
SUN = 3  # stands where the 3 is


def wimpout_flashes(white: Dice, black: Dice) -> list[tuple[int, Dice, Dice]]:
    """The flashes that a throw must be one of, with the cubes beside them; face 0: none."""
    suns, found = black.count(SUN), list[tuple[int, Dice, Dice]]()
    for face in sorted({*white, *black}):
        whites, blacks = white.count(face), black.count(face) if face != SUN else 0
        others = tuple(f for f in white if f != face)
        if whites >= 3:
            found.append((face, (*others, *[face] * (whites - 3)), black))
        if whites >= 2 and blacks:
            found.append((face, (*others, *[face] * (whites - 2)), ()))
        if whites == 2 and suns:
            found.append((face, others, ()))
    return found or [(0, white, black)]


def wimpout_takings(white: Dice, black: Dice, flash: int) -> frozenset[Taken] | int | None:
    """What a throw leads to: what may be taken, points that end the turn, or None: once more."""
    if flash in white or (flash in black and flash != SUN):
        return None
    suns = black.count(SUN)
    for face in (2, 3, 4, 5, 6, 10):
        natural = white.count(face) + (black.count(face) if face != SUN else 0)
        if natural + suns == 5:
            return {6: 600, 10: -1}.get(face, frozenset({(100 * face, (4, 1), 0)}))
    found = set[Taken]()
    for face, whites, blacks in wimpout_flashes(white, black):
        points = 10 * face + sum(f for f in (*whites, *blacks) if f in (5, 10))
        left = sum(f not in (5, 10) for f in whites)
        ways = [(0, sum(f not in (5, 10) for f in blacks))]
        if SUN in blacks:
            ways += [(5, 0), (10, 0)]
        for more, one in ways:
            if points + more:
                found.add((points + more, (left, one) if left + one else (4, 1), face))
    return frozenset(found)


@cache
def wimpout_odds(cubes: Cubes, flash: int) -> dict[frozenset[Taken] | int | None, float]:
    """Return how likely a throw of some cubes is to lead to what."""
    odds = dict[frozenset[Taken] | int | None, float]()
    for white, chance in throws(cubes[0]) if cubes[0] else [((), Fraction(1))]:
        shown = tuple(10 if f == 1 else f for f in white)
        for black in [(2,), (SUN,), (4,), (5,), (6,), (10,)] if cubes[1] else [()]:
            taken = wimpout_takings(shown, black, flash)
            odds[taken] = odds.get(taken, 0.0) + float(chance) / (6 if cubes[1] else 1)
    return odds


def wimpout_turn(opening: int, most: int = 3000) -> float:
    """Return the most expected points of a turn; with so many, nobody throws who may stop."""
    all_cubes = [(w, b) for w in range(5) for b in range(2) if w + b]
    worth: dict[tuple[Cubes, int, int], float] = {}

    def reached(points: int, cubes: Cubes, flash: int) -> float:
        thrown = worth.get((cubes, flash, points), 0.0)
        must = flash or cubes == (4, 1) or points < opening
        return thrown if must else max(points, thrown)

    for points in range(most, -5, -5):
        for cubes, flash in product(all_cubes, (0, 2, 3, 4, 5, 6, 10)):
            odds = wimpout_odds(cubes, flash)
            total = 0.0
            for taken, chance in odds.items():
                if isinstance(taken, int):
                    total += chance * (points + taken if taken > 0 else 0)
                elif taken:
                    total += chance * max(reached(points + n, c, f) for n, c, f in taken)
            worth[cubes, flash, points] = total / (1 - odds.get(None, 0.0))
    return worth[(4, 1), 0, 0]


@pytest.mark.parametrize("opening", [0, 35])
def test_a_turn_of_cosmic_wimpout(opening: int) -> None:
    game = dicegames.load(GAMES / "cosmic_wimpout.dg", opening=opening)
    expected = wimpout_turn(opening)
    assert dicegames.solve(game, "turn").value == pytest.approx(expected, abs=1e-8)


# --- Qwixx with two rows


def qwixx(sides: int, needed: int) -> float:
    """Return the most expected points; a row has its last number and how many crosses it has."""
    last = 2 * sides
    dice = range(1, sides + 1)
    throw = Counter(
        (*sorted((a, b)), red, blue) for a, b, red, blue in product(dice, repeat=4)
    )  # both rows count upwards: the blue one in numbers from the other end

    def crossed(row: Dice, number: int) -> Dice | None:
        at, crosses = row
        if number <= at or (number == last and crosses < needed):
            return None
        return (number, crosses + 1 + (number == last))

    @cache
    def value(up: Dice, down: Dice, misses: int) -> float:
        if misses == 4 or (up[0] == last and down[0] == last):
            return sum(n * (n + 1) // 2 for _, n in (up, down)) - 5 * misses
        total = 0.0
        for (low, high, red, blue), ways in throw.items():
            first = [(up, down, False)]
            if row := crossed(up, low + high):
                first.append((row, down, True))
            if row := crossed(down, last + 2 - low - high):
                first.append((up, row, True))
            best = -1000.0
            for one, other, marked in first:
                best = max(best, value(one, other, misses + (not marked)))
                for white in (low, high):
                    if row := crossed(one, white + red):
                        best = max(best, value(row, other, misses))
                    if row := crossed(other, last + 2 - white - blue):
                        best = max(best, value(one, row, misses))
            total += ways * best
        return total / sides**4

    return value((1, 0), (1, 0), 0)


@pytest.mark.parametrize(("sides", "needed"), [(3, 2), (3, 5)])
def test_qwixx(sides: int, needed: int) -> None:
    expected = qwixx(sides, needed)
    assert solved("qwixx", sides=sides, needed=needed) == pytest.approx(expected, abs=1e-10)


# --- Bear-off


@cache
def played(men: Dice, dice: Dice) -> frozenset[Dice]:
    """Where the men may stand after these dice, in any order; men[0] is the first point."""
    if not dice or not any(men):
        return frozenset({men})
    farthest = max(n for n, k in enumerate(men) if k)
    found: set[Dice] = set()
    for n in range(len(dice)):
        for point, k in enumerate(men):
            if k and (point + 1 >= dice[n] or point == farthest):
                after = list(men)
                after[point] -= 1
                if point + 1 > dice[n]:
                    after[point - dice[n]] += 1
                found |= played(tuple(after), dice[:n] + dice[n + 1 :])
    return frozenset(found)


def turns_of(dice: Dice) -> Dice:
    return dice * 2 if dice[0] == dice[1] else dice


@cache
def rolls(men: Dice, sides: int) -> Fraction:
    """Return the least expected number of turns until no man is left."""
    if not any(men):
        return Fraction(0)
    total = Fraction(1)
    for dice, chance in throws(2, sides):
        total += chance * min(rolls(after, sides) for after in played(men, turns_of(dice)))
    return total


@cache
def race(own: Dice, other: Dice, sides: int) -> Fraction:
    """Return the probability that the player to move is the first to have no men left."""
    if not any(other):
        return Fraction(0)
    total = Fraction(0)
    for dice, chance in throws(2, sides):
        after = played(own, turns_of(dice))
        total += chance * max(1 - race(other, men, sides) for men in after)
    return total


POINTS = ("ones", "twos", "threes", "fours", "fives", "sixes")


def standing(men: Dice) -> dict[str, int]:
    return {"points": len(men), **dict(zip(POINTS, men, strict=False))}


@pytest.mark.parametrize(("men", "sides"), [((1, 1, 1), 3), ((1, 1, 0), 4)])
def test_bear_off(men: Dice, sides: int) -> None:
    game = dicegames.load(GAMES / "bear_off.dg", sides=sides, **standing(men))
    expected = float(rolls(men, sides))
    assert dicegames.solve(game, "turns").value == pytest.approx(expected, abs=1e-11)


def test_bear_off_of_two() -> None:
    men = (1, 1, 0)
    expected = float(race(men, men, 3))
    found = solved("bear_off", players=2, sides=3, **standing(men))
    assert found == pytest.approx(expected, abs=1e-11)


# --- Zombie Dice


@pytest.mark.parametrize(("cup", "most"), [((2, 1, 1), 4), ((1, 1, 2), 3)])
def test_zombie_dice(cup: Dice, most: int) -> None:
    options = dict(zip(("greens", "yellows", "reds"), cup, strict=True))
    expected = zombies(cup, (0, 0, 0), (0, 0, 0), 0, 0, most)
    assert solved("zombie_dice", **options, most=most) == pytest.approx(float(expected), abs=1e-9)
