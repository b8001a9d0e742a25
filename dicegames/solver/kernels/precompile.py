"""Kernels compiled before they are needed, by other processes (see `compilers`).

Whoever needs the code before it is there waits for it as for that of any other program (see
`code_cache`); if nothing comes of it, everybody compiles for himself. Run as a program, this is
such a process.
"""

from __future__ import annotations

import gc
import os
import signal
import sys
from importlib import import_module
from typing import Any

from dicegames.solver.kernels import compilers
from dicegames.solver.kernels.arrays import signature
from dicegames.solver.kernels.kernel import CAN_KEEP, is_kept, njit

WITH_ALL = "dicegames.solver.solve"
"""The module that imports all kernels there are; by name, since it imports this one."""
LONGEST_IDLE = 60
"""Seconds after which a process that is told nothing ends."""
_known: set[str] = set()
"""The kernels that were asked for; each is looked for once."""


def compile_ahead(*kernels: Any) -> bool:
    """Have those compiled whose code is not kept, for the types that they are annotated with.

    Whether there are some; each is asked for once.
    """
    if not CAN_KEEP or not compilers.useful():
        return False
    named = {f"{kernel.py_func.__module__}:{kernel.py_func.__name__}": kernel for kernel in kernels}
    new = {name: kernel for name, kernel in named.items() if name not in _known}
    _known.update(new)
    if wanted := [name for name, k in new.items() if not is_kept(k, signature(k.py_func))]:
        compilers.tell(wanted)
    return bool(wanted)


def _serve() -> None:
    """Compile what each line of the input names."""
    gc.disable()  # 7% of the time; all memory is given back when the process ends
    njit(allocates=False)(lambda x: x).compile("float64(float64)")  # loads all that compiling needs
    import_module(WITH_ALL)
    if not compilers.COPIES:
        for line in sys.stdin:
            _compile(line.split())
        return
    copies, most = 0, compilers.available_threads()
    signal.alarm(LONGEST_IDLE)
    for line in sys.stdin:
        signal.alarm(0)
        if copies == most:  # what was told first is needed first
            os.wait()
            copies -= 1
        copies += 1
        if not os.fork():
            _compile(line.split())
            os._exit(0)
        signal.alarm(LONGEST_IDLE)


def _compile(names: list[str]) -> None:
    for name in names:
        module, _, kernel = name.partition(":")
        dispatcher = getattr(import_module(module), kernel)
        dispatcher.compile(signature(dispatcher.py_func))


if __name__ == "__main__":
    _serve()
