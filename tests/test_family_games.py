"""Values of second games that families play, against programs that know each game only."""

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator
from functools import cache
from itertools import combinations, combinations_with_replacement, product

import numpy as np
import pytest
from numpy.typing import NDArray

from tests.test_more_second_values import Dice, solved, throws

Array = NDArray[np.float64]

# --- who throws the last ace


def last_aces(players: int) -> list[float]:
    """How probable it is that each player throws the last ace, dice passed left and right."""
    holding = {((1,) * players, 0): 1.0}
    lost = [0.0] * players
    while sum(holding.values()) > 1e-15:
        after: dict[tuple[Dice, int], float] = defaultdict(float)
        for (dice, mover), p in holding.items():
            for thrown in product((1, 2, 5, 0, 0, 0), repeat=dice[mover]):
                have = list(dice)
                have[(mover + 1) % players] += thrown.count(2)
                have[mover - 1] += thrown.count(5)
                have[mover] -= dice[mover] - thrown.count(0)
                share = p / 6 ** dice[mover]
                if any(have):
                    after[(*have,), (mover + 1) % players] += share
                else:
                    lost[mover] += share
        holding = after
    return lost


def test_who_throws_the_last_ace() -> None:
    """Most combinations of dice in hand cannot come up; `seat` is that of whose payoff it is."""
    assert solved("aces") == pytest.approx(1 - last_aces(3)[0], abs=1e-10)


# --- a card of eleven boxes, one re-roll


def crag_points(box: int, dice: Dice) -> int:
    if box < 6:
        return (box + 1) * dice.count(box + 1)
    shown = [
        50 * (sum(dice) == 13 and len({*dice}) < 3),
        26 * (sum(dice) == 13),
        25 * (len({*dice}) == 1),
        20 * (dice in ((1, 2, 3), (4, 5, 6))),
        20 * (dice in ((1, 3, 5), (2, 4, 6))),
    ]
    return shown[box - 6]


def with_one_reroll(count: int) -> tuple[list[Dice], Callable[[Array], float]]:
    """The hands, and what it is worth to have a number for each of them after one re-roll."""
    hands = [dice for dice, _ in throws(count)]
    odds = np.array([p for _, p in throws(count)])
    number = {dice: n for n, dice in enumerate(hands)}
    kept = sorted({k for dice in hands for n in range(count + 1) for k in combinations(dice, n)})
    chance = np.zeros((len(kept), len(hands)))
    for row, k in zip(chance, kept, strict=True):
        for thrown, p in throws(count - len(k)):
            row[number[tuple(sorted(k + thrown))]] += p
    may = np.array([[not Counter(k) - Counter(dice) for k in kept] for dice in hands])
    return hands, lambda best: float(odds @ np.where(may, chance @ best, -1.0).max(axis=1))


def test_a_card_of_eleven_boxes() -> None:
    hands, worth = with_one_reroll(3)
    points = np.array([[crag_points(box, dice) for dice in hands] for box in range(11)])
    value = np.zeros(1 << 11)
    for used in reversed(range((1 << 11) - 1)):
        free = [box for box in range(11) if not used >> box & 1]
        value[used] = worth(np.max([points[box] + value[used | 1 << box] for box in free], axis=0))
    assert solved("crag") == pytest.approx(float(value[0]), abs=1e-9)


# --- three lines, each to be filled twice: a price that is paid with one of several values


def test_three_lines_to_be_filled_twice() -> None:
    hands, worth = with_one_reroll(5)
    straights = ((1, 2, 3, 4, 5), (2, 3, 4, 5, 6))
    points = [
        np.array([6.0 * dice.count(6) for dice in hands]),
        np.array([sum(dice) * (dice in straights) for dice in hands]),
        np.array([sum(dice) for dice in hands]),
    ]

    @cache
    def left(*lines: int) -> float:
        after = [
            points[n] + left(*(k - (m == n) for m, k in enumerate(lines)))
            for n, uses in enumerate(lines)
            if uses
        ]
        return worth(np.max(after, axis=0)) if after else 0.0

    assert solved("balut") == pytest.approx(left(2, 2, 2), abs=1e-10)


# --- a duel in which the first one says how often is thrown


def rank(dice: Dice) -> int:
    low, high = dice
    return 100 if dice == (1, 2) else 90 + high if low == high else 10 * high + low


@cache
def answered(shown: int, left: int, win: float, draw: float, lose: float) -> float:
    """The first player's value, the second having so many throws left."""
    total = 0.0
    for dice, p in throws(2):
        have = rank(dice)
        stands = win if have < shown else lose if have > shown else draw
        again = answered(shown, left - 1, win, draw, lose) if left > 1 else 1.0
        total += p * min(stands, again)
    return total


def led(thrown: int, win: float, draw: float, lose: float) -> float:
    total = 0.0
    for dice, p in throws(2):
        again = led(thrown + 1, win, draw, lose) if thrown < 3 else 0.0
        total += p * max(answered(rank(dice), thrown, win, draw, lose), again)
    return total


@cache
def lives(own: int, other: int) -> float:
    if not own or not other:
        return 1.0 if own else 0.0
    draw, before = 0.5, -1.0
    while abs(draw - before) > 1e-14:
        before = draw
        draw = led(1, lives(own, other - 1), draw, lives(own - 1, other))
    return draw


def test_the_first_one_says_how_often_is_thrown() -> None:
    assert solved("mexico") == pytest.approx(lives(2, 2), abs=1e-11)


# --- a row to be crossed from left to right


@cache
def crossed(last: int, crosses: int, misses: int) -> float:
    if last == 12 or misses == 4:
        return crosses * (crosses + 1) // 2 - 5 * misses
    total = 0.0
    for dice, p in throws(2):
        best = crossed(last, crosses, misses + 1)
        if sum(dice) > last and (sum(dice) < 12 or crosses >= 5):
            more = 2 if sum(dice) == 12 else 1
            best = max(best, crossed(sum(dice), crosses + more, misses))
        total += p * best
    return total


def test_a_row_that_is_crossed_from_left_to_right() -> None:
    assert solved("one_row") == pytest.approx(crossed(1, 0, 0), abs=1e-11)


# --- two columns of a card, one filled from the top down, one from the bottom up


def box_of_column(row: int, dice: Dice) -> int:
    count = Counter(dice)
    pair = max((5 + 2 * f for f in count if count[f] > 1), default=0)
    return (count[1], 3 * count[3], pair, sum(dice))[row]


@cache
def two_columns(down: int, up: int) -> float:
    """Return what is still to come where so many boxes of each column are used."""
    if down == up == 4:
        return 0.0
    best: dict[Dice, float] = {}
    for dice in combinations_with_replacement(range(1, 5), 3):
        ways = []
        if down < 4:
            ways.append(box_of_column(down, dice) + two_columns(down + 1, up))
        if up < 4:
            ways.append(box_of_column(3 - up, dice) + two_columns(down, up + 1))
        best[dice] = max(ways)

    @cache
    def kept(dice: Dice) -> float:
        thrown = product(range(1, 5), repeat=3 - len(dice))
        found = [best[tuple(sorted(dice + more))] for more in thrown]
        return sum(found) / len(found)

    return (
        sum(
            max(kept(k) for n in range(4) for k in combinations(sorted(dice), n))
            for dice in product(range(1, 5), repeat=3)
        )
        / 64
    )


def test_boxes_in_the_order_of_the_card() -> None:
    assert solved("two_columns") == pytest.approx(two_columns(0, 0), abs=1e-11)


# --- stones that take each other


Stones = tuple[int, ...]
GONE = 9


def moves_of_stones(own: Stones, other: Stones, thrown: int) -> Iterator[tuple[Stones, Stones]]:
    left = [s for s in range(3) if own[s] < GONE]
    lower, higher = [s for s in left if s < thrown], [s for s in left if s > thrown]
    for stone in [thrown] if thrown in left else [*lower[-1:], *higher[:1]]:
        row, column = divmod(own[stone], 3)
        for up, right in ((0, 1), (1, 0), (1, 1)):
            if row + up < 3 and column + right < 3:
                to = 3 * (row + up) + column + right
                mine = [GONE if s == to else s for s in own]
                mine[stone] = to
                yield (*mine,), tuple(GONE if s == 8 - to else s for s in other)


@cache
def three_stones(own: Stones, other: Stones) -> float:
    """Return the chance to win of who is to move; squares are numbered from one's own corner."""
    total = 0.0
    for thrown in range(3):
        ways = moves_of_stones(own, other, thrown)
        total += max(
            1.0 if 8 in mine or set(his) == {GONE} else 1 - three_stones(his, mine)
            for mine, his in ways
        )
    return total / 3


def test_stones_take_each_other() -> None:
    first = three_stones((0, 1, 3), (0, 1, 3))
    assert solved("three_stones") == pytest.approx(first, abs=1e-12)


# --- monsters that wound each other over a city


Monster = tuple[int, int, bool]  # points, life, in the city
GOAL, HEALTH = 3, 3


def fought(own: Monster, other: Monster, dice: Iterable[str]) -> tuple[Monster, Monster]:
    """Return both after the throws of a turn."""
    (points, life, inside), (his_points, his_life, his_inside) = own, other
    count = Counter(dice)
    for worth, face in enumerate("123", 1):
        points += worth + count[face] - 3 if count[face] >= 3 else 0
    if not inside:
        life = min(HEALTH, life + count["heart"])
    wounds = count["claw"]
    if wounds and (inside or his_inside):
        his_life = max(0, his_life - wounds)
    if wounds and not inside and (not his_inside or wounds > 1):
        points, inside, his_inside = points + 1, True, False
    return (points, life, inside), (his_points, his_life, his_inside)


def two_monsters() -> float:
    """Return the chance of the first to win, by sweeps over the starts of turns."""
    throws = [Counter(product(["1", "2", "3", "claw", "heart"], repeat=n)) for n in range(4)]
    wins: dict[tuple[Monster, Monster], float] = defaultdict(lambda: 0.5)
    start = (0, HEALTH, False)
    wins[start, start] = 0.5

    def result(own: Monster, other: Monster) -> float:
        if own[0] < GOAL and other[0] < GOAL and own[1] and other[1]:
            return 1 - wins[other, own]
        mine, his = (100 * (life > 0) + points for points, life, _ in (own, other))
        return (mine > his) + (mine == his) / 2

    def turn(own: Monster, other: Monster) -> float:
        own = (own[0] + 2 * own[2], *own[1:])
        hands = {(*sorted(dice),) for dice in throws[3]}
        best = {dice: result(*fought(own, other, dice)) for dice in hands}
        for _ in range(2):
            kept = {
                (*sorted(k),): 0.0
                for dice in hands
                for n in range(4)
                for k in combinations(dice, n)
            }
            for k in kept:
                more = throws[3 - len(k)]
                kept[k] = sum(best[(*sorted(k + t),)] for t in more) / len(more)
            best = {
                dice: max(kept[k] for n in range(4) for k in combinations(dice, n))
                for dice in hands
            }
        return sum(best[(*sorted(dice),)] for dice in throws[3]) / 5**3

    change = 1.0
    while change > 1e-13:
        change = 0.0
        for both in list(wins):
            found = turn(*both)
            change = max(change, abs(found - wins[both]))
            wins[both] = found
    return wins[start, start]


def test_monsters_wound_each_other() -> None:
    assert solved("two_monsters") == pytest.approx(two_monsters(), abs=1e-10)
