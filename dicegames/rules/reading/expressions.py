"""All kinds of expressions of the language, put together."""

from __future__ import annotations

from dicegames.rules.parts.names import Names
from dicegames.rules.reading import arithmetic, boxes, collections, functions, logic, quantities
from dicegames.rules.reading.checker import Checker

HANDLERS = {
    **logic.HANDLERS,
    **arithmetic.HANDLERS,
    **collections.HANDLERS,
    **quantities.HANDLERS,
    **boxes.HANDLERS,
    **functions.HANDLERS,
}

__all__ = ["HANDLERS", "expressions"]


def expressions(names: Names) -> Checker:
    """Return a checker of expressions over what `names` declares."""
    return Checker(names, HANDLERS)
