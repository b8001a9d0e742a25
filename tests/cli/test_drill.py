"""Drill: what is asked, when again, and what is kept; a damaged file is put aside."""

from __future__ import annotations

import io
import json
import sys
from datetime import date, timedelta
from itertools import islice
from pathlib import Path
from typing import Any

import pytest

import dicegames
from dicegames.cli.entry import main
from dicegames.play.drill import INTERVALS, DamagedDrill, Drill, coming_up, drill_of

TODAY = date(2026, 3, 1)


def test_intervals_grow() -> None:
    """Well answered it comes later every time; else the next day, and from the beginning."""
    drill, day = Drill(), TODAY
    for days in (*INTERVALS, INTERVALS[-1]):
        assert drill.answered("a", day, well=True).due == day + timedelta(days)
        assert drill.due(day) == []
        day += timedelta(days)
        assert [card.position for card in drill.due(day)] == ["a"]
    assert drill.answered("a", day, well=False).due == day + timedelta(1)
    assert drill.answered("a", day, well=True).due == day + timedelta(INTERVALS[0])
    assert drill_of(drill.text()) == drill


@pytest.mark.parametrize(
    "text",
    ["", "[]", "{}", '{"format": 2, "cards": {}}', '{"format": 1, "cards": {"a": {}}}',
     '{"format": 1, "cards": {"a": {"step": -1, "due": "2026-03-01", "asked": 1}}}',
     '{"format": 1, "cards": {"a": {"step": 1e400, "due": "2026-03-01", "asked": 1}}}',
     '{"format": 1, "cards": {"a": {"step": 1, "due": "soon", "asked": 1}}}', "[" * 100_000],
)  # fmt: skip
def test_damaged(text: str) -> None:
    with pytest.raises(DamagedDrill):
        drill_of(text)


def test_what_comes_up() -> None:
    """Positions with something to lose, the same for the same seed; none where nothing is lost."""
    game = dicegames.load("shut_the_box")
    solution = dicegames.solve(game)
    found = list(islice(coming_up(game.rules, solution, 5), 6))
    assert found == list(islice(coming_up(game.rules, solution, 5), 6))
    for text in found:
        options = solution.options(text)
        assert abs(options[0].value - options[-1].value) > 1e-9
    craps = dicegames.load("chutes_and_ladders", players=1)
    assert list(coming_up(craps.rules, dicegames.solve(craps, "turns"), 5)) == []


@pytest.fixture
def drilled(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Any:
    """Answer with lines; return what is said, on both streams, and the file of the cards."""
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))

    def run(command: str, lines: str) -> tuple[str, str, list[Path]]:
        monkeypatch.setattr(sys, "stdin", io.StringIO(lines))
        assert main(command.split()) == 0
        said = capsys.readouterr()
        return said.out, said.err, sorted((tmp_path / "data").rglob("*.json"))

    return run


def test_drill(drilled: Any) -> None:
    """A mistake of an own game is asked first; answers are kept."""
    drilled("play shut_the_box --seed 12", "shut 3 5\nquit\n")
    out, _, (file,) = drilled("drill shut_the_box --count 2 --seed 3", "nothing\nshut 8\nwhy\n")
    assert "dice 2 6" in out
    assert '"nothing" is no move here' in out
    assert "Shut 8: best" in out
    assert "1 of 2 right" in out
    cards = json.loads(file.read_text("utf-8"))["cards"]
    assert sorted(card["step"] for card in cards.values()) == [0, 1]
    out, _, _ = drilled("drill shut_the_box --count 1 --seed 3", "quit\n")
    assert "dice 2 6" not in out.partition("\n\n")[2]
    file.write_text("{", "utf-8")
    out, err, _ = drilled("drill shut_the_box --count 1 --seed 3", "skip\n")
    assert "are damaged" in err
    assert file.with_suffix(".damaged").read_text("utf-8") == "{"
    assert "0 of 0 right" in out
    due = {"step": 1, "due": "2026-03-01", "asked": 1}
    for text in (b"\xff", json.dumps({"format": 1, "cards": {"nowhere": due}}).encode()):
        file.write_bytes(text)
        assert "are damaged" in drilled("drill shut_the_box --count 1 --seed 3", "skip\n")[1]
