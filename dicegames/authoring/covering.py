"""The search for an ordered list of lines that loses little: conditions and moves by number.

Line (k, m) plays move m where condition k holds, m is legal, and no line before it plays. With w
the weight of decision s, `rest` what the lines below lose there and `open` whether no line above
plays, putting (k, m) in front of these lines changes the loss by ::

    sum over s of condition[k, s] * (w * open * legal[m, s] * (loss[m, s] - rest[s]))

which is one product of matrices for all lines at once. Lists are improved by putting in, taking
out and replacing lines until nothing helps, and again after some lines were taken out at random.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from math import inf
from time import monotonic

import numpy as np
from attrs import define, field, frozen

from dicegames.solver.model import Array

Lines = tuple[tuple[int, int], ...]
"""Pairs of a condition and a move."""
UNPLAYED = 30.0
"""What it costs, in largest losses, to say nothing."""
LEAST_WEIGHT = 2e-3
"""The weight that each decision has at least where nothing is said: a card has to say something."""


@frozen(eq=False)
class Board:
    """Decisions and what lines do there.

    condition: float32[conditions, decisions], 1 where it holds; number 0 always does. legal:
    float32[moves, decisions]. loss: float32 as legal. allowed: bool[conditions, moves], which may
    stand in one line. weight: float64[decisions], adding up to 1.
    """

    condition: Array
    legal: Array
    loss: Array
    allowed: Array
    weight: Array
    unplayed: Array = field(init=False)  # float64[decisions]: what it costs to say nothing

    def __attrs_post_init__(self) -> None:
        largest = UNPLAYED * float(self.loss.max(initial=1e-9))
        cost = largest * np.maximum(1.0, LEAST_WEIGHT / self.weight)
        object.__setattr__(self, "unplayed", cost)

    def lost(self, lines: Lines) -> float:
        """Return what lines lose in a game, by the weights."""
        return float(self.weight @ self._rests(lines)[0])

    def cover(self) -> Lines:
        """Return lines without a condition of which one plays in every decision, if there are."""
        found: list[tuple[int, int]] = []
        silent = np.ones(self.legal.shape[1], np.bool_)
        while silent.any():
            covered = (self.legal[:, silent] > 0).sum(axis=1)
            if not covered.any():
                break
            found.append((0, int(covered.argmax())))
            silent &= self.legal[found[-1][1]] == 0
        return tuple(found)

    def _plays(self, line: tuple[int, int]) -> Array:
        played: Array = (self.condition[line[0]] * self.legal[line[1]]) > 0
        return played

    def _rests(self, lines: Lines) -> list[Array]:
        """Return what the lines from each place on lose, by decision; the last: no line at all."""
        rest = self.unplayed
        found = [rest]
        for line in reversed(lines):
            rest = np.where(self._plays(line), self.loss[line[1]], rest)
            found.append(rest)
        return found[::-1]

    def best_insertions(
        self, lines: Lines, most: int = 1, places: Sequence[int] | None = None
    ) -> list[tuple[float, Lines]]:
        """Return lists with one line more, the best first: at most so many for each place."""
        rests, found = self._rests(lines), []
        now = float(self.weight @ rests[0])
        still_open = np.ones(self.condition.shape[1], np.bool_)
        for place in range(len(lines) + 1):
            if places is None or place in places:
                change = (self.loss - rests[place]) * self.legal
                gain = self.condition @ (change * (self.weight * still_open)).astype(np.float32).T
                gain = np.where(self.allowed, gain, np.inf)
                for at in np.argpartition(gain, min(most, gain.size - 1), axis=None)[:most]:
                    line = divmod(int(at), gain.shape[1])
                    changed = (*lines[:place], line, *lines[place:])
                    found.append((now + float(gain.flat[at]), changed))
            if place < len(lines):
                still_open &= ~self._plays(lines[place])
        return sorted(found, key=lambda pair: pair[0])


@define
class Search:
    """Improves lists of at most so many lines, the same for the same seed."""

    board: Board
    chance: np.random.Generator

    def improved(self, lines: Lines, most: int) -> Lines:
        """Return a list that no other one is better than which differs in one line."""
        now = self.board.lost(lines)
        while True:
            tried = self._replacements(lines, most)
            _, better = min(tried, key=lambda pair: pair[0])
            true = self.board.lost(better)
            if true >= now - 1e-9 * (1.0 + abs(now)):
                return lines
            lines, now = better, true

    def _replacements(self, lines: Lines, most: int) -> Iterator[tuple[float, Lines]]:
        if len(lines) < most:
            yield self.board.best_insertions(lines)[0]
        for place in range(len(lines)):
            less = (*lines[:place], *lines[place + 1 :])
            yield self.board.lost(less), less
            yield self.board.best_insertions(less, places=(place,))[0]

    def shaken(self, lines: Lines) -> Lines:
        """Return the list with some of its lines out, changed over, or others in their place."""
        other = list(lines)
        for _ in range(int(self.chance.integers(1, 4))):
            place = int(self.chance.integers(len(other))) if other else 0
            match self.chance.integers(3):
                case 0 if other:
                    del other[place]
                case 1 if other:
                    other[place] = self._any_line()
                case _ if other:
                    other.insert(int(self.chance.integers(len(other))), other.pop(place))
        return tuple(other)

    def _any_line(self) -> tuple[int, int]:
        places = np.flatnonzero(self.board.allowed)
        at = int(places[self.chance.integers(len(places))])
        width: int = self.board.allowed.shape[1]
        return at // width, at % width

    def found(
        self, first: Lines, most: int, *, rounds: int | None = None, until: float = inf
    ) -> Lines:
        """Return the best list that is found in so many rounds, or until some time."""
        best = self.improved(first, most)
        number = 0
        while best and monotonic() < until and (rounds is None or number < rounds):
            number += 1
            other = self.improved(self.shaken(best), most)
            if self.board.lost(other) < self.board.lost(best):
                best = other
        return best
