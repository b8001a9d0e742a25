"""Players who do not interact: who they are is proven, and all others are solved together."""

from __future__ import annotations

import pytest

from dicegames.analysis.solution import solve_game
from dicegames.compiler.independence import is_independent
from dicegames.rules.parts.game import Rules
from dicegames.rules.running.exploration import exact_value
from dicegames.rules.running.objectives import ObjectiveError
from tests.rules.small import game

BOXES = """
boxes card
    "Low"   any dice   pays 4 - sum
    "High"  any dice   pays sum
"""
CHOOSE = """
    choose
        one of open card as c
            score + points of c
            use c
"""


def by_seat(rules: Rules) -> list[float]:
    found = exact_value(rules, objective="payoff")
    return [float(value) for value in (found if isinstance(found, tuple) else (found,))]


def small(text: str, players: int = 2) -> Rules:
    players_line = "option players = 2 from 1 to 3\n"
    return game(players_line + "dice 1d3\n" + text, players=players)


INDEPENDENT = {
    "counters of one's own": """
each player
    score = 0
    left of (1 to 2) = 1
turn
    roll all
    choose
        one of (1 to 2) as n for 1 left of n: score + n * sum of dice
ends after 2 rounds""",
    "rounds": "turn\n    roll all\n    score + sum of dice\nends after 2 rounds",
    "the round": "turn\n    roll all\n    score + round * sum of dice\nends after 2 rounds",
    "boxes": f"{BOXES}\nturn\n    roll all{CHOOSE}\nends when all boxes are used",
    "boxes, whole rounds": f"""{BOXES}
turn
    roll all{CHOOSE}
ends after the round when all boxes are used""",
}

INTERACTING = {
    "a turn ends the game": """
turn
    roll all
    score + sum of dice
    if dice show 3: end game
ends after 2 rounds""",
    "the state of one ends the game": """
turn
    roll all
    score + sum of dice
ends when score >= 4 or round > 3""",
    "the round ends the game at once": """
turn
    roll all
    score + sum of dice
ends when round >= 2""",
    "the seat ends the game": """
turn
    roll all
    score + sum of dice
ends after the round when seat = 1 or round >= 2""",
    "the seat counts": "turn\n    roll all\n    score + seat * sum of dice\nends after 2 rounds",
    "the seat is asked": "turn\n    roll all\n    if seat = 2: score + 5\nends after 2 rounds",
    "the payoff counts the seat": """
each player
    score = 0 to 6
turn
    roll all
    score + sum of dice
ends after 2 rounds
payoff highest score * seat""",
    "the last player's points count for all": """
each player
    score = 0
turn
    roll all
    score + sum of dice
ends after 2 rounds
payoff highest score of mover""",
    "how many play": """
turn
    roll all
    score + size of players * sum of dice
ends after 2 rounds""",
    "a turn may use no box": f"""{BOXES}
turn
    roll all
    if dice show 1: end turn{CHOOSE}        otherwise: pass
ends when all boxes are used or round > 3""",
    "a part of the boxes": f"""{BOXES}
boxes more
    "Any"   any dice   pays 1
turn
    roll all
    choose
        one of open card as c
            score + points of c
            use c
        one of open more as c
            score + 1
            use c
ends when all card are used""",
    "a box again": f"""{BOXES}
turn
    roll all
    choose
        one of card as c where c is open or round = 2
            score + points of c
            use c
        otherwise: pass
ends when all boxes are used or round > 2""",
    "after the last turn": """
turn
    roll all
    score + sum of dice
ends after 2 rounds
at the end
    score + 10""",
    "at the end, only of one who is alone": """
turn
    roll all
    score + sum of dice
ends after 2 rounds
at the end
    if no p in players has p != mover: score + 10""",
}


@pytest.mark.parametrize("name", [*INDEPENDENT, *INTERACTING])
def test_the_solution_is_that_of_the_referee(name: str) -> None:
    rules = small((INDEPENDENT | INTERACTING)[name])
    assert is_independent(rules) == (name in INDEPENDENT)
    assert solve_game(rules).value == pytest.approx(by_seat(rules), abs=1e-12)


def test_all_boxes_are_those_of_all_players() -> None:
    """The last player has as many turns as the first."""
    rules = small(INDEPENDENT["boxes"], players=3)
    alone = by_seat(small(INDEPENDENT["boxes"], players=1))
    assert by_seat(rules) == alone * 3


@pytest.mark.parametrize("before", ["if dice show 1: end turn", f"if dice show 3{CHOOSE}"])
def test_turns_that_use_no_box_or_two_are_not_equally_many(before: str) -> None:
    turn = "roll all\n    " + before.replace("\n", "\n    ") + CHOOSE
    rules = small(f"{BOXES}\nturn\n    {turn}\nends when all boxes are used")
    assert not is_independent(rules)


def looking(sentence: str) -> Rules:
    return small(f"""
table
    shared = 0
turn
    roll all
    score + sum of dice
    {sentence}
ends after 2 rounds""")


LOOKING = {
    "at points": ("if any player has score = 0: score + 10", 12),  # somebody else has nothing
    "at who sits where": ("score + (1 if every player has seat != 2 else 5)", 7),
    "at the table": ("shared + 1, score + shared", 3),  # the first turn of all
}


@pytest.mark.parametrize("name", LOOKING)
def test_a_turn_may_look_at_others(name: str) -> None:
    """The turn is that of the first player, in company: the die brings 2, the rest stands here."""
    sentence, value = LOOKING[name]
    rules = looking(sentence)
    assert exact_value(rules, objective="turn") == value
    assert solve_game(rules, "turn").value == pytest.approx(value)


@pytest.mark.parametrize("name", LOOKING)
def test_a_long_run_in_company_is_refused(name: str) -> None:
    with pytest.raises(ObjectiveError, match="--set players=1"):
        solve_game(looking(LOOKING[name][0]), "average")


def test_a_turn_is_that_of_so_many_players() -> None:
    rules = small(INTERACTING["how many play"])
    assert solve_game(rules, "turn").value == pytest.approx(4)
