"""What the words of the rules come to in decisions: the board on which lines are searched."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

import numpy as np
from attrs import define, field, frozen

from dicegames.authoring.cards.bench import Bench, first_legal, has_letters
from dicegames.authoring.cards.covering import Board, Lines
from dicegames.authoring.cards.decisions import Chooser, Decision, Key
from dicegames.authoring.cards.measures import measured_picks, measured_truths
from dicegames.authoring.cards.situations import Situations
from dicegames.authoring.cards.words import ALWAYS, read_lines, thresholds
from dicegames.rules.parts.advice import Line
from dicegames.rules.parts.broken import RuleBroken
from dicegames.rules.parts.flow import Expression
from dicegames.solver.model import Array

BOARD_CONDITIONS = 600
"""Conditions of a board: those that tell most about which move is good."""
Said = tuple[tuple[tuple[str, ...], str], ...]
"""Lines as text: conditions that must hold, and a move."""


@frozen
class Texts:
    """The conditions and the moves of a board, by number; moves that play the same share theirs."""

    conditions: tuple[str, ...]
    moves: tuple[str, ...]
    numbers: Mapping[str, int]  # of all moves

    def said(self, lines: Lines) -> Said:
        """Return lines as text."""
        return tuple(
            (tuple(self.conditions[one] for one in parts), self.moves[move])
            for parts, move in lines
        )

    def lines(self, said: Said) -> Lines | None:
        """Return lines by number, None if a condition or a move is not on the board."""
        held = {text: n for n, text in enumerate(self.conditions)}
        try:
            return tuple((tuple(held[one] for one in parts), self.numbers[m]) for parts, m in said)
        except KeyError:
            return None


@define(eq=False)
class _Alike:
    """The decisions met so far, by what some slots hold: `first` has one of each kind."""

    slots: list[int]
    first: list[Decision] = field(factory=list)
    kinds: list[int] = field(factory=list)  # by decision
    _met: Sequence[Decision] = ()
    _numbers: dict[Key, int] = field(factory=dict)

    def meet(self, decisions: Sequence[Decision]) -> None:
        """Look at decisions, of which only the last may be new if they are those of before."""
        if self._met is not decisions:
            self._met = decisions
            self.kinds.clear()
        for decision in decisions[len(self.kinds) :]:
            self.kinds.append(self.kind(decision))

    def kind(self, decision: Decision) -> int:
        """Return the kind of a decision, a new one if need be."""
        key = decision.seen(self.slots)
        number = self._numbers.setdefault(key, len(self._numbers))
        if number == len(self.first):
            self.first.append(decision)
        return number


@define(eq=False)
class _Column:
    """What a word comes to in decisions, computed once for those that are alike to it."""

    alike: _Alike
    run: Callable[[Decision], Any]
    is_broken: bool = False  # it cannot be asked in all decisions
    _values: list[Any] = field(factory=list)  # by kind

    def values(self) -> Array | None:
        """Return what it comes to by decision, None if it cannot be asked in all."""
        if not self.is_broken:
            self._extend()
        return None if self.is_broken else np.array(self._values)[self.alike.kinds]

    def at(self, decision: Decision) -> Any:
        """Return what it comes to in a decision; 0 where it cannot be asked."""
        kind = self.alike.kind(decision)
        self._extend()
        return 0 if self.is_broken else self._values[kind]

    def _extend(self) -> None:
        try:
            self._values += [self.run(d) for d in self.alike.first[len(self._values) :]]
        except RuleBroken:
            self.is_broken = True


@define(eq=False)
class WordReader:
    """Reads the words of a bench in decisions."""

    bench: Bench
    numbers: dict[str, _Column] = field(init=False)
    truths: dict[str, _Column] = field(init=False)
    moves: dict[str, _Column] = field(init=False)
    _alike: dict[frozenset[int], _Alike] = field(factory=dict)

    def __attrs_post_init__(self) -> None:
        bench = self.bench
        self.numbers = {text: self._asked(number) for text, number in bench.numbers.items()}
        self.truths = {text: self._asked(truth) for text, truth in bench.truths.items()}
        self.moves = {text: self._moved(line) for text, line in bench.moves.items()}

    def _column(self, reads: frozenset[int], run: Callable[[Decision], Any]) -> _Column:
        return _Column(self._alike.setdefault(reads, _Alike(sorted(reads))), run)

    def _asked(self, expression: Expression) -> _Column:
        return self._column(expression.reads, lambda d: expression.run(d.env))

    def _moved(self, line: Line) -> _Column:
        return self._column(line.reads | self.bench.offered, first_legal(line))

    def board(self, known: Situations, kept: Iterable[Said]) -> tuple[Board, Texts]:
        """Return the board of decisions, with all conditions that stand in some lines."""
        decisions = known.decisions
        for alike in self._alike.values():
            alike.meet(decisions)
        rows: dict[bytes, tuple[str, Array]] = {}
        wanted = {part for said in kept for parts, _ in said for part in parts}
        for text, row in self._conditions(wanted, len(decisions)):
            if text == ALWAYS or text in wanted or (row.any() and not row.all()):
                rows.setdefault(np.packbits(row).tobytes(), (text, row))
        texts, found = zip(*rows.values(), strict=True)
        moves, plays, numbers = self._plays()
        gain = telling(known, np.array(found), plays)
        gain[[text == ALWAYS or text in wanted for text in texts]] = np.inf
        best = np.sort(np.argsort(-gain, kind="stable")[:BOARD_CONDITIONS])
        conditions = tuple(texts[n] for n in best)
        holds = np.array([found[n] for n in best], np.float32)
        lettered = np.array([has_letters(text) for text in conditions])
        shaped = np.array([has_letters(text) for text in moves])
        allowed = ~(lettered[:, None] & shaped[None, :])
        free = {f'"{o.label}"' for o in self.bench.rules.alternatives if not o.conditions}
        plain = (text[:5] == "pick " and " where " not in text for text in moves)
        sure = np.array(
            [is_plain or text in free for is_plain, text in zip(plain, moves, strict=True)]
        )
        return Board(known, holds, plays, allowed, sure), Texts(conditions, moves, numbers)

    def _conditions(self, wanted: set[str], count: int) -> Iterable[tuple[str, Array]]:
        """Yield conditions with their rows: those that are wanted, then all others."""
        yield ALWAYS, np.ones(count, np.bool_)
        found = list(self._all())
        yield from (pair for pair in found if pair[0] in wanted)
        for text in wanted - {pair[0] for pair in found} - {ALWAYS}:
            name, sign, number = text.rsplit(" ", 2)
            values = self.numbers[name].values()
            assert values is not None
            yield text, (values >= int(number)) == (sign == ">=")
        yield from found

    def _all(self) -> Iterable[tuple[str, Array]]:
        for text, column in self.truths.items():
            row = column.values()
            if row is not None:
                yield text, row.astype(np.bool_)
        for text, column in self.numbers.items():
            values = column.values()
            if values is not None:
                for limit in thresholds(values.tolist()):
                    yield f"{text} >= {limit}", values >= limit
                    yield f"{text} < {limit}", values < limit

    def _plays(self) -> tuple[tuple[str, ...], Array, dict[str, int]]:
        """Return the moves that differ, what they play in each decision, and the number of each."""
        rows: dict[bytes, tuple[int, str, Array]] = {}
        numbers: dict[str, int] = {}
        for text, column in self.moves.items():
            row = column.values()
            if row is not None and (row >= 0).any():
                numbers[text] = rows.setdefault(row.tobytes(), (len(rows), text, row))[0]
        _, moves, plays = zip(*rows.values(), strict=True)
        return moves, np.array(plays), numbers

    def learn(self, known: Situations) -> None:
        """Take in sums that tell when to make a move, and what to pick, in some decisions."""
        truths = measured_truths(known, self.numbers_in(known))
        self.take(truths, measured_picks(self.bench, known))

    def numbers_in(self, known: Situations) -> dict[str, Array]:
        """Return what numbers come to by decision, those that can be asked in all."""
        for alike in self._alike.values():
            alike.meet(known.decisions)
        values = {text: column.values() for text, column in self.numbers.items()}
        return {text: row for text, row in values.items() if row is not None}

    def take(self, truths: Iterable[str], moves: Iterable[str]) -> None:
        """Take in what may be said, as far as it can be read."""
        found = self._read("when {}: best", truths, self.truths)
        self.truths |= {text: self._asked(line.condition) for text, line in found.items()}
        found = self._read("when yes: {}", moves, self.moves)
        self.moves |= {text: self._moved(line) for text, line in found.items()}

    def readable(self, said: Said) -> Said:
        """Take in what lines say, and return those that can be read."""
        self.take({one for parts, _ in said for one in parts}, [move for _, move in said])
        return tuple(line for line in said if self.knows([line]))

    def knows(self, said: Iterable[tuple[tuple[str, ...], str]]) -> bool:
        """Tell whether all that lines say has been taken in."""
        known = {ALWAYS, *self.truths}
        return all(
            move in self.moves
            and all(one in known or one.rsplit(" ", 2)[0] in self.numbers for one in parts)
            for parts, move in said
        )

    def _read(
        self, form: str, texts: Iterable[str], held: Mapping[str, _Column]
    ) -> dict[str, Line]:
        """Return lines with the texts that are not yet held."""
        new = [text for text in texts if text not in held]
        _, lines = read_lines(self.bench.rules, [form.format(text) for text in new])
        return {new[n]: line for n, line in lines.items()}

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


def telling(known: Situations, holds: Array, plays: Array) -> Array:
    """Return how much less is lost who knows whether a condition holds: float64[conditions].

    In each place of the rules where something is chosen one move is made where it holds, and one
    where it does not. A move that is not legal counts as the mean of those that are.
    """
    first = known.first
    mean = np.add.reduceat(known.best_losses, first[:-1]) / np.diff(first)
    lost = np.where(plays >= 0, known.best_losses[first[:-1] + np.maximum(plays, 0)], mean)
    lost = (lost * known.weight).astype(np.float32)
    places = np.array([decision.at for decision in known.decisions])
    gain = np.zeros(len(holds))
    for place in np.unique(places):
        here = places == place
        own = lost[:, here][(plays[:, here] >= 0).any(axis=1)]
        if not len(own):  # of all moves that are looked at none is legal there
            continue
        whole = own.sum(axis=1)
        held = holds[:, here].astype(np.float32) @ own.T
        gain += whole.min() - held.min(axis=1) - (whole - held).min(axis=1)
    return gain
