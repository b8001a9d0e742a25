"""The ends of turns: on the way from node to node, or nodes of their own.

What is asked when a turn is over (has somebody won?) depends on all that the turn has changed.
Where a turn may change several counters by many amounts, each way there would need a table of its
own for the answer. As a node, at which the changes are settled, an end of turns needs one for all.
"""

from __future__ import annotations

from collections.abc import Iterator
from enum import Enum, auto
from math import prod

from attrs import define, field

from dicegames.compiler.open_values.tables import slots_of
from dicegames.rules.parts.broken import RuleBroken
from dicegames.rules.parts.flow import Environment, Expression, Test, reachable
from dicegames.rules.parts.game import Rules
from dicegames.rules.parts.unknown import NeedsValue, Unknown
from dicegames.rules.running.linear import open_values

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


# ---- with which round a game ends, whatever is played


MOST_ROUNDS_BOUND = 1000
"""More rounds than this bound nothing that could be listed."""


def most_rounds(game: Rules) -> int | None:
    """Return after how many rounds the game ends at the latest, None if it need not end."""
    round_, env = game.names.variables["round"].base, at_round_end(game)
    for end in ends_of(game):
        if round_ in end.reads:
            for env[round_] in range(1, MOST_ROUNDS_BOUND + 1):
                if is_certain(end, env):
                    return int(env[round_])
    return None


def at_round_end(game: Rules) -> Environment:
    """Return open values, at the end of the turn of the last player."""
    env = open_values(game)
    env[game.names.variables["seat"].base] = game.players - 1
    return env


def ends_of(game: Rules) -> Iterator[Expression]:
    """Yield the conditions with which the game ends, one after the other."""
    at = game.flow[game.end_turn]
    while isinstance(at, Test):
        yield at.condition
        at = game.flow[at.other]


def is_certain(condition: Expression, env: Environment) -> bool:
    """Tell whether a condition holds whatever is open: by one of its parts, if it is an "or"."""
    try:
        if condition.run(env) is True:
            return True
    except (NeedsValue, RuleBroken):
        pass  # a part that asks for dice, say
    return any(is_certain(part, env) for part in condition.alternatives)
