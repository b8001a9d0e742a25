"""Values of more second games, against programs that know each game only and nothing of ours."""

from collections import Counter
from collections.abc import Callable, Iterable
from functools import cache
from itertools import combinations, product
from pathlib import Path

import pytest

import dicegames

SECOND = Path(__file__).parent / "second_games"

Dice = tuple[int, ...]


def solved(name: str) -> float:
    value = dicegames.solve(dicegames.load(SECOND / f"{name}.dg")).value
    return value[0] if isinstance(value, tuple) else value


@cache
def throws(count: int, sides: int = 6) -> list[tuple[Dice, float]]:
    """What so many dice show, in order, and how probable it is."""
    found = Counter(tuple(sorted(dice)) for dice in product(range(1, sides + 1), repeat=count))
    return [(dice, ways / sides**count) for dice, ways in found.items()]


def settled(states: Iterable[Dice], better: Callable[[Dice, dict[Dice, float]], float]) -> float:
    """Look at all states of a duel again and again; the value of the first one."""
    value = dict.fromkeys(states, 0.5)
    first = next(iter(value))
    change = 1.0
    while change > 1e-13:
        change = 0.0
        for state in reversed(value):
            new = better(state, value)
            change = max(change, abs(new - value[state]))
            value[state] = new
    return value[first]


# --- a card of five boxes


def points(box: str, dice: Dice) -> int:
    counts = Counter(dice)
    most = max(counts.values())
    if box == "pairs":
        return sum(dice) if sorted(counts.values()) == [2, 2] else 0
    if box == "straight":
        return 20 if len(counts) == 4 and max(dice) - min(dice) == 3 else 0
    if box == "triple":
        return 3 * max(f for f, n in counts.items() if n >= 3) if most >= 3 else 0
    return sum(dice) if box == "chance" else 40 * (most == 4)


@cache
def card(left: frozenset[str]) -> float:
    @cache
    def shown(dice: Dice, throws_left: int) -> float:
        if not throws_left:
            return max(points(box, dice) + card(left - {box}) for box in left)
        kept = {k for size in range(5) for k in combinations(dice, size)}
        return max(thrown(k, throws_left - 1) for k in kept)

    @cache
    def thrown(kept: Dice, throws_left: int) -> float:
        new = throws(4 - len(kept))
        return sum(p * shown(tuple(sorted(kept + dice)), throws_left) for dice, p in new)

    return thrown((), 2) if left else 0.0


def test_a_card_of_five_boxes() -> None:
    boxes = frozenset({"pairs", "straight", "triple", "chance", "yacht"})
    assert solved("four_dice_yacht") == pytest.approx(card(boxes), abs=1e-10)


# --- one more card, or none


@cache
def drawn(hand: int, *, ace: bool) -> float:
    total = 0.0
    for worth, ways in [*((worth, 1) for worth in range(1, 10)), (10, 4)]:
        new, soft = hand + worth, ace or worth == 1
        if new <= 21:
            held = new + 10 if soft and new <= 11 else new
            total += ways / 13 * max(held, drawn(new, ace=soft))
    return total


def test_one_more_card_or_none() -> None:
    assert solved("twenty_one") == pytest.approx(drawn(0, ace=False), abs=1e-11)


# --- a row of three, in six throws


@cache
def row(left: frozenset[int], throws_left: int) -> float:
    if any(not left & block for block in ({2, 3, 4}, {5, 6, 7}, {8, 9, 10})):
        return 1.0
    if not throws_left:
        return 0.0
    total = 0.0
    for dice, p in throws(2):
        marks = left & {sum(dice), *dice}
        total += p * max(
            [row(left - {m}, throws_left - 1) for m in marks] or [row(left, throws_left - 1)]
        )
    return total


def test_a_row_in_six_throws() -> None:
    assert solved("bingo") == pytest.approx(row(frozenset(range(2, 11)), 6), abs=1e-12)


# --- a race in which who is met goes back to the start


def race(state: Dice, value: dict[Dice, float]) -> float:
    own, other = state
    total = 0.0
    for dice, p in throws(2, 4):
        best = 0.0
        for steps in (*dice, sum(dice)):
            square = {3: 7, 9: 4}.get(own + steps, own + steps)
            met = 0 if square == other else other
            best = max(best, 1.0 if square >= 12 else 1 - value[met, square])
        total += p * best
    return total


def test_a_race_in_which_who_is_met_goes_back() -> None:
    states = product(range(12), repeat=2)
    assert solved("ladder_race") == pytest.approx(settled(states, race), abs=1e-11)


# --- an auction


@cache
def auction(own: Dice, other: Dice, lot: int, bid: int, sold: int) -> float:
    """The share of the player to move; both have a purse and what they have won."""
    if not lot:
        if sold == 2:
            return 0.5 + 0.5 * ((sum(own) > sum(other)) - (sum(own) < sum(other)))
        return sum(auction(own, other, lot, 0, sold) for lot in range(1, 7)) / 6
    sale = (other[0] - bid, other[1] + lot) if bid else other
    passed = 1 - auction(sale, own, 0, 0, sold + 1)
    raised = 1 - auction(other, own, lot, bid + 1, sold) if bid < own[0] else 0.0
    return max(passed, raised)


def test_an_auction_of_dice() -> None:
    assert solved("dice_auction") == pytest.approx(auction((3, 0), (3, 0), 0, 0, 0), abs=1e-12)


def test_positions_that_were_set_in_this_turn_or_before() -> None:
    """A lot on the table was thrown in this turn, or bid for in earlier ones."""
    game = dicegames.load(SECOND / "dice_auction.dg")
    solution = dicegames.solve(game)
    for outcome in game.start().outcomes():
        thrown = game.start().play(outcome)
        (lot,) = (k for k in range(1, 7) if f"lot {k}" in str(thrown))
        raised = thrown.play(thrown.moves()[0])
        for bid, position in enumerate([thrown, raised]):
            share = auction((3, 0), (3, 0), lot, bid, 0)
            values = solution.value_of(position)
            assert isinstance(values, tuple)
            assert values[position.seat] == pytest.approx(share, abs=1e-12)


# --- points at risk, groups taken one by one


def groups(dice: Dice) -> list[tuple[int, Dice]]:
    counts = Counter(dice)
    found: list[tuple[int, Dice]] = [(100 * f, (f,) * 3) for f, n in counts.items() if n >= 3]
    found += [(1000, (1, 1, 1))] if counts[1] >= 3 else []
    found += [(100, (1,))] if counts[1] else []
    found += [(50, (5,))] if counts[5] else []
    found += [(1500, dice)] if dice == (1, 2, 3, 4, 5, 6) else []
    found += [(750, dice)] if sorted(counts.values()) == [2, 2, 2] else []
    return found


@cache
def takings(dice: Dice) -> dict[int, int]:
    """The most points with which so many dice are left."""
    found: dict[int, int] = {}
    for worth, taken in groups(dice):
        left = tuple(sorted((Counter(dice) - Counter(taken)).elements()))
        further = {len(left): 0, **takings(left)}
        for count, more in further.items():
            found[count] = max(found.get(count, 0), worth + more)
    return found


def farkle(state: Dice, value: dict[Dice, float]) -> float:
    own, other = state

    @cache
    def rolled(count: int, risk: int) -> float:
        total = 0.0
        for dice, p in throws(count):
            best = 0.0 if takings(dice) else 1 - value[other, own]
            for left, won in takings(dice).items():
                had = own + risk + won
                if had >= 300:
                    best = 1.0
                else:
                    best = max(best, 1 - value[other, had], rolled(left or 6, risk + won))
            total += p * best
        return total

    return rolled(6, 0)


def test_points_at_risk_that_are_taken_group_by_group() -> None:
    """Nobody has to bank, so that play could go on for ever: that must not take minutes."""
    states = product(range(0, 300, 50), repeat=2)
    assert solved("short_farkle") == pytest.approx(settled(states, farkle), abs=2e-9)


# --- a man each, twelve axes: one for each point of each player


def one_man_each(goal: int) -> float:
    """Return the chance of the first player, with a man each so many points from the goal."""
    steps = Counter(a + b for a, b in product(range(1, 7), repeat=2))

    @cache
    def wins(own: int, other: int) -> float:
        return sum(
            ways / 36 * (1.0 if step >= own else 1.0 - wins(other, own - step))
            for step, ways in steps.items()
        )

    return wins(goal, goal)


def test_one_man_each() -> None:
    assert one_man_each(6) == pytest.approx(1340881 / 1679616, abs=1e-15)
    assert solved("one_man_each") == pytest.approx(one_man_each(6), abs=1e-12)


# --- Martinetti: the numbers to twelve and back, as far as each throw has them


def test_martinetti() -> None:
    turns = {24: 0.0}
    for done in reversed(range(24)):
        reached = dict[int, float]()
        for dice, chance in throws(3):
            sums = {sum(part) for size in (1, 2, 3) for part in combinations(dice, size)}
            at = done
            while at < 24 and (at + 1 if at < 12 else 24 - at) in sums:
                at += 1
            reached[at] = reached.get(at, 0.0) + chance
        onward = sum(p * turns[at] for at, p in reached.items() if at != done)
        turns[done] = (1.0 + onward) / (1.0 - reached.get(done, 0.0))
    assert solved("martinetti") == pytest.approx(turns[0], abs=1e-9)
