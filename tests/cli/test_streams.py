"""Standard streams as they come: closed, full, in other encodings; files that cannot be written."""

import contextlib
import io
import json
import os
import stat
import subprocess
import sys
import time
from collections.abc import Callable
from functools import cache
from pathlib import Path

import click
import pytest
from rich.console import Console

from dicegames.cli import solving
from dicegames.cli.app import app
from dicegames.cli.entry import main
from dicegames.cli.printing import output
from dicegames.cli.printing.output import say_lines, to_stderr
from dicegames.cli.printing.terminal import Seat

ROOT = Path(__file__).parents[2]
PIG = "games/pig.dg"
SMALL = ["--set", "target=10"]
Here = Callable[..., tuple[int, str, str]]
"""Words of a command -> exit code, answer, messages."""


def run(
    *words: str, streams: str = "", encoding: str = "", cwd: Path = ROOT
) -> subprocess.CompletedProcess[bytes]:
    """Run the program with its streams as the shell connects them."""
    environment = {k: v for k, v in os.environ.items() if k != "DICEGAMES_DEBUG"}
    environment |= {"PYTHONPATH": str(ROOT), "NO_COLOR": "1", "COLUMNS": "80"}
    environment |= {"PYTHONIOENCODING": encoding} if encoding else {}
    command = ["/bin/sh", "-c", f'"$@" {streams}', "sh", sys.executable, "-m", "dicegames", *words]
    found = subprocess.run(
        command, capture_output=True, env=environment, cwd=cwd, check=False, timeout=120
    )
    assert b"Traceback" not in found.stderr
    assert b"internal error" not in found.stderr
    return found


@pytest.fixture
def here(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Here:
    """Run the program in this process, where the streams do not matter: that takes a tenth."""
    monkeypatch.chdir(ROOT)
    monkeypatch.setattr(sys, "stdin", io.StringIO())

    def call(*words: str) -> tuple[int, str, str]:
        code = main(words)
        return code, *capsys.readouterr()

    return call


@pytest.fixture(scope="module")
def foreign(tmp_path_factory: pytest.TempPathFactory) -> str:
    """A game with signs in its names that few encodings have."""
    path = tmp_path_factory.mktemp("rules") / "foreign.dg"
    text = (ROOT / "games/shut_the_box.dg").read_text("utf-8")
    path.write_text(text.replace('game "Shut the Box"', 'game "Žluťoučký 麻雀 é"'), "utf-8")
    return str(path)


@pytest.mark.parametrize("encoding", ["ascii", "latin-1", "cp1252", "utf-8"])
def test_other_encodings(encoding: str, foreign: str) -> None:
    told = run("stats", foreign, "--set", "tiles=4", encoding=encoding)
    assert told.returncode == 0
    text = told.stdout.decode(encoding)
    assert {
        "ascii": "Zlutoucky ?? e",
        "latin-1": "Zlutoucký ?? é",
        "cp1252": "Žlutoucký ?? é",
        "utf-8": "Žluťoučký 麻雀 é",
    }[encoding] in text
    assert ("█" if encoding == "utf-8" else "##") in text


def test_lines_are_continued_below_their_second_column(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    narrow = Console(width=24)
    monkeypatch.setattr("dicegames.cli.printing.output.console", cache(lambda: narrow))
    say_lines([[("You play Roll: ", ""), ("blunder, loses 3.21", "red"), ("; best was Hold", "")]])
    say_lines(
        [[("  hint  ", "bold"), ("what every move is worth", "")], [("\n" + "a" * 24 + "   ", "")]]
    )
    assert capsys.readouterr().out.splitlines() == [
        "You play Roll: blunder,",
        "  loses 3.21; best was",
        "  Hold",
        "  hint  what every move",
        "        is worth",
        "",
        "a" * 24,
    ]


def test_messages_are_broken_between_words(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("dicegames.cli.printing.output.columns_of", lambda _: 24)
    to_stderr("a.dg:3:5: there are 6 of them [pips]\n   3 | dice 6d6 with 6 sides here\n  help: x")
    assert capsys.readouterr().err.splitlines() == [
        "a.dg:3:5: there are 6 of",
        "  them [pips]",
        "   3 | dice 6d6 with 6 sides here",
        "  help: x",
    ]


def test_the_width_of_a_screen_is_the_one_in_which_lines_are_broken(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("COLUMNS", "200")
    dumb = Console(_environ={"TERM": "dumb"}, force_terminal=True)  # Rich breaks lines at 80 there
    monkeypatch.setattr("dicegames.cli.printing.output.console", cache(lambda: dumb))
    assert Seat(plain=False).width == dumb.width == 80


def test_a_dumb_terminal_is_as_wide_as_it_is(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TERM", "dumb")
    monkeypatch.setenv("FORCE_COLOR", "1")  # for Rich this is a terminal
    monkeypatch.delenv("COLUMNS", raising=False)
    found = output.console.__wrapped__()
    for columns, width in ((47, 47), (0, 80)):
        monkeypatch.setattr(output, "columns_of", lambda _, columns=columns: columns)
        assert found.width == width


def test_help_on_a_narrow_terminal_cuts_nothing_short(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("dicegames.cli.printing.helping.columns_of", lambda _: 40)
    for name, command in app.commands.items():
        assert main([name, "--help"]) == 0
        lines = capsys.readouterr().out.splitlines()
        assert max(map(len, lines)) <= 40
        words = {word.strip(",") for line in lines for word in line.split()}
        assert {long for param in command.params for long in param.opts if long[0] == "-"} <= words
    assert main(["--help"]) == 0
    assert set(app.commands) <= {line.strip() for line in capsys.readouterr().out.splitlines()}


def test_programs_and_files_lose_nothing(foreign: str) -> None:
    told = run("solve", foreign, "--json", "--set", "tiles=4", encoding="ascii")
    assert json.loads(told.stdout.decode("ascii"))["game"] == "Žluťoučký 麻雀 é"
    laid_out = run("format", "-", streams=f"<{foreign}", encoding="ascii")
    assert laid_out.stdout.decode("utf-8") == Path(foreign).read_text("utf-8")


def test_a_name_that_is_no_text(tmp_path: Path) -> None:
    strange = os.fsdecode(b"\xff.dg")
    (tmp_path / strange).write_text((ROOT / PIG).read_text("utf-8"), "utf-8")
    assert b'?.dg: "Pig" is in order' in run("check", strange, cwd=tmp_path).stdout
    told = run("check", strange, "--json", cwd=tmp_path)
    assert json.loads(told.stdout) == {"files": [strange], "errors": [], "remarks": []}


FULL = "error: the answer cannot be written: no space left on device\n"
CLOSED = "error: standard output is closed: there is nowhere to answer to\n"


@pytest.mark.parametrize(
    "words", [["check", PIG], ["check", PIG, "--json"], ["--help"], ["show", PIG], ["check", "no"]]
)
def test_nowhere_to_answer_to(words: list[str]) -> None:
    full = run(*words, streams=">/dev/full")
    assert full.returncode == (2 if words[-1] == "no" else 1)
    assert full.stderr.decode() == FULL or words[-1] == "no"
    closed = run(*words, streams=">&-")
    assert (closed.returncode, closed.stderr.decode()) == (1, CLOSED)


def test_errors_that_nobody_sees() -> None:
    assert run("check", PIG, streams="2>&-").returncode == 0
    assert run("check", "no", streams="2>&-").returncode == 2
    assert run("check", "no", streams="2>/dev/full").returncode == 2
    assert run("check", "no", streams=">&- 2>&-").returncode == 1


def test_nothing_to_read_from(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))
    assert run("check", PIG, streams="<&-").returncode == 0
    assert b"the file has no rules" in run("format", "-", streams="<&-").stderr
    words = ["play", PIG, *SMALL, "--judge", "none"]
    assert run(*words, streams="<&-").returncode == 0


@pytest.mark.parametrize("words", [["solve", PIG, *SMALL], ["solve", PIG, *SMALL, "--json"]])
def test_nobody_reads_the_output_any_more(words: list[str]) -> None:
    reading, writing = os.pipe()
    os.close(reading)
    command = [sys.executable, "-m", "dicegames", *words]
    told = subprocess.run(
        command, stdout=writing, stderr=subprocess.PIPE, cwd=ROOT, check=False, timeout=120
    )
    os.close(writing)
    assert told.returncode == 141
    assert told.stderr == b""


def test_a_file_never_takes_the_number_of_a_closed_stream(tmp_path: Path) -> None:
    out = tmp_path / "pig.solution"
    assert run("solve", PIG, *SMALL, "--out", str(out), streams="2>&- <&-").returncode == 0
    assert out.read_bytes().startswith(b"dicegames solution\n")


@pytest.mark.parametrize(
    ("words", "end"),
    [
        (["solve", PIG, "--out"], ".solution"),
        (["export", PIG, "--out"], ".prism"),
        (["simulate", PIG, "--out"], ".npy"),
        (["simulate", PIG, "--rotate", "--out"], ".csv"),
        (["stats", PIG, "--plot"], ".svg"),
    ],
)
def test_files_that_cannot_be_written_are_told_before_the_work(
    words: list[str], end: str, tmp_path: Path, here: Here
) -> None:
    if "--plot" in words:
        pytest.importorskip("matplotlib")
    words = [*words[:2], "--set", "target=300", *words[2:]]  # work that would not end
    folder, pipe, link = (tmp_path / f"{name}{end}" for name in ("folder", "pipe", "link"))
    folder.mkdir()
    os.mkfifo(pipe)
    link.symlink_to("/dev/null")
    for out, why in [
        (folder, "is a directory: only regular files are written"),
        (pipe, "is a pipe: only regular files are written"),
        (link, "is a device: only regular files are written"),
        (tmp_path / "no" / f"x{end}", "cannot be written: no such file or directory"),
        (folder / ("x" * 260 + end), "cannot be written: file name too long"),
    ]:
        assert here(*words, str(out)) == (2, "", f"error: {out} {why}\n")
    assert stat.S_ISFIFO(pipe.stat().st_mode)


def test_rules_are_not_written_over(tmp_path: Path) -> None:
    rules = tmp_path / "pig.dg"
    text = (ROOT / PIG).read_text("utf-8")
    rules.write_text(text, "utf-8")
    told = run("solve", str(rules), *SMALL, "--out", str(rules))
    assert told.returncode == 2
    assert b"is read here: write to another file" in told.stderr
    assert rules.read_text("utf-8") == text


def test_files_without_end() -> None:
    for words in (["check"], ["solve"], ["format"], ["replay"]):
        told = run(*words, "/dev/zero")
        assert told.returncode == 2
        assert b"it is larger than " in told.stderr
    told = run("format", "-", streams="</dev/zero")
    assert b"standard input is not a rules file: it is larger than 8 MB" in told.stderr


HUGE = "9" * 5000


@pytest.mark.parametrize(
    "words",
    [
        ["solve", PIG, "--memory", "9" * 400],
        ["solve", PIG, "--memory", "\N{ARABIC-INDIC DIGIT NINE}GB"],
        ["solve", PIG, "--time", "9" * 400],
        ["solve", PIG, "--objective", f"reach:{HUGE}"],
        ["solve", PIG, "--objective", f"reach:1/{HUGE}"],
        ["solve", "games/shut_the_box.dg", "--objective", "reach:999999999999999"],
        ["solve", PIG, "--objective", "reach:\N{ARABIC-INDIC DIGIT NINE}"],
        ["solve", PIG, "--grid", f"total={HUGE}"],
        ["solve", PIG, "--grid", "total=\N{SUPERSCRIPT TWO}"],
        ["solve", PIG, "--seat", f"{HUGE}=best"],
        ["play", PIG, "--dice", f"{HUGE}=typed"],
        ["play", PIG, "--seed", HUGE],
        ["diff", PIG, "target=20", "--seed", HUGE],
        ["simulate", PIG, "--games", HUGE],
        ["solve", PIG, "--threads", HUGE],
        ["play", PIG, "--grades", f"1,2,{HUGE}"],
        ["advise", PIG, f"points {HUGE}"],
        ["check", HUGE],
        ["replay", HUGE],
        ["play", PIG, "--set", "players=2", "--seat", "me", "--seat", f"bot:{HUGE}"],
        ["simulate", PIG, "--seat", f"1={HUGE}.solution"],
    ],
)
def test_numbers_and_names_without_measure(words: list[str], here: Here) -> None:
    code, _, told = here(*words)
    assert code == 2
    assert len(told) < 1000
    assert told.startswith("error: ")


@pytest.mark.parametrize(("terminal", "plain"), [("dumb", False), ("xterm", True)])
def test_where_nothing_is_redrawn_lines_tell_that_work_goes_on(
    terminal: str,
    plain: bool,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    screen = io.StringIO()
    monkeypatch.setattr(screen, "isatty", lambda: True, raising=False)
    monkeypatch.setattr(sys, "stderr", screen)
    monkeypatch.setattr(solving, "SILENT_FOR", 0.01)
    monkeypatch.setenv("TERM", terminal)
    with click.Context(click.Command("play")), contextlib.ExitStack() as work:
        if plain:
            solving.redraw_nothing()
        report = work.enter_context(solving.progress("Solving Pig"))
        report(1, 4)
        deadline = time.monotonic() + 20
        while screen.getvalue().count("\n") < 2 and time.monotonic() < deadline:
            time.sleep(0.01)
    assert screen.getvalue().startswith("Solving Pig ... 0 s, 25%\n" * 2)
