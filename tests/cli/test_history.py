"""All games together: losses, kinds, levels; damaged games are told and left out."""

from __future__ import annotations

import io
import json
import sys
import time
from statistics import NormalDist
from typing import Any

import numpy as np
import pytest

from dicegames.cli.entry import main
from dicegames.cli.playing import saves, seating
from dicegames.ground.limits import LimitReached
from dicegames.play.levels import LEVELS, given_away
from dicegames.play.record import JudgedChoice, by_kind, luck_percentile, mean_of, share_of


@pytest.fixture
def play(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Any:
    """Play a short game in which the last move is always made, or the first."""

    def game(move: str, seed: int) -> None:
        monkeypatch.setattr(sys, "stdin", io.StringIO(f"{move}\n" * 40))
        main(["play", "shut_the_box", "--seed", str(seed)])
        capsys.readouterr()

    return game


def test_history(play: Any, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["history"]) == 1
    assert "no game is over and judged" in capsys.readouterr().err
    play("1", 12)
    play("1", 13)
    lost, decisions = 0.0, 0
    for path in saves.saves():
        assert main(["analyse", str(path), "--json"]) == 0
        own = json.loads(capsys.readouterr().out)["players"][0]
        lost, decisions = lost + own["losses"], decisions + own["decisions"]
    path = saves.saves()[0].with_name("damaged.txt")
    path.write_text("dicegames transcript, format 1\nnonsense\n", "utf-8")
    assert main(["history", "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    (record,) = told["games"]
    assert record["played"] == 2
    assert record["loss_per_decision"]["count"] == decisions
    assert record["loss_per_decision"]["loss"] == pytest.approx(lost / decisions)
    assert sum(kind["count"] for kind in record["kinds"].values()) == decisions
    assert 0 < record["luck_percentile"] < 1
    assert len(told["left_out"]) == 1
    assert "damaged.txt" in told["left_out"][0]
    assert main(["history", "shut_the_box"]) == 0
    out = capsys.readouterr().out
    assert "left out:" in out
    assert f"2, {decisions} decisions" in out
    assert main(["history", "pig"]) == 1


def test_history_obeys_a_limit_of_time(
    play: Any, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    play("1", 12)
    monkeypatch.setattr(saves, "read", lambda _: time.sleep(60))
    assert main(["history", "--time", "0.1s"]) == 1
    assert "this takes longer than the 0.1 s allowed" in capsys.readouterr().err


def test_games_of_one_kind_that_cannot_be_judged(
    play: Any, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    play("1", 12)
    play("1", 13)

    def refused(*_: object) -> None:
        raise LimitReached("it takes too long")

    monkeypatch.setattr(seating, "obtained", refused)
    monkeypatch.setattr(seating.Solutions, "kept", lambda _: None)
    assert main(["history"]) == 1
    told = capsys.readouterr().err
    assert "cannot be judged: it takes too long" in told
    assert "internal error" not in told


def test_luck_percentile() -> None:
    """By hand: 0, 1, 3 with probabilities 1/2, 1/4, 1/4 have the mean 1 and the variance 3/2."""
    spread = np.array([0.0, 1.0, 3.0]), np.array([0.5, 0.25, 0.25])
    assert luck_percentile([0.0], *spread, maximise=True) == pytest.approx(0.5 + 0.125)
    assert luck_percentile([0.0], *spread, maximise=False) == pytest.approx(0.25 + 0.125)
    assert luck_percentile([1.5], *spread, maximise=True) == pytest.approx(0.75)
    assert luck_percentile([1.0, 2.0], *spread, maximise=True) == pytest.approx(
        NormalDist().cdf(3 / np.sqrt(2 * 1.5))
    )


def test_figures() -> None:
    """By hand: losses 1 and 3 have the mean 2 and the error 1; kinds by what they cost in all."""
    losses = np.array([0.0, 1.0, 3.0])
    decisions = [JudgedChoice("Keep", 1.0, losses), JudgedChoice("Keep", 3.0, losses)]
    mean = mean_of(decisions)
    assert (mean.loss, mean.error, mean.count) == pytest.approx((2.0, 1.0, 2))
    assert list(by_kind([JudgedChoice("Roll", 3.5, losses), *decisions])) == ["Keep", "Roll"]
    for level in LEVELS:
        played = [JudgedChoice("Keep", given_away(losses, level), losses)] * 5
        assert share_of(played) == pytest.approx(level.share)
