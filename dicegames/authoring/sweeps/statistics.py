"""What a sweep asks: numbers of a solved game by their names, under which settings.

The numbers::

    value           what it is worth to each seat        value of seat 2
    mean            the same for seat 1
    sd, min, max    of the exact distribution            sd of seat 2
    mode, p5, p95   its likeliest value, percentiles
    win, tie        how likely a seat is to win alone, and to share the win
    error           by how much the value may be off
    states          how many states can come up
    seconds         how long solving took

Settings are all combinations of the values of some options::

    bonus=0..100:5      0, 5, 10, ... 100
    players=1,2         1 and 2
    misere=no           always this one
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from functools import cache, partial
from itertools import product
from math import prod
from typing import Any

from attrs import frozen

from dicegames.analysis.chances.distribution import Distribution
from dicegames.analysis.solution import Solution
from dicegames.ground.arguments import ArgumentError
from dicegames.ground.diagnostic import did_you_mean, folded
from dicegames.rules.reading.house_rules import OptionError

Number = float | int | None

OF_DISTRIBUTION: Mapping[str, Callable[[Distribution], Number]] = {
    "sd": lambda found: found.sd,
    "min": lambda found: found.minimum,
    "max": lambda found: found.maximum,
    "mode": lambda found: found.modes[0],
    "win": lambda found: found.probability(1.0),
    "tie": lambda found: found.shared,
}
OF_SOLVING: Mapping[str, Callable[[Solution], Number]] = {
    "error": lambda solution: solution.error_bound,
    "states": lambda solution: solution.states_reachable,
    "seconds": lambda solution: solution.seconds,
}
NAMES = ("value", "mean", *OF_DISTRIBUTION, "p5", "p95", *OF_SOLVING)
PERCENTILE = r"p[0-9]{1,2}(?:\.[0-9]{1,6})?"
WRITTEN = re.compile(
    rf"(?P<kind>[a-z]+|{PERCENTILE})(?: of (?:seat|player) (?P<seat>[0-9]{{1,2}}))?"
)


class StatisticError(ArgumentError):
    """A statistic that is not there, or makes no sense for a game; the message says why."""


@frozen
class Statistic:
    """A number that is asked for: what, and of which seat (from 1; None: none is named)."""

    kind: str
    seat: int | None = None

    @classmethod
    def parse(cls, text: str) -> Statistic:
        """Return the statistic that is written as "sd" or "value of seat 2"; StatisticError."""
        found = WRITTEN.fullmatch(folded(text))
        kind = found["kind"] if found else text
        if found is None or not (kind in NAMES or re.fullmatch(PERCENTILE, kind)):
            hint = did_you_mean(kind, NAMES) or f"there are: {', '.join(NAMES)}"
            raise StatisticError(f'there is no statistic "{text}"; {hint}')
        seat = None if found["seat"] is None else int(found["seat"])
        if seat is not None and kind in OF_SOLVING:
            raise StatisticError(f'"{kind}" is of the whole game, not of a seat')
        if seat == 0:
            raise StatisticError(f'"{text}": seats are counted from 1')
        return cls(kind, seat)

    def __str__(self) -> str:
        return self.kind if self.seat is None else f"{self.kind} of seat {self.seat}"


EACH_SEAT = Statistic("value")
"""What has a number for each seat where players have values of their own."""


def wins(solution: Solution) -> bool:
    """Tell whether what players get is whether they win."""
    return solution.game.payoff_is_win and solution.compiled.goal.objective.by_seat


def numbers(
    solution: Solution, statistics: tuple[Statistic, ...], threads: int | None = None
) -> dict[str, Number]:
    """Return the numbers of a solved game by name; `value` without a seat is one for each.

    Raises SolutionError where there is no exact distribution.
    """
    distribution = cache(partial(solution.distribution, threads=threads))
    found: dict[str, Number] = {}
    for statistic in statistics:
        asked: tuple[Statistic, ...] = (statistic,)
        if statistic == EACH_SEAT and solution.by_seat:
            asked = tuple(Statistic("value", seat + 1) for seat in range(solution.game.players))
        found |= {str(each): _number(solution, each, distribution) for each in asked}
    return found


def _number(
    solution: Solution, statistic: Statistic, distribution: Callable[[int], Distribution]
) -> Number:
    """Return a number, None where a seat is not there or a game has no such thing."""
    kind, seat = statistic.kind, statistic.seat or 1
    if kind in OF_SOLVING:
        return OF_SOLVING[kind](solution)
    if seat > solution.game.players or (kind in ("win", "tie") and not wins(solution)):
        return None
    if kind in ("value", "mean"):
        return solution.value_for(seat)
    if kind in OF_DISTRIBUTION:
        return OF_DISTRIBUTION[kind](distribution(seat))
    return distribution(seat).percentile(float(kind[1:]))


RANGE = re.compile(r"([+-]?[0-9]{1,18})\s*\.\.\s*([+-]?[0-9]{1,18})(?:\s*:\s*([0-9]{1,18}))?")
MOST_SETTINGS = 1_000_000


def values_of(name: str, wanted: Any) -> list[Any]:
    """Return the values of an option, given as text (`0..100:5`, `1,2`), as one or as several.

    Raises OptionError.
    """
    if isinstance(wanted, str):
        found = [value for part in wanted.split(",") for value in _part(name, part.strip())]
    elif isinstance(wanted, Iterable):
        found = list(wanted)
    else:
        found = [wanted]
    if not found:
        raise OptionError(f'no value of the option "{name}" is asked for')
    return list(dict.fromkeys(found))


def _part(name: str, text: str) -> Iterable[Any]:
    if not text:
        raise OptionError(f'a value of the option "{name}" is missing: write {name}=1,2,3')
    found = RANGE.fullmatch(text)
    if found is None:
        if ".." in text:
            raise OptionError(f'"{text}" is no range: write {name}=0..100 or {name}=0..100:5')
        return [text]
    first, last, step = int(found[1]), int(found[2]), int(found[3] or 1)
    if step == 0 or first > last:
        raise OptionError(f'"{text}" has no values: write the lower end first, and a step above 0')
    if (last - first) // step >= MOST_SETTINGS:
        raise OptionError(f'"{text}" has more than {MOST_SETTINGS:,} values; take a larger step')
    return range(first, last + 1, step)


def combinations(options: Mapping[str, Any]) -> tuple[list[str], list[dict[str, Any]]]:
    """Return the options that have several values, and all combinations, the last one fastest.

    Raises OptionError.
    """
    values = {name: values_of(name, wanted) for name, wanted in options.items()}
    count = prod(map(len, values.values()))
    if count > MOST_SETTINGS:
        raise OptionError(f"these are {count:,} settings; at most {MOST_SETTINGS:,} are tried")
    varied = [name for name, found in values.items() if len(found) > 1]
    return varied, [dict(zip(values, chosen, strict=True)) for chosen in product(*values.values())]
