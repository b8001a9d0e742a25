"""`solve --exact`: fractions, and what does not go with them."""

import json
from fractions import Fraction
from pathlib import Path

import pytest

from dicegames.cli.entry import main
from dicegames.ground import limits

GAMES = Path(__file__).parents[2] / "games"


def test_fractions(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["solve", str(GAMES / "craps.dg"), "--exact"]) == 0
    assert "-7/495 = -0.014141414141" in capsys.readouterr().out  # textbooks: 1.414% for the house
    told = ["solve", str(GAMES / "pig.dg"), "--exact", "--set", "target=4", "--json"]
    assert main(told) == 0
    answer = json.loads(capsys.readouterr().out)
    assert sum(Fraction(value) for value in answer["value"]) == 1
    assert sum(answer["approximate"]) == pytest.approx(1)
    assert all("/" in value for value in answer["value"])


def test_one_turn_of_dice_poker(capsys: pytest.CaptureFixture[str]) -> None:
    file = str(GAMES / "dice_poker.dg")
    assert main(["solve", file, "--objective", "turn", "--exact", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["value"] == "15563275/104976"  # dice_poker.toml


def test_what_is_refused(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(limits, "POSITIONS_SOON", 1000)
    for words in (["solve", "--exact"], ["export"]):
        assert main([*words, str(GAMES / "yahtzee.dg")]) == 1
        told = capsys.readouterr().err
        assert "more than 1,000 positions can come up" in told
        assert "allow more time, such as --time 5m" in told
    assert main(["solve", str(GAMES / "pig.dg"), "--exact", "--time", "0.0001s"]) == 1
    assert "no answer within 0.0001 s" in (told := capsys.readouterr().err)
    assert "allow more time" in told
    assert main(["solve", str(GAMES / "pig.dg"), "--exact", "--out", "x"]) == 2
    assert "--out does not go with --exact" in capsys.readouterr().err


def test_strategies_in_fractions(capsys: pytest.CaptureFixture[str]) -> None:
    file = str(GAMES / "dice_poker.dg")
    words = ["solve", file, "--objective", "turn", "--exact", "--json"]
    assert main([*words, "--strategy", "smart re-roll"]) == 0
    assert json.loads(capsys.readouterr().out)["value"] == "991525/8748"
    assert main([*words, "--strategy", "Without re-roll"]) == 0
    assert json.loads(capsys.readouterr().out)["value"] == "1775/27"
