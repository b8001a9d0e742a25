"""Options that several commands share, and how their values are read."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, TypeVar

import rich_click as click
from click.core import ParameterSource

from dicegames.configuration import ConfigurationError, setting
from dicegames.ground.numbers import AMOUNT, LONGEST_NUMBER, amount_of_bytes, whole_number

if TYPE_CHECKING:
    from dicegames.play.tutor import Tutor

SHORT = {"help_option_names": ["-h", "--help"], "max_content_width": 100}
"""What holds for every command."""
Settings = dict[str, str]
"""House rules by name."""

MOST_DIGITS = 8
"""Digits of the step of a grid."""
SECONDS = {"": 1, "s": 1, "min": 60, "m": 60, "h": 3600}

SEED = click.IntRange(0, 10**LONGEST_NUMBER - 1)
SENSE = "dicegames.sense"

Command = TypeVar("Command", bound=Callable[..., Any])


def _with(command: Command, add: Sequence[Callable[..., Any]]) -> Command:
    """Add options, which help shows in their order."""
    for option in reversed(add):
        command = option(command)
    return command


def memory_size(ctx: Any, param: Any, value: str | None) -> int | None:
    """Return a number of bytes: `2GB`, `500MB`."""
    if value is None:
        return None
    found = amount_of_bytes(value)
    if not found:
        raise click.BadParameter(
            f'"{value}" is not an amount of memory: write 2GB or 500MB', ctx, param
        )
    return found


def duration(ctx: Any, param: Any, value: str | None) -> float | None:
    """Return a number of seconds: `30`, `90s`, `10min`, `2h`."""
    if value is None:
        return None
    found = re.fullmatch(rf"({AMOUNT})\s*([a-z]*)", value.strip().lower())
    if found is None or found[2] not in SECONDS or float(found[1]) == 0:
        raise click.BadParameter(f'"{value}" is not a time: write 30s, 10min or 2h', ctx, param)
    return float(found[1]) * SECONDS[found[2]]


def thresholds(ctx: Any, param: Any, value: str | None) -> tuple[float, ...] | None:
    """Return three losses that rise: `1,4,10`."""
    if value is None:
        return None
    try:
        found = tuple(float(part) for part in value.split(","))
    except ValueError:
        found = ()
    if len(found) != 3 or not 0 < found[0] < found[1] < found[2] < float("inf"):
        raise click.BadParameter(f'"{value}": write three losses that rise: 1,4,10', ctx, param)
    return found


def by_name(ctx: Any, param: Any, values: tuple[str, ...]) -> dict[str, str]:
    """Return house rules by their names: `players=2`, or several: `players=2,target=50`."""
    found = {}
    for value in (part for given in values for part in given.split(",")):
        name, equals, text = (part.strip() for part in value.partition("="))
        if not equals or not name or not text:
            raise click.BadParameter(f'"{value}" sets nothing: write --set players=2', ctx, param)
        found[name] = text
    return found


def values_by_name(ctx: Any, param: Any, values: tuple[str, ...]) -> dict[str, str]:
    """Return values of house rules by their names: `players=1,2` or `players=1,2,target=50`."""
    found: dict[str, str] = {}
    for given in values:
        name = ""
        for part in given.split(","):
            if name and "=" not in part:
                found[name] += f",{part}"
            else:
                ((name, text),) = by_name(ctx, param, (part,)).items()
                found[name] = text
    return found


def offering(what: str) -> Callable[..., Any]:
    """Return what offers words to the shell that completes a command line."""

    def offers(ctx: click.Context, param: click.Parameter, typed: str) -> Any:
        from dicegames.cli import completing  # noqa: PLC0415 - only where the shell asks

        return getattr(completing, f"of_{what}")(ctx, param, typed)

    return offers


def rules_file(command: Command) -> Command:
    """Add the game: its name, or its rules file."""
    return click.argument("file", metavar="GAME", shell_complete=offering("games"))(command)


def settings(command: Command) -> Command:
    """Add --set."""
    return click.option(
        "--set", "settings", multiple=True, callback=by_name, metavar="OPTION=VALUE",
        shell_complete=offering("settings"),
        help="Set an option of the rules, or several: players=2,target=50.",
    )(command)  # fmt: skip


def many_settings(command: Command) -> Command:
    """Add --set with several values."""
    return click.option(
        "--set", "settings", multiple=True, callback=values_by_name, metavar="OPTION=VALUES",
        shell_complete=offering("settings"),
        help="Values of an option of the rules: bonus=0..100:5, or players=1,2.",
    )(command)  # fmt: skip


def json(command: Command) -> Command:
    """Add --json."""
    return click.option("--json", is_flag=True, help="Print one JSON object, for programs.")(
        command
    )


def _sense(ctx: Any, param: Any, value: bool) -> None:  # noqa: FBT001 - click's way to call
    """Remember --maximise or --minimise until the objective is read."""
    if value and ctx.meta.get(SENSE, param.name) != param.name:
        raise click.UsageError("--maximise and --minimise do not go together", ctx)
    if value:
        ctx.meta[SENSE] = param.name


def _objective(ctx: Any, _param: Any, value: str) -> str:
    """Return the objective in full: `turns maximised`."""
    return f"{value} {ctx.meta[SENSE]}d" if SENSE in ctx.meta else value


def objective(command: Command) -> Command:
    """Add --objective, --maximise and --minimise."""
    names = "payoff, win (the chance to be first), turn (points of one turn), "
    names += "turns (as few as possible), reach:T (probability of T points), "
    names += "average (points of a turn in the long run)"
    add = [
        click.option("--objective", default="payoff", metavar="NAME", show_default=True,
                     callback=_objective, shell_complete=offering("objectives"),
                     help=f"What to optimise: {names}."),
        click.option("--maximise", is_flag=True, is_eager=True, expose_value=False,
                     callback=_sense, help="Maximise the objective, even where less is better."),
        click.option("--minimise", is_flag=True, is_eager=True, expose_value=False,
                     callback=_sense, help="Minimise the objective, even where more is better."),
    ]  # fmt: skip
    return _with(command, add)


def by_seat(ctx: Any, param: Any, values: tuple[str, ...]) -> dict[int, str]:
    """Return what plays for each seat: `1=Name`."""
    found: dict[int, str] = {}
    for value in values:
        seat, equals, name = (part.strip() for part in value.partition("="))
        number = whole_number(seat)
        if not equals or number is None or not name:
            raise click.BadParameter(f'"{value}" fills no seat: write --seat 1=NAME', ctx, param)
        if number in found:
            raise click.BadParameter(f"seat {number} is filled twice", ctx, param)
        found[number] = name
    return found


def strategies(command: Command) -> Command:
    """Add --strategy and --seat."""
    add = [
        click.option("--strategy", metavar="NAME", shell_complete=offering("strategies"),
                     help="Have this strategy of the rules file play in all seats."),
        click.option("--seat", "by_seat", multiple=True, callback=by_seat, metavar="N=NAME",
                     shell_complete=offering("seats"),
                     help="Have a strategy, or best, play in seat N; may be repeated."),
    ]  # fmt: skip
    return _with(command, add)


class Configured(click.RichOption):
    """An option whose default is the setting of its name."""

    def get_default(self, ctx: click.Context, call: bool = True) -> Any:  # noqa: FBT001, FBT002 - click's
        """Return what is set, None if nothing is."""
        found = setting(str(self.name))
        return None if found is None else found[0]

    def process_value(self, ctx: click.Context, value: Any) -> Any:
        """Return the value as what it stands for; a setting that cannot be names its place."""
        try:
            return super().process_value(ctx, value)
        except click.BadParameter as error:
            found = setting(str(self.name))
            if found is None or ctx.get_parameter_source(str(self.name)) != ParameterSource.DEFAULT:
                raise
            raise ConfigurationError(f"{found[1]}, {self.name}: {error.message}") from None


def threads(command: Command) -> Command:
    """Add --threads."""
    return click.option(
        "--threads", cls=Configured, type=click.IntRange(1, 1024), metavar="N",
        help="How many threads to use; all cores by default.",
    )(command)  # fmt: skip


def _grid(ctx: Any, param: Any, values: tuple[str, ...]) -> dict[str, int]:
    """Return the steps of a grid by the names of variables: `total=500`."""
    found = {}
    for value in values:
        name, _, step = (part.strip() for part in value.partition("="))
        number = whole_number(step, MOST_DIGITS)
        if not name or not number:
            raise click.BadParameter(f'"{value}" is no grid: write --grid total=500', ctx, param)
        found[name] = number
    return found


def grid(command: Command) -> Command:
    """Add --grid."""
    return click.option(
        "--grid", multiple=True, callback=_grid, metavar="NAME=STEP",
        help="Solve approximately: at multiples of STEP of a variable only.",
    )(command)  # fmt: skip


def memory(command: Command) -> Command:
    """Add --memory."""
    return click.option(
        "--memory", cls=Configured, callback=memory_size, metavar="SIZE",
        help="The most memory for tables, such as 2GB; what needs more is refused.",
    )(command)  # fmt: skip


def limits(command: Command) -> Command:
    """Add --threads, --memory and --time."""
    add = [
        threads,
        memory,
        click.option("--time", callback=duration, metavar="TIME",
                     help="The most time for solving, such as 30s; what needs more is refused."),
    ]  # fmt: skip
    return _with(command, add)


def exporting(command: Command) -> Command:
    """Add --format and --fixed."""
    add = [
        click.option("--format", "form", type=click.Choice(["prism", "drn"]), default="prism",
                     show_default=True,
                     help="PRISM's language, for small games, or DRN, Storm's explicit format."),
        click.option("--fixed", multiple=True, type=click.IntRange(min=1), metavar="SEAT",
                     help="Fix best play in this seat and leave the others free to choose; may be "
                          "repeated."),
    ]  # fmt: skip
    return _with(command, add)


def games(least: int, most: int, usual: int, purpose: str) -> Callable[[Command], Command]:
    """Return what adds --games and --seed, for commands that play games of their own."""
    add = [
        click.option("--games", type=click.IntRange(least, most), default=usual,
                     show_default=True, metavar="N", help=purpose),
        click.option("--seed", type=SEED, default=1, show_default=True, metavar="N",
                     help="The seed of their dice."),
    ]  # fmt: skip
    return lambda command: _with(command, add)


def sampling(command: Command) -> Command:
    """Add --samples, --seed and --sample."""
    add = [
        click.option("--samples", type=click.IntRange(1, 1_000_000), metavar="N",
                     help="Estimate throws from N samples at each state."),
        click.option("--seed", type=click.IntRange(0), default=1, show_default=True, metavar="S",
                     help="The seed of the samples."),
        click.option("--sample", default="opening", show_default=True, metavar="NAME",
                     help="Which throws: opening (the first of a turn, and its repetition), all, "
                          "or a kind of dice."),
    ]  # fmt: skip
    return _with(command, add)


def _names(ctx: Any, param: Any, value: str | None) -> tuple[str, ...]:
    """Return names with commas between them."""
    names = tuple(part.strip() for part in (value or "").split(","))
    if value is not None and not all(names):
        raise click.BadParameter(f'"{value}": write names with commas: mean,sd,p95', ctx, param)
    return names if value is not None else ()


def sweeping(command: Command) -> Command:
    """Add --stats, --find and --target, and where numbers go."""
    add = [
        click.option("--stats", "statistics", callback=_names, metavar="NAMES",
                     help="Which numbers: value, mean, sd, min, max, mode, p5 (a percentile), win, "
                          "tie, error, states, seconds; \"sd of seat 2\" is that of a seat."),
        click.option("--find", metavar="OPTION",
                     help="Look for the value of this option that brings the game to --target."),
        click.option("--target", metavar="TEXT",
                     help="What to reach: \"value of seat 1 = 0.5\", \"mean = 250\"."),
        click.option("--csv", metavar="FILE", help="Write lines of CSV; - prints them."),
        click.option("--parquet", metavar="FILE", help="Write a table in Parquet (needs polars)."),
        click.option("--plot", metavar="FILE",
                     help="Draw lines, or a heat map of two options: .png, .svg or .pdf "
                          "(needs matplotlib)."),
        click.option("--fresh", is_flag=True, help="Solve everything again, and store nothing."),
    ]  # fmt: skip
    return _with(command, add)


def learning(command: Command) -> Command:
    """Add --lines, --tries, --time, --seed, --out and --plot."""
    add = [
        click.option("--lines", type=click.IntRange(1, 64), default=8, show_default=True,
                     metavar="N", help="How many lines a card may have."),
        click.option("--tries", type=click.IntRange(1, 10_000_000), default=500, show_default=True,
                     metavar="N", help="How many lists of lines to evaluate: what is found depends "
                                       "on this and the seed, not on the machine."),
        click.option("--time", callback=duration, metavar="TIME",
                     help="End earlier, so long after the game is solved."),
        click.option("--seed", type=SEED, default=1, show_default=True, metavar="N",
                     help="The seed of the search."),
        click.option("--out", metavar="FILE", help="Write the best card to a file."),
        click.option("--plot", metavar="FILE",
                     help="Draw value over lines: .png, .svg or .pdf (needs matplotlib)."),
    ]  # fmt: skip
    return _with(command, add)


def solution(command: Command) -> Command:
    """Add --solution."""
    return click.option(
        "--solution", metavar="FILE",
        help="Use a solution of `dicegames solve`: what --out has saved, or a folder of --store.",
    )(command)  # fmt: skip


def judging(command: Command) -> Command:
    """Add --judge and --grades."""
    add = [
        click.option("--judge", default="optimal", metavar="WHO", show_default=True,
                     help="Who judges luck and losses: optimal, win, none, or a solution: its "
                          "FILE or FOLDER."),
        click.option("--grades", callback=thresholds, metavar="A,B,C",
                     help="The least losses of a mistake, a blunder and a massive blunder. "
                          "[default: 1,4,10 points; 0.01,0.04,0.1 where a game is won or lost]"),
    ]  # fmt: skip
    return _with(command, add)


def tutor(command: Command) -> Command:
    """Add --tutor."""
    return click.option(
        "--tutor", is_flag=False, flag_value="", metavar="SIZE", callback=_tutor,
        help="Warn before a move that loses SIZE or more; without SIZE, before any mistake.",
    )(command)  # fmt: skip


def _tutor(_: Any, __: Any, size: str | None) -> Tutor | None:
    """Return the tutor that is asked for."""
    if size is None:
        return None
    from dicegames.play.tutor import Tutor  # noqa: PLC0415 - brings numpy

    if not size:
        return Tutor(warns=True)
    try:
        least = float(size)
    except ValueError:
        least = -1.0
    if not 0 <= least < float("inf"):
        raise click.BadParameter(f'"{size}" is no size of a loss: --tutor 2, or only --tutor')
    return Tutor(least, warns=True)


def plain(command: Command) -> Command:
    """Add --plain."""
    return click.option(
        "--plain", is_flag=True,
        help="Plain text for a screen reader: no pictures, nothing is redrawn.",
    )(command)  # fmt: skip
