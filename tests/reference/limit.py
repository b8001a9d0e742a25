"""A limit of time for one game."""

from __future__ import annotations

import signal
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType


class TooLong(BaseException):
    """A game takes longer than is worth while; no answer of the program catches this."""


@contextmanager
def within(seconds: int) -> Iterator[None]:
    """Raise TooLong in what takes longer; where there are no alarms (Windows), nothing is done."""
    if not hasattr(signal, "SIGALRM"):
        yield
        return
    before = signal.signal(signal.SIGALRM, _give_up)
    signal.alarm(seconds)
    try:
        yield
    finally:
        signal.alarm(0)
        signal.signal(signal.SIGALRM, before)


def _give_up(_signal: int, _frame: FrameType | None) -> None:
    raise TooLong
