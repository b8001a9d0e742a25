"""Floor 5: the command line: one command for each verb, exit codes, the only top-level catch.

This file stands in for the rest of the floor while that is being loaded: Ctrl-C is obeyed at once.
"""

from __future__ import annotations

import gc
import os
import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

STOPPED = 130
SOON = 0.05
"""Seconds until foreign code has returned."""
OBJECTS_AT_A_TIME = 500_000
"""How many new objects the garbage collector waits for: most of a short command's stay."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line and return its exit code."""
    gc.set_threshold(OBJECTS_AT_A_TIME)
    before, sys.unraisablehook = sys.unraisablehook, _stop_later
    try:
        from dicegames.cli.entry import main as run  # noqa: PLC0415 - may be stopped while it loads

        return run(arguments)
    except KeyboardInterrupt:
        sys.stderr.write("\nstopped\n")
        return STOPPED
    finally:
        sys.unraisablehook = before


__all__ = ["main"]


def _stop_later(lost: sys.UnraisableHookArgs) -> None:
    """Say Ctrl-C once more where it came while foreign code called back: there it would be lost.

    So with the limits that `watch` holds, which say it themselves.
    """
    if (again := getattr(lost.exc_value, "again", None)) is not None:
        again()
    elif lost.exc_type is KeyboardInterrupt:
        import signal  # noqa: PLC0415 - seldom needed
        import threading  # noqa: PLC0415 - likewise

        again = threading.Timer(SOON, os.kill, (os.getpid(), signal.SIGINT))
        again.daemon = True
        again.start()
    elif lost.exc_type is not AttributeError or getattr(lost.object, "__name__", "") != "__del__":
        sys.__unraisablehook__(lost)  # but for what Ctrl-C left half made and goes away
