"""What is said of moves that are not legal."""

from __future__ import annotations

from collections.abc import Iterable

from dicegames.ground.diagnostic import named
from dicegames.ground.errors import DicegamesError

MOVES_NAMED = 6
"""Legal moves that are named in a message."""


class MoveError(DicegamesError, ValueError):
    """A move that is not legal, or a throw where there is none; the message says what there is."""

    misused = True


def legal_are(moves: Iterable[object]) -> str:
    """Return a list of the legal moves, or of the first of them; nothing if there are none."""
    names = named((f'"{move}"' for move in moves), MOVES_NAMED)
    return "legal are " * bool(names) + names
