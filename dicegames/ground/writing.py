"""Files written whole or not at all: in the place of a regular file, or as a new one.

What is written goes to a temporary file in the same folder, which takes the name when it is
complete. Its writer holds a lock on it, so the next run knows those that killed runs have left, and
clears them.
"""

from __future__ import annotations

import os
import re
import secrets
import stat
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from os import PathLike
from pathlib import Path
from typing import IO, BinaryIO

from dicegames.ground.errors import DicegamesError
from dicegames.ground.reading import demand_regular, told

try:
    import fcntl
except ImportError:  # Windows: nobody can remove a file there that is open
    fcntl = None  # type: ignore[assignment]

CAN_LOCK = fcntl is not None
TEMPORARY = re.compile(r"\.dicegames-\d+-[0-9a-f]{8}\.part")
"""Names of temporary files; they do not grow with the name of the file."""
FILE_KINDS = {
    stat.S_IFDIR: "a directory",
    stat.S_IFCHR: "a device",
    stat.S_IFBLK: "a device",
    stat.S_IFIFO: "a pipe",
    stat.S_IFSOCK: "a socket",
}


STANDARD_OUTPUT = "-"
"""What commands take for standard output where they print, so it is no name of a file."""


class UnwritableFile(DicegamesError):
    """A file that cannot be written; the message says why."""

    misused = True


@contextmanager
def whole_file(path: str | PathLike[str]) -> Iterator[BinaryIO]:
    """Give a file to write to; it appears under its name when all is written, or not at all.

    Links are followed, and a file that is replaced keeps its rights. Raises UnwritableFile.
    """
    with writes(path):
        target = _target(path)
        with _temporary(target) as file:
            yield file
            file.flush()
            if not CAN_LOCK:
                file.close()  # a file that is open cannot be renamed there
            Path(file.name).replace(target)


def write_text(path: str | PathLike[str], text: str) -> None:
    """Write a text as UTF-8, whole or not at all; raises UnwritableFile."""
    with whole_file(path) as file:
        file.write(text.encode())


def write_kept(path: Path, text: str) -> None:
    """Write a text to a folder of the program's own, which is made; raises UnwritableFile."""
    with writes(path):
        path.parent.mkdir(parents=True, exist_ok=True)
    write_text(path, text)


def demand_writable(path: str | PathLike[str] | None, *read: str | PathLike[str]) -> None:
    """Raise UnwritableFile, before any work is done, where a file (if any) cannot be written.

    Neither can one of the files that are read: it would be lost.
    """
    if path is None:
        return
    with writes(path):
        target = _target(path)
        for other in read:
            with suppress(OSError, ValueError):
                if target.samefile(other):
                    raise UnwritableFile(f"{path} is read here: write to another file")
        with _temporary(target):
            pass


def folder_to_write(path: str | PathLike[str]) -> Path:
    """Return the folder of a name, which need not be there; raises UnwritableFile for all else."""
    with writes(path):
        folder = Path(path).expanduser()
        if os.fspath(path) in ("", STANDARD_OUTPUT):
            raise UnwritableFile(f'"{path}" names no folder')
        if not folder.is_dir() and (folder.exists() or folder.is_symlink()):
            raise UnwritableFile(f"{path} is no folder")
    return folder


@contextmanager
def writes(path: str | PathLike[str]) -> Iterator[None]:
    """Raise UnwritableFile for errors of the system while a file, or a folder, is written."""
    try:
        yield
    except (OSError, ValueError) as error:
        raise UnwritableFile(f"{path} cannot be written: {told(error)}") from None


def _target(path: str | PathLike[str]) -> Path:
    """Return the file that a name stands for, links followed; raises UnwritableFile, OSError."""
    name = os.fspath(path)
    if not name or name.endswith((os.sep, os.altsep or os.sep)):
        raise UnwritableFile(f'"{name}" names no file')
    if name == STANDARD_OUTPUT:
        raise UnwritableFile('"-" names no file: write ./- if one is called so')
    with suppress(FileNotFoundError):
        mode = os.stat(name).st_mode  # noqa: PTH116 - links are followed, loops raise OSError
        if not stat.S_ISREG(mode):
            kind = FILE_KINDS.get(stat.S_IFMT(mode), "no regular file")
            raise UnwritableFile(f"{name} is {kind}: only regular files are written")
        if not os.access(name, os.W_OK):
            raise PermissionError(0, "it is write-protected")
    return Path(os.path.realpath(name))


@contextmanager
def _temporary(target: Path) -> Iterator[BinaryIO]:
    """Give a new file beside another one, with its rights; it is gone afterwards."""
    _clear(target.parent)
    file = _new(target.parent)
    try:
        with file:
            with suppress(OSError):
                Path(file.name).chmod(stat.S_IMODE(target.stat().st_mode))
            yield file
    finally:
        with suppress(OSError):
            Path(file.name).unlink()


def _new(folder: Path) -> BinaryIO:
    """Return a new file that is locked, for as long as it is open, and not yet cleared again."""
    while True:
        name = folder / f".dicegames-{os.getpid()}-{secrets.token_hex(4)}.part"
        file = name.open("xb")
        with suppress(BlockingIOError):  # another run is about to clear it
            lock(file)
            if os.fstat(file.fileno()).st_nlink:
                return file
        file.close()


def is_empty(folder: Path) -> bool:
    """Whether a folder has nothing in it but temporary files; raises OSError."""
    return all(TEMPORARY.fullmatch(path.name) for path in folder.iterdir())


def _clear(folder: Path) -> None:
    """Remove the temporary files that killed runs have left."""
    with suppress(OSError):
        left = [path for path in folder.iterdir() if TEMPORARY.fullmatch(path.name)]
        for path in left:
            with suppress(OSError):
                _clear_one(path)


def _clear_one(path: Path) -> None:
    if not CAN_LOCK:
        path.unlink()
    elif stat.S_ISREG(path.lstat().st_mode):
        with path.open("rb") as file:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)  # OSError: its writer is at work
            path.unlink()


def open_to_lock(path: Path) -> BinaryIO:
    """Open a file that is there to be locked, or make it; raises OSError, for a pipe, too."""
    with suppress(FileNotFoundError):
        demand_regular(path)
    return path.open("ab")


def lock(file: IO[bytes]) -> None:
    """Lock a file until it is closed; raises BlockingIOError where another run has locked it."""
    if not CAN_LOCK:
        return
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        raise
    except OSError:  # there are no locks on this disk: nothing is cleared, either
        return
