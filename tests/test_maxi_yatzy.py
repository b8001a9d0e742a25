"""Maxi Yatzy on small cards, against a program of its own: six dice, and saved throws."""

from collections import Counter
from functools import cache
from itertools import combinations_with_replacement, product
from math import factorial, prod
from pathlib import Path

import pytest

import dicegames

RULES = Path(__file__).parents[1] / "games/maxi_yatzy.dg"
PATTERNS = {
    "One pair": (2,),
    "Two pairs": (2, 2),
    "Three pairs": (2, 2, 2),
    "Three of a kind": (3,),
    "Full house": (3, 2),
    "Villa": (3, 3),
    "Tower": (4, 2),
    "Chance": (),
}
"""How many equal dice of each of several faces a box asks for."""

Dice = tuple[int, ...]


def points(box: str, dice: Dice) -> int:
    """The most that a box pays: the sum of the dice that take part."""
    if box == "Chance":
        return sum(dice)
    have, wanted = Counter(dice), PATTERNS[box]
    fits = [
        sum(face * many for face, many in zip(faces, wanted, strict=True))
        for faces in product(range(1, 7), repeat=len(wanted))
        if len(set(faces)) == len(faces)
        and all(have[face] >= many for face, many in zip(faces, wanted, strict=True))
    ]
    return max(fits, default=0)


@cache
def throws(count: int) -> dict[Dice, float]:
    """Every outcome of so many dice with its probability."""
    return {
        dice: factorial(count) / prod(map(factorial, Counter(dice).values())) / 6**count
        for dice in combinations_with_replacement(range(1, 7), count)
    }


@cache
def kept(dice: Dice) -> frozenset[Dice]:
    """What may be kept of some dice, if at least one is thrown."""
    return frozenset(
        tuple(die for die, keep in zip(dice, chosen, strict=True) if keep)
        for chosen in product((False, True), repeat=len(dice))
        if not all(chosen)
    )


def value(boxes: frozenset[str], count: int, *, saving: bool) -> float:
    """What a card is worth with best play."""

    @cache
    def start(left: frozenset[str], saved: int) -> float:
        if not left:
            return 0.0
        return sum(p * after(left, dice, saved + 2) for dice, p in throws(count).items())

    @cache
    def again(left: frozenset[str], keep: Dice, more: int) -> float:
        return sum(
            p * after(left, tuple(sorted(keep + new)), more)
            for new, p in throws(count - len(keep)).items()
        )

    @cache
    def after(left: frozenset[str], dice: Dice, more: int) -> float:
        remaining = more if saving else 0
        found = [points(box, dice) + start(left - {box}, remaining) for box in left]
        if more:
            found += [again(left, keep, more - 1) for keep in kept(dice)]
        return max(found)

    return start(boxes, 0)


def card(boxes: frozenset[str], count: int) -> str:
    """The rules of the library with these boxes alone, and so many dice."""
    lines = [
        line.replace("dice 6d6", f"dice {count}d6")
        for line in RULES.read_text("utf-8").splitlines()
        if not line.startswith(("example", "boxes upper", "    each n"))
        and not (line.startswith('    "') and line.split('"')[1] not in boxes)
        and "in upper" not in line
    ]
    return "\n".join(lines)


@pytest.mark.parametrize(
    ("boxes", "count", "saving"),
    [
        (("Three pairs", "Villa", "Tower"), 6, False),
        (("One pair", "Full house"), 5, True),
        (("Two pairs", "Three of a kind", "Chance"), 4, True),
    ],
)
def test_small_cards(tmp_path: Path, boxes: tuple[str, ...], count: int, saving: bool) -> None:
    names = frozenset(boxes)
    path = tmp_path / "card.dg"
    path.write_text(card(names, count), "utf-8")
    game = dicegames.load(path, saving="yes" if saving else "no")
    expected = value(names, count, saving=saving)
    assert dicegames.solve(game).value == pytest.approx(expected, abs=1e-10)
