"""Counting the points of a turn, where a strategy plays for them (`best turn`)."""

from __future__ import annotations

from math import nan

from attrs import define

from dicegames.compiler.goal import Goal
from dicegames.rules.parts.broken import NotShown, RuleBroken
from dicegames.rules.parts.flow import Environment
from dicegames.rules.parts.types import Value

NO_POINTS = nan
"""The points of a turn where the rules break when they are counted."""


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
