"""The ends of turns: on the way from node to node, or nodes of their own.

What is asked when a turn is over (has somebody won?) depends on all that the turn has changed.
Where a turn may change several counters by many amounts, each way there would need a table of its
own for the answer. As a node, at which the changes are settled, an end of turns needs one for all.
"""

from __future__ import annotations

from enum import Enum, auto
from math import prod

from attrs import define, field

from dicegames.compiler.open_values.tables import slots_of
from dicegames.rules.parts.flow import reachable
from dicegames.rules.parts.game import Rules
from dicegames.rules.parts.unknown import Unknown

MOST_END_ENTRIES = 1 << 20
"""Entries of all tables of what is asked at ends of turns before these become nodes."""


class Ends(Enum):
    """Where ends of turns are; if they are on the way, it may be counted what is asked there."""

    NODES = auto()
    COUNTED = auto()
    ON_THE_WAY = auto()


class ManyEnds(Exception):
    """What is asked at ends of turns needs large tables for many of them."""


@define
class AskedAtEnds:
    """The conditions that were met at ends of turns, if they are counted."""

    game: Rules
    ends: Ends
    entries: int = 0
    _between: set[int] = field(init=False)
    _met: set[Unknown] = field(factory=set)

    def __attrs_post_init__(self) -> None:
        game = self.game
        self._between = reachable(game.flow, game.end_turn, {game.turn}) - {game.turn}

    def meet(self, at: int, condition: Unknown) -> None:
        """Count a condition at an instruction; raise ManyEnds if tables are large together.

        Only ranges that are declared are counted: others are not known yet.
        """
        if self.ends is not Ends.COUNTED or at not in self._between or condition in self._met:
            return
        self._met.add(condition)
        read = [self.game.names.slots[slot] for slot in slots_of(condition)]
        sizes = [len(v.within) for v in read if v.within is not None]
        if len(sizes) == len(read):
            self.entries += prod(sizes)
        if self.entries > MOST_END_ENTRIES:
            raise ManyEnds
