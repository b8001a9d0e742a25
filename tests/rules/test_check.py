"""The check as a whole: all mistakes at once, examples, strategies, and no time lost."""

import subprocess
import sys
from pathlib import Path

import pytest

from dicegames.ground.diagnostic import MOST_MISTAKES, RulesError
from dicegames.ground.source import decode
from dicegames.rules.check import check
from dicegames.rules.parts.names import UNDECLARED
from tests.rules.small import game, start

GAMES = sorted((Path(__file__).parents[2] / "games").glob("*.dg"))
CHOICE = """
turn
    roll all
    choose
        "Stop": score + sum of dice
        "Keep" some of dice as k: score + sum of k
"""


def mistakes(text: str) -> list[tuple[int, str]]:
    """Return line and code of every mistake in a game."""
    with pytest.raises(RulesError) as caught:
        game(text)
    source = caught.value.source
    return [(source.line_column(d.span.start)[0], d.code) for d in caught.value.diagnostics]


def test_independent_mistakes_are_told_together_in_order() -> None:
    text = """
        option luck = 3 | three
        each player
            score =
            bonus = 0 capped
        patterns hands
            "Seven" any 7 pays sum
        turn
            roll all
            scor + 1
            if score > : pass
    """
    assert mistakes(text) == [
        (1, "option-values"),
        (3, "line-ends"),
        (4, "capped"),
        (6, "no-such-face"),
        (9, "unknown-name"),
        (10, "unexpected"),
    ]


def test_what_a_line_with_a_mistake_may_do_is_not_missed_in_its_part() -> None:
    text = """
        each player
            score = 0
        turn
            repeat
                roll all
                if dice show 6: ledve
            some of dice sa k
            score + sum of k + wrong
    """
    found = [(6, "line-ends"), (7, "reserved"), (8, "unknown-name")]
    assert mistakes(text) == found


def test_a_missing_block_is_told_where_it_is_missing() -> None:
    text = """
        each player
            score = 0
        turn
            repeat 2 times
                roll all
                if dice show 6
            score + sum of dice
    """
    assert mistakes(text) == [(6, "no-block")]


def test_what_stands_in_a_part_with_a_mistake_is_not_missed_elsewhere() -> None:
    text = """
        each player
            score = 0
            bonus = = 3
        turn
            roll all
            score + bonus
            go to extra
        step extra
            score + +
    """
    assert [code for _, code in mistakes(text)] == ["unexpected", "unexpected"]


def test_mistakes_are_not_without_end() -> None:
    lines = "\n".join(f"    unknown{i} + 1" for i in range(500))
    found = mistakes(f"turn\n    roll all\n{lines}\n")
    assert len(found) == MOST_MISTAKES


MEANT = {
    "payoff scroe": 'did you mean "score"?',
    "payoff 1 if dune else 0": 'did you mean "done"?',
    "payoff dune": UNDECLARED,  # "done" is no number
    "payoff mone": UNDECLARED,  # nor is the player to move
    "payoff donne": 'did you mean "done"?',  # it is so like it that it is meant all the same
    "turn\n    donn = yes": 'did you mean "done"?',
    "turn\n    mowe + 1": UNDECLARED,  # "mover" cannot be changed
    "turn\n    mover = 2": "only variables of a player, the table or the turn can",
    "dice 2 with faces sun, moon\nturn\n    sun + 1": "only variables of a player, the table or",
    "payoff twce of 3": 'did you mean "twice"?',
    "payoff doen of 3": "say what it is",
}


@pytest.mark.parametrize("line", MEANT)
def test_names_are_proposed_where_they_fit(line: str) -> None:
    with pytest.raises(RulesError) as caught:
        game(f"table\n    done = no\ntwice of n means 2 * n\n{line}\n")
    assert any(MEANT[line] in d.help for d in caught.value.diagnostics), caught.value


def test_an_option_that_is_nearly_the_number_of_players() -> None:
    (remark,) = game("option plyers = 2\n").remarks
    assert remark.help == "the number of players is the option: players"
    (remark,) = game("option plyers = 2\noption players = 2\n").remarks
    assert not remark.help


# ---- examples


def test_examples_that_hold() -> None:
    text = (
        CHOICE
        + """
example sum of dice in {1 2 3} = 6
example sum of (f * f) over f in dice in {1 2 3} = 14
example (dice show x x) in {1 2 2} = yes
example 2 + 2 = 4
example highest of dice in {4 4} = 4
example "dice 1 1 2" moves "Stop", "Keep 1 2"
example "dice 1 1 1" moves only "keep 1", "Keep 1 1", "Keep 1 1 1", "STOP"
"""
    )
    assert len(game(text).examples) == 7


def test_examples_are_those_of_the_default_rules() -> None:
    text = "option more = 0 | 1\nexample 1 + more = 1\n"
    assert len(game(text, more=1).examples) == 1
    assert mistakes(text.replace("= 1\n", "= 2\n")) == [(2, "example-fails")]


EXAMPLES = [
    ("example sum of dice in {1 2} = 4", "it is 3"),
    ("example (dice show x x) in {1 2} = yes", "it is no"),
    ("example dice in {1 2} = {1 3}", "it is 1 2"),
    ('example "dice 1 1 2" moves "Hold"', 'has no move "Hold"'),
    ('example "dice 1 1 2" moves only "Stop"', 'has other moves, too: "Keep 1"'),
    ('example "dice 1 1 1" moves only "Stpo", "Keep 1", "Keep 1 1", "Keep 1 1 1"', '"Stop"?'),
    ('example "dice 1 1 9" moves "Stop"', "9"),
    ('example "nonsense" moves "Stop"', "nonsense"),
    ('example "" moves "Stop"', "nobody chooses in this position: dice are thrown"),
]


@pytest.mark.parametrize(("line", "message"), EXAMPLES)
def test_examples_that_fail(line: str, message: str) -> None:
    with pytest.raises(RulesError) as caught:
        game(f"{CHOICE}\n{line}\n")
    assert len(caught.value.diagnostics) == 1
    assert message in str(caught.value)


# ---- strategies


def test_strategies_that_are_in_order() -> None:
    rules = game(
        CHOICE
        + """
strategy "Careful"
    when dice show x x x: "Stop"
    when dice show x x: keep x x
    when sum of dice > 9: "Keep" 6
    otherwise: best
"""
    )
    assert list(rules.strategies) == ["Careful"]


STRATEGIES = [
    ('when sum of dice: "Stop"', "wrong-type"),
    ('when sum of coins > 1: "Stop"', "unknown-name"),
    ('when sum of dice > 1: "Hold"', "unknown-move"),
    ("when sum of dice > 1: keep 7", "no-such-face"),
    ("when sum of dice > 1: roll x x x x", "pattern-impossible"),
    ("when sum of dice > 1: keep", "line-ends"),
]


@pytest.mark.parametrize(("line", "code"), STRATEGIES)
def test_strategies_with_mistakes(line: str, code: str) -> None:
    text = f'{CHOICE}\nstrategy "Bold"\n    {line}\n    otherwise: best\n'
    assert [c for _, c in mistakes(text)] == [code]


# ---- what was read as something else


@pytest.mark.parametrize("key", ["1-3", "(1 to 3)", "(1, 3)", "4 - 1"])
def test_an_entry_of_a_map_is_for_one_thing(key: str) -> None:
    """A range was a difference, and a set was never looked up."""
    told = CHOICE + f"map prize\n    -3 -> 1\n    {key} -> 5\n    otherwise -> 2\n"
    assert [code for _, code in mistakes(told)] == ["wrong-type"]


WEATHER = """game "Weather"
dice sky = 2 with faces sun, rain
each player
    score = 0
    mood = calm | angry
map worth
    {}
turn
    roll all
    score + {}
ends after 1 rounds
payoff highest score
"""


@pytest.mark.parametrize(
    ("entry", "used", "message"),
    [
        ("sun -> rain", "sum of (worth of f) over each die f in sky", "expected a number, but"),
        ("sun -> yes\n    rain -> 2", "1", "one value of the map is a condition (yes or no), this"),
        ("sun -> 3", "worth of score", "entries for sun, not for this"),
        ("sun -> 3", "worth of mood", "entries for sun, not for this"),
        ("sun -> 3", "number of score in sky", "show sun, rain, never this"),
        ("sun -> 3", "(1 if mood in sky else 0)", "show sun, rain, never this"),
    ],
)
def test_what_could_never_be_is_told(entry: str, used: str, message: str) -> None:
    """The first was an internal error, the others a number that is always the same."""
    with pytest.raises(RulesError) as caught:
        game(WEATHER.format(entry, used))
    assert message in str(caught.value)


def test_a_map_has_values_of_one_type() -> None:
    fine = "sun -> yes\n    otherwise -> no", "(2 if worth of highest_face else 0)"
    text = WEATHER.format(*fine).replace("turn\n", "highest_face means sun\nturn\n", 1)
    assert str(start(game(text)))


def test_a_number_and_a_letter_stand_apart_in_patterns() -> None:
    """With `6s` a row asked for a six, and for another face."""
    assert [c for _, c in mistakes(CHOICE + 'patterns hand\n    "Six"  6s  pays 3\n')] == [
        "no-such-face"
    ]


# ---- named expressions that nothing uses


def test_unused_explanations_are_checked_too() -> None:
    assert mistakes("lucky means score + unknown\n") == [(1, "unknown-name")]
    assert mistakes("lucky of n means n + unknown\n") == [(1, "unknown-name")]
    fine = CHOICE + "kept means size of k\nboth means kept + 1\ntwice of n means 2 * n\n"
    assert game(fine).title == "Test"


# ---- light, and the games themselves


def test_the_rules_need_no_numbers_package() -> None:
    program = "import sys, dicegames.rules.check\n"
    program += "print(*sorted({'numpy', 'numba', 'llvmlite', 'rich', 'click'} & set(sys.modules)))"
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    )
    assert done.stdout.split() == []


@pytest.mark.parametrize("path", GAMES, ids=lambda path: path.stem)
def test_games_are_in_order(path: Path) -> None:
    assert str(start(check(decode(path.name, path.read_bytes()))))


def test_what_ends_the_game_is_worked_out_anew_on_purpose() -> None:
    rules = """\
game "Cards"
dice 1d6
each player
    score = 0
table
    left_over = (1 to 6)
free of c means c in left_over
turn
    roll all
    choose
        one of (1 to 6) as c where free of c and c in dice: left_over - c
        otherwise: pass
    score + 1
ends when no c in (1 to 6) has free of c
payoff lowest score
"""
    assert not game(rules).remarks
    again = rules.replace("score + 1", "if no c in (1 to 6) has free of c: score + 1")
    assert [r.code for r in game(again).remarks] == ["worked-out-anew"]


@pytest.mark.parametrize(
    ("end", "told"),
    [
        ("round > 3", 1),
        ("any player has score >= 10 or round > 3", 1),
        ("round > 3 and any player has score >= 10", 0),
        ("any player has score >= (10 if round > 3 else 20)", 0),
    ],
)
def test_rounds_are_looked_at_where_they_end_the_game(end: str, told: int) -> None:
    rules = """\
game "Rounds"
option players = 2
dice 1d6
each player
    score = 0
turn
    roll all
    score + sum of dice
ends when END
payoff highest score
"""
    found = game(rules.replace("END", end)).remarks
    assert [remark.code for remark in found] == ["part-of-round"] * told


def test_a_variable_of_the_table_that_hides_a_function_is_told() -> None:
    """The help was to leave out "of mover", which leaves a number in place of a player."""
    rules = """\
game "Golf"
option players = 2
dice 1d6
each player
    strokes = 0
table
    left = 0 to 20
turn
    roll all
    strokes + sum of dice
    if strokes of left of mover > 3: left = 2
ends after 2 rounds
payoff lowest strokes
"""
    with pytest.raises(RulesError) as told:
        game(rules)
    (mistake,) = told.value.diagnostics
    assert mistake.help.startswith('a variable is called "left": give it another name')


def test_what_is_asked_of_a_pick_cannot_be_kept_before_it() -> None:
    """`let NAME = fits of c` before the choice was the help: there is no `c` there."""
    rules = """\
game "Two rows"
dice 1d6
each player
    score = 0
    row of (1 to 3) = 0 to 6
fits of c means row of c = 0 and c <= lowest of dice
turn
    roll all
    choose
        "First" one of 1 to 3 as c where fits of c: row of c = 1
        "None": pass
    choose
        "Second" one of 1 to 3 as c where fits of c: row of c = 2
        "None": score + 1
ends after 2 rounds
payoff highest score
"""
    (remark,) = game(rules).remarks
    assert (remark.code, remark.help) == ("worked-out-anew", "")
    without = rules.replace("fits of c means row of c", "free means row of 1").replace(
        "and c <= lowest of dice", "and 1 in dice"
    )
    (remark,) = game(without.replace("fits of c", "free")).remarks
    assert remark.help.endswith("write before line 10: let NAME = free")


def test_what_is_asked_for_each_player_in_turn_is_worked_out_anew() -> None:
    rules = """\
game "Lowest falls"
option players = 3
dice 1d6
each player
    lives = 2 from 0 to 2
    last = 0
worst means lowest of (last of p if lives of p > 0 else 9) over p in players
alive of p means lives of p > 0
turn
    roll all
    last = sum of dice
    if seat = 3
        each p in players
            if alive of p and last of p = worst: lives of p - 1
ends when any player has lives = 0
payoff highest lives
"""
    (remark,) = game(rules).remarks
    assert remark.message.startswith(
        '"worst" is worked out anew for each player: "lives" is changed'
    )
    kept = rules.replace("        each p", "        let least = worst\n        each p")
    assert not game(kept.replace("= worst:", "= least:")).remarks


def test_what_a_name_is_handed_anew_is_no_surprise() -> None:
    rules = """\
game "Bounce"
dice 1d6
each player
    square = 0 to 20
to of n means n if n <= 20 else 40 - n
turn
    roll all
    square = to of (square + sum of dice)
    if square = 5: square = to of (square + sum of dice)
ends when any player has square = 20
payoff lowest round
"""
    assert not game(rules).remarks


def test_a_bag_of_dice_with_a_mistake_is_not_blamed() -> None:
    rules = """\
game "Quarry"
dice stone = 3 with faces 1, 1, 2
bag sack with stone times 3
pile pool of sack
each player
    score = 0
turn
    draw 2 to pool
    each k in pool
        roll (number of k in pool) k
        score + sum of k
ends after 2 rounds
payoff highest score
"""
    assert mistakes(rules) == [(2, "dice-faces")]
    assert not game(rules.replace("1, 1, 2", "1 times 2, 2")).remarks


def test_of_several_kinds_one_may_be_thrown_first() -> None:
    rules = """\
game "Kinds"
dice white = 1 with 4 sides
dice blue = 2 with 4 sides
each player
    score = 0
turn
    roll blue
    roll 1 white
    score + sum of white
ends after 2 rounds
payoff highest score
"""
    with pytest.raises(RulesError) as caught:
        game(rules)
    (mistake,) = caught.value.diagnostics
    assert (mistake.code, mistake.help) == (
        "not-thrown",
        "first: roll all, or only these: roll 2 blue; roll blue throws again what lies there",
    )
    assert not game(rules.replace("roll blue", "roll 2 blue")).remarks


@pytest.mark.parametrize(
    ("asked", "remarked"),
    [
        ("total of mover", ["last-to-move"]),
        ("total - highest of (total of p) over p in others", ["last-to-move"]),
        ("3 * total - sum of (total of p) over p in players", []),
        ("1 if seat = seat of mover else total", []),
    ],
)
def test_a_ranking_that_goes_by_whose_turn_it_is(asked: str, remarked: list[str]) -> None:
    rules = f"""\
game "Lead"
option players = 3
dice 1d6
each player
    total = 0
    kept of (1 to 2) = 0
turn
    roll all
    total + sum of dice
    kept of 1 + 1
    kept of 2 + sum of dice
ends when round = 2 or any player has kept of 2 > 9
ranking highest ({asked})
payoff win
"""
    assert [r.code for r in game(rules).remarks] == remarked


def test_no_name_is_proposed_that_the_rules_cannot_say() -> None:
    rules = """\
game "Thrown"
dice attack = 2d6
each player
    score = 0
turn
    roll all
    score + thrown + sum of attack
ends after 2 rounds
payoff highest score
"""
    with pytest.raises(RulesError) as caught:
        game(rules)
    assert "attack.thrown" not in str(caught.value)


def test_yes_where_a_number_belongs_is_told_what_to_write() -> None:
    with pytest.raises(RulesError) as caught:
        game("each player\n    reds = 0\nturn\n    roll all\n    reds = yes\npayoff highest reds")
    (mistake,) = caught.value.diagnostics
    assert mistake.code == "wrong-type"
    assert mistake.help == "write: 1; a variable that is yes or no is declared so: NAME = no"
