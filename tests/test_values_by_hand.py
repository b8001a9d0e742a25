"""Values of second games, each against a few lines that know this game only."""

from collections import Counter
from fractions import Fraction
from functools import cache
from itertools import combinations, product
from math import comb, prod
from pathlib import Path

import pytest

import dicegames

SECOND = Path(__file__).parent / "second_games"
Dice = tuple[int, ...]


def solved(name: str, **options: object) -> float:
    value = dicegames.solve(dicegames.load(SECOND / f"{name}.dg", **options)).value
    return value[0] if isinstance(value, tuple) else value


@cache
def throws(count: int, sides: int = 6) -> list[tuple[Dice, Fraction]]:
    """What so many dice show, in order, and how probable it is."""
    found = Counter(tuple(sorted(dice)) for dice in product(range(1, sides + 1), repeat=count))
    return [(dice, Fraction(ways, sides**count)) for dice, ways in found.items()]


# --- bets on faces: picking a word and a number, cases, a function of two

CROWN, ANCHOR, HEART = 1, 2, 3


@cache
def bets(left: frozenset[int], favourite: int, stakes: int) -> Fraction:
    if not left:
        return Fraction(0)
    found = []
    for face, stake in product(left, range(1, stakes + 1)):
        worth = Fraction(0)
        for dice, chance in throws(3, 4):
            shown = dice.count(face)
            paid = min(2 * stake * shown, 8) if face == favourite else stake * shown
            then = HEART if HEART in dice and ANCHOR not in dice else favourite
            rest = bets(left - {face}, then, stakes)
            worth += chance * ((paid if shown else -stake) + rest)
        found.append(worth)
    return max(found)


@pytest.mark.parametrize("stakes", [1, 3])
def test_bets_on_faces(stakes: int) -> None:
    expected = bets(frozenset((CROWN, ANCHOR, HEART)), ANCHOR, stakes)
    assert solved("crown_and_anchor", stakes=stakes) == pytest.approx(float(expected), abs=1e-11)


# --- a set that fills: empty at first, what the dice show is put in


def turns_to_fill(sides: int) -> float:
    """Return the turns that are expected: the sets from full to empty, each until it settles."""
    value: dict[frozenset[int], float] = {}
    chances = [(frozenset(dice), float(chance)) for dice, chance in throws(2, sides)]
    for size in range(sides, -1, -1):
        for seen in map(frozenset, combinations(range(1, sides + 1), size)):
            value[seen] = 0.0
            while size < sides:
                again = sum(p * value[seen | dice] for dice, p in chances)
                best = [
                    min(value[seen | dice], again)
                    if 1 not in dice and len(dice - seen) < 2
                    else value[seen | dice]
                    for dice, _ in chances
                ]
                new = 1 + sum(p * v for v, (_, p) in zip(best, chances, strict=True))
                if abs(new - value[seen]) < 1e-13:
                    break
                value[seen] = new
    return value[frozenset()]


@pytest.mark.parametrize("sides", [2, 4, 6])
def test_a_set_that_fills(sides: int) -> None:
    assert solved("full_set", sides=sides) == pytest.approx(turns_to_fill(sides), abs=1e-9)


# --- a race: highest of several values, so many of the dice, a condition over two lines


def steps(place: int, dice: Dice, strong: int) -> set[int]:
    burden = 4 if place < 4 else 6 if place < 8 else place
    dash = max(1, sum(sorted(dice)[-strong:]) - burden)
    wade = any(sum(part) in (2, 7, 12) for part in combinations(dice, strong))
    return {min(12, place + n) for n in (dash, 2 if wade else 1, 1)}


@cache
def race(mine: int, other: int, strong: int, *, second: bool) -> float:
    """Return the chance of the player to move, who goes first or second in the round."""
    total = 0.0
    for dice, chance in throws(3):
        worth = []
        for place in steps(mine, dice, strong):
            if second and 12 in (place, other):
                worth.append((place > other) + (place == other) / 2)
            else:
                worth.append(1 - race(other, place, strong, second=not second))
        total += float(chance) * max(worth)
    return total


@pytest.mark.parametrize("strong", [1, 2, 3])
def test_a_race_with_burdens(strong: int) -> None:
    expected = race(0, 0, strong, second=False)
    assert solved("crossing", strong=strong) == pytest.approx(expected, abs=1e-9)


# --- dice that are added to those that lie


@cache
def snowball(dice: Dice, sides: int, most: int) -> Fraction:
    def points(shown: Dice) -> int:
        return sum(face if face > 2 else 2 * face for face in shown)

    if len(dice) == most:
        return Fraction(points(dice))
    added = Fraction(0)
    for face in range(1, sides + 1):
        if face not in dice:
            rest = snowball(tuple(sorted((*dice, face))), sides, most)
            added += (rest + (face > max(dice))) / sides
    return max(Fraction(points(dice)), added)


@pytest.mark.parametrize(("sides", "most"), [(6, 5), (3, 4)])
def test_dice_are_added(sides: int, most: int) -> None:
    turn = sum(snowball((face,), sides, most) for face in range(1, sides + 1)) / sides
    assert solved("snowball", sides=sides, most=most) == pytest.approx(float(2 * turn), abs=1e-11)


# --- so many dice of one kind, piles stay, a value that was kept


@cache
def two_colours(whites: int, red: Dice, locked: Dice, reds: int) -> Fraction:
    """Return what the second choice and all that follows brings."""

    def score(white: int, red: Dice) -> int:
        return sum(f if f != 3 else whites - white for f in locked) + sum(red)

    stay = Fraction(score(whites, red))
    again = sum((chance * score(sum(dice), red) for dice, chance in throws(2)), Fraction(0))
    found = [stay, again]
    if len(locked) + 1 < reds:
        one = Fraction(0)
        for face in range(1, 5):
            more = [(face,)] if face == 4 else [(face, other) for other in range(1, 5)]
            one += sum(Fraction(score(whites, dice), 4 * len(more)) for dice in more)
        found.append(one)
    return max(found)


@pytest.mark.parametrize("reds", [2, 3])
def test_dice_of_two_colours(reds: int) -> None:
    expected = Fraction(0)
    for (white, p), (red, q) in product(throws(2), throws(reds, 4)):
        whites = sum(white)
        found = [two_colours(whites, red, (), reds)]
        for size in range(1, reds + 1):
            for part in set(combinations(red, size)):
                rest = tuple(sorted((Counter(red) - Counter(part)).elements()))
                bonus = 10 * (sum(part) == whites)
                found.append(bonus + two_colours(whites, rest, part, reds))
        expected += p * q * max(found)
    assert solved("two_colours", reds=reds) == pytest.approx(float(expected), abs=1e-11)


# --- drawing without replacement


def drawn(pile: Dice, count: int) -> list[tuple[Dice, Fraction]]:
    """What so many, drawn of a pile of counts, may be, and how probable it is."""
    total = comb(sum(pile), count)
    parts = product(*(range(have + 1) for have in pile))
    found = [part for part in parts if sum(part) == count]
    return [(part, Fraction(prod(map(comb, pile, part)), total)) for part in found]


def less(pile: Dice, part: Dice) -> Dice:
    return tuple(a - b for a, b in zip(pile, part, strict=True))


def more(pile: Dice, part: Dice) -> Dice:
    return tuple(a + b for a, b in zip(pile, part, strict=True))


@pytest.mark.parametrize("n", [1, 3])
def test_an_urn(n: int) -> None:
    def points(hand: Dice) -> Fraction:
        return Fraction(2 * hand[0] - 3 * hand[1] + (hand[0] >= 3))

    urn = (4, 3)
    again = sum((p * points(hand) for hand, p in drawn(urn, n)), Fraction(0))
    expected = Fraction(1 + 2 * (n + 1), n + 2)  # the coin
    for hand, p in drawn(urn, n):
        further = [(q, points(more(hand, one))) for one, q in drawn(less(urn, hand), 1)]
        expected += p * max(points(hand), again, sum(q * v for q, v in further))
    assert solved("urn", n=n) == pytest.approx(float(expected), abs=1e-11)


GOLD_SILVER = ((-1, 3, 0), (1, 1, 2, 0))  # 0 is a trap, -1 brings nothing


@cache
def treasures(sack: Dice, found: int) -> Fraction:
    """Return what the rest of a turn is worth; dice by kind, gold and silver."""
    if sum(sack) < 2:
        return Fraction(found)
    total = Fraction(0)
    for hand, p in drawn(sack, 2):
        shown = [product(kind, repeat=n) for kind, n in zip(GOLD_SILVER, hand, strict=True)]
        for gold, silver in product(*map(list, shown)):
            q = p * Fraction(1, 3 ** hand[0] * 4 ** hand[1])
            rest, left = less(sack, hand), (hand[0] - gold.count(0), hand[1] - silver.count(0))
            has = found + 3 * gold.count(3) + 2 * silver.count(2)
            has += (left[0] > 0 and 0 not in gold) + (left[1] > 0 and 0 not in silver)
            if not any(left):
                continue  # all is lost
            values = [Fraction(has), treasures(rest, has)]
            for kind in (0, 1):
                if left[kind]:
                    one = (1 - kind, kind)
                    values.append(treasures(more(rest, one), has))
            total += q * max(values)
    return total


@pytest.mark.parametrize("golds", [1, 2])
def test_dice_of_two_kinds_in_one_pile(golds: int) -> None:
    expected = treasures((golds, 2), 0)
    assert solved("treasure", golds=golds) == pytest.approx(float(expected), abs=1e-11)


BRAIN_FEET_SHOT = ((3, 2, 1), (2, 2, 2), (1, 2, 3))  # of green, yellow and red dice


def thrown(dice: Dice) -> list[tuple[tuple[Dice, Dice, Dice], Fraction]]:
    """What dice of the colours show: how many of each colour are brains, feet and shots."""
    found: list[tuple[tuple[Dice, Dice, Dice], Fraction]] = [(((), (), ()), Fraction(1))]
    for count, weights in zip(dice, BRAIN_FEET_SHOT, strict=True):
        ways: list[tuple[tuple[Dice, Dice, Dice], Fraction]] = []
        for (brains, feet, shots), p in found:
            for b, f in product(range(count + 1), repeat=2):
                if b + f <= count:
                    n = comb(count, b) * comb(count - b, f)
                    n *= weights[0] ** b * weights[1] ** f * weights[2] ** (count - b - f)
                    shown = ((*brains, b), (*feet, f), (*shots, count - b - f))
                    ways.append((shown, p * Fraction(n, 6**count)))
        found = ways
    return found


@cache
def zombies(cup: Dice, eaten: Dice, feet: Dice, brains: int, shots: int, most: int) -> Fraction:
    """Return what the rest of a turn is worth; to stop is a choice once something was thrown."""
    if brains >= most:
        return Fraction(most)
    here = (cup, eaten, feet, brains, shots)
    if sum(cup) + sum(feet) < 3:
        cup, eaten = more(cup, eaten), (0, 0, 0)
    rest = stays = Fraction(0)
    for hand, p in drawn(cup, min(3 - sum(feet), sum(cup))):
        for (brain, foot, shot), q in thrown(more(feet, hand)):
            if shots + sum(shot) < 3:
                after = (less(cup, hand), more(eaten, brain), foot, brains + sum(brain))
                then = (*after, shots + sum(shot))
                if then == here:
                    stays += p * q
                else:
                    rest += p * q * zombies(*then, most)
    return max(Fraction(brains), rest / (1 - stays))


# --- a long loop: its counter is no reason to refuse a turn


def test_a_long_loop() -> None:
    """Dice are thrown again or not by themselves, a die that shows less than is to be expected."""
    die = Fraction(7, 2)
    for _ in range(110):
        die = Fraction(sum(max(Fraction(face), die) for face in range(1, 7))) / 6
    assert solved("patience", times=110) == pytest.approx(float(2 * 3 * die), abs=1e-9)


# --- one face taken after each throw, never the same twice


@cache
def worms(count: int, taken: frozenset[int], total: int) -> Fraction:
    """Return what so many dice bring; the worm, here 6, counts 5 and must be among those taken."""
    value = Fraction(0)
    for dice, p in throws(count):
        found = [Fraction(0)]
        for face in set(dice) - taken:
            here, has = dice.count(face), taken | {face}
            after = total + here * min(face, 5)
            found.append(Fraction(after if 6 in has else 0))
            if count > here:
                found.append(worms(count - here, has, after))
        value += p * max(found)
    return value


def test_faces_that_are_taken_once() -> None:
    expected = float(worms(4, frozenset(), 0))
    assert solved("worms") == pytest.approx(expected, abs=1e-11)


def without_sevens(dice: Dice) -> Dice:
    """Return the dice that are left when pairs that add up to seven are taken away."""
    counts = Counter(dice)
    return tuple(f for f in range(1, 7) for _ in range(counts[f] - counts[7 - f]))


@cache
def sevens(dice: Dice, left: int) -> float:
    """Return what dice are worth with so many throws left, any of them to be thrown again."""
    dice = without_sevens(dice)
    best = float(sum(dice))
    for k in range(1, len(dice) + 1) if left else ():
        for kept in set(combinations(dice, len(dice) - k)):
            again = throws(k)
            best = max(
                best, sum(float(p) * sevens(tuple(sorted(kept + t)), left - 1) for t, p in again)
            )
    return best


def test_kept_dice_do_not_tell_how_many_are_thrown() -> None:
    """Whoever keeps a six throws four dice or two: as many as are left beside it."""
    expected = sum(float(p) * sevens(t, 2) for t, p in throws(5))
    assert solved("sevens", n=5) == pytest.approx(expected, abs=1e-11)


# --- the best hand, within as many throws as the first player took


@cache
def poker(dice: Dice) -> int:
    """Return what a hand is worth: the best of the ranks that it holds."""
    ranked = sorted(((n, f) for f, n in Counter(dice).items()), reverse=True)
    (most, face), (next_most, other) = ranked[0], [*ranked, (0, 0)][1]
    if most > 3:
        return 100 * (most + 2) + face
    if (most, next_most) == (3, 2):
        return 500 + 10 * face + other
    if dice in ((1, 2, 3, 4, 5), (2, 3, 4, 5, 6)):
        return 400
    if most == 3:
        return 300 + face
    if next_most == 2:
        return 200 + 10 * face + other
    return 100 + face if most == 2 else 0


@cache
def answer(worth: int, kept: Dice, left: int) -> float:
    """Return the second player's chance where the dice beside those kept are thrown."""
    thrown = ((tuple(sorted(kept + t)), float(p)) for t, p in throws(5 - len(kept)))
    return sum(p * best_answer(worth, dice, left - 1) for dice, p in thrown)


@cache
def best_answer(worth: int, dice: Dice, left: int) -> float:
    own = poker(dice)
    stand = float(own > worth) + 0.5 * (own == worth)
    return max([stand, *(answer(worth, kept, left) for kept in parts_of(dice) if left)])


@cache
def parts_of(dice: Dice) -> frozenset[Dice]:
    """Return what may be kept: at least one die is thrown."""
    return frozenset(kept for size in range(5) for kept in combinations(dice, size))


@cache
def first_hand(kept: Dice, thrown: int) -> float:
    """Return the first player's chance where the dice beside those kept are thrown."""
    found = 0.0
    for t, chance in throws(5 - len(kept)):
        dice = tuple(sorted(kept + t))
        ways = [1 - answer(poker(dice), (), thrown)]
        ways += [first_hand(k, thrown + 1) for k in parts_of(dice) if thrown < 3]
        found += float(chance) * max(ways)
    return found


def test_as_many_throws_as_the_first_player_took() -> None:
    assert solved("indian_dice") == pytest.approx(first_hand((), 1), abs=1e-11)
