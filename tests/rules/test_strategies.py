"""What a strategy plays, position by position, as the referee sees it."""

import pytest

from dicegames.ground.diagnostic import RulesError
from dicegames.rules.parts.game import Rules
from dicegames.rules.running.playing import StrategyError, played_by, seats_of
from dicegames.rules.running.referee import Position
from tests.rules.small import game, labels, play, roll

THREE = """
dice 3d6
each player
    coins = 0
turn
    roll all
    choose
        "Throw" some of dice as r: roll r
        "Double" when dice show x x: pass
        "Stop": pass
    score + sum of dice
each player
    score = 0
"""


OPEN = """
dice 2d6
each player
    score = 0
    up = (1 to 3)
boxes card
    "Pair"   x x        pays 3
    "Else"   any dice   pays 1
turn
    roll all
    choose
        "Seat" one of 1 to 3 as n: score + n
        "Shut" some of up as t: up - t
        "Die" one of dice as d: score + sum of d
        "Colour" one of (red, blue) as w: score + (1 if w = red else 0)
        "Box" one of open card as c: score + points of c, use c
ends after 2 rounds
payoff highest score
"""


@pytest.mark.parametrize(
    ("move", "way"),
    [
        ("Seat", "pick n with highest n"),
        ("Shut", "pick t with highest size of t"),
        ("Die", "pick d with highest size of d"),
        ("Colour", "pick w where w = red"),
        ("Box", "pick c with highest points of c"),
    ],
)
def test_a_pick_that_is_left_open_is_told_how_to_say_it(move: str, way: str) -> None:
    with pytest.raises(RulesError) as raised:
        game(f'{OPEN}strategy "Mine"\n    otherwise: "{move}"\n')
    assert raised.value.diagnostics[0].help.endswith(way.replace("= red", "= ..."))
    assert game(f'{OPEN}strategy "Mine"\n    otherwise: {way}\n').strategies


def plays(rules: str, lines: str, dice: str) -> list[str]:
    """Return what a strategy of these lines plays after a throw."""
    advice = "\n".join(f"    {line}" for line in lines.splitlines())
    whole = game(f'{rules}\nstrategy "Mine"\n{advice}\n')
    return labels(play(played_by(whole, seats_of(whole, "mine")), dice))


@pytest.mark.parametrize(
    ("lines", "dice", "move"),
    [
        ('otherwise: "Stop"', "1 2 3", "Stop"),
        ('when dice show 6: "Stop"\notherwise: "Double"', "1 1 6", "Stop"),
        ('when dice show 6: "Stop"\notherwise: "Double"', "1 1 5", "Double"),
        # the first that is legal: there is nothing to double
        ('otherwise: "Double"\n', "1 1 5", "Double"),
        ('when dice show 1: "Double"\notherwise: "Stop"', "1 2 5", "Stop"),
        # what is kept, and what is thrown
        ("otherwise: keep x x", "2 2 5", "Throw 5"),
        ("otherwise: roll x x", "2 2 5", "Throw 2 2"),
        ("otherwise: keep x", "2 4 5", "Throw 4 5"),
        ("otherwise: keep highest x", "2 4 5", "Throw 2 4"),
        ("otherwise: keep lowest x", "2 4 5", "Throw 4 5"),
        ("otherwise: keep x y", "2 4 5", "Throw 5"),
        ("otherwise: keep highest x y", "2 4 5", "Throw 2"),
        ("otherwise: keep run of 2", "2 4 5", "Throw 2"),
        ("otherwise: keep x x ...", "2 2 5", "Throw 5"),
        # letters are the same in the whole line
        ("when dice show x x y: keep y", "4 4 2", "Throw 4 4"),
        ("when dice show x x: keep y", "4 4 2", "Throw 4 4"),
        ("when dice show x y: keep highest x", "1 4 5", "Throw 1 4"),
        # nothing is left to throw: no move, the next line
        ("otherwise: keep x y z\n", "1 4 5", ""),
        # naming a move and what it picks
        ('otherwise: "Throw" x x', "3 3 1", "Throw 3 3"),
        ('otherwise: "Throw" 3', "3 3 1", "Throw 3"),
        # ranking
        ("otherwise: pick r with highest size of r", "3 3 1", "Throw 1 3 3"),
        ("otherwise: pick r with highest size of r, lowest sum of r", "2 3 1", "Throw 1 2 3"),
        ("otherwise: pick r where size of r = 2 with lowest sum of r", "2 3 1", "Throw 1 2"),
        ("otherwise: pick r where size of r = 2 with highest sum of r", "2 3 1", "Throw 2 3"),
        ("otherwise: pick r with lowest size of r, highest sum of r", "2 3 1", "Throw 3"),
        ("otherwise: pick r where sum of r = 4", "2 3 1", "Throw 1 3"),
    ],
)
def test_the_move_that_is_played(lines: str, dice: str, move: str) -> None:
    if move:
        assert plays(THREE, lines, dice) == [move]
    else:
        with pytest.raises(Exception, match="is not legal here"):
            plays(THREE, lines, dice)


@pytest.mark.parametrize(
    ("line", "dice", "move"),
    [
        # the faces of the move are the lowest, in whatever order the condition names them
        ("when dice show y x x: keep x x", "1 1 2 2 6", "Throw 2 2 6"),
        ("when dice show y x x: keep highest x x", "1 2 2 3 3", "Throw 1 2 2"),
        ("when dice show y x x and dice show z y y: keep x x", "2 3 3 5 5", "Throw 2 5 5"),
        # where the dice need not show it, a letter is any face
        ("when dice show x x x or coins = 1: keep x x", "1 1 2 2 2", "Throw 2 2 2"),
        ("when not (dice show x x x): keep x x", "1 1 2 2 3", "Throw 2 2 3"),
        ("when not (dice show x x x): keep x x", "1 1 1 2 2", "Stop"),
    ],
)
def test_letters_of_a_line(line: str, dice: str, move: str) -> None:
    assert plays(THREE.replace("3d6", "5d6"), f'{line}\notherwise: "Stop"', dice) == [move]


def test_the_lowest_faces_go_before_the_first_move() -> None:
    one = '"One" 1 of dice as r where sum of r > 1: roll r'
    rules = THREE.replace('"Throw" some', f'{one}\n        "Throw" some')
    assert plays(rules, "otherwise: roll x", "1 2 3") == ["Throw 1"]
    assert plays(rules, "otherwise: roll highest x", "1 2 3") == ["One 3"]


def test_best_leaves_the_choice_open() -> None:
    lines = 'when dice show 6: "Stop"\notherwise: best'
    assert plays(THREE, lines, "1 2 6") == ["Stop"]
    assert plays(THREE, lines, "1 1 1") == ["Throw 1", "Throw 1 1", "Throw 1 1 1", "Double", "Stop"]


BOXES = """
dice 2d6
each player
    score = 0
boxes card
    "Low"     any dice   pays 12 - sum
    "Pair"    x x        pays 20
    "High"    any dice   pays sum
turn
    roll all
    choose
        one of open card as c naming its faces
            score + points of c
            use c
ends when all boxes are used
"""


@pytest.mark.parametrize(
    ("line", "dice", "move"),
    [
        ('"High"', "1 2", "High"),
        ("pick c with highest points of c", "1 2", "Low"),
        ("pick c with highest points of c", "6 5", "High"),
        ("pick c with highest points of c", "6 6", "Pair 6"),
        ("pick c with lowest points of c", "6 6", "Low"),
        ('"Pair" 4', "1 2", "Pair 4"),
        ('"Pair 4"', "1 2", "Pair 4"),
        ('"Pair"', "1 2", "Pair 1"),
        ('"Pair" highest x', "1 2", "Pair 6"),
    ],
)
def test_boxes(line: str, dice: str, move: str) -> None:
    assert plays(BOXES, f"otherwise: {line}", dice) == [move]


def test_the_faces_of_a_box_may_be_letters_of_the_condition() -> None:
    lines = 'when dice show x x: "Pair" x\notherwise: "Low"'
    assert plays(BOXES, lines, "5 5") == ["Pair 5"]
    assert plays(BOXES, lines, "5 4") == ["Low"]


TILES = """
dice 2d6
table
    up = (1 to 9)
turn
    roll all
    choose
        "Shut" some of up as t where sum of t = sum of dice: up - t
        otherwise: end game
ends when up is empty
payoff lowest sum of up
"""


@pytest.mark.parametrize(
    ("lines", "dice", "move"),
    [
        ('otherwise: "Shut" 2 3', "4 1", "Shut 2 3"),
        ("otherwise: pick t with lowest size of t", "4 5", "Shut 9"),
        ("otherwise: pick t with highest size of t", "4 5", "Shut 2 3 4"),
        ("otherwise: pick t with highest size of t, highest highest of t", "4 5", "Shut 1 2 6"),
    ],
)
def test_numbers_of_a_set(lines: str, dice: str, move: str) -> None:
    assert plays(TILES, lines, dice) == [move]


WINGS = """
dice 1d4
each player
    score = 0
turn
    roll all
    choose
        one of 1 to 3 as n and one of 1 to 2 as w where n <= sum of dice: score + n * w
ends after 1 rounds
payoff highest score
"""


@pytest.mark.parametrize(
    ("line", "move"),
    [
        ("pick n where w = 1 with highest n", "2 1"),
        ("pick w with highest n * w", "2 2"),
        ("pick w where n < 2 with lowest w", "1 1"),
    ],
)
def test_lines_speak_of_both_things_that_are_picked(line: str, move: str) -> None:
    assert plays(WINGS, f"otherwise: {line}", "2") == [move]


LAYS = """
dice 2d4
each player
    score = 0
turn
    roll all
    choose
        "Lay" one of dice as d and one of 1 to 2 as m: score + m * sum of d
        "Say" one of (a, b) as w and one of 1 to 2 as n: score + (n if w = a else 2)
        "Stop": pass
ends after 1 rounds
payoff highest score
"""


@pytest.mark.parametrize(
    ("move", "played"),
    [('"Lay" 3 2', "Lay 3 and 2"), ('"Lay 3 and 2"', "Lay 3 and 2"), ('"Say" b 2', "Say b 2")],
)
def test_a_move_with_two_things_is_told_without_the_and(move: str, played: str) -> None:
    assert plays(LAYS, f'when dice show 3: {move}\notherwise: "Stop"', "2 3") == [played]


def test_a_move_with_two_things_has_no_letters() -> None:
    with pytest.raises(RulesError) as caught:
        plays(LAYS, 'when dice show x x: "Lay" x 2', "2 3")
    assert caught.value.diagnostics[0].code == "not-picked"


def two(lines: str = "") -> Rules:
    text = """
option players = 2
dice 1d6
each player
    score = 0
turn
    roll all
    choose
        "Add": score + sum of dice
        "Twice" when dice show 1: score + 2
        "Pass": pass
ends after 2 rounds
ranking highest score
payoff win
strategy "Adds"
    otherwise: "Add"
strategy "Behind"
    when any player has score > 3: "Pass"
"""
    return game(text + lines)


def test_seats_are_filled_one_by_one() -> None:
    rules = two()
    position = play(played_by(rules, seats_of(rules, {2: "adds"})), "2")
    assert labels(position) == ["Add", "Pass"]
    assert labels(roll(position.play("Add"), "5")) == ["Add"]


def test_the_only_legal_move_needs_no_word() -> None:
    rules = game(THREE.replace('"Stop": pass', '"Stop" when dice show 6: pass') + LONELY)
    position = play(played_by(rules, seats_of(rules, "Lonely")), "6 6 1")
    assert labels(position) == ["Double"]
    rules = game(
        THREE.replace('"Throw" some of dice as r: roll r', '"Again" 6 of dice as r: roll r')
        + LONELY
    )
    assert labels(play(played_by(rules, seats_of(rules, "Lonely")), "1 2 3")) == ["Stop"]


LONELY = '\nstrategy "Lonely"\n    when dice show x x: "Double"\n'


# ---- functions


def test_a_function_plays() -> None:
    rules = game(THREE)

    def careful(position: Position) -> str:
        return "stop" if "6" in str(position).rpartition("dice")[2] else "Throw 1"

    decided = played_by(rules, seats_of(rules, careful))
    assert labels(play(decided, "6 2 1")) == ["Stop"]
    assert labels(play(decided, "2 2 1")) == ["Throw 1"]
    with pytest.raises(
        StrategyError, match=r'careful plays "Throw 1", which is not legal: .*dice 2'
    ):
        play(decided, "2 2 3").moves()


def test_a_function_sees_what_later_play_asks_for() -> None:
    seen: list[str] = []

    def watch(position: Position) -> str:
        seen.append(str(position))
        return "Stop"

    rules = game(THREE)
    play(played_by(rules, seats_of(rules, watch)), "1 2 3").moves()
    assert seen == ["coins 0 | score 0 | round 1 | dice 1 2 3"]


# ---- names


def test_names_of_strategies() -> None:
    rules = two()
    assert seats_of(rules, "ADDS") == ("Adds", "Adds")
    assert seats_of(rules, {1: "best", 2: " behind "}) == (None, "Behind")
    assert seats_of(rules, None) == (None, None)
    for given, message in [
        ("Adds up", 'did you mean "Adds"'),
        ("zzz", 'there are: "Adds", "Behind"'),
        ({3: "Adds"}, "seats are 1 to 2"),
    ]:
        with pytest.raises(StrategyError, match=message):
            seats_of(rules, given)  # type: ignore[arg-type]
    with pytest.raises(StrategyError, match='"Test" name no strategy'):
        seats_of(game(THREE), "Adds")
