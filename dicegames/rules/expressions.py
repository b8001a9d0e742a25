"""All kinds of expressions of the language, put together."""

from __future__ import annotations

from dicegames.rules import arithmetic, boxes, collections, functions, logic, quantities
from dicegames.rules.checker import Checker
from dicegames.rules.names import Names

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
