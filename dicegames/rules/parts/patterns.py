"""Patterns over dice: what matches, and which dice take part.

A pattern is contained in the dice, it need not use all of them. Different letters are different
faces; a literal face does not keep a letter from being that face.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from functools import cache
from math import factorial, perm, prod

from attrs import frozen

from dicegames.ground.multiset import Multiset, contains, subtract

Binding = tuple[int, ...]
"""The face index of each letter, in the order in which the letters first appear."""


@frozen(cache_hash=True)
class Pattern:
    """The parts of a pattern, all in face indices.

    fixed: literal faces that must be there. letters: how often each letter occurs, and whether
    it takes further dice of its face ("x x x ..."). every: faces of which all dice take part
    ("any 3", or "3 3 ..."). whole: all dice take part ("any dice"). run: length of a run of
    consecutive faces. ordered: it matters which of two letters with equal roles stands for which
    face.
    """

    names: tuple[str, ...]
    fixed: Multiset
    letters: tuple[tuple[int, bool], ...] = ()
    every: tuple[int, ...] = ()
    whole: bool = False
    run: int = 0
    ordered: bool = False

    def is_closed(self, binding: Binding | None) -> bool:
        """Tell whether there is one match at most, which takes the same dice from any."""
        if self.whole or self.run or self.every or len(binding or ()) != len(self.letters):
            return False
        return not any(open_ended for _, open_ended in self.letters)

    def needs(self, binding: Binding, dice: Multiset) -> Multiset:
        """Return the dice that take part when the letters have these faces."""
        if self.whole:
            return dice
        least = _least(self, binding)
        letters = zip(binding, self.letters, strict=True)
        whole = {*self.every, *(face for face, (_, open_ended) in letters if open_ended)}
        if not whole:
            return least
        return tuple(
            max(needed, have) if face in whole else needed
            for face, (needed, have) in enumerate(zip(least, dice, strict=True))
        )

    def bindings(self, faces: int) -> tuple[Binding, ...]:
        """Return the different choices of faces, whatever the dice are."""
        return _bindings(self, ((1 << 30),) * faces)

    def count_bindings(self, faces: int) -> int:
        """Return how many different choices of faces there are."""
        number = perm(faces, len(self.letters))
        if not self.ordered:
            number //= prod(factorial(n) for n in Counter(self.letters).values())
        return number


@cache
def _least(pattern: Pattern, binding: Binding) -> Multiset:
    """Return the dice without which there is no match with these faces."""
    needed = list(pattern.fixed)
    for face, (count, _) in zip(binding, pattern.letters, strict=True):
        needed[face] += count
    return tuple(needed)


@cache
def _bindings(pattern: Pattern, dice: Multiset) -> tuple[Binding, ...]:
    """Return the choices of faces for which the dice hold each letter, in ascending order.

    Of letters with equal roles the first takes the lower face, unless their order matters.
    """
    found: list[Binding] = [()]
    for place, (count, open_ended) in enumerate(pattern.letters):
        earlier = () if pattern.ordered else enumerate(pattern.letters[:place])
        equals = [other for other, role in earlier if role == (count, open_ended)]
        found = [
            (*faces, face)
            for faces in found
            for face, have in enumerate(dice)
            if have >= count + pattern.fixed[face]
            and face not in faces
            and all(faces[other] < face for other in equals)
        ]
    return tuple(found)


@cache
def matches(
    pattern: Pattern, dice: Multiset, named: Binding | None = None
) -> tuple[tuple[Binding, Multiset], ...]:
    """Return every match: the faces of the letters, and the dice that take part.

    With the faces of the letters `named`, only the match with those.
    """
    if pattern.run:
        return tuple(_runs(pattern, dice))
    bindings = _bindings(pattern, dice) if named is None else (named,)
    found = []
    for binding in bindings:
        needed = pattern.needs(binding, dice)
        if contains(dice, needed):
            found.append((binding, needed))
    return tuple(found)


def _runs(pattern: Pattern, dice: Multiset) -> Iterator[tuple[Binding, Multiset]]:
    for run in _all_runs(pattern.run, len(dice)):
        if contains(dice, run):
            yield (), run


def _all_runs(length: int, faces: int) -> Iterator[Multiset]:
    """Yield all faces in a row, whatever the dice are."""
    for start in range(faces - length + 1):
        yield tuple(int(start <= face < start + length) for face in range(faces))


@cache
def spares(pattern: Pattern, binding: Binding, dice: Multiset) -> frozenset[Multiset]:
    """Return the dice beyond a pattern with named faces, for each run that it can be."""
    if pattern.run:
        return frozenset(subtract(dice, run) for run in _all_runs(pattern.run, len(dice)))
    return frozenset((subtract(dice, pattern.needs(binding, dice)),))
