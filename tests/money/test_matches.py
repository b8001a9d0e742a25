"""Matches: what players get in many games is what the exact calculation says."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner

from dicegames.analysis.chances.prospects import SolutionError
from dicegames.analysis.solution import solve_game
from dicegames.analysis.studies.matches import play_matches
from dicegames.cli.app import app
from dicegames.compiler.compile import compile_game
from dicegames.compiler.form import GridForm
from dicegames.loading import load
from dicegames.rules.parts.game import Rules
from dicegames.rules.running.playing import StrategyError
from dicegames.solver.grid.games import SeatStyle, play_games, prepare
from dicegames.solver.kernels.workers import Workers
from tests.rules.small import game, read

STREET = Path(__file__).with_name("short_street.dg")
UNIT = 50
"""Totals are multiples of it, so that a grid of this step is exact."""
FOUR_ERRORS = 4
ROUNDING = 1e-9


def street(**options: Any) -> Rules:
    return read(STREET, **options)


@pytest.mark.parametrize(
    ("options", "players"),
    [
        ({"players": 2, "rounds": 3}, ["best", "best"]),
        ({"players": 2, "rounds": 3}, ["Most", "Soon"]),
        ({"players": 2, "rounds": 3}, ["Soon", "Most"]),
        ({"players": 3, "rounds": 1}, ["best", "best", "best"]),
        ({"players": 3, "rounds": 1}, ["Most", "Soon", "Soon"]),
    ],
)
def test_each_seat_gets_what_the_exact_calculation_says(
    options: dict[str, int], players: list[str]
) -> None:
    rules = street(**options)
    exact = solve_game(rules, strategy=dict(enumerate(players, 1))).value
    found = play_matches(rules, players, 6000, 11, grid={"total": UNIT})
    assert found.players == tuple(players)
    assert isinstance(exact, tuple)
    for seat, value in enumerate(exact):
        own = found.of(seat)
        assert abs(own.mean - value) < FOUR_ERRORS * own.mean_error
        mean, error = found.without_luck(seat)
        if "best" in players:
            assert mean == pytest.approx(value)
            assert error < ROUNDING
        else:
            assert np.isnan(mean)  # nobody has values to go by
    assert np.abs(found.results.sum(axis=1)).max() == 0  # money only changes hands


@pytest.mark.parametrize(
    ("rounds", "players"), [(3, ["Soon", "Most"]), (2, ["Most", "Soon", "Soon"])]
)
def test_luck_is_taken_out_without_a_bias(rounds: int, players: list[str]) -> None:
    """Whatever values it is told by: here those of best play, on a wide grid."""
    rules = street(players=len(players), rounds=rounds)
    exact = solve_game(rules, strategy=dict(enumerate(players, 1))).value
    assert isinstance(exact, tuple)
    found = play_matches(rules, players, 4000, 5, judge=solve_game(rules, grid={"total": 4 * UNIT}))
    for seat, value in enumerate(exact):
        mean, error = found.without_luck(seat)
        assert abs(mean - value) < FOUR_ERRORS * error
        assert 0 < error < found.of(seat).mean_error / 2


def test_best_play_is_best_against_a_strategy() -> None:
    rules = street(players=2, rounds=3)
    best = solve_game(rules, strategy={2: "Soon"}).value
    found = play_matches(rules, ["best", "Soon"], 6000, 5, grid={"total": UNIT}).of(0)
    both = solve_game(rules).value
    assert isinstance(best, tuple)
    assert isinstance(both, tuple)
    # the best reply gets most, and the play that is best against best play at least its value
    assert found.mean < best[0] + FOUR_ERRORS * found.mean_error
    assert found.mean > both[0] - FOUR_ERRORS * found.mean_error


def test_games_are_the_same_with_any_number_of_threads_and_of_games() -> None:
    rules = street(players=3, rounds=2)
    seats = ["Most", "Soon", "Most"]
    one = play_matches(rules, seats, 1100, 3, rotate=True, threads=1)
    two = play_matches(rules, seats, 1100, 3, rotate=True, threads=2)
    more = play_matches(rules, seats, 1500, 3, rotate=True)
    assert (one.results == two.results).all()
    assert (one.results == more.results[:1100]).all()
    other = play_matches(rules, seats, 1100, 4, rotate=True)
    assert (one.results != other.results).any()


def test_rotated_players_sit_everywhere_equally_often() -> None:
    found = play_matches(street(players=3, rounds=1), ["Most", "Soon", "Soon"], 30, 1, rotate=True)
    assert found.seats.tolist()[:4] == [[1, 2, 3], [2, 3, 1], [3, 1, 2], [1, 2, 3]]
    assert np.sort(found.seats, axis=1).tolist() == [[1, 2, 3]] * 30


def test_ranks_are_shared_by_equals() -> None:
    found = play_matches(street(players=3, rounds=1), ["Soon"] * 3, 400, 1)
    assert found.ranks.sum(axis=1).tolist() == [6.0] * 400
    for result, rank in zip(found.results, found.ranks, strict=True):
        for own, place in zip(result, rank, strict=True):
            assert place == 1 + (result > own).sum() + ((result == own).sum() - 1) / 2


STAIRS = """
    option players = 2
    dice 1d3
    each player
        total = 0
        money = 0
    this turn
        risk = 0
    turn
        go to climbing
    step climbing
        roll all
        if dice show 1: end turn
        risk + sum of dice
        choose
            "Up": go to climbing
            "Stop": total + risk, end turn
    ends after the round when round >= 1
    ranking highest total, ties share
    at the end
        each p in players: pay total of p from p to others of p
    payoff money
    strategy "High"
        when risk >= 9: "Stop"
        otherwise: "Up"
    strategy "Until a two"
        when 2 in dice: "Stop"
        otherwise: "Up"
    strategy "Most"
        otherwise: best turn
"""


def test_turns_go_on_beyond_the_last_level() -> None:
    rules = game(STAIRS)
    whoever = ("Until a two",) * 2
    compiled = compile_game(
        rules, seats=whoever, form=GridForm(like=compile_game(rules, form=GridForm()))
    )
    with Workers(1) as workers:
        games = []
        for levels in (2, 40):
            style = SeatStyle(compiled.model, levels, aims=compiled.aims)
            games.append(play_games(prepare([style, style]), 1, np.arange(500), workers)[0])
    assert (games[0] == games[1]).all()
    assert np.abs(games[0]).max() > 10


def test_a_strategy_stops_where_it_says() -> None:
    found = play_matches(game(STAIRS), ["High", "High"], 500, 1)
    assert set(np.unique(np.abs(found.results)).tolist()) == {0.0, 1.0, 2.0, 9.0, 10.0, 11.0}


def test_the_most_points_of_a_turn_are_got() -> None:
    rules = game(STAIRS)
    value = solve_game(rules, "turn", strategy="Most").value
    found = play_matches(rules, ["Most", "Most"], 8000, 2)
    got = -found.results[:, 1]  # the second pays the first, and the other way round
    mean = solve_game(rules, "turn").value
    assert value == pytest.approx(mean, abs=1e-9)
    error = got.std(ddof=1) / len(got) ** 0.5
    assert abs(got.mean()) < FOUR_ERRORS * error  # both play the same


def test_what_is_asked_in_vain_is_told() -> None:
    rules = street(players=2, rounds=2)
    with pytest.raises(StrategyError, match="did you mean"):
        play_matches(rules, ["Mosst", "Soon"], 10, 1)
    with pytest.raises(StrategyError, match="has 2 seats, not 3"):
        play_matches(rules, ["Most", "Soon", "Soon"], 10, 1)
    with pytest.raises(SolutionError, match="needs a solution on a grid"):
        play_matches(rules, [solve_game(rules), "Soon"], 10, 1)
    with pytest.raises(ValueError, match="the number of games"):
        play_matches(rules, ["Most", "Soon"], 0, 1)


def test_a_strategy_that_may_be_silent_plays_no_matches() -> None:
    silent = STAIRS + '\n    strategy "Odd"\n        when risk = 5: "Stop"\n'
    with pytest.raises(StrategyError, match='"Odd" does not always say what it plays'):
        play_matches(game(silent), ["Odd", "Most"], 10, 1)


def test_the_command_line_tells_what_each_player_got(tmp_path: Path) -> None:
    words = ["simulate", str(STREET), "--set", "rounds=1", "--games", "90", "--seed", "5"]
    words += ["--seat", "1=Most", "--seat", "2=soon", "--seat", "3=Soon", "--rotate"]
    told = CliRunner().invoke(app, [*words, "--out", str(tmp_path / "all.csv")])
    assert told.exit_code == 0, told.output
    assert "games a second once prepared" in told.output
    assert "without luck" not in told.output  # there is nothing to judge by
    lines = (tmp_path / "all.csv").read_text(encoding="utf-8").splitlines()
    assert lines[0] == "game,player 1,player 2,player 3"
    answer = json.loads(CliRunner().invoke(app, [*words, "--json"]).output)
    assert [p["plays"] for p in answer["players"]] == ["Most", "soon", "Soon"]
    first = [float(line.split(",")[1]) for line in lines[1:]]
    assert answer["players"][0]["mean"] == pytest.approx(np.mean(first))
    assert answer["rotated"] is True
    again = play_matches(load(STREET, rounds=1), ["Most", "Soon", "Soon"], 90, 5, rotate=True)
    assert again.results[:, 0].tolist() == first


def test_a_solution_on_a_grid_sits_where_it_is_put(tmp_path: Path) -> None:
    rules = street(players=2, rounds=2)
    solve_game(rules, grid={"total": UNIT}).save(tmp_path / "fine.solution")
    words = ["simulate", str(STREET), "--set", "players=2", "--set", "rounds=2", "--json"]
    words += ["--seed", "1", "--games", "50"]
    solved = ["--solution", str(tmp_path / "fine.solution")]
    named = ["--seat", f"1={tmp_path / 'fine.solution'}", "--seat", "2=Soon"]
    one = json.loads(CliRunner().invoke(app, [*words, *solved, "--seat", "2=Soon"]).stdout)
    two = json.loads(CliRunner().invoke(app, [*words, *named]).stdout)
    assert one["players"][0]["mean"] == two["players"][0]["mean"]
    strategies = CliRunner().invoke(app, [*words[:-4], *solved, "--strategy", "Soon"]).stdout
    assert json.loads(strategies)["players"][1]["without_luck_error"] > 0
    wrong = CliRunner().invoke(app, [*words, *solved, "--seat", "3=Soon"])
    assert "there is no seat 3" in str(wrong.exception)


def test_a_game_that_is_not_played_turn_by_turn_is_told_how_it_is_simulated() -> None:
    rules = load(STREET.parents[1] / "second_games" / "skunk.dg")
    with pytest.raises(SolutionError, match="without --rotate whole games are played"):
        play_matches(rules, ["best", "best"], 10, 1, rotate=True)
