"""Values of games of two players on one board, of bets, of pools, and of those who may lose all."""

from collections import Counter
from fractions import Fraction
from functools import cache
from itertools import product
from pathlib import Path
from random import Random

import pytest

import dicegames

SECOND = Path(__file__).parent / "second_games"

Placed = tuple[tuple[int, ...], tuple[int, ...]]  # by casino: the dice of the mover, of the other


def cash(own: tuple[int, ...], other: tuple[int, ...]) -> int:
    """Return what the bills of the casinos bring, of which no one at a tie gets any."""
    return sum(
        10 * (len(own) - c) for c, (a, b) in enumerate(zip(own, other, strict=True)) if a > b
    )


@cache
def las_vegas(placed: Placed, dice: int) -> Fraction:
    """Return the probability that the player to move wins, a tie shared."""
    own, other = placed
    left = dice - sum(own)
    if left == 0 == dice - sum(other):
        ahead = cash(own, other) - cash(other, own)
        return Fraction(1 + (ahead > 0) - (ahead < 0), 2)
    if left == 0:
        return 1 - las_vegas((other, own), dice)
    total = Fraction(0)
    for thrown, ways in throws(left, len(own)).items():
        best = Fraction(0)
        for c, count in enumerate(thrown):
            if count:
                more = (*own[:c], own[c] + count, *own[c + 1 :])
                best = max(best, 1 - las_vegas((other, more), dice))
        total += best * ways
    return total * Fraction(1, len(own) ** left)


@cache
def throws(dice: int, sides: int) -> Counter[tuple[int, ...]]:
    """Return in how many ways each number of dice with each face is thrown."""
    faces = range(sides)
    return Counter(tuple(map(t.count, faces)) for t in product(faces, repeat=dice))


@pytest.mark.parametrize(("dice", "casinos"), [(2, 2), (3, 3), (4, 2)])
def test_equal_players_get_nothing(dice: int, casinos: int) -> None:
    game = dicegames.load(SECOND / "las_vegas.dg", dice_each=dice, casinos=casinos)
    first = las_vegas(((0,) * casinos, (0,) * casinos), dice)
    expected = [float(first), float(1 - first)]
    assert dicegames.solve(game).value == pytest.approx(expected, abs=1e-11)


Board = tuple[frozenset[int], int, frozenset[int], int]  # squares and men at home: mover, other
ROSETTES = (4, 8, 14)


def moved(board: Board, man: int, steps: int) -> Board | None:
    """Return the board after a move, None if it is not allowed; 0 are the men to come in."""
    own, done, other, home = board
    aim = man + steps
    if aim > 15 or aim in own or (aim == 8 and aim in other):
        return None
    own = own - {man} | ({aim} if aim < 15 else frozenset())
    return own, done + (aim == 15), other - ({aim} if 5 <= aim <= 12 else frozenset()), home


def turned(board: Board) -> Board:
    return board[2], board[3], board[0], board[1]


def after_throw(board: Board, steps: int, pieces: int) -> list[tuple[Board, bool]]:
    """Return what a throw may lead to, and whether the same player goes on."""
    own, done, _, _ = board
    men = [*own] + [0] * (pieces > done + len(own))
    found = [(after, m + steps in ROSETTES) for m in men if (after := moved(board, m, steps))]
    return found if found and steps else [(board, False)]


def royal_game(pieces: int) -> float:
    """Return the probability that the first player wins, by sweeps over all boards."""
    first: Board = (frozenset(), 0, frozenset(), 0)
    boards: dict[Board, list[list[tuple[Board, bool]]]] = {}
    pending = [first]
    while pending:
        board = pending.pop()
        if board in boards or board[1] == pieces:
            continue
        boards[board] = [after_throw(board, steps, pieces) for steps in range(5)]
        pending += [b if on or b[1] == pieces else turned(b) for t in boards[board] for b, on in t]
    values = dict.fromkeys(boards, 0.5)
    change = 1.0

    def worth(board: Board, goes_on: bool) -> float:
        if board[1] == pieces:
            return 1.0
        return values[board] if goes_on else 1 - values[turned(board)]

    while change > 1e-13:
        change = 0.0
        for board, by_steps in boards.items():
            best = [max(worth(*after) for after in throw) for throw in by_steps]
            new = sum(w * b for w, b in zip((1, 4, 6, 4, 1), best, strict=True)) / 16
            change = max(change, abs(new - values[board]))
            values[board] = new
    return values[first]


@pytest.mark.parametrize("pieces", [1, pytest.param(2, marks=pytest.mark.slow)])
def test_men_that_are_hit_come_in_again(pieces: int) -> None:
    game = dicegames.load(SECOND / "royal_game_of_ur.dg", pieces=pieces)
    first = royal_game(pieces)
    assert dicegames.solve(game).value == pytest.approx([first, 1 - first], abs=1e-10)


def test_what_changes_in_a_turn_may_have_too_many_values_for_blocks() -> None:
    # 32 counters of a few values each: the states that come up are listed
    game = dicegames.load(SECOND / "royal_game_of_ur.dg", pieces=2)
    first = 0.518572907496  # of the sweeps above
    assert dicegames.solve(game).value == pytest.approx([first, 1 - first], abs=1e-11)


def two_dice_pig(target: int) -> float:
    """Return the probability that the first player wins, by sweeps over all totals.

    `values[own][other]` is that of the player to move, `rolling` what it is worth to throw on with
    so many points of the turn.
    """
    values = [[0.5] * target for _ in range(target)]
    sums = Counter(a + b for a, b in product(range(2, 7), repeat=2))
    change = 1.0
    while change > 1e-13:
        change = 0.0
        for own, other in product(reversed(range(target)), repeat=2):
            lost = 10 * (1 - values[other][own]) + 1 - values[other][0]
            rolling: dict[int, float] = {}
            for points in reversed(range(target - own)):
                won = lost
                for more, ways in sums.items():
                    total = own + points + more
                    kept = 1 - values[other][total] if total < target else 1.0
                    won += ways * max(kept, rolling.get(points + more, 0.0))
                rolling[points] = won / 36
            change = max(change, abs(rolling[0] - values[own][other]))
            values[own][other] = rolling[0]
    return values[0][0]


def test_what_is_lost_again_and_again_has_bounds_all_the_same() -> None:
    # two ones take all that a player has: no turn but the last few can lead out of the one layer
    game = dicegames.load(SECOND / "two_dice_pig.dg", target=15)
    found, first = dicegames.solve(game), two_dice_pig(15)
    assert found.value == pytest.approx([first, 1 - first], abs=1e-11)
    large = dicegames.solve(dicegames.load(SECOND / "two_dice_pig.dg", target=60))
    assert large.solved.method == "blocks"
    assert 0 < large.error_bound < 1e-12


def hazard(main: int) -> Fraction:
    """Return the probability that the caster wins with a main: at once, or by the chance."""
    ways = Counter(map(sum, product(range(1, 7), repeat=2)))
    nicks = {5: {5}, 6: {6, 12}, 7: {7, 11}, 8: {8, 12}, 9: {9}}[main]
    chances = set(range(4, 11)) - {main}
    at_once = sum(ways[n] for n in nicks)
    return Fraction(at_once, 36) + sum(
        Fraction(ways[n], 36) * Fraction(ways[n], ways[n] + ways[main]) for n in chances
    )


def test_the_mains_of_hazard() -> None:
    # published to three places: 0.492 for 7, a loss of 1.41%, and 2.34% for 6 and 8
    assert hazard(7) == Fraction(244, 495)
    assert hazard(6) == hazard(8) == Fraction(6961, 14256)
    game = dicegames.load(SECOND / "hazard.dg")
    found = dicegames.solve(game).options(game.start())
    values = {choice.name: choice.value for choice in found}
    expected = {f"Main {m}": float(2 * hazard(m) - 1) for m in range(5, 10)}
    assert values == pytest.approx(expected, abs=1e-12)


@cache
def before_the_throw(own: int, other: int, cube: int, owner: int, most: int) -> Fraction:
    """Return the money of who is to move and may double: `owner` is 0 for nobody, 1 for the own."""
    goes_on = thrown(own, other, cube, owner, most)
    if owner == 2 or 2 * cube > most:
        return goes_on
    doubled = min(Fraction(cube), thrown(own, other, 2 * cube, 2, most))  # dropped, or taken
    return max(goes_on, doubled)


@cache
def thrown(own: int, other: int, cube: int, owner: int, most: int) -> Fraction:
    """Return the money of who throws: doubles count twice."""
    total = Fraction(0)
    for a, b in product(range(1, 7), repeat=2):
        left = own - (a + b) * (2 if a == b else 1)
        after = (other, left, cube, (0, 2, 1)[owner], most)
        total += cube if left <= 0 else -before_the_throw(*after)
    return total / 36


@pytest.mark.parametrize(("length", "most"), [(10, 2), (16, 8)])
def test_a_race_with_a_doubling_cube(length: int, most: int) -> None:
    game = dicegames.load(SECOND / "race_with_a_cube.dg", length=length, highest_cube=most)
    first = float(before_the_throw(length, length, 1, 0, most))
    assert dicegames.solve(game).value == pytest.approx([first, -first], abs=1e-11)


Drawn = tuple[int, ...]  # how many dice show each number


def with_one(dice: Drawn, number: int, more: int) -> Drawn:
    return tuple(count + more * (f == number) for f, count in enumerate(dice, 1))


@cache
def drafted(pool: Drawn, own: Drawn, other: Drawn, pools: int) -> Fraction:
    """Return the lead that is still to come of who takes a die; so many pools are not over."""
    return max(taken(pool, own, other, pools, f) for f, count in enumerate(pool, 1) if count)


def taken(pool: Drawn, own: Drawn, other: Drawn, pools: int, number: int) -> Fraction:
    """Return the same where a die with this number is taken."""
    left, own = with_one(pool, number, -1), with_one(own, number, 1)
    if any(left):
        return -drafted(left, other, own, pools)
    both = enumerate(zip(own, other, strict=True), 1)
    lead = Fraction(sum(f * (a * a - b * b) for f, (a, b) in both))
    return lead - opened(sum(own + other), pools - 1)


@cache
def opened(dice: int, pools: int) -> Fraction:
    """Return the lead of who throws the next of so many pools."""
    if pools == 0:
        return Fraction(0)
    none = (0,) * 6
    leads = (n * drafted(pool, none, none, pools) for pool, n in throws(dice, 6).items())
    return sum(leads, Fraction(0)) * Fraction(1, 6**dice)


@pytest.mark.parametrize(("dice", "pools"), [(4, 2), (3, 2), (5, 1)])
def test_dice_are_taken_from_a_common_pool(dice: int, pools: int) -> None:
    game = dicegames.load(SECOND / "dice_draft.dg", pool_size=dice, pools=pools)
    solution = dicegames.solve(game)
    first = float(opened(dice, pools))
    assert solution.value == pytest.approx([first, -first], abs=1e-11)
    random, pool_of = Random(1), sorted(throws(dice - 2, 6))
    for _ in range(60):
        pool, one, two = random.choice(pool_of), random.randint(1, 6), random.randint(1, 6)
        own, other = with_one((0,) * 6, one, 1), with_one((0,) * 6, two, 1)
        lying = " ".join(f"{f}:{count}" for f, count in enumerate(pool, 1) if count)
        found = solution.options(f"have {one}:1 / {two}:1 | pool {lying} | taken 2")
        assert {choice.move.label: choice.value for choice in found} == pytest.approx(
            {
                f"Take {f}": float(taken(pool, own, other, pools, f))
                for f, count in enumerate(pool, 1)
                if count
            },
            abs=1e-11,
        )
