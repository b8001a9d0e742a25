"""All kinds of expressions and of statements of the language, put together."""

from __future__ import annotations

from dicegames.rules.parts.names import Names
from dicegames.rules.reading import (
    arithmetic,
    boxes,
    changes,
    choosing,
    collections,
    course,
    functions,
    logic,
    quantities,
    throws,
)
from dicegames.rules.reading.builder import Builder
from dicegames.rules.reading.checker import Checker

HANDLERS = {
    **logic.HANDLERS,
    **arithmetic.HANDLERS,
    **collections.HANDLERS,
    **quantities.HANDLERS,
    **boxes.HANDLERS,
    **functions.HANDLERS,
}

STATEMENTS = {**changes.HANDLERS, **choosing.HANDLERS, **course.HANDLERS, **throws.HANDLERS}


def expressions(names: Names) -> Checker:
    """Return a checker of expressions over what `names` declares."""
    return Checker(names, HANDLERS)


def statements(checker: Checker) -> Builder:
    """Return a builder of a game's flow."""
    return Builder(checker, STATEMENTS)
