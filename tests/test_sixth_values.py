"""Values of games in which players sit out, or do not move in the order of their seats."""

from collections import Counter
from fractions import Fraction
from functools import cache
from itertools import product

import pytest

from tests.second_solved import CLOSE, Shares, changed, mean, solved


def skunk(players: int, columns: int, most: int) -> Shares:
    """Return the chances to win; who stands has the points of the column."""
    seats = range(players)
    throws = Counter(product((1, 2, 3, 4), repeat=2))

    def next_column(score: tuple[int, ...], column: int) -> Shares:
        if column < columns:
            return thrown(score, (1,) * players, 0, column + 1)
        first = [seat for seat in seats if score[seat] == max(score)]
        return tuple(Fraction(seat in first, len(first)) for seat in seats)

    @cache
    def asked(
        seat: int, score: tuple[int, ...], stands: tuple[int, ...], points: int, column: int
    ) -> Shares:
        if seat == players:
            return thrown(score, stands, points, column)
        if not stands[seat]:
            return asked(seat + 1, score, stands, points, column)
        more = changed(score, seat, score[seat] + points)
        ways = [asked(seat + 1, more, changed(stands, seat, 0), points, column)]
        if points < most:
            ways.insert(0, asked(seat + 1, score, stands, points, column))
        return max(ways, key=lambda way: way[seat])  # staying, if both are worth the same

    def thrown(score: tuple[int, ...], stands: tuple[int, ...], points: int, column: int) -> Shares:
        if not any(stands):
            return next_column(score, column)
        parts = []
        for throw, ways in throws.items():
            if throw == (1, 1):
                left = tuple(0 if stands[seat] else score[seat] for seat in seats)
                then = next_column(left, column)
            elif 1 in throw:
                then = next_column(score, column)
            else:
                then = asked(0, score, stands, points + sum(throw), column)
            parts.append((Fraction(ways, 16), then))
        return mean(parts)

    return thrown((0,) * players, (1,) * players, 0, 1)


@pytest.mark.parametrize(
    ("players", "columns", "most"), [(2, 1, 12), (2, 2, 8), (3, 1, 8), (3, 1, 11)]
)
def test_all_stand_on_the_same_throws(players: int, columns: int, most: int) -> None:
    """The turns of who has sat down are passed over, and so are those of who has nothing to say."""
    found = solved("skunk", players=players, columns=columns, most=most)
    expected = list(map(float, skunk(players, columns, most)))
    assert found.value == pytest.approx(expected, abs=CLOSE)


def tricks_won(players: int, tricks: int) -> Shares:
    """Return how many tricks each player takes; who leads to the first one is the first player."""
    throws = Counter(tuple(sorted(throw)) for throw in product((1, 2, 3), repeat=2))

    @cache
    def throw(leader: int, shown: tuple[int, ...], left: int) -> Shares:
        """Return what is still won; `shown` are the sums of the trick, the leader's first."""
        if not left:
            return (Fraction(0),) * players
        if len(shown) == players:
            best = (leader + shown.index(max(shown))) % players
            won = throw(best, (), left - 1)
            return tuple(n + (seat == best) for seat, n in enumerate(won))
        seat = (leader + len(shown)) % players
        parts = []
        for dice, ways in throws.items():
            options = [throw(leader, (*shown, sum(dice)), left)]  # the dice stay
            if shown and sum(dice) < max(shown):
                again = [
                    mean(
                        [
                            (Fraction(1, 3), throw(leader, (*shown, sum(dice) - die + new), left))
                            for new in (1, 2, 3)
                        ]
                    )
                    for die in sorted(set(dice))
                ]
                options = [*again, *options]
            parts.append((Fraction(ways, 9), max(options, key=lambda option: option[seat])))
        return mean(parts)

    return throw(0, (), tricks)


@pytest.mark.parametrize(("players", "tricks"), [(2, 1), (2, 3), (3, 1), (3, 2)])
def test_who_takes_a_trick_leads_to_the_next(players: int, tricks: int) -> None:
    found = solved("who_wins_leads", players=players, tricks=tricks)
    expected = list(map(float, tricks_won(players, tricks)))
    assert found.value == pytest.approx(expected, abs=CLOSE)
