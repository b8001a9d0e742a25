"""Games that cannot be solved get a message, soon: without an end, without a limit, too large."""

from pathlib import Path

import pytest

import dicegames
from dicegames.compiler.compile import compile_game
from dicegames.compiler.exploring.refusals import grows_on
from dicegames.ground.diagnostic import RulesError
from dicegames.rules.running.objectives import ObjectiveError
from tests.rules.small import AT_RISK

GAMES = Path(__file__).parents[1] / "games"

NEVER_ENDS = """
game "Never"
option players = 1 from 1 to 2
dice 1d6
each player
    score = 0 to 5 capped
turn
    roll all
    choose
        "Up": score + 1
        "Down": score - 1
ends when any player has score = 6
ranking highest score
payoff win
"""

GROWS = """
game "Grows"
option players = 2
dice 2d6
each player
    score = 0
turn
    roll all
    score + sum of dice
    if sum of dice = 7: end game
ends after 1000 rounds
ranking highest score
payoff win
"""

WIDE_TURN = """
game "Wide turn"
dice 6d6
each player
    score = 0
this turn
    a of (1 to 6) = 0 to 20 capped
turn
    repeat
        roll all
        choose
            "Mark" 1 of dice as k: a of sum of k + 1
            "Stop": leave
    score + a of 1 * a of 2 + a of 3 * a of 4 + a of 5 * a of 6
ends after 2 rounds
payoff highest score
"""

TOGETHER = """
game "Together"
option players = 2
dice 3d6
each player
    a = 0 to 200 capped
    b = 0 to 200 capped
    c = 0 to 200 capped
turn
    roll all
    choose
        "A": a + sum of dice
        "B": b + sum of dice
        "C": c + sum of dice
ends after 50 rounds
ranking highest a * b * c
payoff win
"""

MANY_TABLES = """
game "Many tables"
dice 2d6
each player
    score = 0
    a of (2 to 12) = 0 to 50 capped
turn
    roll all
    choose
        "Mark": a of sum of dice + 1
        "Take": score + a of sum of dice
ends after 100 rounds
payoff highest score
"""


def game(tmp_path: Path, text: str, **options: object) -> dicegames.Game:
    path = tmp_path / "bad.dg"
    path.write_text(text.lstrip(), "utf-8")
    return dicegames.load(path, **options)


@pytest.mark.parametrize("players", [1, 2])
def test_a_game_without_an_end(tmp_path: Path, players: int) -> None:
    with pytest.raises(RulesError, match=r"bad\.dg:7:5: .* no outcome leads to the end"):
        compile_game(game(tmp_path, NEVER_ENDS, players=players).rules)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (GROWS, r"bad\.dg:5:5: \"score\" takes ever more values"),
        # the score, which only counts, is not what there is too much of
        (WIDE_TURN, r'many situations: more than(.|\n)*"a" takes [\d,]+ values: try .*options; or'),
    ],
)
def test_what_grows_too_large(tmp_path: Path, text: str, message: str) -> None:
    with pytest.raises(RulesError, match=message):
        compile_game(game(tmp_path, text).rules)


@pytest.mark.parametrize(
    ("first", "step", "limit"),
    [
        (3, "lives - 1", "lives = 3 from 0 to 3 capped (it stays at 0)"),
        (3, "lives - sum of dice", "lives = 3 from 0 to 100 capped (it stays at both ends)"),
        (501, "lives + 1", "lives = 501 from 0 to 1000 capped (it stays at both ends)"),
        (0, "lives - sum of dice", "lives = 0 from -100 to 100 capped (it stays at both ends)"),
        (-5, "lives - 1", "lives = -5 from -10 to -5 capped (it stays at -10)"),
    ],
)
def test_a_limit_that_is_proposed_has_the_first_value(
    first: int, step: str, limit: str, tmp_path: Path
) -> None:
    text = GROWS.replace("score = 0", f"lives = {first}").replace("score + sum of dice", step)
    rules = game(tmp_path, text.replace("highest score", "highest lives")).rules
    assert limit in str(grows_on(rules, rules.names.variables["lives"]))


def test_what_is_looked_at_together(tmp_path: Path) -> None:
    with pytest.raises(ObjectiveError, match="combinations are too many"):
        compile_game(game(tmp_path, TOGETHER).rules)


def test_what_needs_too_much_memory(tmp_path: Path) -> None:
    with pytest.raises(dicegames.SolutionError, match=r'"a" with .* values, all 11 together'):
        dicegames.solve(game(tmp_path, MANY_TABLES), memory=10**9)


TRAP = """
game "Trap"
dice 1d6
table
    stuck = no
    won = no
turn
    roll all
    if dice show 1: stuck = yes
    if dice show 6 and not stuck: won = yes, end game
payoff highest (1 if won else 0)
"""


@pytest.mark.parametrize("held", ["yes", "held"])
def test_a_game_that_may_be_caught_for_ever(tmp_path: Path, held: str) -> None:
    rules = TRAP.replace("stuck = no\n", f"stuck = {'no' if held == 'yes' else 'free | held'}\n")
    rules = rules.replace("stuck = yes", f"stuck = {held}")
    rules = rules.replace("not stuck", "not stuck" if held == "yes" else "stuck = free")
    told = rf"without a chance of ending.*: stuck {held} \| .* \(line 7\)"
    with pytest.raises(dicegames.SolutionError, match=told):
        dicegames.solve(game(tmp_path, rules))


RISKY = AT_RISK.replace(
    '"On": next',
    """"Roll"
                choose
                    "Low" when dice show 2: next
                    "High" when dice show 6: next""",
)


@pytest.mark.parametrize("objective", ["payoff", "turn", "average"])
@pytest.mark.parametrize("rounds", [1, 2])
def test_a_way_without_a_move_is_not_just_avoided(
    tmp_path: Path, rounds: int, objective: str
) -> None:
    stuck = game(tmp_path, RISKY, rounds=rounds)
    with pytest.raises(RulesError, match="no move is legal here"):
        dicegames.solve(stuck, objective)


WAITING = """
game "Who begins"
option players = 2 from 2 to 3
option luck = 6 from 1 to 6
dice 1d6
each player
    money = 0
    place = 0 to 6 capped
turn
    if place < 3
        roll all
        place + (3 if dice show 6 else 1)
    else
        choose
            "Risk"
                roll all
                place = 6
                if highest of dice >= luck: pay 1 from others to mover
                else: pay 1 from mover to others
            "Wait": pass
ends when any player has place = 6
payoff money
"""

DEBT = """
game "Debt"
option toll = 1
dice 1d6
table
    steps = 0 to 10 capped
each player
    score = 0
turn
    roll all
    choose
        "Go": steps + 1, score - toll
        "Wait": pass
ends when steps = 10
payoff highest score
"""


@pytest.mark.parametrize("players", [2, 3])
def test_best_play_that_waits_for_ever_in_some_states_only(tmp_path: Path, players: int) -> None:
    """Who begins loses more often than not, so that all wait once they have come so far."""
    waiting = game(tmp_path, WAITING, players=players)
    with pytest.raises(dicegames.SolutionError, match=r"this is so from: .*place 3.* \(line 13\)"):
        dicegames.solve(waiting)
    bold = game(tmp_path, WAITING, players=players, luck=2)
    first = dicegames.solve(bold).value
    assert (first[0] if isinstance(first, tuple) else first) > 0


@pytest.mark.parametrize("toll", [1, 20])
def test_waiting_for_ever_is_better_than_going_on(tmp_path: Path, toll: int) -> None:
    """However little it costs to go on, and although the end is one move away."""
    with pytest.raises(dicegames.SolutionError, match=r"this is so from: steps .* \(line 9\)"):
        dicegames.solve(game(tmp_path, DEBT, toll=toll))


@pytest.mark.parametrize("toll", [0, -1])
def test_waiting_that_brings_nothing_does_no_harm(tmp_path: Path, toll: int) -> None:
    found = dicegames.solve(game(tmp_path, DEBT, toll=toll))
    assert found.value == pytest.approx(-10 * toll)


NO_MOVE = """
game "No move"
dice 2d6
each player
    score = 0
turn
    roll all
    choose
        "Big" when sum of dice >= 4: score + 1
        "Small" when sum of dice <= 2: score + 2
ends after 5 rounds
payoff highest score
"""

STUCK = """
game "Stuck"
option players = 3
dice 1d6
each player
    chips = 3 to 0
turn
    if chips > 0
        roll all
        if dice show 1: chips - 1
ends when every player has chips > 10
payoff highest chips
"""


def test_what_breaks_the_rules_is_told_with_a_way_to_it(tmp_path: Path) -> None:
    path = tmp_path / "no_move.dg"
    path.write_text(NO_MOVE, "utf-8")
    with pytest.raises(RulesError, match=r"(?s)no move is legal here.*after: roll 1 2"):
        dicegames.solve(dicegames.load(path))


def test_matches_are_not_played_where_nobody_can_go_on(tmp_path: Path) -> None:
    path = tmp_path / "stuck.dg"
    path.write_text(STUCK, "utf-8")
    with pytest.raises(RulesError, match="turns pass for ever"):
        dicegames.play_matches(dicegames.load(path), games=10)


def test_a_value_that_no_move_can_bring_does_not_leave_its_range() -> None:
    """With three players on the full board the turn is too wide; the columns keep their ends."""
    path = Path(__file__).parents[1] / "games" / "cant_stop.dg"
    with pytest.raises(RulesError, match="too many situations"):
        compile_game(dicegames.load(path, players=3).rules)


PASSED_ON = """
game "Passed on"
option players = 3
dice 9d6
each player
    mine = 3 from 0 to 9 capped
table
    pot = 0 to 9 capped
turn
    if mine > 0
        roll mine dice
        mine of left of mover + number of 2 in dice
        mine of right of mover + number of 5 in dice
        pot + number of 1 in dice
        mine - (number of 1 in dice + number of 2 in dice + number of 5 in dice)
ends when pot = 9
payoff (1 if mine > 0 else 0)
"""


def test_going_round_is_told_as_such_at_an_assignment_too(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """That all dice are in the pot once nobody has any cannot be shown from one turn."""
    monkeypatch.setattr("dicegames.compiler.listing.MOST_POSITIONS", 20)
    path = tmp_path / "passed_on.dg"
    path.write_text(PASSED_ON, "utf-8")
    with pytest.raises(RulesError, match="cannot be shown that this does not go round for ever"):
        compile_game(dicegames.load(path).rules)


TWO_COUNTERS = """
game "Two counters"
dice 2d6
each player
    score = 0
this turn
    sixes = 0
    points = 0
turn
    repeat
        roll all
        if dice show 1: end turn
        sixes + number of 6 in dice
        points + sum of dice
        choose
            "On": pass
            "Stop": score + points + 5 * sixes, end turn
ends after 1 rounds
payoff highest score
"""


def test_counters_without_limit_are_named_together(tmp_path: Path) -> None:
    """The limits that the message gives are the ones that it takes."""
    path = tmp_path / "two_counters.dg"
    path.write_text(TWO_COUNTERS, "utf-8")
    with pytest.raises(RulesError, match='"sixes" and "points" can grow without limit') as refused:
        dicegames.solve(dicegames.load(path))
    assert "sixes = 0 to 2000 capped; points = 0 to 2000 capped" in str(refused.value)
    limited = TWO_COUNTERS.replace("sixes = 0", "sixes = 0 to 20 capped")
    path.write_text(limited, "utf-8")
    one = dicegames.solve(dicegames.load(path)).value
    path.write_text(limited.replace("points = 0", "points = 0 to 200 capped"), "utf-8")
    assert dicegames.solve(dicegames.load(path)).value == pytest.approx(one, abs=1e-9)


def test_a_turn_that_is_too_large_is_tried_with_its_widest_counter_as_axis(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    game = dicegames.load("zombie_dice", greens=1, yellows=1, reds=1, most=10)
    small = dicegames.solve(game)
    too_few = small.compiled.model.nodes // 2
    monkeypatch.setattr("dicegames.compiler.exploring.control_nodes.MOST_NODES", too_few)
    large = dicegames.solve(game)
    axes = [[axis.name for axis in found.compiled.model.axes] for found in (small, large)]
    assert "brains" in axes[1]
    assert "brains" not in axes[0]
    assert large.value == pytest.approx(small.value, abs=1e-9)


UNREAD = """
game "Nobody reads it"
dice 1d6
each player
    score = 0
    kept = 0 to 9
    places of (1 to 3) = 0
turn
    roll all
    score + sum of dice
    {change}
ends after 2 rounds
payoff highest score
"""


@pytest.mark.parametrize(
    ("change", "told"),
    [
        ("kept + sum of dice", r"it becomes 10, not 0 to 9"),
        ("places of sum of dice + 1", r'"places" has no value for 4'),
    ],
)
def test_what_nobody_reads_may_break_the_rules(change: str, told: str, tmp_path: Path) -> None:
    """In play the referee stops there, so that no value is right."""
    path = tmp_path / "unread.dg"
    path.write_text(UNREAD.format(change=change), "utf-8")
    with pytest.raises(RulesError, match=told):
        dicegames.solve(dicegames.load(path))


@pytest.mark.parametrize("change", ["kept + 4", "if sum of dice < 4: places of sum of dice + 1"])
def test_what_nobody_reads_is_left_out_where_it_holds(change: str, tmp_path: Path) -> None:
    path = tmp_path / "unread.dg"
    path.write_text(UNREAD.format(change=change), "utf-8")
    solution = dicegames.solve(dicegames.load(path))
    assert solution.value == pytest.approx(7.0, abs=1e-12)
    assert not {"kept", "places of 1"} & {axis.name for axis in solution.compiled.model.axes}


def test_points_that_are_only_added_up_are_no_state_with_a_range_either(tmp_path: Path) -> None:
    """How many there may be is looked at beside: the card has 13 rows of at most 50 points."""
    text = (GAMES / "crag.dg").read_text("utf-8")
    path = tmp_path / "crag.dg"
    path.write_text(text.replace("score = 0\n", "score = 0 to 650\n"), "utf-8")
    ranged, free = (dicegames.solve(dicegames.load(p)) for p in (path, GAMES / "crag.dg"))
    assert ranged.value == free.value
    assert ranged.compiled.model.axes == free.compiled.model.axes


@pytest.mark.parametrize("range_", ["0 to 11", "-3 to 12", "1 from 1 to 12"])
def test_points_that_leave_their_range_are_told_with_the_game(range_: str, tmp_path: Path) -> None:
    """Two throws may bring 12 points, and the last line of a turn may take four away."""
    text = UNREAD.replace("score = 0", f"score = {range_}").format(change="score - 4")
    path = tmp_path / "unread.dg"
    path.write_text(text.replace("kept = 0 to 9", "kept = 0"), "utf-8")
    with pytest.raises(RulesError, match="it happens after: roll"):
        dicegames.solve(dicegames.load(path))
