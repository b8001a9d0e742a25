"""Writing whole or not at all: only regular files are replaced, nothing is left behind."""

import os
import signal
import socket
import stat
import subprocess
import sys
from pathlib import Path

import pytest

from dicegames.ground.writing import (
    TEMPORARY,
    UnwritableFile,
    demand_writable,
    folder_to_write,
    whole_file,
)


def names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


def put(path: Path, content: bytes) -> None:
    with whole_file(path) as file:
        file.write(content)


def test_a_new_file_and_one_that_is_replaced(tmp_path: Path) -> None:
    path = tmp_path / "file"
    put(path, b"one")
    path.chmod(0o640)
    put(path, b"two")
    assert path.read_bytes() == b"two"
    assert stat.S_IMODE(path.stat().st_mode) == 0o640
    assert names(tmp_path) == ["file"]


def test_nothing_is_left_where_writing_fails(tmp_path: Path) -> None:
    path = tmp_path / "file"
    path.write_bytes(b"before")
    with pytest.raises(TypeError), whole_file(path) as file:
        file.writelines([b"half", None])  # type: ignore[list-item]
    assert path.read_bytes() == b"before"
    assert names(tmp_path) == ["file"]


def test_links_are_followed(tmp_path: Path) -> None:
    (tmp_path / "far").mkdir()
    link, loop = tmp_path / "link", tmp_path / "loop"
    link.symlink_to("far/file")
    put(link, b"one")  # what it leads to is made, too
    put(link, b"two")
    assert link.is_symlink()
    assert (tmp_path / "far" / "file").read_bytes() == b"two"
    loop.symlink_to(loop)
    with pytest.raises(UnwritableFile, match="cannot be written: too many levels"):
        demand_writable(loop)


def test_what_is_no_regular_file_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "folder").mkdir()
    (tmp_path / "link").symlink_to("/dev/null")
    with socket.socket(socket.AF_UNIX) as end:
        monkeypatch.chdir(tmp_path)  # the name of a socket must be short
        end.bind("socket")
    before = names(tmp_path)
    for name, kind in [
        ("pipe", "a pipe"),
        ("folder", "a directory"),
        ("socket", "a socket"),
        ("link", "a device"),
    ]:
        for act in (demand_writable, lambda path: put(path, b"x")):
            with pytest.raises(UnwritableFile, match=f"is {kind}: only regular files"):
                act(tmp_path / name)
    assert names(tmp_path) == before
    with pytest.raises(UnwritableFile, match="is a device"):
        demand_writable("/dev/full")


@pytest.mark.parametrize("name", ["", "-", "new/", "no/file", "a\0b", "a" * 300, "there/file"])
def test_names_under_which_nothing_can_be_written(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "there").write_text("a file in the way")
    with pytest.raises(UnwritableFile):
        demand_writable(name)
    with pytest.raises(UnwritableFile), whole_file(name):
        pass
    assert names(tmp_path) == ["there"]


def test_names_that_are_no_folders(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "link").symlink_to(tmp_path / "nowhere")
    for name in ("pipe", "link"):
        with pytest.raises(UnwritableFile, match=f"{name} is no folder"):
            folder_to_write(tmp_path / name)
    with pytest.raises(UnwritableFile, match='"" names no folder'):
        folder_to_write("")
    with pytest.raises(UnwritableFile, match='"-" names no folder'):
        folder_to_write("-")
    with pytest.raises(UnwritableFile, match="file name too long"):
        folder_to_write("a" * 300)
    assert folder_to_write(tmp_path / "new") == tmp_path / "new"
    assert folder_to_write(tmp_path) == tmp_path


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write everywhere")
def test_write_protected(tmp_path: Path) -> None:
    path = tmp_path / "file"
    path.touch(0o444)
    with pytest.raises(UnwritableFile, match="write-protected"):
        demand_writable(path)


def test_what_is_read_is_not_written_over(tmp_path: Path) -> None:
    path, link = tmp_path / "rules.dg", tmp_path / "link"
    path.write_text("rules")
    link.symlink_to(path)
    for name in (path, link):
        with pytest.raises(UnwritableFile, match="is read here"):
            demand_writable(name, tmp_path / "other", path)
    demand_writable(tmp_path / "new", path)
    assert names(tmp_path) == ["link", "rules.dg"]


KILLED = """
import os, signal, sys
from dicegames.ground.writing import whole_file
with whole_file(sys.argv[1]) as file:
    file.write(b"half")
    file.flush()
    print("writing", flush=True)
    sys.stdin.read()
"""


def test_temporary_files_of_killed_runs_are_cleared_and_only_those(tmp_path: Path) -> None:
    command = [sys.executable, "-c", KILLED, str(tmp_path / "file")]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as other:
        assert other.stdout
        other.stdout.readline()
        (left,) = names(tmp_path)
        assert TEMPORARY.fullmatch(left)
        put(tmp_path / "mine", b"x")
        assert names(tmp_path) == [left, "mine"]  # its writer is still at work
        other.send_signal(signal.SIGKILL)
    (tmp_path / ".dicegames-mine.part").touch()
    demand_writable(tmp_path / "mine")
    assert names(tmp_path) == [".dicegames-mine.part", "mine"]
