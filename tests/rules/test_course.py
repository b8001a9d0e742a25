"""Turns, rounds, ends, ranking and payoff, by hand."""

from fractions import Fraction
from typing import Any

import pytest

from dicegames.ground.diagnostic import RulesError
from dicegames.rules.running import liveness
from dicegames.rules.running.liveness import _before
from tests.rules.small import game, get, labels, payoff, play, start, value

ONE_DIE = """
option players = 3 from 1 to 4
turn
    roll 1 dice
    score + sum of dice
"""


def test_seats_and_rounds_go_round() -> None:
    rules = game(ONE_DIE + "ends after 2 rounds\n")
    position = start(rules)
    seen = []
    for _ in range(6):
        seen.append((position.seat, get(position, "round")))
        position = play(rules, *"123456"[: len(seen)])
    assert seen == [(0, 1), (1, 1), (2, 1), (0, 2), (1, 2), (2, 2)]
    assert position.is_over
    assert payoff(position) == [5, 7, 9]


def test_the_end_of_a_round_is_waited_for() -> None:
    rules = game(ONE_DIE + "ends after the round when any player has score >= 6\n")
    assert not play(rules, "6").is_over
    assert not play(rules, "6", "1").is_over
    assert play(rules, "6", "1", "1").is_over
    assert play(rules, "1", "6", "2").is_over


def test_the_end_comes_after_the_turn() -> None:
    rules = game(ONE_DIE + "ends when any player has score >= 6\n")
    assert play(rules, "1", "6").is_over
    assert payoff(play(rules, "1", "6")) == [1, 6, 0]
    assert not play(rules, "5").is_over


def test_several_ends_may_stand_side_by_side() -> None:
    with pytest.raises(Exception, match='a second "ends"'):
        game(ONE_DIE + "ends after 2 rounds\nends when any player has score >= 6\n")


def test_settlement_at_the_end() -> None:
    rules = game("""
        option players = 2
        each player
            score = 0
            money = 0
        turn
            roll 1 dice
            score + sum of dice
        ends after 1 rounds
        at the end
            each p in players
                if score of p > 4: pay 10 from others of p to p
        payoff money
    """)
    assert payoff(play(rules, "5", "1")) == [10, -10]
    assert payoff(play(rules, "1", "6")) == [-10, 10]
    assert payoff(play(rules, "6", "6")) == [0, 0]


def test_winning_is_shared_by_the_best() -> None:
    rules = game(ONE_DIE + "ends after 1 rounds\nranking highest score, ties share\npayoff win\n")
    assert payoff(play(rules, "5", "1", "2")) == [1, 0, 0]
    assert payoff(play(rules, "5", "1", "5")) == [Fraction(1, 2), 0, Fraction(1, 2)]
    assert payoff(play(rules, "5", "5", "5")) == [Fraction(1, 3)] * 3
    lowest = game(ONE_DIE + "ends after 1 rounds\nranking lowest score\npayoff win\n")
    assert payoff(play(lowest, "5", "1", "2")) == [0, 1, 0]


def test_payoffs_are_said_with_a_direction() -> None:
    high = game(ONE_DIE)
    low = game(ONE_DIE + "payoff lowest score * 2 - 1\n", players=1)
    assert (high.maximise, low.maximise) == (True, False)
    assert payoff(play(low, "5", "1", "2")) == [15]


def test_the_payoff_may_hang_on_house_rules() -> None:
    text = "option misere = no\n" + ONE_DIE
    text += "payoff lowest score if misere else highest score + 100\n"
    assert game(text).maximise
    assert not game(text, misere="yes").maximise
    assert payoff(play(game(text, players=1), "1", "1", "1")) == [103]
    assert payoff(play(game(text, players=1, misere=True), "1", "1", "1")) == [3]


def test_players_read_their_own_variables() -> None:
    rules = game("""
        option players = 2
        each player
            score = 0
            lead = 0
        turn
            roll 1 dice
            score + sum of dice
            lead = score - sum of (score of p) over p in others
    """)
    position = play(rules, "6", "2", "1")
    assert [get(position, "lead", p) for p in (1, 0)] == [7 - 2, 2 - 6]


def test_odds_of_outcomes_sum_to_one() -> None:
    rules = game("dice 4d6")
    outcomes = start(rules).outcomes()
    assert len(outcomes) == 126
    assert sum(o.probability for o in outcomes) == 1
    assert {o.text: o.probability for o in outcomes}["1 1 1 1"] == Fraction(1, 1296)


def test_what_is_live_is_found_in_few_passes_however_many_steps_there_are(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    steps = "".join(f"step s{n}\n    score + 1\n    go to s{n + 1}\n" for n in range(300))
    rules = game(f"dice 1d6\nturn\n    roll all\n    go to s0\n{steps}step s300\n    score + 1\n")
    looked = []

    def before(*asked: Any, every_read: bool) -> Any:
        looked.append(asked)
        return _before(*asked, every_read=every_read)

    monkeypatch.setattr(liveness, "_before", before)
    score = rules.names.variables["score"].base
    assert all(score in slots for slots in liveness.live(rules))
    assert len(looked) < 6 * len(rules.flow)


FIXED = """
option few = 0 from 0 to 2
dice 2d6
each player
    score = 0
    high = 3 from 3 to 6
    up = () from (2 to 6)
turn
    roll all
    score + high + few + size of up
    {lines}
"""


@pytest.mark.parametrize(
    "lines",
    [
        "each n in 0 to 7\n        if n > 1 and n < 7: up + n",
        "each n in 0 to 6\n        if n in dice and n > 2: high = n",
        "each n in 0 to 3\n        if n = 0: pass\n        else: score + 6 div n",
        "each n in 0 to 3\n        if n = 0: pass\n        else if 6 div n = 2: score + 1",
        "each n in 0 to 3: score + (6 div n if n > 0 else 0)",
        "each n in 0 to 3\n        if n > 0 and 6 div n = 2: score + 3",
        "each n in 0 to 3\n        if n = 0 or 6 div n = 2: score + 3",
        "each n in ((0 to 3) - 0): score + 6 div n",
        "repeat few times: score + 6 div few",
        "if few > 0: roll (2 div few) dice",
        'choose\n        "Take" when few > 0 when 6 div few = 3: score + 1\n        "Stay": pass',
    ],
)
def test_a_value_that_does_not_fit_is_no_mistake_where_play_never_comes_to_it(lines: str) -> None:
    assert not game(FIXED.format(lines=lines)).remarks


def test_sums_need_no_brackets_where_they_are_gone_through_or_picked_from() -> None:
    rules = game("""
        turn
            roll all
            each f in dice - highest 1 of dice: score + f
            if some f in dice - lowest 1 of dice has f = 6: score + 10
            choose
                "Again" some of dice - highest 1 of dice as k: roll k
    """)
    position = play(rules, "2 4 6")
    assert get(position, "score") == 2 + 4 + 10
    assert labels(position) == ["Again 2", "Again 4", "Again 2 4"]


def test_a_member_that_a_set_cannot_hold_is_told_with_its_place() -> None:
    with pytest.raises(RulesError) as caught:
        game(FIXED.format(lines="each n in 2 to 7: up + n"))
    assert "test.dg:10:28: 7 cannot be in this set" in str(caught.value)


def test_a_word_handed_to_a_name_may_be_compared_with_any_word() -> None:
    rules = game("""
        dice 2 with faces a, b, c
        worth of f means 5 if f = b else 1
        turn
            score + worth of a
    """)
    assert [value(rules, f"worth of {face}") for face in "abc"] == [1, 5, 1]
    with pytest.raises(RulesError, match='nothing here is called "bb"'):
        game("""
            dice 2 with faces a, b, c
            worth of f means 5 if f = bb else 1
            turn
                score + worth of a
        """)


def test_the_seat_is_that_of_who_moves_though_the_turn_before_is_passed_over() -> None:
    rules = game("""
        option players = 3
        each player
            score = 0
            asleep = no
        turn
            if not asleep
                choose
                    "Roll"
                        roll 1 dice
                        score + sum of dice
                    "Sleep": asleep = yes
        ends after 3 rounds
        payoff highest score
    """)
    position = start(rules)
    seats = [position.seat]
    for move in ["Sleep", "Sleep", "Roll"]:
        position = position.play(move)
        seats.append(position.seat)
    position = position.play(position.outcomes()[0])
    assert [*seats, position.seat] == [0, 1, 2, 2, 2]  # the two who sleep are passed over
    assert str(position) == "score 0 / 0 / 1 | asleep yes / yes / no | round 2"
