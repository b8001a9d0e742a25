"""Options that several commands share, and how their values are read."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any

import rich_click as click
from click import get_current_context
from click.core import ParameterSource
from click.types import IntParamType

from dicegames import library
from dicegames.configuration import ConfigurationError, setting
from dicegames.ground.arguments import MOST_THREADS
from dicegames.ground.numbers import (
    AMOUNT,
    LONGEST_NUMBER,
    amount_of_bytes,
    signed_number,
    whole_number,
)

if TYPE_CHECKING:
    from dicegames.play.tutor import Tutor

SHORT = {"help_option_names": ["-h", "--help"], "max_content_width": 100}
"""What holds for every command."""
MOST_DIGITS = 8
"""Digits of the step of a grid."""
UNIT_SECONDS = {"": 1, "s": 1, "min": 60, "m": 60, "h": 3600}
SENSE = "dicegames.sense"


def option(*names: str, **told: Any) -> click.Option:
    """Return an option; in place of a FILE the shell offers files."""
    if "FILE" in told.get("metavar", ""):
        told.setdefault("shell_complete", offering("files"))
    found: click.Option = told.pop("cls", click.RichOption)(names, **told)
    return found


def argument(*names: str, **told: Any) -> click.Argument:
    """Return an argument."""
    return click.RichArgument(names, **told)


def is_given(name: str) -> bool:
    """Tell whether an option of the command that runs was given, rather than its default."""
    source = get_current_context().get_parameter_source(name)
    return source is not ParameterSource.DEFAULT


# ---- how values are read


class WholeNumber(IntParamType):
    """Whole numbers within limits, which the message about another one tells, not the help."""

    def __init__(self, least: int, most: int):
        self.least, self.most = least, most

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> int:
        """Return a number."""
        number = (
            value if isinstance(value, int) else signed_number(value.strip(), 2 * LONGEST_NUMBER)
        )
        if number is None or not self.least <= number <= self.most:
            wanted = f"a whole number from {self.least:,} to {self.most:,}"
            self.fail(f'"{value}" is not {wanted}', param, ctx)
        return number


SEED = WholeNumber(0, 10**LONGEST_NUMBER - 1)


def memory_size(text: str) -> int:
    """Return a number of bytes: `2GB`, `500MB`."""
    found = amount_of_bytes(text)
    if not found:
        raise click.BadParameter(f'"{text}" is not an amount of memory: write 2GB or 500MB')
    return found


def duration(text: str) -> float:
    """Return a number of seconds: `30`, `90s`, `10min`, `2h`."""
    found = re.fullmatch(rf"({AMOUNT})\s*([a-z]*)", text.strip().lower())
    if found is None or found[2] not in UNIT_SECONDS or float(found[1]) == 0:
        raise click.BadParameter(f'"{text}" is not a time: write 30s, 10min or 2h')
    return float(found[1]) * UNIT_SECONDS[found[2]]


def thresholds(text: str) -> tuple[float, ...]:
    """Return three losses that rise: `1,4,10`."""
    try:
        found = tuple(float(part) for part in text.split(","))
    except ValueError:
        found = ()
    if len(found) != 3 or not 0 < found[0] < found[1] < found[2] < float("inf"):
        raise click.BadParameter(f'"{text}": write three losses that rise: 1,4,10')
    return found


def names(text: str) -> tuple[str, ...]:
    """Return names with commas between them."""
    found = tuple(part.strip() for part in text.split(","))
    if not all(found):
        raise click.BadParameter(f'"{text}": write names with commas: mean,sd,p95')
    return found


def tutor(size: str) -> Tutor:
    """Return the tutor that is asked for."""
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


def _pairs(
    given: Iterable[str], wrong: str, twice: str, *,
    left: Callable[[str], Any] = str, right: Callable[[str], Any] = str,
) -> dict[Any, Any]:  # fmt: skip
    """Return what is read on both sides of signs of equality.

    Where there is nothing, or it is read as None, `wrong` says what to do. Nothing may be given
    twice.
    """
    found: dict[Any, Any] = {}
    for text in given:
        name, _, value = (part.strip() for part in text.partition("="))
        key, meant = left(name), right(value)
        if not (name and value) or key is None or meant is None:
            raise click.BadParameter(f'"{text}" {wrong}')
        if key in found:
            raise click.BadParameter(twice.format(key))
        found[key] = meant
    return found


def _settings(parts: Iterable[str]) -> dict[str, str]:
    return _pairs(parts, "sets nothing: write --set players=2", '"{}" is set twice')


def by_name(values: Iterable[str]) -> dict[str, str]:
    """Return house rules by their names: `players=2`, or several: `players=2,target=50`."""
    return _settings(part for given in values for part in given.split(","))


def values_by_name(values: Iterable[str]) -> dict[str, str]:
    """Return values of house rules by their names: `players=1,2` or `players=1,2,target=50`."""
    return _settings(part for given in values for part in re.split(r",(?=[^,=]*=)", given))


def by_seat(values: Iterable[str]) -> dict[int, str]:
    """Return what plays for each seat: `1=Name`."""
    wrong, twice = "fills no seat: write --seat 1=NAME", "seat {} is filled twice"
    return _pairs(values, wrong, twice, left=whole_number)


def steps_by_name(values: Iterable[str]) -> dict[str, int]:
    """Return the steps of a grid by the names of variables: `total=500`."""
    wrong, twice = "is no grid: write --grid total=500", '"{}" has two steps'
    return _pairs(values, wrong, twice, right=lambda step: whole_number(step, MOST_DIGITS) or None)


def _sense(ctx: Any, param: Any, value: bool) -> None:  # noqa: FBT001 - click's way to call
    """Remember --maximise or --minimise until the objective is read."""
    if value and ctx.meta.get(SENSE, param.name) != param.name:
        raise click.UsageError("--maximise and --minimise do not go together", ctx)
    if value:
        ctx.meta[SENSE] = param.name


def _objective(ctx: Any, _param: Any, value: str) -> str:
    """Return the objective in full: `turns maximised`."""
    return f"{value} {ctx.meta[SENSE]}d" if SENSE in ctx.meta else value


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


def several(*names: str, read: Callable[[Iterable[str]], Any], **told: Any) -> click.Option:
    """Return an option that may be given several times, all values being read together."""
    return option(*names, multiple=True, callback=lambda _ctx, _param, v: read(v), **told)


def _no_game(_ctx: click.Context, _param: click.Parameter, name: str | None) -> str | None:
    """Return the name of a file to be written, or none; a game was meant to be read."""
    if name is not None and (name.endswith(".dg") or name in library.games()):
        raise click.BadParameter(f'"{name}" is a game: name it first, and behind --csv a file')
    return name


def offering(what: str) -> Callable[..., Any]:
    """Return what offers words to the shell that completes a command line."""

    def offers(ctx: click.Context, param: click.Parameter, typed: str) -> Any:
        from dicegames.cli import completing  # noqa: PLC0415 - only where the shell asks

        return getattr(completing, f"of_{what}")(ctx, param, typed)

    return offers


# ---- options of several commands

file = argument("file", metavar="GAME", shell_complete=offering("games"))
transcript = argument("transcript", metavar="TRANSCRIPT", shell_complete=offering("transcripts"))
settings = several(
    "--set", "settings", read=by_name, metavar="OPTION=VALUE", shell_complete=offering("settings"),
    help="Set an option of the rules, or several: players=2,target=50.",
)  # fmt: skip
game = (file, settings)
"""The game that a command is given: its name or its rules file, and its house rules."""
csv = option(
    "--csv",
    is_flag=False,
    flag_value="-",
    callback=_no_game,
    metavar="[FILE]",
    help="Write lines of CSV to a file; without a name print them.",
)
json = option("--json", is_flag=True, help="Print one JSON object, for programs.")
objective = (
    option("--objective", default="payoff", metavar="NAME", show_default=True, callback=_objective,
           shell_complete=offering("objectives"),
           help="What to optimise: payoff, win (the chance to be first), turn (points of one "
                "turn), turns (as few as possible), reach:T (probability of T points), average "
                "(points of a turn in the long run)."),
    option("--maximise", is_flag=True, is_eager=True, expose_value=False, callback=_sense,
           help="Maximise the objective, even where less is better."),
    option("--minimise", is_flag=True, is_eager=True, expose_value=False, callback=_sense,
           help="Minimise the objective, even where more is better."),
)  # fmt: skip
strategies = (
    option("--strategy", metavar="NAME", shell_complete=offering("strategies"),
           help="Have this strategy of the rules file play in all seats."),
    several("--seat", "by_seat", read=by_seat, metavar="N=NAME", shell_complete=offering("seats"),
            help="Have a strategy, or best, play in seat N; may be repeated."),
)  # fmt: skip
threads = option(
    "--threads", cls=Configured, type=WholeNumber(1, MOST_THREADS), metavar="N",
    help="How many threads to use; all cores by default.",
)  # fmt: skip
grid = several(
    "--grid", read=steps_by_name, metavar="NAME=STEP",
    help="Solve approximately: at multiples of STEP of a variable only.",
)  # fmt: skip
memory = option(
    "--memory", cls=Configured, type=memory_size, metavar="SIZE",
    help="The most memory for tables, such as 2GB; what needs more is refused.",
)  # fmt: skip
time = option(
    "--time", type=duration, metavar="TIME",
    help="The most time for solving, such as 30s; what needs more is refused.",
)  # fmt: skip
limits = (threads, memory, time)
solution = option(
    "--solution", metavar="FILE",
    help="Use a solution of `dicegames solve`: what --out has saved, or a folder of --store.",
)  # fmt: skip
plain = option(
    "--plain", is_flag=True,
    help="Plain text for a screen reader: no pictures, nothing is redrawn.",
)  # fmt: skip
judging = (
    option("--judge", metavar="WHO", shell_complete=offering("judges"),
           help="Who judges luck and losses: optimal, win, none, or a solution: its FILE or "
                "FOLDER. [default: optimal, or who judged the game that was played]"),
    option("--grades", type=thresholds, metavar="A,B,C",
           help="The least losses of a mistake, a blunder and a massive blunder. "
                "[default: 1,4,10 points; 0.01,0.04,0.1 where a game is won or lost]"),
    plain, solution, *limits,
)  # fmt: skip
"""How games that were played are judged."""


def games(least: int, most: int, usual: int, purpose: str) -> tuple[click.Option, ...]:
    """Return --games and --seed, for commands that play games of their own."""
    return (
        option("--games", type=WholeNumber(least, most), default=usual, show_default=True,
               metavar="N", help=purpose),
        option("--seed", type=SEED, default=1, show_default=True, metavar="N",
               help="The seed of their dice."),
    )  # fmt: skip
