"""Counters without limit that decide all that is asked of them: as if they had a limit."""

import numpy as np
import pytest

from dicegames.analysis.solution import solve_game
from dicegames.compiler.compile import compile_game
from dicegames.compiler.goal import NeedsGrid
from dicegames.rules.parts.broken import NotShown
from dicegames.rules.parts.game import Rules
from dicegames.rules.running.referee import start
from tests.rules.small import game

POT = """\
game "Pot"
option players = 2
dice 1d3
each player
    score = 0
this turn
    pot = 0
turn
    repeat
        roll all
        if 1 in dice: end turn
        pot + sum of dice
        choose
            "Roll": pass
            "Hold": leave
    score + pot
ends when any player has score >= 9
ranking highest score
payoff win
"""
AT_ONCE = """\
game "At once"
option players = 2
dice 1d3
each player
    score = 0
turn
    repeat
        roll all
        if 1 in dice: end turn
        score + sum of dice
        choose
            "Roll": pass
            "Hold": leave
ends when any player has score >= 9
ranking highest score
payoff win
"""


def turned(rules: str, *changes: tuple[str, str]) -> Rules:
    for old, new in changes:
        assert old in rules
        rules = rules.replace(old, new)
    return game(rules)


@pytest.mark.parametrize(
    ("rules", "counter"), [(POT, "pot"), (AT_ONCE, "score")], ids=["in a turn", "lasting"]
)
def test_it_is_worth_what_it_is_with_a_limit_that_is_never_needed(rules: str, counter: str) -> None:
    found = solve_game(game(rules))
    limited = solve_game(turned(rules, (f"{counter} = 0\n", f"{counter} = 0 to 40 capped\n")))
    assert found.value == pytest.approx(limited.value, rel=0, abs=1e-12)
    place = "4 / 4 | pot {}" if counter == "pot" else "{} / 4 | at turn 1"
    for many in (3, 5, 8, 9, 10, 30, 40):
        position = f"score {place.format(many)}"
        own, other = found.value_of(position), limited.value_of(position)
        assert own == pytest.approx(other, rel=0, abs=1e-12), position
    assert "grid" not in found.method


def test_it_is_kept_as_it_is_until_play_comes_to_a_choice_or_a_throw() -> None:
    falls = ("if 1 in dice: end turn", "if 1 in dice and pot > 0: pot - 1, leave")
    add = "        pot + sum of dice\n"
    asks = (add, f"{add}        if pot >= 12 and score = 2: leave\n")
    found = turned(POT, falls, asks)
    assert compile_game(found).roles_.kept_to
    limited = turned(POT, falls, asks, ("pot = 0\n", "pot = 0 to 40 capped\n"))
    assert solve_game(found).value == pytest.approx(solve_game(limited).value, rel=0, abs=1e-12)


def test_positions_may_hold_more_than_is_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    """Two throws are told apart from one and from more, of which at most two are kept."""
    monkeypatch.setattr("dicegames.compiler.listing.VERY_FEW_POSITIONS", 3)
    text = """\
game "Throws"
dice 2d2
each player
    total = 0
this turn
    points = 0
    throws = 0
turn
    repeat
        roll all
        if dice show 2: end turn
        points + 1, throws + 1
        if throws = 2: points + 1
        choose
            "Roll" when total + points < 6: next
            "Hold": total + points + 1, end turn
ends when any player has total >= 6
payoff lowest round
"""
    rules = game(text)
    solution, position = solve_game(rules, "turns"), start(rules)
    (throws,) = [axis for axis in solution.compiled.model.axes if axis.name == "throws"]
    assert throws.size == 3
    for expected in (9, 5, 5, 1):
        position = position.play(position.outcomes()[0])
        assert solution.value_of(position) == pytest.approx(expected, abs=1e-9)
        position = position.play(position.moves()[0])


def test_a_variable_of_a_turn_is_no_axis_then() -> None:
    compiled = compile_game(game(POT))
    names = [axis.name for axis in compiled.model.axes]
    assert [name for name in names if "pot" in name] == []
    (kept,) = compiled.roles_.kept_to.values()
    assert kept == 9
    assert any("from 9 on it does not matter" in role.reason for role in compiled.roles)


@pytest.mark.parametrize(
    "change",
    [
        ("ends when any player has", "ends after the round when any player has"),  # who has most?
        ("payoff win", "payoff highest score"),
        ('"Roll": pass', '"Roll": pass\n            "Less" when pot > 4: pot - 3'),
        ("    score + pot\n", "    if pot > score + 20: score + 1\n    score + pot\n"),
    ],
    ids=["the last round", "it is paid", "it falls", "added to something else"],
)
def test_it_is_not_decided_where_more_may_be_better(change: tuple[str, str]) -> None:
    rules = turned(POT, change)
    if "20" in change[1]:  # the larger limit counts
        (kept,) = compile_game(rules).roles_.kept_to.values()
        assert kept == 29
        return
    with pytest.raises(NeedsGrid):
        compile_game(rules)


def test_what_lasts_is_refused_where_it_is_not_decided() -> None:
    with pytest.raises(NotShown):
        compile_game(turned(AT_ONCE, ("ends when any", "ends after the round when any")))


def test_a_limit_on_what_it_is_added_to_decides_as_well() -> None:
    limited = turned(POT, ("score = 0", "score = 0 to 9 capped"))
    found, plain = solve_game(limited).value, solve_game(game(POT)).value
    assert np.allclose(found, plain, rtol=0, atol=1e-12)


def test_it_is_refused_where_it_is_paid_and_not_all_seats_are_known() -> None:
    """One turn knows nothing of the third player: only what may be asked has values."""
    for_the_right = """\
        score of right of mover + sum of dice
        score + 1
        if score of right of mover >= 9: leave
"""
    changes = ("players = 2", "players = 3"), ("        score + sum of dice\n", for_the_right)
    with pytest.raises(NotShown):
        compile_game(turned(AT_ONCE, *changes), "turn")
