"""Values that stay open while a turn is followed mean what they mean to the referee."""

from fractions import Fraction

import pytest

from dicegames.analysis.exact import exact_value
from dicegames.analysis.solution import solve_game
from tests.rules.small import game

LOSING = """
dice 1d3
boxes card
    "Three"   3 if 1 < round | 3   pays 1 - sum
    "Any"     any dice             pays 0 - 1
turn
    roll all
    choose
        one of open card as c where dice show c
            score + points of c
            use c
ends after 1 rounds
payoff lowest score
"""
"""A three is -2 under its second pattern, another roll -1: (-1 - 1 - 2) / 3."""

BEFORE_A_LOOP = """
dice 1d2
each player
    score = 0 to 9
    throws = 0 to 2 capped
turn
    score + throws
    repeat
        throws + 1
        roll all
        if 1 in dice: leave
    if score > 0: throws = 0
ends after 3 rounds
"""
"""The throws of the first turn, 2 at most, are added in the second: 1/2 + 2 * 1/2."""

ADDED_IN_A_CHAIN = """
dice 1d2
each player
    score = 0 to 20
    more = 0 to 9
    throws = 1 to 2 capped
turn
    more + throws
    score + more
    repeat
        throws + 1
        roll all
        if 1 in dice: leave
    if score > 9: more = 0
ends after 2 rounds
"""
"""First 1 is added, then 1 + 2: there is at least one throw."""

KEPT_AFTER_A_GAIN = """
dice 2d2
each player
    score = 0
    throws = 0 to 1 capped
turn
    roll all
    choose
        any of dice as k
            score + throws
            roll dice - k
    repeat
        throws + 1
        roll all
        if dice show 1 1: leave
ends after 2 rounds
"""
"""Whatever is kept, the second turn adds the one throw of the first."""

CASES = {
    "points of several patterns, all of them losses": (LOSING, Fraction(-4, 3)),
    "added before a loop changes what is added": (BEFORE_A_LOOP, Fraction(3, 2)),
    "added in a chain before a loop": (ADDED_IN_A_CHAIN, Fraction(4)),
    "dice kept with an open gain": (KEPT_AFTER_A_GAIN, Fraction(1)),
}


@pytest.mark.parametrize("name", CASES)
def test_the_value_is_that_of_the_rules(name: str) -> None:
    text, value = CASES[name]
    rules = game(text)
    assert exact_value(rules) == value
    assert solve_game(rules).value == pytest.approx(float(value), abs=1e-12)
