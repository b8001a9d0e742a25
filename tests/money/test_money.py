"""Games for money: places and settlements, values by seat, and what each seat could gain."""

import re
from fractions import Fraction
from itertools import product
from pathlib import Path
from typing import Any

import pytest

from dicegames.analysis.solution import Solution, SolutionError, solve_game
from dicegames.compiler.compile import compile_game
from dicegames.ground.diagnostic import RulesError
from dicegames.rules.parts.game import Rules
from dicegames.rules.running.exploration import exact_value
from dicegames.rules.running.notation import parse_position
from dicegames.rules.running.objectives import ObjectiveError
from dicegames.rules.running.referee import start
from tests.conformance import Conformance
from tests.rules.small import game, payoff, play, read
from tests.test_conformance import everything

ROOT = Path(__file__).parents[2]
CLOSE = 1e-9


def load(path: str, **options: Any) -> Rules:
    return read(ROOT / path, **options)


# ---- places and the settlement

RACE = """
    option players = 3
    option ties = share | earlier
    dice 1d6
    each player
        score = 0
        money = 0
    turn
        roll all
        score + sum of dice
    ends after 1 rounds
    ranking highest score, ties earlier if ties = earlier else share
    at the end
        each p in players
            if place of p = 2: pay 60 from p to winner
            if place of p = 3: pay 90 from p to winner
    payoff money
"""


@pytest.mark.parametrize(
    ("throws", "paid"),
    [
        ("6 4 1", [150, -60, -90]),
        ("1 4 6", [-90, -60, 150]),
        ("5 1 5", [150, -90, -60]),  # seat 1 is ahead of seat 3
        ("2 5 5", [-90, 150, -60]),
        ("3 3 3", [150, -60, -90]),
    ],
)
def test_the_earlier_of_equal_players_is_ahead(throws: str, paid: list[int]) -> None:
    assert payoff(play(game(RACE, ties="earlier"), *throws.split())) == paid


@pytest.mark.parametrize(
    ("throws", "paid"),
    [
        ("6 4 1", [150, -60, -90]),
        ("5 1 5", [45, -90, 45]),  # (150 - 60) / 2 for each of the two
        ("5 1 1", [150, -75, -75]),
        ("3 3 3", [0, 0, 0]),
    ],
)
def test_level_players_settle_for_the_mean_of_all_orders(throws: str, paid: list[int]) -> None:
    assert payoff(play(game(RACE), *throws.split())) == paid


def test_a_mean_need_not_be_whole() -> None:
    rules = game(RACE.replace("60", "1").replace("90", "2"))
    assert payoff(play(rules, "5", "1", "5")) == [Fraction(1), -2, Fraction(1)]
    assert payoff(play(rules, "5", "1", "1")) == [3, Fraction(-3, 2), Fraction(-3, 2)]


def test_winning_goes_to_the_earlier_if_the_rules_say_so() -> None:
    text = RACE[: RACE.index("    at the end")].replace("money = 0", "medals = 0")
    rules = game(text + "    payoff win\n", ties="earlier")
    assert payoff(play(rules, "5", "1", "5")) == [1, 0, 0]
    shared = game(text + "    payoff win\n")
    assert payoff(play(shared, "5", "1", "5")) == [Fraction(1, 2), 0, Fraction(1, 2)]


# ---- the whole game of the mission, by hand

LAST = "round 12 | seat 3 | dice 1 | throws 1"


@pytest.mark.parametrize(
    ("totals", "strich", "round_", "paid"),
    [
        # 10,400 wins late: 50 from the second, 70 from the third, nobody below 5,000
        ("10400 / 5200 / 5100", "yes / yes / yes", 12, [120, -50, -70]),
        # within ten rounds: 50 more from each; the third is below 5,000: 50 more
        ("10400 / 5200 / 4950", "yes / yes / yes", 10, [120 + 100 + 50, -50 - 50, -70 - 50 - 50]),
        # the second has no strich: 50 from each other player
        ("10400 / 5200 / 5100", "yes / no / yes", 12, [120 - 50, -50 + 100, -70 - 50]),
        # everybody is without strich: that changes nothing
        ("10400 / 5200 / 5100", "no / no / no", 12, [120, -50, -70]),
        # not the first to cross but the highest wins; level players rank by seat
        ("10000 / 10050 / 10050", "yes / yes / yes", 11, [-70, 120, -50]),
    ],
)
def test_what_is_paid_in_the_end(totals: str, strich: str, round_: int, paid: list[int]) -> None:
    rules = load("games/lange_strasse.dg")
    position = parse_position(
        rules, f"total {totals} | strich {strich} | round {round_} | seat 3 | over"
    )
    settled = _settled(position)
    assert list(settled) == paid
    assert sum(settled) == 0


def _settled(position: Any) -> tuple[Fraction, ...]:
    """Let the last turn of a round end with nothing won."""
    from dicegames.rules.running.referee import run

    rules = position.game
    return run(rules, rules.end_turn, list(position.env)).payoff


def test_money_won_in_a_turn_survives_a_bust() -> None:
    rules = load("games/lange_strasse.dg")
    first = start(rules)
    thrown = {o.text: o for o in first.outcomes()}
    totale = first.play(thrown["2 2 3 3 4 6"]).play("(no move)")
    assert payoff_so_far(totale) == [-100, 50, 50]
    street = first.play(thrown["1 2 3 4 5 6"]).play("Lange Strasse")
    assert payoff_so_far(street) == [100, -50, -50]
    busted = next(street.play(o) for o in street.outcomes() if o.text == "2 2 3 3 4 6")
    assert payoff_so_far(busted.play("(no move)")) == [0, 0, 0]  # the strasse's, and a totale's


def test_one_and_five_kept_one_by_one_make_a_super_strasse() -> None:
    position = start(load("games/lange_strasse.dg"))
    for dice, keep in (("1 2 2 3 3 4", "Keep 1"), ("2 2 3 3 5", "Keep 5")):
        position = next(position.play(o) for o in position.outcomes() if o.text == dice)
        position = position.play(keep).play("Roll")
    position = next(position.play(o) for o in position.outcomes() if o.text == "2 3 4 6")
    assert payoff_so_far(position.play("Lange Strasse")) == [200, -100, -100]


def payoff_so_far(position: Any) -> list[int]:
    """Return the money of each seat, seat 1 first."""
    node = position.node
    base, players = node.game.names.variables["money"].base, node.game.players
    return [node.env[base + (seat - node.seat) % players] for seat in range(players)]


# ---- values by seat

SMALL = {"length": 3, "rounds": 2}


@pytest.mark.parametrize(
    "options",
    [
        {"players": 2, "ties": "share"},
        {"players": 2, "ties": "earlier", "rounds": 3},
        {"players": 3, "ties": "share"},
        {"players": 3, "ties": "earlier"},
    ],
    ids=str,
)
def test_tables_agree_with_exact_fractions(options: dict[str, Any]) -> None:
    rules = load("tests/money/toll_road.dg", **{**SMALL, **options})
    solution = solve_game(rules)
    exact = exact_value(rules)
    assert isinstance(exact, tuple)
    assert sum(exact) == 0
    assert solution.value == pytest.approx([float(v) for v in exact], abs=CLOSE)
    later = "walked 1 / 2 / 0 | bold yes / no / no | money 3 / -1 / -2 | seat 2 | round 2"
    if options["players"] == 3:
        position = parse_position(rules, later)
        found = exact_value(rules, position)
        assert isinstance(found, tuple)
        assert solution.value_of(position) == pytest.approx([float(v) for v in found], abs=CLOSE)
        assert solution.remaining_of(position) == pytest.approx(
            [float(v) - had for v, had in zip(found, (3, -1, -2), strict=True)], abs=CLOSE
        )


def test_the_model_of_a_game_for_money_is_the_referee() -> None:
    compiled = compile_game(load("tests/money/toll_road.dg", **SMALL))
    conformance = Conformance(compiled)
    count = 0
    for position in everything(compiled):
        conformance.compare(position)
        count += 1
        if count == 1500:
            break
    assert count == 1500


def test_two_players_for_money_are_opposed() -> None:
    solution = solve_game(load("tests/money/toll_road.dg", **SMALL, players=2))
    assert solution.solved.status.name == "SOLVED"
    assert isinstance(solution.value, tuple)
    assert sum(solution.value) == pytest.approx(0, abs=CLOSE)
    assert solution.error_bound < CLOSE


@pytest.mark.parametrize("players", [3, 4])
def test_winning_against_several(players: int) -> None:
    rules = load("games/pig.dg", players=players, target=4)
    solution = solve_game(rules)
    exact = exact_value(rules)
    assert isinstance(exact, tuple)
    assert isinstance(solution.value, tuple)
    assert sum(exact) == 1
    assert solution.value == pytest.approx([float(v) for v in exact], abs=CLOSE)
    assert max(solution.solved.gains) < CLOSE


def test_nobody_gains_by_departing_alone() -> None:
    solution = solve_game(load("tests/money/toll_road.dg", **SMALL))
    assert len(solution.solved.gains) == 3
    assert max(solution.solved.gains) < CLOSE


def test_the_best_move_is_best_for_the_player_who_makes_it() -> None:
    rules = load("tests/money/toll_road.dg", **SMALL)
    solution = solve_game(rules)
    position = parse_position(rules, "walked 3 / 2 / 0 | seat 2 | round 1 | steps 2")
    for choice in solution.options(position):
        after = position.play(choice.move)
        value = exact_value(rules, after)
        assert isinstance(value, tuple)
        assert choice.value == pytest.approx(float(value[1]), abs=CLOSE)


def test_rounds_count_only_as_far_as_the_rules_ask() -> None:
    rules = game("""
        option players = 2
        dice 1d6
        each player
            total = 0 to 3 capped
            money = 0
        turn
            roll all
            choose
                "On" when dice show 6: total + 1
                "Pass": pass
        ends when any player has total >= 3
        ranking highest total
        at the end
            pay 4 from players to winner
            if round <= 5: pay 2 from players to winner
        payoff money
    """)
    solution = solve_game(rules)
    rounds = next(a for a in solution.compiled.model.axes if a.name == "round")
    assert (rounds.offset, rounds.size) == (1, 6)
    twelve = solution.value_of("round 12 | total 1 / 2 | seat 2")
    assert twelve == pytest.approx(solution.value_of("round 6 | total 1 / 2 | seat 2"))


def test_the_number_of_the_winner() -> None:
    """Who has less pays what the winner has; those who are level pay each other in turn."""
    rules = game("""
        option players = 3
        dice 1d4
        each player
            total = 0
            money = 0
        turn
            roll all
            total + sum of dice
        ends after 1 rounds
        ranking highest total
        at the end
            each p in players
                if place of p > 1: pay total of winner from p to winner
        payoff money
    """)
    solution = solve_game(rules)
    for first in range(1, 5):
        gain = Fraction(0)
        for others in product(range(1, 5), repeat=2):
            most = max(first, *others)
            leading = (first, *others).count(most)
            gain += Fraction(2 * most + (leading - 1) * -most, leading) if first == most else -most
        values = solution.value_of(f"total {first} / 0 / 0 | seat 2")
        assert isinstance(values, tuple)
        assert values[0] == pytest.approx(float(gain / 16))
    with pytest.raises(
        RulesError, match=r'"others of" does not go with a player .*\n.*\n.*\n.*each p'
    ):
        game("""
            each player
                money = 0
            ranking highest money
            at the end
                pay 1 from others of winner to winner
            payoff money
        """)


# ---- what is not solved


def test_games_too_large_are_refused_with_their_size(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("dicegames.compiler.open_values.tables.LARGEST_TABLE", 1 << 19)
    with pytest.raises(ObjectiveError, match=r"8,000,000 combinations .* --objective turn"):
        compile_game(load("games/dice_poker.dg", players=3))
    with pytest.raises(ObjectiveError, match=r'"banked" grows without limit inside a turn'):
        compile_game(load("games/lange_strasse.dg"))


def test_selfish_players_with_too_many_states_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("dicegames.solver.graph.states.MAX_RECTANGLE", 1000)
    solve_game(load("tests/money/toll_road.dg", **SMALL))  # few of the states can come up
    monkeypatch.setattr("dicegames.solver.graph.states.MOST_SEARCHED", 100)
    monkeypatch.setattr("dicegames.analysis.solving.gridding.SEARCH", 3600.0)
    with pytest.raises(SolutionError, match=r"more than 100 of up to .* states") as refused:
        solve_game(load("tests/money/toll_road.dg", **SMALL))
    told = re.search(r"what fits: --set (\w+)=(\d+)", str(refused.value))
    assert told is not None
    monkeypatch.undo()
    smaller = {**SMALL, told[1]: int(told[2])}
    assert solve_game(load("tests/money/toll_road.dg", **smaller)).solved.status.solved


def test_what_fits_instead_is_told_where_it_is_not_even_compiled(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("dicegames.compiler.open_values.tables.LARGEST_TABLE", 1 << 19)
    # What is told does not hang on the machine.
    monkeypatch.setattr("dicegames.analysis.solving.gridding.SEARCH", 3600.0)
    rules = load("games/dice_poker.dg", players=3, rerolled_at_most=0)
    with pytest.raises(ObjectiveError, match=r"fits: .*--set players=2, solve --grid total=\d+ "):
        solve_game(rules)


def test_a_solution_by_seat_is_saved_and_loaded(tmp_path: Path) -> None:
    rules = load("tests/money/toll_road.dg", **SMALL)
    solution = solve_game(rules)
    solution.save(tmp_path / "toll.dgs")
    loaded = Solution.load(tmp_path / "toll.dgs", rules)
    position = "walked 1 / 2 / 0 | bold yes / no / no | seat 2 | round 2"
    assert loaded.value_of(position) == solution.value_of(position)
