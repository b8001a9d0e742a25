"""Values of games whose dice are picked by the players, whose men hit each other, and of a mill."""

from collections import defaultdict
from functools import cache
from itertools import product

import pytest

from tests.second_solved import CLOSE, solved

DICE = {"red": (2, 4, 9), "blue": (1, 6, 8), "green": (3, 5, 7), "grey": (0, 0, 0, 10)}

Numbers = tuple[int, ...]
Shares = tuple[float, ...]


def odd_dice(players: int, throws: int, price: int, sense: int) -> Shares:
    """Return the chances to win; `sense` is -1 where everybody wants to lose."""

    def best(seat: int, options: list[Shares]) -> Shares:
        most = max(sense * option[seat] for option in options)
        return next(option for option in options if sense * option[seat] >= most - 1e-9)

    def free(mine: tuple[str, ...]) -> list[tuple[str, ...]]:
        return [(*mine, die) for die in DICE if die not in mine]

    def drafted(mine: tuple[str, ...]) -> Shares:
        if len(mine) == players:
            return moved(1, mine, (), (0,) * players)
        return best(len(mine), [drafted(more) for more in free(mine)])

    @cache
    def moved(turn: int, mine: tuple[str, ...], shown: Numbers, points: Numbers) -> Shares:
        if len(shown) == players:
            points = tuple(p + (s == max(shown)) for p, s in zip(points, shown, strict=True))
            turn, shown = turn + 1, ()
        if turn > throws:
            ahead = [p == max(points) for p in points]
            return tuple(first / sum(ahead) for first in ahead)
        seat = len(shown)
        paid = tuple(p - price * (n == seat) for n, p in enumerate(points))
        options = []
        for die in DICE:
            if die not in mine:
                now = (*mine[:seat], die, *mine[seat + 1 :])
                options.append(thrown(turn, now, shown, paid))
        return best(seat, [*options, thrown(turn, mine, shown, points)])

    def thrown(turn: int, mine: tuple[str, ...], shown: Numbers, points: Numbers) -> Shares:
        faces = DICE[mine[len(shown)]]
        after = [moved(turn, mine, (*shown, face), points) for face in faces]
        return tuple(sum(seat) / len(faces) for seat in zip(*after, strict=True))

    return drafted(())


@pytest.mark.parametrize("sense", [1, -1])
@pytest.mark.parametrize(
    ("players", "throws", "price"), [(2, 3, 0), (2, 2, 1), (2, 3, 2), (3, 1, 0)]
)
def test_kinds_of_dice_are_words(players: int, throws: int, price: int, sense: int) -> None:
    objective = "payoff" if sense > 0 else "payoff minimised"
    found = solved("odd_dice", objective, players=players, throws=throws, price=price)
    assert found.value == pytest.approx(odd_dice(players, throws, price, sense), abs=CLOSE)


def blots(length: int, men: int, sense: int) -> float:
    """Return the chance of the first player, by sweeps from nothing up."""
    start = ((0,) * men, (0,) * men)
    moves: dict[tuple[tuple[Numbers, Numbers], int], list[tuple[Numbers, Numbers]]] = {}
    values: defaultdict[tuple[Numbers, Numbers], float] = defaultdict(float)
    found = [start]
    for mine, yours in found:
        for die in (1, 2, 3):
            after = moves[(mine, yours), die] = list(moved(length, mine, yours, die))
            for now, then in after:
                turned = (now, then) if die == 3 else (then, now)
                if set(now) != {length} and turned not in found:
                    found.append(turned)

    def worth(after: tuple[Numbers, Numbers], die: int) -> float:
        if set(after[0]) == {length}:
            return 1.0
        return values[after] if die == 3 else 1 - values[after[::-1]]

    change = 1.0
    while change > 1e-14:
        change = 0.0
        for state in found:
            best = [
                max(worth(after, die) * sense for after in moves[state, die]) * sense
                for die in (1, 2, 3)
            ]
            change = max(change, abs(sum(best) / 3 - values[state]))
            values[state] = sum(best) / 3
    return values[start]


def moved(length: int, mine: Numbers, yours: Numbers, die: int) -> set[tuple[Numbers, Numbers]]:
    """Return how the men may stand after a throw; they stay where none may go."""
    after = set()
    for man, at in enumerate(mine):
        to = min(length, at + die)
        if at < length and (to == length or yours.count(length - to) < 2):
            hit = tuple(0 if to < length and spot == length - to else spot for spot in yours)
            after.add(((*mine[:man], to, *mine[man + 1 :]), hit))
    return after or {(mine, yours)}


@pytest.mark.parametrize("sense", [1, -1])
@pytest.mark.parametrize(("length", "men"), [(2, 2), (3, 2), (4, 2), (5, 1)])
def test_men_that_are_hit_begin_again(length: int, men: int, sense: int) -> None:
    objective = "payoff" if sense > 0 else "payoff minimised"
    chance = blots(length, men, sense)
    found = solved("blots", objective, length=length, men=men)
    assert found.value == pytest.approx((chance, 1 - chance), abs=CLOSE)


def mill(strength: int, turns: int, *, sense: int = 1) -> float:
    """Return what the first of so many turns adds; from the start, with no wear and no store.

    Where turns are many, that is the average of the long run.
    """
    wheel = (1, 2, 3, 5)
    throws = list(product(wheel, wheel))
    before = after = dict.fromkeys(product(range(strength + 1), range(3)), 0.0)

    def best(options: list[float]) -> float:
        return sense * max(sense * option for option in options)

    def broken(stored: int) -> float:
        total = 0.0
        for throw, (calm, chance) in product(throws, ((True, 0.75), (False, 0.25))):
            options = [after[0, stored] - 3]
            options += [after[strength - 2, stored]] if 5 in throw else []
            options += [after[strength, stored]] if calm else []
            total += chance * best(options) / len(throws)
        return total - 4

    def full(wear: int, stored: int) -> float:
        total = 0.0
        for throw, (calm, chance) in product(throws, ((True, 0.75), (False, 0.25))):
            now = wear + (throw[0] == throw[1]) if calm else min(strength, wear + 2)
            options = [after[now, stored]]
            options += [after[now, stored + 1] - 1] if stored < 2 and sum(throw) >= 3 else []
            total += chance * (sum(throw) + best(options)) / len(throws)
        return total

    def slow(wear: int, stored: int) -> float:
        return sum(wheel) / 4 + best([3 * n + after[wear, stored - n] for n in range(stored + 1)])

    for _ in range(turns):
        now = {}
        for wear, stored in after:
            mended = after[max(0, wear - 2), stored] - 1
            options = [full(wear, stored), slow(wear, stored), mended] if wear < strength else []
            now[wear, stored] = best(options or [broken(stored)])
        before, after = after, now
    return after[0, 0] - before[0, 0]


@pytest.mark.parametrize("strength", [2, 3])
def test_a_mill_is_mended_in_time(strength: int) -> None:
    years = [mill(strength, turns) for turns in range(1, 5)]
    assert solved("mill", strength=strength).value == pytest.approx(sum(years), abs=CLOSE)
    for sense, objective in ((1, "average"), (-1, "average minimised")):
        average = solved("mill", objective, strength=strength).value
        assert average == pytest.approx(mill(strength, 300, sense=sense), abs=1e-9)
