"""`dicegames report`: what a game is like, on a terminal or as a page."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from dicegames.authoring.reports.report import Report, report
from dicegames.cli.printing.answer import Answer, Block, Marked, heading, told_of
from dicegames.cli.solving import Solving, progress
from dicegames.ground.writing import demand_writable, write_text
from dicegames.loading import Game


def run(game: Game, games: int, seed: int, html: str | None, solving: Solving) -> Answer:
    """Return a report."""
    demand_writable(html, game.file)
    with progress(f"Reporting on {game.title}") as shown:
        found = report(
            game, solving.objective, games=games, seed=seed, threads=solving.threads,
            progress=shown,
        )  # fmt: skip
    if html is not None:
        from dicegames.authoring.reports.page import page  # noqa: PLC0415 - only where it is asked for

        write_text(html, page(found))
    return Answer(_for_programs(found), _for_people(game, found))


def _for_programs(found: Report) -> dict[str, Any]:
    return {
        "game": found.title,
        **told_of(found, "objective options seed"),
        "sections": {
            section.name: {
                "title": section.table.title,
                **told_of(section, "basis source"),
                "rows": section.table.to_dicts(),
            }
            for section in found.sections
        },
        "lengths": {
            kind: list(zip(one.values.tolist(), one.masses.tolist(), strict=True))
            for kind, one in found.lengths.items()
        },
        "notes": list(found.notes),
    }


def _for_people(game: Game, found: Report) -> Iterator[Block]:
    yield heading(game)
    for section in found.sections:
        basis = f"  {section.basis}: {section.source}"
        yield [(f"\n{section.table.title}", "bold"), (basis, "dim")]
        yield Marked(section.table)
    for note in found.notes:
        yield [(f"\nnote: {note}", "dim")]
