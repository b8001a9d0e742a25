"""Files and streams, read with a limit of size that is looked at while they are read.

What is named may be anything: a device without end, a pipe, a folder. No more is taken from it than
the limit.
"""

from __future__ import annotations

import os
import select
import stat
from os import PathLike
from pathlib import Path
from typing import BinaryIO

from dicegames.ground.errors import DicegamesError

WAIT_FOR_WRITER = 1.0
"""Seconds until a pipe is given up to which nobody writes."""
TRANSCRIPT_BEGINS = "dicegames transcript"
"""With this every transcript of a game begins."""


class UnreadableFile(DicegamesError):
    """A file that cannot be read, or is larger than allowed; the message says what is wrong."""

    misused = True


class NoSuchFile(UnreadableFile):
    """A file that is not there."""


def read_file(path: str | PathLike[str], largest: int, what: str) -> bytes:
    """Return what a file holds; raises UnreadableFile. `what` is what it should be."""
    try:
        if stat.S_ISFIFO(os.stat(path).st_mode):  # noqa: PTH116 - Path.stat, but for any name
            return _read_pipe(path, largest, what)
        with Path(path).open("rb") as file:
            return read_stream(file, str(path), largest, what)
    except (OSError, ValueError) as error:
        raise unreadable(path, error, what) from None


def _read_pipe(path: str | PathLike[str], largest: int, what: str) -> bytes:
    """Return what comes through a pipe with a name; OSError where nobody writes to it."""
    with os.fdopen(os.open(path, os.O_RDONLY | os.O_NONBLOCK), "rb") as pipe:
        ready = select.select([pipe], [], [], WAIT_FOR_WRITER)[0]
        begun = pipe.read(1)  # None: somebody is about to write
        if begun == b"" and not ready:
            raise OSError(0, "it is a pipe, and nobody writes to it")
        os.set_blocking(pipe.fileno(), True)
        return read_stream(pipe, str(path), largest, what, begun or b"")


def read_stream(stream: BinaryIO, name: str, largest: int, what: str, begun: bytes = b"") -> bytes:
    """Return what is left of a stream; raises UnreadableFile where it is more than the largest.

    `begun` is what was read of it before.
    """
    content = begun + stream.read(largest + 1 - len(begun))
    if len(content) > largest:
        size = f"{largest // 1_000_000} MB" if largest >= 1_000_000 else f"{largest:,} bytes"
        raise UnreadableFile(f"{name} is not {what}: it is larger than {size}")
    return content


def unreadable(path: str | PathLike[str], error: OSError | ValueError, what: str) -> UnreadableFile:
    """Return what an error of the system means for somebody who named a file."""
    if isinstance(error, FileNotFoundError):
        return NoSuchFile(f"{path}: there is no such file")
    if isinstance(error, IsADirectoryError):
        return UnreadableFile(f"{path} is a directory, not {what}")
    return UnreadableFile(f"{path} cannot be read: {told(error)}")


def told(error: OSError | ValueError) -> str:
    """Return an error of the system in the middle of a sentence."""
    reason = getattr(error, "strerror", None) or str(error) or type(error).__name__
    return f"{reason[0].lower()}{reason[1:]}"


def open_regular(path: str | PathLike[str]) -> BinaryIO:
    """Open a regular file to read from it anywhere; raises OSError, also for all others."""
    demand_regular(path)
    return Path(path).open("rb")


def demand_regular(path: str | PathLike[str]) -> None:
    """Raise OSError for a device or a pipe, on which one may wait for ever."""
    mode = os.stat(path).st_mode  # noqa: PTH116 - Path.stat, but for any name
    if not stat.S_ISREG(mode) and not stat.S_ISDIR(mode):
        raise OSError(0, "it is a device or a pipe")


def is_regular(path: str | PathLike[str]) -> bool:
    """Tell whether a name, links followed, is that of a file with an end: no device, no pipe."""
    try:
        return stat.S_ISREG(os.stat(path).st_mode)  # noqa: PTH116 - Path.stat, but for any name
    except (OSError, ValueError):
        return False
