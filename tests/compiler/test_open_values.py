"""Values that stay open while a turn is followed mean what they mean to the referee."""

from fractions import Fraction

import numpy as np
import pytest

from dicegames.analysis.solution import solve_game
from dicegames.compiler.compile import compile_game
from dicegames.compiler.graph import Path
from dicegames.compiler.open_values.tables import side_by_side, slots_of, table
from dicegames.ground.diagnostic import RulesError
from dicegames.rules.parts.game import Rules
from dicegames.rules.parts.types import Value
from dicegames.rules.parts.unknown import NeedsValue, unknown
from dicegames.rules.running.exploration import exact_value
from dicegames.rules.running.referee import start
from tests.rules.small import game

LOSING = """
dice 1d3
boxes card
    "Three"   3 if 1 < round | 3   pays 1 - sum
    "Any"     any dice             pays 0 - 1
turn
    roll all
    choose
        one of open card as c where dice show c
            score + points of c
            use c
ends after 1 rounds
payoff lowest score
"""
"""A three is -2 under its second pattern, another roll -1: (-1 - 1 - 2) / 3."""

BEFORE_A_LOOP = """
dice 1d2
each player
    score = 0 to 9
    throws = 0 to 2 capped
turn
    score + throws
    repeat
        throws + 1
        roll all
        if 1 in dice: leave
    if score > 0: throws = 0
ends after 3 rounds
"""
"""The throws of the first turn, 2 at most, are added in the second: 1/2 + 2 * 1/2."""

ADDED_IN_A_CHAIN = """
dice 1d2
each player
    score = 0 to 20
    more = 0 to 9
    throws = 1 to 2 capped
turn
    more + throws
    score + more
    repeat
        throws + 1
        roll all
        if 1 in dice: leave
    if score > 9: more = 0
ends after 2 rounds
"""
"""First 1 is added, then 1 + 2: there is at least one throw."""

KEPT_AFTER_A_GAIN = """
dice 2d2
each player
    score = 0
    throws = 0 to 1 capped
turn
    roll all
    choose
        any of dice as k
            score + throws
            roll dice - k
    repeat
        throws + 1
        roll all
        if dice show 1 1: leave
ends after 2 rounds
"""
"""Whatever is kept, the second turn adds the one throw of the first."""

LATER = {
    # what was had when the turn began counts, not what is left after paying for throws:
    # 2 + 7/2 in round 1 at least; all coins are best spent at once, the last throw counts
    "set to what is paid from later": (
        """
dice 1d6
each player
    coins = 1 from 0 to 3
    had = 0 to 3
turn
    roll all
    had = coins
    repeat
        choose
            "Again" for 1 coins: roll all
            "Stop": leave
    if had >= 3: coins = 0
ends after 1 rounds
payoff highest had * sum of dice""",
        Fraction(17, 4),  # the better of a throw and 7/2: (3 * 7/2 + 4 + 5 + 6) / 6
    ),
    # two dots are a bust, and there are three throws: 364/729 by listing them
    "set to what grows later": (
        """
dice 2 with faces side, dot times 2
each player
    a = 5
this turn
    u = 0
turn
    roll all
    a = u
    repeat 3 times
        roll all
        if no f in dice has f != dot
            u = 0
            leave
        u + number of dot in dice
        choose
            "Bank"
                a + u
                u = 0
                leave
            "Go": pass
ends after 2 rounds
payoff highest a""",
        Fraction(364, 729),
    ),
}

NOT_ASKED = {
    # a turn brings 1, whatever the condition says
    "a condition behind which nothing differs": (
        """
dice 2d6
dice red = 1d6
each player
    a = 0
turn
    roll all
    a + 1
    if highest of dice <= round: end turn
ends after 3 rounds
payoff highest a""",
        Fraction(3),
    ),
    # each round brings 3/2 on average
    "a loop that is left at once": (
        """
dice 1d2
each player
    a = 0
turn
    roll all
    repeat round times
        leave
    a + sum of dice
ends after 2 rounds
payoff highest a""",
        Fraction(3),
    ),
    # nothing is ever done, so that nobody looks at the empty pile; 3 * 3/2
    "the rest of a condition": (
        """
dice 1d2
pile kept
table
    done = no
    n = 0 to 5
each player
    a = 0
turn
    roll all
    a + sum of dice
    if done and highest of kept > 1: a + 100
    if n >= 2 and n < 0: done = yes
    n + 1
ends after 3 rounds
payoff highest a""",
        Fraction(9, 2),
    ),
    # shut 1, then 2: 2 + 10 + 10
    "the other case": (
        """
dice 1d2
each player
    a = 0
table
    up = (1 to 2)
turn
    roll all
    choose
        one of up as k: up - k
        otherwise: pass
    a + (highest of up if up is not empty else 10)
ends after 3 rounds
payoff highest a""",
        Fraction(22),
    ),
    # 6 div 1 + 6 div 2, and 6 div 3 which is not there any more
    "members that are not there": (
        """
dice 1d2
each player
    a = 0
table
    up = (0 to 3)
turn
    roll all
    up - 0
    up - 3
    a + sum of (6 div k) over k in up
    if every k in up has 6 div k >= 3: a + 1
    if size of (those k in up where 6 div k = 6) = 1: a + 1
ends after 2 rounds
payoff highest a""",
        Fraction(22),
    ),
    # b is never 3, so that the empty pile is not looked at; 1 in each round
    "a move that is not legal": (
        """
dice 1d2
pile kept
table
    b = 0 to 3
each player
    a = 0
turn
    roll all
    choose
        "More" when b = 3 when highest of kept > 1: a + 10
        otherwise: a + 1
    b + 1
ends after 2 rounds
payoff highest a""",
        Fraction(2),
    ),
    # the row counts -1 whichever of its patterns it is shown by: in round 2, by the second
    "rows that cost points": (
        """
dice 2d2
table
    t = 0 to 3 capped
each player
    a = 0
patterns hand
    "Low"  x y if t > 5 | any dice if t = 1  pays 0 - 1
turn
    roll all
    a + points of "Low"
    t + 1
ends after 2 rounds
payoff highest a""",
        Fraction(-1),
    ),
    # a pair of 2 counts 4 in round 2 only, when its face is more than t = 1: chance 1/4
    "letters that are compared with a variable": (
        """
dice 2d2
table
    t = 2 from 0 to 3
each player
    a = 0
patterns hand
    "Pair"  x x where x > t  pays 4
turn
    roll all
    a + points of "Pair"
    t - 1
ends after 2 rounds
payoff highest a""",
        Fraction(1),
    ),
    # the sum of the dice counts when t = 1, else that of none: 3 / 2
    "dice or other dice": (
        """
dice 1d2
pile kept
table
    t = 0 to 3 capped
each player
    a = 0
turn
    roll all
    a + sum of (dice if t = 1 else kept)
    t + 1
ends after 2 rounds
payoff highest a""",
        Fraction(3, 2),
    ),
}

A_ROW_BY_A_CONDITION = """
dice 1d2
each player
    score = 0
    more = 0 to 3 capped
boxes card
    "Low"    any dice   pays 1
    "High"   any dice   pays 4
turn
    roll all
    more + sum of dice
    score + points of ("Low" if more > 2 else "High")
    note ("Low" if more > 2 else "High")
ends after 2 rounds
"""
"""First 4; then more is 2, 3, 3 or 3, one quarter each: 4 + (4 + 1 + 1 + 1) / 4."""

FACTORS = {
    # the sum of two throws
    "points that count if something was done": (
        """
dice 1d2
each player
    score = 0
    done = no
turn
    roll all
    score + sum of dice
    done = yes
ends after 2 rounds
payoff highest (score if done else 0)""",
        Fraction(3),
    ),
    # the sum of two throws, twice
    "points for each member of a set": (
        """
dice 1d2
each player
    score = 0 to 9
    up = (1 to 3)
turn
    roll all
    score + sum of dice
    up - 3
ends after 2 rounds
payoff highest score * size of up""",
        Fraction(6),
    ),
    # 2 * 3/2 with the last throw
    "points for what the dice show": (
        """
dice 1d2
each player
    score = 1
turn
    roll all
    score + 1 - round
ends after 1 rounds
payoff highest (score + 1) * sum of dice""",
        Fraction(3),
    ),
}
"""What is added up counts by a factor that is not that of the start."""

CASES = {
    "a row that depends on an open condition": (A_ROW_BY_A_CONDITION, Fraction(23, 4)),
    **FACTORS,
    "points of several patterns, all of them losses": (LOSING, Fraction(-4, 3)),
    "added before a loop changes what is added": (BEFORE_A_LOOP, Fraction(3, 2)),
    "added in a chain before a loop": (ADDED_IN_A_CHAIN, Fraction(4)),
    "dice kept with an open gain": (KEPT_AFTER_A_GAIN, Fraction(1)),
    **LATER,
    **NOT_ASKED,
}


@pytest.mark.parametrize("name", CASES)
def test_the_value_is_that_of_the_rules(name: str) -> None:
    text, value = CASES[name]
    rules = game(text)
    assert exact_value(rules) == value
    assert solve_game(rules).value == pytest.approx(float(value), abs=1e-12)


LEAVES_ITS_RANGE = """
option players = 2
dice 1d2
each player
    a = 5 from 0 to 9
turn
    roll all
    a - a of mover
    a - a of left of mover
ends after 2 rounds
ranking lowest a
payoff win
"""


def test_a_range_that_is_always_left_is_told() -> None:
    with pytest.raises(RulesError, match="it becomes -5, not 0 to 9"):
        solve_game(game(LEAVES_ITS_RANGE))


def test_rounds_bound_what_is_counted() -> None:
    """The square of the sum of four dice of two faces: the mean is 6, the variance 1."""
    rules = game("""
dice 1d2
turn
    roll all
    score + sum of dice
ends when score > 99 or round >= 4
payoff highest score * score""")
    assert solve_game(rules).value == pytest.approx(37)
    assert exact_value(rules) == 37


SUMS = """
dice 1d2
table
    t = 1 to 4
turn
    roll all
    score + t
    t = sum of dice
    t + round
    score + t
    choose
        "Again": roll all
        "Stay": pass
ends after 2 rounds
payoff highest score * sum of dice
"""


def test_positions_behind_several_changes_have_a_value() -> None:
    rules = game(SUMS)
    solution = solve_game(rules)
    for place in (0, -1):
        here = start(rules)
        while not here.is_over:
            expected = exact_value(rules, here)
            assert isinstance(expected, Fraction)
            assert solution.value_of(here) == pytest.approx(float(expected), abs=1e-9)
            here = here.play((here.outcomes() or here.moves())[place])


def test_gains_count_for_whoever_moves_last() -> None:
    """Both play for what the neighbour of the last player has, who is player 1."""
    rules = game("""
option players = 2
dice 1d2
each player
    score = 3
turn
    roll all
    score + sum of dice
ends after 1 rounds
payoff highest score of left of mover""")
    assert exact_value(rules) == (Fraction(9, 2), Fraction(9, 2))
    assert solve_game(rules).value == pytest.approx((4.5, 4.5))


def test_positions_behind_such_a_change_have_a_value() -> None:
    rules = game(LATER["set to what is paid from later"][0])
    solution = solve_game(rules)
    here = start(rules)
    while not here.is_over:
        expected = exact_value(rules, here)
        assert isinstance(expected, Fraction)
        assert solution.value_of(here) == pytest.approx(float(expected), abs=1e-9)
        following = here.outcomes() or here.moves()
        here = here.play(following[0])


def test_a_row_by_a_condition_is_noted() -> None:
    outcomes = solve_game(game(A_ROW_BY_A_CONDITION), noted=True).outcomes()
    (name,) = outcomes.names
    assert outcomes.probability(name, "Low") == pytest.approx(0.75)


@pytest.mark.parametrize("players", [1, 2, 3])
def test_dice_in_the_payoff_are_those_of_the_last_turn(players: int) -> None:
    """The last player throws a 1 again: (2 + 2 + 3) / 3 for everybody, whatever lay there."""
    rules = game(
        """
option players = 1 from 1 to 3
dice 1d3
turn
    roll all
    choose
        "Again": roll all
        "Stay": pass
ends after 1 rounds
payoff highest sum of dice""",
        players=players,
    )
    first = start(rules)
    here = first.play(first.outcomes()[-1])
    expected = Fraction(3) if players == 1 else Fraction(7, 3)
    for position, value in ((first, Fraction(7, 3)), (here, expected)):
        exact = exact_value(rules, position)
        found = solve_game(rules).value_of(position)
        assert exact == (value if players == 1 else (value,) * players)
        assert found == pytest.approx(float(value) if players == 1 else [float(value)] * players)


def test_an_expression_may_be_used_in_itself_again_and_again() -> None:
    """Its whole text would be longer than any memory; so nobody may ask for it."""
    value: Value = unknown("slot", 3)
    for _ in range(200):
        value = value * value
    assert slots_of(value) == (3,)
    assert NeedsValue(value).value is value
    assert table(value, {3: np.array([0, 1])})[1].tolist() == [0, 1]


def test_more_values_are_looked_at_together_than_arrays_have_dimensions() -> None:
    slots = range(40)
    values = {slot: np.array([slot] if slot > 2 else [0, 1]) for slot in slots}
    total: Value = 0
    for slot in slots:
        total = unknown("add", total, unknown("slot", slot))
    found, first = side_by_side([total, unknown("slot", 1)], list(slots), values)
    assert (found.size, first.size) == (8, 2)
    assert (int(found.min()), int(found.max())) == (777, 780)


NUMBERS_AND_WORDS = """
dice 3 with faces 1, 2, joker
each player
    score = 0
    seen = () from (1, 2, joker)
    last = 1 | 2 | joker
turn
    roll all
    seen = seen + those f in (1, 2, joker) where f in dice
    choose
        "Keep" one of dice as d
            each f in d: last = f
            if last != joker: score + 2
        "Pass": pass
    score + (3 if last = 1 else 1) * number of last in dice
ends after 2 rounds
payoff highest score + size of seen
"""


def test_numbers_among_words() -> None:
    made = game(NUMBERS_AND_WORDS)
    exact = exact_value(made)
    assert isinstance(exact, Fraction)
    assert solve_game(made).value == pytest.approx(float(exact), abs=1e-12)


HIGHEST_OF_MANY = """
option players = 3
dice 1d6
each player
    last = 0 to 6
    won = 0 to 2 capped
best means highest of those n in (1 to 6) where any player has last = n
turn
    roll all
    last = sum of dice
    if seat = 3
        each p in players
            if last of p = best: won of p + 1
            if last of p = lowest of those n in (1 to 6) where any player has last = n: won of p + 1
ends after 1 rounds
payoff highest won
"""


def test_the_highest_of_an_open_set_is_one_expression() -> None:
    """It was looked for member by member, each asked for by itself on paths of their own."""
    made = game(HIGHEST_OF_MANY)
    exact = exact_value(made)
    compiled = compile_game(made)
    assert solve_game(made).value == pytest.approx(np.array(exact, dtype=float), abs=1e-12)
    paths = [step for step in compiled.explorer.steps if step.target == -1]
    assert len(paths) < 400


OUT_OF_THE_GAME = """
option players = 4
dice 1d6
each player
    lives = 1 from 0 to 1
turn
    if lives > 0
        roll all
        if dice show 1: lives - 1
ends when sum of (1 if lives of p > 0 else 0) over p in players = 1
ranking highest lives
payoff win
"""


def test_turns_in_which_nobody_plays_are_not_gone_through_for_ever(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """That all are out is excluded only later: how often turns passed was 10,000 for each path."""
    passed = []
    end_turn = Path.end_turn

    def counted(self: Path, rules: Rules) -> None:
        passed.append(self)
        end_turn(self, rules)

    monkeypatch.setattr(Path, "end_turn", counted)
    made = game(OUT_OF_THE_GAME)
    compile_game(made)
    assert len(passed) < 1000
    exact = exact_value(made)
    assert solve_game(made).value == pytest.approx(np.array(exact, dtype=float), abs=1e-9)
