"""Files that cannot be written are told before any work is done, by every command that writes."""

import io
import os
import sys
from collections.abc import Iterator
from pathlib import Path

import click
import pytest

from dicegames.cli.app import app
from dicegames.cli.entry import main
from dicegames.cli.playing import saves

PIG, SLOW = "games/pig.dg", ["--set", "target=300"]
WRITERS: dict[tuple[str, str], tuple[list[str], str]] = {
    # by command and option: the other words, work that would not end soon, and how the name ends
    ("solve", "--out"): ([PIG, *SLOW], ".solution"),
    ("export", "--out"): ([PIG, *SLOW], ".prism"),
    ("simulate", "--out"): ([PIG, *SLOW], ".csv"),
    ("stats", "--csv"): ([PIG, *SLOW], ".csv"),
    ("stats", "--plot"): ([PIG, *SLOW], ".svg"),
    ("report", "--html"): ([PIG, *SLOW], ".html"),
    ("analyse", "--html"): (["last"], ".html"),
    ("card", "--out"): ([PIG, *SLOW], ".dg"),
    ("card", "--plot"): ([PIG, *SLOW], ".svg"),
    ("sweep", "--csv"): ([PIG, "--set", "target=290..300"], ".csv"),
    ("sweep", "--parquet"): ([PIG, "--set", "target=290..300"], ".parquet"),
    ("sweep", "--plot"): ([PIG, "--set", "target=290..300"], ".svg"),
}
READ = {"--solution", "--judge", "--objective"}
"""Options that name a file which is read."""


def options_that_name_files() -> Iterator[tuple[str, str]]:
    for name, command in app.commands.items():
        for param in command.params:
            if isinstance(param, click.Option) and "FILE" in (param.metavar or ""):
                yield name, param.opts[0]


def test_all_that_write_are_known() -> None:
    assert {pair for pair in options_that_name_files() if pair[1] not in READ} == set(WRITERS)


@pytest.fixture
def places(tmp_path: Path) -> dict[str, str]:
    """Where nothing can be written, with what is said of it; {} stands for the end of a name."""
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "shut").mkdir(mode=0o500)
    (tmp_path / "kept").touch(0o400)
    found = {
        "folder{}": "is a directory: only regular files are written",
        "link{}": "is a device: only regular files are written",
        "pipe{}": "is a pipe: only regular files are written",
        "no/x{}": "cannot be written: no such file or directory",
        "x" * 260 + "{}": "cannot be written: file name too long",
    }
    if os.geteuid():  # all is open to root
        found |= {"shut/x{}": "cannot be written: permission denied"}
        found |= {"kept{}": "cannot be written: it is write-protected"}
    return found


@pytest.mark.parametrize("writer", WRITERS, ids=" ".join)
def test_told_before_the_work(
    writer: tuple[str, str],
    places: dict[str, str],
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    (command, option), (words, end) = writer, WRITERS[writer]
    if option in ("--plot", "--parquet"):
        pytest.importorskip("matplotlib" if option == "--plot" else "polars")
    if command == "analyse":
        monkeypatch.setattr(sys, "stdin", io.StringIO("roll\nquit\n"))
        assert main(["play", PIG, "--judge", "none"]) == 0
        capsys.readouterr()
    (tmp_path / f"folder{end}").mkdir()
    (tmp_path / f"link{end}").symlink_to("/dev/null")
    for name in ("pipe", "kept"):
        (tmp_path / name).rename(tmp_path / f"{name}{end}")
    for name, why in places.items():
        out = str(tmp_path / name.format(end))
        assert main([command, *words, option, out]) == 2
        told = capsys.readouterr()
        assert told.err == f"error: {out} {why}\n"
        assert told.out == ""


def test_a_transcript_that_cannot_be_saved(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    os.mkfifo(tmp_path / "pipe")
    names = [str(tmp_path), str(tmp_path / "pipe"), "/dev/full", str(tmp_path / "no" / "x")]
    lines = "".join(f"save {name}\n" for name in names)
    monkeypatch.setattr(sys, "stdin", io.StringIO(f"{lines}save {tmp_path / 'mine'}\nquit\n"))
    assert main(["play", PIG, "--judge", "none"]) == 0
    told = " ".join(capsys.readouterr().out.split())  # lines end where the terminal does
    for why in ("is a directory", "is a pipe", "is a device", "no such file or directory"):
        assert told.count(why) == 1
    assert saves.read(tmp_path / "mine").header.title == "Pig"
