"""The commands and their options; what each does is in a module of its own, loaded when asked."""

from __future__ import annotations

import shlex
from typing import Any

import rich_click as click

from dicegames import library
from dicegames.cli import authors, executors, options
from dicegames.cli.commands import command
from dicegames.cli.options import SHORT, argument, option
from dicegames.cli.printing.helping import ReadableHelp
from dicegames.ground.diagnostic import did_you_mean

# ---- commands that make one better: games listed and judged, and bots of all strengths


@command(
    option("--all", "everything", is_flag=True, help="List all games, however many."), options.json
)
def saves() -> None:
    """List the games that were played, the last first: when, what, by whom, how it stands.

    Their numbers stand for them: play --resume 2, replay 2, analyse 2.
    """


@command(
    options.transcript,
    options.judging,
    option("--why", is_flag=True, help="Explain for every mistake why the best move was better."),
    option("--html", metavar="FILE", help="Write one HTML page, with reasons, that works offline."),
    options.json,
)
def analyse() -> None:
    """Judge a game that was played: every decision, luck and losses.

    A transcript is what `save FILE` writes in a game; `last` is the game that was played last.
    """


@command(
    options.game, options.games(2, 10**6, 50, "How many games each level plays."),
    options.solution, options.limits, options.json,
)  # fmt: skip
def levels() -> None:
    """Show how strong the bots of a game are, from beginner to expert, against best play."""


@command(
    argument("wanted", metavar="[GAME]", required=False, shell_complete=options.offering("games")),
    options.limits, options.json,
)  # fmt: skip
def history() -> None:
    """Show how well you have played, in all finished games or in those of one GAME.

    The loss per decision with its error, also by kind of decision (that of the best move) and
    over time; the bot that would have lost as much in the same positions; and luck.
    """


@command(
    options.game,
    option("--count", type=options.WholeNumber(1, 1000), default=10, show_default=True, metavar="N",
           help="How many positions."),
    option("--seed", type=options.SEED, metavar="N", help="The seed of new positions."),
    options.solution, options.limits,
)  # fmt: skip
def drill() -> None:
    """Practise: find the best move in positions that are due, your own mistakes, then new ones.

    A good answer comes back after 1, 3, 7, 16, 35 and 80 days, a wrong one the next day.
    """


COACHING = (saves, analyse, history, levels, drill)
"""In the order in which one meets them."""


# ---- the group, and the commands for a game


class Commands(ReadableHelp, click.RichGroup):  # type: ignore[misc]  # as RichGroup itself
    """The group of all commands; it knows what a misspelt one was meant to be."""

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        """Return the command that is asked for."""
        name = args[0]
        if not name.startswith("-") and self.get_command(ctx, name) is None:
            from dicegames.play.commands import TYPED  # noqa: PLC0415 - else nobody asks

            known = self.list_commands(ctx)
            hint = did_you_mean(name, known, 0.5) or f"there are: {', '.join(known)}"
            if name == "help":
                hint = "write: dicegames --help, or for a command: dicegames solve --help"
            elif name in TYPED:
                hint = (
                    "it is a word of a game: dicegames play GAME; of a position: dicegames advise"
                )
            elif library.is_game(name):
                hint = f"it is a game: dicegames play {shlex.quote(name)}"
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


@command(
    options.game, options.objective, options.strategies, options.grid, options.limits,
    option("--out", metavar="FILE", help="Save the solution, for advise and play."),
    option("--store", metavar="FOLDER",
           help="Keep the values in a folder in place of memory: what is in it already is not "
                "computed again; advise, play, simulate and stats take it as --solution."),
    option("--value-only", is_flag=True,
           help="With --store: remove from the folder what the value no longer needs."),
    executors.option,
    option("--exact", is_flag=True,
           help="Solve a small game in fractions, from its rules alone."),
    option("--samples", type=options.WholeNumber(1, 1_000_000), metavar="N",
           help="Estimate throws from N samples at each state."),
    option("--seed", type=options.SEED, default=1, show_default=True, metavar="N",
           help="The seed of the samples."),
    option("--sample", default="opening", show_default=True, metavar="NAME",
           help="Which throws: opening (the first of a turn, and its repetition), all, or a kind "
                "of dice."),
    options.json,
)  # fmt: skip
def solve() -> None:
    """Solve a game exactly: its value, and the best opening moves.

    With --strategy or --seat, strategies from the rules file play and are evaluated exactly; the
    other seats play best.

    With --samples, some throws are estimated from samples, for comparison: what such a model
    promises, and what its strategy is really worth.
    """


@command(
    options.game,
    option("--format", "form", type=click.Choice(["prism", "drn"]), default="prism",
           show_default=True,
           help="PRISM's language, for small games, or DRN, Storm's explicit format."),
    option("--fixed", multiple=True, type=options.WholeNumber(1, 10**9), metavar="SEAT",
           help="Fix best play in this seat and leave the others free to choose; may be repeated."),
    options.objective, options.limits,
    option("--out", metavar="FILE", help="Write to a file."),
)  # fmt: skip
def export() -> None:
    """Write a game for an independent tool: as a Markov chain, a decision process or a game."""


@command(
    options.file, argument("other", shell_complete=options.offering("others")),
    options.settings, options.objective, options.limits,
    options.games(0, 100_000, 50, "How many games to search for decisions that change."),
    options.json,
    by="difference", name="diff",
)  # fmt: skip
def difference() -> None:
    """Show what an option is worth, and which decisions it changes.

    OTHER is a second game, or settings of the first one: jokers=forced,bonus=50. What is set
    with --set holds for both.
    """


@command(
    options.game, options.objective,
    option("--strategy", "strategies", multiple=True, metavar="NAME",
           shell_complete=options.offering("strategies"),
           help="Compare this one; may be given several times. All of them by default."),
    options.games(2, 10**7, 1000, "How many games of each pair, with --objective win."),
    options.limits, options.json,
)  # fmt: skip
def compare() -> None:
    """Compare the strategies of a rules file with best play: what each loses, and where.

    With two players each seat is compared in turn, the other seat playing best. With --objective
    win the ways to play for it (mean, plain, win, knowing) play each other, all against all.
    """


@command(
    options.game, options.objective, options.strategies, options.solution, options.limits,
    option("--outcomes", "names", metavar="NAMES",
           help="Give the odds of outcomes that the rules note instead: bust,strasse, or all."),
    option("--plot", metavar="FILE",
           help="Draw a histogram: .png, .svg or .pdf (needs matplotlib)."),
    options.csv, options.json,
)  # fmt: skip
def stats() -> None:
    """Give the exact distribution of a game's result, under best play or a strategy.

    Nothing is simulated. With --outcomes: how often things happen in a game, or in a turn with
    --objective turn, each alone and all together.
    """


@command(
    options.game,
    option("--games", type=options.WholeNumber(1, 10**9), default=10_000, show_default=True,
           metavar="N", help="How many games."),
    option("--seed", type=options.WholeNumber(0, 2**63 - 1), metavar="N",
           help="The seed of the dice; a new one by default, which is printed."),
    options.objective, options.strategies, options.solution, options.limits, options.grid,
    option("--rotate", is_flag=True, help="Rotate the seats from game to game."),
    option("--out", metavar="FILE", help="Write the result of each game: a .csv or .npy file."),
    options.json,
)  # fmt: skip
def simulate() -> None:
    """Simulate many games, each seat playing best or by a strategy.

    The same seed gives the same games on every machine. With three or more players, and where
    best play is known on a grid only, it is a match that shows the results of each player; there
    a seat may also be played by a solution on a grid, --seat 1=FILE.solution. A game too large to
    be solved is played move by move where strategies play in all seats.
    """


@command(
    options.game, argument("position", required=False, metavar="POSITION"), options.objective,
    options.solution, options.grid,
    options.limits,
    option("--all", "everything", is_flag=True, help="List all moves, however many."),
    option("--why", metavar="MOVE", is_flag=False, flag_value="",
           help="Explain why the best move is better than MOVE, or than the second best if none "
                "is named."),
    options.json,
)  # fmt: skip
def advise() -> None:
    """Show what each move is worth in a position, the best first.

    A position is a line such as "score 115 | goods 12 | dice 1 2 3 4 4 6"; what lasts is as at
    the start of the game where it is left out.
    """


@command(
    argument("file", metavar="[GAME]", required=False, shell_complete=options.offering("games")),
    options.settings,
    option("--seat", "seats", multiple=True, metavar="WHO",
           shell_complete=options.offering("players"),
           help="Who plays, in this order or where 2=WHO says: me, a name, bot (of the level that "
                "is set), bot:optimal, bot:win, bot:random, bot:beginner to bot:expert, "
                "bot:STRATEGY or bot:FILE.solution."),
    option("--seed", type=options.SEED, metavar="N",
           help="The seed of the dice; a new one by default."),
    option("--dice", multiple=True, metavar="HOW",
           help="Roll real dice and type what they show: typed, or 2=typed for seat 2 only."),
    option("--resume", is_flag=True,
           help="Resume the last game, of GAME or from a transcript, or that of a number in "
                "`saves`."),
    option("--tutor", is_flag=False, flag_value="", metavar="SIZE", type=options.tutor,
           help="Warn before a move that loses SIZE or more; without SIZE, before any mistake."),
    options.judging,
)  # fmt: skip
def play() -> None:
    """Play a game: alone, with friends at one keyboard, or against bots.

    After every throw you see how lucky it was, after every move what it lost; `hint` shows what
    all moves are worth. The game is saved at every prompt: after Ctrl-C or a crash,
    `dicegames play --resume` continues it.
    """


@command(options.transcript, options.judging, by="play:replay")
def replay() -> None:
    """Step through a game that was played: forward, backward, with other moves.

    A transcript is what `save FILE` writes in a game; `last` is the game that was played last.
    """


# ---- the machine


@command(options.json)
def doctor() -> None:
    """Check the installation: versions, folders, compiled code, the time of a small solve."""


@command(argument("action", type=click.Choice(["list", "clear"]), default="list"), options.json)
def cache() -> None:
    """List the solutions in the cache, or clear it.

    A solution belongs to its rules, options, objective and version of the program: a stale one is
    never used. The variable DICEGAMES_CACHE sets the size, such as 200MB; 0 keeps nothing.
    """


@command(argument("shell", type=click.Choice(["bash", "zsh", "fish"])), by="extras:completion")
def completion() -> None:
    """Print a script that completes commands, games, options and strategies in a shell.

    bash: eval "$(dicegames completion bash)" in .bashrc; zsh: the same in .zshrc, after compinit;
    fish: dicegames completion fish > ~/.config/fish/completions/dicegames.fish
    """


@command(argument("folder", shell_complete=options.offering("files")), by="extras:man")
def man() -> None:
    """Write man pages, one for each command, to a folder such as ~/.local/share/man/man1."""


OWN = (solve, export, difference, compare, stats, simulate, advise, play, replay)
ALL = (*authors.COMMANDS, *OWN, *COACHING, *authors.STUDIES, doctor, cache, completion, man)
for each in ALL:
    app.add_command(each)
