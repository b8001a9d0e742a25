"""Which value of an option gives a game some number: one that is fair, or lasts so long.

Some values over the whole range are looked at first. Wherever the number crosses what is wanted
between two of them, the middle is looked at until they are neighbours; where it crosses nowhere,
the surroundings of the nearest one are. A number that turns back between two values that were
looked at may cross unseen: `complete` says whether all values were looked at.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from itertools import pairwise

from attrs import frozen

from dicegames.authoring.sweeps.statistics import Statistic, StatisticError
from dicegames.authoring.sweeps.sweep import Point, Sweeper
from dicegames.ground.arguments import OnProgress
from dicegames.rules.parts.game import Rules
from dicegames.rules.parts.types import Value
from dicegames.rules.reading.house_rules import OptionError

AT_FIRST = 9
"""Values that are looked at over the whole range; so few are all looked at."""
TARGET = re.compile(r"(.+?)=\s*([+-]?[0-9]+(?:\.[0-9]+)?(?:e[+-]?[0-9]{1,2})?)", re.IGNORECASE)


@frozen
class Target:
    """A number that a game shall have."""

    statistic: Statistic
    wanted: float

    @classmethod
    def parse(cls, text: str) -> Target:
        """Return the target that is written as "value of seat 1 = 0.5"; raises StatisticError."""
        found = TARGET.fullmatch(text.strip())
        if found is None:
            raise StatisticError(f'"{text}" is no target: write "value of seat 1 = 0.5"')
        statistic = Statistic.parse(found[1])
        return cls(Statistic(statistic.kind, statistic.seat or 1), float(found[2]))

    def __str__(self) -> str:
        return f"{self.statistic} = {self.wanted:g}"


@frozen
class FindResult:
    """What was looked at, by ascending value, with how much each lies above what is wanted.

    `crossings` are neighbouring values between which the number crosses it; `nearest` is the place
    in `points` of the value that comes closest.
    """

    option: str
    target: Target
    values: tuple[int, ...]
    points: tuple[Point, ...]
    above: tuple[float, ...]
    crossings: tuple[tuple[int, int], ...]
    complete: bool

    @property
    def nearest(self) -> int:
        """Return the place of the value that comes closest."""
        return min(range(len(self.above)), key=lambda place: abs(self.above[place]))


def candidates(rules: Rules, name: str) -> list[int]:
    """Return the values that an option may have; raises OptionError."""
    option = rules.names.options.get(name)
    if option is None:
        raise OptionError(f'the game has no option "{name}"')
    if option.within is not None:
        return list(option.within)
    return demand_numbers(name, option.values)


def demand_numbers(name: str, values: Sequence[Value]) -> list[int]:
    """Return values that are numbers, ascending; raises OptionError for others."""
    if any(type(value) is not int for value in values):
        raise OptionError(f'only numbers are searched, and the option "{name}" is a word')
    if len(values) < 2:
        raise OptionError(f"say among which values: --set {name}=0..100")
    return sorted(values)


def find_value(
    search: Sweeper,
    name: str,
    values: Sequence[int],
    fixed: Mapping[str, Value],
    target: Target,
    progress: OnProgress | None = None,
) -> FindResult:
    """Look for the values of an option (ascending) with which a game comes to a target.

    The search must ask for the statistic of the target. Values whose game has no such number are
    left out.
    """
    above: dict[int, float] = {}
    points: dict[int, Point] = {}
    last = len(values) - 1
    wanted = sorted({round(part * last / (AT_FIRST - 1)) for part in range(AT_FIRST)})
    wanted = list(range(len(values))) if last < 2 * AT_FIRST else wanted
    while wanted:
        report = None if progress is None else _shifted(progress, len(points))
        found = search.points([{**fixed, name: values[place]} for place in wanted], report)
        for place, point in zip(wanted, found, strict=True):
            points[place] = point
            number = point.numbers.get(str(target.statistic))
            if number is not None:
                above[place] = float(number) - target.wanted
        wanted = [place for place in _next(above) if place not in points]
    looked = sorted(above)
    crossings = [(values[a], values[b]) for a, b in _crossings(above)]
    return FindResult(
        name,
        target,
        tuple(values[place] for place in looked),
        tuple(points[place] for place in looked),
        tuple(above[place] for place in looked),
        tuple(crossings),
        len(above) == len(values),
    )


def _shifted(progress: OnProgress, before: int) -> OnProgress:
    return lambda done, total: progress(before + done, before + total)


def _crossings(above: Mapping[int, float]) -> list[tuple[int, int]]:
    """Return neighbouring places, of those looked at, between which the target is crossed."""
    return [
        (a, b)
        for a, b in pairwise(sorted(above))
        if (above[a] < 0 < above[b]) or (above[b] < 0 < above[a])
    ]


def _next(above: Mapping[int, float]) -> list[int]:
    """Return the places to look at next."""
    if not above or any(number == 0 for number in above.values()):
        return []
    gaps = _crossings(above)
    if not gaps:
        nearest = min(above, key=lambda place: abs(above[place]))
        gaps = [pair for pair in pairwise(sorted(above)) if nearest in pair]
    return [(a + b) // 2 for a, b in gaps if b - a > 1]
