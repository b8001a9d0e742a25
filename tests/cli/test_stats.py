"""`stats` and `simulate` as people and programs use them."""

import csv
import io
import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from dicegames.analysis.chances.distribution import Distribution
from dicegames.cli.commands import win_games
from dicegames.cli.entry import main
from dicegames.cli.printing import output

ROOT = Path(__file__).parents[2]
SHUT = ["games/shut_the_box.dg", "--set", "tiles=4"]
PIG = ["games/pig.dg", "--set", "target=15"]
TOLL = "tests/money/toll_road.dg"
POKER = ["games/dice_poker.dg", "--objective", "turn"]


def said(capsys: pytest.CaptureFixture[str], *words: str, code: int = 0) -> str:
    output.console.cache_clear()
    assert main(list(words)) == code
    told = capsys.readouterr()
    return told.out if code == 0 else told.err


def answer(capsys: pytest.CaptureFixture[str], *words: str) -> Any:
    return json.loads(said(capsys, *words, "--json"))


def test_json(capsys: pytest.CaptureFixture[str]) -> None:
    found = answer(capsys, "stats", *SHUT)
    assert found["mean"] == pytest.approx(found["value"], rel=0, abs=1e-12)
    assert 0 < found["error_bound"] < 1e-12
    assert sum(p for _, p in found["distribution"]) == pytest.approx(1, rel=0, abs=1e-12)
    assert found["percentiles"].keys() == {"5", "25", "50", "75", "95"}
    assert found["min"] <= found["modes"][0] <= found["max"]
    assert found["tail"] == 0


def test_csv_is_the_distribution(capsys: pytest.CaptureFixture[str]) -> None:
    found = answer(capsys, "stats", *SHUT)
    lines = list(csv.DictReader(io.StringIO(said(capsys, "stats", *SHUT, "--csv"))))
    assert [[float(r["value"]), float(r["probability"])] for r in lines] == found["distribution"]


@pytest.mark.parametrize("game", [[TOLL], [*POKER, "--outcomes", "hand"]])
def test_csv_goes_to_a_file_or_is_printed(
    game: list[str], capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    words, file = ["stats", *game], tmp_path / "a.csv"
    people = said(capsys, *words, "--csv", str(file))
    assert people.startswith(("Toll", "Dice Poker"))
    printed = said(capsys, *words, "--csv")
    assert printed == said(capsys, *words, "--csv", "-") == file.read_text("utf-8")


@pytest.mark.parametrize("game", ["toll.dg", "pig"])
def test_a_game_behind_csv_is_not_taken_for_a_file(
    game: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["stats", "--csv", game]) == 2
    assert f'"{game}" is a game: name it first' in capsys.readouterr().err


def test_two_players(capsys: pytest.CaptureFixture[str]) -> None:
    first, second = answer(capsys, "stats", *PIG)["seats"]
    assert first["win"] == second["loss"]
    assert first["win"] + first["tie"] / 2 == pytest.approx(
        answer(capsys, "solve", *PIG)["value"][0], rel=0, abs=1e-12
    )
    assert "player 2  wins" in said(capsys, "stats", *PIG)


@pytest.mark.parametrize("columns", [40, 120])
def test_width(
    columns: int, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", str(columns))
    shown = said(capsys, "stats", "games/shut_the_box.dg")
    assert max(len(line.rstrip()) for line in shown.splitlines()) <= columns
    assert "█" in shown


def test_outcomes(capsys: pytest.CaptureFixture[str]) -> None:
    found = answer(capsys, "stats", *POKER, "--outcomes", "hand,re-rolled")
    quads = next(x for x in found["alone"]["hand"] if x["happens"] == {"Quads": 1})
    assert quads["probability"] == pytest.approx(6265 / 104976, rel=0, abs=1e-12)
    stood = [x for x in found["joint"] if x["happens"][1] == {}]
    assert sum(x["probability"] for x in stood) == pytest.approx(41 / 1296, rel=0, abs=1e-12)


def test_a_plot(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    wrong = said(capsys, "stats", *SHUT, "--plot", str(tmp_path / "x.txt"), code=2)
    assert "such as .png" in wrong
    pytest.importorskip("matplotlib")
    said(capsys, "stats", *SHUT, "--plot", str(tmp_path / "x.svg"))
    assert "<svg" in (tmp_path / "x.svg").read_text("utf-8")
    said(capsys, "stats", TOLL, "--plot", str(tmp_path / "seats.svg"))
    assert "player 3" in (tmp_path / "seats.svg").read_text("utf-8")


def test_simulate(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    words = ["simulate", *SHUT, "--games", "3000", "--seed", "4"]
    found = answer(capsys, *words, "--out", str(tmp_path / "games.npy"))
    results = np.load(tmp_path / "games.npy")
    assert found["mean"] == pytest.approx(results.mean())
    assert abs(found["mean"] - found["value"]) < 4 * found["mean_error"]
    assert found["games_per_second"] * found["playing_seconds"] == pytest.approx(3000)
    assert 0 < found["preparing_seconds"] + found["playing_seconds"] <= found["seconds"]
    text = said(capsys, *words, "--out", str(tmp_path / "games.csv"))
    assert "games per second" in text
    lines = (tmp_path / "games.csv").read_text("utf-8").splitlines()
    assert lines[:1] == ["game,result"]
    assert [float(line.split(",")[1]) for line in lines[1:]] == results.tolist()


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["stats", *SHUT, "--plot"], "help: dicegames stats --help"),
        (["stats", *POKER, "--outcomes", "hnd"], 'did you mean "hand"'),
        (["stats", *SHUT, "--outcomes", "bust"], "the rules name no outcome"),
        (["stats", *SHUT, "--json", "--csv"], "--json or --csv"),
        (["simulate", *SHUT, "--games", "0"], "--games"),
    ],
)
def test_mistakes(words: list[str], message: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert message in said(capsys, *words, code=2)


def test_a_value_for_every_seat(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    found = answer(capsys, "stats", TOLL)
    assert [seat["mean"] for seat in found["seats"]] == pytest.approx(found["value"], abs=1e-9)
    assert found["seats"][0]["distribution"] == found["distribution"]
    lines = list(csv.DictReader(io.StringIO(said(capsys, "stats", TOLL, "--csv"))))
    for number, seat in enumerate(found["seats"], 1):
        own = [r for r in lines if r["player"] == str(number)]
        assert [[float(r["value"]), float(r["probability"])] for r in own] == seat["distribution"]
    for columns in ("40", "120"):
        monkeypatch.setenv("COLUMNS", columns)
        shown = [line.rstrip() for line in said(capsys, "stats", TOLL).splitlines()]
        assert max(map(len, shown)) <= int(columns)
        for seat in found["seats"]:
            assert any(f"{seat['mean']:z.6f}" in line for line in shown)
        assert {"player 1", "player 2", "player 3"} <= set(shown)  # above the histograms


def test_three_players_win_or_lose(capsys: pytest.CaptureFixture[str]) -> None:
    words = ["tests/second_games/left_right_center.dg", "--set", "start=1"]
    seats = answer(capsys, "stats", *words)["seats"]
    value = answer(capsys, "solve", *words)["value"]
    assert [seat["win"] for seat in seats] == pytest.approx(value, rel=0, abs=1e-9)
    assert "player 3  wins" in said(capsys, "stats", *words)


def test_matches_are_for_games_whose_turns_are_played_as_a_whole(
    capsys: pytest.CaptureFixture[str],
) -> None:
    words = ("--games", "10", "--rotate")
    assert "3 best" in said(capsys, "simulate", "tests/money/toll_road.dg", *words)
    told = " ".join(said(capsys, "simulate", "tests/money/climb.dg", *words, code=1).split())
    assert "changes ever more in a loop of the turn and lasts beyond it" in told
    assert "without --rotate whole games are played" in told
    assert "games per second" in said(capsys, "simulate", "tests/money/climb.dg", *words[:2])


def test_bars_have_no_spikes_at_the_ends() -> None:
    values = np.arange(0.0, 2001.0)
    masses = np.exp(-(((values - 1000) / 120) ** 2))
    masses /= masses.sum()
    drawn = Distribution(values, masses).bars(300)
    assert drawn.masses.sum() + drawn.below + drawn.above == pytest.approx(1.0)
    assert 0 < drawn.below <= 0.0005
    assert 0 < drawn.above <= 0.0005
    half = len(drawn.masses) // 2
    assert (np.diff(drawn.masses[: half - 1]) > 0).all()  # no spike at the lower end, no stripes
    assert (np.diff(drawn.masses[half + 1 : -1]) < 0).all()
    few = Distribution(np.array([2.0, 4.0, 10.0]), np.array([0.2, 0.3, 0.5])).bars(300)
    assert few.width == 2.0
    assert few.places.tolist() == [2.0, 4.0, 6.0, 8.0, 10.0]
    assert few.masses.tolist() == [0.2, 0.3, 0.0, 0.0, 0.5]
    one = Distribution(np.array([3.0]), np.array([1.0])).bars(300)
    assert (one.places.tolist(), one.below, one.above) == ([3.0], 0.0, 0.0)


def test_who_plays_to_win_is_looked_at_before_anything_is_solved(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def begun(*_: object) -> None:
        raise AssertionError("solving has begun")

    monkeypatch.setattr(win_games, "obtained", begun)
    words = ("simulate", "games/midnight.dg", "--set", "players=2", "--objective", "win")
    told = said(capsys, *words, "--seat", "1=Who", code=2)
    assert 'nobody plays "Who" here: there are mean, plain, win, knowing; strategies of' in told
    assert "there is no seat 3" in said(capsys, *words, "--seat", "3=win", code=2)
