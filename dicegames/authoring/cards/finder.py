"""The search for cards: decisions are met, lists of lines are searched, and cards are solved."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from attrs import define, evolve, field, frozen
from threadpoolctl import threadpool_limits

from dicegames.analysis.solution import SolutionError, solve_game
from dicegames.analysis.studies.compare import compare
from dicegames.analysis.studies.listed import Loss
from dicegames.authoring.cards.bench import Bench
from dicegames.authoring.cards.covering import Lines, LineSearch
from dicegames.authoring.cards.drafts import draft
from dicegames.authoring.cards.situations import Walked, situations
from dicegames.authoring.cards.word_reader import Said, Texts, WordReader
from dicegames.authoring.cards.words import ALWAYS, TITLE, line_text, strategy_text, with_lines
from dicegames.ground.diagnostic import RulesError
from dicegames.ground.limits import Limits
from dicegames.rules.check import check
from dicegames.rules.parts.broken import RuleBroken
from dicegames.rules.parts.game import Rules

SIZES = (1, 2, 4, 8, 16, 32)
GAMES_PLAYED = 300
"""Games of best play from which decisions come first, where not all are listed."""
ASTRAY = 0.1
"""How often a random move is made in these games."""
FADE = 0.5
"""How much what was met before counts when a card is played."""
ROUNDS = 3
"""Parts of a search: each begins with what the last card loses, and where."""
WEIGHED = 10
"""Lists that are weighed by what each decision loses, for each that is evaluated in all states."""
DRAFTS = 5
MANY_GAMES = 600
"""Games that each draft is fitted to, besides those of the drafts before."""
LONGEST_COMPARED = 60.0
"""Seconds for finding out in which decisions a card loses."""
TRIES = 500
"""Lists of lines that are evaluated, if nothing else is asked for."""


@frozen
class FoundCard:
    """A card: its lines as text, its exact value, and what it loses against best play."""

    lines: tuple[str, ...]
    value: float
    loss: float
    error_bound: float

    @property
    def text(self) -> str:
        """The card as a strategy of a rules file."""
        return strategy_text(TITLE, self.lines)


@define(eq=False)
class Finder:
    """Looks for cards until so many lists are evaluated, or the time is over."""

    rules: Rules
    objective: str
    bench: Bench
    seed: int
    limits: Limits
    tries: int = TRIES
    found: dict[int, FoundCard] = field(factory=dict)  # the best card by its number of lines
    tried: dict[tuple[str, ...], FoundCard | None] = field(factory=dict)
    said: dict[int, Said] = field(factory=dict)  # the lines of the cards in `found`
    before: int = 0  # lists of lines that were evaluated in earlier rounds
    current: LineSearch | None = None
    decisions: int = 0
    conditions: int = 0
    moves: int = 0
    is_listed: bool = False  # whether all states are

    @property
    def evaluated(self) -> int:
        """How many lists of lines were evaluated."""
        return self.before + (0 if self.current is None else self.current.evaluated)

    def search(self, lines: int) -> None:
        """Search with decisions of best play, then with those that the cards found meet."""
        chance = np.random.default_rng(self.seed)
        sizes = sorted({*(size for size in SIZES if size < lines), lines})
        played = situations(self.bench.solution, self.seed)
        words = WordReader(self.bench)
        self.is_listed = not isinstance(played, Walked)
        tries = self.tries / (ROUNDS if self.is_listed else ROUNDS + 1)
        said: Said = ()
        if isinstance(played, Walked):
            played.play(None, GAMES_PLAYED, ASTRAY)
            with threadpool_limits(1, "blas"):
                self._draft(played, sizes, tries)
            if self._over() and self.found:
                return
        for number in range(1, ROUNDS + 1):
            known = played.situations() if isinstance(played, Walked) else played
            if not known.decisions:
                message = "nothing is chosen in this game: there is nothing for a card to say"
                raise SolutionError(message)
            if self.is_listed:  # to games that were played sums would be fitted too closely
                words.learn(known)
            kept = [each for each in (said, *self.said.values()) if words.knows(each)]
            board, texts = words.board(known, kept)
            own = texts.lines(said)
            if own and self.is_listed:
                for each in board.open_at(own):
                    words.learn(each)
                board, texts = words.board(known, kept)
            self.decisions, self.conditions = len(known.decisions), len(texts.conditions)
            self.moves = len(texts.moves)
            tail = () if self.is_listed else board.cover()
            search = LineSearch(board, chance, self._over, tail)
            with threadpool_limits(1, "blas"):  # its threads would wait for each other
                lost = self._round(search, texts, sizes, tries, last=number == ROUNDS)
            if self._over():
                return
            said = texts.said(lost)
            if isinstance(played, Walked):
                played.fade(FADE)
                played.play(words.chooser(said), GAMES_PLAYED)

    def _draft(self, played: Walked, sizes: Sequence[int], tries: float) -> None:
        """Draft a card in many games, each draft in those of the one before, and go on from it.

        Lines pick as drafts do, or make moves that have a name: to tell what all other picks would
        be in as many decisions takes minutes.
        """
        words, many, known = WordReader(self.bench), played.anew(self.seed), played.situations()
        words.moves = {text: move for text, move in words.moves.items() if text[0] == '"'}
        said, tail = Said(), Said()
        for number in range(DRAFTS):
            if number:
                many.fade(FADE)
                many.play(words.chooser(said), MANY_GAMES)
                known = many.situations()
            lines, tail = draft(self.bench, known, words.numbers_in(known))
            said = words.readable((*lines, *tail))
            if not said or self._over():
                return
        self._try(said)
        fresh = played.anew(self.seed)
        fresh.play(words.chooser(said), MANY_GAMES)
        board, texts = words.board(fresh.situations(), [said, *self.said.values()])
        own, last = texts.lines(said) or (), texts.lines(words.readable(tail)) or ()
        search = LineSearch(board, np.random.default_rng(self.seed), self._over, last)
        search.draft = own[: len(own) - len(last)]
        self._round(search, texts, sizes, tries, last=True)

    def _round(
        self, search: LineSearch, texts: Texts, sizes: Sequence[int], tries: float, *, last: bool
    ) -> Lines:
        """Look for a card of each size, and solve the best; return the longest."""
        current: Lines = ()
        found = search.tail
        self.before, self.current = self.evaluated, search
        for size in sizes:
            if size < len(search.tail):
                continue
            begun = self._seeds(size, texts, search.tail)
            begun += [search.shortened(size)] if search.draft else []
            starts = [current, *begun] if current or found else [search.board.cover(), *begun]
            share = size**2 / sum(each**2 for each in sizes)
            search.allowed = search.evaluated + share * tries
            first = min(starts, key=search.lost)
            if self.is_listed:
                first = self._weighed(search, first, size, share * tries * WEIGHED)
            _, current = search.found(first, size)
            current = search.simplified(current)
            found = (*current, *search.tail)
            if not self.is_listed and not last and size < sizes[-1]:
                continue  # solving a card of a large game takes long
            if self._try(texts.said(found)) is None and not search.tail:
                self._try(texts.said((*found, *search.board.cover())))
            if self._over() and self.found:
                break
        return found

    def _weighed(self, search: LineSearch, first: Lines, size: int, tries: float) -> Lines:
        """Return the best list of those found where what a decision loses is taken as settled."""
        best = now = first
        for _ in range(ROUNDS):
            weighed = LineSearch(search.board.steady(now), search.chance, self._over)
            weighed.allowed = tries / ROUNDS
            _, now = weighed.found(now, size)
            best = min(best, now, key=search.lost)
        return best

    def _seeds(self, size: int, texts: Texts, tail: Lines) -> list[Lines]:
        """Return the best cards so far of at most some size, as the numbers of a board.

        Without the last lines, where they are those of all lists.
        """
        read = [texts.lines(said) for number, said in self.said.items() if number <= size]
        seeds = [lines for lines in read if lines is not None]
        own = [lines[: len(lines) - len(tail)] for lines in seeds if lines[-len(tail) :] == tail]
        return own if tail else seeds

    def front(self, lines: int) -> tuple[FoundCard, ...]:
        """Return the cards that are better than all shorter ones."""
        found: list[FoundCard] = []
        for size in sorted(self.found):
            entry = self.found[size]
            if size <= lines and (not found or entry.loss < found[-1].loss - 1e-12):
                found.append(entry)
        return tuple(found)

    def losses(self, entry: FoundCard) -> tuple[Loss, ...]:
        """Return where a card loses, nothing where there are too many states, or no time."""
        if not self.is_listed:
            return ()
        game, left = self._game(entry.lines), self.limits.left
        time = LONGEST_COMPARED if left is None else min(LONGEST_COMPARED, left)
        try:
            found = compare(game, self.objective, [TITLE], threads=self.limits.threads, time=time)
        except SolutionError:
            return ()
        return found.rows[0].losses or ()

    def _over(self) -> bool:
        if self.limits.progress is not None:
            self.limits.progress(min(self.evaluated, self.tries), self.tries)
        return self.limits.left == 0

    # ---- exact values

    def _try(self, said: Said) -> FoundCard | None:
        """Solve a card, and keep it if it is the best of its length."""
        if not said:
            return None
        written = tuple(
            line_text(
                " and ".join(conditions), move, last=n == len(said) and conditions == (ALWAYS,)
            )
            for n, (conditions, move) in enumerate(said, 1)
        )
        if written not in self.tried:
            self.tried[written] = self._solved(written)
        entry = self.tried[written]
        if entry is not None:
            best = self.found.get(len(written))
            if best is None or entry.loss < best.loss:
                self.found[len(written)], self.said[len(written)] = entry, said
        return entry

    def _game(self, written: tuple[str, ...]) -> Rules:
        source = with_lines(self.rules.source, {TITLE: written})
        return check(source, self.rules.option_values(), thorough=False)

    def _solved(self, written: tuple[str, ...]) -> FoundCard | None:
        """Return the exact value of a card, None if it does not play in every position."""
        try:
            quiet = evolve(self.limits, progress=None)
            own = solve_game(self._game(written), self.objective, TITLE, limits=quiet)
        except (RulesError, SolutionError, RuleBroken):
            return None
        value, best = own.value_for(), self.bench.best
        loss = best - value if own.maximise else value - best
        return FoundCard(written, value, loss, own.error_bound + self.bench.solution.error_bound)
