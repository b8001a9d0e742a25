"""What a house rule is worth: the values of two games, and the decisions that change.

The values are exact. The decisions are those of games played by the best moves of the first rules,
chance being drawn with a seed: in each position that comes up, the first rules' best move is held
against what the second rules say of it. A decision changes if it is not among the best there.
"""

from __future__ import annotations

from collections import Counter
from random import Random

from attrs import field, frozen

from dicegames.analysis.solution import Solution, SolutionError, UnknownPosition
from dicegames.ground.arguments import ArgumentError, OnProgress, expect, expect_whole
from dicegames.ground.table import Table, Tabled
from dicegames.rules.parts.types import Value
from dicegames.rules.parts.value_text import PositionError
from dicegames.rules.running.referee import Position, start
from dicegames.solver.model import TIE
from dicegames.solver.status import SolveError, Status

OFTEN = 100
"""How often a position comes up in a game until it is asked whether play ever leaves it."""


@frozen
class Changed:
    """A position in which the second rules play otherwise, and how often it came up.

    `loss` is what the first rules' best move loses under the second rules, None where it is no
    legal move there.
    """

    position: str
    before: str
    after: str
    loss: float | None
    times: int


@frozen
class Difference(Tabled):
    """Two solved games side by side.

    value: for each seat, how much more the second game is worth than the first. decisions: how
    many were met in `games` games; elsewhere: how many of them the second rules do not know.
    changed: the decisions that change, the dearest first.
    """

    before: tuple[float, ...]
    after: tuple[float, ...]
    games: int
    decisions: int
    elsewhere: int
    changed: list[Changed] = field(factory=list, repr=False)

    @property
    def value(self) -> tuple[float, ...]:
        """How much more the second game is worth, by seat."""
        return tuple(b - a for a, b in zip(self.before, self.after, strict=True))

    @property
    def table(self) -> Table:
        """The decisions that change."""
        columns = ("position", "before", "after", "loss", "times")
        rows = tuple((c.position, c.before, c.after, c.loss, c.times) for c in self.changed)
        return Table("Decisions that change", columns, rows)

    @property
    def times_changed(self) -> int:
        """How many of the decisions that were met change."""
        return sum(each.times for each in self.changed)


def difference(
    first: Solution,
    second: Solution,
    *,
    games: int = 50,
    seed: int = 1,
    progress: OnProgress | None = None,
) -> Difference:
    """Compare two solved games; ArgumentError if they have not the same number of values.

    Raises SolutionError where the best moves of the first lead round for ever.

    Args:
        first: the game by whose best moves positions are looked for.
        second: the game that is held against it.
        games: in how many games; none compares the values only.
        seed: the seed of their dice.
        progress: called with (done, total) now and then.
    """
    for each in (first, second):
        expect(each, Solution, "a solved game, as dicegames.solve returns it,")
    expect_whole(games, "the number of games", 0)
    expect_whole(seed, "the seed")
    report = progress or (lambda done, total: None)
    before, after = first.values, second.values
    if len(before) != len(after):
        raise ArgumentError("one game has a value for each seat, the other has not")
    met: Counter[str] = Counter()
    best: dict[str, Position] = {}
    chance = Random(seed)  # noqa: S311 - repeatable on purpose
    for game in range(games):
        met.update(_decisions(first, chance, best))
        report(game / 2, games)
    changed, elsewhere = [], 0
    for number, (text, times) in enumerate(met.items(), 1):
        report(games / 2 * (1 + number / len(met)), games)
        try:
            found = _compared(first, second, text, times)
        except (PositionError, UnknownPosition):
            elsewhere += times
            continue
        if found is not None:
            changed.append(found)
    changed.sort(key=lambda each: (each.loss is not None, -(each.loss or 0), -each.times))
    return Difference(before, after, games, met.total(), elsewhere, changed)


def _decisions(solution: Solution, chance: Random, best: dict[str, Position]) -> list[str]:
    """Return the positions with a choice in a game that is played by the best moves.

    `best` keeps what follows the best move of positions that have come up. Raises SolutionError
    where play comes to positions from which these moves never lead to the end.
    """
    found, seen = [], Counter[str]()
    position = start(solution.game)
    while not position.is_over:
        if position.is_chance:
            position = position.after(position.throw(chance))
        else:
            text = str(position)
            seen[text] += 1
            if seen[text] == OFTEN and not _may_end(solution, position, best):
                raise SolutionError(str(SolveError(Status.GOES_ROUND)))
            if len(position.moves()) > 1:
                found.append(text)
            position = _after_best(solution, position, best)
        if solution.compiled.goal.objective.one_turn and position.starts_turn:
            break
    return found


def _after_best(solution: Solution, position: Position, best: dict[str, Position]) -> Position:
    text = str(position)
    if text not in best:
        best[text] = position.after(solution.options(position)[0].move)
    return best[text]


def _may_end(solution: Solution, position: Position, best: dict[str, Position]) -> bool:
    """Tell whether the best moves can lead from a position to the end of the game, or the turn."""
    one_turn = solution.compiled.goal.objective.one_turn
    pending, seen = [position], set[tuple[int, tuple[Value, ...]]]()
    while pending:
        position = pending.pop()
        if position.is_over or (one_turn and position.starts_turn):
            return True
        place = (position.node.at, position.node.env)
        if place in seen:
            continue
        seen.add(place)
        if position.is_chance:
            pending += map(position.after, position.outcomes())
        else:
            pending.append(_after_best(solution, position, best))
    return False


def _compared(first: Solution, second: Solution, text: str, times: int) -> Changed | None:
    mine = first.options(text)[0].name
    theirs = second.options(text)
    if not theirs:
        raise UnknownPosition("nothing is chosen here under the second rules")
    value = next((choice.value for choice in theirs if choice.name == mine), None)
    loss = None if value is None else abs(theirs[0].value - value)
    if loss is not None and loss <= TIE:
        return None
    return Changed(text, mine, theirs[0].name, loss, times)
