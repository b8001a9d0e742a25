"""Limits hold while the rules are explored, and what asks too much at once is refused."""

import gc
import json
import tracemalloc
from itertools import count
from pathlib import Path

import pytest

import dicegames
from dicegames.cli.entry import main
from dicegames.compiler.compile import _Compilation, compile_game
from dicegames.compiler.effort import Effort
from dicegames.compiler.exploring.control_nodes import MOST_CONTROL_VALUES, Widths
from dicegames.compiler.exploring.refusals import too_wide
from dicegames.compiler.form import LISTED
from dicegames.compiler.goal import goal_of
from dicegames.compiler.graph import TooWide
from dicegames.compiler.open_values.cases import settled
from dicegames.ground.diagnostic import RulesError
from dicegames.ground.limits import LimitReached, Limits
from dicegames.ground.source import Source
from dicegames.play.summed_throws import PositionWords
from dicegames.rules.check import check
from dicegames.rules.parts.broken import NotShown
from dicegames.rules.parts.game import Rules
from dicegames.rules.parts.unknown import KNOWN, Unknown, compare, unknown
from dicegames.rules.running.exploration import exact_value
from dicegames.rules.running.objectives import objective_of
from dicegames.rules.running.referee import start

GAMES = Path(__file__).parents[2] / "games"
LARGE = str(GAMES / "cant_stop.dg")

CHIPS = """\
game "Chips"
option players = 3
dice 3d6
each player
    chips = 10
turn
    roll all
    if dice show 3: chips - 2
    if dice show 4: chips + 2
ends when any player has chips <= 0
ranking highest chips
payoff win
"""

DUES = """\
game "Dues"
option players = 3
dice 2d6
each player
    chips = 10
turn
    roll all
    repeat 5 times
        each p in players
            each q in players
                if chips of p > chips of q: chips of p - 2, chips of q + 1
ends when any player has chips <= 0
ranking highest chips
payoff win
"""

BOARD = """\
game "Board"
option players = 4
dice 4d20
each player
    steps of (1 to 60) = 0 to 20
turn
    roll all
    repeat
        choose
            one of 1 to 60 as n where n in dice and steps of n < 20: steps of n + 1
            "Stop": leave
        roll all
ends when any player has steps of 20 = 20
ranking highest steps of 20
payoff win
"""

WIDE = """\
game "Wide"
dice 2d6
each player
    score = 0
this turn
    t = 0 to MOST capped
turn
    repeat
        roll all
        t + sum of dice
        choose
            "Stop": leave
            "On": next
    score + t
ends after 3 rounds
payoff highest score
"""

PASSED_OVER = """\
game "Passed over"
option players = 2
dice 1d3
each player
    lost = 0 to 2 capped
    score = 0 to 2 capped
turn
    if lost < 2
        roll all
        if dice show 1: lost + 1
        else: score + 1
ends when every player has lost = 2
ranking highest score
payoff win
"""


def rules(text: str) -> Rules:
    return check(Source("limits.dg", text), {})


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let a second pass whenever somebody looks at the clock."""
    seconds = count()
    monkeypatch.setattr("dicegames.ground.limits.perf_counter", lambda: next(seconds))


@pytest.mark.usefixtures("clock")
def test_time_is_over_while_exploring() -> None:
    told = r"longer than the 800 s allowed: a turn has [\d,]+ situations so far, most .* at line 30"
    with pytest.raises(LimitReached, match=told + '.*"climbed" takes'):
        compile_game(dicegames.load(LARGE).rules, limits=Limits(800, began=0))


@pytest.mark.usefixtures("clock")
def test_time_is_over_while_ranges_grow() -> None:
    with pytest.raises(LimitReached, match='500 s allowed: there are ever more values of "chips'):
        compile_game(rules(CHIPS), limits=Limits(500, began=0))


def test_memory_is_full_while_exploring() -> None:
    told = r"about 232 MB or more, allowed are 232 MB: a turn has [\d,]+ situations so far"
    with pytest.raises(LimitReached, match=told):
        compile_game(dicegames.load(LARGE).rules, limits=Limits(memory=232_000_000))


def test_a_turn_is_refused_sooner_where_no_table_holds_the_states_between() -> None:
    told = r"more than 6,000, and between turns there are 5\.5e\+19 states, "
    told += r"whose values alone take 4\.4e\+11 GB"
    with pytest.raises(RulesError, match=told) as refused:
        compile_game(dicegames.load(LARGE).rules)
    assert "--time 1h" in str(refused.value.diagnostics[0].help)


def test_states_between_turns_are_told_however_many_there_are() -> None:
    told = r"between turns there are 2\.2e\+317 states"
    with pytest.raises(RulesError, match=told):
        compile_game(rules(BOARD))


def test_values_are_not_listed_before_it_is_known_how_many_they_are() -> None:
    game = rules(DUES.replace("chips = 10", "chips = 10 from 0 to 5000000"))
    first = game.names.variables["chips"].base
    condition = compare("lt", unknown("slot", first), unknown("slot", first + 1))
    assert isinstance(condition, Unknown)
    tracemalloc.start()
    assert settled(game, condition) is None
    assert tracemalloc.get_traced_memory()[1] < 1_000_000
    tracemalloc.stop()


@pytest.mark.parametrize(
    ("most", "told"), [("10000000", "about 1,230 MB"), ("100000000", '"t" takes too many values')]
)
def test_a_wide_counter_is_refused_before_its_values_are_listed(most: str, told: str) -> None:
    game = rules(WIDE.replace("MOST", most))
    tracemalloc.start()
    with pytest.raises((RulesError, LimitReached), match=told):
        compile_game(game, limits=Limits(memory=500_000_000))
    assert tracemalloc.get_traced_memory()[1] < 100_000_000
    tracemalloc.stop()


def test_a_range_that_makes_a_turn_too_large_is_told_as_it_was_written() -> None:
    game = rules(DUES.replace("chips = 10", "chips = 10 from 0 to 5000"))
    told = too_wide(game, TooWide("chips", game.names.variables["chips"].span), listed=False)
    assert '"chips" takes too many values: 0 to 5000' in str(told)
    assert "narrow its range" in str(told)


def test_a_large_turn_is_explored_where_a_time_is_given(monkeypatch: pytest.MonkeyPatch) -> None:
    small = dicegames.load(LARGE, sides=2, shortest=1, players=1).rules
    nodes = compile_game(small, "turns").model.nodes
    monkeypatch.setattr("dicegames.compiler.exploring.control_nodes.MOST_NODES", 50)
    monkeypatch.setattr("dicegames.compiler.listing.MOST_POSITIONS", 50)
    with pytest.raises(RulesError, match="too many situations: more than 50"):
        compile_game(small, "turns")
    assert compile_game(small, "turns", limits=Limits(3600)).model.nodes == nodes > 50


CROSSES = """\
game "Crosses"
dice 2d4
each player
    low = 0 to 4
    crosses = 0 to 6
turn
    roll all
    each die f in dice
        choose
            "Write" when low = 0: low = f
            "Cross": crosses + 1
ends after 3 rounds
payoff lowest crosses
"""


def test_a_range_that_nothing_needs_may_be_left_out(monkeypatch: pytest.MonkeyPatch) -> None:
    """A wider one was advised, which was refused as well."""
    monkeypatch.setattr("dicegames.rules.running.search.MOST_SEARCH_STEPS", 10)
    monkeypatch.setattr("dicegames.compiler.listing.MOST_POSITIONS", 20)
    with pytest.raises(RulesError, match="leave the range out where it is declared"):
        compile_game(rules(CROSSES))
    assert compile_game(rules(CROSSES.replace(" 0 to 6", " 0"))).model.nodes > 0
    with pytest.raises(RulesError, match="or write capped after it"):  # all that counts is followed
        compile_game(rules(CROSSES), "reach:3")
    needed = CROSSES.replace("when low = 0", "when low = 0 and crosses < 3")
    with pytest.raises(RulesError, match="widen the range"):
        compile_game(rules(needed))


def test_that_there_are_many_positions_is_found_by_listing_the_near_ones_first() -> None:
    game = dicegames.load(GAMES / "chutes_and_ladders.dg", players=6).rules
    goal = goal_of(game, objective_of("payoff"))
    compilation = _Compilation(goal, (), Effort(nodes=1000), LISTED)
    with pytest.raises(NotShown, match="more than 60,000"):
        compilation.compiled()
    assert compilation.effort.listed.edges <= 1000  # six from each, most to new ones


def test_what_is_to_be_done_soon_is_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("dicegames.compiler.listing.FEW_POSITIONS", 50)
    monkeypatch.delattr("dicegames.compiler.listing.MOST_POSITIONS")
    with pytest.raises(LimitReached):
        compile_game(dicegames.load(GAMES / "pig.dg", players=8).rules, limits=Effort(soon=True))


def test_limits_that_are_kept_change_nothing() -> None:
    game = dicegames.load(GAMES / "pig.dg", target=20).rules
    limited, free = compile_game(game, limits=Limits(3600, 10**9)), compile_game(game)
    assert limited.model.nodes == free.model.nodes


def test_solving_is_refused_while_compiling() -> None:
    with pytest.raises(dicegames.SolutionError, match="longer than the 1e-09 s allowed"):
        dicegames.solve(dicegames.load(LARGE), time=1e-9)


@pytest.mark.parametrize("command", ["solve", "inspect"])
def test_commands_are_refused_while_compiling(
    command: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main([command, LARGE, "--memory", "232MB", "--json"]) == 1
    captured = capsys.readouterr()
    [error] = json.loads(captured.out)["errors"]
    assert "a turn has" in error["message"]
    assert f"error: {error['message']}" in captured.err


def test_an_interrupt_leaves_nothing_behind(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    looks = count()

    def look(*_: int) -> None:
        if next(looks) == 300:
            raise KeyboardInterrupt

    monkeypatch.setattr(Limits, "look", look)
    out = tmp_path / "cant_stop.solution"
    assert main(["solve", LARGE, "--out", str(out)]) == 130
    assert next(looks) == 301
    assert capsys.readouterr().err == "\nstopped\n"
    assert not out.exists()
    assert gc.isenabled()
    assert not KNOWN


def test_too_many_cases_at_once_are_refused() -> None:
    chips = ("the player to move", "the next player", "the player 2 seats on")
    asked = ", ".join(f'"chips of {whose}"' for whose in chips)
    with pytest.raises(RulesError, match=rf"limits\.dg:12:1: too many cases .* asked is {asked}"):
        compile_game(rules(DUES))


def test_positions_are_told_apart_without_a_model(monkeypatch: pytest.MonkeyPatch) -> None:
    first = start(dicegames.load(GAMES / "pig.dg", target=10).rules).node
    with_model = PositionWords(first.game).key(first)
    monkeypatch.setattr("dicegames.play.summed_throws.LONGEST_SEARCH", 0.0)
    without = PositionWords(first.game)
    assert without.key(first) == without.key(first)
    assert without.key(first) != with_model


def test_players_who_are_passed_over() -> None:
    game = rules(PASSED_OVER)
    exact = exact_value(game)
    assert isinstance(exact, tuple)
    found = dicegames.solve(dicegames.Game(game)).value
    assert found == pytest.approx([float(value) for value in exact], abs=1e-12)


def test_what_no_rules_name_is_not_said_to_take_too_many_values() -> None:
    slots = check(Source("chips.dg", CHIPS)).names.slots
    hidden = [n for n, v in enumerate(slots) if v.scope == "local" or "." in v.name]
    assert any("." in slots[n].name for n in hidden)
    looked_at = Widths(slots, MOST_CONTROL_VALUES).looked_at(range(len(slots)))
    assert sorted([*looked_at, *hidden]) == list(range(len(slots)))
    for slot in looked_at:
        widths = Widths(slots, MOST_CONTROL_VALUES)
        for value in range(400):
            widths.meet(slot, value)
        with pytest.raises(TooWide, match=slots[slot].name):
            widths.meet(slot, 400)
