"""What the rules note along the way, told apart where that is asked for."""

from __future__ import annotations

from dicegames.compiler.goal import Goal
from dicegames.compiler.graph import Happening
from dicegames.rules.parts.flow import Environment, Note
from dicegames.rules.parts.unknown import NeedsValue, Unknown


def happening(goal: Goal, note: Note, env: Environment) -> tuple[Happening, ...]:
    """Return what a note says: the words of the rules, and which row it is."""
    if not goal.noted:
        return ()
    if note.what is None:
        return ((note.label, note.label),)
    found = note.what.run(env)
    if isinstance(found, Unknown):
        raise NeedsValue(found)
    words = goal.game.source.text[note.span.start : note.span.end].split()
    return ((" ".join(words[1:]), found.row.label),)
