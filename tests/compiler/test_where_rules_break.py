"""Rules that break at some positions only: refused where a number depends on it, else not."""

from pathlib import Path

import pytest

import dicegames
from dicegames.analysis.solution import solve_game
from dicegames.ground.source import Source
from dicegames.rules.check import check
from dicegames.rules.parts.broken import RuleBroken
from dicegames.rules.parts.game import Rules


def read(text: str) -> Rules:
    return check(Source("breaks.dg", text), {})


AT_THE_END = """\
game "The highest of those that count"
dice 1d2
each player
    a = 0
turn
    roll all
    choose
        "One": a = 1
        "None": pass
ends after 2 rounds
counted means highest of (those f in dice where (a = round))
payoff highest counted
"""


@pytest.mark.parametrize("objective", ["payoff", "payoff minimised", "reach:1", "turn"])
def test_a_payoff_that_cannot_be_counted_is_refused_with_the_way_there(objective: str) -> None:
    """After two rounds `a` is never 2, so that nothing counts; 0 was told once."""
    with pytest.raises(RuleBroken, match=r"(?s)highest of nothing.*it happens after: roll") as told:
        solve_game(read(AT_THE_END), objective)
    assert told.value.code == "of-nothing"


def test_a_first_turn_without_anything_to_do_is_not_called_the_game() -> None:
    rules = read(
        'game "The second begins"\noption players = 2\ndice 1d6\neach player\n    score = 0\n'
        "turn\n    if seat = 2 or round > 1\n        roll all\n        score + sum of dice\n"
        "ends after 2 rounds\npayoff highest score\n"
    )
    assert solve_game(rules).value == pytest.approx((3.5, 7), abs=1e-12)
    with pytest.raises(RuleBroken, match="the first turn is over before anything is chosen"):
        solve_game(rules, "turn")


def test_a_payoff_that_nobody_asks_for_may_break() -> None:
    assert solve_game(read(AT_THE_END), "turns").value == pytest.approx(2, abs=1e-12)


OUT_OF_RANGE = """\
game "Twice at most"
dice 1d2
each player
    a = 0 to 2
    p = 0
turn
    roll all
    choose
        "Stay": p + 1
        "Rise"
            p + 2
            a + 1
ends after 3 rounds
payoff highest p

strategy "Stay"
    otherwise: "Stay"
"""


def test_a_strategy_that_breaks_no_rule_has_a_value() -> None:
    assert solve_game(read(OUT_OF_RANGE), "payoff", {1: "Stay"}).value == pytest.approx(3)


def test_it_is_not_compared_with_best_play_that_breaks_the_rules(tmp_path: Path) -> None:
    """To rise three times leaves the range; best play was told to be worth 6 once."""
    (tmp_path / "twice.dg").write_text(OUT_OF_RANGE)
    with pytest.raises(RuleBroken, match="it becomes 3, not 0 to 2"):
        dicegames.compare(dicegames.load(tmp_path / "twice.dg"))


POINTS_OF_A_TURN = """\
game "Points that cannot be counted"
dice 1d2
each player
    a = 0
    money = 0
turn
    roll all
    choose
        "Take" one of 1 to 2 as n
            a = round
            money + n
ends after 3 rounds
counted means highest of (those f in dice where (a = 7))
ranking highest counted
payoff money

strategy "Both faces"
    when dice show 1: pick n with highest n
    when dice show 2: pick n with highest n
    otherwise: best turn
strategy "Turn"
    otherwise: best turn
"""


def test_the_points_of_turns_may_break_where_no_move_is_chosen_by_them() -> None:
    """Three turns bring 2 each; play was taken to end where the points cannot be counted."""
    found = solve_game(read(POINTS_OF_A_TURN), "payoff", {1: "Both faces"})
    assert found.value == pytest.approx(6)
    assert found.value_of("a 1 | money 2 | round 2 | to throw 1") == pytest.approx(6)


def test_a_move_that_is_chosen_by_such_points_is_refused() -> None:
    with pytest.raises(RuleBroken, match="the highest of nothing"):
        solve_game(read(POINTS_OF_A_TURN), "payoff", {1: "Turn"})
    with pytest.raises(RuleBroken, match="the highest of nothing"):
        solve_game(read(POINTS_OF_A_TURN), "payoff", {1: "Turn"}, grid={"a": 1})


NO_SUCH_PLACE = """\
game "A place that is missing"
dice 2d2
each player
    seen of z in (1 to 3) = 0 to z capped
turn
    roll all
    if number of 2 in dice = 0: end turn
    seen of (2 * number of 1 in dice) = 1
ends after 1 rounds
payoff seen of 2
"""


@pytest.mark.parametrize("objective", ["payoff", "turns"])
def test_a_place_is_looked_for_where_nobody_reads_it(objective: str) -> None:
    """Dice 1 2 and 2 2 differ only by what is set; the place 0 went unseen where turns count."""
    with pytest.raises(RuleBroken, match='"seen" has no value for 0'):
        solve_game(read(NO_SUCH_PLACE), objective)
