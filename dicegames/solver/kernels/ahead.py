"""Kernels compiled before they are needed, by other processes, while this one has other work.

Only one thread of a process can compile. Whoever needs the code before it is there waits for it as
for that of any other program (see `kept`); if nothing comes of it, everybody compiles for himself.
"""

from __future__ import annotations

import atexit
import subprocess
import sys
from contextlib import suppress
from importlib import import_module
from typing import Any

from dicegames.solver.kernels.arrays import signature
from dicegames.solver.kernels.kernel import CAN_KEEP, is_kept
from dicegames.solver.kernels.workers import available_threads

_started: dict[str, subprocess.Popen[bytes] | None] = {}
"""The process that compiles a kernel, by its name; None if its code was kept.

Each is looked for once.
"""


def compile_ahead(*kernels: Any) -> None:
    """Have those compiled whose code is not kept, for the types that they are annotated with."""
    if not CAN_KEEP or not sys.executable or available_threads() == 1:
        return
    named = {f"{kernel.py_func.__module__}:{kernel.py_func.__name__}": kernel for kernel in kernels}
    new = {name: kernel for name, kernel in named.items() if name not in _started}
    wanted = [name for name, k in new.items() if not is_kept(k, signature(k.py_func))]
    _started.update(dict.fromkeys(new))
    if not wanted:
        return
    quiet = subprocess.DEVNULL
    command = [sys.executable, "-m", __name__, *wanted]
    with suppress(OSError):  # no more processes
        process = subprocess.Popen(command, stdin=quiet, stdout=quiet, stderr=quiet)  # noqa: S603
        _started.update(dict.fromkeys(wanted, process))
        atexit.register(_leave, process)


def _leave(process: subprocess.Popen[bytes]) -> None:
    """Let a process go on when this one ends: its code is kept for the next."""
    if process.poll() is None:
        process.returncode = 0  # else Popen warns of a process that nobody waited for


def _compile(names: list[str]) -> None:
    for name in names:
        module, _, kernel = name.partition(":")
        dispatcher = getattr(import_module(module), kernel)
        dispatcher.compile(signature(dispatcher.py_func))


if __name__ == "__main__":
    _compile(sys.argv[1:])
