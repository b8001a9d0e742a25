"""What the payoff adds up need not begin at 0: the round does not, nor what one starts with."""

from __future__ import annotations

import pytest

import dicegames
from dicegames.analysis.solving.exact import exact_value
from dicegames.ground.source import Source
from dicegames.rules.check import check
from dicegames.rules.parts.game import Rules

RACE = """\
game "Race"
option players = 1 from 1 to 2
dice 1d6
each player
    score = 0 to 20 capped
turn
    roll all
    choose
        "Take": score + sum of dice
        "Leave": pass
ends when any player has score >= 10
payoff {payoff}
"""

PURSE = """\
game "Purse"
option begin = 0 from 0 to 50
dice 2d3
each player
    purse = begin
turn
    roll all
    choose
        "Again": roll all
        "Stay": pass
    purse + 2 * sum of dice
ends after 3 rounds
payoff highest purse
"""


def race(payoff: str, players: int = 1) -> Rules:
    return check(Source("race.dg", RACE.format(payoff=payoff)), {"players": players})


def purse(begin: int) -> Rules:
    return check(Source("purse.dg", PURSE), {"begin": begin})


@pytest.mark.parametrize("players", [1, 2])
@pytest.mark.parametrize("payoff", ["lowest round", "highest 3 * score - 2 * round"])
def test_rounds_that_are_paid(payoff: str, players: int) -> None:
    game = race(payoff, players)
    solution = dicegames.solve(dicegames.Game(game))
    assert {r.name: r.role for r in solution.compiled.roles}["round"] == "reward"
    exact = exact_value(game)
    if isinstance(exact, tuple):
        assert solution.value == pytest.approx(tuple(map(float, exact)), abs=1e-12)
    else:
        assert solution.value == pytest.approx(float(exact), abs=1e-12)


def test_positions_with_some_rounds_behind_them() -> None:
    game = dicegames.Game(race("lowest round"))
    solution = dicegames.solve(game)
    position = game.position("score 5 | round 3 | dice 5")
    assert solution.value_of(position) == pytest.approx(3.0)
    mean = solution.distribution().mean
    assert mean == pytest.approx(solution.value, abs=1e-9)


@pytest.mark.parametrize("target", [24, 30, 34])
def test_reach_counts_what_there_was_at_the_beginning(target: int) -> None:
    found = dicegames.solve(dicegames.Game(purse(7)), f"reach:{target + 7}")
    other = dicegames.solve(dicegames.Game(purse(0)), f"reach:{target}")
    assert found.value == other.value
    exact = exact_value(purse(7), objective=f"reach:{target + 7}")
    assert not isinstance(exact, tuple)
    assert found.value == pytest.approx(float(exact), abs=1e-12)


def test_what_is_out_of_reach_has_no_chance() -> None:
    """The purse brings at least 19 and at most 43, with what there was at the start."""
    assert dicegames.solve(dicegames.Game(purse(7)), "reach:50").value == 0.0
    assert dicegames.solve(dicegames.Game(purse(7)), "reach:19").value == 1.0
