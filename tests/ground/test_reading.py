"""Reading with a limit: files without end, files that are none."""

import io
import os
from pathlib import Path
from threading import Thread
from time import sleep

import pytest

from dicegames.ground import reading
from dicegames.ground.reading import NoSuchFile, UnreadableFile, is_regular, read_file, read_stream


def test_no_more_is_read_than_the_limit(tmp_path: Path) -> None:
    path = tmp_path / "file"
    path.write_bytes(b"x" * 100)
    assert read_file(path, 100, "a letter") == b"x" * 100
    with pytest.raises(UnreadableFile, match="is not a letter: it is larger than 99 bytes"):
        read_file(path, 99, "a letter")
    stream = io.BytesIO(b"x" * 100)
    with pytest.raises(UnreadableFile, match="the stream is not a letter"):
        read_stream(stream, "the stream", 10, "a letter")
    assert stream.tell() == 11


def test_a_device_without_end() -> None:
    with pytest.raises(UnreadableFile, match="larger than 1 MB"):
        read_file("/dev/zero", 1_000_000, "a letter")
    assert not is_regular("/dev/zero")


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no pipes with names")
def test_a_pipe_has_a_writer_or_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reading, "WAIT_FOR_WRITER", 0.05)
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    with pytest.raises(UnreadableFile, match="it is a pipe, and nobody writes to it"):
        read_file(pipe, 10, "a letter")
    monkeypatch.setattr(reading, "WAIT_FOR_WRITER", 1.0)  # on a busy machine a thread begins late
    for text in (b"", b"text"):

        def write(text: bytes = text) -> None:
            with pipe.open("wb") as file:
                sleep(1.2)  # longer than a reader waits for somebody to come
                file.write(text)

        writer = Thread(target=write)
        writer.start()
        assert read_file(pipe, 10, "a letter") == text
        writer.join()


def test_what_cannot_be_read(tmp_path: Path) -> None:
    with pytest.raises(NoSuchFile, match="there is no such file"):
        read_file(tmp_path / "nothing", 10, "a letter")
    with pytest.raises(UnreadableFile, match="is a directory, not a letter"):
        read_file(tmp_path, 10, "a letter")
    with pytest.raises(UnreadableFile, match="cannot be read: embedded null"):
        read_file("a\0b", 10, "a letter")
    with pytest.raises(UnreadableFile, match="cannot be read: file name too long"):
        read_file("a" * 5000, 10, "a letter")
    assert not any(is_regular(name) for name in (tmp_path, "a\0b", "a" * 5000, ""))
