"""The number of turns is bounded by what they use up, where they do use it up."""

from __future__ import annotations

import pytest

from dicegames.analysis.solution import solve_game
from dicegames.compiler.compile import compile_game
from dicegames.compiler.exploring.turn_ends import most_rounds
from dicegames.rules.parts.broken import RuleBroken
from dicegames.rules.running import search
from dicegames.rules.running.exploration import exact_value
from tests.rules.small import game

CARD = """
dice 1d3
each player
    chips = 0
boxes card
    "Low"   any dice   pays 4 - sum
    "High"  any dice   pays sum
turn
    roll all
    choose
        one of WHOLE
            chips + 1
            use c
ends when all boxes are used or chips >= 5
payoff highest chips * chips
"""

TILES = """
dice 1d3
table
    up = (1 to 3)
each player
    chips = 0
turn
    roll all
    choose
        "Shut" one of WHOLE as t: up - t
        otherwise: pass
    chips + 1
ends when up is empty or chips >= 5
payoff highest chips * chips
"""


BACK = """
dice 1d3
table
    up = (1 to 3)
each player
    chips = 0
turn
    up = (1 to 3)
    repeat 2 times
        roll all
        choose
            "Shut" one of up as t: up - t
            "Go on": pass
    choose
        "Shut last" one of up as t: up - t
    chips + 1
ends when chips >= 5
payoff highest chips * chips
"""


def test_what_is_put_back_is_not_used_up() -> None:
    rules = game(BACK)
    assert solve_game(rules).value == pytest.approx(25)
    assert exact_value(rules) == 25


@pytest.mark.parametrize("text", [CARD, TILES])
@pytest.mark.parametrize("again", [False, True])
def test_a_box_may_be_used_again(text: str, *, again: bool) -> None:
    """Where it may, there can be more turns than boxes, and more chips."""
    whole, free = (
        ("open card as c", "card as c where c is open or chips > 0")
        if text is CARD
        else ("up", "(1 to 3)")
    )
    rules = game(text.replace("WHOLE", free if again else whole))
    members = 2 if text is CARD else 3
    assert solve_game(rules).value == pytest.approx(25 if again else members**2)
    assert exact_value(rules) == (25 if again else members**2)


@pytest.mark.parametrize(
    ("before", "after", "most"),
    [
        ("all boxes are used or chips >= 5", "all boxes are used", 2),
        ("ends when all boxes are used or chips >= 5", "ends after 2 rounds", 2),
    ],
)
def test_turns_bound_what_has_no_limit_of_its_own(before: str, after: str, most: int) -> None:
    """Nothing else bounds the chips: a chip in each turn, a box or a round for each turn."""
    assert before in CARD
    rules = game(CARD.replace("WHOLE", "open card as c").replace(before, after))
    solution = solve_game(rules)
    (chips,) = [axis for axis in solution.compiled.model.axes if axis.name == "chips"]
    assert not chips.unbounded
    assert most - 1 <= chips.size - 1 <= most  # before the last turn there is one less
    assert solution.value == pytest.approx(most**2)
    assert exact_value(rules) == most**2


def test_rounds_bound_what_has_no_limit_of_its_own() -> None:
    rules = game(
        "dice 1d3\neach player\n    chips = 0\nturn\n    roll all\n    choose\n"
        '        "Take": chips + 1\n        "Leave": pass\n'
        "ends after 3 rounds\npayoff highest chips * chips\n"
    )
    solution = solve_game(rules)
    (chips,) = [axis for axis in solution.compiled.model.axes if axis.name == "chips"]
    assert chips.size - 1 == 2  # before the last turn
    assert solution.value == pytest.approx(9)


@pytest.mark.parametrize(
    ("ends", "players", "turns"),
    [
        ("after 3 rounds", 1, 3),
        ("after 3 rounds", 3, 9),
        ("when round >= 4", 2, 8),
        ("when chips >= 5", 1, None),
        ("when round >= 4 and chips >= 5", 1, None),  # nobody has to have five
        ("when dice show 3 or round >= 4", 2, 8),
        ('after the round when points of "Low" > 3 or round >= 2', 2, 4),  # of dice not yet thrown
        ('when points of "Low" > 3 or chips >= 5', 2, None),
        ("when 10 div (round - 1) < 3", 1, 5),  # what breaks in the first round ends nothing there
    ],
)
def test_rounds_bound_the_turns_of_all_players(ends: str, players: int, turns: int | None) -> None:
    rules = game(
        f"option players = {players} from 1 to 4\ndice 1d3\neach player\n    chips = 0\n"
        'boxes card\n    "Low"  any 2  pays 2 each\n'
        "turn\n    roll all\n    choose\n"
        '        "Take": chips + 1\n        "Leave": pass\n'
        f"ends {ends}\npayoff highest chips\n"
    )
    rounds = most_rounds(rules)
    assert (rounds and rounds * rules.players) == turns


TWINS = """
dice 2d6
each player
    score = 0
    twins = 0 to MOST
boxes card
    each n in 1 to 13: "Box n" any dice pays n
turn
    roll all
    if dice show x x: twins + 1
    choose
        one of open card as c
            score + points of c
            use c
ends when all boxes are used
payoff highest score
"""


def test_a_range_as_wide_as_there_are_turns_holds() -> None:
    assert compile_game(game(TWINS.replace("MOST", "13"))).model.nodes > 1


def test_a_range_that_fails_in_the_last_turn_only_is_refused_with_the_value() -> None:
    told = r'(?s)it would not where "twins" is 12, if that comes up.*--time 5m'
    with pytest.raises(RuleBroken, match=told):
        compile_game(game(TWINS.replace("MOST", "12")))


def test_what_ends_the_game_is_known_when_a_turn_begins(monkeypatch: pytest.MonkeyPatch) -> None:
    """The highest of no tiles is never asked for, also where no search sees all positions."""
    monkeypatch.setattr(search, "MOST_SEARCH_STEPS", 0)
    rules = game(
        "dice 2d6\ntable\n    up = (1 to 5)\n    shut = 0\nturn\n    roll all\n    choose\n"
        '        "Shut" some of up as t where sum of t = sum of dice: up - t\n'
        "        otherwise: up - highest of up, shut + 1\n"
        "ends when up is empty\npayoff lowest shut\n"
    )
    assert compile_game(rules).model.axes  # so that no positions had to be listed


EACH_HIS_CARD = """
option players = 2 from 1 to 3
dice 1d3
each player
    chips = 0
boxes card
    "Low"   any dice   pays 4 - sum
    "High"  any dice   pays sum
turn
    roll all
    choose
        one of open card as c
            chips + points of c
            use c
        MORE
ends when all boxes are used
ranking highest chips, ties earlier
payoff win
"""


@pytest.mark.parametrize("players", [2, 3])
def test_boxes_of_all_players_bound_what_each_of_them_has(players: int) -> None:
    """It was refused, since no limit of the chips was found."""
    rules = game(EACH_HIS_CARD.replace("        MORE\n", ""), players=players)
    solution = solve_game(rules)
    sizes = [axis.size for axis in solution.compiled.model.axes if "chips" in axis.name]
    assert sizes == [7] * players  # two boxes of three points each
    exact = exact_value(rules)
    assert isinstance(exact, tuple)
    assert len(set(exact)) > 1
    assert solution.value == pytest.approx([float(v) for v in exact], abs=1e-12)


def test_a_range_holds_if_who_moves_next_has_had_a_turn_less() -> None:
    """It was refused: what others have who moved in all their turns was thought of the mover."""
    text = EACH_HIS_CARD.replace("        MORE\n", "")
    rules = game(text.replace("chips = 0", "chips = 0 to 6"))
    assert solve_game(rules).value == pytest.approx(solve_game(game(text)).value, abs=1e-12)
    with pytest.raises(RuleBroken, match="the value leaves its range here: it becomes 6"):
        compile_game(game(text.replace("chips = 0", "chips = 0 to 5")))


def test_turns_that_use_no_box_are_without_number() -> None:
    with pytest.raises(RuleBroken, match='"chips" takes ever more values'):
        compile_game(game(EACH_HIS_CARD.replace("MORE", '"Over": chips + 1')))


HANDED_ON = """
option players = 2
dice 1d2
each player
    up = (1 to 2)
    chips = 0
this turn
    own = (1 to 2)
turn
    roll all
    choose
        "Shut" one of up as t
            up - t
            chips + t * sum of dice
        otherwise: end game
    own = up
    up = up of left of mover
    up of left of mover = WHOSE
ends when up of mover is empty and up of left of mover is empty
ranking highest chips, ties earlier
payoff win
"""


def test_sets_that_change_hands_are_used_up_too() -> None:
    rules = game(HANDED_ON.replace("WHOSE", "own"))
    exact = exact_value(rules)
    assert isinstance(exact, tuple)
    assert solve_game(rules).value == pytest.approx([float(v) for v in exact], abs=1e-12)
    copied = HANDED_ON.replace("WHOSE", "up")  # what is shut is open again
    with pytest.raises(RuleBroken, match='"chips" takes ever more values'):
        compile_game(game(copied))


def test_the_round_may_go_on_when_all_is_used_up() -> None:
    """Who sits last has one more turn; it was an internal error."""
    rules = game(
        "option players = 2\ndice 1d3\ntable\n    up = (1 to 3)\neach player\n    chips = 0\n"
        "turn\n    roll all\n    choose\n"
        '        "Shut" one of up as t: up - t, chips + t * sum of dice\n'
        "        otherwise: chips = chips * chips, end game\n"
        "ends after the round when up is empty\nranking highest chips\npayoff win\n"
    )
    exact = exact_value(rules)
    assert isinstance(exact, tuple)
    assert solve_game(rules).value == pytest.approx([float(v) for v in exact], abs=1e-12)


ONE_OR_THE_OTHER = """
option players = 1 from 1 to 2
dice 1d2
table
    up = (1 to 2)
    mark = 0 to 3 capped
    seen = () from (red, blue)
each player
    chips = 0
    coins = 1 to 0
    done of (1 to 2) = no
turn
    roll all
    choose
        "Shut" one of up as t
            up - t
            chips + t
        "Do" one of (1 to 2) as n where done of n = no: done of n = yes, chips + 1
        "See" when red not in seen: seen + red, chips + 1
        "Pay" for 1 coins: chips + sum of dice
        "Mark" when mark < 3
            mark + 2
            chips + 1
        "All" when coins > 0: coins = 0
        otherwise: end game
ends when up is empty and mark = 3
payoff highest chips * chips
"""


@pytest.mark.parametrize("players", [1, 2])
def test_turns_may_use_up_one_thing_or_the_other(
    players: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A member of a set, what falls to its least value or rises to its greatest, a yes or no."""
    monkeypatch.setattr("dicegames.compiler.listing.VERY_FEW_POSITIONS", 0)
    monkeypatch.setattr("dicegames.compiler.listing.MOST_POSITIONS", 0)  # not listed
    rules = game(ONE_OR_THE_OTHER, players=players)
    compiled = compile_game(rules)
    (chips, *_) = [axis for axis in compiled.model.axes if "chips" in axis.name]
    assert not chips.unbounded
    exact = exact_value(rules)
    wanted = [float(v) for v in exact] if isinstance(exact, tuple) else float(exact)
    assert solve_game(rules).value == pytest.approx(wanted, abs=1e-12)


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("            chips + t\n", "            chips + t, coins = 1\n"),
        ("            chips + 1\n", "            chips + 1, mark - 1\n"),
        (" when mark < 3", ""),
        (" when coins > 0", ""),
        (" where done of n = no", ""),
        (" when red not in seen", ""),
        ("done of n = yes", "done of n = not done of n"),
        ("up - t\n            chips", "up - t, done of 1 = no\n            chips"),
        ('"All" when coins > 0: coins = 0', '"All" when coins > 0: up = (1 to 2)'),
        ("for 1 coins: chips", "when coins > 0: chips"),
    ],
)
def test_what_may_not_be_used_up_bounds_nothing(
    before: str, after: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("dicegames.compiler.listing.VERY_FEW_POSITIONS", 0)
    monkeypatch.setattr("dicegames.compiler.listing.MOST_POSITIONS", 0)  # not listed
    assert before in ONE_OR_THE_OTHER
    with pytest.raises(RuleBroken, match='"chips" takes ever more values'):
        compile_game(game(ONE_OR_THE_OTHER.replace(before, after)))
