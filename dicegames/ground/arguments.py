"""What a Python program hands over, looked at where it comes in: a message, not an error inside."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from numbers import Integral, Real

from dicegames.ground.errors import DicegamesError

MOST_THREADS = 1024
OnProgress = Callable[[float, float], None]
"""Is called with what is done and what there is to do, now and then."""


class ArgumentError(DicegamesError, ValueError):
    """An argument is not of the kind, or not in the range, that is wanted; the message says so."""

    misused = True


def expect(value: object, kinds: type | tuple[type, ...], wanted: str) -> None:
    """Raise ArgumentError unless a value is of some kind, such as "the name of a file"."""
    if not isinstance(value, kinds):
        raise ArgumentError(f"{wanted} is expected, not {_shown(value)}")


def expect_many(values: object, wanted: str) -> None:
    """Raise ArgumentError for a single text, and for what cannot be gone through."""
    if isinstance(values, str) or not isinstance(values, Iterable):
        raise ArgumentError(f"a list of {wanted} is expected, not {_shown(values)}")


def expect_whole(
    value: object, wanted: str, least: int | None = None, most: int | None = None
) -> None:
    """Raise ArgumentError unless a value is a whole number from the least to the most one."""
    enough = isinstance(value, Integral) and (least is None or int(value) >= least)
    fits = isinstance(value, Integral) and (most is None or int(value) <= most)
    if not enough or not fits or isinstance(value, bool):
        beyond = "" if least is None else f" of at least {least}"
        beyond += "" if most is None else f" and at most {most}"
        raise ArgumentError(f"{wanted} must be a whole number{beyond}, not {_shown(value)}")


def expect_limits(threads: object, memory: object, time: object, progress: object = None) -> None:
    """Raise ArgumentError unless what a solve may take, and who is told, is in order or None."""
    if progress is not None and not callable(progress):
        raise ArgumentError(
            f"a function that is told of progress is expected, not {_shown(progress)}"
        )
    if threads is not None:
        expect_whole(threads, "the number of threads", 1, MOST_THREADS)
    if memory is not None:
        expect_whole(memory, "the memory, in bytes,", 0)
    if time is not None and (not isinstance(time, Real) or math.isnan(time)):
        raise ArgumentError(f"the time, in seconds, must be a number, not {_shown(time)}")


def _shown(value: object) -> str:
    text = repr(value)
    return text if len(text) <= 60 else f"{text[:57]}..."
