"""Games by chance: the solver says what the referee alone comes to, in fractions, or refuses."""

from __future__ import annotations

import pytest

from dicegames.analysis.exact import exact_value
from dicegames.analysis.solution import SolutionError, solve_game
from dicegames.compiler.objective import ObjectiveError
from dicegames.ground.diagnostic import RulesError
from dicegames.ground.exact_cycles import NoValue
from dicegames.ground.exact_limit import Limit, TooLarge
from dicegames.ground.source import Source
from dicegames.rules.check import check
from dicegames.rules.parts.broken import RuleBroken
from tests.random_games import random_rules

SEEDS = 120
MOST_POSITIONS = 2_000
REFUSED = (NoValue, RuleBroken, ObjectiveError, SolutionError)

compared = {"payoff": 0, "turn": 0}


@pytest.mark.parametrize("objective", ["payoff", "turn"])
@pytest.mark.parametrize("seed", range(SEEDS))
def test_a_value_is_right_or_refused(seed: int, objective: str) -> None:
    text = random_rules(seed)
    try:
        rules = check(Source("chance.dg", text), {})
        limit = Limit(MOST_POSITIONS)
        expected = exact_value(rules, objective=objective, limit=limit)
    except (RulesError, TooLarge, *REFUSED):
        return  # what the referee refuses the solver may have no reason to look at
    try:
        found = solve_game(rules, objective, threads=1).value
    except REFUSED:
        return
    values = expected if isinstance(expected, tuple) else (expected,)
    assert found == pytest.approx(
        [float(v) for v in values] if isinstance(found, tuple) else float(values[0]), abs=1e-9
    ), text
    compared[objective] += 1


def test_most_games_are_compared() -> None:
    """Else the tests above would say nothing."""
    assert all(count > SEEDS / 2 for count in compared.values()), compared
