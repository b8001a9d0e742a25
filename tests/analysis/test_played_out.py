"""Games played out by the referee: the means are those of the exact calculation."""

import json
from typing import Any

import pytest

import dicegames
from dicegames.analysis.studies import played_out, whole_games
from dicegames.analysis.studies.played_out import play_out
from dicegames.analysis.studies.whole_games import GameTooLong
from dicegames.cli.entry import main
from dicegames.rules.parts.broken import RuleBroken
from dicegames.rules.running.objectives import ObjectiveError
from dicegames.rules.running.playing import StrategyError
from tests.rules.small import game

FOUR_ERRORS = 4

SLOW_START = """\
game "Slow start"
option players = 3 from 1 to 4
dice 2d6
each player
    score = 0 to 12 capped
    ready = no
turn
    if ready: roll all
    else: roll 1 dice
    if dice show 6: ready = yes
    score + sum of dice
    if ready
        choose
            "More"
                roll all
                score + sum of dice
            "Stay": end turn
ends when any player has score >= 12
ranking highest score
payoff win
strategy "Bold"
    otherwise: "More"
strategy "Mute"
    when score = 0: "More"
strategy "Half"
    when score = 0: "Stay"
    otherwise: best
"""
"""Turns begin in two ways, which no match turn by turn takes."""

WITHOUT_LIMIT = """\
game "Pot"
option players = 2 from 1 to 3
dice 1d6
each player
    score = 0
table
    pot = 0
turn
    roll all
    pot + sum of dice
    choose
        "Take"
            score + pot
            pot = 0
        "Leave": end turn
ends when any player has score >= 20
payoff highest score
strategy "At a six"
    when dice show 6: "Take"
    otherwise: "Leave"
"""
"""The pot may grow for ever, so that the game is not solved."""


@pytest.mark.parametrize(
    ("name", "options", "strategies", "objective"),
    [
        ("pig", {"target": 30}, ["Hold at 20", "Greedy"], "payoff"),
        ("pig", {"target": 30, "players": 1}, ["Hold at 20"], "turns"),
        ("cant_stop", {"sides": 2, "players": 1}, ["Rule of 28"], "turns"),
        ("cant_stop", {"sides": 2, "players": 2}, ["Rule of 28"] * 2, "payoff"),
        ("threes", {}, ["Every three, else the lowest die"], "reach:8"),
    ],
)
def test_the_means_are_the_exact_values(
    name: str, options: dict[str, Any], strategies: list[str], objective: str
) -> None:
    rules = dicegames.load(name, **options)
    by_seat = dict(enumerate(strategies, 1))
    exact = dicegames.solve(rules, objective, strategy=by_seat).values
    found = play_out(rules, strategies, 200, 5, objective=objective)
    for seat, value in enumerate(exact):
        assert abs(found.of(seat).mean - value) < FOUR_ERRORS * found.of(seat).mean_error


def test_a_seed_gives_the_same_games_in_any_number_of_processes(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    pig = dicegames.load("pig", target=10)
    names = ["Greedy", "Hold at 20"]
    done: list[float] = []
    one = play_out(pig, names, 50, 7, progress=lambda now, all_: done.append(now))
    assert done == [20, 40, 50]
    monkeypatch.setattr(played_out, "WORTH_OTHERS", 0.0)
    two = play_out(pig, names, 50, 7, processes=2)
    assert (one.results == two.results).all()
    assert (play_out(pig, names, 50, 8).results != one.results).any()
    assert one.players == ("Greedy", "Hold at 20")
    assert (one.results.sum(axis=1) == 1).all()


def test_to_win_is_the_payoff_where_the_rules_say_so() -> None:
    duel = dicegames.load("pig", target=10)
    names = ["Greedy", "Hold at 20"]
    won, paid = (play_out(duel, names, 20, 1, objective=what) for what in ("win", "payoff"))
    assert (won.results == paid.results).all()


def test_what_cannot_be_played_out_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    slow = game(SLOW_START)
    with pytest.raises(StrategyError, match="not known without solving; name a strategy"):
        play_out(slow, ["Bold", "best", "Bold"])
    with pytest.raises(StrategyError, match="Slow start has 3 seats, not 1"):
        play_out(slow, ["Bold"])
    with pytest.raises(ObjectiveError, match="for payoff, turns or reach:T, not turn"):
        play_out(slow, ["Bold"] * 3, objective="turn")
    with pytest.raises(ObjectiveError, match="turns are counted for one player"):
        play_out(slow, ["Bold"] * 3, objective="turns")
    with pytest.raises(StrategyError, match=r"leaves it to the best move, .*: score"):
        play_out(slow, ["Half"] * 3, 50)
    with pytest.raises(RuleBroken, match='"Mute" has no move here'):
        play_out(slow, ["Mute"] * 3, 50)
    monkeypatch.setattr(whole_games, "ENDLESS_AFTER", 2)
    with pytest.raises(GameTooLong, match="for more than 2 throws and moves"):
        play_out(slow, ["Bold"] * 3, 1)


def simulated(capsys: pytest.CaptureFixture[str], *words: str) -> dict[str, Any]:
    assert main(["simulate", *words, "--games", "400", "--seed", "3", "--json"]) == 0
    found: dict[str, Any] = json.loads(capsys.readouterr().out)
    return found


def test_turns_that_begin_in_several_ways_are_simulated_exactly_solved(
    capsys: pytest.CaptureFixture[str], tmp_path: Any
) -> None:
    (file := tmp_path / "slow.dg").write_text(SLOW_START)
    found = simulated(capsys, str(file), "--seat", "2=Bold")
    exact = dicegames.solve(dicegames.load(file), strategy={2: "Bold"}).values
    for value, seat in zip(exact, [found, *found["others"]], strict=True):
        assert abs(seat["mean"] - value) < FOUR_ERRORS * seat["mean_error"]
    assert main(["simulate", str(file), "--seat", "2=Bold", "--rotate"]) == 1
    assert "turn by turn: no method of the solver fits this model: turns begin in several" in (
        capsys.readouterr().err
    )


def test_a_game_too_large_to_be_solved_is_played_move_by_move(
    capsys: pytest.CaptureFixture[str], tmp_path: Any
) -> None:
    (file := tmp_path / "pot.dg").write_text(WITHOUT_LIMIT)
    found = simulated(capsys, str(file), "--strategy", "At a six", "--time", "5m")
    assert found["played"].startswith("move by move")
    played = play_out(game(WITHOUT_LIMIT), ["At a six"] * 2, 400, 3)
    assert [player["mean"] for player in found["players"]] == [played.of(0).mean, played.of(1).mean]
    words = ["simulate", str(file), "--seat", "1=At a six"]
    assert main([*words]) == 1  # seat 2 would play best
    assert "takes ever more values" in capsys.readouterr().err
