"""Maxi Yatzy against programs of its own: small cards, saved throws, the last boxes of the card."""

import os
from collections import Counter
from functools import cache
from itertools import combinations, combinations_with_replacement, product
from math import factorial, prod
from pathlib import Path

import numpy as np
import pytest

import dicegames
from dicegames.solver.explicit.subgame import Subgames

RULES = Path(__file__).parents[1] / "games/maxi_yatzy.dg"
UPPER = tuple(f"Box {n}" for n in range(1, 7))
STRAIGHTS = {"Small straight": 15, "Large straight": 20, "Full straight": 21}
LOWER = (
    *("One pair", "Two pairs", "Three pairs", "Three of a kind", "Four of a kind"),
    *("Five of a kind", *STRAIGHTS, "Full house", "Villa", "Tower", "Chance", "Maxi Yatzy"),
)
PATTERNS = {
    "One pair": (2,),
    "Two pairs": (2, 2),
    "Three pairs": (2, 2, 2),
    "Three of a kind": (3,),
    "Four of a kind": (4,),
    "Five of a kind": (5,),
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
    if box in UPPER:
        return dice.count(int(box[-1])) * int(box[-1])
    if box == "Maxi Yatzy":
        return 100 * (len(set(dice)) == 1)
    if box in STRAIGHTS:
        first, last = {15: (1, 5), 20: (2, 6), 21: (1, 6)}[STRAIGHTS[box]]
        return STRAIGHTS[box] * ({*range(first, last + 1)} <= {*dice})
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
    """The rules of the library with these boxes of the lower part alone, and so many dice."""
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


# ---- the last boxes of the card: all upper totals at once, dice by dice

BONUS_AT, BONUS = 84, 100
SIX = sorted(throws(6))
KEPT = sorted({keep for dice in SIX for keep in {*kept(dice), dice}})
ODDS = np.array([throws(6)[dice] for dice in SIX])
TOTALS = np.arange(BONUS_AT + 1)
PART_OF = [[KEPT.index(keep) for keep in sorted({*kept(dice), dice})] for dice in SIX]


def thrown_again() -> np.ndarray:
    """The probability of every throw behind what is kept: float64[kept, throws]."""
    number = {dice: i for i, dice in enumerate(SIX)}
    found = np.zeros((len(KEPT), len(SIX)))
    for i, keep in enumerate(KEPT):
        for new, p in throws(6 - len(keep)).items():
            found[i, number[tuple(sorted(keep + new))]] += p
    return found


AGAIN = thrown_again()
PARTS = np.array([k for part in PART_OF for k in part])
BEGIN = np.cumsum([0, *map(len, PART_OF)])[:-1]


@cache
def last(left: frozenset[str]) -> np.ndarray:
    """What is still to come with some boxes left, by the upper total: float64[totals]."""
    if not left:
        return np.zeros(len(TOTALS))
    worth = np.full((len(SIX), len(TOTALS)), -np.inf)
    for box in left:
        then = last(left - {box})
        paid = np.array([points(box, dice) for dice in SIX])[:, None]
        total = np.minimum(TOTALS + paid * (box in UPPER), BONUS_AT)
        bonus = BONUS * ((total == BONUS_AT) & (BONUS_AT > TOTALS))
        worth = np.maximum(worth, paid + bonus + then[total])
    for _ in range(2):
        worth = np.maximum.reduceat((AGAIN @ worth)[PARTS], BEGIN)
    found: np.ndarray = ODDS @ worth
    return found


@pytest.mark.parametrize(
    ("boxes", "total"),
    [
        (("Box 1", "Box 4", "Small straight", "Maxi Yatzy"), 62),
        (("Box 5", "Box 6", "Two pairs", "Full house"), 50),
        (("Five of a kind", "Large straight", "Three pairs", "Box 2"), 80),
    ],
)
def test_the_last_boxes(tmp_path: Path, boxes: tuple[str, ...], total: int) -> None:
    """With what is missing for the bonus as that which brings it."""
    path, lines = tmp_path / "card.dg", RULES.read_text("utf-8").splitlines()
    at = next(i for i, line in enumerate(lines) if "each n in" in line)
    lines[at : at + 1] = [f'    "{box}" any {box[-1]} pays sum' for box in boxes if box in UPPER]
    gone = {*LOWER} - {*boxes}
    path.write_text(
        "\n".join(
            line
            for line in lines
            if not line.startswith("example")
            and not (line.startswith('    "') and line.split('"')[1] in gone)
        ),
        "utf-8",
    )
    solution = dicegames.solve(dicegames.load(path, bonus_at=BONUS_AT - total))
    assert solution.value == pytest.approx(last(frozenset(boxes))[total], abs=1e-10)


@pytest.mark.skipif("DICEGAMES_MAXI" not in os.environ, reason="names no folder of values")
def test_all_positions_with_four_boxes_left() -> None:
    """Of the real card, solved with `--store` to the folder DICEGAMES_MAXI."""
    game = dicegames.load(RULES)
    solution = dicegames.Solution.load(os.environ["DICEGAMES_MAXI"], game)
    assert isinstance(solution.solved.evaluator, Subgames)
    (table,) = solution.solved.evaluator.tables.values()
    names, compared = (*UPPER, *LOWER), 0
    for count in range(1, 5):
        for left in combinations(names, count):
            used = sum(1 << i for i, name in enumerate(names) if name not in left)
            found = table.take(used * len(TOTALS) + TOTALS)
            known = np.isfinite(found)
            assert np.abs(found - last(frozenset(left)))[known].max() < 1e-9
            compared += int(known.sum())
    assert compared == 508_712
