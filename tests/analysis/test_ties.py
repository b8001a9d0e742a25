"""Equally good moves: everywhere the first in the order of the rules is played."""

from collections import Counter
from fractions import Fraction
from functools import cache
from pathlib import Path

import pytest

from dicegames.analysis.solution import Solution
from dicegames.ground.source import Source
from dicegames.loading import Game, solve
from dicegames.rules.check import check
from tests.oracles.exact_distribution import exact_distribution

GAMES = Path(__file__).parents[2] / "games"

CASES = [
    ("dice_poker", "payoff", {"target": 20, "rerolled_at_most": 1}),
    ("dice_poker", "payoff", {"target": 10, "rerolled_at_most": 5}),
    ("yatzy", "turn", {}),
    ("yahtzee", "turn", {}),
]


@cache
def solution(stem: str, objective: str, options: tuple[tuple[str, object], ...]) -> Solution:
    """Solve a game; what it notes is left out, so that play may come back to a position."""
    text = (GAMES / f"{stem}.dg").read_text("utf-8")
    kept = [line for line in text.splitlines() if not line.strip().startswith("note ")]
    rules = check(Source(f"{stem}.dg", "\n".join(kept) + "\n"), dict(options))
    return solve(Game(rules), objective)


@pytest.mark.parametrize(("stem", "objective", "options"), CASES, ids=str)
def test_ties_go_to_the_first_move_as_with_the_referee(
    stem: str, objective: str, options: dict[str, object]
) -> None:
    found = solution(stem, objective, tuple(options.items()))
    wanted: Counter[Fraction] = Counter()
    for (value, _), p in exact_distribution(found.game, objective).items():
        wanted[value] += p  # type: ignore[assignment]
    distribution = found.distribution()
    told = dict(zip(distribution.values.tolist(), distribution.masses.tolist(), strict=True))
    assert told == pytest.approx({float(v): float(p) for v, p in wanted.items()}, rel=0, abs=1e-12)
