"""All kinds of statements of the language, put together."""

from __future__ import annotations

from dicegames.rules import changes, choosing, course, throws
from dicegames.rules.builder import Builder
from dicegames.rules.checker import Checker

HANDLERS = {**changes.HANDLERS, **choosing.HANDLERS, **course.HANDLERS, **throws.HANDLERS}


def statements(checker: Checker) -> Builder:
    """Return a builder of a game's flow."""
    return Builder(checker, HANDLERS)
