"""Patterns against the dumb way: every die in a row is given a place in the pattern."""

from collections.abc import Iterator
from itertools import permutations, product

from hypothesis import given, settings
from hypothesis import strategies as st

from dicegames.ground.multiset import Multiset, contains, subtract
from dicegames.rules.parts.patterns import Binding, Pattern, matches, spares

Element = int | str
"""A face, or a letter."""


@st.composite
def elements_and_dice(draw: st.DrawFn) -> tuple[list[Element], tuple[int, ...], int]:
    faces = draw(st.integers(2, 4))
    element = st.one_of(st.integers(0, faces - 1), st.sampled_from(["x", "y", "z"]))
    elements = draw(st.lists(element, min_size=1, max_size=5))
    dice = draw(st.lists(st.integers(0, faces - 1), max_size=6))
    return elements, tuple(dice), faces


def pattern_of(elements: list[Element], faces: int, *, ordered: bool = False) -> Pattern:
    letters = list(dict.fromkeys(e for e in elements if isinstance(e, str)))
    fixed = tuple(elements.count(face) for face in range(faces))
    counts = tuple((elements.count(letter), False) for letter in letters)
    return Pattern(tuple(letters), fixed, counts, ordered=ordered)


def counted(dice: tuple[int, ...], faces: int) -> Multiset:
    return tuple(dice.count(face) for face in range(faces))


def dumb_bindings(elements: list[Element], dice: tuple[int, ...], faces: int) -> Iterator[Binding]:
    """All choices of different faces for which every element finds a die of its own."""
    letters = list(dict.fromkeys(e for e in elements if isinstance(e, str)))
    for chosen in permutations(range(faces), len(letters)):
        face_of = dict(zip(letters, chosen, strict=True))
        wanted = [face_of[e] if isinstance(e, str) else e for e in elements]
        if any(
            all(dice[i] == w for i, w in zip(places, wanted, strict=True))
            for places in permutations(range(len(dice)), len(wanted))
        ):
            yield chosen


@settings(max_examples=300)
@given(elements_and_dice())
def test_matches_are_those_of_dice_in_a_row(
    case: tuple[list[Element], tuple[int, ...], int],
) -> None:
    elements, dice, faces = case
    have = counted(dice, faces)
    dumb = list(dumb_bindings(elements, dice, faces))
    ordered = pattern_of(elements, faces, ordered=True)
    assert [binding for binding, _ in matches(ordered, have)] == dumb
    pattern = pattern_of(elements, faces)
    found = [binding for binding, _ in matches(pattern, have)]
    assert set(found) <= set(dumb)
    assert {roles(pattern, b) for b in found} == {roles(pattern, b) for b in dumb}
    assert len(found) == len({roles(pattern, b) for b in found})
    for binding, needed in matches(pattern, have):
        assert sum(needed) == len(elements)
        assert contains(have, needed)
        assert matches(pattern, have, binding) == ((binding, needed),)


def roles(pattern: Pattern, binding: Binding) -> tuple[tuple[tuple[int, bool], int], ...]:
    return tuple(sorted(zip(pattern.letters, binding, strict=True)))


@given(elements_and_dice())
def test_spare_dice_are_those_that_no_element_takes(
    case: tuple[list[Element], tuple[int, ...], int],
) -> None:
    elements, dice, faces = case
    pattern = pattern_of(elements, faces)
    have = counted(dice, faces)
    for binding in pattern.bindings(faces):
        wanted = pattern.needs(binding, have)
        left = list(dice)
        for face in [f for f, n in enumerate(wanted) for _ in range(n)]:
            if face in left:
                left.remove(face)
        spare = counted(tuple(left), faces)
        assert spares(pattern, binding, have) == {spare}
        if spare == subtract(have, wanted) and contains(have, wanted):
            assert matches(pattern, have, binding)


@given(
    letters=st.lists(st.tuples(st.integers(1, 3), st.booleans()), max_size=4),
    faces=st.integers(1, 5),
    ordered=st.booleans(),
)
def test_bindings_are_counted(letters: list[tuple[int, bool]], faces: int, ordered: bool) -> None:
    pattern = Pattern(tuple("wxyz"[: len(letters)]), (0,) * faces, tuple(letters), ordered=ordered)
    found = pattern.bindings(faces)
    assert len(found) == len(set(found)) == pattern.count_bindings(faces)


def test_runs_and_open_ended_letters_by_hand() -> None:
    for dice in product(range(2), repeat=6):
        if sum(dice) == 3:
            runs = [f for f in range(4) if all(dice[f : f + 3])]
            assert bool(matches(Pattern((), (0,) * 6, run=3), dice)) == bool(runs)
    three_or_more = Pattern(("x",), (0, 0), ((3, True),))
    assert matches(three_or_more, (4, 1)) == (((0,), (4, 0)),)
    assert not matches(three_or_more, (2, 2))
    every = Pattern((), (0, 0, 0), every=(1,))
    assert matches(every, (1, 4, 1)) == (((), (0, 4, 0)),)
    assert matches(Pattern((), (0, 0), whole=True), (2, 1)) == (((), (2, 1)),)


def test_an_open_ended_letter_takes_what_its_face_has_left() -> None:
    """A face that the pattern names as well is not counted twice."""
    pattern = Pattern(("x",), (1, 0), ((2, True),))
    assert matches(pattern, (4, 1)) == (((0,), (4, 0)),)
    assert matches(pattern, (1, 3)) == (((1,), (1, 3)),)
    assert not matches(pattern, (2, 1))


def test_a_letter_may_stand_for_a_face_of_which_all_take_part() -> None:
    any_one = Pattern(("x",), (0, 0), ((2, False),), every=(0,))  # x x any 1
    assert matches(any_one, (3, 0)) == (((0,), (3, 0)),)
    assert matches(any_one, (1, 2)) == (((1,), (1, 2)),)
    assert not matches(any_one, (1, 1))
    two_or_more = Pattern(("x",), (2, 0), ((1, False),), every=(0,))  # x 1 1 ...
    assert matches(two_or_more, (3, 0)) == (((0,), (3, 0)),)
    assert not matches(two_or_more, (2, 0))


def test_letters_that_are_alike_take_rising_faces() -> None:
    alike = ((1, False), (1, False))
    assert matches(Pattern(("x", "y"), (0, 0), alike), (1, 1)) == (((0, 1), (1, 1)),)
    both = Pattern(("x", "y"), (0, 0), alike, ordered=True)
    assert [binding for binding, _ in matches(both, (1, 1))] == [(0, 1), (1, 0)]


def test_what_a_pattern_needs_is_known_where_all_is_fixed() -> None:
    assert Pattern(("x",), (0, 0), ((2, False),)).is_closed((1,))
    assert not Pattern(("x",), (0, 0), ((2, False),)).is_closed(None)
    assert not Pattern((), (0, 0), run=2).is_closed(None)
    assert not Pattern((), (0, 0), whole=True).is_closed(None)
