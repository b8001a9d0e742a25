"""All kinds of statements of the language, put together."""

from __future__ import annotations

from dicegames.rules.reading import changes, choosing, course, throws
from dicegames.rules.reading.builder import Builder
from dicegames.rules.reading.checker import Checker

HANDLERS = {**changes.HANDLERS, **choosing.HANDLERS, **course.HANDLERS, **throws.HANDLERS}


def statements(checker: Checker) -> Builder:
    """Return a builder of a game's flow."""
    return Builder(checker, HANDLERS)
