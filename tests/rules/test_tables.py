"""Tables of rows: patterns, points, alternatives, families."""

import pytest

from dicegames.ground.diagnostic import RulesError
from dicegames.ground.source import Source
from dicegames.rules.check import check
from dicegames.rules.parts.broken import RuleBroken
from dicegames.rules.parts.game import Rules
from tests.rules.small import dice, game, value

RULES = """
option kind = plain | rich
dice 5d6
each player
    score = 0
    bonus = no
patterns hands
    each n in 1 to 6: "Face n"   any n                                  pays n each
    "Twos"            any 2                                             pays sum
    "Pair"            x x                                               pays sum
    "Higher"          x x y y where y = x + 1                           pays 10 * x + y
    "Lower"           x x y y where x = y + 1                           pays 10 * x + y
    "Apart"           x y where y >= x + 4                              pays 10 * y + x
    "House"           x x x y y | any dice if bonus                     pays 25
    "Kind"            x x x ...                                         pays sum
    "Count"           x x x ...                                         pays 10 * size of dice
    "Kinds"           x x x x pays 40
    "Rich"            1 1 1 ... if kind = rich | 6 6 if kind = plain    pays 7
    "Rich steps"      x y where y = x + 5 if kind = rich | 1 2          pays 3
    "Plain steps"     x y where y = x + 5 if kind = plain | 1 2         pays 3
    "Run"             run of 4 | run of 5                               pays sum
    "Fixed"           1 2 2 6                                           pays 100
    "Fixed pair"      1 1 x x                                           pays x
    "All"             any dice                                          pays sum
    "Fine"            1 1                                               pays 0 - 5
"""

POINTS = [
    ("Face 3", "3 3 1 2 4", 6),
    ("Face 3", "1 1 1 1 1", 0),
    ("Twos", "2 2 2 1 1", 6),
    ("Pair", "2 2 5 5 1", 10),
    ("Pair", "1 2 3 4 5", 0),
    ("Higher", "2 2 3 3 1", 23),
    ("Higher", "2 2 4 4 1", 0),
    ("Lower", "2 2 3 3 1", 32),
    ("Apart", "1 1 2 5 6", 62),
    ("Apart", "1 1 2 2 3", 0),
    ("Rich steps", "1 6 6 6 6", 0),
    ("Plain steps", "1 6 6 6 6", 3),
    ("Plain steps", "3 6 6 6 6", 0),
    ("House", "2 2 2 3 3", 25),
    ("House", "2 2 2 2 2", 0),
    ("Kind", "4 4 4 4 1", 16),
    ("Kind", "4 4 4 1 1", 12),
    ("Kind", "4 4 2 1 1", 0),
    ("Count", "4 4 4 1 1", 50),
    ("Kinds", "4 4 4 4 4", 40),
    ("Rich", "1 1 1 2 3", 0),
    ("Rich", "1 1 1 6 6", 7),
    ("Run", "1 2 3 4 6", 10),
    ("Run", "2 3 4 5 6", 20),
    ("Fixed", "1 2 2 6 3", 100),
    ("Fixed", "1 2 6 6 3", 0),
    ("Fixed pair", "1 1 4 4 4", 4),
    ("Fixed pair", "1 1 1 1 4", 1),
    ("Fixed pair", "1 1 1 4 5", 0),
    ("All", "1 2 3 4 5", 15),
    ("Fine", "1 1 2 3 4", -5),
    ("Fine", "1 2 2 3 4", 0),
]


@pytest.fixture(scope="module")
def rules() -> Rules:
    return game(RULES)


@pytest.mark.parametrize(("row", "roll", "expected"), POINTS)
def test_points(rules: Rules, row: str, roll: str, expected: int) -> None:
    assert value(rules, f'points of "{row}"', roll) == expected
    if expected != 0 or row == "All":
        assert value(rules, f'dice show "{row}"', roll) is True
    elif row not in ("Twos", "Face 3"):
        assert value(rules, f'dice show "{row}"', roll) is False


SPARE = [
    ("Higher", "2 2 3 3 1", "1"),
    ("House", "2 2 2 3 3", ""),
    ("Rich", "1 6 6 6 2", "1 2 6"),  # the second of its patterns
    ("Run", "1 2 3 4 1", "1"),
    ("Fixed pair", "1 1 4 4 6", "6"),
    ("Fixed", "3 4 5 6 6", "3 4 5 6"),  # not shown: what is beyond 1 2 2 6
    ("All", "1 2 3 4 5", ""),
]
OPEN = [("Pair", "2 2 5 5 1"), ("Run", "1 2 3 4 5"), ("Higher", "1 2 3 4 6"), ("Rich", "1 1 6 5 2")]


@pytest.mark.parametrize(("row", "roll", "expected"), SPARE)
def test_spare_dice(rules: Rules, row: str, roll: str, expected: str) -> None:
    assert value(rules, f'spare of "{row}"', roll) == dice(rules, expected)


@pytest.mark.parametrize(("row", "roll"), OPEN)
def test_spare_dice_that_are_open(rules: Rules, row: str, roll: str) -> None:
    with pytest.raises(RuleBroken, match=f'which dice "{row}" needs is open'):
        value(rules, f'spare of "{row}"', roll)


def test_a_run_that_can_begin_in_one_place_needs_these_dice() -> None:
    small = game(
        RULES[: RULES.index("patterns")].replace("5d6", "4 with 3 sides")
        + 'patterns hands\n    "Run" run of 3 pays 5\n'
    )
    for roll, expected in (("1 2 2 2", "2 2"), ("1 1 2 3", "1"), ("1 1 1 3", "1 1")):
        assert value(small, 'spare of "Run"', roll) == dice(small, expected)


@pytest.mark.parametrize(
    ("row", "roll", "told"),
    [
        ("Pair", "2 2 5 5 1", "let the player name its faces: one of ... as NAME naming its faces"),
        ("Pair", "1 2 3 4 5", "do not let it be picked then: one of ... as NAME where dice show"),
        ("Run", "1 2 3 4 5", "write the run with letters, as in x y z where y = x + 1"),
    ],
)
def test_how_it_is_made_clear_which_dice_are_spare(
    rules: Rules, row: str, roll: str, told: str
) -> None:
    with pytest.raises(RuleBroken) as caught:
        value(rules, f'spare of "{row}"', roll)
    assert caught.value.help.startswith(told)


def test_conditions_on_the_game(rules: Rules) -> None:
    assert value(rules, 'points of "House"', "1 2 3 4 5", bonus=True) == 25
    rich = game(RULES, kind="rich")
    assert value(rich, 'points of "Rich"', "1 1 1 2 3") == 7
    assert value(rich, 'points of "Rich"', "1 2 3 6 6") == 0


def test_best_row_of_a_table(rules: Rules) -> None:
    assert value(rules, "points of best of hands", "1 2 2 6 3") == 100
    assert value(rules, 'best of hands = "Fixed"', "1 2 2 6 3") is True
    assert value(rules, 'best of hands = "All"', "1 1 3 4 6") is False


def test_points_that_read_other_rows() -> None:
    rules = game("""
        boxes hands
            "Low"      any 1                   pays sum
            "Double"   any dice                pays 2 * points of "Low"
            "Left"     any dice                pays 10 * size of open hands
    """)
    assert value(rules, 'points of "Double"', "1 1 5") == 4
    assert value(rules, 'points of "Left"', "1 1 5") == 30
    assert value(rules, 'points of "Left"', "1 1 5", used=0b001) == 20


def test_rows_in_the_order_of_the_file_that_read_later_rows() -> None:
    rules = game("""
        each player
            score = 0
            lucky = no
        patterns hands
            "First"    any dice                pays points of "Second"
            "Second"   any dice if lucky       pays 9
    """)
    assert value(rules, 'points of "First"', "1 1 5") == 0
    assert value(rules, 'points of "First"', "1 1 5", lucky=True) == 9


def test_faces_that_are_words() -> None:
    rules = game("""
        dice 3 with faces crown, anchor, heart
        patterns hands
            "Crowns"   any crown               pays 5 each
            "Three"    x x x                   pays 50
            "Royal"    crown x x where x = heart    pays 70
        turn
            roll all
            score + points of best of hands
    """)
    assert value(rules, 'points of "Crowns"', "crown crown heart") == 10
    assert value(rules, 'points of "Three"', "heart heart heart") == 50
    assert value(rules, 'points of "Royal"', "crown heart heart") == 70
    assert value(rules, 'points of "Royal"', "crown anchor anchor") == 0


BAG_FIRST = """
bag cup with red times 3, blue
pile hand of cup
dice 2d6
pile aside
each player
    score = 0
patterns worth
    "Sixes"  6 6        pays 50
    "Any"    any dice   pays sum
turn
    roll all
    draw 1 to hand
    choose
        "Put aside" some of dice as k: move k to aside
        "Leave": pass
    score + points of best of worth + sum of aside
ends after 1 rounds
payoff highest score
strategy "S"
    otherwise: "Put aside" 6
"""


def test_rows_and_piles_are_of_dice_not_of_what_lies_in_a_bag_before_them() -> None:
    rules = game(BAG_FIRST)
    assert rules.names.tables["worth"][0].kind is rules.names.kinds["dice"]
    assert rules.names.piles["aside"] == "dice"


def test_a_table_in_a_game_with_a_bag_and_no_dice() -> None:
    head, rest = 'game "Test"\nbag cup with red, blue\n', "ends after 1 rounds\npayoff 1\n"
    rules = f'{head}boxes card\n    "A"  x  pays 1\nturn\n    pass\n{rest}'
    with pytest.raises(RulesError, match="a table of rows needs dice"):
        check(Source("test.dg", rules), {})


@pytest.mark.parametrize(
    ("text", "right"),
    [
        ('"Any" is open', True),
        ('"Any" is used', False),
        ("all hand are open", True),
        ("all hand are used", False),
        ("size of open hand", 2),
        ("open hand is empty", False),
        ("some r in open hand has points of r = 3", True),
        ("points of best of open hand", 3),
        ("size of open card", 1),
        ("size of used + 10 * sum of used", 11),
    ],
)
def test_patterns_are_always_open(text: str, right: object) -> None:
    rules = game("""
        dice 2d6
        each player
            score = 0
        boxes card
            "Low"   any dice  pays 1
            "High"  any dice  pays 2
        patterns hand
            "Any"   any dice  pays 3
            "Ones"  1         pays 4
    """)
    assert value(rules, text, "2 2", used=0b10) == right
