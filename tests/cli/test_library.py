"""Games by name: the list, the rules file, a copy to edit, folders of one's own."""

import json
import os
import subprocess
import sys
import tomllib
import zipfile
from pathlib import Path
from typing import Any

import pytest

import dicegames
from dicegames import configuration, library
from dicegames.cli.commands import library as command
from dicegames.cli.entry import main
from dicegames.cli.playing.seating import specs_for
from dicegames.cli.printing import output

ROOT = Path(__file__).parents[2]
SUPPLIED = sorted((ROOT / "games").glob("*.dg"))
RECORD = tomllib.loads((ROOT / "games" / command.VALUES_FILE).read_text("utf-8"))
QUICK = 0.5
"""Seconds in which a game was solved that is solved here again."""


@pytest.fixture(autouse=True)
def _folder(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("DICEGAMES_CONFIG", str(tmp_path / "config.toml"))
    monkeypatch.setenv("DICEGAMES_GAMES", str(tmp_path / "mine"))
    monkeypatch.setenv("COLUMNS", "120")
    (tmp_path / "here").mkdir()
    monkeypatch.chdir(tmp_path / "here")


def listed(capsys: pytest.CaptureFixture[str]) -> dict[str, Any]:
    assert main(["games", "--json"]) == 0
    return {entry["name"]: entry for entry in json.loads(capsys.readouterr().out)["games"]}


def test_all_games_have_names(capsys: pytest.CaptureFixture[str]) -> None:
    assert list(listed(capsys)) == [path.stem for path in SUPPLIED]
    assert library.games() == {path.stem: path for path in SUPPLIED}
    assert dicegames.load("pig", target=10).options["target"] == 10


@pytest.mark.parametrize("name", ["cant_stop", "Can't Stop", "CANT-STOP", "cant stop"])
def test_signs_and_capitals_do_not_count(name: str) -> None:
    assert dicegames.load(name).title == "Can't Stop"


def test_a_file_wins_then_the_current_folder_then_ones_own(tmp_path: Path) -> None:
    def put(path: Path, title: str) -> None:
        path.parent.mkdir(exist_ok=True)
        text = (ROOT / "games" / "threes.dg").read_text("utf-8")
        path.write_text(text.replace('game "Threes"', f'game "{title}"'), "utf-8")

    put(tmp_path / "here" / "pig_.dg", "Nearly")
    assert dicegames.load("pig").title == "Pig"
    assert dicegames.load("P.I.G").title == "Nearly"
    put(tmp_path / "mine" / "pig.dg", "Mine")
    assert dicegames.load("pig").title == "Mine"
    put(tmp_path / "here" / "pig.dg", "Here")
    assert dicegames.load("pig").title == "Here"
    put(tmp_path / "here" / "pig", "File")
    assert dicegames.load("pig").title == "File"
    (tmp_path / "here" / "zilch").mkdir()
    assert dicegames.load("zilch").title == "Zilch"


@pytest.mark.parametrize(
    ("name", "told"),
    [
        ("yatzi", r'yatzi: there is no such game, and no such file; did you mean "yatzy"\?'),
        ("yatzy.dgg", r'there is no such file; did you mean "yatzy"\?'),
        ("chess", "there is no such game, .*; dicegames games lists all games"),
        ("./pig", "./pig|pig: there is no such file"),
        ("", "is the name of no game"),
    ],
)
def test_what_is_no_game(name: str, told: str) -> None:
    with pytest.raises(dicegames.UnreadableFile, match=told):
        dicegames.load(name)


@pytest.mark.parametrize("command", ["check", "drill", "report", "solve", "format"])
def test_a_transcript_is_no_rules_file(
    command: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "game.txt"
    path.write_text("dicegames transcript, format 1\ngame pig\n", "utf-8")
    assert main([command, str(path)]) == 2
    assert "is the transcript of a game: dicegames analyse" in capsys.readouterr().err


def test_the_record_is_of_these_rules(capsys: pytest.CaptureFixture[str]) -> None:
    """What is shown is what solving gives, and is not shown for other rules."""
    quick = {name: e for name, e in RECORD["games"].items() if e["seconds"] < QUICK}
    assert len(quick) > 4
    shown = listed(capsys)
    for name, entry in quick.items():
        if entry["rules"] == command.text_hash(ROOT / "games" / f"{name}.dg"):
            value = dicegames.solve(dicegames.load(name)).value
            assert shown[name]["value"] == pytest.approx(
                list(value) if isinstance(value, tuple) else value, rel=1e-12
            )


def test_other_rules_have_no_value(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    (tmp_path / "mine").mkdir()
    for path in SUPPLIED:
        text = path.read_text("utf-8") + "# other rules\n"
        (tmp_path / "mine" / path.name).write_text(text, "utf-8")
    shown = listed(capsys)
    assert len(shown) == len(SUPPLIED)
    assert all(entry["value"] is None for entry in shown.values())


@pytest.mark.parametrize("width", [40, 120])
def test_the_list(
    width: int, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("COLUMNS", str(width))
    output.console.cache_clear()
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "faulty.dg").write_text('game "Faulty"\nturn\n', "utf-8")
    assert main(["games"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert max(map(len, lines)) <= width
    text = " ".join(" ".join(lines).split())
    value = RECORD["games"]["pig"]["value"]
    assert f"{value[0]:.6f} / {value[1]:.6f}" in text
    assert "2 (1 to 8)" in text
    assert "mistake" in text
    assert ("no value recorded" in text) == (width == 40)  # a table has a dash there
    assert "on a busy machine: " in text


def test_rules_are_printed(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["rules", "pig"]) == 0
    assert capsys.readouterr().out == (ROOT / "games" / "pig.dg").read_text("utf-8")


def test_a_new_game(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["new", "my_game"]) == 0
    assert main(["check", "my_game"]) == 0
    out, err = capsys.readouterr()
    assert '"My Game" is in order, 1 example holds' in out
    assert not err
    assert main(["new", "pig"]) == 0
    assert '"pig" means this file from now on' in capsys.readouterr().err
    assert main(["solve", "my_game", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["value"] == pytest.approx(81.4179489373)
    before = Path("my_game.dg").read_bytes()
    assert main(["new", "my_game"]) == 2
    assert "is there already" in capsys.readouterr().err
    assert Path("my_game.dg").read_bytes() == before


def test_a_copy(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["new", "big pig", "--from", "pig"]) == 0
    assert "dicegames play 'big pig'" in capsys.readouterr().out
    copied = Path("big pig.dg").read_text("utf-8")
    original = (ROOT / "games" / "pig.dg").read_text("utf-8")
    assert copied == original.replace('game "Pig"', 'game "Big Pig"')
    assert main(["new", "other", "--from", "pgi"]) == 2
    assert 'did you mean "pig"' in capsys.readouterr().err
    assert not Path("other.dg").exists()


NO_NAMES = ["", ".dg", "--", "no/folder", "two\nlines", "\x1b[31m", "7" * 5000]


@pytest.mark.parametrize("name", NO_NAMES)
def test_what_no_new_game_can_be_called(
    name: str, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    assert main(["new", "--", name]) == 2
    told = capsys.readouterr().err
    assert "is no name for a game" in told or "cannot be written" in told
    assert not list(tmp_path.rglob("*.dg"))


def test_format_does_not_touch_the_library(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["format", "pig"]) == 2
    assert "there is no such file" in capsys.readouterr().err


def test_a_game_by_name_is_kept_by_its_name(tmp_path: Path) -> None:
    def play(*words: str, lines: str) -> str:
        environment = os.environ | {"PYTHONPATH": str(ROOT), "TERM": "dumb"}
        done = subprocess.run(
            [sys.executable, "-m", "dicegames", *words], input=lines, text=True, timeout=120,
            env=environment, capture_output=True, check=False,
        )  # fmt: skip
        assert done.returncode == 0, done.stderr
        return done.stdout

    words = ["threes", "--judge", "none", "--seed", "1"]
    play("play", *words, lines=f"1\nsave {tmp_path / 'kept.txt'}\nquit\n")
    assert "\nfile      threes\n" in (tmp_path / "kept.txt").read_text("utf-8")
    assert "Threes" in play("play", "--resume", "--judge", "none", lines="quit\n")
    assert "Threes" in play("play", "--resume", "threes", "--judge", "none", lines="quit\n")


# ---- one configuration file


def test_a_configured_folder(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.delenv("DICEGAMES_GAMES")
    folder = tmp_path / "elsewhere"
    folder.mkdir()
    (folder / "my_own.dg").write_text(SUPPLIED[0].read_text("utf-8"), "utf-8")
    file = tmp_path / "config.toml"
    file.write_text(f"games = ['{folder.as_posix()}']\n", "utf-8")
    assert library.games()["my_own"].parent == folder
    file.write_text("games = []\nthreads = 1\n", "utf-8")
    assert "my_own" not in library.games()
    assert configuration.setting("threads") == ("1", str(file))
    file.write_bytes(b"\xef\xbb\xbfthreads = 3\r\n")
    assert configuration.setting("threads") == ("3", str(file))
    file.write_bytes(b"threads = 4 # \xff\n")
    with pytest.raises(dicegames.ConfigurationError, match="order: it is no text in UTF-8"):
        configuration.setting("threads")


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("thread = 2\n", 'there is no setting "thread"; did you mean "threads"'),
        ("threads = \n", "is not in order: "),
        ("threads = [1]\n", r'"threads" is how many threads to use, not \[1\]'),
        ("games = true\n", '"games" is folders .*, not True'),
    ],
)
def test_a_configuration_that_is_not_in_order(text: str, told: str, tmp_path: Path) -> None:
    (tmp_path / "config.toml").write_text(text, "utf-8")
    with pytest.raises(dicegames.ConfigurationError, match=told):
        configuration.setting("threads")


def test_limits_are_configured(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    words = ["solve", "pig", "--set", "target=10", "--json"]
    (tmp_path / "config.toml").write_text('memory = "1kB"\nthreads = 1\n', "utf-8")
    assert main(words) == 1
    assert "allowed are 0 MB" in capsys.readouterr().out
    assert main([*words, "--memory", "1GB"]) == 0
    monkeypatch.setenv("DICEGAMES_MEMORY", "1GB")
    assert main(words) == 0
    monkeypatch.setenv("DICEGAMES_THREADS", "none")
    capsys.readouterr()
    assert main(words) == 2
    told = capsys.readouterr().err
    assert told.startswith('error: DICEGAMES_THREADS, threads: "none" is not a whole number')


def test_the_level_of_the_bot_is_configured(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    assert specs_for(["me", "bot"], 2) == ("me", "bot:optimal")
    (tmp_path / "config.toml").write_text('level = "easy"\n', "utf-8")
    assert specs_for(["bot", "bot:hard"], 2) == ("bot:easy", "bot:hard")
    monkeypatch.setenv("DICEGAMES_LEVEL", "experts")
    told = 'DICEGAMES_LEVEL, level: there is no bot "experts"; did you mean "expert"'
    with pytest.raises(dicegames.ConfigurationError, match=told):
        specs_for(["me", "bot"], 2)


# ---- the package


def test_the_wheel_brings_the_games(tmp_path: Path) -> None:
    pytest.importorskip("hatchling")
    subprocess.run(
        [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(tmp_path)],
        cwd=ROOT, check=True, capture_output=True, timeout=120,
    )  # fmt: skip
    (wheel,) = tmp_path.glob("*.whl")
    with zipfile.ZipFile(wheel) as archive:
        names = archive.namelist()
        archive.extractall(tmp_path / "installed")
    assert {f"dicegames/games/{path.name}" for path in SUPPLIED} <= set(names)
    assert not any(name.startswith("tests/") for name in names)
    code = "import dicegames; g = dicegames.games(); print(len(g), *{p.parent for p in g.values()})"
    environment = os.environ | {"PYTHONPATH": str(tmp_path / "installed")}
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=tmp_path, env=environment, capture_output=True,
        text=True, check=True, timeout=60,
    )  # fmt: skip
    folder = tmp_path / "installed" / "dicegames" / "games"
    assert done.stdout.split() == [str(len(SUPPLIED)), str(folder)]
