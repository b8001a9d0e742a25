"""`dicegames solve --samples N`: what a sampled model promises, and what its strategy is worth."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import click
from attrs import asdict

from dicegames.cli.printing import output
from dicegames.cli.printing.answer import Pairs, about, answer, heading
from dicegames.cli.solving import players, progress
from dicegames.loading import load


def run(
    file: str,
    settings: Mapping[str, str],
    objective: str,
    solving: Mapping[str, Any],
    samples: int,
    seed: int,
    throws: str,
    *,
    json: bool,
) -> int:
    """Print the values of a sampled model beside the exact one; return the exit code."""
    from dicegames.analysis.studies.sampling import sample_game  # noqa: PLC0415 - takes its time to load

    limits, playing = players(solving)
    if playing:
        raise click.UsageError("--samples finds a strategy of its own; leave out the others")
    game = load(file, **settings)
    spent = {"threads": limits.get("threads"), "time": limits.get("time")}
    with progress(f"Solving {game.title}"):
        found = sample_game(game.rules, samples, seed, throws, objective, **spent)
    rows = [
        ("promised", f"{found.promised:.4f}"),
        ("worth", f"{found.worth:.4f}"),
        ("best play", f"{found.exact:.4f}"),
        ("samples", f"{samples:,} at each state, seed {seed}, of the throws: {throws}"),
        ("time", output.duration(found.seconds)),
    ]
    told = about(game, objective) | asdict(found)
    return answer(told, [heading(game), Pairs(rows)], json=json)
