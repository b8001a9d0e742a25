"""Ends of turns become nodes where what is asked there would need many large tables."""

from __future__ import annotations

import pytest

from dicegames.analysis.solution import Solution, solve_game
from dicegames.compiler.compile import compile_game
from dicegames.compiler.exploring import turn_ends
from dicegames.rules.running.exploration import exact_value
from dicegames.rules.running.notation import parse_position
from tests.rules.small import game

CLIMB = """
option players = 1 from 1 to 2
dice 2d3
each player
    height of c in (1 to 3) = 0 to 2
this turn
    climbed of c in (1 to 3) = 0 to 2
turn
    repeat
        roll all
        choose
            "Climb" 1 of dice as k where height of (sum of k) + climbed of (sum of k) < 2
                climbed of (sum of k) + 1
            otherwise: end turn
        choose
            "Stop"
                each c in (1 to 3): height of c + climbed of c
                end turn
            "Roll": next
ends when any player has (size of those c in (1 to 3) where height of c = 2) >= 2
ranking highest (size of those c in (1 to 3) where height of c = 2)
payoff win
"""


def solved(monkeypatch: pytest.MonkeyPatch, most: int, objective: str, players: int) -> Solution:
    monkeypatch.setattr(turn_ends, "MOST_END_ENTRIES", most)
    return solve_game(game(CLIMB, players=players), objective)


@pytest.mark.parametrize(("objective", "players"), [("turns", 1), ("payoff", 2)])
def test_values_are_the_same(monkeypatch: pytest.MonkeyPatch, objective: str, players: int) -> None:
    on_the_way = solved(monkeypatch, 1 << 40, objective, players)
    nodes = solved(monkeypatch, 0, objective, players)
    assert nodes.compiled.model.stored.sum() == on_the_way.compiled.model.stored.sum() + 1
    assert nodes.value == pytest.approx(on_the_way.value, abs=1e-12)
    if players == 1:
        exact = exact_value(game(CLIMB, players=1), objective=objective)
        assert not isinstance(exact, tuple)
        assert nodes.value == pytest.approx(float(exact), abs=1e-12)
    others = " / 3:1" * (players - 1)
    for text in (f"height 1:1 2:2{others}", f"height 1:1{others} | climbed 2:2 | dice 1 3"):
        values = [s.value_of(parse_position(s.game, text)) for s in (nodes, on_the_way)]
        assert values[0] == pytest.approx(values[1], abs=1e-12)


def test_what_is_asked_at_the_end_of_a_turn_is_one_table_for_all_ways_there(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    tables = []
    for most in (1 << 40, 0):
        monkeypatch.setattr(turn_ends, "MOST_END_ENTRIES", most)
        model = compile_game(game(CLIMB, players=1), "turns").model
        tables.append(sum(len(lookup.axes) > 1 for lookup in model.lookups))
    assert tables[0] > 30
    assert tables[1] == 2  # over, and not over
