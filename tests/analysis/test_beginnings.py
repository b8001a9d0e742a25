"""What the payoff adds up need not begin at 0: the round does not, nor what one starts with."""

from __future__ import annotations

from fractions import Fraction

import pytest

import dicegames
from dicegames.analysis.export.drn import drn_text
from dicegames.analysis.export.prism import prism_text
from dicegames.analysis.export.process import process_of
from dicegames.ground.limits import Limit
from dicegames.ground.source import Source
from dicegames.rules.check import check
from dicegames.rules.parts.game import Rules
from dicegames.rules.running.exploration import exact_value
from tests.analysis.exported import value_of as read_drn
from tests.analysis.exported_prism import read_prism

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

BEFORE = """\
game "Before the first throw"
option players = 1 from 1 to 2
dice 1d3
each player
    score = {begin}
    out = {out} from 0 to 1
turn
    if out = 1: {first}
    roll all
    score + sum of dice
    if dice show 3: out = 1 - out
ends {ends}
payoff highest score
"""
"""Something is won in the first turn before anything is thrown; the turn may be over with it."""


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


@pytest.mark.parametrize("begin", [0, 5])
@pytest.mark.parametrize("out", [0, 1])
@pytest.mark.parametrize("first", ["score + 2", "out = 0, score + 2, end turn"])
@pytest.mark.parametrize(
    "ends", ["after 3 rounds", "when round >= 5 or any player has score >= 12"]
)
@pytest.mark.parametrize("objective", ["payoff", "turns", "reach:9", "reach:10", "reach:14"])
def test_what_is_won_before_the_first_throw_counts(
    begin: int, out: int, first: str, ends: str, objective: str
) -> None:
    rules = check(Source("b.dg", BEFORE.format(begin=begin, out=out, first=first, ends=ends)), {})
    exact = exact_value(rules, objective=objective)
    assert isinstance(exact, Fraction)
    right = pytest.approx(float(exact), abs=1e-12)
    solution = dicegames.solve(dicegames.Game(rules), objective)
    assert solution.value == right
    assert solution.distribution().mean == right
    process = process_of(solution.compiled, solution.solved)
    assert read_drn("".join(drn_text(process)), 1, least=not solution.maximise) == right
    prism = prism_text(rules, objective, Limit())
    assert read_prism(prism).value(1, least=not solution.maximise) == right
