"""Kernels compiled before they are needed, by other processes, while this one has other work.

Only one thread of a process can compile. Whoever needs the code before it is there waits for it as
for that of any other program (see `kept`); if nothing comes of it, everybody compiles for himself.
"""

from __future__ import annotations

import subprocess
import sys
from importlib import import_module
from typing import Any

from dicegames.solver.kernels.arrays import signature
from dicegames.solver.kernels.kernel import CAN_KEEP, is_kept
from dicegames.solver.kernels.workers import available_threads

_started: list[subprocess.Popen[bytes]] = []


def compile_ahead(*kernels: Any) -> None:
    """Have those compiled whose code is not kept, for the types that they are annotated with."""
    if not CAN_KEEP or not sys.executable or available_threads() == 1:
        return
    wanted = [k for k in kernels if not is_kept(k, signature(k.py_func))]
    if not wanted:
        return
    names = [f"{k.py_func.__module__}:{k.py_func.__name__}" for k in wanted]
    quiet = subprocess.DEVNULL
    command = [sys.executable, "-m", __name__, *names]
    try:
        _started.append(
            subprocess.Popen(command, stdin=quiet, stdout=quiet, stderr=quiet)  # noqa: S603
        )
    except OSError:  # no more processes
        return


def _compile(names: list[str]) -> None:
    for name in names:
        module, _, kernel = name.partition(":")
        dispatcher = getattr(import_module(module), kernel)
        dispatcher.compile(signature(dispatcher.py_func))


if __name__ == "__main__":
    _compile(sys.argv[1:])
