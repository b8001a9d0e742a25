"""`dicegames card`: the best strategy found that fits on a card, and how good shorter ones are."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from dicegames.cli.printing import output, plot
from dicegames.cli.printing.tables import show_table
from dicegames.cli.printing.wording import settings_text
from dicegames.cli.solving import progress
from dicegames.ground.writing import demand_writable, whole_file
from dicegames.library import file_of
from dicegames.loading import Game, load

if TYPE_CHECKING:
    from dicegames.authoring.card import Card

PLACES = 6


def run(
    file: str,
    settings: Mapping[str, str],
    objective: str,
    lines: int,
    wishes: Mapping[str, Any],
    *,
    json: bool,
) -> int:
    """Print a card; return the exit code."""
    from dicegames.authoring.card import card  # noqa: PLC0415 - brings compiled code

    game = load(file, **settings)
    if wishes["out"] is not None:
        demand_writable(wishes["out"], file_of(file))
    if wishes["plot"] is not None:
        plot.demand(wishes["plot"], file_of(file))
    with progress(f"Learning {game.title}") as report:
        found = card(
            game, lines, objective, tries=wishes["tries"], seconds=wishes["time"],
            seed=wishes["seed"], threads=wishes["threads"], progress=report,
        )  # fmt: skip
    if wishes["out"] is not None:
        with whole_file(wishes["out"]) as out:
            out.write(found.card.text.encode())
    if wishes["plot"] is not None:
        plot.save_front(wishes["plot"], found)
    if json:
        output.print_json(_answer(game, found))
    else:
        _for_people(game, found)
    return 0


def _answer(game: Game, found: Card) -> dict[str, Any]:
    return {
        "game": game.title,
        "options": game.options,
        "objective": found.objective,
        "best": found.best,
        "front": [
            {"lines": list(e.lines), "value": e.value, "loss": e.loss, "error_bound": e.error}
            for e in found.front
        ],
        "losses": [
            {"kind": each.kind, "decisions": each.decisions, "loss": each.loss}
            for each in found.losses
        ],
        "seed": found.seed,
        "evaluated": found.evaluated,
        "stopped": found.stopped,
    }


def _for_people(game: Game, found: Card) -> None:
    from rich.text import Text  # noqa: PLC0415 - not needed by programs

    console = output.console()
    output.title(game.title, settings_text(game))
    console.print()
    console.print(Text(found.card.text), soft_wrap=True)  # so that it can be copied
    rows = [
        ("value", output.number(found.card.value, PLACES)),
        ("best play", output.number(found.best, PLACES)),
        ("loss", output.number(found.card.loss, PLACES)),
    ]
    for each in found.losses:
        told = f"{output.number(each.loss, PLACES)}  in {each.decisions:.2f} decisions"
        rows.append((f"  {each.kind}", told))
    console.print(output.pairs(rows))
    console.print()
    show_table(found.table)
    cards = output.counted(found.solved, "card")
    told = f"values are exact, of {cards} that were solved; seed {found.seed}, "
    told += output.duration(found.seconds) + ("; the search was stopped" if found.stopped else "")
    console.print(f"\n{told}; there may be better cards", style="dim")
