"""Every form of statement, by hand: small games, thrown and played step by step."""

import random
from collections import Counter
from fractions import Fraction

import pytest

from dicegames.ground.diagnostic import RulesError
from dicegames.rules.parts.flow import Set
from dicegames.rules.parts.game import Rules
from tests.rules.small import dice, game, get, labels, payoff, play, roll, start


def test_set_add_and_subtract() -> None:
    rules = game("""
        turn
            roll all
            score = 10
            score + sum of dice
            score - 2 * 3
    """)
    assert get(play(rules, "1 2 3"), "score") == 10


def changes_of(rules: Rules, name: str) -> list[Set]:
    """Return the statements that change a variable."""
    slot = rules.names.variables[name].base
    return [i for i in rules.flow if isinstance(i, Set) and slot in i.targets]


@pytest.mark.parametrize(
    ("assigned", "amount"),
    [
        ("score + sum of dice", "sum of dice"),
        ("sum of dice + score", "sum of dice"),
        ("score - 5 + sum of dice", "sum of dice - 5"),
        ("4 * (score - score) + (score - 5) + sum of dice", "4 * (score - score) + (-5) + 12"),
        ("sum of dice - 1 + (score - (score - 3))", "sum of dice - 1 - (score - 3)"),
        ("score - (score - 7) + score", "score - (score - 7)"),
    ],
)
def test_an_assignment_that_only_adds_is_an_addition(assigned: str, amount: str) -> None:
    """Both are carried out alike, and what is only added to need not be told apart."""
    ends = []
    for change in (f"score = {assigned}", f"score + ({amount})"):
        rules = game(f"""
            turn
                roll all
                score + 2
                {change}
        """)
        added = changes_of(rules, "score")[-1].addition
        assert added is not None
        ends.append((get(play(rules, "2 4 6"), "score"), added.reads))
    assert ends[0] == ends[1]


@pytest.mark.parametrize(
    "assigned", ["2 * score", "5 - score", "sum of dice - (5 - score)", "highest of dice", "0"]
)
def test_other_assignments_are_none(assigned: str) -> None:
    rules = game(f"""
        turn
            roll all
            score = {assigned}
    """)
    (change,) = changes_of(rules, "score")
    assert change.addition is None


def test_capped_and_ranges() -> None:
    rules = game("""
        each player
            score = 0
            upper = 0 to 10 capped
            down = 5 to 0 capped
            strict = 0 to 18
        turn
            roll all
            upper + sum of dice
            down - sum of dice
            strict + sum of dice
    """)
    after = play(rules, "4 4 4")
    assert (get(after, "upper"), get(after, "down"), get(after, "strict")) == (10, 0, 12)
    with pytest.raises(RulesError, match=r"it becomes 24, not 0 to 18"):
        roll(after, "4 4 4")


def test_words_flags_and_sets_change() -> None:
    rules = game("""
        table
            weather = dry | wet | snow
            seen = no
            up = (1 to 6)
        turn
            roll all
            if sum of dice > 10: weather = wet, seen = yes
            else: weather = snow if dice show 1 1 1 else dry
            up - highest of dice
            up - (1 to 2)
            up + 1
    """)
    after = play(rules, "4 4 4")
    assert (get(after, "weather"), get(after, "seen"), get(after, "up")) == ("wet", True, 0b110101)
    assert get(play(rules, "1 1 1"), "weather") == "snow"


def test_keyed_variables_change() -> None:
    rules = game("""
        option players = 2
        each player
            score = 0
            progress of (2 to 4) = 0 to 9
        table
            pot of (1 to 6) = 10
        turn
            roll 2 dice
            progress of lowest of dice + 2
            progress of (1 + 1) = 7
            pot of highest of dice - 1
            score = progress of 3
    """)
    after = play(rules, "3 6")
    names = rules.names
    base, step = names.variables["progress"].base, names.players
    turned = [after.env[base + k * step + 1] for k in range(3)]  # the mover now sits second
    assert turned == [7, 2, 0]
    assert get(after, "score", 1) == 2
    pot = names.variables["pot"].base
    assert list(after.env[pot : pot + 6]) == [10, 10, 10, 10, 10, 9]


def test_variables_of_other_players() -> None:
    rules = game("""
        option players = 3
        turn
            roll all
            score of mover + 1
            each p in others: score of p - 1
            each p in players
                if score of p < 0: score of p = 100
    """)
    after = play(rules, "1 2 3")
    assert [get(after, "score", p) for p in range(3)] == [100, 100, 1]


def test_variables_of_the_turn_start_anew() -> None:
    rules = game("""
        this turn
            lost = 3
        turn
            roll all
            lost - 1
            score + lost
            choose
                "Go on": pass
    """)
    after = play(rules, "1 1 1", "Go on")
    assert get(after, "score") == 2
    assert get(play(rules, "1 1 1", "Go on", "1 1 1"), "score") == 4


# ---- dice


def test_rolls_of_all_some_and_a_number() -> None:
    rules = game("""
        dice 3d6
        turn
            roll all
            choose
                "Keep" any of dice as k: roll dice - k
                "One": roll 1 dice
                "All": roll all
            score + sum of dice
            choose
                "Stop": pass
    """)
    kept = play(rules, "1 2 6", "Keep 6")
    assert get(kept, "dice") == dice(rules, "6")
    assert sum(o.probability for o in kept.outcomes()) == 1
    assert len(kept.outcomes()) == 21
    assert get(roll(kept, "1 1"), "score") == 8
    assert get(play(rules, "1 2 6", "Keep 1 2 6"), "score") == 9
    assert get(play(rules, "1 2 6", "Keep none", "1 1 1"), "score") == 3
    assert get(play(rules, "1 2 6", "One", "4"), "dice") == dice(rules, "4")
    assert get(play(rules, "1 2 6", "All", "1 1 1"), "score") == 3


def test_piles_take_and_give_dice() -> None:
    rules = game("""
        dice 3d6
        pile kept, lost
        turn
            roll all
            choose
                "Set aside" some of dice as k
                    move k to kept
                    move those f in kept where f = 1 from kept to lost
                    roll dice
            score + 10 * size of kept + size of lost
            choose
                "Again": roll all, score + size of kept
                "Stop": pass
    """)
    aside = play(rules, "1 1 6", "Set aside 1 6", "3")
    assert get(aside, "kept") == dice(rules, "6")
    assert get(aside, "lost") == dice(rules, "1")
    assert get(aside, "dice") == dice(rules, "3")
    assert get(aside, "score") == 11
    assert get(aside.play("Again"), "kept") == dice(rules, "")
    fresh = aside.play("Stop")
    assert get(start(rules), "kept") == dice(rules, "")
    assert fresh.starts_turn


def test_faces_in_braces_may_be_computed() -> None:
    rules = game("""
        dice 3d6
        pile gone, far
        turn
            roll all
            let most = highest of dice
            each f in dice
                if 7 - f in dice: move {(7 - f) times (number of (7 - f) in dice) f} to gone
            move {most times (number of most in dice)} to far
            score + 10 * size of gone + size of far
            if sum of dice = 1: score + size of {(score + 1) times 0 (9 * score)}
    """)
    for thrown, gone, far in (("1 6 6", 3, 0), ("2 3 5", 2, 0), ("2 4 4", 0, 2)):
        assert get(play(rules, thrown), "score") == 10 * gone + far
    with pytest.raises(RulesError, match=r'the dice have no face "18"'):
        play(rules, "1 4 4")


def test_several_kinds_of_dice_are_thrown_apart() -> None:
    rules = game("""
        dice 2d6
        dice coin = 1 with 2 sides
        pile aside of coin
        turn
            roll all
            choose
                "Coin again": roll coin
                "Put it aside": move coin to aside
            score + sum of dice * sum of (coin + aside)
    """)
    after = play(rules, "1 2", "2")
    assert labels(after) == ["Coin again", "Put it aside"]
    assert get(after.play("Put it aside"), "score") == 6
    assert get(roll(after.play("Coin again"), "1"), "score") == 3


def test_faces_that_are_moved_are_of_the_kind_that_lies_in_the_pile() -> None:
    rules = game("""
        dice red = 2d6
        dice white = 2d6
        dice foe = 2 with faces imp, orc
        pile kept of white
        pile slain of foe
        turn
            roll all
            let low = lowest of white
            move {low} to kept
            if 6 in white: move {6} from white to kept
            choose
                "Strike" one of (imp, orc) as f where f in foe: move {f} from foe to slain
            score + 10 * size of kept + size of slain + size of red
    """)
    for white, score in (("1 2", 13), ("1 6", 23), ("6 6", 23)):
        position = play(rules, "3 3", white, "imp orc")
        assert labels(position) == ["Strike imp", "Strike orc"]
        assert get(position.play("Strike orc"), "score") == score


def test_weights_of_faces() -> None:
    rules = game("""
        dice 2 with faces pig times 3, dot
        turn
            roll all
            score + number of dot in dice
    """)
    odds = {o.text: o.probability for o in start(rules).outcomes()}
    assert {text: p * 16 for text, p in odds.items()} == {"pig pig": 9, "pig dot": 6, "dot dot": 1}


# ---- boxes, notes, money


def test_boxes_are_used_up() -> None:
    rules = game("""
        boxes hands
            "Low"     any 1    pays sum
            "High"    any 6    pays sum
        turn
            roll all
            choose
                one of open hands as h: use h, score + points of h, note h
        ends when all boxes are used
    """)
    first = play(rules, "1 6 6")
    assert labels(first) == ["Low", "High"]
    after = first.play("high")
    assert (get(after, "score"), after.notes) == (12, ("High",))
    second = roll(after, "1 1 1")
    assert labels(second) == ["Low"]
    assert second.play("Low").is_over
    assert payoff(second.play("Low")) == [15]


def test_notes_are_gathered_in_order() -> None:
    rules = game("""
        turn
            roll all
            note "thrown"
            if sum of dice = 3: note "all ones"
    """)
    assert play(rules, "1 1 1").notes == ("thrown", "all ones")
    assert play(rules, "1 1 2").notes == ("thrown",)


def test_payments_sum_to_nothing() -> None:
    rules = game("""
        option players = 3
        each player
            score = 0
            money = 0
        turn
            roll all
            pay 5 from others to mover
            pay sum of dice from mover to players
            each p in others: pay 1 from p to others
        ends after 1 rounds
        payoff money
    """)
    after = play(rules, "1 1 1")
    # the mover gets 5 + 5, pays 3 + 3 and gets nothing for the last; the others pay each other
    assert [get(after, "money", p) for p in (2, 0, 1)] == [4, -2, -2]
    end = play(rules, "1 1 1", "1 1 1", "1 1 1")
    assert end.is_over
    assert sum(end.payoff) == 0
    assert payoff(end) == [0, 0, 0]


# ---- cases and repetitions


def test_if_else_if_else() -> None:
    rules = game("""
        turn
            roll 1 dice
            if sum of dice < 3: score + 1
            else if sum of dice < 5
                score + 10
                if dice show 4: score + 5
            else: score + 100
    """)
    scores = [get(play(rules, face), "score") for face in "123456"]
    assert scores == [1, 1, 10, 15, 100, 100]


def test_repeat_until_and_times() -> None:
    rules = game("""
        this turn
            left = 0
        turn
            roll 1 dice
            left = sum of dice
            repeat until left = 0
                score + left
                left - 1
            repeat 3 times: score + 100
            repeat left times: score + 10000
    """)
    assert get(play(rules, "4"), "score") == 310


def test_repeat_times_goes_by_the_number_at_the_beginning() -> None:
    rules = game("""
        this turn
            left = 0
        turn
            roll 1 dice
            left = sum of dice
            repeat left times
                left - 1
                score + 1
            score + 100 * left
    """)
    assert get(play(rules, "5"), "score") == 5


def test_repeat_times_counts_its_own_choices() -> None:
    rules = game("""
        turn
            roll all
            repeat 2 times
                choose
                    "Again": roll all
                    "Enough": leave
            score + sum of dice
            choose
                "Done": pass
    """)
    assert labels(play(rules, "1 1 1", "Again", "2 2 2", "Again", "3 3 3")) == ["Done"]
    assert get(play(rules, "1 1 1", "Again", "2 2 2", "Enough"), "score") == 6


def test_leave_and_next() -> None:
    rules = game("""
        this turn
            n = 0
        turn
            roll 1 dice
            repeat
                n + 1
                if n = 2: next
                if n > sum of dice: leave
                score + n
            each f in 1 to 6
                if f = 3: next
                if f = 5: leave
                score + 100 * f
    """)
    assert get(play(rules, "4"), "score") == 1 + 3 + 4 + 700


def test_each_over_dice_sets_and_boxes() -> None:
    rules = game("""
        table
            up = (2 to 5)
        boxes hands
            "Low"     any 1    pays sum
            "High"    any 6    pays sum
        turn
            roll all
            each f in dice: score + f
            up - 3
            each n in up: score + 100 * n
            use "Low"
            each h in open hands: score + 10000 * points of h
    """)
    assert get(play(rules, "1 6 6"), "score") == 7 + 1100 + 120_000


# ---- jumps


def test_steps_end_turn_and_end_game() -> None:
    rules = game("""
        option players = 2
        turn
            roll all
            if dice show 1 1 1: end game
            go to counting
        step counting
            score + 1
            if dice show x x: go to extra
            end turn
        step extra
            score + 10
    """)
    assert get(play(rules, "1 2 3"), "score", 1) == 1
    assert get(play(rules, "2 2 3"), "score", 1) == 11
    assert play(rules, "1 1 1").is_over
    assert payoff(play(rules, "2 2 3", "1 1 1")) == [11, 0]


def test_choose_again_returns_to_the_choice() -> None:
    rules = game("""
        turn
            roll all
            choose
                "Roll" when score < 2: roll all, score + 1, choose again
                "Stop": pass
    """)
    position = play(rules, "1 1 1", "Roll", "2 2 2")
    assert labels(position) == ["Roll", "Stop"]
    assert labels(roll(position.play("Roll"), "3 3 3")) == ["Stop"]


def test_turns_without_anything_to_do_are_passed_over() -> None:
    rules = game("""
        option players = 3
        each player
            score = 0
            out = no
        turn
            if out: end turn
            roll 1 dice
            score + sum of dice
            if sum of dice < 4: out = yes
        ends when every player has out
    """)
    position = play(rules, "6", "1", "6", "6")
    assert position.node.seat == 2
    assert get(position, "score") == 6
    assert play(rules, "1", "2", "3").is_over


def test_turns_that_pass_for_ever_are_refused() -> None:
    rules = game("""
        each player
            score = 0
            out = no
        turn
            if out: end turn
            roll 1 dice
            out = yes
        ends when score > 0
    """)
    with pytest.raises(RulesError, match="turns pass for ever"):
        _ = play(rules, "1").is_over


# --- so many dice of a kind, kept values, every die


def test_dice_of_a_kind_are_thrown_and_the_rest_is_left_alone() -> None:
    rules = game(
        """
        dice white = 2d6
        dice red = 3 with 4 sides
        pile kept of red
        option few = 1
        each player
            score = 0
        turn
            roll 2 white
            roll 2 red
            move lowest 1 of red to kept
            roll few red
            roll 1 more red
            choose
                "End": pass
        """
    )
    position = play(rules, "1 6", "2 4", "3")
    assert dice(rules, "1 6", "white") == get(position, "white")
    position = roll(position, "3")
    assert get(position, "red") == dice(rules, "3 3", "red")
    assert get(position, "kept") == dice(rules, "2", "red")
    assert get(position, "white") == dice(rules, "1 6", "white")


def test_no_more_dice_are_thrown_than_there_are() -> None:
    lines = (
        "dice 3d6\npile kept\nturn\n    roll 3 dice\n    move highest 2 of dice to kept\n    roll "
    )
    for statement, left in (
        ("2 dice", "is 1 in no pile"),
        ("1 more dice", "are 0 beside those"),
    ):
        rules = game(lines + statement + "\npayoff highest 1")
        with pytest.raises(RulesError, match=f"(is|are) to be thrown, but there {left}"):
            play(rules, "1 2 3")


def test_a_kept_value_stays_and_a_named_one_is_worked_out_anew() -> None:
    rules = game(
        """
        dice 2d6
        each player
            score = 0
            copy = 0
        total means sum of dice
        turn
            roll all
            let kept = dice, let first = total
            let even = first mod 2 = 0
            roll all
            if even: score + 10 * first
            score + total
            copy = number of 6 in kept
            let first = 3
            score + 1000 * first
        """
    )
    position = play(rules, "6 6", "1 2").node
    assert get(position, "score", 0) == 3000 + 120 + 3
    assert get(position, "copy", 0) == 2


def test_a_name_that_is_kept_ends_with_its_block() -> None:
    text = "turn\n    roll all\n    if 6 in dice\n        let a = 1\n    score + a"
    with pytest.raises(RulesError, match='nothing here is called "a"'):
        game(text + "\neach player\n    score = 0\ndice 1d6")


def test_each_die_is_gone_through_in_order() -> None:
    rules = game(
        """
        dice 4d6
        each player
            score = 0
        turn
            roll all
            each die f in dice
                if f = 5: leave
                if f = 2: next
                score = 10 * score + f
            each die in dice: score = 10 * score + die
            score = 100 * score + sum of (f) over each die f in dice
        """
    )
    assert get(play(rules, "2 3 3 5").node, "score") == 33235 * 100 + 13


# --- bags

BAG = """
    bag cup with red times 2, blue times 3
    pile hand, out of cup
    each player
        score = 0
    turn
        draw 2 to hand
        choose
            "Back"
                move hand to cup
                draw lowest of (9, size of cup) from cup to out
            "Put": move {red} from hand to out
            "Draw of the hand": draw 1 from hand to out
        score = 100 * number of red in cup + 10 * size of hand + number of blue in out
        if hand show x x: score + 5000
        if blue in hand and red not in hand: score + 2000
"""


def test_what_is_drawn_is_gone_and_the_odds_follow() -> None:
    rules = game(BAG)
    first = start(rules)
    assert "to draw cup 2" in str(first.node)
    odds = {outcome.text: outcome.probability for outcome in first.outcomes()}
    assert odds == {
        "red red": Fraction(1, 10),
        "red blue": Fraction(6, 10),
        "blue blue": Fraction(3, 10),
    }
    position = roll(first, "red blue").play("Put")
    assert get(position, "score") == 2110
    second = roll(first, "blue blue").play("Draw of the hand")
    assert [outcome.text for outcome in second.outcomes()] == ["blue"]
    assert get(roll(second, "blue"), "score") == 2211
    third = roll(first, "red red").play("Back")
    assert [outcome.text for outcome in third.outcomes()] == ["red red blue blue blue"]
    assert get(third.play(third.outcomes()[0]), "score") == 3


def test_random_draws_are_those_of_the_bag() -> None:
    first = start(game(BAG))
    shown = Counter(first.throw(random.Random(seed)).text for seed in range(600))
    assert set(shown) == {"red red", "red blue", "blue blue"}
    assert shown["red blue"] > shown["blue blue"] > shown["red red"]


def test_the_throws_of_a_bag_are_refused() -> None:
    for statement, message in {
        "roll cup": 'what lies in "cup" is drawn, not thrown',
        "roll 2 cup": 'no dice are called "cup"',
        "draw 2 to table": "no pile is called",
        "draw 1 from hand to dice": "goes to a pile of its own kind",
    }.items():
        with pytest.raises(RulesError, match=message):
            game("dice 1d6\n" + BAG.replace("draw 2 to hand", statement).replace("\n    ", "\n"))
