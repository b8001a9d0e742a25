"""`dicegames check`: are the rules in order?"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from dicegames.cli.failure import listed_diagnostics
from dicegames.cli.printing.output import counted, print_json, say
from dicegames.cli.watch import SOON_AFTER, within
from dicegames.ground.diagnostic import MOST_MISTAKES, RulesError, render
from dicegames.ground.limits import LimitReached
from dicegames.loading import Game, load

TO_SHORTEN = "set smaller options, leave out examples, or name fewer values of options"


def run(files: Sequence[str], settings: Mapping[str, str], *, json: bool) -> int:
    """Check rules files and print all mistakes, or remarks on what is in order; the exit code."""
    mistakes: list[dict[str, Any]] = []
    remarks: list[dict[str, Any]] = []
    stopped = False
    for file in files:
        try:
            with within(None, computing=SOON_AFTER, remedy=TO_SHORTEN):
                game = load(file, **settings)
        except LimitReached as reached:
            raise LimitReached(f"{file}: {reached}") from None
        except RulesError as error:
            mistakes.extend(listed_diagnostics(error.source, error.diagnostics))
            stopped |= len(error.diagnostics) >= MOST_MISTAKES
            if not json:
                say("\n\n".join(render(error.source, d) for d in error.diagnostics), end="\n\n")
        else:
            source, found = game.rules.source, game.rules.remarks
            remarks.extend(listed_diagnostics(source, found))
            if not json:
                shown = [f"{file}: {_in_order(game)}", *(render(source, d) for d in found)]
                say("\n\n".join(shown), end="\n\n" if found else "\n")
    if json:
        print_json({"files": list(files), "errors": mistakes, "remarks": remarks})
    elif mistakes:
        say(counted(len(mistakes), "mistake") + " or more" * stopped)
    else:
        say("this covers syntax, names and types; what fails only in play is found by solve")
    return 1 if mistakes else 0


def _in_order(game: Game) -> str:
    told = [f'"{game.title}" is in order']
    if examples := len(game.rules.examples):
        told.append("1 example holds" if examples == 1 else f"{examples} examples hold")
    if remarks := len(game.rules.remarks):
        told.append(counted(remarks, "remark"))
    return ", ".join(told)
