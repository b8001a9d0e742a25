"""`dicegames advise`: what every move is worth in a position."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from attrs import asdict, frozen

from dicegames.cli.playing.reasons import explained, reason_lines
from dicegames.cli.printing import output
from dicegames.cli.printing.output import say_lines
from dicegames.cli.printing.wording import is_probability, unit, value_lines
from dicegames.cli.solving import obtained
from dicegames.loading import Game, load
from dicegames.play.wording import Unit
from dicegames.rules.running.notation import other_choices
from dicegames.rules.running.referee import Position
from dicegames.solver.model import TIE

if TYPE_CHECKING:
    from dicegames.analysis.solution import Choice, Solution

MOST_SHOWN = 12
WHY_PLACES = 4


@frozen
class AdviceShown:
    """What is to be shown; `why`: better than which move, "" for the next best, None for none."""

    json: bool
    everything: bool
    why: str | None


PLACES = 6


def result_unit(solution: Solution) -> Unit:
    """Return how differences of a solution's values are written."""
    share = is_probability(solution)
    return Unit(is_share=share, places=2 if share else WHY_PLACES)


def run(
    file: str,
    text: str,
    settings: Mapping[str, str],
    objective: str,
    solving: Mapping[str, Any],
    shown: AdviceShown,
) -> int:
    """Print the moves of a position with their values; return the exit code."""
    game = load(file, **settings)
    position = game.position(text)
    solution = obtained(game, objective, solving)
    value = solution.value_of(position)
    options = solution.options(position)
    why = None
    if shown.why is not None:
        why = explained(solution, position, position.named(shown.why) if shown.why else None)
    if shown.json:
        moves = [{"move": choice.name, "value": choice.value} for choice in options]
        answer: dict[str, Any] = {
            "game": game.title,
            "options": game.options,
            "objective": solution.objective,
        }
        answer |= {"position": str(position), "value": value, "moves": moves}
        answer |= {} if why is None else {"why": asdict(why) | {"gap": why.gap}}
        output.print_json(answer)
    else:
        _for_people(
            game, solution, position, options, len(options) if shown.everything else MOST_SHOWN
        )
        if why is not None:
            say_lines([[("", "")], *reason_lines(why, result_unit(solution))])
    return 0


def _for_people(
    game: Game, solution: Solution, position: Position, options: list[Choice], most: int
) -> None:
    console = output.console()
    output.title(game.title, str(position))
    lines = value_lines(solution, solution.value_of(position), PLACES)
    rows = [("value", lines[0]), *(("", line) for line in lines[1:]), ("", unit(solution))]
    console.print(output.pairs(rows))
    if options:
        console.print()
        console.print(options_table(options, most))
        if len(options) > most:
            console.print(f"and {len(options) - most} more: --all lists them", style="dim")
    else:
        console.print(_nothing_to_choose(position), style="dim")
    for fields, labels in other_choices(position):
        moves = f" ({', '.join(labels[:PLACES])})" if labels else ""
        text = f"The turn has another choice{moves}; to ask about it, add: {fields}"
        console.print(text, style="dim")


def _nothing_to_choose(position: Position) -> str:
    if position.is_over:
        return "the game is over"
    return "dice are thrown here, nothing is to be chosen; name the dice: ... | dice 1 2 3"


def options_table(options: list[Choice], most: int) -> Any:
    """Return a table of moves, their values and what they lose against the best."""
    from rich.table import Table  # noqa: PLC0415 - not needed by programs
    from rich.text import Text  # noqa: PLC0415

    table = Table.grid(padding=(0, 2))
    table.add_column(overflow="fold")
    table.add_column(justify="right", no_wrap=True)
    table.add_column(justify="right", no_wrap=True, style="dim")
    table.add_row(*(Text(word, style="dim") for word in ("move", "value", "loss")))
    for choice in options[:most]:
        loss = abs(options[0].value - choice.value)
        best = loss <= TIE
        shown = "best" if best else output.number(loss, 4)
        style = "bold green" if best else ""
        name = Text(choice.name or "(no name)", style=style)
        table.add_row(name, Text(output.number(choice.value, 4), style=style), Text(shown))
    return table
