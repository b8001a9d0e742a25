"""Lines in the words of rulebooks and of other languages: the first message says what to write."""

import pytest

from dicegames.ground.diagnostic import RulesError
from dicegames.ground.source import decode
from dicegames.rules.check import check

LUCKY = """game "Lucky Seven"

option rounds = 3 from 1 to 10

dice 2d6

each player
    score = 0
this turn
    pot = 0 to 50 capped

turn
    repeat
        roll all
        if sum of dice = 7: end turn
        pot + sum of dice
        choose
            "Roll": next
            "Bank": score + pot, end turn

ends after rounds rounds
payoff highest score
"""

SAID = [
    ('game "Lucky Seven"', 'game "Lucky Seven" for 2 players', "option players = 2"),
    ("option rounds = 3 from 1 to 10", "option rounds: 3", "write: option rounds = 3"),
    ("option rounds = 3 from 1 to 10", "option rounds 3", "write: option rounds = 3"),
    ("from 1 to 10", "in 1..10", "write: from 1 to 10"),
    ("sum of dice = 7:", "at least 2 ones:", "write: number of 1 in dice >= 2"),
    ("sum of dice = 7:", "at least 2 f:", "write: number of f in dice >= 2"),
    ("sum of dice = 7:", "at most 1 f:", "write: number of f in dice <= 1"),
    ("sum of dice = 7:", "dice has no 7:", "write: 7 not in dice"),
    ("pot + sum of dice", "pot + 3 x sum of dice", "write: 3 *"),
    ('"Bank":', '"Bank" costs 3 pot:', "write: for 3 pot"),
    ("dice 2d6", "two dice", "write, for example: dice 2d6"),
    ("    score = 0", "    score := 0", "write: score = 0"),
    ("    score = 0", "    var score = 0", "write: score = 0"),
    ("    score = 0", "    - score = 0", "leave it out: lines begin without a sign"),
    ("this turn", "per turn", "this turn"),
    ("0 to 50 capped", "0 capped at 50", "write: to 50 capped"),
    ("0 to 50 capped", "0 (at most 50)", "write: to 50"),
    ("0 to 50 capped", "from 0 to 50 capped", "write: 0 to 50"),
    ("turn\n    repeat", "on your turn\n    repeat", "write: turn"),
    ("    repeat\n", "    repeat forever\n", "write: repeat"),
    ("    repeat\n", "    do\n", "write: repeat"),
    ("sum of dice = 7:", "sum of dice equals 7:", "write: = 7"),
    ("pot + sum of dice", "pot := pot + sum of dice", "write: pot = pot + sum of dice"),
    ("pot + sum of dice", "int x = 5", "write: let x = 5"),
    ("pot + sum of dice", "player scores 5 points", "write: score + 5"),
    ("pot + sum of dice", "the player may choose", "write: choose, and below it each move"),
    ("if sum of dice = 7: end turn", "if sum of dice = 7 { pot + 1 }", "write a colon"),
    ("if sum of dice = 7: end turn", "if sum of dice = 7 {", "write a colon"),
    ("roll all", "roll all dice up to 3 times", "write: roll all; how often"),
    ("roll all", "roll both dice", "to throw: roll all"),
    ("roll all", "lancer tous", "write what the line changes"),
    ("pot + sum of dice", "pot the points", 'leave out "the"'),
    ("pot + sum of dice", "pot points", "such as: pot + 2"),
    ("option rounds = 3 from 1 to 10", "2-4 players", "write: option players = 2 from 2 to 4"),
    ("ends after rounds rounds", "first to 50 wins", "write: ends when any player has score >= 50"),
    ("sum of dice = 7:", "dice add up to 7:", "write: sum of dice = 7"),
    ("sum of dice = 7:", "7:", "sum of dice = 7"),
    ("7: end turn", "7: turn ends", "write: end turn"),
    ("7: end turn", "7: endturn", "write: end turn"),
    ("pot + sum of dice", "pot plus sum of dice", "write: +"),
    ("pot + sum of dice", "pot increases by sum of dice", "write: pot + sum of dice"),
    ("pot + sum of dice", "add sum of dice to the pot", "write: pot + sum of dice"),
    ("        choose", "        choice", "write: choose"),
    ('"Roll": next', '* "Roll": next', "leave it out: lines begin without a sign"),
    ('"Roll": next', '1. "Roll": next', "leave it out: lines are not numbered"),
    ('"Roll": next', '1) "Roll": next', "leave it out: lines are not numbered"),
    ('"Roll": next', "**Roll**: next", 'write: "Roll"'),
    ('"Roll": next', '"Roll", next', "write a colon"),
    ('"Bank":', 'or "Bank":', "leave it out: each line of a choice is a move"),
    ("pot, end turn", "pot and end turn", "write a comma: , end turn"),
    ("ends after rounds rounds", "ends when 3 rounds", "write: ends after 3 rounds"),
    (
        "ends after rounds rounds",
        "ends at 50 points",
        "write: ends when any player has score >= 50",
    ),
    ("ends after rounds rounds", "3 rounds", "write: ends after 3 rounds"),
    ("payoff highest score", "goal: highest score", "write: payoff highest score"),
]


BULL = """game "Snake and Bull"

dice 4d6
pile kept

each player
    points = 0
    lives = 3

turn
    roll all
    if dice show 1 1: lives - 1
    choose
        "Keep sixes": points + 6 * number of 6 in dice
        "Reroll" some of dice as r
            roll r
            points + number of 6 in dice
        "Bull" when dice show x x x: points + 20
    move dice to kept

ends when lives = 0
payoff highest points
"""

OF_BULL = [
    ("as r\n", "as r if 1 in r\n", "write: where 1 in r"),
    ("some of dice as r", "some of dice", "name what is picked: some of dice as k"),
    ('"Reroll" some', '"Reroll": some', "what is picked comes before the colon: some of dice as r"),
    ("some of dice as r", "up to 3 of dice as r", "write: at most 3 of dice as r"),
    ("some of dice as r", "choose some of dice as r", "leave it out"),
    ("some of dice as r", "2 dice as r", "write: 2 of dice"),
    ("when dice", "if dice", "write: when"),
    ("dice show x x x", "dice show x, x, x", "write the faces without commas"),
    ("dice show x x x", "3 dice are equal", "write: dice show x x x"),
    ("dice show x x x", "dice have x x x", "write: dice show x x x"),
    ("dice show x x x", "x x x in dice", "write: dice show x x x"),
    ("dice show 1 1", "1 1 in dice", "write: dice show 1 1"),
    ("dice show 1 1", "2 dice show 1", "write: number of 1 in dice = 2"),
    ("dice show 1 1", "3 dice show 1", "write: number of 1 in dice = 3"),
    ("dice show 1 1", "there are two 1s", "number of 6 in dice >= 2"),
    ("dice show 1 1", "count of 1 in dice >= 2", "write: number of 1 in dice"),
    ("dice show 1 1", "dice does not show 1", "write: not dice show 1"),
    ("lives - 1", "decrease lives by 1", "write: lives - 1"),
    ("move dice", "move all dice", "write: move dice"),
    ("move dice to kept", "put dice into kept", "write: move dice to kept"),
    ("move dice to kept", "set aside dice", "move dice to kept"),
    ("lives = 0\n", "a player has no lives\n", "write: any player has lives = 0"),
    ("lives = 0\n", "any players has lives = 0\n", "write: any player has"),
    ("lives = 0\n", "anybody has lives = 0\n", "write: any player has"),
    ("lives = 0\n", "no lives left\n", "lives = 0"),
    ("ends when lives", "ends if lives", "write: when"),
    ("ends when lives", "ends lives", "write: ends when lives = 0"),
    ("ends when lives", "until lives", "write: ends when lives = 0"),
    ("ends when lives", "game over when lives", "write: ends when lives = 0"),
    ("payoff highest points", "payoff highest number of points", "write: payoff highest points"),
    ("payoff highest points", "payoff to highest points", "leave it out"),
]
ALL = [(LUCKY, *row) for row in SAID] + [(BULL, *row) for row in OF_BULL]


@pytest.mark.parametrize(("game", "line", "said", "told"), ALL, ids=[row[2].strip() for row in ALL])
def test_what_to_write_is_told(game: str, line: str, said: str, told: str) -> None:
    assert line in game
    with pytest.raises(RulesError) as caught:
        check(decode("test.dg", game.replace(line, said, 1).encode()))
    of_line = [d for d in caught.value.diagnostics if d.code not in ("no-payoff", "no-end")]
    assert told in of_line[0].help
    assert not of_line[0].message.startswith('":')


@pytest.mark.parametrize("game", [LUCKY, BULL])
def test_the_games_themselves_are_in_order(game: str) -> None:
    assert check(decode("test.dg", game.encode())).remarks == []
