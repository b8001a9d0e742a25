"""What the words of the rules come to in decisions: the board on which lines are searched."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any

import numpy as np
from attrs import define, field, frozen

from dicegames.authoring.bench import Bench, first_legal, has_letters
from dicegames.authoring.covering import Board, Lines
from dicegames.authoring.situations import Chooser, Decision, Situations
from dicegames.authoring.words import ALWAYS, thresholds
from dicegames.rules.parts.advice import Line
from dicegames.rules.parts.broken import RuleBroken
from dicegames.rules.parts.flow import Expression
from dicegames.solver.model import Array

MOST_CONDITIONS = 600
Said = tuple[tuple[tuple[str, ...], str], ...]


@frozen
class Texts:
    """The conditions and the moves of a board, by number."""

    conditions: tuple[str, ...]
    moves: tuple[str, ...]

    def said(self, lines: Lines) -> Said:
        """Return lines as text."""
        return tuple(
            (tuple(self.conditions[one] for one in parts), self.moves[move])
            for parts, move in lines
        )

    def lines(self, said: Said) -> Lines | None:
        """Return lines by number, None if a condition is not on the board."""
        numbers = {text: n for n, text in enumerate(self.conditions)}
        moves = {text: n for n, text in enumerate(self.moves)}
        if any(part not in numbers for parts, _ in said for part in parts):
            return None
        return tuple((tuple(numbers[part] for part in parts), moves[move]) for parts, move in said)


@define(eq=False)
class _Column:
    """What a word comes to in the decisions met so far, computed once for what it reads."""

    slots: list[int]
    run: Callable[[Decision], Any]
    values: list[Any] = field(factory=list)
    broken: bool = False  # it cannot be asked in all decisions
    _known: dict[Any, Any] = field(factory=dict)

    def read(self, decisions: Sequence[Decision]) -> None:
        """Read what is new."""
        for decision in decisions[len(self.values) :]:
            self.values.append(self.at(decision))
            if self.broken:
                return

    def at(self, decision: Decision) -> Any:
        """Return what the word comes to in a decision."""
        key = decision.seen(self.slots)
        if key not in self._known:
            try:
                self._known[key] = self.run(decision)
            except RuleBroken:
                self.broken = True
                return -1
        return self._known[key]


def _asked(expression: Expression) -> _Column:
    return _Column(sorted(expression.reads), lambda d: expression.run(d.env))


def _moved(line: Line, slots: frozenset[int]) -> _Column:
    return _Column(sorted(line.reads | slots), lambda d: first_legal(line, d))


@define(eq=False)
class WordReader:
    """Reads the words of a bench in decisions."""

    bench: Bench
    numbers: dict[str, _Column] = field(init=False)
    truths: dict[str, _Column] = field(init=False)
    moves: dict[str, _Column] = field(init=False)

    def __attrs_post_init__(self) -> None:
        bench = self.bench
        self.numbers = {text: _asked(number) for text, number in bench.numbers.items()}
        self.truths = {text: _asked(truth) for text, truth in bench.truths.items()}
        self.moves = {t: _moved(line, bench.offered) for t, line in bench.moves.items()}

    def board(self, known: Situations, kept: Iterable[Said]) -> tuple[Board, Texts]:
        """Return the board of decisions, with all conditions that stand in some lines."""
        decisions = known.decisions
        for column in (*self.numbers.values(), *self.truths.values(), *self.moves.values()):
            if not column.broken:
                column.read(decisions)
        rows: dict[bytes, tuple[str, Array]] = {}
        wanted = {part for said in kept for parts, _ in said for part in parts}
        for text, row in self._conditions(wanted, len(decisions)):
            if text == ALWAYS or text in wanted or (row.any() and not row.all()):
                rows.setdefault(np.packbits(row).tobytes(), (text, row))
        conditions, found = zip(*list(rows.values())[:MOST_CONDITIONS], strict=True)
        moves, plays = self._plays(known)
        lettered = np.array([has_letters(text) for text in conditions])
        shaped = np.array([has_letters(text) for text in moves])
        allowed = ~(lettered[:, None] & shaped[None, :])
        return Board(known, np.array(found, np.float32), plays, allowed), Texts(conditions, moves)

    def _conditions(self, wanted: set[str], count: int) -> Iterable[tuple[str, Array]]:
        """Yield conditions with their rows: those that are wanted, then all others."""
        yield ALWAYS, np.ones(count, np.bool_)
        found = list(self._all())
        yield from (pair for pair in found if pair[0] in wanted)
        for text in wanted - {pair[0] for pair in found} - {ALWAYS}:
            name, sign, number = text.rsplit(" ", 2)
            values = np.array(self.numbers[name].values)
            yield text, (values >= int(number)) == (sign == ">=")
        yield from found

    def _all(self) -> Iterable[tuple[str, Array]]:
        for text, column in self.truths.items():
            if not column.broken:
                yield text, np.array(column.values, np.bool_)
        for text, column in self.numbers.items():
            if not column.broken:
                values = np.array(column.values)
                for limit in thresholds(column.values):
                    yield f"{text} >= {limit}", values >= limit
                    yield f"{text} < {limit}", values < limit

    def _plays(self, known: Situations) -> tuple[tuple[str, ...], Array]:
        """Return the moves that differ from each other, and what they play in each decision."""
        rows: dict[bytes, tuple[str, Array]] = {}
        for text, column in self.moves.items():
            if not column.broken:
                row = np.array(column.values, np.int64)
                if (row >= 0).any():
                    rows.setdefault(row.tobytes(), (text, row))
        moves, plays = zip(*rows.values(), strict=True)
        return moves, np.array(plays)

    def chooser(self, said: Said) -> Chooser:
        """Return what plays by lines."""
        asked = [([self._truth(part) for part in parts], self.moves[move]) for parts, move in said]

        def choose(decision: Decision) -> int:
            for parts, move in asked:
                if all(holds(decision) for holds in parts):
                    number = int(move.at(decision))
                    if number >= 0:
                        return number
            return -1

        return choose

    def _truth(self, text: str) -> Callable[[Decision], bool]:
        if text == ALWAYS:
            return lambda decision: True
        if text in self.truths:
            return lambda decision: bool(self.truths[text].at(decision))
        name, sign, number = text.rsplit(" ", 2)
        column = self.numbers[name]
        return lambda decision: (column.at(decision) >= int(number)) == (sign == ">=")
