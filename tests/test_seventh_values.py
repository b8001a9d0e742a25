"""Values of games whose turn comes round, with rules of their own for a seat, and rising stakes."""

from fractions import Fraction
from functools import cache
from itertools import combinations_with_replacement
from math import factorial, prod

import pytest

import dicegames
from tests.second_solved import CLOSE, SECOND, Shares, changed, mean, solved


def symbols(thrown: int) -> list[tuple[Fraction, int, int, int]]:
    """Return how likely it is to throw so much gold, so many gems and so much fire."""
    sizes = range(thrown + 1)
    found = []
    for counts in combinations_with_replacement(sizes, 3):
        gold, both, last = counts
        parts = (gold, both - gold, last - both, thrown - last)
        ways = factorial(thrown) // prod(map(factorial, parts))
        weight = Fraction(ways * 2 ** (parts[0] + parts[2]), 6**thrown)
        found.append((weight, *parts[:3]))
    return found


def hoard(rounds: int) -> Fraction:
    """Return the points; blanks alone come again, which divides by the chance that they do not."""

    @cache
    def turns(left: int, water: int) -> Fraction:
        return thrown(5, 0, 0, 0, left, water) if left else Fraction(0)

    @cache
    def thrown(dice: int, gold: int, gems: int, fire: int, left: int, water: int) -> Fraction:
        """Return what is still won by throwing, if what lies there is thrown on from as before."""
        got, again, back = Fraction(0), Fraction(0), Fraction(0)
        for weight, *more in symbols(dice):
            lying = (gold + more[0], gems + more[1], fire + more[2])
            if lying[2] >= 3:
                got += weight * turns(left - 1, water)
            elif any(more):
                got += weight * chosen(dice - sum(more), *lying, left, water)
            else:
                again, back = weight, stopped(dice, *lying, left, water)
        return max(got + again * back, got / (1 - again))

    @cache
    def stopped(dice: int, gold: int, gems: int, fire: int, left: int, water: int) -> Fraction:
        """Return the best without throwing the blanks again as they are."""
        ways = [gold * (gems + 1) + turns(left - 1, water)]
        if water and fire:
            ways.append(thrown(dice + 1, gold, gems, fire - 1, left, 0))
        return max(ways)

    def chosen(dice: int, gold: int, gems: int, fire: int, left: int, water: int) -> Fraction:
        best = stopped(dice, gold, gems, fire, left, water)
        return max(best, thrown(dice, gold, gems, fire, left, water)) if dice else best

    return turns(rounds, 1)


def test_dice_that_change_nothing_are_thrown_again() -> None:
    """In the long run the water is spent once, and brings nothing."""
    for rounds in (1, 2, 3):
        found = solved("hoard", rounds=rounds)
        assert found.value == pytest.approx(float(hoard(rounds)), abs=CLOSE)
    dry = dicegames.solve(dicegames.load(SECOND / "hoard.dg", rounds=1)).value_of("water 0")
    assert solved("hoard", "average").value == pytest.approx(dry, abs=1e-9)


def tortoise(slow: int, fast: int) -> Shares:
    """Return the chances to win of who throws two small dice, and of who throws one and again."""

    @cache
    def slow_turn(here: int, there: int) -> Fraction:
        """Return the chance of the tortoise."""
        if here >= slow or there >= fast:
            ranks = [100 * (at >= goal) + at - goal for at, goal in ((here, slow), (there, fast))]
            return Fraction(1 + (ranks[0] > ranks[1]) - (ranks[0] < ranks[1]), 2)
        got = Fraction(0)
        for first in (1, 2, 3):
            for second in (1, 2, 3):
                best = throw(here + first + second, there, 0)
                if first == second == 3 and there:
                    best = max(best, throw(here + 3, max(0, there - 3), 0))
                got += best / 9
        return got

    @cache
    def throw(here: int, there: int, points: int) -> Fraction:
        got = slow_turn(here, there) / 6
        for die in range(2, 7):
            run = points + die
            best = slow_turn(here, there + run)
            if there + run < fast:
                best = min(best, throw(here, there, run))
            got += best / 6
        return got

    chance = slow_turn(0, 0)
    return (chance, 1 - chance)


@pytest.mark.parametrize(("slow", "fast"), [(12, 15), (9, 11), (5, 20), (14, 8)])
def test_each_seat_has_rules_of_its_own(slow: int, fast: int) -> None:
    found = solved("tortoise_and_hare", slow=slow, fast=fast)
    assert found.value == pytest.approx(list(map(float, tortoise(slow, fast))), abs=CLOSE)


def stakes(players: int, most: int) -> Shares:
    """Return the money of each player; who is left last ends the game."""

    def paid(seat: int, inside: tuple[int, ...], stake: int) -> Shares:
        """Return what the payment of a seat to all others inside brings each of them."""
        others = [n != seat and there for n, there in enumerate(inside)]
        gets = [Fraction(stake if other else 0) for other in others]
        gets[seat] = Fraction(-stake * sum(others))
        return tuple(gets)

    @cache
    def out(seat: int, inside: tuple[int, ...], stake: int, mark: int, doubled: int) -> Shares:
        left = changed(inside, seat, 0)
        return moved((seat + 1) % players, left, stake, mark, doubled)

    def summed(one: Shares, other: Shares) -> Shares:
        return tuple(a + b for a, b in zip(one, other, strict=True))

    @cache
    def moved(seat: int, inside: tuple[int, ...], stake: int, mark: int, doubled: int) -> Shares:
        if sum(inside) == 1:
            return (Fraction(0),) * players
        if not inside[seat]:
            return moved((seat + 1) % players, inside, stake, mark, doubled)
        options = [thrown(seat, inside, stake, mark, doubled)]
        if not doubled and 2 * stake <= most:
            options.append(thrown(seat, inside, 2 * stake, mark, 1))
        leaves = paid(seat, inside, stake // 2)
        options.append(summed(leaves, out(seat, inside, stake, mark, doubled)))
        return max(options, key=lambda option: option[seat])

    def thrown(seat: int, inside: tuple[int, ...], stake: int, mark: int, doubled: int) -> Shares:
        parts = []
        for die in range(1, 7):
            if die <= mark:
                then = summed(paid(seat, inside, stake), out(seat, inside, stake, 0, 0))
            else:
                then = moved((seat + 1) % players, inside, stake, die, doubled)
            parts.append((Fraction(1, 6), then))
        return mean(parts)

    return moved(0, (1,) * players, 2, 0, 0)


@pytest.mark.parametrize(("players", "most"), [(2, 2), (2, 16), (3, 4), (3, 8)])
def test_who_is_left_last_has_been_paid_by_the_others(players: int, most: int) -> None:
    found = solved("up_the_stakes", players=players, most=most)
    assert found.value == pytest.approx(list(map(float, stakes(players, most))), abs=CLOSE)
