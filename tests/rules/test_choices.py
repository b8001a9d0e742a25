"""Every form of choice, by hand."""

import pytest

from dicegames.ground.diagnostic import RulesError
from dicegames.rules.running.playing import played_by, seats_of
from dicegames.rules.running.referee import start
from tests.rules.small import game, get, labels, play, roll


def choices(option: str, *more: str) -> str:
    lines = "".join(f"\n        {line}" for line in (option, *more))
    return f"""
turn
    roll all
    choose{lines}
    score + 1
"""


SUMS = ("sum of t = sum of dice", "sum of dice = sum of t", "not sum of t != sum of dice")


@pytest.mark.parametrize("where", SUMS)
def test_parts_are_found_by_their_sum_in_any_words(where: str) -> None:
    table = "\ntable\n    up = (1 to 5)\n"
    line = f'"Shut" some of up as t where {where} and size of t <= 2: up - t'
    rules = game(table + choices(line, '"Stay": pass'))
    position = play(rules, "1 2 2")
    assert labels(position) == ["Shut 5", "Shut 2 3", "Shut 1 4", "Stay"]
    after = play(rules, "1 2 2", "Shut 1 4", "1 1 1")
    assert labels(after) == ["Shut 3", "Stay"]


def test_a_condition_that_breaks_for_some_part_says_so() -> None:
    table = "\ntable\n    up = (1 to 3)\n"
    line = '"Shut" any of up as t where lowest of t = lowest of dice: up - t'
    rules = game(table + choices(line))
    with pytest.raises(RulesError, match="lowest"):
        labels(play(rules, "1 1 2"))


QUANTITIES = [
    ("any", ["none", "1", "2", "1 1", "1 2", "1 1 2"]),
    ("some", ["1", "2", "1 1", "1 2", "1 1 2"]),
    ("one", ["1", "2"]),
    ("2", ["1 1", "1 2"]),
    ("at least 2", ["1 1", "1 2", "1 1 2"]),
    ("at least lowest of dice + 1", None),
    ("at most 1", ["none", "1", "2"]),
    ("at most (3 - 2)", ["none", "1", "2"]),
]


@pytest.mark.parametrize(("quantity", "parts"), [q for q in QUANTITIES if q[1] is not None])
def test_quantities_of_dice(quantity: str, parts: list[str]) -> None:
    rules = game(choices(f'"Keep" {quantity} of dice as k: score + 10 * sum of k'))
    position = play(rules, "1 1 2")
    assert labels(position) == [f"Keep {part}" for part in parts]
    assert get(position.play(f"Keep {parts[-1]}"), "score") == 1 + 10 * sum(
        int(face) for face in parts[-1].split() if face != "none"
    )


def test_a_quantity_may_depend_on_the_position() -> None:
    rules = game(choices('"Keep" at least (number of 1 in dice) of dice as k: pass'))
    assert labels(play(rules, "1 1 2")) == ["Keep 1 1", "Keep 1 2", "Keep 1 1 2"]


@pytest.mark.parametrize(
    ("quantity", "parts"),
    [
        ("some", ["1", "2", "4", "1 2", "1 4", "2 4", "1 2 4"]),
        ("any", ["none", "1", "2", "4", "1 2", "1 4", "2 4", "1 2 4"]),
        ("one", ["1", "2", "4"]),
        ("2", ["1 2", "1 4", "2 4"]),
    ],
)
def test_quantities_of_sets(quantity: str, parts: list[str]) -> None:
    table = "\ntable\n    up = (1 to 4)\n"
    rules = game(table + choices(f'"Shut" {quantity} of (up - 3) as t: score + 5'))
    assert labels(play(rules, "1 1 2")) == [f"Shut {part}" for part in parts]


def test_a_picked_number_is_a_number() -> None:
    rules = game(choices('"Throw" one of 1 to 3 as n: roll n dice, score + n'))
    position = play(rules, "1 1 1")
    assert labels(position) == ["Throw 1", "Throw 2", "Throw 3"]
    assert get(roll(position.play("Throw 2"), "6 6"), "score") == 3


def test_a_picked_die_is_dice() -> None:
    rules = game(choices('"Turn" one of dice as k: roll k, score + sum of k'))
    assert labels(play(rules, "1 3 3")) == ["Turn 1", "Turn 3"]


BOXES = """
boxes hands
    "Pair"     x x          pays sum
    "Mixed"    x x y        pays sum
    "Six"      any 6        pays sum
patterns worth
    "Double"   x x          pays 2
"""


def test_boxes_naming_their_faces() -> None:
    text = BOXES.replace('"Six" ', '"Six" ').replace("any 6 ", "6 6 6 ")
    rules = game(
        text + choices("one of open hands as h naming its faces: use h, score + points of h")
    )
    moves = labels(play(rules, "2 2 3"))
    assert moves[:6] == ["Pair 1", "Pair 2", "Pair 3", "Pair 4", "Pair 5", "Pair 6"]
    assert moves[6:9] == ["Mixed 1 2", "Mixed 1 3", "Mixed 1 4"]
    assert moves[-1] == "Six"
    assert len(moves) == 6 + 30 + 1
    assert get(play(rules, "2 2 3", "Pair 2"), "score") == 5
    assert get(play(rules, "2 2 3", "Pair 3"), "score") == 1
    assert get(play(rules, "2 2 3", "Mixed 2 3"), "score") == 8
    assert get(play(rules, "2 2 3", "Mixed 3 2"), "score") == 1


def test_boxes_without_naming_take_the_best_match() -> None:
    rules = game(BOXES + choices("one of hands as h: score + points of h"))
    assert labels(play(rules, "2 2 3")) == ["Pair", "Mixed", "Six"]
    assert get(play(rules, "2 2 3", "Pair"), "score") == 5
    assert get(play(rules, "2 2 3", "Six"), "score") == 1


def test_spare_dice_of_a_box() -> None:
    rules = game(
        BOXES
        + choices(
            "one of open hands as h naming its faces where size of spare of h = 1: roll spare of h"
        ).replace("any 6 ", "6 6 6 ")
    )
    # "Mixed 2 3" needs all three dice, "Mixed 2 1" two of them, "Pair 3" one
    spare_one = ["Pair 2", "Mixed 1 2", "Mixed 2 1", "Mixed 2 4", "Mixed 2 5", "Mixed 2 6"]
    moves = labels(play(rules, "2 2 3"))
    assert set(spare_one) - {"Mixed 1 2"} <= set(moves)
    assert "Mixed 2 3" not in moves
    assert "Pair 3" not in moves


def test_conditions_where_when_unless() -> None:
    rules = game(
        choices(
            '"Low" when sum of dice < 8: pass',
            '"High" unless sum of dice < 8: pass',
            '"Pairs" 2 of dice as k where k show x x when sum of dice < 8: pass',
        )
    )
    assert labels(play(rules, "2 2 3")) == ["Low", "Pairs 2 2"]
    assert labels(play(rules, "6 6 3")) == ["High"]


def test_prices_are_paid_and_limit() -> None:
    rules = game(
        "each player\n    score = 0\n    coins = 3\n"
        + choices('"Buy" for 2 coins: score + 10', '"Free": score + 1')
    )
    position = play(rules, "1 1 1", "Buy")
    assert (get(position, "coins"), get(position, "score")) == (1, 11)
    assert labels(roll(position, "1 1 1")) == ["Free"]


def test_prices_of_one_kind_add_up() -> None:
    rules = game(
        "each player\n    score = 0\n    coins = 3\n    gems = 1\n"
        + choices('"Two" for 1 coins for 2 coins for 1 gems: pass', '"No": pass')
    )
    position = play(rules, "1 1 1")
    assert labels(position) == ["Two", "No"]
    position = position.play("Two")
    assert (get(position, "coins"), get(position, "gems")) == (0, 0)
    short = game(
        "each player\n    score = 0\n    coins = 2\n"
        + choices('"Two" for 1 coins for 2 coins: pass', '"No": pass')
    )
    assert labels(play(short, "1 1 1")) == ["No"]


def test_prices_may_depend_on_the_pick() -> None:
    rules = game(
        "each player\n    score = 0\n    coins = 3\n"
        + choices('"Buy" some of dice as k for (size of k) coins: score + sum of k', '"No": pass')
    )
    position = play(rules, "1 1 6", "Buy 1 6")
    assert get(position, "coins") == 1
    assert labels(roll(position, "2 2 4")) == ["Buy 2", "Buy 4", "No"]


def test_options_of_house_rules_that_do_not_hold_are_not_there() -> None:
    text = "option luxury = no\n" + choices('"Buy" when luxury: pass', '"No": pass')
    assert labels(play(game(text), "1 1 1")) == ["No"]
    assert labels(play(game(text, luxury=True), "1 1 1")) == ["Buy", "No"]


def test_otherwise_is_taken_exactly_when_nothing_else_is_legal() -> None:
    rules = game(choices('"Take" when dice show x x: score + 5', "otherwise: score + 100"))
    assert labels(play(rules, "1 1 2")) == ["Take"]
    nothing = play(rules, "1 2 3")
    assert len(nothing.moves()) == 1
    assert get(nothing.play(nothing.moves()[0]), "score") == 101


def test_no_legal_move_and_no_otherwise_is_a_mistake_with_its_place() -> None:
    rules = game(choices('"Take" when dice show x x: pass'))
    with pytest.raises(RulesError) as caught:
        play(rules, "1 2 3").moves()
    text = str(caught.value)
    assert text.startswith("test.dg:3:5: no move is legal here")
    assert "[no-move]" in text


def test_moves_are_found_by_name_in_any_case_and_spacing() -> None:
    rules = game(choices('"Keep" some of dice as k: pass'))
    position = play(rules, "1 1 2")
    assert position.named("  keep   1  2 ").label == "Keep 1 2"
    with pytest.raises(ValueError, match="no legal move"):
        position.named("Keep 3")


def test_choices_inside_choices() -> None:
    rules = game("""
        turn
            roll all
            choose
                "Keep" some of dice as k
                    choose
                        "Double" when size of k = 1: score + 2 * sum of k
                        "Single": score + sum of k
                    score + 100
    """)
    assert get(play(rules, "1 1 6", "Keep 6", "Double"), "score") == 112
    assert labels(play(rules, "1 1 6", "Keep 1 6")) == ["Single"]


def test_two_things_are_picked_in_one_move() -> None:
    rules = game(
        """
        dice 2d6
        each player
            score = 0
        table
            up = () from (1 to 20)
            colours = (red, blue)
        turn
            roll all
            up = (1, 2, 12)
            choose
                "Take" one of colours as c and at most 2 of up as t when sum of t = sum of dice
                    score + sum of t
                    colours - c
                    roll all
                    choose
                        "Bet" one of (1, 2) as n and one of those m in (1 to 3) where m > n as q
                            score + 10 * n + q
                otherwise: pass
        """
    )
    position = play(rules, "1 2")
    assert labels(position) == ["Take red 1 2", "Take blue 1 2"]
    assert "colours red blue" in str(position)
    position = play(rules, "1 2", "Take blue 1 2", "1 1")
    assert "colours red |" in str(position)
    assert labels(position) == ["Bet 1 2", "Bet 1 3", "Bet 2 3"]
    assert get(position.play("Bet 2 3"), "score") == 26
    assert labels(play(rules, "6 6")) == ["Take red 12", "Take blue 12"]
    assert labels(play(rules, "1 4")) == ["(no move)"]


def test_strategies_speak_of_each_of_two_things() -> None:
    rules = game(
        """
        dice 1d6
        each player
            score = 0
        turn
            choose
                "Bet" one of (red, blue) as c and one of 1 to 3 as n: score + n
            roll all
        ends after 2 rounds
        strategy "Blue and two"
            when score = 0: "Bet" blue 2
            otherwise: pick n with highest n
        """
    )
    strategic = played_by(rules, seats_of(rules, "Blue and two"))
    first = start(strategic)
    assert labels(first) == ["Bet blue 2"]
    assert labels(play(strategic, "Bet blue 2", "4"))[0] == "Bet red 3"
