"""The base class of all that goes wrong for a user."""

from __future__ import annotations

from typing import ClassVar


class DicegamesError(Exception):
    """Something is not as it has to be; the message says what is wrong and what to do.

    `misused` tells whether what was asked is to blame, such as a name that is not there: the
    command line then ends with exit code 2 in place of 1.
    """

    misused: ClassVar[bool] = False


class TooFar(DicegamesError, LookupError):
    """A state whose value is not told: too much lies between it and the values that are kept."""
