"""Whole numbers as people write them, however many digits they give."""

from __future__ import annotations

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
