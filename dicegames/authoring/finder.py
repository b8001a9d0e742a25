"""The search for cards: decisions are met, lists of lines are searched, and cards are solved."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from random import Random
from time import monotonic

import numpy as np
from attrs import define, field, frozen

from dicegames.analysis.solution import SolutionError, solve_game
from dicegames.analysis.studies.compare import Loss, compare
from dicegames.authoring.bench import Bench, first_legal, has_letters
from dicegames.authoring.covering import Board, Lines, Search
from dicegames.authoring.decisions import Decision, Met
from dicegames.authoring.words import (
    ALWAYS,
    line_text,
    thresholds,
    with_lines,
)
from dicegames.compiler.limits import LimitReached, Limits
from dicegames.ground.diagnostic import RulesError
from dicegames.rules.check import check
from dicegames.rules.parts.broken import RuleBroken
from dicegames.rules.parts.flow import Expression
from dicegames.rules.parts.game import Game
from dicegames.solver.model import Array

Progress = Callable[[float, float], None]
Pairs = tuple[tuple[str, str], ...]
"""Lines as text: conditions and moves."""
Named = list[tuple[str, Array]]
"""Conditions and the decisions in which they hold."""
Texts = tuple[tuple[str, ...], tuple[str, ...]]
"""All conditions and all moves of a board."""
TITLE = "Card"
SIZES = (1, 2, 4, 8, 16, 32)
MOST_DECISIONS = 2_000
GAMES = 400
ASTRAY = 0.1
"""How often a random move is made in the games from which decisions come first."""
MOST_CONDITIONS = 2_000
QUICK = 0.02
"""The share of the time that solving one card may take where many are solved."""
ROUNDS = 3
"""In how many parts the time is cut; each begins with the decisions of the last card."""


@frozen
class Entry:
    """A card: its lines as text, its exact value, and what it loses against best play."""

    lines: tuple[str, ...]
    value: float
    loss: float
    error: float

    @property
    def text(self) -> str:
        """The card as a strategy of a rules file."""
        return "\n".join([f'strategy "{TITLE}"', *(f"    {line}" for line in self.lines), ""])


@define(eq=False)
class Finder:
    """Looks for cards until the time is over."""

    rules: Game
    objective: str
    bench: Bench
    seed: int
    until: float
    threads: int | None
    seconds: float = 60.0
    report: Progress = lambda done, total: None
    met: Met = field(init=False)
    found: dict[int, Entry] = field(factory=dict)  # the best card by its number of lines
    tried: dict[tuple[str, ...], Entry | None] = field(factory=dict)
    conditions: list[str] = field(factory=list)
    parts: dict[str, tuple[str, str]] = field(factory=dict)  # of conditions with two parts
    pairs: dict[int, Pairs] = field(factory=dict)  # conditions and moves of the cards in `found`

    dearest: float = 0.0  # seconds that solving a card took at most
    plays: list[list[int]] = field(factory=list)  # by decision: the move of each line, or -1
    broken: set[str] = field(factory=set)  # moves that cannot be asked for in all decisions
    columns: dict[str, Array | None] = field(factory=dict)  # what words come to, by decision

    def __attrs_post_init__(self) -> None:
        self.met = Met(self.bench.solution, Random(self.seed))  # noqa: S311 - repeatable

    def search(self, lines: int) -> None:
        """Search with decisions of best play, then with those that the cards found meet."""
        generator = np.random.default_rng(self.seed)
        sizes = sorted({*(size for size in SIZES if size < lines), lines})
        begins = monotonic()
        share = begins + 0.25 * max(0.0, self.until - begins)
        self.met.play(self._by_best, 50 * GAMES, MOST_DECISIONS, share)
        if not self.met.decisions:
            raise SolutionError(
                "nothing is chosen in this game: there is nothing for a card to say"
            )
        while True:
            board, texts = self._board()
            search = Search(board, generator)
            current: Lines = ()
            for size in sizes:
                if self._over() and self.found:
                    return
                starts = [current, *self._seeds(size, texts)]
                until = monotonic() + 0.6 * self.seconds / (ROUNDS * len(sizes))
                current = search.found(min(starts, key=board.lost), size, until=until)
                if self._try(current, texts) is None:  # silent where no game has come
                    self._try((*current, *board.cover()), texts)
                self._nearby(search, current, texts)
            if self._over():
                return
            self._meet(_texts_of(current, texts))

    def _seeds(self, size: int, texts: Texts) -> list[Lines]:
        """Return the best cards so far of at most some size, as the numbers of a board."""
        conditions, moves = ({text: n for n, text in enumerate(part)} for part in texts)
        return [
            tuple((conditions[condition], moves[move]) for condition, move in pairs)
            for number, pairs in self.pairs.items()
            if number <= size and all(condition in conditions for condition, _ in pairs)
        ]

    def front(self, lines: int) -> tuple[Entry, ...]:
        """Return the cards that are better than all shorter ones."""
        found: list[Entry] = []
        for size in sorted(self.found):
            entry = self.found[size]
            if size <= lines and (not found or entry.loss < found[-1].loss - 1e-12):
                found.append(entry)
        return tuple(found)

    def losses(self, entry: Entry, limits: Limits) -> tuple[Loss, ...]:
        """Return where a card loses, nothing where there are too many states, or no time."""
        game = self._game(entry.lines)
        try:
            found = compare(game, self.objective, [TITLE], threads=self.threads, limits=limits)
        except (SolutionError, LimitReached):
            return ()
        return found.rows[0].losses

    # ---- which decisions

    def _over(self) -> bool:
        left = self.until - monotonic()
        self.report(max(0.0, self.seconds - left), self.seconds)
        return left <= 0

    def _by_best(self, decision: Decision) -> int:
        if self.met.chance.random() < ASTRAY:
            return self.met.chance.randrange(len(decision.legal))
        return int(np.argmin(decision.losses))

    def _meet(self, pairs: Pairs) -> None:
        """Meet the decisions of a card; what was met before counts less."""
        self.met.times = [0.25 * times for times in self.met.times]
        asked = [(self._truth(condition), move) for condition, move in pairs]

        def choose(decision: Decision) -> int:
            for holds, line in asked:
                number = self._played(line, decision) if holds(decision) else -1
                if number >= 0:
                    return number
            return -1

        room = len(self.met.decisions) + MOST_DECISIONS // 2
        self.met.play(choose, 5 * GAMES, room, monotonic() + 0.15 * self.seconds)

    def _truth(self, text: str) -> Callable[[Decision], bool]:
        parts = [self._atom(part) for part in self.parts.get(text, (text,))]
        return lambda decision: all(part(decision) for part in parts)

    def _atom(self, text: str) -> Callable[[Decision], bool]:
        if text == ALWAYS:
            return lambda decision: True
        if text in self.bench.truths:
            run = self.bench.truths[text].run
            return lambda decision: bool(run(decision.env))
        name, sign, number = text.rsplit(" ", 2)
        value = self.bench.numbers[name].run
        if sign == ">=":
            return lambda decision: bool(value(decision.env) >= int(number))
        return lambda decision: bool(value(decision.env) < int(number))

    # ---- the board

    def _board(self) -> tuple[Board, Texts]:
        decisions = self.met.decisions
        texts, rows = self._conditions(decisions)
        for decision in decisions[len(self.plays) :]:
            self.plays.append([self._played(move, decision) for move in self.bench.moves])
        chosen = np.array(self.plays, np.int64).T
        for number, move in enumerate(self.bench.moves):
            if move in self.broken:
                chosen[number] = -1
        legal = (chosen >= 0).astype(np.float32)
        widest = max(len(decision.losses) for decision in decisions)
        losses = np.array([np.resize(d.losses, widest) for d in decisions])
        loss = np.take_along_axis(losses, np.maximum(chosen, 0).T, 1).T.astype(np.float32)
        moves = tuple(self.bench.moves)
        lettered = np.array([has_letters(text) for text in texts])
        shaped = np.array([has_letters(text) for text in moves])
        weight = self.met.weights() + 1e-9
        self.conditions = texts
        board = Board(
            rows, legal, loss, ~(lettered[:, None] & shaped[None, :]), weight / weight.sum()
        )
        return board, (tuple(texts), moves)

    def _played(self, move: str, decision: Decision) -> int:
        """Return which move is played, -1 for none; what cannot be asked everywhere is no move."""
        if move in self.broken:
            return -1
        try:
            return first_legal(self.bench.moves[move], decision)
        except RuleBroken:
            self.broken.add(move)
            return -1

    def _conditions(self, decisions: Sequence[Decision]) -> tuple[list[str], Array]:
        """Return conditions that tell these decisions apart, simple ones first, and their rows."""
        found: dict[bytes, tuple[str, Array]] = {}

        def add(text: str, row: Array) -> None:
            key = np.packbits(row).tobytes()
            if key not in found and (text == ALWAYS or row.any()):
                found[key] = (text, row)

        add(ALWAYS, np.ones(len(decisions), np.bool_))
        own = dict.fromkeys(text for pairs in self.pairs.values() for text, _ in pairs)
        for text in own:
            holds = self._truth(text)
            add(text, np.array([holds(d) for d in decisions]))
        used = list(found.values())[1:]
        for text, truth in self.bench.truths.items():
            row = self._column(text, truth)
            if row is not None:
                add(text, row.astype(np.bool_))
        for text, number in self.bench.numbers.items():
            values = self._column(text, number)
            for limit in [] if values is None else thresholds(values.tolist()):
                assert values is not None
                add(f"{text} >= {limit}", values >= limit)
                add(f"{text} < {limit}", values < limit)
        single = [pair for pair in list(found.values())[1:] if pair[0] not in self.parts]
        for text, row in self._joined(used, single):
            add(text, row)
        kept = list(found.values())[:MOST_CONDITIONS]
        return [text for text, _ in kept], np.array([row for _, row in kept], np.float32)

    def _column(self, text: str, expression: Expression) -> Array | None:
        """Return what an expression comes to in decisions, None if it cannot be asked in all."""
        known = self.columns.get(text, np.zeros(0, np.int64))
        if known is not None:
            new = self.met.decisions[len(known) :]
            try:
                more = np.array([expression.run(d.env) for d in new], np.int64)
            except RuleBroken:
                known = None
            else:
                known = np.concatenate([known, more])
        self.columns[text] = known
        return known

    def _joined(self, used: Named, single: Named) -> Named:
        """Return conditions of two parts: those in use made narrower, and others by chance."""
        chance = self.met.chance
        refined = [(one, two) for one in used if one[0] not in self.parts for two in single]
        chance.shuffle(refined)
        refined = refined[: MOST_CONDITIONS // 2]
        for _ in range(MOST_CONDITIONS if len(single) > 1 else 0):
            one, two = chance.sample(single, 2)
            refined.append((one, two))
        found = []
        for (first, a), (second, b) in refined:
            if (a & b).any():
                text = f"{first} and {second}"
                self.parts[text] = (first, second)
                found.append((text, a & b))
        return found

    # ---- exact values

    def _try(self, lines: Lines, texts: Texts) -> Entry | None:
        """Solve a card, and keep it if it is the best of its length."""
        if not lines:
            return None
        pairs = _texts_of(lines, texts)
        written = tuple(
            line_text(condition, move, last=pair == len(pairs) and condition == ALWAYS)
            for pair, (condition, move) in enumerate(pairs, 1)
        )
        if written not in self.tried:
            began = monotonic()
            self.tried[written] = self._solved(written)
            self.dearest = max(self.dearest, monotonic() - began)
        entry = self.tried[written]
        if entry is not None:
            best = self.found.get(len(written))
            if best is None or entry.loss < best.loss:
                self.found[len(written)], self.pairs[len(written)] = entry, pairs
        return entry

    def _game(self, written: tuple[str, ...]) -> Game:
        source = with_lines(self.rules.source, {TITLE: written})
        return check(source, self.rules.option_values(), thorough=False)

    def _solved(self, written: tuple[str, ...]) -> Entry | None:
        """Return the exact value of a card, None if it does not play in every position."""
        try:
            own = solve_game(self._game(written), self.objective, TITLE, threads=self.threads)
        except (RulesError, SolutionError):
            return None
        value = own.value[0] if isinstance(own.value, tuple) else own.value
        best = self.bench.best
        loss = best - value if own.maximise else value - best
        return Entry(written, value, loss, own.error_bound + self.bench.solution.error_bound)

    def _nearby(self, search: Search, lines: Lines, texts: Texts) -> None:
        """Solve cards that differ in a line and lose little by the decisions met.

        Where solving takes long, the time is better spent on the search.
        """
        if self.dearest > QUICK * self.seconds:
            return
        for place in range(len(lines)):
            less = (*lines[:place], *lines[place + 1 :])
            for _, other in search.board.best_insertions(less, 2)[:3]:
                if self._over():
                    return
                self._try(other, texts)


def _texts_of(lines: Lines, texts: Texts) -> Pairs:
    return tuple((texts[0][condition], texts[1][move]) for condition, move in lines)
