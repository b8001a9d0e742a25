"""Multisets of dice, and the exact odds of throwing them.

A multiset over f faces is a tuple of f counts: with faces 1 to 6, the dice 2 2 5 are
(0, 2, 0, 0, 1, 0). Physical dice have no identity, so a throw of n dice is such a tuple, with
probability n! / (c1! ... cf!) * p1^c1 ... pf^cf, where pi is the probability of face i.
"""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from functools import cache
from math import comb, factorial, prod
from operator import ge
from random import Random

Multiset = tuple[int, ...]


@cache
def empty(faces: int) -> Multiset:
    """Return the multiset without dice."""
    return (0,) * faces


@cache
def add(a: Multiset, b: Multiset) -> Multiset:
    """Return the union with counts added."""
    return tuple([x + y for x, y in zip(a, b, strict=True)])


@cache
def subtract(a: Multiset, b: Multiset) -> Multiset:
    """Return `a` without the dice of `b`; dice that `a` does not hold are passed over."""
    return tuple([x - y if x > y else 0 for x, y in zip(a, b, strict=True)])


@cache
def contains(a: Multiset, b: Multiset) -> bool:
    """Tell whether all dice of `b` are in `a`."""
    return all(map(ge, a, b))


@cache
def submultisets(a: Multiset, least: int = 0, most: int | None = None) -> tuple[Multiset, ...]:
    """Return every part of `a`, the smaller first, then in lexicographic order of the dice.

    With `least` or `most` those of at least or at most so many dice.
    """
    all_ = sum(a)
    sizes = range(max(0, least), (all_ if most is None else min(most, all_)) + 1)
    return tuple(part for size in sizes for part in _parts(a, all_, size))


def _parts(a: Multiset, all_: int, size: int) -> Iterator[Multiset]:
    """Yield every part of `size` dice out of `all_`; few may be drawn of very many."""
    if not a:
        yield ()
        return
    first, rest = a[0], all_ - a[0]
    for count in range(min(first, size), max(0, size - rest) - 1, -1):
        for part in _parts(a[1:], rest, size - count):
            yield (count, *part)


def multisets(dice: int, faces: int) -> Iterator[Multiset]:
    """Yield every multiset of `dice` dice over `faces` faces, the lowest faces first."""
    if faces == 1:
        yield (dice,)
        return
    for count in range(dice, -1, -1):
        for rest in multisets(dice - count, faces - 1):
            yield (count, *rest)


@cache
def ways(dice: int, weights: tuple[int, ...]) -> tuple[tuple[Multiset, int], ...]:
    """Return every outcome of throwing `dice` dice with the number of ways in which it falls.

    `weights` are the whole-number weights of the faces of one die; all ways together are their
    sum to the power of `dice`.
    """
    outcomes = []
    for counts in multisets(dice, len(weights)):
        number = factorial(dice) // prod(factorial(c) for c in counts)
        number *= prod(w**c for w, c in zip(weights, counts, strict=True))
        if number:
            outcomes.append((counts, number))
    return tuple(outcomes)


@cache
def onto(lying: Multiset, dice: int, weights: tuple[int, ...]) -> tuple[tuple[Multiset, int], ...]:
    """Return the same for dice that are thrown onto others: all that lie then."""
    return tuple((add(lying, thrown), number) for thrown, number in ways(dice, weights))


@cache
def draws(pile: Multiset, dice: int) -> tuple[tuple[Multiset, int], ...]:
    """Return every part of so many dice of a pile with the number of ways in which it is drawn."""
    return tuple((part, prod(map(comb, pile, part))) for part in submultisets(pile, dice, dice))


def draw(dice: int, weights: tuple[int, ...], chance: Random) -> Multiset:
    """Return the outcome of one throw, drawn at random: one of those of `ways`."""
    counts = [0] * len(weights)
    for face in chance.choices(range(len(weights)), weights, k=dice):
        counts[face] += 1
    return tuple(counts)


def probability(dice: Multiset, weights: tuple[int, ...]) -> Fraction:
    """Return the probability that a throw of so many dice shows just these."""
    number = factorial(sum(dice)) // prod(factorial(c) for c in dice)
    number *= prod(w**c for w, c in zip(weights, dice, strict=True))
    return Fraction(number, sum(weights) ** sum(dice))
