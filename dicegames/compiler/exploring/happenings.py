"""What the rules note along the way, what pays, and the points of a turn, where that is asked."""

from __future__ import annotations

from math import nan

from attrs import define

from dicegames.compiler.exploring.roles import Roles
from dicegames.compiler.goal import Goal
from dicegames.compiler.graph import Happening, Payment
from dicegames.rules.parts.broken import NotShown, RuleBroken
from dicegames.rules.parts.flow import Environment, Note, Set
from dicegames.rules.parts.game import Rules
from dicegames.rules.parts.types import Value
from dicegames.rules.parts.unknown import NeedsValue, Unknown
from dicegames.rules.running.effects import paid_for

THE_RESULT = "the result"
NO_POINTS = nan
"""The points of a turn where the rules break when they are counted."""


def happening(goal: Goal, note: Note, env: Environment) -> tuple[Happening, ...]:
    """Return what a note says: the words of the rules, and which row it is."""
    if not goal.noted:
        return ()
    if note.what is None:
        return ((note.label, note.label),)
    found = note.what.run(env)
    if isinstance(found, Unknown):
        raise NeedsValue(found)
    return ((noted_as(goal.game, note), found.row.label),)


def noted_as(game: Rules, note: Note) -> str:
    """Return the name of what a note tells."""
    return note.label if note.what is None else game.source.words(note.span).partition(" ")[2]


def payment(
    goal: Goal, roles: Roles, instruction: Set, slot: int, env: Environment
) -> tuple[Payment, ...]:
    """Return what an assignment to a slot that is reward pays to the player to move."""
    factor = roles.rewards.get(slot, (0,))[0]
    if not factor or instruction.addition is None:
        return ()
    what, amount = paid_for(goal.game, instruction, env)
    return (Payment(what, factor * amount),)


def at_the_end(goal: Goal, roles: Roles) -> str:
    """Return what the end of the game pays for: the variables that count only there, if any."""
    if not goal.linear:
        return "" if goal.per_turn else THE_RESULT
    if goal.objective.is_probability(goal.game):
        return THE_RESULT
    slots = goal.game.names.slots
    read = sorted(goal.linear[0].reads - set(roles.rewards))
    return ", ".join(dict.fromkeys(slots[slot].name for slot in read))


def plainly(payments: tuple[Payment, ...]) -> tuple[Payment, ...]:
    """Return payments for the same once, all amounts plain but that of the last one, which is None.

    What is not plain is one payment: of these only the sum is known.
    """
    found: dict[str, Value] = {}
    for each in payments:
        had = found.get(each.what, 0)
        both_plain = each.amount is not None and not isinstance(had + each.amount, Unknown)
        found[each.what] = had + each.amount if both_plain else None
    open_ = [what for what, amount in found.items() if amount is None]
    left = " and ".join(open_) or next(reversed(found), "")
    plain = [Payment(what, amount) for what, amount in found.items() if what not in (*open_, left)]
    return (*plain, Payment(left, None)) if left else ()


# ---- the points of a turn


@define
class PointCount:
    """Counts the points of turns that are over; `broken` is why some turns have none."""

    goal: Goal
    broken: RuleBroken | None = None

    def count(self, env: Environment) -> Value:
        """Return the points of a turn; 0 where nobody asks for them.

        Where the rules break by it, only moves that are chosen by these points must not lead there.
        """
        try:
            return sum((counted.run(env) for counted in self.goal.counted), 0)
        except NotShown:
            raise
        except RuleBroken as broken:
            self.broken = self.broken or broken
            return NO_POINTS
