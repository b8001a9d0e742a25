"""A game as a page: well-formed, whole, escaped, and without anything from elsewhere."""

from __future__ import annotations

import io
import json
import re
import sys
from html.parser import HTMLParser
from pathlib import Path

import pytest

from dicegames.analysis.chances.prospects import SolutionError
from dicegames.cli.entry import main

VOID = {"meta", "rect", "circle", "path"}
RULES = """
game "Sum & <b>more</b>"

dice 2d6

each player
    score = 0

boxes row
    "Sum <i>"   any dice   pays sum
    "Pair"      x x        pays 20

turn
    roll all
    choose
        one of open row as b
            score + points of b
            use b

ends when all boxes are used
payoff highest score
"""


class Checker(HTMLParser):
    """Notes the text and the labels; what is opened is closed in its order."""

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.text = ""
        self.labels: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.labels += [value or "" for name, value in attrs if name == "aria-label"]
        if tag not in VOID:
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        if tag not in VOID:
            assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.text += data


@pytest.fixture
def played(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Path:
    """A folder in which a game was played that gives a pair away."""
    (tmp_path / "sums.dg").write_text(RULES, "utf-8")
    lines = "1 1\nPair\n6 6\nSum <i>\n"
    monkeypatch.setattr(sys, "stdin", io.StringIO(lines.replace("Pair", "Sum <i>", 1)))
    words = ["play", str(tmp_path / "sums.dg"), "--dice", "typed", "--seed", "1"]
    main(words)
    capsys.readouterr()
    return tmp_path


def test_page(played: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = played / "game.html"
    assert main(["analyse", "last", "--html", str(file)]) == 0
    assert str(file) in capsys.readouterr().err
    page = Checker()
    content = file.read_text("utf-8")
    page.feed(content)
    page.close()
    assert not page.open
    assert "Sum & <b>more</b>" in page.text
    assert "Sum <i> (played)" in page.text
    assert "massive blunder, loses" in page.text
    assert "Pair rather than Sum <i>" in page.text
    high, low = map(float, re.findall(r'<text x="0" y="\d+">(.+?)</text>', content))
    expected = [float(value) for value in re.findall(r"expected (\d+\.\d\d)", page.text)]
    assert low < min(expected) < max(expected) == high  # it falls once more, by the mistake
    assert "each dot is a mistake" in page.text
    assert page.labels.count("1") == 2
    assert not re.search(r"<script|https?:|src=|@import|url\(", content)
    assert "prefers-color-scheme: dark" in content
    assert 'name="viewport"' in content


@pytest.mark.usefixtures("played")
def test_reasons(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["analyse", "last", "--why", "--json"]) == 0
    events = json.loads(capsys.readouterr().out)["events"]
    reasons = [event["why"] for event in events if "why" in event]
    assert len(reasons) == 1
    parts = {part["what"]: part for part in reasons[0]["parts"]}
    assert parts["Pair"]["now"] == [20.0, 0.0]
    assert parts["Pair"]["later"] == pytest.approx([0.0, 20 / 6])
    assert main(["analyse", "last", "--why"]) == 0
    assert "Pair rather than Sum <i>" in capsys.readouterr().out


@pytest.mark.usefixtures("played")
def test_reasons_that_are_missing_are_counted(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def refuse(*_: object) -> None:
        raise SolutionError("too early in the game")

    monkeypatch.setattr("dicegames.analysis.solution.Solution.why", refuse)
    assert main(["analyse", "last", "--why"]) == 0
    assert "no reasons for 1 mistake: too early in the game" in capsys.readouterr().err


def test_page_that_cannot_be_written(played: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["analyse", "last", "--html", str(played / "no" / "page.html")]) == 2
    err = capsys.readouterr().err
    assert "no" in err
    assert "Traceback" not in err
    assert main(["analyse", "last", "--html", str(played)]) == 2
