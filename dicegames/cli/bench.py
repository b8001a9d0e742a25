"""Commands for those who want to know what rules are worth, and how a person would play."""

from __future__ import annotations

from typing import Any

import rich_click as click

from dicegames.cli import executors, options
from dicegames.cli.options import SHORT, Settings
from dicegames.cli.watch import InMemory, Limited


@click.command(context_settings=SHORT, cls=InMemory)
@options.rules_file
@options.settings
@options.objective
@options.learning
@options.threads
@options.memory
@options.json
def card(
    file: str, settings: Settings, objective: str, *, lines: int, json: bool, **wishes: Any
) -> int:
    """Look for the best strategy that fits on a card: few lines, in the words of the rules.

    It is printed as a strategy of a rules file, with its exact value, beside the best cards of
    fewer lines. Ctrl-C ends the search and keeps what was found.
    """
    from dicegames.cli.commands.card import run  # noqa: PLC0415 - a command is loaded when asked

    return run(file, settings, objective, lines, wishes, json=json)


@click.command(context_settings=SHORT, cls=Limited)
@options.rules_file
@options.many_settings
@options.objective
@options.sweeping
@options.limits
@executors.option
@options.json
def sweep(
    file: str, settings: Settings, objective: str, statistics: tuple[str, ...], *, json: bool,
    **wishes: Any,
) -> int:  # fmt: skip
    """Solve a game under many settings of its options: a table of exact numbers.

    --set takes several values here: --set bonus=0..100:5 --set players=1,2. Results are stored,
    so that nothing is solved twice. With --find, search for the value of an option that brings
    the game to a target, such as being fair.
    """
    from dicegames.cli.commands.sweep import run  # noqa: PLC0415 - as above

    if wishes["csv"] == "-" and json:
        raise click.UsageError("give --json or --csv -")
    if wishes["find"] is not None and wishes["executor"] is not None:
        raise click.UsageError("--find looks at one setting after the other: not with --executor")
    return run(file, settings, objective, statistics, wishes, json=json)


@click.command(context_settings=SHORT, cls=Limited)
@options.rules_file
@options.settings
@options.objective
@click.option(
    "--html", metavar="FILE", help="Write the report as one HTML page that works offline."
)
@options.games(1, 100_000, 200, "How many games to play for the estimates.")
@options.limits
@options.json
def report(file: str, settings: Settings, objective: str, *, json: bool, **wishes: Any) -> int:
    """Report on a game: fairness, results, skill, and which decisions matter.

    Every table says whether its numbers are exact or estimated, and from what.
    """
    from dicegames.cli.commands.report import run  # noqa: PLC0415 - as above

    return run(file, settings, objective, wishes, json=json)


COMMANDS = (report, sweep, card)
