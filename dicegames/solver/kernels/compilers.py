"""Processes that compile while this one has other work.

Only one thread of a process can compile. A process is told a line for each of its tasks, the names
of kernels, and ends when there are no more lines. On Linux it compiles each line in a copy of
itself, so that what compiling needs is loaded once, and there are no more copies at a time than
processors; elsewhere each line has a process of its own.

Loading it takes a second, so where nothing has been compiled yet, a process is started before it
is known what there will be to do.
"""

from __future__ import annotations

import atexit
import os
import subprocess
import sys
from contextlib import suppress

from dicegames.solver.kernels import code_cache

COPIES = sys.platform == "linux"
_MODULE = "dicegames.solver.kernels.precompile"
_ready: list[subprocess.Popen[str]] = []
"""Processes that take one more line."""


def available_threads() -> int:
    """Number of processors this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def useful() -> bool:
    """Whether other processes can do something at the same time."""
    return bool(sys.executable) and available_threads() > 1


def make_ready() -> None:
    """Start a process that can compile, if this is the first program to need one."""
    if not _ready and useful() and not any(code_cache.folder().glob("solver.*")):
        with suppress(OSError):  # no more processes
            _ready.append(_started())


def tell(kernels: list[str]) -> None:
    """Have kernels compiled by another process, one after the other."""
    with suppress(OSError):  # no more processes, or it has been ended
        process = _ready.pop() if _ready else _started()
        assert process.stdin is not None
        process.stdin.write(" ".join(kernels) + "\n")
        process.stdin.flush()
        if COPIES:
            _ready.append(process)
        else:
            process.stdin.close()


def _started() -> subprocess.Popen[str]:
    command, quiet = [sys.executable, "-m", _MODULE], subprocess.DEVNULL
    process = subprocess.Popen(  # noqa: S603
        command, stdin=subprocess.PIPE, stdout=quiet, stderr=quiet, text=True
    )
    atexit.register(_leave, process)
    return process


def _leave(process: subprocess.Popen[str]) -> None:
    """Let a process go on with what it was told when this one ends: it is kept for the next."""
    assert process.stdin is not None
    with suppress(OSError):
        process.stdin.close()
    if process.poll() is None:
        process.returncode = 0  # else Popen warns of a process that nobody waited for
