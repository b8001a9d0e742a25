"""Games as Python users meet them: load a rules file, start a game, read a position, solve."""

from __future__ import annotations

from collections.abc import Mapping
from concurrent.futures import Executor
from contextlib import suppress
from functools import partial
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any

from attrs import frozen

from dicegames.ground.arguments import OnProgress, expect
from dicegames.ground.diagnostic import did_you_mean
from dicegames.ground.limits import Limits
from dicegames.ground.reading import TRANSCRIPT_BEGINS, NoSuchFile, UnreadableFile, read_file
from dicegames.ground.source import Source, decode
from dicegames.library import file_of
from dicegames.rules.check import check
from dicegames.rules.parts.game import Rules, rules_of
from dicegames.rules.running import referee
from dicegames.rules.running.notation import parse_position
from dicegames.rules.running.objectives import objective_of
from dicegames.rules.running.referee import Position
from dicegames.solver.kernels import compilers

if TYPE_CHECKING:
    from dicegames.analysis.solution import Playing, Solution

LARGEST_RULES = 8_000_000
RULES = "a rules file"


@frozen(repr=False)
class Game:
    """A game whose rules are in order, with its house rules set."""

    rules: Rules

    @property
    def title(self) -> str:
        """The name of the game."""
        return self.rules.title

    @property
    def file(self) -> str:
        """The rules file."""
        return self.rules.source.name

    @property
    def players(self) -> int:
        """The number of players."""
        return self.rules.players

    @property
    def options(self) -> dict[str, Any]:
        """The house rules as they are set."""
        return self.rules.option_values()

    def start(self) -> Position:
        """Return the position at the start of a game."""
        return referee.start(self.rules)

    def position(self, text: str) -> Position:
        """Return the position that a line of text describes; raises PositionError."""
        expect(text, str, "a position as a line of text")
        return parse_position(self.rules, text)

    def __str__(self) -> str:
        return self.title

    def __repr__(self) -> str:
        settings = "".join(f", {name}={value!r}" for name, value in self.options.items())
        return f"<Game {self.title!r}{settings}>"


def read_source(path: str | PathLike[str]) -> Source:
    """Return the text of a rules file; raises UnreadableFile.

    Bytes that are no UTF-8 become replacement characters, which the rules then complain about.
    """
    try:
        content = read_file(path, LARGEST_RULES, RULES)
    except NoSuchFile as error:
        raise UnreadableFile(f"{error}{_meant(Path(path))}") from None
    source = decode(str(path), content)
    if source.text.startswith(TRANSCRIPT_BEGINS):
        raise UnreadableFile(f"{path} is the transcript of a game: dicegames analyse looks at it")
    return source


def _meant(path: Path) -> str:
    """Return a question for the rules file beside a missing one that has nearly its name."""
    with suppress(OSError):
        beside = [str(other) for other in sorted(path.parent.glob("*.dg"))]
        if hint := did_you_mean(str(path), beside, cutoff=0.8):
            return f"; {hint}"
    return ""


def load(path: str | PathLike[str], **options: Any) -> Game:
    """Return a game by its name or its rules file, with house rules set: `misere=True`.

    A file wins over a name; `dicegames.games()` lists the names. Raises UnreadableFile, RulesError
    with all mistakes in the rules, OptionError, ConfigurationError.
    """
    expect(path, (str, PathLike), "the name of a game or of a rules file")
    return Game(check(read_source(file_of(path)), options))


def solve(
    game: Game,
    objective: str = "payoff",
    *,
    strategy: Playing = None,
    grid: Mapping[str, int] | None = None,
    noted: bool = False,
    threads: int | None = None,
    memory: int | None = None,
    time: float | None = None,
    progress: OnProgress | None = None,
    store: str | PathLike[str] | None = None,
    value_only: bool = False,
    executor: Executor | None = None,
) -> Solution:
    """Solve a game exactly; raises SolutionError where that is not possible.

    Raises StrategyError for a strategy that is not there, or plays a move that is not legal, and
    RulesError for a strategy of the rules file that says nothing in some position. All that may be
    asked for is a parameter, since people type it; inside, it goes on as `Limits`, `ValueFolder`.

    Args:
        game: what `load` returns.
        objective: "payoff", "turn" (points of one turn), "turns" (as few as possible), "reach:300"
            (probability of 300 points), "average" (points of a turn in the long run); with
            "maximised" or "minimised" after it where that is not what is usual.
        strategy: what plays instead of the best move: the name of a strategy of the rules file,
            or a function from a position to one of its moves; for all seats, or by seat:
            `{1: "Careful"}`. "best" is the best move. A function is asked in every position that
            can come up, all of which are listed.
        grid: the step for each variable that is put on a grid, `{"total": 500}`; the solution is
            then an approximation. With `{}` a game that needs a grid is put on the finest one for
            which there is room.
        noted: whether to tell apart what the rules note, for `Solution.outcomes`.
        threads: how many to use; all cores if not given.
        memory: the most bytes that the tables may take.
        time: the most seconds that compiling and solving may take.
        progress: called with (done, total) now and then.
        store: a folder in which the values are kept in place of memory, on a grid beside it; what
            is in it already is not computed again.
        value_only: remove from it what is no longer needed for the value; not with a grid.
        executor: what solves in place of threads, as `concurrent.futures` has it.
    """
    compilers.make_ready()
    from dicegames.analysis.saved.folder import ValueFolder  # noqa: PLC0415 - numba loads slowly
    from dicegames.analysis.solution import SolutionError, solve_game  # noqa: PLC0415

    limits = Limits(time, memory, threads, progress)
    rules = rules_of(game)
    if objective_of(objective).compares(rules):
        from dicegames.analysis.to_win.winning import solve_win  # noqa: PLC0415 - as above

        plain = strategy is None and not grid and not noted and store is None
        return solve_win(rules, objective, partial(solve_game, limits=limits), limits, plain=plain)
    if store is None and executor is not None:
        raise SolutionError("an executor needs a folder of values")
    kept_in = None if store is None else ValueFolder(store, value_only, executor)
    return solve_game(
        rules, objective, strategy, grid=grid, noted=noted, limits=limits, kept_in=kept_in
    )
