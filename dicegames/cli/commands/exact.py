"""`dicegames solve --exact`: the value of a small game in fractions, from the rules alone."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import Any

import click

from dicegames.analysis.solution import SolutionError
from dicegames.analysis.solving.exact import exact_value
from dicegames.cli.printing import output
from dicegames.cli.printing.answer import Pairs, about, answer, heading
from dicegames.cli.solving import players
from dicegames.ground.exact_cycles import NoExactValue
from dicegames.ground.exact_limit import Limit, TooLarge, TooLong
from dicegames.loading import Game
from dicegames.rules.running.objectives import objective_of
from dicegames.rules.running.playing import played_by, seats_of

MOST_POSITIONS = 30_000
LONGEST_SUM = 60.0
"""Seconds after which the game counts as too large, if --time says nothing."""
LONGEST = 60
"""Fractions with more characters than this are rounded for people, not for programs."""


def run(game: Game, objective: str, solving: Mapping[str, Any], *, json: bool) -> int:
    """Print the value in fractions; return the exit code."""
    given, playing = players(solving)
    limit = Limit(MOST_POSITIONS, given["time"] or LONGEST_SUM)
    for name in ("out", "grid"):
        if given[name]:
            raise click.UsageError(f"--{name} does not go with --exact")
    try:
        rules = played_by(game.rules, seats_of(game.rules, playing), objective_of(objective))
        found = exact_value(rules, objective=objective, limit=limit)
    except TooLarge as large:
        more = "allow more --time, " if isinstance(large, TooLong) else ""
        message = f"{large}: fractions are for small games; set smaller options, {more}"
        raise SolutionError(message + "or solve without --exact, with an error bound") from None
    except NoExactValue as endless:
        raise SolutionError(f"{endless}, so there is no value") from None
    values, several = (found, True) if isinstance(found, tuple) else ((found,), False)
    shown, rounded = [str(v) for v in values], [float(v) for v in values]
    told = about(game, objective, value=shown if several else shown[0])
    told |= {"approximate": rounded if several else rounded[0]}
    names = [f"player {n}" for n in range(1, len(values) + 1)] if len(values) > 1 else ["value"]
    rows = Pairs([(name, _text(value)) for name, value in zip(names, values, strict=True)])
    told |= {"error_bound": 0, "method": "fractions"}
    return answer(told, [heading(game), rows], json=json)


def _text(value: Fraction) -> str:
    whole = str(value)
    if value.denominator == 1:
        return whole
    rounded = output.number(float(value), 12)
    return f"{whole} = {rounded}" if len(whole) <= LONGEST else f"{rounded}..., {len(whole)} digits"
