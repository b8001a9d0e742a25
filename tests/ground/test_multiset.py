"""Multisets against the dumb way: all dice in a row."""

from collections import Counter
from itertools import combinations, pairwise, product
from math import comb, prod

from hypothesis import given
from hypothesis import strategies as st

from dicegames.ground import multiset
from dicegames.ground.multiset import Multiset

Dice = tuple[int, ...]
FACES = st.integers(1, 5)


def counted(dice: Dice, faces: int) -> Multiset:
    return tuple(dice.count(face) for face in range(faces))


@st.composite
def dice_rows(draw: st.DrawFn) -> tuple[Dice, int]:
    faces = draw(FACES)
    return tuple(draw(st.lists(st.integers(0, faces - 1), max_size=5))), faces


@given(dice=st.integers(0, 4), weights=st.lists(st.integers(0, 3), min_size=1, max_size=4))
def test_ways_are_all_rows_of_dice(dice: int, weights: list[int]) -> None:
    total = sum(weights) ** dice
    if not total:
        return
    dumb: Counter[Multiset] = Counter()
    for row in product(range(len(weights)), repeat=dice):
        dumb[counted(row, len(weights))] += prod(weights[face] for face in row)
    ways = dict(multiset.ways(dice, tuple(weights)))
    assert ways == {m: n for m, n in dumb.items() if n}
    assert sum(ways.values()) == total


@given(dice_rows(), st.integers(0, 3), st.integers(0, 3))
def test_dice_thrown_onto_others(pair: tuple[Dice, int], thrown: int, first: int) -> None:
    row, faces = pair
    weights = (first, *(face + 1 for face in range(faces - 1)))
    lying = counted(row, faces)
    onto = multiset.onto(lying, thrown, weights)
    ways = multiset.ways(thrown, weights)
    assert [(multiset.subtract(after, lying), n) for after, n in onto] == list(ways)


@given(dice=st.integers(0, 6), faces=FACES)
def test_multisets_are_each_there_once(dice: int, faces: int) -> None:
    found = list(multiset.multisets(dice, faces))
    assert len(found) == len(set(found)) == comb(dice + faces - 1, dice)
    assert all(sum(m) == dice and len(m) == faces for m in found)


@given(dice_rows())
def test_parts_are_all_choices_of_dice(pair: tuple[Dice, int]) -> None:
    row, faces = pair
    dumb = {
        counted(part, faces) for size in range(len(row) + 1) for part in combinations(row, size)
    }
    parts = multiset.submultisets(counted(row, faces))
    assert len(parts) == len(set(parts))
    assert set(parts) == dumb
    assert [sum(part) for part in parts] == sorted(sum(part) for part in parts)
    order = [[face for face in range(faces) for _ in range(part[face])] for part in parts]
    assert all(a < b for a, b in pairwise(order) if len(a) == len(b))
    for least, most in ((0, 2), (2, 3), (3, 9), (2, 1)):
        some = [part for part in parts if least <= sum(part) <= most]
        assert list(multiset.submultisets(counted(row, faces), least, most)) == some


def test_a_card_is_drawn_soon_of_very_many() -> None:
    """All parts of these cards are 2 * 3^60."""
    deck = (1, *[2] * 60)
    assert [number for _, number in multiset.draws(deck, 1)] == list(deck)
    assert sum(number for _, number in multiset.draws(deck, 2)) == comb(121, 2)


@given(dice_rows(), st.data())
def test_union_and_difference(pair: tuple[Dice, int], data: st.DataObject) -> None:
    row, faces = pair
    other = tuple(data.draw(st.lists(st.integers(0, faces - 1), max_size=5)))
    a, b = counted(row, faces), counted(other, faces)
    assert multiset.add(a, b) == counted(row + other, faces)
    left = Counter(row) - Counter(other)
    assert multiset.subtract(a, b) == tuple(left[face] for face in range(faces))
    assert multiset.contains(a, b) == (not Counter(other) - Counter(row))
    assert multiset.add(a, multiset.empty(faces)) == a
