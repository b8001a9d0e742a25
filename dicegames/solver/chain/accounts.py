"""What has been gathered along the way, by number, and where steps lead from there.

An *account* is a sum, the number of turns, which events happened how often. Accounts are found as
they come up; `table[account, sign]` names the one after a step, where a sign stands for all that
distinguishes steps.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable
from typing import Final

import numpy as np
from attrs import frozen

from dicegames.solver.chain.laws import Laws
from dicegames.solver.model import Array

Account = Hashable
MOST_MARKS: Final = 1 << 20


@frozen
class Sign:
    """What distinguishes steps: what the seat is paid, in units, and the label."""

    paid: int
    label: int


Advance = Callable[[Account, Sign], Account]


class Accounts:
    """Accounts by number, and where steps lead from them."""

    def __init__(self, start: Account, advance: Advance) -> None:
        self.found: list[Account] = [start]
        self._number: dict[Account, int] = {start: 0}
        self._signs: dict[Sign, int] = {}
        self._advance = advance
        self._table = np.full((1, 1), -1, np.int64)

    def sign_numbers(self, laws: Laws, *, paid: bool) -> Array:
        """The number of the sign of every entry, by seat: int32[entries, seats].

        There is one column where it does not depend on what is `paid`.
        """
        amounts = laws.paid if paid else np.zeros((len(laws.to), 1), np.int64)
        low = int(amounts.min(initial=0))
        width = int(amounts.max(initial=0)) - low + 1
        codes = (laws.label[:, None] * np.int64(width) + amounts - low).ravel()
        distinct, number = _numbered(codes)
        signs = [Sign(code % width + low, code // width) for code in distinct.tolist()]
        numbers = [self._signs.setdefault(sign, len(self._signs)) for sign in signs]
        return np.array(numbers, np.int32)[number].reshape(len(laws.to), -1)

    def table(self, held: Array, signs: Array) -> Array:
        """The account after a step, filled for some accounts and signs: int64[accounts, signs]."""
        short = [
            max(0, n - had)
            for n, had in zip((len(self.found), len(self._signs)), self._table.shape, strict=True)
        ]
        if any(short):
            self._table = np.pad(self._table, [(0, 2 * n) for n in short], constant_values=-1)
        known = list(self._signs)
        for h, s in np.argwhere(self._table[np.ix_(held, signs)] < 0).tolist():
            account, sign = int(held[h]), int(signs[s])
            reached = self._advance(self.found[account], known[sign])
            if reached not in self._number:
                self._number[reached] = len(self.found)
                self.found.append(reached)
            self._table[account, sign] = self._number[reached]
        return self._table


def _numbered(codes: Array) -> tuple[Array, Array]:
    """The different ones of some codes, in order, and the number of each code among them."""
    low, high = int(codes.min(initial=0)), int(codes.max(initial=0))
    if high - low >= MOST_MARKS:
        return np.unique(codes, return_inverse=True)
    marks = np.zeros(high - low + 1, np.bool_)  # much faster where there are few
    marks[codes - low] = True
    return np.flatnonzero(marks) + low, (np.cumsum(marks) - 1)[codes - low]
