"""`dicegames solve --samples N`: what a sampled model promises, and what its strategy is worth."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import click
from attrs import asdict

from dicegames.analysis.studies.sampling import sample_game
from dicegames.cli.printing import output
from dicegames.cli.printing.answer import Pairs, about, answer, heading
from dicegames.cli.solving import players, progress
from dicegames.loading import Game


def run(
    game: Game, objective: str, solving: Mapping[str, Any], samples: int, seed: int, throws: str,
    *, json: bool,
) -> int:  # fmt: skip
    """Print the values of a sampled model beside the exact one; return the exit code."""
    given, playing = players(solving)
    if given["out"] is not None or given["grid"]:
        raise click.UsageError("--samples goes with neither --out nor --grid")
    if playing:
        raise click.UsageError("--samples finds a strategy of its own; leave out the others")
    limits = {"threads": given["threads"], "time": given["time"]}
    with progress(f"Solving {game.title}"):
        found = sample_game(game.rules, samples, seed, throws, objective, **limits)
    rows = [
        ("promised", f"{found.promised:.4f}"),
        ("worth", f"{found.worth:.4f}"),
        ("best play", f"{found.exact:.4f}"),
        ("samples", f"{samples:,} at each state, seed {seed}, of the throws: {throws}"),
        ("time", output.duration(found.seconds)),
    ]
    told = about(game, objective) | asdict(found)
    return answer(told, [heading(game), Pairs(rows)], json=json)
