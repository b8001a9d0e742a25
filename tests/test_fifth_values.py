"""Values of games with two rows of tiles, with goods and prices, and with a bank that passes on."""

from collections import Counter
from fractions import Fraction
from functools import cache
from itertools import chain, combinations, product

import pytest

from tests.second_solved import CLOSE, solved

Z = Fraction(0)


def parts_with(tiles: frozenset[int], total: int) -> list[frozenset[int]]:
    """Return the sets of tiles that have this sum."""
    sizes = range(1, len(tiles) + 1)
    every = chain.from_iterable(combinations(sorted(tiles), n) for n in sizes)
    return [frozenset(part) for part in every if sum(part) == total]


def canoga(tiles: int, *, for_points: bool) -> float:
    """Return what the first player wins on average: rows are evaluated until nothing changes."""
    everything = frozenset(range(1, tiles + 1))
    sums = Counter(a + b for a, b in product((1, 2, 3), repeat=2))
    rows = [frozenset(n for n in everything if bits >> n & 1) for bits in range(2, 2 << tiles, 2)]
    value = dict.fromkeys(product([r for r in rows if r], repeat=2), 0.0)  # own tiles, the other's

    def after(own: frozenset[int], other: frozenset[int], total: int) -> float:
        ways = []
        for part in parts_with(own, total):
            won = sum(other) if for_points else 1
            ways.append(value[own - part, other] if own - part else won)
        for part in parts_with(everything - other, total):
            won = sum(everything - own) if for_points else 1
            more = other | part
            ways.append(value[own, more] if more != everything else won)
        return max(ways, default=-value[other, own])

    change = 1.0
    while change > 1e-14:
        change = 0.0
        for own, other in value:
            found = sum(ways * after(own, other, total) for total, ways in sums.items()) / 9
            change = max(change, abs(found - value[own, other]))
            value[own, other] = found
    return value[everything, everything]


@pytest.mark.parametrize(("tiles", "aim"), [(3, "win"), (4, "win"), (4, "points")])
def test_two_rows_of_tiles_are_covered_and_uncovered(tiles: int, aim: str) -> None:
    """Play goes back and forth: a row can be covered as often as the other uncovers it."""
    found = solved("canoga", tiles=tiles, aim=aim)
    first = canoga(tiles, for_points=aim == "points")
    assert found.value == pytest.approx([first, -first], abs=CLOSE)


Goods = tuple[int, int]
Lead = tuple[Fraction, Fraction]


def kept(goods: Goods, good: str, n: int) -> tuple[Goods, int]:
    """Return the goods of a player who keeps n of one kind, and the points for it."""
    silk, tea = goods
    if good == "gold":
        return goods, 1
    return ((min(2, silk + n), tea) if good == "silk" else (silk, min(2, tea + n))), 0


def sales(own: Goods, prices: Goods) -> list[tuple[Goods, Goods, int]]:
    """Return what is left, the prices afterwards, and what is got."""
    found = []
    for kind in (0, 1):
        for n in range(1, own[kind] + 1):
            left, after = list(own), [min(4, price + 1) for price in prices]
            left[kind] -= n
            after[kind] = max(1, prices[kind] - n)
            found.append(((left[0], left[1]), (after[0], after[1]), n * prices[kind]))
    return found


def bazaar(rounds: int) -> Lead:
    """Return what both players sell for."""
    sack = ["silk"] * 3 + ["tea"] * 2 + ["gold"]
    draws = Counter(frozenset(Counter(pair).items()) for pair in combinations(sack, 2))

    @cache
    def turn(own: Goods, other: Goods, prices: Goods, turns: int) -> Lead:
        """Return what the player to move and the other one still get."""
        if not turns:
            return Z, Z
        totals = [Z, Z]
        for pair, ways in draws.items():
            options = []
            for good, n in sorted(pair, key=lambda p: ("silk", "tea", "gold").index(p[0])):
                have, points = kept(own, good, n)
                mine, others = market(have, other, prices, turns)
                options.append((mine + points, others))
            best = max(options, key=lambda lead: lead[0])
            totals = [
                total + ways * got / Fraction(15) for total, got in zip(totals, best, strict=True)
            ]
        return totals[0], totals[1]

    @cache
    def market(own: Goods, other: Goods, prices: Goods, turns: int) -> Lead:
        def then(own: Goods, other: Goods, prices: Goods, points: int) -> Lead:
            others, mine = turn(other, own, prices, turns - 1)
            return mine + points, others

        ways = [then(left, other, after, points) for left, after, points in sales(own, prices)]
        if own[0] and other[1]:
            get, give = (own[0] - 1, min(2, own[1] + 1)), (min(2, other[0] + 1), other[1] - 1)
            ways.append(then(get, give, prices, 0))
        if own[0] and own[1]:
            ways.append(then((own[0] - 1, own[1] - 1), other, prices, 5))
        ways.append(then(own, other, prices, 0))
        return max(ways, key=lambda lead: lead[0])

    return turn((0, 0), (0, 0), (2, 3), 2 * rounds)


@pytest.mark.parametrize("rounds", [1, 2, 3])
def test_goods_are_sold_bartered_and_handed_in(rounds: int) -> None:
    found = solved("bazaar", rounds=rounds)
    assert found.value == pytest.approx([float(v) for v in bazaar(rounds)], abs=CLOSE)


Bets = tuple[tuple[str, int], ...]


def passe_dix(players: int, throws: int, triple_pays: int) -> tuple[Fraction, ...]:
    """Return the chance of each player to have most chips."""
    sums = Counter((sum(dice), len(set(dice)) == 1) for dice in product((1, 2, 3, 4), repeat=3))

    def paid(
        chips: tuple[int, ...], bets: Bets, bank: int, total: int, same: bool
    ) -> tuple[int, ...]:
        after = list(chips)
        for p in (players - 1, *range(players - 1)):
            side, stake = bets[p]
            if side == "triple":
                gain = triple_pays * stake if same else -stake
            else:
                gain = stake if not same and (total > 7) == (side == "over") else -stake
            gain = min(gain, after[bank]) if p != bank else 0
            after[p] += gain
            after[bank] -= gain
        return tuple(after)

    @cache
    def play(chips: tuple[int, ...], bets: Bets, bank: int, left: int) -> tuple[Fraction, ...]:
        seat = len(bets)
        if seat == players:
            totals = [Z] * players
            for (total, same), ways in sums.items():
                after = paid(chips, bets, bank, total, same)
                passes = (bank + 1) % players if after[bank] < chips[bank] else bank
                found = begun(after, passes, left - 1)
                totals = [t + ways * f / Fraction(64) for t, f in zip(totals, found, strict=True)]
            return tuple(totals)
        stakes = [("over", n) for n in (1, 2) if n <= chips[seat]]
        some = [*stakes, ("under", 1), ("triple", 1)] if seat != bank else []
        follow = [play(chips, (*bets, bet), bank, left) for bet in (*some, ("over", 0))]
        return max(follow, key=lambda found: found[seat])

    def begun(chips: tuple[int, ...], bank: int, left: int) -> tuple[Fraction, ...]:
        if left and min(chips):
            return play(chips, (), bank, left)
        first = [c == max(chips) for c in chips]
        return tuple(Fraction(f, sum(first)) for f in first)

    return begun((3,) * players, 0, throws)


@pytest.mark.parametrize(("players", "throws", "triple_pays"), [(2, 3, 5), (3, 2, 2)])
def test_a_bank_that_passes_on(players: int, throws: int, triple_pays: int) -> None:
    found = solved("passe_dix", players=players, throws=throws, triple_pays=triple_pays)
    expected = [float(value) for value in passe_dix(players, throws, triple_pays)]
    assert found.value == pytest.approx(expected, abs=CLOSE)
