"""`dicegames card`: the best strategy found that fits on a card, and how good shorter ones are."""

from __future__ import annotations

from collections.abc import Iterator

from dicegames.authoring.cards.card import Card, card
from dicegames.cli.printing import output
from dicegames.cli.printing.answer import Answer, Block, Marked, Pairs, about, heading, told_of
from dicegames.cli.printing.files import demand_drawable, save_drawn
from dicegames.cli.solving import Solving, progress
from dicegames.ground.writing import demand_writable, write_text
from dicegames.loading import Game


def run(
    game: Game, lines: int, tries: int, seed: int, out: str | None, plot: str | None,
    solving: Solving,
) -> Answer:  # fmt: skip
    """Return a card."""
    demand_writable(out, game.file)
    demand_drawable(plot, game.file)
    with progress(f"Learning {game.title}") as report:
        found = card(
            game, lines, solving.objective, tries=tries, seconds=solving.time, seed=seed,
            threads=solving.threads, memory=solving.memory, progress=report,
        )  # fmt: skip
    if out is not None:
        write_text(out, found.card.text)
    if plot is not None:
        from dicegames.authoring.drawing import draw_front  # noqa: PLC0415 - an extra

        save_drawn(plot, draw_front(found))
    told = told_of(found, "best front losses seed evaluated stopped")
    return Answer(about(game, found.objective, **told), _for_people(game, found))


def _for_people(game: Game, found: Card) -> Iterator[Block]:
    yield heading(game)
    yield ""
    yield found.card.text
    rows = [
        ("value", output.number(found.card.value)),
        ("best play", output.number(found.best)),
        ("loss", output.number(found.card.loss)),
    ]
    for each in found.losses:
        told = f"{output.number(each.loss)}  in {each.decisions:.2f} decisions"
        rows.append((f"  {each.kind}", told))
    yield Pairs(rows)
    yield ""
    yield Marked(found.table)
    cards = output.counted(found.solved, "card")
    was = "that was" if found.solved == 1 else "that were"
    told = f"values are exact, of {cards} {was} solved; seed {found.seed}, "
    told += output.duration(found.seconds) + ("; the search was stopped" if found.stopped else "")
    yield [(f"\n{told}; there may be better cards", "dim")]
