"""Solving a game on a grid: with given steps, or the finest for which there is room.

And what else can be done with a game of several players that is too large (`nearest`). What is told
has been tried: all but the solving itself, whether the model is found, and whether it fits.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import AbstractContextManager, nullcontext
from time import perf_counter

from attrs import define, evolve, field

from dicegames.analysis.chances.prospects import SolutionError
from dicegames.analysis.solving.outlook import outlook, refusal, with_program
from dicegames.compiler.compile import compile_game
from dicegames.compiler.compiled import Compiled
from dicegames.compiler.effort import Effort
from dicegames.compiler.form import GridForm, many_of
from dicegames.compiler.make_grid import grid_of, jumps_of
from dicegames.ground.collector import collector_at_rest
from dicegames.ground.limits import PROGRAM_BYTES, LimitReached, Limits
from dicegames.rules.check import check
from dicegames.rules.parts.broken import RuleBroken
from dicegames.rules.parts.game import Rules
from dicegames.rules.parts.types import Value
from dicegames.rules.reading.house_rules import OptionError
from dicegames.rules.running.objectives import ObjectiveError
from dicegames.rules.running.playing import Seats
from dicegames.solver.explicit.explicit import BYTES_PER_STATE
from dicegames.solver.grid.end_values import seats_of
from dicegames.solver.grid.grid import table_bytes
from dicegames.solver.grid.kept import NOT_KEPT, GridKeeping
from dicegames.solver.grid.last_level import levels_for
from dicegames.solver.grid.points import GridPoints
from dicegames.solver.grid.turn_model import MergedTurn, inner_axis, plan
from dicegames.solver.grid.values import GridValues
from dicegames.solver.kernels.workers import Workers
from dicegames.solver.methods.method import Asked, Cost
from dicegames.solver.methods.on_grid import OnGrid
from dicegames.solver.model import Grid
from dicegames.solver.solved import Solved
from dicegames.solver.status import SolveError, Status

Steps = Mapping[str, int]

BEYOND = 1e-2
"""The greatest chance that a turn of the tables comes to its last level, whatever is played."""
FARTHEST = 1e-6
"""The same where a turn is played out by itself, and on a small grid that leaves nothing out."""
MOST_WHOLE = 1 << 19
"""How many points such a grid has at most."""
IN_MATCHES = 1e-4
"""The same in matches; points beyond are counted, moves are chosen as on the last level."""
SECONDS = 120.0
"""How long to go on to finer grids, where no limit is given."""
BYTES = 4_000_000_000
"""Memory of the program with its tables, where no limit is given."""
COARSE = 10
"""How many steps the widest grid has up to the last jump of the payoff."""
GROWTH = 8.0
"""How much longer half the step takes, for three players at most; more for more of them."""


Keep = Callable[[Compiled], AbstractContextManager[GridKeeping]]
"""Makes a folder ready in which what is done is kept, and leaves it."""


def solve_gridded(
    game: Rules, seats: Seats, steps: Steps, limits: Limits, keep: Keep | None = None
) -> tuple[Compiled, Solved, Steps]:
    """Solve as `gridded` does; whatever does not fit is told by SolutionError."""
    try:
        return gridded(game, seats, steps, limits, keep=keep)
    except LimitReached as reached:
        raise SolutionError(str(reached)) from None
    except SolveError as error:
        without = "; without a grid there may be a way" * (error.status is Status.UNSUPPORTED)
        raise SolutionError(f"{error}{without if steps else ''}") from None


def gridded(
    game: Rules,
    seats: Seats,
    steps: Steps,
    limits: Limits,
    accept: Callable[[Compiled], None] | None = None,
    keep: Keep | None = None,
) -> tuple[Compiled, Solved, Steps]:
    """Solve the payoff of a game on a grid; without steps, on the finest for which there is room.

    Returns the steps that were taken as well. `accept` is shown what is to be solved, and may
    raise. With `keep` what is done stays, and is not done again. Raises ObjectiveError and
    RuleBroken for games that cannot be compiled, SolveError and SolutionError for a game or a grid
    that does not fit, LimitReached.
    """
    compiled = compile_game(game, seats=seats, form=GridForm(names=frozenset(steps)), limits=limits)
    if compiled.aims is not None:
        message = "a strategy that plays for the points of a turn cannot be solved on a grid; "
        raise SolutionError(message + "dicegames simulate plays games with it")
    if accept is not None:
        accept(compiled)
    time = limits.left
    grids = _Grids(compiled, dict(steps), limits.memory or BYTES, time)
    each = grids.each()
    keeping = nullcontext(NOT_KEPT) if keep is None else keep(compiled)
    with keeping as kept, collector_at_rest(), Workers(limits.threads, time) as workers:
        solved = kept.found(compiled.model, grids.grid)
        if solved is None:
            solved = grids.method(each, kept).solve(Asked(workers, progress=limits.progress))
    return compiled, solved, grids.taken


def grid_of_steps(compiled: Compiled, steps: Steps) -> Grid:
    """Return the grid on which a game was solved with these steps; raises SolveError."""
    return _Grids(compiled, taken=dict(steps)).grid()


def closed_at(solved: Solved) -> tuple[str, int, float] | None:
    """Return the counter that grows inside a turn and its last value in the tables, if any.

    More counts as much; last the greatest chance that a turn comes to it, whatever is played.
    """
    values = solved.evaluator
    if not isinstance(values, GridValues) or (inner := inner_axis(solved.model)) < 0:
        return None
    axis, grid = solved.model.axes[inner], values.table.grid
    chance = FARTHEST if grid.levels == grid.farthest else BEYOND
    return axis.name, axis.offset + axis.step * (grid.levels - 1), chance


def on_grid(compiled: Compiled, threads: int | None = None) -> Cost:
    """Return what solving on the widest grid will take; a finer one is taken if there is time."""
    grids = _Grids(compiled)
    grids.taken = grids.widest()
    with Workers(threads) as workers:
        return with_program(grids.method([grids.grid()]).cost(Asked(workers)))


@define
class _Grids:
    """Grids of ever smaller steps, as long as there is room; `memory` is that of the program."""

    compiled: Compiled
    steps: dict[str, int] = field(factory=dict)
    memory: int | None = None
    time: float | None = None
    taken: dict[str, int] = field(factory=dict)
    turn: MergedTurn = field(init=False)
    levels: int = field(init=False)
    farthest: int = field(init=False)

    def __attrs_post_init__(self) -> None:
        self.turn = plan(self.compiled.model)
        self.levels = levels_for(self.turn, BEYOND)
        self.farthest = levels_for(self.turn, FARTHEST)

    def method(self, grids: Iterable[Grid], keeping: GridKeeping = NOT_KEPT) -> OnGrid:
        """Return how the model is solved on some of these grids."""
        steps = " and ".join(f"{name} at every {step:,}" for name, step in self.taken.items())
        steps = steps or "all its values"
        why = f"a turn is played out as a whole, what lasts is kept with {steps}"
        memory = float("inf") if self.memory is None else self.memory
        patience = self.time or SECONDS
        return OnGrid(self.compiled.model, self.turn, grids, why, memory, patience, keeping)

    def each(self) -> Iterable[Grid]:
        """Return them, the widest first: those of given steps, or as long as there is room.

        Raises SolveError where one that is needed takes too much.
        """
        units = self._units
        if not units:
            return (self.grid(),)  # all values are kept
        if not self.steps:
            return self._ever_finer(units)
        if missing := sorted(set(units) - set(self.steps)):
            told = f'"{missing[0]}" has no limit: it needs a step as well'
            raise SolveError(Status.UNSUPPORTED, told)
        return self._two(self.steps)

    def _two(self, steps: dict[str, int]) -> tuple[Grid, Grid]:
        """Return the grid of some steps after that of twice these."""
        self.taken = {name: 2 * step for name, step in steps.items()}
        wide, self.taken = self.grid(), dict(steps)
        return wide, self.grid()

    def _ever_finer(self, units: dict[str, int]) -> Iterator[Grid]:
        wide, grid = self._two(self.widest())
        yield wide
        began = perf_counter()
        yield grid
        yield from self._finer(units, began)

    def _finer(self, units: dict[str, int], began: float) -> Iterator[Grid]:
        limit = self.time or SECONDS
        while all(step % (2 * units[name]) == 0 for name, step in self.taken.items()):
            if (perf_counter() - began) * (1 + GROWTH) > limit:
                return
            before = self.taken
            self.taken = {name: step // 2 for name, step in before.items()}
            try:
                grid = self.grid()
            except SolveError:
                self.taken = before
                return
            yield grid

    def grid(self) -> Grid:
        """Return the grid of the present steps; SolveError if it cannot fit the memory.

        A grid that nobody asked for has to fit even if all points come up.
        """
        grid = grid_of(self.compiled, self.taken, self.levels, self.farthest)
        if self.taken == self._units:  # no value is left out; nor the rest of a turn, if it fits
            whole = grid_of(self.compiled, self.taken, self.farthest)
            grid = whole if self._points(whole) <= MOST_WHOLE else grid
        count = self._points(grid)
        rows, least = (0, "at least") if self.steps else (count, "up to")
        needed = PROGRAM_BYTES + table_bytes(count, rows, seats_of(self.compiled.model))
        if self.memory is not None and needed > self.memory:
            told = f"a grid of {count:,} points takes {least} {needed / 1e6:,.0f} MB, allowed are "
            raise SolveError(Status.TOO_MUCH_MEMORY, f"{told}{self.memory / 1e6:,.0f} MB")
        return grid

    def _points(self, grid: Grid) -> int:
        model = self.compiled.model
        return GridPoints(model, grid).count * int(model.stored.sum())

    def widest(self) -> dict[str, int]:
        """Return the widest steps to be taken."""
        return {self._name(s): self._widest(axis, s) for axis, s in many_of(self.compiled).items()}

    def _widest(self, axis: int, slot: int) -> int:
        """Return a round step, some of which make up the way to the last jump."""
        unit = self.compiled.model.axes[axis].step
        last = max(jumps_of(self.compiled, slot), default=unit * self.levels)
        rounds: list[int] = [digit * 10**power for power in range(12) for digit in (1, 2, 5)]
        fit = (step for step in rounds if step % unit == 0 and step * COARSE >= last)
        return next(fit, rounds[-1])

    @property
    def _units(self) -> dict[str, int]:
        """What the values of each variable on the grid are multiples of: the least steps."""
        axes = self.compiled.model.axes
        return {self._name(s): axes[axis].step for axis, s in many_of(self.compiled).items()}

    def _name(self, slot: int) -> str:
        return self.compiled.game.names.slots[slot].name


SEARCH = 2.5
"""Seconds for finding out what fits in place of a game."""
FEW = 4_000_000
"""States that are listed and solved within a minute or two."""
PARTS = (8, 4, 2)
UNFIT = (LimitReached, ObjectiveError, OptionError, RuleBroken, SolveError)


def nearest(game: Rules, memory: int | None = None) -> str:
    """Return what fits the memory (bytes) instead of a game, as the end of a sentence."""
    room, effort = min(BYTES, memory or BYTES), Effort(SEARCH, soon=True)
    others = [_with_two(game, room, effort), _on_a_grid(game, room, effort)]
    ways = [way for way in (_with_smaller(game, room, effort), *others) if way]
    return f"; what fits: {', '.join(ways)}" if ways else ""


def _with_smaller(game: Rules, room: int, effort: Effort) -> str:
    """Find a number among the house rules with a part of which the states can be listed."""
    most = min(FEW, (room - PROGRAM_BYTES) // BYTES_PER_STATE)
    for option in game.names.options.values():
        if option.name == "players" or type(option.value) is not int:
            continue
        fits = ""
        for value in (option.value // part for part in PARTS):
            if value <= 1:
                continue
            small = _compiled(game, {option.name: value}, effort)
            if small is None or small.model.nodes * small.model.points > most:
                break
            fits = f"--set {option.name}={value}"
        if fits:
            return fits
    return ""


def _with_two(game: Rules, room: int, effort: Effort) -> str:
    """Find out whether two players can be solved, if there are more."""
    if game.players <= 2 or "players" not in game.names.options:
        return ""
    two = _compiled(game, {"players": 2}, effort)
    if two is None:
        return ""
    try:
        found = outlook(two, evolve(effort, memory=room))
    except UNFIT:
        return ""
    fits = found.reachable >= 0 and not refusal(two, found, Limits(SECONDS, room))
    return "--set players=2" if fits else ""


def _on_a_grid(game: Rules, room: int, effort: Effort) -> str:
    """Find the widest grid for what players count, if the turns can be played out on it."""
    slots = game.names.slots
    counted = [v.name for v in slots if v.scope == "player" and v.type.kind == "number"]
    try:
        compiled = compile_game(game, form=GridForm(names=frozenset(counted)), limits=effort)
        steps = _Grids(compiled).widest()
        found = on_grid(compiled)
    except UNFIT:
        return ""
    if not steps or found.memory > room or found.seconds > SECONDS:
        return ""
    told = " ".join(f"--grid {name}={step}" for name, step in steps.items())
    return f"solve {told} (an approximation, on which simulate plays as well)"


def _compiled(game: Rules, settings: dict[str, Value], effort: Effort) -> Compiled | None:
    """Return a game with other house rules, compiled; None if that is not possible soon."""
    try:
        other = check(game.source, {**game.option_values(), **settings})
        return compile_game(other, limits=effort)
    except UNFIT:
        return None
