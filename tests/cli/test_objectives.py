"""--objective, --maximise and --minimise on the command line."""

import json
from pathlib import Path

import pytest

from dicegames.cli import main

GAMES = Path(__file__).parents[2] / "games"
THREES, PIG = str(GAMES / "threes.dg"), str(GAMES / "pig.dg")


def test_an_objective_turned_round(capsys: pytest.CaptureFixture[str]) -> None:
    found = {}
    for flag in ("--maximise", "--minimise"):
        assert main(["solve", THREES, "--set", "how_many=2", flag, "--json"]) == 0
        answer = json.loads(capsys.readouterr().out)
        assert answer["objective"] == f"payoff {flag.removeprefix('--')}d"
        found[flag] = answer["value"]
    assert found["--minimise"] == pytest.approx(79 / 18, rel=0, abs=1e-12)
    assert found["--minimise"] < found["--maximise"] < 12


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (["--maximise", "--minimise"], "do not go together"),
        (["--objective", "reach"], 'write how much is to be reached: "reach:300"'),
        (["--objective", "fun"], "there are: payoff, win, turn, turns, average, reach:T"),
        (["--objective", "average"], "--objective turn looks at a single turn"),
    ],
)
def test_senseless_objectives(
    words: list[str], told: str, capsys: pytest.CaptureFixture[str]
) -> None:
    game = PIG if words[-1] == "average" else THREES
    assert main(["solve", game, *words]) == 2
    assert told in capsys.readouterr().err


def test_probabilities_are_shown_as_such(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["solve", THREES, "--set", "how_many=2", "--objective", "reach:4"]) == 0
    printed = " ".join(capsys.readouterr().out.split())
    assert "%) probability that it comes to at most 4, more is better" in printed


@pytest.mark.parametrize("words", [["--seed", "1"], ["--sample", "opening"]])
def test_what_is_for_samples_alone(words: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["solve", THREES, *words]) == 2
    assert "--seed and --sample go with --samples" in capsys.readouterr().err
