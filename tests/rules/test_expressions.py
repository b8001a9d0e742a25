"""Every form of expression, by hand."""

import pytest

from dicegames.ground.diagnostic import RulesError
from dicegames.rules.parts.game import Rules
from dicegames.rules.parts.names import Scope
from dicegames.rules.parts.value_text import PositionError
from dicegames.rules.reading.expressions import expressions
from dicegames.rules.running.notation import parse_position
from dicegames.rules.running.referee import Outcome, Position, start
from tests.rules.small import dice, expression, game, get, value

RULES = """
    option players = 2 from 1 to 4
    option mode = quick | slow
    option deep = no
    dice 5d6
    pile kept
    each player
        score = 0
        progress of (2 to 4) = 0
    table
        up = (1 to 6)
        weather = dry | wet
    this turn
        lost = 0 to 3
    boxes upper
        each n in 1 to 2: "Face n"    any n         pays n each
    boxes lower
        "Pair"                        x x           pays 10
        "Full"                        x x x y y     pays 25
    patterns hands
        "Straight"                    run of 5      pays 40
        "Nothing"                     any dice      pays sum
    map jump
        1 -> 10
        3 -> score
        otherwise -> 0 - 1
    twice of n means 2 * n
    lucky means
        any of
            sum of dice = 7
            dice show x x x
    careful means
        all of
            score >= 0
            not lucky
"""
MORE_NAMES = """
    less of (a, b) means
        a - b
    size_word means
        1 if sum of dice < 10
        2 if sum of dice < (
            9 + 7)
        3 otherwise
"""


@pytest.fixture(scope="module")
def rules() -> Rules:
    text = RULES.replace("        3 -> score\n", "        3 -> 7\n")
    return game(text)


ARITHMETIC = [
    ("1 + 2 * 3", 7),
    ("(1 + 2) * 3", 9),
    ("10 - 2 - 3", 5),
    ("2 ^ (3 ^ 2)", 512),
    ("-3 + 5", 2),
    ("-2 ^ 2", 4),
    ("7 div 2", 3),
    ("-7 div 2", -4),
    ("7 mod 3", 1),
    ("-7 mod 3", 2),
    ("2 * 7 div 4", 3),
    ("yes", True),
    ("no", False),
]


@pytest.mark.parametrize(("text", "expected"), ARITHMETIC)
def test_arithmetic(rules: Rules, text: str, expected: object) -> None:
    assert value(rules, text) == expected


LOGIC = [
    ("1 < 2", True),
    ("2 <= 1", False),
    ("1 != 2", True),
    ("2 >= 2", True),
    ("3 > 4", False),
    ("3 = 3", True),
    ("not 1 = 2", True),
    ("1 = 1 and 2 = 2", True),
    ("1 = 1 and 2 = 3", False),
    ("1 = 2 or 2 = 2", True),
    ("1 = 2 or (2 = 2 and 3 = 4)", False),
    ("not (1 = 2 or 2 = 2)", False),
    ("5 if 1 < 2 else 6", 5),
    ("5 if 1 > 2 else 6", 6),
    ("mode = quick", True),
    ("mode != slow", True),
    ("deep", False),
    ("weather = dry", True),
    ("weather != wet", True),
]


@pytest.mark.parametrize(("text", "expected"), LOGIC)
def test_logic(rules: Rules, text: str, expected: object) -> None:
    assert value(rules, text) == expected


DICE = [
    ("sum of dice", "1 2 2 6 6", 17),
    ("size of dice", "1 2 2", 3),
    ("highest of dice", "1 2 5", 5),
    ("lowest of dice", "2 2 5", 2),
    ("distinct of dice", "1 2 2 6 6", 3),
    ("highest 3 of dice = {2 6 6}", "1 2 2 6 6", True),
    ("sum of lowest 2 of dice", "1 2 2 6 6", 3),
    ("size of lowest 9 of dice", "1 2 2 6 6", 5),
    ("highest 0 of dice is empty", "1 2 2 6 6", True),
    ("number of 2 in dice", "1 2 2 6 6", 2),
    ("number of (2 + 4) in dice", "1 2 2 6 6", 2),
    ("number of lowest of dice in dice", "1 1 4 4 4", 2),
    ("2 in dice", "1 2", True),
    ("3 in dice", "1 2", False),
    ("3 not in dice", "1 2", True),
    ("7 in dice", "1 2", False),
    ("{1 1} in dice", "1 1 2", True),
    ("{1 1} in dice", "1 2 2", False),
    ("dice is empty", "", True),
    ("dice is empty", "1", False),
    ("dice is not empty", "1", True),
    ("dice = {1 2}", "2 1", True),
    ("dice = {1 2}", "2 1 1", False),
    ("dice != {1 2}", "2 1 1", True),
    ("sum of (dice + {6 6})", "1", 13),
    ("sum of (dice - {6 6})", "6 1", 1),
    ("sum of (dice - {})", "6 1", 7),
    ("sum of those f in dice where f > 3", "1 4 4 6", 14),
    ("size of those f in dice where number of f in dice >= 2", "1 4 4 6", 2),
    ("sum of (f * f) over f in dice", "2 3 3", 13),
    ("sum of (f * number of f in dice) over f in dice", "2 3 3", 8),
    ("highest of (number of f in dice) over f in dice", "2 3 3", 2),
    ("lowest of (number of f in dice) over f in dice", "2 3 3", 1),
    ("highest of (number of f in dice) over f in dice", "", 0),
    ("every f in dice has f > 1", "2 3 3", True),
    ("every f in dice has f > 2", "2 3 3", False),
    ("every f in dice has f > 2", "", True),
    ("some f in dice has f > 2", "2 3 3", True),
    ("some f in dice has f > 3", "2 3 3", False),
    ("no f in dice has f > 3", "2 3 3", True),
    ("lucky", "1 6", True),
    ("lucky", "1 1 1", True),
    ("lucky", "1 1 2", False),
    ("careful", "1 1 2", True),
    ("twice of 5", "", 10),
    ("twice of sum of dice", "1 2", 6),
    ("twice of (1 + sum of dice)", "1 2", 8),
]


@pytest.mark.parametrize(("text", "roll", "expected"), DICE)
def test_dice(rules: Rules, text: str, roll: str, expected: object) -> None:
    assert value(rules, text, roll) == expected


PATTERNS = [
    ("dice show 1 1", "1 1 2", True),
    ("dice show 1 1", "1 2 2", False),
    ("dice show x x x y y", "2 2 2 5 5", True),
    ("dice show x x x y y", "2 2 2 2 2", False),
    ("dice show 2 x", "2 2 3", True),
    ("dice show 2 x", "2 3 3", True),
    ("dice show 2 2 x x", "2 2 3 3 4", True),
    ("dice show 2 2 x x", "2 2 2 2 4", True),
    ("dice show 2 2 x x", "2 2 3 4 4", True),
    ("dice show 2 2 x x", "2 2 2 3 4", False),
    ("dice show run of 4", "1 2 3 4 4", True),
    ("dice show run of 4", "1 2 3 5 6", False),
    ("dice show any dice", "1", True),
    ("dice show any 2", "1", True),
    ("dice show x x any 2", "2 2", True),
    ("dice show x x x ...", "4 4 4 4 1", True),
    ('dice show "Full"', "4 4 4 1 1", True),
    ('dice show "Full"', "4 4 4 1 2", False),
    ("dice - {1} show x x", "1 2 2", True),
    ("kept show x x", "2 2", False),
]


@pytest.mark.parametrize(("text", "roll", "expected"), PATTERNS)
def test_patterns(rules: Rules, text: str, roll: str, expected: object) -> None:
    assert value(rules, text, roll) == expected


SETS = [
    ("sum of up", 21),
    ("size of up", 6),
    ("highest of up", 6),
    ("lowest of up", 1),
    ("up is empty", False),
    ("5 in up", True),
    ("8 in up", False),
    ("(1 to 6) in up", True),
    ("size of (2 to 4)", 3),
    ("sum of (f * f) over f in up", 91),
    ("highest of (7 - f) over f in up", 6),
    ("every f in up has f > 0", True),
    ("3 in 1 to 3 and 4 not in 1 to 3", True),
    ("some f in 1 to 3 has f = 2", True),
    ("no f in up has f = 7", True),
    ("up = (1 to 6)", True),
]


@pytest.mark.parametrize(("text", "expected"), SETS)
def test_sets(rules: Rules, text: str, expected: object) -> None:
    assert value(rules, text) == expected


def test_parts_of_sets(rules: Rules) -> None:
    three = 0b000111
    assert value(rules, "sum of up", up=three) == 6
    assert value(rules, "up is empty", up=0) is True
    assert value(rules, "highest of up", up=three) == 3
    assert value(rules, "highest of (7 - f) over f in up", up=0b111000) == 3
    assert value(rules, "lowest of (7 - f) over f in up", up=three) == 4
    assert value(rules, "sum of (f * f) over f in up", up=three) == 14
    assert value(rules, "every f in up has f < 4", up=three) is True
    assert value(rules, "size of (up + (1 to 6))", up=three) == 6
    assert value(rules, "sum of (up - up)", up=three) == 0
    assert value(rules, "up in (up + (1 to 6))", up=three) is True


BOXES = [
    ('points of "Full"', "2 2 2 5 5", 25),
    ('points of "Full"', "2 2 2 5 6", 0),
    ('points of "Face 2"', "2 2 2 5 5", 6),
    ("points of best of hands", "2 3 4 5 6", 40),
    ("points of best of hands", "1 1 1 1 6", 10),
    ("points of best of lower", "2 2 2 5 5", 25),
    ("size of boxes", "", 4),
    ("size of open boxes", "", 4),
    ("size of open lower", "", 2),
    ("open lower is empty", "", False),
    ("all boxes are open", "", True),
    ("all boxes are used", "", False),
    ("all lower are open", "", True),
    ('"Full" is open', "", True),
    ('"Full" is used', "", False),
    ('"Full" is not used', "", True),
    ('"Full" in lower', "", True),
    ('"Full" in upper', "", False),
    ('"Full" in open lower', "", True),
    ('"Full" not in open upper', "", True),
    ("some b in open lower has points of b > 20", "2 2 2 5 5", True),
    ("every b in open lower has points of b > 20", "2 2 2 5 5", False),
    ("sum of (points of b) over b in boxes", "1 1 1 2 2", 3 + 4 + 10 + 25),
    ('some b in boxes has b = "Full"', "", True),
]


@pytest.mark.parametrize(("text", "roll", "expected"), BOXES)
def test_boxes(rules: Rules, text: str, roll: str, expected: object) -> None:
    assert value(rules, text, roll) == expected


def test_used_boxes(rules: Rules) -> None:
    pair_used = 0b0100
    assert value(rules, "size of open lower", used=pair_used) == 1
    assert value(rules, '"Pair" is used', used=pair_used) is True
    assert value(rules, '"Pair" in open lower', used=pair_used) is False
    assert value(rules, "all lower are used", used=0b1100) is True
    assert value(rules, "all upper are open", used=0b1100) is True
    assert value(rules, "open lower is empty", used=0b1100) is True
    assert value(rules, "size of boxes", used=0b1100) == 4
    roll = "2 2 2 5 5"
    text = "highest of (points of b) over b in open boxes"
    assert value(rules, text, roll, used=0b1000) == 10


PLAYERS = [
    ("score", 3),
    ("score of mover", 3),
    ("sum of (score of p) over p in players", 10),
    ("sum of (score of p) over p in others", 7),
    ("highest of (score of p) over p in players", 7),
    ("any player has score > 5", True),
    ("every player has score > 5", False),
    ("no player has score > 7", True),
    ("some p in others has score of p > 5", True),
    ("every p in players has score of p > 5", False),
    ("size of players", 2),
    ("score of left of mover", 7),
    ("score of right of left of mover", 3),
    ("seat", 1),
    ("seat of mover", 1),
    ("seat of left of mover", 2),
    ("sum of (seat of p * score of p) over p in players", 17),
]


@pytest.mark.parametrize(("text", "expected"), PLAYERS)
def test_players(rules: Rules, text: str, expected: object) -> None:
    assert with_scores(rules, text, (3, 7)) == expected


def with_scores(rules: Rules, text: str, scores: tuple[int, int]) -> object:
    checked = expressions(rules.names).check(expression(text), Scope())
    env = rules.start()
    slot = rules.names.variables["score"].base
    env[slot : slot + 2] = scores
    return checked.run(env)


def test_maps_and_keyed_variables(rules: Rules) -> None:
    assert value(rules, "jump of 1") == 10
    assert value(rules, "jump of 3") == 7
    assert value(rules, "jump of 5") == -1
    assert value(rules, "jump of sum of dice", "1 2") == 7
    assert value(rules, "progress of 3") == 0
    assert value(rules, "progress of (1 + 2)") == 0
    with pytest.raises(RulesError, match="no value for 5"):
        value(rules, "progress of sum of dice", "5")


def test_words_on_dice() -> None:
    rules = game("dice 2 with faces crown, anchor times 2, 1\nturn\n    roll all\n    score + 1")
    assert value(rules, "dice show crown crown", "crown crown") is True
    assert value(rules, "dice show x x", "crown anchor") is False
    assert value(rules, "number of anchor in dice", "crown anchor") == 1
    assert value(rules, "anchor in dice", "crown crown") is False
    assert value(rules, "some f in dice has f = crown", "crown anchor") is True
    assert value(rules, "distinct of dice", "crown anchor") == 2
    assert value(rules, "dice = {crown 1}", "crown 1") is True


def test_a_face_may_be_called_as_a_variable_that_can_be_no_face() -> None:
    rules = game("""
        dice sky = 2 with faces sun, rain, wind
        each player
            score = 0
            sun = 1
            rain = heavy | light
            wind = sun | rain
        turn
            roll all
            score + 1
    """)
    thrown = dice(rules, "sun rain", "sky")
    assert value(rules, "number of sun in sky", sky=thrown) == 1
    assert value(rules, "sun in sky and rain in sky", sky=thrown) is True
    assert value(rules, "number of wind in sky", sky=dice(rules, "sun sun", "sky"), wind="sun") == 2


def test_several_kinds_of_dice() -> None:
    rules = game("""
        dice 2d6
        dice fate = 1 with faces good, bad
        turn
            roll all
            if fate show good: score + sum of dice
    """)
    assert list(rules.names.kinds) == ["dice", "fate"]
    assert value(rules, "fate show good", "1 2", fate=dice(rules, "good", "fate")) is True
    assert value(rules, "sum of dice", "1 2", fate=dice(rules, "bad", "fate")) == 3


def test_those_of_a_set() -> None:
    rules = game(RULES.replace("        3 -> score\n", "        3 -> 7\n"))
    assert value(rules, "size of those n in up where n >= 5") == 2
    assert value(rules, "sum of those n in (1 to 4) where n mod 2 = 0") == 6
    assert value(rules, "5 in those n in up where n != 5") is False


def outcome(position: Position, text: str) -> Outcome:
    return next(o for o in position.outcomes() if o.text == text)


def test_a_variable_differs_from_key_to_key() -> None:
    rules = game("""
        option top = 4
        room of c means 2 * c - 1
        each player
            score = 0
            left of c in (1 to 3) = room of c to 0
            steps of c in (2 to 3) = 0 to top - c
        turn
            roll all
            choose
                "Take" 1 of dice as k where sum of k <= 3: left of sum of k - 1
                otherwise: steps of 2 + 1, steps of 3 + 1
            score + 1
    """)
    assert [value(rules, f"left of {c}") for c in (1, 2, 3)] == [1, 3, 5]
    position = start(rules)
    after = position.play(outcome(position, "1 4 5")).play("Take 1")
    assert str(after) == "score 1 | left 1:0 2:3 3:5 | steps none | round 2"
    assert str(parse_position(rules, "left 2:2 3:0")).startswith("score 0 | left 1:1 2:2 3:0")
    with pytest.raises(PositionError, match="is 2"):
        parse_position(rules, "left 1:2")
    again = after.play(outcome(after, "1 4 5"))
    with pytest.raises(RulesError, match="becomes -1, not 0 to 1"):
        again.play("Take 1")
    once = after.play(outcome(after, "4 4 4")).play("(no move)")
    twice = once.play(outcome(once, "4 4 4"))
    with pytest.raises(RulesError, match="becomes 2, not 0 to 1"):
        twice.play("(no move)")


# --- several values in brackets


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("3 in (2, 3, 12)", True),
        ("sum of dice in (2, 3, 12)", False),
        ("sum of dice in (score, 15)", True),
        ("sum of dice in (score, 16)", False),
        ("highest of (0, sum of dice - 20)", 0),
        ("lowest of (sum of dice, 20, score + 19)", 15),
        ("highest of (4, 9, 2)", 9),
        ("size of (3, 3, 4)", 2),
        ("sum of ((5, 3, 4) - (3, 4))", 5),
        ("size of ()", 0),
        ("up = ()", False),
        ("up - (1 to 6) = ()", True),
        ("size of (up - (2, 4))", 4),
        ("dry in (dry, wet)", True),
        ("weather in (wet, wet)", False),
        ("highest of ((those n in (1 to 6) where n in dice) + (6, 6))", 6),
        ("sum of highest (1 + 1) of dice", 9),
        ("sum of (n * n) over n in (1, 3)", 10),
        ("less of (7, score + 2)", 5),
        ("size_word", 2),
    ],
)
def test_several_values(text: str, expected: object) -> None:
    rules = game(RULES.replace("3 -> score", "3 -> 0") + MORE_NAMES[1:])
    assert value(rules, text, "1 2 3 4 5") == expected


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("sum of (score, 3)", '"sum of" does not go with several values'),
        ("(score, dry)", "these are not of one kind"),
        ("sum of (dry, wet)", '"sum of" does not go with a set'),
        ("highest of ()", "the highest of nothing is asked for"),
        ("less of 3", 'say "less of (a, b)" here'),
        ("less of (1, 2, 3)", 'say "less of (a, b)" here'),
        ("less", 'say "less of (a, b)" here'),
        ("score in (dry, wet)", "a number cannot be in a set"),
    ],
)
def test_several_values_that_do_not_fit(text: str, message: str) -> None:
    rules = game(RULES.replace("3 -> score", "3 -> 0") + MORE_NAMES[1:])
    with pytest.raises(RulesError) as error:
        value(rules, text, "1 2 3 4 5")
    assert message in str(error.value)


def test_a_name_is_told_the_kind_of_dice_that_it_is_handed() -> None:
    kinds = game("""
        dice good = 1 with 2 sides
        dice bad = 1 with 2 sides
        bag cup with good, bad
        pile hand of cup
        bonus of k means (10 if k = good else 20) + sum of k
        bonus_of_bad means bonus of bad
        turn
            draw 1 to hand
            each k in hand
                roll 1 k
                score + bonus of k
            score + (100 if bonus_of_bad >= 20 else 0)
    """)
    drawn = [start(kinds).play(outcome) for outcome in start(kinds).outcomes()]
    thrown = [position.play(position.outcomes()[1]) for position in drawn]
    assert [get(position, "score") for position in thrown] == [112, 122]


def test_what_one_kind_of_dice_cannot_show_it_does_not_show() -> None:
    kinds = game("""
        dice green = 3 with faces a, b, d
        dice red = 2 with faces b, c
        pairs of k means 10 if k show a a else 0
        turn
            roll all
            each k in (green, red)
                if k show a a or k show d: score + 1
                if k show x x x: score + 100
                if k show run of 3: score + 1000
                score + pairs of k
    """)
    position = start(kinds)
    green = next(outcome for outcome in position.outcomes() if outcome.text == "a a b")
    position = position.play(green)
    red = next(outcome for outcome in position.outcomes() if outcome.text == "c c")
    assert get(position.play(red), "score") == 11


def test_any_number_of_a_face_that_a_kind_lacks_is_none() -> None:
    kinds = game("""
        dice green = 3 with 2 sides
        dice red = 2 with 3 sides
        threes of (k, f) means 1 if k show any f else 0
        turn
            roll all
            each k in (green, red)
                score + threes of (k, 3)
                if k show x x any 3: score + 10
                if k show any 3 x x x: score + 100
                if k show 1 any 3: score + 1000
    """)
    position = start(kinds)
    green = next(outcome for outcome in position.outcomes() if outcome.text == "2 2 2")
    position = position.play(green)
    for text, points in (("1 2", 1112), ("3 3", 122), ("2 3", 112)):
        red = next(outcome for outcome in position.outcomes() if outcome.text == text)
        assert get(position.play(red), "score") == points


def test_what_no_kind_of_dice_can_show_is_a_mistake() -> None:
    for pattern in ("5 5", "x x x x", "7", "run of 5", "any 7", "5 5 any 4"):
        with pytest.raises(RulesError, match=r"no roll can match|have no face"):
            game(f"""
                dice white = 3 with 4 sides
                dice red = 1 with 5 sides
                turn
                    roll all
                    each k in (white, red)
                        if k show {pattern}: score + 1
            """)
