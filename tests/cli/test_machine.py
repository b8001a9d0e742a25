"""What belongs to the machine: completion in real shells, man pages, doctor, the build."""

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from dicegames.build import build
from dicegames.cli.commands import doctor
from dicegames.cli.entry import main
from dicegames.play.levels import BY_NAME

ROOT = Path(__file__).parents[2]
PIG = ["'Hold at 20'", "Greedy"]


@pytest.fixture(autouse=True)
def _folder(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("COLUMNS", "100")
    monkeypatch.chdir(tmp_path)


@pytest.fixture
def program(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """The command `dicegames` in a folder that shells look through."""
    folder = tmp_path / "bin"
    folder.mkdir()
    command = folder / "dicegames"
    start = "import sys; sys.argv[0] = 'dicegames'; from dicegames.cli import main"
    command.write_text(f'#!/bin/sh\nexec "{sys.executable}" -c "{start}; sys.exit(main())" "$@"\n')
    command.chmod(0o755)
    monkeypatch.setenv("PATH", f"{folder}{os.pathsep}{os.environ['PATH']}")
    monkeypatch.setenv("PYTHONPATH", str(ROOT))


def says(*words: str) -> str:
    done = subprocess.run(words, capture_output=True, text=True, timeout=60, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    return done.stdout


BASH = """
eval "$(dicegames completion bash)"
COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1))
_dicegames_completion dicegames
printf '%s\\n' "${COMPREPLY[@]}"
"""


@pytest.mark.skipif(shutil.which("bash") is None, reason="there is no bash here")
@pytest.mark.parametrize(
    ("line", "offered"),
    [
        ("sol", ["solve"]),
        ("solve pi", ["pig"]),
        ("advise ya", ["yahtzee", "yatzy"]),
        ("solve yahtzee --set jok", ["jokers="]),
        ("solve yahtzee --set jokers =", ["free", "forced", "none"]),
        ("solve pig --set players = 2,tar", ["2,target="]),
        ("solve yahtzee --set players = 1,jokers = fo", ["forced"]),
        ("solve yahtzee --set jokers = fo", ["forced"]),
        ("solve pig --strategy ", PIG),
        ("solve pig --seat 2 =", ["best", *PIG]),
        ("solve pig --objective t", ["turn", "turns"]),
        ("show pig --stage m", ["model"]),
        ("play pig --seat bot :", ["optimal", "random", "win", *BY_NAME, *PIG]),
        ("play pig --seat 2 = bot : r", ["random"]),
        ("play pig --seat 2 = m", ["me"]),
        ("diff yahtzee jok", ["jokers="]),
        ("diff yahtzee jokers = fo", ["forced"]),
        ("diff pig yah", ["yahtzee"]),
        ("analyse la", ["last"]),
        ("replay last --judge o", ["optimal"]),
        ("sweep pig --executor d", ["dask"]),
        ("solve nowhere --set ", [""]),
        ("nothing ", [""]),
        ("solve pig --nothing --set ", ["players=", "target="]),
    ],
)
@pytest.mark.usefixtures("program")
def test_bash(line: str, offered: list[str]) -> None:
    words = line.split(" ")
    assert says("bash", "--norc", "-c", BASH, "bash", "dicegames", *words).splitlines() == offered


@pytest.mark.parametrize("shell", [["bash", "--norc", "-i"], ["zsh", "-f", "-i"]])
@pytest.mark.usefixtures("program")
def test_no_space_is_set_behind_an_equals_sign(shell: list[str]) -> None:
    pexpect = pytest.importorskip("pexpect")
    name, *options = shell
    if shutil.which(name) is None:
        pytest.skip(f"there is no {name} here")
    begin = "autoload -U compinit && compinit -u && " if name == "zsh" else ""
    with pexpect.spawn(name, options, encoding="utf-8", timeout=60, dimensions=(24, 200)) as child:
        child.sendline(f'{begin}eval "$(dicegames completion {name})" && echo rea""dy')
        child.expect("ready")
        child.send("dicegames solve pig --set players=1,tar\t")
        child.expect("target=")
        child.sendline("9 --objective turns")
        child.expect("players 1, target 9")


@pytest.mark.parametrize(
    "words",
    ["analyse ", "solve pig --out ", "stats pig --csv ", "levels pig --solution x", "man x"],
)
def test_files_are_offered_in_place_of_files(
    words: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("_DICEGAMES_COMPLETE", "zsh_complete")
    monkeypatch.setenv("COMP_WORDS", f"dicegames {words}")
    monkeypatch.setenv("COMP_CWORD", str(len(words.split(" "))))
    main([])
    assert capsys.readouterr().out.split("\n")[0] == "file"


@pytest.mark.skipif(shutil.which("fish") is None, reason="there is no fish here")
@pytest.mark.usefixtures("program")
def test_fish() -> None:
    ask = 'dicegames completion fish | source; complete -C "dicegames solve yahtzee --set jokers=f"'
    found = says("fish", "--no-config", "-c", ask).splitlines()
    assert sorted((line.split("\t")[0] for line in found), reverse=True) == [
        "jokers=free",
        "jokers=forced",
    ]


@pytest.mark.skipif(shutil.which("zsh") is None, reason="there is no zsh here")
@pytest.mark.usefixtures("program")
def test_zsh() -> None:
    says("zsh", "-f", "-c", "dicegames completion zsh > _dicegames; zsh -n _dicegames")
    ask = 'COMP_WORDS="dicegames solve pi" COMP_CWORD=2 _DICEGAMES_COMPLETE=zsh_complete dicegames'
    assert says("zsh", "-f", "-c", ask).split() == ["plain", "pig", "_"]


def test_man_pages(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    pytest.importorskip("click_man")
    assert main(["man", str(tmp_path / "man1")]) == 0
    pages = {path.name for path in (tmp_path / "man1").iterdir()}
    assert {"dicegames.1", "dicegames-solve.1", "dicegames-play.1"} <= pages
    assert f"{len(pages)} pages" in capsys.readouterr().out
    page = (tmp_path / "man1" / "dicegames-solve.1").read_text("utf-8")
    assert "OPTION=VALUE\nSet an option of the rules" in page
    (tmp_path / "file").write_text("")
    assert main(["man", str(tmp_path / "file")]) == 2
    assert "is no folder" in capsys.readouterr().err


def test_doctor(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    assert main(["doctor"]) == 0
    printed = capsys.readouterr().out
    assert "All is well." in printed
    assert re.search(r"small solve +value 81\.4179489", printed)
    monkeypatch.setenv("DICEGAMES_CONFIG", "config.toml")
    Path("config.toml").write_text("thread = 1\n")
    assert main(["doctor", "--json"]) == 1
    found = json.loads(capsys.readouterr().out)
    assert [f["what"] for f in found["findings"] if not f["well"]] == ["settings"]


def test_the_small_game_has_this_value() -> None:
    """Ten turns of a die that is thrown again below 20 points: a sum over the points of a turn."""
    worth = [0.0] * 127
    for points in range(126, -1, -1):
        more = (
            sum(worth[min(points + face, 100)] for face in range(2, 7)) / 6 if points < 100 else 0
        )
        worth[points] = max(points, more) if points else more
    assert 10 * worth[0] == pytest.approx(doctor.VALUE, abs=1e-12)


def test_version_with_the_build(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--version"]) == 0
    assert capsys.readouterr().out == f"dicegames, version {build()}\n"
    assert re.fullmatch(r"\d+\.\d+\.\d+( \([0-9a-f]{10} of \d{4}-\d\d-\d\d\))?", build())
