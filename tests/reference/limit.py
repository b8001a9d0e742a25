"""A limit of processor time for one game: other work on the machine makes no game slow."""

from __future__ import annotations

import signal
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType


class TooLong(BaseException):
    """A game takes longer than is worth while; no answer of the program catches this."""


@contextmanager
def within(seconds: int) -> Iterator[None]:
    """Raise TooLong in what computes longer; without timers (Windows) nothing is done."""
    if not hasattr(signal, "SIGPROF"):
        yield
        return
    before = signal.signal(signal.SIGPROF, _give_up)
    signal.setitimer(signal.ITIMER_PROF, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.signal(signal.SIGPROF, before)


def _give_up(_signal: int, _frame: FrameType | None) -> None:
    raise TooLong
