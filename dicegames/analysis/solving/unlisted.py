"""What is known of a game whose turn is too large to be listed: bounds and estimates, and no model.

The states between turns are counted by declared ranges, and bound from above those that come up;
their values take so many bytes. A turn has more situations than those listed before it was given
up. So the time is an estimate for a part of the work, not for all of it.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain, islice, zip_longest

from attrs import frozen

from dicegames.analysis.solving.gridding import FEW, PARTS, UNFIT
from dicegames.compiler.compile import outline
from dicegames.compiler.effort import Listed
from dicegames.compiler.exploring.between import Between
from dicegames.rules.check import check
from dicegames.rules.parts.game import Rules
from dicegames.rules.parts.names import Option
from dicegames.solver.methods.method import OPERATION_SECONDS
from dicegames.solver.model import VALUE_BYTES

TRIED = 10
"""How many smaller house rules are looked at, in all."""
NEXT = 4
"""How many of the numbers just below the one that is set are looked at."""
RUNS = 300
"""How often the end of turns is run for each, to leave out what is over."""


@frozen
class Smaller:
    """A house rule with a smaller number, and how many states there are at most."""

    option: str
    value: int
    states: int


@frozen
class Unlisted:
    """The size of a game without a model.

    Of the values of all states: their `bytes`, an upper bound. `seconds`: of the processor, to
    look once at all that was listed of a turn, in each state; an estimate. They are None where the
    number of states is not known.
    """

    between: Between
    listed: Listed
    bytes: int | None
    seconds: int | None
    smaller: tuple[Smaller, ...]


def unlisted(game: Rules, objective: str, listed: Listed) -> Unlisted:
    """Return what is known of a game, of which so much was listed; raises ObjectiveError."""
    found = outline(game, objective)
    if found.states is None:
        return Unlisted(found, listed, None, None, ())
    numbers = found.states * found.numbers
    seconds = numbers * listed.edges // round(1 / OPERATION_SECONDS)
    smaller = () if found.states <= FEW else tuple(_smaller(game, objective))
    return Unlisted(found, listed, VALUE_BYTES * numbers, seconds, smaller)


def _smaller(game: Rules, objective: str) -> Iterator[Smaller]:
    """Find the largest number for each house rule with which there are few states."""
    options = [o for o in game.names.options.values() if type(o.value) is int]
    ways = [[(option, value) for value in _below(option)] for option in options]
    in_turn = chain.from_iterable(zip_longest(*ways))
    found = set[str]()
    for option, value in islice(filter(None, in_turn), TRIED):
        if option.name in found:
            continue
        try:
            other = check(game.source, {**game.option_values(), option.name: value}, thorough=False)
            states = outline(other, objective, RUNS).states
        except UNFIT:
            continue
        if states is not None and states <= FEW:
            found.add(option.name)
            yield Smaller(option.name, value, states)


def _below(option: Option) -> Iterator[int]:
    """Return smaller numbers for a house rule, the largest first: the next ones, and its parts."""
    assert isinstance(option.value, int)
    least = option.within[0] if option.within else option.value
    ways = {*range(option.value - NEXT, option.value), *(option.value // part for part in PARTS)}
    yield from sorted((v for v in ways if max(least, 1) <= v < option.value), reverse=True)
