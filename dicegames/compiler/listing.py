"""Positions that are listed in place of tables, while tables turn out to be much work.

Few positions are listed in no time, and then it costs less than many conditions, or the search for
the ranges of counters. How many would be few is seen only when they are listed: so that is tried,
once what tables cost has grown, and is given up where there are more than would be worth it.
"""

from __future__ import annotations

from collections.abc import Callable

from attrs import define, evolve

from dicegames.compiler.compiled import Compiled
from dicegames.compiler.effort import Budget, Effort, Listed
from dicegames.compiler.goal import FarTooMany, TooMany
from dicegames.ground.errors import DicegamesError
from dicegames.ground.limits import LimitReached
from dicegames.rules.parts.broken import NotShown, RuleBroken
from dicegames.rules.parts.unknown import nothing_known

MOST_CONDITIONS = 4_000
"""With more conditions to be looked at together it may be less work to list all positions."""
MOST_GROWTH = 1_000_000
"""The same for values that are looked at while ranges grow."""
POINTS = 800
"""So many points, if the values were kept in tables over all of them, are as much work as one."""
POINTS_A_POSITION = 7_500
"""In tables so many points cost what it costs to list one position."""
MOST_POSITIONS = 24_000
"""How many are listed to find out whether there are few."""
FEW_POSITIONS = 6_000
"""The same where it is only for large tables, which are made in a few seconds, unless they are
worth more; and where turns are wide, and there are more states between them than tables hold."""
VERY_FEW_POSITIONS = 1_000
"""The same where it is only for the search for ranges, which comes to an end in a few seconds."""
WAYS_FOLLOWED = 120_000
"""Outcomes of throws, and moves, that are followed to find out whether positions are few."""
WAYS_OF_VERY_FEW = 40_000


class ListedInstead(Exception):
    """Positions were listed in place of what was being compiled; or there is an error in it."""

    def __init__(self, found: Compiled | DicegamesError):
        self.found = found
        super().__init__()

    def outcome(self) -> Compiled:
        """Return what was compiled, or raise the error."""
        if isinstance(self.found, DicegamesError):
            raise self.found from None
        return self.found


@define
class Listings:
    """Lists positions in place of tables; `make` does it with an effort."""

    effort: Effort
    make: Callable[[Effort], Compiled]
    in_vain: int = 0
    """So many positions were found to be too few."""

    def tables(self) -> Effort:
        """Return the effort for tables, in the course of which positions are listed."""
        work = Budget(MOST_CONDITIONS, beyond=self._for_conditions)
        growth = Budget(MOST_GROWTH, beyond=self._for_ranges)
        return evolve(self.effort, work=work, growth=growth)

    def in_place_of(self, refused: NotShown | TooMany) -> Compiled:
        """Return the positions of a game that is refused as tables; else raise that."""
        nodes: int | None = FEW_POSITIONS if isinstance(refused, FarTooMany) else self._most
        if self.effort.time is not None and not self.effort.soon:
            nodes = None  # the time tells
        if nodes is not None and nodes <= self.in_vain:
            raise refused
        try:
            return self._listed(nodes, None if nodes is None else WAYS_FOLLOWED)
        except LimitReached:
            raise refused from None
        except RuleBroken as broken:  # known now, if it is what could not be excluded
            same = isinstance(refused, RuleBroken) and refused.code == broken.code
            raise (broken if same else refused) from None

    @property
    def _most(self) -> int:
        return FEW_POSITIONS if self.effort.soon else MOST_POSITIONS

    def _listed(self, nodes: int | None, ways: int | None) -> Compiled:
        # positions are no situations of a turn: they are counted apart
        return self.make(evolve(self.effort, nodes=nodes, ways=ways, listed=Listed()))

    def _for_ranges(self, amount: float, *, large: bool) -> None:
        """List positions while ranges grow: only if there are very few."""
        del amount, large
        self._instead(VERY_FEW_POSITIONS, WAYS_OF_VERY_FEW)

    def _for_conditions(self, tables: float, *, large: bool) -> None:
        """List positions where there are many conditions, or tables are large."""
        nodes, soon = self._most, self.effort.soon
        if large and not soon:
            worth = max(FEW_POSITIONS, int(tables) * POINTS // POINTS_A_POSITION)
            nodes = min(worth, MOST_POSITIONS)
        self._instead(nodes, WAYS_FOLLOWED)
        if soon:
            raise ListedInstead(LimitReached("solving takes longer to be prepared"))

    def _instead(self, nodes: int, ways: int) -> None:
        """Raise ListedInstead if there are no more positions; else go on with tables."""
        if nodes <= self.in_vain:
            return
        try:
            with nothing_known():
                found: Compiled | DicegamesError = self._listed(nodes, ways)
        except (NotShown, TooMany):
            self.in_vain = nodes
            return
        except DicegamesError as error:
            found = error
        raise ListedInstead(found)
