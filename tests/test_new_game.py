"""A game that is new: written into an empty file, checked, solved, advised on and played."""

import json
import os
import subprocess
import sys
from fractions import Fraction
from pathlib import Path

import dicegames

ROOT = Path(__file__).parents[1]
START = "import sys; sys.argv[0] = 'dicegames'; from dicegames.cli import main; sys.exit(main())"

RULES = """\
game "Second Thoughts"

option rounds = 3 from 1 to 9

dice 1d6

each player
    score = 0

turn
    roll all
    choose
        "Take": score + sum of dice
        "Throw again"
            roll all
            score + sum of dice

ends after rounds rounds
payoff highest score

example "dice 4" moves only "Take", "Throw again"
"""


def dicegames_says(directory: Path, *words: str, typed: str = "") -> str:
    environment = os.environ | {
        "NO_COLOR": "1",
        "PYTHONPATH": str(ROOT),
        "TERM": "dumb",
        "XDG_STATE_HOME": str(directory / "state"),
    }
    done = subprocess.run(
        [sys.executable, "-c", START, *words],
        cwd=directory,
        env=environment,
        input=typed,
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_from_an_empty_file_to_a_played_game(tmp_path: Path) -> None:
    path = tmp_path / "second_thoughts.dg"
    path.write_text(RULES, "utf-8")
    assert "in order, 1 example holds" in dicegames_says(tmp_path, "check", path.name)

    # a 4 or more is taken: (4 + 5 + 6) / 6 + 3.5 / 2 a round
    one_round = Fraction(15, 6) + Fraction(7, 2) / 2
    solved = json.loads(dicegames_says(tmp_path, "solve", path.name, "--json"))
    assert abs(solved["value"] - 3 * one_round) < 1e-12
    more = json.loads(dicegames_says(tmp_path, "solve", path.name, "--set", "rounds=9", "--json"))
    assert abs(more["value"] - 9 * one_round) < 1e-12

    advised = json.loads(
        dicegames_says(tmp_path, "advise", path.name, "round 3 | dice 3", "--json")
    )
    assert [move["move"] for move in advised["moves"]] == ["Throw again", "Take"]
    assert advised["moves"][0]["value"] - advised["moves"][1]["value"] == 0.5

    told = dicegames_says(tmp_path, "play", path.name, "--seed", "3", typed="Take\n" * 3)
    assert "The game is over" in told
    assert "result 11" in told
    assert "start + luck - losses = result" in told

    game = dicegames.load(path)
    position = game.start()
    for face in (0, 2, 4):  # 1, 3, 5
        position = position.play(position.outcomes()[face]).play("Take")
    assert position.payoff == (Fraction(9),)
