"""`dicegames cache`, and commands that solve a game once."""

import io
import json
import sys
from pathlib import Path
from textwrap import dedent
from typing import Any

import pytest

from dicegames.analysis import solution_cache
from dicegames.cli import solving
from dicegames.cli.commands import cache as listing
from dicegames.cli.entry import main
from dicegames.cli.playing.seating import BACKGROUND_SECONDS, Solutions
from dicegames.cli.printing import output
from dicegames.loading import load
from tests.money.test_grid import LADDER

ROOT = Path(__file__).parents[2]
PIG = ["games/pig.dg", "--set", "target=20"]
POINTS = "points 4"


@pytest.fixture
def run(monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Any:
    monkeypatch.chdir(ROOT)
    monkeypatch.setenv("NO_COLOR", "1")
    monkeypatch.setattr(solution_cache, "folder", lambda: tmp_path / "kept")
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    monkeypatch.setenv("DICEGAMES_CACHE", "10MB")
    monkeypatch.setattr(solution_cache, "WORTH_KEEPING", 0.0)
    output.console.cache_clear()

    def command(*words: str, lines: str = "") -> str:
        monkeypatch.setattr(sys, "stdin", io.StringIO(lines.replace(",", "\n")))
        assert main(list(words)) == 0
        return capsys.readouterr().out

    return command


def test_all_commands_solve_once(run: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    moves = run("advise", *PIG, POINTS)

    def never(*_: object, **__: object) -> None:
        raise AssertionError

    monkeypatch.setattr(solving, "solve", never)
    assert run("advise", *PIG, POINTS) == moves
    assert "luck" in run("play", *PIG, "--seed", "5", lines="hold,hint,quit")
    assert "chance to win" in run("play", "--resume", lines="hint,quit")
    assert "expected 61.56%" in run("replay", "last", lines="go 1,hint,quit")
    assert "loses" in run("analyse", "last")
    assert "wins 0.615559" in run("stats", *PIG)
    with pytest.raises(AssertionError):
        run("advise", "games/pig.dg", "--set", "target=21", POINTS)


def test_what_is_solved_in_the_background_of_a_game_is_found_there(
    run: Any, tmp_path: Path
) -> None:
    (tmp_path / "ladder.dg").write_text(f'game "Ladder"\n{dedent(LADDER)}', "utf-8")
    game = load(tmp_path / "ladder.dg")
    table = Solutions(game, solving.Solving())
    assert table.kept() is None
    run("solve", str(tmp_path / "ladder.dg"), "--time", f"{BACKGROUND_SECONDS:g}s")
    assert table.kept().grid == {"total": 1}


def test_listed_and_cleared(run: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(listing, "cache_folder", lambda kind: tmp_path / kind)
    (tmp_path / "results").mkdir()
    (tmp_path / "results" / "key.npz").write_bytes(b"tables")
    assert "0 files" in run("cache")
    run("solve", *PIG)
    run("stats", *PIG)
    listed = json.loads(run("cache", "--json"))
    assert {entry["kind"] for entry in listed["kept"]} == {"solution", "distribution"}
    assert listed["bytes"] == sum(entry["bytes"] for entry in listed["kept"])
    assert listed["kept"][0]["options"] == {"players": 2, "target": 20}
    assert listed["most_bytes"] == 10_000_000
    assert {each["kind"]: each["bytes"] for each in listed["others"]}["results"] == 6
    shown = run("cache")
    assert "Pig" in shown
    assert "target 20" in shown
    assert "just now" in shown
    assert "chances to win  6 bytes" in shown
    monkeypatch.setattr(listing, "MOST", 1)
    assert "and 1 more: --json lists them" in run("cache")
    assert json.loads(run("cache", "clear", "--json"))["removed"] == 2
    assert json.loads(run("cache", "--json"))["kept"] == []
