"""That code is being compiled, for those who show it, and that somebody wants it stopped.

Whoever interrupts a thread waits until it does not compile any more: after an exception in the
midst of it numba compiles nothing again, or ends the program.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from enum import Enum
from typing import Any


class StoppedWaiting(Exception):
    """A thread that waited for code was told to stop."""


class Compiling(Enum):
    """What a program that needs machine code is busy with; the text is for people."""

    HERE = "Compiling (once)"
    ELSEWHERE = "Compiling (once), in another process"


_busy_with: list[Compiling] = []
_thread = threading.local()


def compiling() -> Compiling | None:
    """Return whether this program compiles, or waits for another one that does; else None."""
    return _busy_with[-1] if _busy_with else None


@contextmanager
def busy_with(what: Compiling) -> Iterator[None]:
    """Say what is done inside of the `with` statement."""
    _busy_with.append(what)
    try:
        yield
    finally:
        _busy_with.pop()


@contextmanager
def unbroken() -> Iterator[None]:
    """Let no limit interrupt this thread meanwhile: a compiler that was stopped is of no use."""
    _thread.unbroken = is_unbroken() + 1
    try:
        yield
    finally:
        _thread.unbroken -= 1


def is_unbroken() -> int:
    """Return whether this thread must not be interrupted now; then it is asked again."""
    return getattr(_thread, "unbroken", 0)


def obey(stop: Any) -> None:
    """Let this thread wait for code only until stop[0] is set."""
    _thread.stop = stop


def stop_if_asked() -> None:
    """Raise StoppedWaiting if this thread has been told to stop."""
    stop = getattr(_thread, "stop", None)
    if stop is not None and stop[0]:
        raise StoppedWaiting
