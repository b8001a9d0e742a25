"""The user's own cache: folders of files that save time. Nothing is lost when they are removed.

Compiled code saves a minute of each run. Where the user's folder cannot be written, as that of a
service, it goes to a folder of temporary files, if that is the user's own and nobody else can write
to it: what is read there is run.
"""

from __future__ import annotations

import hashlib
import os
import stat
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import BinaryIO

import platformdirs

from dicegames.ground.reading import open_regular
from dicegames.ground.writing import whole_file

COMPILED_CODE = "kernels"
"""What compiled code is kept as."""
LARGEST_CODE = 64 * 2**20
"""Bytes of all compiled code; beyond that those go that have not been used for the longest time."""
_SEAL_BYTES = hashlib.sha256().digest_size


def cache_folder(kind: str) -> Path:
    """Return the folder for what is kept of a kind."""
    own = platformdirs.user_cache_path("dicegames", appauthor=False) / kind
    return own if kind != COMPILED_CODE or _is_writable(own) else _private(kind) or own


def _is_writable(folder: Path) -> bool:
    with suppress(OSError):
        make_folder(folder)
        return os.access(folder, os.W_OK)
    return False


def _private(kind: str) -> Path | None:
    """Return a folder for temporary files that nobody else can write to; None without one."""
    if not hasattr(os, "getuid"):
        return None
    with suppress(OSError):
        base = Path(tempfile.gettempdir()) / f"dicegames-{os.getuid()}"
        make_folder(base)
        found = base.lstat()
        is_safe = found.st_uid == os.getuid() and not found.st_mode & (stat.S_IRWXG | stat.S_IRWXO)
        if stat.S_ISDIR(found.st_mode) and is_safe and _is_writable(base / kind):
            return base / kind
    return None


def make_folder(folder: Path) -> None:
    """Make a folder that only its user may look into; raises OSError."""
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)


@contextmanager
def kept_file(path: Path, largest: int) -> Iterator[BinaryIO]:
    """Give a file to write to, whole or not at all, in a folder of at most so many bytes.

    Raises OSError, UnwritableFile.
    """
    make_folder(path.parent)
    with whole_file(path) as file:
        yield file
    tidy(path.parent, largest)


def keep_sealed(path: Path, data: bytes, largest: int) -> None:
    """Keep data in a file, as `kept_file` does; raises OSError, UnwritableFile."""
    with kept_file(path, largest) as file:
        file.write(_seal(path, data))
        file.write(data)


def find_sealed(path: Path) -> bytes | None:
    """Return what is kept in a file; None if it is not there, or not as it was written there."""
    with suppress(OSError), open_regular(path) as file:
        seal, data = file.read(_SEAL_BYTES), file.read()
        return data if seal == _seal(path, data) else None
    return None


def _seal(path: Path, data: bytes) -> bytes:
    """Return the checksum of data under the name of a file: files may be swapped, too."""
    return hashlib.sha256(path.name.encode() + b"\n" + data).digest()


def tidy(folder: Path, largest: int) -> None:
    """Remove the files that have not been used for the longest time, until the rest is small."""
    entries = []
    for entry in os.scandir(folder):
        with suppress(FileNotFoundError):
            entries.append((entry.stat().st_mtime, entry.stat().st_size, entry.path))
    size = sum(entry[1] for entry in entries)
    for _, length, path in sorted(entries):
        if size <= largest:
            return
        with suppress(OSError):  # another program may be at the same work, or read it
            Path(path).unlink(missing_ok=True)
        size -= length


def size_of(folder: Path) -> int:
    """Return the bytes of the files in a folder, 0 where it is not there."""
    try:
        return sum(entry.stat().st_size for entry in os.scandir(folder))
    except OSError:
        return 0
