"""Games that are watched: how long they are, what comes up in them, who leads, what it means.

They are played by the referee, with a seed. Whatever is counted in them is a mean over games, and
has a standard error; what best play knows of a position (values, what moves lose) is exact.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator
from math import isnan
from random import Random
from typing import Any

import numpy as np
from attrs import define, field, frozen

from dicegames.analysis.chances.distribution import Distribution
from dicegames.analysis.solution import Solution, SolutionError
from dicegames.ground.numbers import mean_and_error as mean_of
from dicegames.rules.parts.flow import Alternative, Choose, Environment, Instruction, Move, Note
from dicegames.rules.parts.game import Rules
from dicegames.rules.parts.value_text import box_rows
from dicegames.rules.running.fields import slots_of
from dicegames.rules.running.objectives import objective_of
from dicegames.rules.running.playing import left_by
from dicegames.rules.running.referee import Position, run, start

LONGEST_WATCHED = 100_000
"""Moves and throws after which a game is given up: it may go round for ever."""

KINDS = ("turns", "throws", "decisions")
"""In what the length of a game is counted."""

Chooser = Callable[[Position], Move]
"""Says which of several legal moves of a position is made."""


@frozen
class Stake:
    """What a decision is about: where it stands, the best move, what the second best loses."""

    position: Position
    best: Move
    loses: float

    @property
    def sort(self) -> str:
        """Name the sort of the decision, by the moves that the rules offer there."""
        choose = self.position.instruction
        assert isinstance(choose, Choose)
        return sort_of(choose)


@define(eq=False)
class BestPlay:
    """Plays the best moves of a solution, and remembers what was at stake."""

    solution: Solution
    stakes: dict[tuple[object, ...], Stake] = field(factory=dict)

    def stake(self, position: Position) -> Stake:
        """Return what a decision is about."""
        node = position.node
        key = (node.at, *node.env)
        if key not in self.stakes:
            first, second = self.solution.options(position)[:2]
            self.stakes[key] = Stake(node, first.move, abs(first.value - second.value))
        return self.stakes[key]

    def __call__(self, position: Position) -> Move:
        """Return the best move."""
        return self.stake(position).best


def by_strategy(game: Rules, objective: str, title: str) -> Chooser:
    """Return who plays by a strategy; SolutionError where it leaves the choice to best play."""
    left = left_by(game, title, objective_of(objective))

    def choose(position: Position) -> Move:
        moves = left(position)
        if len(moves) > 1:
            raise SolutionError("it leaves some moves to best play")
        return moves[0]

    return choose


def at_random(seed: int) -> Chooser:
    """Return who makes each legal move as often as another."""
    chance = Random(seed)  # noqa: S311 - repeatable
    return lambda position: chance.choice(position.moves())


@define(eq=False)
class Played:
    """What came up in a game: `begun` are the positions at the beginning of turns and the end."""

    throws: int = 0
    decisions: list[Position] = field(factory=list)
    uses: Counter[tuple[str, str]] = field(factory=Counter)
    points: dict[str, float] = field(factory=lambda: defaultdict(float))  # by box
    begun: list[Position] = field(factory=list)

    @property
    def turns(self) -> int:
        """The number of turns, of all players."""
        return len(self.begun) - 1


@define(eq=False)
class Watch:
    """Games in which all seats play alike.

    `met`: where instructions met begin in the file; `passed`: whether turns were passed over.
    """

    game: Rules
    ends: frozenset[int]
    player: Chooser
    chance: Random
    games: list[Played] = field(factory=list)
    met: set[int] = field(factory=set)
    passed: bool = False

    @classmethod
    def of(cls, solution: Solution, player: Chooser, seed: int) -> Watch:
        """Return what watches games that end where they do for the objective of a solution.

        The places of its compiled goal may be those of other rules, for one player alone.
        """
        ends = objective_of(solution.objective).ends(solution.game)
        return cls(solution.game, frozenset(ends), player, Random(seed))  # noqa: S311 - repeatable

    def play(self) -> None:
        """Play one more game; raises SolutionError where it does not end."""
        position, seen = start(self.game), Played()
        box = -1
        for _ in range(LONGEST_WATCHED):
            if position.starts_turn or not seen.begun:
                seen.begun.append(position)
                box = -1
            node = self._node(position, seen)
            if node.is_over or node.at in self.ends:
                if seen.begun[-1] is not position:
                    seen.begun.append(position)
                self.games.append(seen)
                return
            position = self._on(node, seen)
            seen.uses.update(("note", note) for note in position.notes)
            box = self._filled(node, position, box, seen)
        raise SolutionError(f"a game was not over after {LONGEST_WATCHED:,} moves and throws")

    def spread(self, kind: str) -> Distribution:
        """Return how often each number of turns, throws or decisions came up."""
        counted = {
            "turns": [game.turns for game in self.games],
            "throws": [game.throws for game in self.games],
            "decisions": [len(game.decisions) for game in self.games],
        }
        values, times = np.unique(counted[kind], return_counts=True)
        return Distribution(values.astype(np.float64), times / len(self.games))

    def times(self, kind: str, name: str) -> float:
        """Return how often something comes up in a game; a box does where it brings points."""
        if kind == "box":
            return mean_and_error(game.points[name] > 0 for game in self.games)[0]
        return mean_and_error(game.uses[kind, name] for game in self.games)[0]

    def _node(self, position: Position, seen: Played) -> Position:
        """Return `position.node`, and see what happens on the way to it."""
        begins = position
        while position.starts_turn:  # not for ever: the game is solved
            self.passed |= position is not begins
            position = run(self.game, position.at, list(position.env), seen=self._carried_out)
            seen.uses.update(("note", note) for note in position.notes)
        return position

    def _on(self, position: Position, seen: Played) -> Position:
        """Return the position after a throw or a move."""
        self.met.add(position.instruction.span.start)
        if position.is_chance:
            seen.throws += 1
            return position.after(position.throw(self.chance), self.ends, self._carried_out)
        moves = position.moves()
        move = moves[0]
        if len(moves) > 1:
            seen.decisions.append(position)
            move = self.player(position)
        option = option_of(position.instruction, move)
        if option is not None:
            self.met.add(option.span.start)
            seen.uses["move", option.told] += 1
        return position.after(move, self.ends, self._carried_out)

    def _carried_out(self, instruction: Instruction, _slot: int, _env: Environment) -> None:
        self.met.add(instruction.span.start)

    def _filled(self, before: Position, after: Position, box: int, seen: Played) -> int:
        """Count the points that come from the moment a box is used to the end of that turn."""
        game, seat = self.game, before.whose_turn
        if not game.names.boxes or not game.turn_points:
            return -1
        used = game.names.variables["used"]
        had, has = (p.env[next(slots_of(game, used, p.whose_turn, seat))] for p in (before, after))
        fresh = has & ~had
        box = fresh.bit_length() - 1 if fresh else box
        if box >= 0:
            points = game.turn_points
            had, has = (points[seat - p.whose_turn].run(list(p.env)) for p in (before, after))
            seen.points[box_rows(game.names)[box].label] += float(has - had)
        return box


def sort_of(choose: Choose) -> str:
    """Name the sort of a decision, by the moves that the rules offer there."""
    return " or ".join(dict.fromkeys(option.told for option in choose.options))


def option_of(choose: Instruction, move: Move) -> Alternative | None:
    """Return the option of which a move is, None where no option is legal."""
    assert isinstance(choose, Choose)
    for option in choose.options:
        same = (option.entry, option.slot) == (move.entry, move.slot)
        if same and f"{move.label} ".startswith(f"{option.label} ".lstrip()):
            return option
    return None


def things(game: Rules) -> Iterator[tuple[str, str]]:
    """Give all that may come up in a game: moves and notes."""
    yield from dict.fromkeys(("move", o.told) for o in game.alternatives)
    notes: dict[str, None] = {}
    for instruction in game.flow:
        if isinstance(instruction, Note):
            rows = game.names.rows if instruction.what is not None else [instruction.label]
            notes |= dict.fromkeys(rows)
    yield from (("note", note) for note in notes)


# ---- what is seen in them


def mean_and_error(numbers: Iterable[float]) -> tuple[float, float | None]:
    """Return the mean of numbers of games, and its standard error, None for a single game."""
    mean, error = mean_of(np.array(list(numbers), float))
    return mean, None if isnan(error) else error


@frozen(eq=False)
class Course:
    """How games went: `expected` is what seat 1 could expect at the beginning of each turn.

    expected: float64[games, turns + 1], the results in the last column; leads: int64[games,
    turns + 1], how often the lead had changed by then.
    """

    expected: Any
    leads: Any

    @classmethod
    def of(cls, watch: Watch, solution: Solution) -> Course:
        """Return the course of the games of best play."""
        longest = max(game.turns for game in watch.games)
        values = np.asarray(solution.values_of(p for g in watch.games for p in g.begun))
        values = values[:, 0] if values.ndim > 1 else values
        expected = np.empty((len(watch.games), longest + 1))
        leads = np.zeros((len(watch.games), longest + 1), np.int64)
        at = 0
        for number, game in enumerate(watch.games):
            last = game.turns
            expected[number, : last + 1] = values[at : at + last + 1]
            expected[number, last:] = expected[number, last]
            leads[number, : last + 1] = _changes(game)
            leads[number, last:] = leads[number, last]
            at += last + 1
        return cls(expected, leads)

    def settled(self, turn: int) -> tuple[float, float]:
        """Return the share of the variance of results that is settled by then, and its error.

        Under best play what can be expected is a martingale: the variance of the results is the sum
        of the mean squares of its steps.
        """
        steps = np.diff(self.expected, axis=1) ** 2
        here, whole = steps[:, :turn].sum(axis=1), steps.sum(axis=1)
        mean = whole.mean()
        share = here.mean() / mean if mean > 1e-18 else 1.0
        error = np.sqrt(((here - share * whole) ** 2).mean() / len(whole)) / max(mean, 1e-18)
        return float(share), float(error)

    @property
    def longest(self) -> int:
        """The number of turns of the longest game."""
        return int(self.expected.shape[1]) - 1


def _changes(game: Played) -> list[int]:
    """Return how often the lead had changed by each turn: somebody else is ahead alone."""
    found, leader = [0], -1
    for position in game.begun:
        ahead = _ahead(position)
        found.append(found[-1] + (leader >= 0 <= ahead != leader))
        leader = ahead if ahead >= 0 else leader
    return found[1:]


def _ahead(position: Position) -> int:
    """Return the seat that is ahead by what is counted, -1 where several are, or nothing is."""
    game, env = position.game, list(position.env)
    if game.players == 1 or not game.turn_points:
        return -1
    sign = 1 if game.many_points else -1
    points = [sign * standing.run(env) for standing in game.turn_points]
    best = [seat for seat, had in enumerate(points) if had == max(points)]
    return (best[0] + position.whose_turn) % game.players if len(best) == 1 else -1
