"""The commands and their options; what each does is in a module of its own, loaded when asked."""

from __future__ import annotations

import difflib
from typing import Any

import rich_click as click

from dicegames.cli import authors, bench, coach, executors, machine, options
from dicegames.cli.options import SHORT, Settings
from dicegames.cli.watch import Limited


class Commands(click.RichGroup):
    """The group of all commands; it knows what a misspelt one was meant to be."""

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        """Return the command that is asked for."""
        name = args[0]
        if not name.startswith("-") and self.get_command(ctx, name) is None:
            known = self.list_commands(ctx)
            close = difflib.get_close_matches(name.lower(), known, n=1, cutoff=0.5)
            hint = f'did you mean "{close[0]}"?' if close else f"there are: {', '.join(known)}"
            raise click.UsageError(f'there is no command "{name}"; {hint}', ctx)
        return super().resolve_command(ctx, args)

    def list_commands(self, ctx: Any) -> list[str]:
        """Return the commands in the order in which one meets them."""
        return list(self.commands)


def _version(ctx: click.Context, _param: click.Parameter, wanted: bool) -> None:  # noqa: FBT001 - click's
    """Print the version, and the build."""
    if wanted:
        from dicegames.build import build  # noqa: PLC0415 - asks git where there is one

        click.echo(f"dicegames, version {build()}")
        ctx.exit()


@click.group(
    cls=Commands, context_settings=SHORT, options_metavar="", subcommand_metavar="COMMAND ...",
    epilog="Exit codes: 0 all is well; 1 the rules, a file or the answer is not in order; 2 the "
    "command was misused; 130 stopped by Ctrl-C; 141 the reader of the output has gone.",
)  # fmt: skip
@click.option(
    "--version", is_flag=True, is_eager=True, expose_value=False, callback=_version,
    help="Show the version, and the commit it was built from.",
)  # fmt: skip
def app() -> None:
    """Dice games from their rules: check, solve exactly, ask for advice, play."""


for command in authors.COMMANDS:
    app.add_command(command)


@app.command(context_settings=SHORT, cls=Limited)
@options.rules_file
@options.settings
@options.objective
@options.strategies
@options.grid
@options.limits
@click.option("--out", metavar="FILE", help="Save the solution, for advise and play.")
@click.option(
    "--store",
    metavar="FOLDER",
    help="Keep the values in a folder in place of memory: what is in it already is not computed "
    "again; advise and play take it as --solution.",
)
@click.option("--value-only", is_flag=True, help="Remove from it what the value no longer needs.")
@executors.option
@click.option(
    "--exact", is_flag=True, help="Solve a small game in fractions, from its rules alone."
)
@options.sampling
@options.json
def solve(
    file: str, settings: Settings, objective: str, out: str | None, *, exact: bool,
    samples: int | None, seed: int, sample: str, json: bool, **solving: Any,
) -> int:  # fmt: skip
    """Solve a game exactly: its value, and the best opening moves.

    With --strategy or --seat, strategies from the rules file play and are evaluated exactly; the
    other seats play best.

    With --samples, some throws are estimated from samples, for comparison: what such a model
    promises, and what its strategy is really worth.
    """
    if solving["store"] is None and solving["value_only"]:
        raise click.UsageError("--value-only goes with --store")
    if solving["store"] is None and solving["executor"] is not None:
        raise click.UsageError("--executor goes with --store: its workers share that folder")
    if solving["store"] is not None and (exact or samples is not None or out is not None):
        raise click.UsageError("--store goes with none of --exact, --samples and --out")
    if exact and samples is not None:
        raise click.UsageError("--exact and --samples do not go together")
    if exact:
        from dicegames.cli.commands import exact as fractions  # noqa: PLC0415 - a command is loaded when it is asked for

        beside = {"out": out, "grid": solving.get("grid"), "time": solving.get("time")}
        beside |= {"strategy": solving.get("strategy"), "seat": solving.get("by_seat")}
        return fractions.run(file, settings, objective, beside, json=json)
    if samples is not None:
        from dicegames.cli.commands.sampling import run as sampled  # noqa: PLC0415 - as above

        if out is not None or solving.pop("grid", None):
            raise click.UsageError("--samples goes with neither --out nor --grid")
        solving = {k: v for k, v in solving.items() if k not in ("store", "value_only", "executor")}
        return sampled(file, settings, objective, solving, samples, seed, sample, json=json)
    from dicegames.cli.commands.solve import run  # noqa: PLC0415 - as above

    return run(file, settings, objective, solving, out, json=json)


@app.command(context_settings=SHORT, cls=Limited)
@options.rules_file
@options.exporting
@options.settings
@options.objective
@options.limits
@click.option("--out", metavar="FILE", help="Write to a file.")
def export(
    file: str, form: str, fixed: tuple[int, ...], settings: Settings, objective: str,
    out: str | None, **limits: Any,
) -> int:  # fmt: skip
    """Write a game for an independent tool: as a Markov chain, a decision process or a game."""
    from dicegames.cli.commands.export import run  # noqa: PLC0415 - as above

    return run(file, form, fixed, settings, objective, limits, out)


@app.command("diff", context_settings=SHORT, cls=Limited)
@options.rules_file
@click.argument("other")
@options.settings
@options.objective
@options.limits
@options.games(0, 100_000, 50, "How many games to search for decisions that change.")
@options.json
def difference(
    file: str, other: str, settings: Settings, objective: str, *, games: int, seed: int,
    json: bool, **limits: Any,
) -> int:  # fmt: skip
    """Show what an option is worth, and which decisions it changes.

    OTHER is a second game, or settings of the first one: jokers=forced,bonus=50. What is set
    with --set holds for both.
    """
    from dicegames.cli.commands.difference import run  # noqa: PLC0415 - as above

    return run(file, other, settings, objective, limits, games=games, seed=seed, json=json)


@app.command(context_settings=SHORT, cls=Limited)
@options.rules_file
@options.settings
@options.objective
@click.option(
    "--strategy",
    "strategies",
    multiple=True,
    metavar="NAME",
    shell_complete=options.offering("strategies"),
    help="Compare this one; may be given several times. All of them by default.",
)
@options.games(2, 10**7, 1000, "How many games of each pair, with --objective win.")
@options.limits
@options.json
def compare(
    file: str, settings: Settings, objective: str, strategies: tuple[str, ...], *,
    games: int, seed: int, json: bool, **limits: Any,
) -> int:  # fmt: skip
    """Compare the strategies of a rules file with best play: what each loses, and where.

    With two players each seat is compared in turn, the other seat playing best. With --objective
    win the ways to play for it (mean, plain, win, knowing) play each other, all against all.
    """
    from dicegames.cli.commands.compare import run  # noqa: PLC0415 - as above

    return run(file, settings, objective, strategies, limits, (games, seed), json=json)


@app.command(context_settings=SHORT, cls=Limited)
@options.rules_file
@options.settings
@options.objective
@options.strategies
@options.solution
@options.limits
@click.option(
    "--outcomes",
    "names",
    metavar="NAMES",
    help="Give the odds of outcomes that the rules note instead: bust,strasse, or all.",
)
@click.option("--plot", metavar="FILE", help="Draw a histogram: a .png or .svg (needs matplotlib).")
@click.option("--csv", is_flag=True, help="Print lines of values and probabilities.")
@options.json
def stats(
    file: str, settings: Settings, objective: str, *, names: str | None, plot: str | None,
    csv: bool, json: bool, **solving: Any,
) -> int:  # fmt: skip
    """Give the exact distribution of a game's result, under best play or a strategy.

    Nothing is simulated. With --outcomes: how often things happen in a game, or in a turn with
    --objective turn, each alone and all together.
    """
    from dicegames.cli.commands.stats import run  # noqa: PLC0415 - as above

    if json and csv:
        raise click.UsageError("give --json or --csv")
    return run(file, settings, objective, solving, names=names, json=json, csv=csv, plot=plot)


@app.command(context_settings=SHORT, cls=Limited)
@options.rules_file
@click.option(
    "--games",
    type=click.IntRange(1, 10**9),
    default=10_000,
    show_default=True,
    metavar="N",
    help="How many games.",
)
@click.option(
    "--seed",
    type=click.IntRange(0, 2**63 - 1),
    metavar="S",
    help="The seed of the dice; a new one by default, which is printed.",
)
@options.settings
@options.objective
@options.strategies
@options.solution
@options.limits
@options.grid
@click.option("--rotate", is_flag=True, help="Rotate the seats from game to game.")
@click.option("--out", metavar="FILE", help="Write the result of each game: a .csv or .npy file.")
@options.json
def simulate(
    file: str, settings: Settings, objective: str, games: int, seed: int | None,
    out: str | None, *, rotate: bool, json: bool, **solving: Any,
) -> int:  # fmt: skip
    """Simulate many games, each seat playing best or by a strategy.

    The same seed gives the same games on every machine. With three or more players, and where
    best play is known on a grid only, it is a match that shows the results of each player; there
    a seat may also be played by a solution on a grid, --seat 1=FILE.solution.
    """
    from dicegames.cli.commands.simulate import run  # noqa: PLC0415 - as above

    wishes: dict[str, Any] = {"games": games, "seed": seed, "out": out, "rotate": rotate}
    return run(file, settings, objective, solving, **wishes, json=json)


@app.command(context_settings=SHORT, cls=Limited)
@options.rules_file
@click.argument("position")
@options.settings
@options.objective
@options.solution
@options.grid
@options.limits
@click.option("--all", "everything", is_flag=True, help="List all moves, however many.")
@click.option(
    "--why",
    metavar="MOVE",
    is_flag=False,
    flag_value="",
    help="Explain why the best move is better than MOVE, or than the second best if none is named.",
)
@options.json
def advise(
    file: str, position: str, settings: Settings, objective: str, *, json: bool, everything: bool,
    why: str | None, **solving: Any,
) -> int:  # fmt: skip
    """Show what each move is worth in a position, the best first.

    A position is a line such as "score 115 | goods 12 | dice 1 2 3 4 4 6"; what is left out is as
    at the start.
    """
    from dicegames.cli.commands.advise import AdviceShown, run  # noqa: PLC0415 - as above

    shown = AdviceShown(json=json, everything=everything, why=why)
    return run(file, position, settings, objective, solving, shown)


@app.command(context_settings=SHORT)
@click.argument("file", metavar="[GAME]", required=False, shell_complete=options.offering("games"))
@options.settings
@click.option(
    "--seat",
    "seats",
    multiple=True,
    metavar="WHO",
    shell_complete=options.offering("players"),
    help="Who plays, in this order or where 2=WHO says: me, a name, bot (of the level "
    "that is set), bot:optimal, bot:win, bot:random, bot:beginner to bot:expert, "
    "bot:STRATEGY or bot:FILE.solution.",
)
@click.option(
    "--seed", type=options.SEED, metavar="N", help="The seed of the dice; a new one by default."
)
@click.option(
    "--dice",
    multiple=True,
    metavar="HOW",
    help="Roll real dice and type what they show: typed, or 2=typed for seat 2 only.",
)
@click.option(
    "--resume",
    is_flag=True,
    help="Resume the last game, of GAME or from a transcript, or that of a number in `saves`.",
)
@options.tutor
@options.judging
@options.plain
@options.solution
@options.limits
def play(
    file: str | None, settings: Settings, seats: tuple[str, ...], seed: int | None,
    dice: tuple[str, ...], *, resume: bool, **wishes: Any,
) -> int:  # fmt: skip
    """Play a game: alone, with friends at one keyboard, or against bots.

    After every throw you see how lucky it was, after every move what it lost; `hint` shows what
    all moves are worth. The game is saved at every prompt: after Ctrl-C or a crash,
    `dicegames play --resume` continues it.
    """
    from dicegames.cli.commands import play as command  # noqa: PLC0415 - as above
    from dicegames.cli.playing.table import wishes_of  # noqa: PLC0415 - as above

    if resume:
        if settings or seats or seed is not None or dice:
            raise click.UsageError("a game is resumed with the seats, options and dice it has")
        return command.resume(file, wishes_of(wishes))
    if file is None:
        raise click.UsageError("say which game: dicegames play GAME, or: dicegames play --resume")
    return command.begin(file, settings, seats, seed, dice, wishes_of(wishes))


@app.command(context_settings=SHORT)
@click.argument("transcript", metavar="TRANSCRIPT")
@options.judging
@options.plain
@options.solution
@options.limits
def replay(transcript: str, **wishes: Any) -> int:
    """Step through a game that was played: forward, backward, with other moves.

    A transcript is what `save FILE` writes in a game; `last` is the game that was played last.
    """
    from dicegames.cli.commands.replay import run  # noqa: PLC0415 - as above

    return run(transcript, wishes)


for command in (*coach.COMMANDS, *bench.COMMANDS, *machine.COMMANDS):
    app.add_command(command)
