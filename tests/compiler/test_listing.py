"""Games of which every position is listed, because few positions are less work than conditions."""

from __future__ import annotations

from fractions import Fraction
from functools import cache
from itertools import product
from pathlib import Path

import pytest

import dicegames
from dicegames.analysis.solution import solve_game
from dicegames.compiler.compile import compile_game
from dicegames.compiler.compiled import Compiled
from dicegames.compiler.effort import Effort
from dicegames.compiler.exploring.explore import Explorer
from dicegames.compiler.listing import Listings
from dicegames.ground.source import Source
from dicegames.rules.check import check
from dicegames.rules.parts.unknown import KNOWN
from dicegames.rules.running.exploration import exact_value
from dicegames.rules.running.objectives import objective_of
from dicegames.rules.running.playing import played_by
from tests.test_bad_games import PASSED_ON

GAMES = Path(__file__).parents[2] / "games"
SECOND = Path(__file__).parents[1] / "second_games"


def test_values_are_those_of_fractions(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("dicegames.compiler.listing.MOST_CONDITIONS", 0)
    path = tmp_path / "game.dg"
    few = PASSED_ON.replace("9d6", "3d6").replace("3 from 0 to 9", "1 from 0 to 3")
    dry = "when sum of (mine of p) over p in players <= 1"
    path.write_text(few.replace("when pot = 9", dry), "utf-8")
    game = dicegames.load(path)
    assert not compile_game(game.rules).model.axes
    exact = exact_value(game.rules)
    assert isinstance(exact, tuple)
    assert 0 < min(exact) < max(exact) < 1
    assert dicegames.solve(game).value == pytest.approx([float(v) for v in exact], abs=1e-12)


@pytest.mark.parametrize("objective", ["payoff", "turns"])
def test_lists_and_tables_agree(objective: str, monkeypatch: pytest.MonkeyPatch) -> None:
    game = dicegames.load(GAMES / "pig.dg", target=9, players=1 if objective == "turns" else 2)
    table = dicegames.solve(game, objective)
    monkeypatch.setattr("dicegames.compiler.listing.MOST_CONDITIONS", 0)
    listed = dicegames.solve(game, objective)
    others = ("", "") if objective == "turns" else (" / 5", " / 0")
    for text in ("", f"total 3{others[0]} | points 4", f"total 8{others[1]} | points 0"):
        position = game.position(text)
        assert listed.value_of(position) == pytest.approx(table.value_of(position), abs=1e-12)


def test_very_few_positions_are_listed_while_ranges_grow(monkeypatch: pytest.MonkeyPatch) -> None:
    game = dicegames.load(GAMES / "pig.dg", target=9).rules
    table = solve_game(game, "payoff", {}).value
    assert compile_game(game).model.axes
    monkeypatch.setattr("dicegames.compiler.listing.MOST_GROWTH", 100)
    assert not compile_game(game).model.axes
    assert solve_game(game, "payoff", {}).value == pytest.approx(table, abs=1e-12)
    monkeypatch.setattr("dicegames.compiler.listing.VERY_FEW_POSITIONS", 20)
    assert compile_game(game).model.axes
    monkeypatch.setattr("dicegames.compiler.listing.VERY_FEW_POSITIONS", 1_000)
    monkeypatch.setattr("dicegames.compiler.listing.WAYS_OF_VERY_FEW", 20)
    assert compile_game(game).model.axes


def test_positions_that_were_too_many_are_not_listed_again(monkeypatch: pytest.MonkeyPatch) -> None:
    game = dicegames.load(GAMES / "pig.dg", target=9).rules
    plain = compile_game(game)
    listed: list[int | None] = []
    make = Listings._listed

    def counted(listings: Listings, nodes: int | None, ways: int | None) -> Compiled:
        listed.append(nodes)
        return make(listings, nodes, ways)

    monkeypatch.setattr(Listings, "_listed", counted)
    monkeypatch.setattr(
        "dicegames.compiler.listing.MOST_CONDITIONS", 0
    )  # before ranges are looked for
    monkeypatch.setattr("dicegames.compiler.listing.MOST_GROWTH", 100)
    monkeypatch.setattr("dicegames.compiler.listing.MOST_POSITIONS", 20)
    monkeypatch.setattr("dicegames.compiler.listing.VERY_FEW_POSITIONS", 10)
    assert compile_game(game).model.nodes == plain.model.nodes
    assert listed == [20]


def test_moves_are_asked_for_where_all_ways_are_used_up(monkeypatch: pytest.MonkeyPatch) -> None:
    """Such a report was an internal error."""
    game = dicegames.load(GAMES / "pig.dg", target=9).rules
    monkeypatch.setattr("dicegames.compiler.listing.MOST_CONDITIONS", 0)
    effort = Effort()
    monkeypatch.setattr("dicegames.compiler.listing.Listed", lambda: effort.listed)
    assert not compile_game(game).model.axes
    monkeypatch.undo()
    monkeypatch.setattr("dicegames.compiler.listing.MOST_CONDITIONS", 0)
    monkeypatch.setattr("dicegames.compiler.listing.WAYS_FOLLOWED", effort.listed.ways)
    explorer = compile_game(game).explorer
    choices = [node for node in explorer.nodes if node.kind == "choice"]
    assert choices
    for node in choices:
        assert explorer.moves_at(node)


def test_what_is_known_on_a_path_is_not_known_where_positions_are_listed(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    rules = dicegames.load(SECOND / "everest.dg", top=3).rules
    table = solve_game(rules, "payoff", {}).value
    on_a_path: list[bool] = []
    instead, explore = Listings._instead, Explorer.explore

    def begun(listings: Listings, nodes: int, ways: int) -> None:
        on_a_path.append(bool(KNOWN))
        instead(listings, nodes, ways)

    def unknowing(explorer: Explorer) -> int:
        assert not KNOWN
        return explore(explorer)

    monkeypatch.setattr(Listings, "_instead", begun)
    monkeypatch.setattr(Explorer, "explore", unknowing)
    for most in range(4):
        monkeypatch.setattr("dicegames.compiler.listing.MOST_CONDITIONS", most)
        assert solve_game(rules, "payoff", {}).value == pytest.approx(table, abs=1e-12)
        monkeypatch.setattr("dicegames.compiler.listing.MOST_POSITIONS", 3)
        assert solve_game(rules, "payoff", {}).value == pytest.approx(table, abs=1e-12)
    assert any(on_a_path)


def test_dice_with_many_outcomes_are_left_to_tables(monkeypatch: pytest.MonkeyPatch) -> None:
    """Ten dice fall in 3,003 ways in each position: to list few of these took minutes."""
    rules = check(Source("together.dg", TOGETHER), {})
    listed = solve_game(rules, "payoff", {}).value
    monkeypatch.setattr("dicegames.compiler.listing.FEW_POSITIONS", 100)
    assert not compile_game(rules).model.axes
    monkeypatch.setattr("dicegames.compiler.listing.WAYS_FOLLOWED", 100)
    assert compile_game(rules).model.axes
    assert solve_game(rules, "payoff", {}).value == pytest.approx(listed, abs=1e-11)


BY_PLACES = """
game "By places"
option players = 4 from 3 to 4
dice 1d3
each player
    points = 0 from 0 to 9 capped
    money = 0
turn
    roll all
    choose
        "Keep": points + sum of dice
        "Fine": pay sum of dice from others to mover
ends after 1 rounds
ranking highest points, ties share
at the end
    each p in players
        if place of p = 1: pay 3 from others of p to p
        if place of p = size of players: pay 2 from p to others of p
payoff money
"""


def test_many_conditions_of_payments_are_as_much_work(monkeypatch: pytest.MonkeyPatch) -> None:
    """Four players who may be level are settled in 24 orders: the conditions took half a minute."""
    game = check(Source("by_places.dg", BY_PLACES), {"players": 3})
    table = solve_game(game, "payoff", {})
    monkeypatch.setattr("dicegames.compiler.exploring.follow.A_PAYMENT", 1)
    monkeypatch.setattr("dicegames.compiler.listing.MOST_CONDITIONS", 100)
    assert not compile_game(game).model.axes
    listed = solve_game(game, "payoff", {})
    assert listed.value == pytest.approx(table.value, abs=1e-12)
    exact = exact_value(game)
    assert isinstance(exact, tuple)
    assert listed.value == pytest.approx([float(v) for v in exact], abs=1e-12)


WIDE = """
game "Doubling"
option players = 2 from 1 to 2
dice 1d2
each player
    a = 1
    b = 0
turn
    roll all
    choose
        "Double": a + a
        "Add": b + 4 * sum of dice
ends after 6 rounds
ranking highest a * (b + 1), ties earlier
payoff win
strategy "Now"
    when round = 1: "Double"
    otherwise: best turn
"""


@pytest.mark.parametrize(("strategy", "rounds"), [(None, 6), ("Now", 7)])
def test_few_positions_in_wide_tables_are_listed(
    strategy: str | None, rounds: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("dicegames.compiler.explored.domains.FAR_APART", 100)
    rules = check(Source("wide.dg", WIDE.replace("6 rounds", f"{rounds} rounds")), {})
    seats = (strategy, strategy)
    assert not compile_game(rules, seats=seats).model.axes
    plays = {} if strategy is None else {1: strategy, 2: strategy}
    exact = exact_value(played_by(rules, seats, objective_of("payoff")))
    assert isinstance(exact, tuple)
    assert 0 < exact[1] < exact[0]
    value = solve_game(rules, "payoff", plays or None).value
    assert value == pytest.approx([float(v) for v in exact], abs=1e-12)


SPEND = """
game "Spend"
dice 2 with faces 1 times 2, 2
each player
    a = 2 from 0 to 6 capped
    score = 0
turn
    roll all
    roll lowest 1 of dice
    repeat 2 times
        choose
            "Spend" for 2 a
                score + a
                score + a
            "Look" for 1 a: score + 2 * sum of dice
            otherwise: end turn
        choose
            "Double": a + a
            otherwise: a = 0
ends after the round when (number of 2 in dice) * (number of 1 in dice) >= a - 2 or round >= 2
payoff highest score
strategy "Turn"
    when dice show 1 any 1: "Look"
    otherwise: best turn
"""


def test_points_of_a_turn_count_where_positions_are_listed(monkeypatch: pytest.MonkeyPatch) -> None:
    rules = check(Source("spend.dg", SPEND), {})
    tables = solve_game(rules, "payoff", {1: "Turn"}).value
    monkeypatch.setattr("dicegames.compiler.compile.POINTS", 1)
    monkeypatch.setattr("dicegames.compiler.listing.MOST_CONDITIONS", 0)
    assert not compile_game(rules, seats=("Turn",)).model.axes
    assert solve_game(rules, "payoff", {1: "Turn"}).value == pytest.approx(tables, abs=1e-12)


FOURFOLD = """
game "Fourfold tiles"
dice 2d6
each player
    score = 0
table
    tiles = (1 to 24)
turn
    roll all
    choose
        "Take" one of tiles as t and one of dice as d where t = 4 * sum of d
            tiles - t
            score + t
        otherwise: end game
ends after 6 rounds
payoff highest score
"""
"""Of 16 million sets of tiles few come up: those without some multiples of four."""


@cache
def fourfold(rounds: int, left: frozenset[int]) -> Fraction:
    """Return the points to be expected, `left` being a quarter of the tiles that can be taken."""
    if not rounds:
        return Fraction(0)
    total = Fraction(0)
    for thrown in product(range(1, 7), repeat=2):
        ways = (4 * d + fourfold(rounds - 1, left - {d}) for d in left.intersection(thrown))
        total += max(ways, default=Fraction(0))
    return total / 36


def test_a_large_set_of_which_little_comes_up(tmp_path: Path) -> None:
    (path := tmp_path / "game.dg").write_text(FOURFOLD, "utf-8")
    game = dicegames.load(path)
    assert not compile_game(game.rules).model.axes
    expected = fourfold(6, frozenset(range(1, 7)))
    assert dicegames.solve(game).value == pytest.approx(float(expected), abs=1e-12)


def test_men_of_backgammon_are_listed() -> None:
    """Six men, one on each point: 13,898 situations; conditions on them took two minutes."""
    men = dict.fromkeys(("ones", "twos", "threes", "fours", "fives", "sixes"), 1)
    compiled = compile_game(dicegames.load(GAMES / "bear_off.dg", **men).rules, "turns")
    assert not compiled.model.axes
    assert compiled.model.nodes > 10_000


TOGETHER = """
game "Counters that go together"
dice 1d6
table
    high of (1 to 6) = 0
turn
    roll all
    each k in 1 to 6: high of k + sum of dice
ends after 3 rounds
payoff highest sum of (high of k * high of k) over k in (1 to 6)
"""
"""Some forty positions; all values that the counters may have, each by itself, are 47 million."""


def test_the_larger_tables_would_be_the_more_positions_are_listed(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("dicegames.compiler.listing.FEW_POSITIONS", 3)
    rules = check(Source("together.dg", TOGETHER), {})
    assert not compile_game(rules).model.axes
    expected = 6 * sum(sum(dice) ** 2 for dice in product(range(1, 7), repeat=3)) / 216
    assert solve_game(rules, "payoff", {}).value == pytest.approx(expected, abs=1e-11)


def test_what_is_explored_is_gone_on_with_where_too_much_would_be_listed(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Pig with no time to list its positions: explored as tables, listed in vain, no third time."""
    explored: list[bool] = []
    explore = Explorer.explore

    def counted(explorer: Explorer) -> int:
        explored.append(bool(explorer.roles.axes))
        return explore(explorer)

    rules = dicegames.load(GAMES / "pig.dg").rules
    plain = compile_game(rules)
    monkeypatch.setattr(Explorer, "explore", counted)
    monkeypatch.setattr("dicegames.compiler.listing.MOST_CONDITIONS", 1_000)
    monkeypatch.setattr("dicegames.compiler.compile.POINTS", 8)
    monkeypatch.setattr("dicegames.compiler.listing.POINTS_A_POSITION", 1e9)
    monkeypatch.setattr("dicegames.compiler.listing.FEW_POSITIONS", 3)
    again = compile_game(rules)
    first = explored.index(False)
    assert explored[:first]
    assert not any(explored[first:])
    assert again.model.axes == plain.model.axes
    assert again.model.nodes == plain.model.nodes


BEST_HAND = """
game "Best hand"
option players = 2
dice 3d6
table
    limit = 3
each player
    hand = 0
this turn
    thrown = 0
patterns ranks
    "Three"  x x x     pays 1000 + x
    "Two"    x x       pays 100 + x
    "None"   any dice  pays highest of dice
turn
    roll all
    thrown = 1
    repeat until thrown = limit
        choose
            "Throw" some of dice as k: roll k, thrown + 1
            "Stand": leave
    if seat = 1: limit = thrown
    hand = points of best of ranks
ends after 1 rounds
ranking highest hand, ties share
payoff win
"""


@pytest.mark.parametrize("limit", ["3", "3 from 1 to 3"])
@pytest.mark.parametrize("thrown", ["0", "0 to 3"])
@pytest.mark.parametrize("until", ["= limit", ">= limit"])
def test_a_loop_that_counts_to_what_another_player_set(limit: str, thrown: str, until: str) -> None:
    """How often it comes again was not known, so that it went on for ever.

    The 17 values of a hand are the only ones on its axis, which would have a thousand places.
    """
    text = BEST_HAND.replace("limit = 3", f"limit = {limit}").replace("= limit", until)
    rules = check(Source("hand.dg", text.replace("thrown = 0", f"thrown = {thrown}")), {})
    solution = solve_game(rules)
    exact = exact_value(rules)
    assert isinstance(exact, tuple)
    assert solution.value == pytest.approx([float(v) for v in exact], abs=1e-12)
    sizes = {axis.name: axis.size for axis in solution.compiled.model.axes}
    assert (sizes["limit"], sizes["hand of the next player"]) == (3, 17)
    equalled = solution.value_of("limit 2 | hand 1006 / 0 | seat 2 | thrown 1 | dice 5 6 6")
    assert equalled == pytest.approx((11 / 12, 1 / 12))
