"""Turn by turn: games whose counter without limit lives inside a turn, and the long run.

A turn begins at a *start*: a stored node with a point. Within a turn only some axes change (the
counter, say); the others are fixed at the start, so that a turn is a small model of its own: every
edge into a stored node ends it, with the value of the start to which it leads as reward. With h the
values of the starts, F(h) are the values of all turns.

* A game that ends: one F for each start, the last ones first, is enough. Where a turn may lead back
  to its own start, all being lost, its value is the fixpoint v = F(v), the others being known: a
  line with the slope p < 1 for each way to play, p being the chance to return, and F the best of
  them. The secant method finds it (as Glenn, Fang & Kruskal use Newton's, Computers and Games 2006,
  LNCS 4630), and where F(l) >= l and F(u) <= u it lies between l and u. Starts that lead to each
  other are refused.
* The long run (`Model.average`): the value g is the reward per turn. For any h whatever::

      min (F(h) - h) <= g <= max (F(h) - h)

  over all starts that can come up (Odoni 1969, the bounds of value iteration), and over any larger
  set of starts from which turns do not lead out. h is replaced by F(h), shifted so that the first
  start has 0, until both bounds meet; where that is slow, by a mixture of the last F(h) (see
  `_Mixed`). What may be used up once and for all at any time would be worth more in another
  solution of F(h) = g + h: from 0 on, the F(h) come to what can be attained, since they are the
  values of so many turns. Where starts differ in what they bring in the long run, the bounds stay
  apart, and there is no one average.

What a turn has changed and its last edge does not set goes on into the next turn, if anything there
still reads it.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from time import perf_counter

import numpy as np
from attrs import define, field

from dicegames.solver.explicit.turn_starts import Point, TurnStarts
from dicegames.solver.model import Model
from dicegames.solver.solved import Evaluator, Solve, Solved, Value
from dicegames.solver.status import SolveError, Status

MOST_TURN_ROUNDS = 500
LARGEST_TURN = 1e15
"""A turn worth more than this comes again for ever."""
BOUNDS_MET = 1e-13  # relative to what starts are worth
BOUNDS_NEAR = 1e-9  # relative to what turns bring, where rounding leaves no more
ROUNDING_OF_DIFFERENCE = 4e-16  # of a difference, relative
MOST_MIXED = 8
"""So many of the last values are mixed."""
LEAST_APART = 1e-10
"""Directions in which gains differ by less than this share of the most are left out."""
FALLS_WITHIN = 24
"""In so many rounds the distance of the bounds must halve: else the last values are mixed."""
MOST_UNMIXED = 150
"""So many rounds are tried before."""
HALVED_WITHIN = 40
"""In so many rounds the distance of the bounds must halve: else they will not meet in time."""


@define(eq=False)
class TurnValues:
    """Values of all states: those of the turns in which they come up."""

    turns: TurnStarts
    values: Mapping[int, float]  # of the starts, at the end of a turn
    solved: dict[int, Solved] = field(factory=dict)  # by number of the start; others on demand

    def value_at(self, node: int, point: Point) -> Value:
        """Value of a state; LookupError where it is not known."""
        own = tuple(point[a] for a in self.turns.within)
        for number in self.values:
            _, start = self.turns.start(number)
            if all(start[a] == point[a] for a in self.turns.between):
                try:
                    return self._turn(number).value_at(node, own)
                except LookupError:
                    continue  # a turn that begins elsewhere may come to it
        raise LookupError(f"node {node} at {point} comes up in no turn")

    def only_turn(self, model: Model) -> tuple[Model, Evaluator | None]:
        """Return the turn from the start and its values, where no other turn follows it; else None.

        `model` is this one, whose edges may come in another order.
        """
        turns = TurnStarts(model, self.turns.solve)
        (first, *others) = turns.all_starts()
        if others or turns.following(first):
            return model, None
        return turns.models[first], self._turn(first).evaluator

    def _turn(self, number: int) -> Solved:
        if number not in self.solved:
            self.solved[number] = self.turns.solved(number, self.values)
        return self.solved[number]


def solve_turns(model: Model, solve: Solve) -> Solved:
    """Solve turn by turn; SolveError where the turns do not fit or come again."""
    begun = perf_counter()
    turns = TurnStarts(model, solve)
    turns.demand_a_difference()
    starts = turns.all_starts()
    values: dict[int, float] = {}
    solved: dict[int, Solved] = {}
    errors: dict[int, float] = {}
    near = 0.0
    for number in turns.last_first():
        after = set(turns.following(number))
        if number in after:
            near, own, solved[number] = _returning(turns, number, values, near)
        else:
            found = solved[number] = turns.solved(number, values)
            near, own = _value(found), found.error_bound
        values[number] = near
        errors[number] = own + max((errors[k] for k in after - {number}), default=0.0)
    first = starts[0]
    inside = TurnValues(turns, values, solved)
    return _result(inside, values[first], errors[first], perf_counter() - begun)


def _returning(
    turns: TurnStarts, number: int, values: Mapping[int, float], near: float
) -> tuple[float, float, Solved]:
    """Value of a start to which its own turn may lead back, from `near` on; its error; the turn."""
    worst = 0.0

    def at(own: float) -> Solved:
        nonlocal worst
        if not abs(own) < LARGEST_TURN:
            raise SolveError(Status.ENDLESS)
        solved = turns.solved(number, {**values, number: own})
        _demand_proof([solved])
        worst = max(worst, solved.error_bound + ROUNDING_OF_DIFFERENCE * max(1.0, abs(own)))
        return solved

    before, found, share, missing = near, at(near), 0.0, np.inf
    own = _value(found)
    for _ in range(HALVED_WITHIN):
        last, found = _value(found), at(own)
        missing = _value(found) - own
        if abs(missing) <= max(BOUNDS_MET * abs(own), worst):
            break
        share = (_value(found) - last) / (own - before)
        before, own = own, own + missing / (1 - share if share < 1 else 1)
    distance = 2 * (worst + abs(missing)) / max(1 - share, 1 / LARGEST_TURN)
    for _ in range(HALVED_WITHIN):
        low, high = own - distance, own + distance
        if _value(at(low)) - worst >= low and _value(at(high)) + worst <= high:
            return own, distance, found
        distance *= 2
    raise SolveError(Status.NO_COST)


def _value(solved: Solved) -> float:
    return float(solved.value)  # type: ignore[arg-type]


def solve_average(model: Model, solve: Solve) -> Solved:
    """Solve the long run; SolveError where the bounds do not meet."""
    begun = perf_counter()
    turns = TurnStarts(model, solve)
    starts = turns.all_starts()
    values, mixed = dict.fromkeys(starts, 0.0), _Mixed()
    low, high, mixing = -np.inf, np.inf, False
    distances: list[float] = []
    for _ in range(MOST_TURN_ROUNDS):
        solved = {number: turns.solved(number, values) for number in starts}
        _demand_proof(solved.values())
        found = np.array([_value(solved[number]) for number in starts])
        before = np.array([values[number] for number in starts])
        gains = found - before
        largest = max(1.0, float(np.abs(found).max()))
        error = max(s.error_bound for s in solved.values()) + ROUNDING_OF_DIFFERENCE * largest
        low, high = max(low, gains.min() - error), min(high, gains.max() + error)
        distance = float(gains.max() - gains.min())
        stalled = len(distances) >= HALVED_WITHIN and distance > distances[-HALVED_WITHIN] / 2
        near = BOUNDS_NEAR * max(1.0, float(np.abs(gains).max()))
        if distance <= (near if stalled else min(near, BOUNDS_MET * largest)):
            value = float((gains.max() + gains.min()) / 2)
            bound = max(high - value, value - low)
            inside = TurnValues(turns, values, solved)
            return _result(inside, value, bound, perf_counter() - begun)
        if stalled:
            break
        if not mixing and _is_slow(distances, distance):
            mixing, distances = True, []
        distances.append(distance)
        after = mixed.next(found, gains, alone=not mixing)
        values = dict(zip(starts, after.tolist(), strict=True))
    raise SolveError(Status.NO_AVERAGE, f"it lies between {low:.9g} and {high:.9g}")


def _is_slow(distances: Sequence[float], now: float) -> bool:
    """Whether the distance of the bounds falls too slowly to go on without mixing."""
    falls = len(distances) < FALLS_WITHIN or now <= distances[-FALLS_WITHIN] / 2
    return not falls or len(distances) >= MOST_UNMIXED


@define
class _Mixed:
    """Values to go on from: the mixture of the last ones of which the gains would be most alike.

    Where the moves stay the same, gains are linear, and few rounds are enough (Anderson 1965,
    J. ACM 12, 547-560). The bounds hold for any values.
    """

    found: list[np.ndarray] = field(factory=list)
    gains: list[np.ndarray] = field(factory=list)

    def next(self, found: np.ndarray, gains: np.ndarray, *, alone: bool) -> np.ndarray:
        """Return values, that of the first start 0, after what turns come to, and their gains.

        `alone`: what turns come to as it is.
        """
        self.found = [*self.found, found][-MOST_MIXED:]
        self.gains = [*self.gains, gains - gains.mean()][-MOST_MIXED:]
        if alone:
            return found - found[0]
        last = self.gains[-1]
        apart = np.array([last - other for other in self.gains[:-1]]).reshape(-1, last.size)
        share, *_ = np.linalg.lstsq(apart.T, last, rcond=LEAST_APART)
        moved = found - sum(s * (found - f) for s, f in zip(share, self.found[:-1], strict=True))
        return moved - moved[0]


def _demand_proof(solved: Iterable[Solved]) -> None:
    """Raise SolveError where the value of a turn is not proven from both sides."""
    for each in solved:
        if each.status is not Status.SOLVED:
            raise SolveError(each.status, each.detail)


def _result(inside: TurnValues, value: float, error: float, seconds: float) -> Solved:
    return Solved(
        model=inside.turns.model,
        status=Status.SOLVED,
        value=value,
        error_bound=error,
        method="turn by turn",
        seconds=seconds,
        stuck=inside.turns.stuck,
        states_stored=len(inside.values),
        states_reachable=len(inside.values),
        evaluator=inside,
    )
