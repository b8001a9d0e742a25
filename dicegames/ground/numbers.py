"""Numbers as people write them, however many digits they give; and the mean of many."""

from __future__ import annotations

import re
from collections.abc import Sequence
from decimal import Decimal
from math import nan, sqrt
from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:  # it takes its time to load
    import numpy as np
    from numpy.typing import NDArray

Of = TypeVar("Of")
NUMBER_WORDS = ["no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten"]
"""Words for numbers, each at its place."""
LONGEST_NUMBER = 18
"""Digits of a number that is read; longer ones are more than a game can mean."""


def whole_number(text: str, digits: int = LONGEST_NUMBER) -> int | None:
    """Return the number that a text is, from 0 up; None if it is none, or has too many digits."""
    if text.isascii() and text.isdigit() and len(text) <= digits:
        return int(text)
    return None


def signed_number(text: str, digits: int = LONGEST_NUMBER) -> int | None:
    """Return the same with a sign before it, or without one."""
    number = whole_number(text[text[:1] in ("-", "+") :], digits)
    return -number if number is not None and text.startswith("-") else number


def turned(values: Sequence[Of], by: int) -> tuple[Of, ...]:
    """Return values by seat as they are `by` seats on: those of that seat come first."""
    shift = by % len(values)
    return (*values[shift:], *values[:shift])


def mean_and_error(values: NDArray[np.float64]) -> tuple[float, float]:
    """Return the mean of what was drawn, and its standard error: nan for a single number."""
    error = float(values.std(ddof=1)) / sqrt(len(values)) if len(values) > 1 else nan
    return float(values.mean()), error


def percent(share: float, places: int | None = 2) -> str:
    """Return a share for people, `25.91%`, without `places` with as many as it needs."""
    return f"{100 * share:g}%" if places is None else f"{share:z.{places}%}"


AMOUNT = r"[0-9]{1,18}(?:\.[0-9]{1,18})?"
UNITS = {"": 1, "B": 1}
UNITS |= {f"{p}B": 1000**n for n, p in enumerate("KMGT", 1)}
UNITS |= {f"{p}IB": 1024**n for n, p in enumerate("KMGT", 1)}
UNITS |= {p: 1024**n for n, p in enumerate("KMGT", 1)}


def amount_of_bytes(text: str) -> int | None:
    """Return the number of bytes that a text is: `2GB`, `500MB`, `1.5 GiB`; None if it is none."""
    found = re.fullmatch(rf"({AMOUNT})\s*([A-Za-z]*)", text.strip())
    if found is None or found[2].upper() not in UNITS:
        return None
    return int(float(found[1]) * UNITS[found[2].upper()])


COUNTED = 10**15
"""Numbers from here on are told in powers of ten."""


def many(count: int) -> str:
    """Return a count that may have hundreds of digits."""
    return f"{count:,}" if count < COUNTED else f"{Decimal(count):.2g}"


def bytes_text(count: float) -> str:
    """Return an amount of memory for people."""
    if count >= COUNTED:
        return f"{many(int(count) // 10**9)} GB"
    if count >= 1e9:
        return f"{count / 1e9:,.1f} GB"
    if count >= 1e6:
        return f"{count / 1e6:.0f} MB"
    return f"{count / 1e3:.0f} kB" if count >= 1e3 else f"{count:.0f} bytes"
