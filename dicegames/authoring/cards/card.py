"""The best strategy found that fits on a card: few lines in the words of the rules.

1. `words`: conditions and moves are proposed from the rules, and read by their checker (`bench`).
2. `situations`: the states are listed, or games are played, first by best play with some random
   moves, then by the cards found; every decision has the exact loss of each move. By the
   performance difference lemma (Kakade and Langford, 2002) what a card loses is the sum over the
   decisions it meets.
3. `covering`: ordered lists of lines are searched that lose little in these decisions
   (`word_reader`); where the states are too many, from cards that are fitted to many games as well
   (`drafts`).
4. The best list of each length is compiled as a strategy of the rules and solved: what is reported
   is its exact value.

The decisions guide the search and prove nothing. That no card is better is not proven.
"""

from __future__ import annotations

from time import perf_counter

from attrs import evolve, field, frozen

from dicegames.analysis.solution import SolutionError
from dicegames.analysis.studies.listed import Loss
from dicegames.authoring.cards.bench import Bench
from dicegames.authoring.cards.finder import TRIES, Finder, FoundCard
from dicegames.authoring.cards.words import propose
from dicegames.ground.arguments import OnProgress, expect_whole
from dicegames.ground.limits import Limits
from dicegames.ground.table import Table, Tabled
from dicegames.rules.parts.game import HasRules, Rules, rules_of
from dicegames.solver.status import SolveError

NO_CARD = (
    "no card of {} lines was found that plays in every position; "
    "allow more lines (--lines) or more tries (--tries)"
)


@frozen
class Card(Tabled):
    """The best cards that were found, by ascending number of lines: each better than the last.

    best: what best play is worth. evaluated: how many lists of lines were evaluated in the
    decisions, solved: how many were solved as a strategy. decisions, conditions, moves: how many
    the search had. stopped: whether it was interrupted. losses: where
    the best card loses, by the kind of decision; nothing where there are too many states.
    """

    title: str
    objective: str
    maximise: bool
    best: float
    front: tuple[FoundCard, ...] = field(repr=False)
    seed: int
    seconds: float
    evaluated: int
    solved: int
    decisions: int
    conditions: int
    moves: int
    stopped: bool
    losses: tuple[Loss, ...] = field(default=(), repr=False)

    @property
    def card(self) -> FoundCard:
        """The best card of all."""
        return self.front[-1]

    @property
    def table(self) -> Table:
        """The front: how much a card of so many lines is worth, and what it loses."""
        rows = tuple((len(e.lines), e.value, e.loss) for e in self.front)
        return Table(f"{self.title}: cards", ("lines", "value", "loss"), rows)


def card(
    game: Rules | HasRules,
    lines: int = 8,
    objective: str = "payoff",
    *,
    tries: int = TRIES,
    seconds: float | None = None,
    seed: int = 1,
    threads: int | None = None,
    memory: int | None = None,
    progress: OnProgress | None = None,
) -> Card:
    """Return the best cards of at most so many lines that are found with so many tries.

    Raises SolutionError where several players look at each other, where the game cannot be solved,
    where best play may go round for ever, and where no card was found that plays in every position.
    Ctrl-C ends the search: what was found is returned, else KeyboardInterrupt raised. All that may
    be asked for is a parameter, since people type it.

    Args:
        game: what `load` returns.
        lines: the most lines of a card.
        objective: as for `solve`.
        tries: how many lists of lines are evaluated, after which the search ends; the same seed
            and number find the same cards on every machine.
        seconds: end earlier, with what was found in so long; None: do not look at the clock. A
            game that will not be solved by then is refused.
        seed: of the games that guide the search, and of the search.
        threads: how many to use for solving.
        memory: the most bytes that the tables of a solution may take.
        progress: called with (tries made, all tries) now and then.
    """
    expect_whole(lines, "the number of lines", 1)
    expect_whole(seed, "the seed", 0)
    expect_whole(tries, "the number of tries", 1)
    limits = Limits(seconds, memory, threads, progress)
    rules = rules_of(game)
    words = propose(rules)
    if not words.moves:
        raise SolutionError("the rules name no move that a card could play")
    bench = Bench.of(rules, words, objective, evolve(limits, progress=None))
    finder = Finder(bench.rules, objective, bench, seed, limits, tries)
    stopped = False
    try:
        finder.search(lines)
    except SolveError as error:
        raise SolutionError(str(error)) from None
    except KeyboardInterrupt:
        if not finder.found:
            raise
        stopped = True
    front = finder.front(lines)
    if not front:
        raise SolutionError(NO_CARD.format(lines))
    return Card(
        rules.title, objective, bench.solution.maximise, bench.best, front, seed,
        perf_counter() - limits.began, finder.evaluated, len(finder.tried), finder.decisions,
        finder.conditions, finder.moves, stopped,
        () if stopped or limits.left == 0 else finder.losses(front[-1]),
    )  # fmt: skip
