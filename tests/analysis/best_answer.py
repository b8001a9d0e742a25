"""The exact best answer to a player of the best mean, on the cards of `FOUR`, by an own program.

It knows nothing of dicegames. How many throws complete a combination depends on how often the faces
are missing that it needs. A turn is worked out for all goods of both players and all differences of
their scores at once: arrays are [own goods, the other's goods, own score less the other's].
"""

from __future__ import annotations

from collections import Counter
from functools import cache
from itertools import combinations, combinations_with_replacement
from math import factorial, prod

import numpy as np

from dicegames.solver.model import Array

FACES, DICE, A_TURN = range(1, 7), 6, 5
Used = frozenset[int]
Way = tuple[int, int, tuple[int, ...]]
"""To complete a combination: its number, its points, how often each face is missing."""

NAMINGS: list[list[tuple[tuple[int, ...], int]]] = [
    [(faces * 2, 2 * sum(faces)) for faces in combinations(FACES, 3)],
    [(faces * 3, 3 * sum(faces)) for faces in combinations(FACES, 2)],
    [((face,) * 6, 60) for face in FACES],
    [((6,) * 6, 70)],
]
"""Three pairs, Two triples, Six of a kind, General: the dice, and what they pay."""
ALL = frozenset(range(len(NAMINGS)))
SPAN = sum(max(points for _, points in namings) for namings in NAMINGS)


@cache
def throws(missing: tuple[int, ...], most: int) -> Array:
    """P(complete after exactly t throws), t = 0, 1, ..., most."""
    found = np.zeros(most + 1)
    if not missing:
        found[0] = 1.0
        return found
    spare, chances = sum(missing), Counter[tuple[int, ...]]()
    for shown in np.ndindex(*[spare + 1] * len(missing)):
        rest = spare - sum(shown)
        if rest >= 0:
            ways = factorial(spare) // prod(map(factorial, (*shown, rest)))
            lacks = sorted(max(n - k, 0) for n, k in zip(missing, shown, strict=True))
            others = len(FACES) - len(missing)
            chances[tuple(n for n in lacks if n)] += ways * others**rest
    stay = chances.pop(missing) / 6.0**spare
    for left, count in chances.items():
        found[1:] += count / 6.0**spare * throws(left, most)[:-1]
    for t in range(1, most + 1):
        found[t] += stay * found[t - 1]
    return found


@cache
def first_throws(used: Used) -> tuple[list[Way], list[tuple[float, list[int]]]]:
    """All ways to complete what is open; for all throws of six dice the chance and their ways."""
    found: Counter[frozenset[Way]] = Counter()
    for dice in combinations_with_replacement(FACES, DICE):
        have, most = Counter(dice), dict[tuple[int, tuple[int, ...]], int]()
        for number in ALL - used:
            for target, points in NAMINGS[number]:
                lacks = number, tuple(sorted((Counter(target) - have).values()))
                most[lacks] = max(most.get(lacks, 0), points)
        ways = frozenset((number, points, lacks) for (number, lacks), points in most.items())
        found[ways] += factorial(DICE) // prod(map(factorial, have.values()))
    all_ways = sorted({way for ways in found for way in ways})
    place = {way: k for k, way in enumerate(all_ways)}
    return all_ways, [
        (count / 6.0**DICE, sorted(place[way] for way in ways)) for ways, count in found.items()
    ]


@cache
def scores(used: Used) -> frozenset[int]:
    """What somebody may have got for what is used."""
    found = {0}
    for number in used:
        found |= {had + points for had in found for _, points in NAMINGS[number]}
    return frozenset(found)


class BestAnswer:
    """The chance to win for who plays best and knows how the other plays."""

    def __init__(self, goods: int) -> None:
        self.goods = goods
        self.most = goods + A_TURN * len(ALL)
        self.moving, self.waiting = cache(self._moving), cache(self._waiting)
        self.mean, self.ends = cache(self._mean), cache(self._ends)

    def chance(self, seat: int) -> float:
        """The chance at the start in seat 1 or 2."""
        nothing: Used = frozenset()
        values = (self.moving if seat == 1 else self.waiting)(nothing, nothing)
        return float(values[self.goods, self.goods, SPAN])

    def _turn(self, used: Used, after: dict[tuple[int, int], Array], *, by_first: bool) -> Array:
        """Values of a turn by goods before it, [goods, columns], given those after it.

        `after[combination, points]` are by goods left; without points where it is not completed.
        With `by_first` choices go by the first column, and the others follow.
        """
        ways, dice = first_throws(used)
        values = []
        for number, points, missing in ways:
            after_throws = throws(missing, self.most)
            late = np.subtract.outer(np.arange(self.most + 1), np.arange(self.most + 1))
            spread = np.where(late >= 0, after_throws[np.maximum(late, 0)], 0.0)
            failed = 1.0 - spread.sum(axis=1)
            values.append(spread @ after[number, points] + np.outer(failed, after[number, 0][0]))
        table, found = np.array(values), np.empty_like(values[0])
        for goods in range(self.most + 1):
            own = table[:, goods]
            total = np.zeros(own.shape[1])
            for chance, picked in dice:
                rows = own[picked] if goods == 0 else np.vstack([found[goods - 1], own[picked]])
                total += chance * (rows[rows[:, 0].argmax()] if by_first else rows.max(axis=0))
            found[goods] = total
        return found[np.minimum(np.arange(self.most + 1) + A_TURN, self.most)]

    def _mean(self, used: Used) -> Array:
        """What is still to come on average before a turn, by goods: what is left of them counts."""
        goods = np.arange(self.most + 1.0)[:, None]
        return goods if used == ALL else self._turn(used, self._means(used), by_first=True)

    def _means(self, used: Used) -> dict[tuple[int, int], Array]:
        return {
            (number, points): points + self.mean(used | {number})
            for number in ALL - used
            for points in {0, *(p for _, p in NAMINGS[number])}
        }

    def _ends(self, used: Used) -> dict[tuple[int, int], Array]:
        """How a turn ends that is played for the mean: P[goods before it, goods left] by end."""
        means, size = self._means(used), self.most + 1
        after = {}
        for place, (end, mean) in enumerate(means.items()):
            after[end] = np.zeros((size, 1 + len(means) * size))
            after[end][:, :1] = mean
            after[end][:, 1 + place * size : 1 + (place + 1) * size] = np.eye(size)
        found = self._turn(used, after, by_first=True)[:, 1:].reshape(size, len(means), size)
        return {end: found[:, place] for place, end in enumerate(means)}

    def _over(self) -> Array:
        goods = np.arange(self.most + 1)
        lead = np.subtract.outer(goods, goods)[:, :, None] + np.arange(-SPAN, SPAN + 1)
        return (1.0 + np.sign(lead)) / 2

    def _moving(self, own: Used, other: Used) -> Array:
        """The chance where it is the own turn, 0 for scores that there cannot be."""
        leads = np.array(sorted({a - b for a in scores(own) for b in scores(other)})) + SPAN
        after = {}
        for number in ALL - own:
            used = own | {number}
            then = self._over() if used == other == ALL else self.waiting(used, other)
            for points in {0, *(p for _, p in NAMINGS[number])}:
                after[number, points] = then[:, :, leads + points].reshape(len(then), -1)
        found = np.zeros([self.most + 1] * 2 + [2 * SPAN + 1])
        turn = self._turn(own, after, by_first=False)
        found[:, :, leads] = turn.reshape(*found.shape[:2], -1)
        return found

    def _waiting(self, own: Used, other: Used) -> Array:
        """The chance where the other one has the turn."""
        found = np.zeros([self.most + 1] * 2 + [2 * SPAN + 1])
        for (number, points), chance in self.ends(other).items():
            used = other | {number}
            then = self._over() if used == own == ALL else self.moving(own, used)
            found[:, :, points:] += chance @ then[:, :, : 2 * SPAN + 1 - points]
        return found
