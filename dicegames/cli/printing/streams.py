"""Standard input, output and errors, whatever they are connected to: closed, full, not UTF-8."""

from __future__ import annotations

import codecs
import os
import sys
import unicodedata
from contextlib import suppress
from io import TextIOWrapper

PLAIN_SIGNS = "dicegames.plain"
"""The name of the way in which signs are written that an encoding does not have."""
ASCII_SIGNS = str.maketrans(
    {
        **dict.fromkeys("█▉▊▋▌", "#"),
        **dict.fromkeys("▍▎▏", " "),
        **dict.fromkeys("╭╮╰╯┌┐└┘├┤┬┴┼", "+"),
        **dict.fromkeys("─━═", "-"),
        **dict.fromkeys("│┃║", "|"),
        "•": "*",
        "…": ".",
    }
)


class ClosedOutput(Exception):
    """There is no standard output to answer to."""


def prepare() -> None:
    """Make the standard streams fit to be used; raises ClosedOutput.

    Where one is closed, a file that is opened later would take its number: nothing takes it.
    """
    codecs.register_error(PLAIN_SIGNS, _plain)
    answers = sys.stdout is not None
    for number, name in enumerate(("stdin", "stdout", "stderr")):
        if getattr(sys, name) is None:
            setattr(sys, name, _nowhere(number))
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, TextIOWrapper):
            stream.reconfigure(errors=PLAIN_SIGNS)
    if isinstance(sys.stdin, TextIOWrapper):
        with suppress(ValueError):  # something has been read from it already
            sys.stdin.reconfigure(errors="replace")
    if not answers:
        raise ClosedOutput("standard output is closed: there is nowhere to answer to")


def give_up_output() -> None:
    """Keep the interpreter from complaining about standard output when it ends."""
    with suppress(OSError, ValueError):
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, sys.stdout.fileno())


def write_utf8(text: str) -> None:
    """Write text that is UTF-8 whatever the terminal speaks: rules, or what another tool reads."""
    if isinstance(sys.stdout, TextIOWrapper):
        sys.stdout.flush()
        sys.stdout.buffer.write(text.encode("utf-8", PLAIN_SIGNS))
    else:
        sys.stdout.write(text)


def can_say(text: str) -> bool:
    """Tell whether standard output has all signs of a text."""
    try:
        text.encode(sys.stdout.encoding or "ascii")
    except UnicodeEncodeError:
        return False
    return True


def _nowhere(number: int) -> TextIOWrapper:
    """Return a stream under the number of a closed one, from which nothing comes."""
    opened = os.open(os.devnull, os.O_RDWR)
    if opened != number:
        os.dup2(opened, number)
        os.close(opened)
    return open(number, "r" if number == 0 else "w", closefd=False)


def _plain(error: UnicodeError) -> tuple[str, int]:
    """Return plain signs for those that an encoding does not have: the handler of PLAIN_SIGNS."""
    if not isinstance(error, UnicodeEncodeError):
        raise error
    text = error.object[error.start : error.end].translate(ASCII_SIGNS)
    letters = unicodedata.normalize("NFKD", text)
    bare = (sign for sign in letters if not unicodedata.combining(sign))
    return "".join(sign if sign.isascii() else "?" for sign in bare), error.end
