"""The search for an ordered list of lines that loses little: conditions and moves by number.

A line has conditions, all of which must hold, and a move; it plays the move where it is legal and
no line before it plays. With w how often decision s comes up, `rest` what the lines below lose
there and `open` whether no line above plays, putting (C, m) in front of these changes it by ::

    sum over s of C[s] * (w * open * legal[m, s] * (loss[m, s] - rest[s]))

one product of matrices for all lines with one condition; the best of them get further ones. Where
all states are listed the change is the slope of what the list loses, and the list is evaluated:
policy improvement inside the class of lists. Lists are improved by putting in, taking out and
replacing lines until nothing helps; then again after some lines were changed at random, or anew.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from math import inf

import numpy as np
from attrs import define, evolve, field

from dicegames.authoring.cards.situations import Situations, Whole
from dicegames.solver.model import Array

Line = tuple[tuple[int, ...], int]
"""Numbers of conditions, and that of a move."""
Lines = tuple[Line, ...]
REFINED = 4
"""Of so many lines with one condition it is looked whether further ones help."""
CONDITIONS_A_LINE = 3
"""So many conditions may stand in a line."""
LINES_TRIED = 3
"""So many lines of those that promise most are evaluated at one place."""
MOST_WEIGHED = 1_200
"""Decisions in which lines are weighed before they are evaluated: those that matter most."""
MOST_REMEMBERED = 5_000
NO_GAIN = 1e-9
WORSE = 0.1
"""By how large a share of what is lost a list may be worse than that from which it came."""
TAKEN_BACK = 0.1
"""How often the search goes back to the best list."""
ANEW = 2
"""Every second attempt begins with a list drawn at random; the others stay near what was found."""


@define(eq=False)
class Board:
    """Decisions and what lines do there.

    holds: float32[conditions, decisions], 1 where it holds; number 0 always does. plays:
    int64[moves, decisions], the number of the legal move that is played, -1 for none. allowed:
    bool[conditions, moves], which may stand in one line. sure: bool[moves], which no condition of
    the rules or of their own forbids.
    """

    situations: Situations
    holds: Array
    plays: Array
    allowed: Array
    sure: Array
    _where: dict[Line, Array] = field(factory=dict, init=False)
    _steady: Slope | None = field(default=None, init=False)

    def where(self, line: Line) -> Array:
        """Return in which decisions a line plays if no other does."""
        found = self._where.get(line)
        if found is None:
            if len(self._where) >= MOST_REMEMBERED:
                self._where.clear()
            held = self.holds[list(line[0])].all(axis=0)
            found = self._where[line] = np.asarray(held & (self.plays[line[1]] >= 0))
        return found

    def chosen(self, lines: Lines) -> Array:
        """Return the number of the move that lines play in each decision, -1 for none."""
        found = np.full(self.plays.shape[1], -1, np.int64)
        for line in reversed(lines):
            found = np.where(self.where(line), self.plays[line[1]], found)
        return found

    def lost(self, lines: Lines, most: float = inf) -> float:
        """Return what lines lose in a game; perhaps infinity if more than `most`."""
        return self.situations.lost(self.chosen(lines), most)

    def steady(self, lines: Lines) -> Board:
        """Return the board on which lines are weighed by what loses beside best play."""
        known = self.situations
        known = known.met_by(self.chosen(lines)) if isinstance(known, Whole) else known
        return evolve(self, situations=known)

    def open_at(self, lines: Lines) -> Iterator[Situations]:
        """Yield for each line the decisions that are left to it by those above it."""
        known = self.steady(lines).situations
        left = np.ones(len(known.decisions), np.bool_)
        for line in lines:
            yield Situations(known.decisions, known.weight * left, known.sense)
            left = left & ~self.where(line)

    def cover(self) -> Lines:
        """Return lines without a condition of which one plays in every decision, if there are.

        They play in decisions that are not known as well: those are preferred which are sure to. Of
        lines that play in as many decisions, that which loses least is taken.
        """
        slope = self.slope(())
        found: list[Line] = []
        silent = np.ones(self.plays.shape[1], np.bool_)
        while silent.any():
            plays = self.plays[:, silent] >= 0
            covered = plays.sum(axis=1)
            if not covered.any():
                break
            covered *= self.sure if covered[self.sure].any() else 1
            lost = (slope.loss[:, silent] * plays) @ self.situations.weight[silent]
            found.append(((0,), int(np.lexsort((lost, -covered))[0])))
            silent &= self.plays[found[-1][1]] < 0
        return tuple(found)

    def slope(self, lines: Lines) -> Slope:
        """Return how what is lost changes with other lines."""
        if self._steady is not None:
            return self._steady
        often, losses = self.situations.slope(self.chosen(lines))
        first = self.situations.first[:-1]
        lost = losses[first[None, :] + np.maximum(self.plays, 0)]
        found = Slope(self, often, np.where(self.plays >= 0, lost, 0.0))
        self._steady = found if self.situations.is_steady else None
        return found


@define(eq=False)
class Slope:
    """What each move loses in each decision, and how often it comes up, for some lines."""

    board: Board
    often: Array  # float64[decisions]
    loss: Array  # float64[moves, decisions]
    matters: Array = field(init=False)  # float64[decisions]: what a move may change there

    def __attrs_post_init__(self) -> None:
        self.matters = self.often * np.ptp(self.loss, axis=0)

    def rest(self, lines: Lines) -> Array:
        """Return what lines lose in each decision."""
        found = self.board.situations.silence
        for line in reversed(lines):
            found = np.where(self.board.where(line), self.loss[line[1]], found)
        return found

    def insertions(self, lines: Lines, place: int) -> list[Line]:
        """Return the lines that promise most at some place, the best first."""
        board = self.board
        still_open = np.ones(len(self.often), np.bool_)
        for line in lines[:place]:
            still_open &= ~board.where(line)
        at = np.flatnonzero(still_open & (self.often > 0))
        if len(at) > MOST_WEIGHED:
            at = at[np.argpartition(-self.matters[at], MOST_WEIGHED)[:MOST_WEIGHED]]
        change = (self.loss[:, at] - self.rest(lines[place:])[at]) * (board.plays[:, at] >= 0)
        change = (change * self.often[at]).astype(np.float32)
        holds = board.holds[:, at]
        gain = np.where(board.allowed, holds @ change.T, np.inf)
        most = min(REFINED, gain.size - 1)
        found: list[tuple[float, Line]] = []
        for flat in np.argpartition(gain, most, axis=None)[:most]:
            one, move = divmod(int(flat), gain.shape[1])
            found.append((float(gain[one, move]), ((one,), move)))
            parts: tuple[int, ...] = (one,)
            while 0 not in parts and len(parts) < CONDITIONS_A_LINE:
                rest = holds[list(parts)].min(axis=0) * change[move]
                narrowed = np.where(board.allowed[:, move], holds @ rest, np.inf)
                more = int(narrowed.argmin())
                if more in (0, *parts) or narrowed[more] >= found[-1][0]:
                    break
                parts = tuple(sorted((*parts, more)))
                found.append((float(narrowed[more]), (parts, move)))
        found.sort()
        return [line for gained, line in found if gained < 0][:LINES_TRIED]


@define
class LineSearch:
    """Improves lists of at most so many lines, the same for the same seed.

    It ends when so many lists have been evaluated as are `allowed`, or when it is `over`.
    """

    board: Board
    chance: np.random.Generator
    over: Callable[[], bool] = field(default=lambda: False)
    tail: Lines = ()  # the last lines of all lists, which stay
    draft: Lines = ()  # a list to begin from, without these
    evaluated: int = 0
    allowed: float = inf

    def _ends(self) -> bool:
        return self.over() or self.evaluated >= self.allowed

    def lost(self, lines: Lines, most: float = inf) -> float:
        """Return what lines lose, with those that stay; perhaps infinity if more than `most`."""
        self.evaluated += 1
        return self.board.lost((*lines, *self.tail), most)

    def improved(self, lines: Lines, most: int) -> tuple[float, Lines]:
        """Return a list that no other one is found better than which differs in one line."""
        now = self.lost(lines)
        while True:
            for other in self._neighbours(lines, most):
                lost = self.lost(other, now)
                if lost + NO_GAIN * (1.0 + abs(lost)) < now:
                    now, lines = lost, other
                    break
                if self._ends():
                    return now, lines
            else:
                return now, lines

    def simplified(self, lines: Lines) -> Lines:
        """Return lines that lose no more, without the conditions that are not needed."""
        now = self.lost(lines)
        for place in reversed(range(len(lines))):
            for part in lines[place][0]:
                parts, move = lines[place]
                left = tuple(each for each in parts if each != part) or (0,)
                other = (*lines[:place], (left, move), *lines[place + 1 :])
                if self.lost(other) <= now + NO_GAIN * (1.0 + abs(now)):
                    lines = other
        return lines

    def shortened(self, most: int) -> Lines:
        """Return the draft with so many lines at most, those at the end included."""
        lines = self.draft
        while lines and len(lines) + len(self.tail) > most:
            shorter = [(*lines[:at], *lines[at + 1 :]) for at in range(len(lines))]
            lines = min(shorter, key=self.lost)
        return lines

    def _neighbours(self, lines: Lines, most: int) -> Iterator[Lines]:
        """Yield lists that differ in one line, places in any order."""
        slope = self.board.slope((*lines, *self.tail))
        if len(lines) + len(self.tail) < most:
            for place in self.chance.permutation(len(lines) + 1):
                for line in slope.insertions((*lines, *self.tail), place):
                    yield (*lines[:place], line, *lines[place:])
        for place in self.chance.permutation(len(lines)):
            less = (*lines[:place], *lines[place + 1 :])
            if less:
                yield less
            for line in slope.insertions((*less, *self.tail), place):
                yield (*less[:place], line, *less[place:])
        for place in self.chance.permutation(len(lines)):
            less = (*lines[:place], *lines[place + 1 :])
            to = int(self.chance.integers(len(lines)))
            if to != place:
                yield (*less[:to], lines[place], *less[to:])

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

    def _any_line(self) -> Line:
        places = np.flatnonzero(self.board.allowed)
        at = int(places[self.chance.integers(len(places))])
        width: int = self.board.allowed.shape[1]
        return (at // width,), at % width

    def _anew(self, cover: Lines, most: int) -> Lines:
        """Return a list of any lines above those that play everywhere."""
        left = max(0, most - len(self.tail) - len(cover))
        return (*(self._any_line() for _ in range(left)), *cover)

    def found(self, first: Lines, most: int, *, rounds: int | None = None) -> tuple[float, Lines]:
        """Return the best list that is found in so many rounds, or until the search ends."""
        best = now = self.improved(first, most)
        cover = () if self.tail else self.board.cover()
        number = 0
        while best[1] and not self._ends() and (rounds is None or number < rounds):
            number += 1
            anew = number % ANEW == 0
            begin = self._anew(cover, most) if anew else self.shaken(now[1])
            other = self.improved(begin, most)
            if other[0] <= now[0] + WORSE * self.chance.random() * best[0]:
                now = other
            elif self.chance.random() < TAKEN_BACK:
                now = best
            if now[0] + NO_GAIN * (1.0 + abs(now[0])) < best[0]:
                best = now
        return best
