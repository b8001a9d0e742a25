"""Exported games: read again by an independent reader, and by Storm where it is installed."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from dicegames.analysis.export.prism import prism_text
from dicegames.cli.entry import main
from dicegames.ground.limits import Limit
from dicegames.loading import load, solve
from dicegames.rules.running.exploration import exact_value
from dicegames.rules.running.playing import played_by
from dicegames.rules.running.referee import Position
from tests.analysis.exported_prism import read_prism

GAMES = Path(__file__).parents[2] / "games"
CASES: list[tuple[str, str, dict[str, Any]]] = [
    ("craps", "payoff", {}),
    ("dice_poker", "turn", {}),
    ("shut_the_box", "payoff", {"tiles": 4}),
    ("pig", "turns", {"target": 6, "players": 1}),
]


@pytest.mark.parametrize(("file", "objective", "options"), CASES)
def test_read_again(file: str, objective: str, options: dict[str, Any]) -> None:
    game = load(GAMES / f"{file}.dg", **options)
    text = prism_text(game.rules, objective, Limit(100_000))
    least = objective == "turns" or not game.rules.maximise
    exact = exact_value(game.rules, objective=objective)
    assert not isinstance(exact, tuple)
    assert read_prism(text).value(1, least=least) == pytest.approx(float(exact), abs=1e-9)


TWO_PLAYERS: list[tuple[str, dict[str, Any]]] = [
    ("pig", {"target": 12}),
    ("dice_poker", {"target": 10, "rerolled_at_most": 1}),
]


def with_a_fixed_seat(stem: str, options: dict[str, Any], fixed: int) -> tuple[str, Any]:
    """Return a game of two in which one seat plays the best moves, and its solution."""
    game = load(GAMES / f"{stem}.dg", **options)
    solution = solve(game)
    seats: list[Any] = [None, None]
    seats[fixed - 1] = lambda position: solution.best(position).move  # type: ignore[union-attr]
    return prism_text(played_by(game.rules, tuple(seats)), "payoff", Limit(100_000)), solution


IDLE = """
game "Idle"
option players = 2
dice 2d2
each player
    a = 0
this turn
    noted = 0
turn
    roll all
    choose
        "One": a + 1
        "Two": a + 2, noted + lowest of dice
ends after 2 rounds
payoff highest a
"""


def test_dice_that_no_play_depends_on_are_shown_to_the_one_who_is_fixed(tmp_path: Path) -> None:
    """There was none, and nothing is their lowest: the export was refused."""
    path = tmp_path / "idle.dg"
    path.write_text(IDLE, "utf-8")
    game = load(path)
    solution = solve(game)
    shown: list[str] = []

    def best(position: Position) -> str:
        shown.append(str(position).rpartition(" | ")[2])
        return str(solution.best(position).name)  # type: ignore[union-attr]

    text = prism_text(played_by(game.rules, (None, best)), "payoff", Limit(1_000))
    assert read_prism(text).value(1, least=False) == pytest.approx(4)
    assert {*shown} == {"dice 1 1", "dice 1 2", "dice 2 2"}


@pytest.mark.parametrize("fixed", [1, 2])
@pytest.mark.parametrize(("stem", "options"), TWO_PLAYERS)
def test_no_answer_beats_our_strategy(stem: str, options: dict[str, Any], fixed: int) -> None:
    text, solution = with_a_fixed_seat(stem, options, fixed)
    assert text.startswith("mdp")
    right = pytest.approx(solution.value[2 - fixed], abs=1e-9)
    assert read_prism(text).value(3 - fixed, least=False) == right


@pytest.mark.parametrize("fixed", [1, 2])
@pytest.mark.parametrize(("stem", "options"), TWO_PLAYERS)
def test_storm_says_the_same(
    stem: str, options: dict[str, Any], fixed: int, tmp_path: Path
) -> None:
    stormpy = pytest.importorskip("stormpy")
    text, solution = with_a_fixed_seat(stem, options, fixed)
    path = tmp_path / "game.prism"
    path.write_text(text, "utf-8")
    program = stormpy.parse_prism_program(str(path))
    asked = f'R{{"seat{3 - fixed}"}}max=? [ F "over" ]'
    properties = stormpy.parse_properties(asked, program)
    model = stormpy.build_model(program, properties)
    found = stormpy.model_checking(model, properties[0]).get_value(model.initial_states[0])
    assert found == pytest.approx(solution.value[2 - fixed], abs=1e-6)  # Storm stops at 1e-6


def test_command(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    pig = ["export", str(GAMES / "pig.dg"), "--set", "target=4"]
    assert main(pig) == 0
    assert capsys.readouterr().out.startswith("smg\nplayer seat1 [p1] endplayer")
    assert main([*pig, "--fixed", "2", "--out", str(tmp_path / "x")]) == 0
    assert (tmp_path / "x").read_text("utf-8").startswith("mdp")
    assert main([*pig, "--fixed", "3"]) == 2
    assert main([*pig, "--out", str(tmp_path / "no" / "x")]) == 2
    assert "cannot be written" in capsys.readouterr().err
