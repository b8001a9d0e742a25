"""Files of compiled code: written whole or not at all, shared by all programs of a user.

Whoever needs code that is not there compiles it while the others wait for it: each kernel has a
file that is locked meanwhile. The system unlocks it when the program ends, however it
ends. The lock only saves work; without it code is compiled twice, and the same.
"""

from __future__ import annotations

import os
import sys
import time
import warnings
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from functools import cache
from pathlib import Path
from typing import IO

from dicegames.ground.cache import LARGEST_CODE, cache_folder, find_sealed, keep_sealed, make_folder
from dicegames.ground.reading import told
from dicegames.ground.writing import UnwritableFile, lock, open_to_lock
from dicegames.solver.kernels.compiling import Compiling, busy_with, stop_if_asked

LONGEST_WAIT_FOR_CODE = 300.0
"""Seconds after which a program no longer waits for another one's code."""
_POLL = 0.05
_REFRESHED_AFTER = 3600.0
_locked: set[Path] = set()


def folder() -> Path:
    """Return the folder of the files, the user's own; nothing is lost when it is removed."""
    return cache_folder("kernels")


def read(file: Path) -> bytes | None:
    """Return what is kept in a file; None if it is not there, or not as it was written."""
    with suppress(OSError):
        if time.time() - file.stat().st_mtime > _REFRESHED_AFTER:
            os.utime(file)  # it is in use
    return find_sealed(file)


def write(file: Path, data: bytes) -> None:
    """Keep data in a file; where that is not possible, say so once and go on."""
    try:
        keep_sealed(file, data, LARGEST_CODE)
    except OSError as error:
        _warn(f"compiled code cannot be kept in {file.parent} ({told(error)})")
    except UnwritableFile as error:
        _warn(f"compiled code cannot be kept: {error}")


@cache
def _warn(message: str) -> None:
    told = f"{message}: every run compiles it anew; XDG_CACHE_HOME names another folder"
    warnings.warn(told, RuntimeWarning, stacklevel=2)


@contextmanager
def one_at_a_time(lock: Path) -> Iterator[None]:
    """Keep other programs out of the `with` statement while this one is in it."""
    if lock in _locked:  # one kernel for other types
        yield
        return
    try:
        make_folder(lock.parent)
        file = open_to_lock(lock)
    except OSError:  # then there is no code of others either
        yield
        return
    with file:
        _wait_for(file)
        _locked.add(lock)
        try:
            yield
        finally:
            _locked.discard(lock)


def _wait_for(file: IO[bytes]) -> None:
    """Lock a file as soon as no other program does; it is unlocked when it is closed."""
    if _lock(file):
        return
    until = time.monotonic() + LONGEST_WAIT_FOR_CODE
    with busy_with(Compiling.ELSEWHERE):
        while not _lock(file) and time.monotonic() < until:
            stop_if_asked()
            time.sleep(_POLL)


if sys.platform == "win32":
    import msvcrt

    def _lock(file: IO[bytes]) -> bool:
        try:
            msvcrt.locking(file.fileno(), msvcrt.LK_NBLCK, 1)
        except OSError:
            return False
        return True

else:

    def _lock(file: IO[bytes]) -> bool:
        try:
            lock(file)
        except BlockingIOError:
            return False
        return True
