"""Layers in which play comes back to where it was."""

from fractions import Fraction

import numpy as np
import pytest

import dicegames
from dicegames.analysis.solution import solve_game
from dicegames.compiler.compile import compile_game
from dicegames.rules.parts.game import Rules
from dicegames.rules.running.exploration import exact_value
from dicegames.solver.blocks import cycle
from dicegames.solver.graph.fold import fold
from dicegames.solver.graph.reduce import reduce
from dicegames.solver.graph.turn import READ, plan_turn
from dicegames.solver.model import BRANCH, CHANCE, END, Axis
from dicegames.solver.solve import cost_of, solve
from dicegames.solver.status import Status
from tests.rules.small import PIG, game
from tests.solver.models import Builder

SLOW = """
dice 1d20
each player
    steps = 0 to 2
turn
    roll all
    if dice show 1: steps + 1
ends when steps >= 2
payoff highest steps
"""


def test_what_a_sweep_leaves_of_the_way_is_leapt_over(monkeypatch: pytest.MonkeyPatch) -> None:
    # nineteen throws of twenty change nothing: plain sweeps would take some 700 of them
    monkeypatch.setattr(cycle, "SWEEP_LOT", 20)
    monkeypatch.setattr(cycle, "MOST_CYCLE_SWEEPS", 20)
    found = solve_game(game(SLOW), "turns")
    assert found.solved.method == "blocks"
    assert found.value == pytest.approx(40, abs=found.solved.error_bound)
    assert 0 < found.solved.error_bound < 1e-11


@pytest.mark.parametrize("brief", [0, 10**18])
def test_sweeps_come_to_the_same_in_place_and_in_threads(
    brief: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    rules = dicegames.load("pig", target=20).rules
    usual = solve_game(rules).solved
    monkeypatch.setattr(cycle, "BRIEF", brief)
    found = solve_game(rules).solved
    assert found.method == "blocks"
    assert (found.value, found.error_bound) == (usual.value, usual.error_bound)
    for node, table in usual.tables.items():
        np.testing.assert_array_equal(found.tables[node], table)


def test_sweeps_that_still_come_nearer_go_on() -> None:
    # each sweep leaves 0.957 of a change, the longer part of the board being one closed set
    found = solve_game(dicegames.load("chutes_and_ladders", players=1).rules, "turns")
    assert found.solved.method == "blocks"
    assert found.solved.error_bound < 1e-11


RACE = """
option players = 2
dice 1d20
each player
    steps = 0 to 2
turn
    roll all
    if dice show 1: steps + 1
ends when any player has steps >= 2
ranking highest steps
payoff win
"""


def _first(own: int, other: int) -> Fraction:
    """The chance of the one to move to be the first to make so many steps, before the other's."""
    step, stay = Fraction(1, 20), Fraction(19, 20)
    mine = 1 if own == 1 else 1 - _first(other, own - 1)
    theirs = 1 if other == 1 else 1 - _first(own, other - 1)
    # v = step * mine + stay * (1 - w) and w = step * theirs + stay * (1 - v)
    return (step * mine + stay - stay**2 - stay * step * theirs) / (1 - stay**2)


def test_in_a_ring_of_two_sweeps_leap_as_well(monkeypatch: pytest.MonkeyPatch) -> None:
    # nineteen turns of twenty only change seats: plain sweeps would take some 700 of them
    monkeypatch.setattr(cycle, "SWEEP_LOT", 24)
    monkeypatch.setattr(cycle, "MOST_CYCLE_SWEEPS", 24)
    found = solve_game(game(RACE))
    assert found.solved.method == "blocks"
    v = float(_first(2, 2))
    assert found.value == pytest.approx((v, 1 - v), abs=found.solved.error_bound)
    assert 0 < found.solved.error_bound < 1e-11


def test_where_ends_of_turns_have_values_only_these_are_read(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    # the end of a turn, if it read the next turn, would be no nearer to its value than that
    monkeypatch.setattr("dicegames.compiler.exploring.turn_ends.MOST_END_ENTRIES", 0)
    found = solve_game(game(SLOW), "turns")
    assert found.value == pytest.approx(40, abs=found.solved.error_bound)
    model = fold(reduce(found.compiled.model)[0])
    assert model.stored.sum() == 2
    read = np.unique(model.target[plan_turn(model).sort == READ])
    assert model.kind[read].tolist() == [BRANCH]


CLIMB = """
option players = 3
option last = 4
dice 1d4
each player
    square = 0 to last capped
map jump
    1 -> 3
    2 -> 1
    3 -> 0
    otherwise -> 0
turn
    roll all
    square + sum of dice
    if jump of square > 0 and square < last: square = jump of square
ends when any player has square = last
ranking highest square
payoff win
"""


@pytest.mark.parametrize("method", ["explicit", "blocks"])
def test_three_players_who_fall_back_have_the_values_of_fractions(method: str) -> None:
    rules = game(CLIMB)
    model = compile_game(rules).model
    found = solve(model, method=method)
    exact = exact_value(rules)
    assert isinstance(exact, tuple)
    assert found.method == method
    assert found.cycles > 0
    assert found.value == pytest.approx([float(v) for v in exact], abs=1e-13)


def test_values_by_seat_are_swept_until_only_rounding_moves() -> None:
    # where 99 turns of 100 bring nothing, changes of 1e-13 leave 50 times as much
    b = Builder([Axis("flag", 2, "flag")])
    end, node = b.node("end", END), b.node("node", CHANCE, stored=True)
    on, over = b.node("on", BRANCH), b.node("over", BRANCH)
    b.edge(node, end, weight=0.01, reward=b.reward(1.0))
    b.edge(node, on, weight=0.99)
    b.edge(on, over, rotate=2)
    b.edge(over, node, rotate=2)  # both together: the next seat
    found = solve(b.build("slow", node, (0,), seats=3), method="explicit")
    q = Fraction(99, 100)
    exact = [q**seat / 100 / (1 - q**3) for seat in range(3)]
    assert found.value == pytest.approx([float(v) for v in exact], abs=1e-13)
    after = exact[2], exact[0], exact[1]  # seen by those who moved
    assert found.value_at(on, (0,)) == pytest.approx([float(v) for v in after], abs=1e-13)
    assert found.states_reachable == 3


def test_branches_that_only_lead_to_each_other_never_end() -> None:
    b = Builder([Axis("flag", 2, "flag")])
    end, node = b.node("end", END), b.node("node", CHANCE, stored=True)
    one, other = b.node("one", BRANCH), b.node("other", BRANCH)
    b.edge(node, end, weight=0.5, reward=b.reward(1.0))
    b.edge(node, one, weight=0.5)
    b.edge(one, other, rotate=1)
    b.edge(other, one)
    found = solve(b.build("round", node, (0,), seats=3), method="explicit")
    assert found.status is Status.ENDLESS
    assert {state[0] for state in found.trouble} == {one, other}


@pytest.mark.parametrize(
    ("rules", "form"),
    [(game(CLIMB, last=30), "explicit"), (game(PIG, players=3, target=24), "blocks")],
)
def test_states_are_listed_where_play_comes_round_among_many(rules: Rules, form: str) -> None:
    model = compile_game(rules).model
    cost = cost_of(model)
    assert (cost.form, cost.cyclic) == (form, True)
    assert solve(model).method == form


def test_what_comes_near_its_end_slowly_is_no_play_without_end() -> None:
    # sweeps come nearer too slowly; equations find the value
    rules = game("""
        dice 1d6
        each player
            steps = 0 to 40 capped
        turn
            choose
                "Safe"
                    roll all
                    if dice show 1: steps + 1
                    else if dice show 6 and steps > 0: steps = steps - 1
                "Bold"
                    roll all
                    if sum of dice >= 4: steps + 2
                    else if steps > 2: steps = steps - 3
                    else: steps = 0
        ends when steps >= 40
        payoff highest steps
    """)
    found = solve_game(rules, "turns").solved
    assert found.status is Status.SOLVED
    assert found.value == pytest.approx(1163566 / 437, abs=found.error_bound)  # as --exact says
    assert found.error_bound < 1e-7
