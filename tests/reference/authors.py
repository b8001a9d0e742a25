"""What authors ask of a game: cards to play by, tables over settings, what is state, how large."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterable, Iterator, Mapping
from fractions import Fraction
from functools import partial
from itertools import chain, product
from math import sqrt
from typing import Any

from dicegames.analysis.solution import Solution as Solved
from dicegames.authoring.cards.card import card
from dicegames.authoring.cards.words import TITLE
from dicegames.authoring.sweeps.sweep import Sweep, sweep
from dicegames.cli.commands import inspection
from dicegames.cli.solving import Solving
from dicegames.loading import Game
from dicegames.rules.parts.game import Rules
from dicegames.rules.parts.names import Option
from tests.reference.components import components
from tests.reference.course import Position
from tests.reference.distributions import distribution, of_results
from tests.reference.objectives import objective
from tests.reference.report import Report
from tests.reference.rulebook import Variable
from tests.reference.settlement import is_win
from tests.reference.setup import game
from tests.reference.solving import UNSOLVED, NoValue, Solution
from tests.reference.strategies import Strategy
from tests.reference.values import Value

LINES, TRIES = 3, 12
"""How long cards are, and how many are looked at: each that is shown is solved."""
VARIED = 2
"""How many options of a game have two values each."""
OF_DISTRIBUTION = ("sd", "min", "max", "mode", "win", "tie", "p5", "p50", "p87.5")


def hold_for_authors(
    report: Report, text: str, rules: Rules, ours: Solution, found: Solved
) -> None:
    """Compare what is told of a game whose value is right; the text is that of the reference."""
    _inspected(report, rules, ours, found)
    _swept(report, text, rules, ours.most)
    _carded(report, text, rules, ours)


# ---- cards


def _carded(report: Report, text: str, rules: Rules, ours: Solution) -> None:
    """Hold what each card on the front is worth, and how many decisions the best one meets."""
    found = report.asked("card", partial(card, rules, LINES, tries=TRIES))
    if found is None:
        return
    best = ours.value()[0]
    report.hold("card, best", best, found.best)
    for entry in found.front:
        course = game(f"{text}\n{entry.text}")
        strategy = Strategy(course.book.strategies[TITLE])
        play = dict.fromkeys(range(course.book.players), strategy)
        played = Solution(course, objective(course, "payoff"), play, ours.most)
        try:
            value = played.value()[0]
        except UNSOLVED:
            continue
        report.hold("card", (value, abs(best - value)), (entry.value, entry.loss))
        if entry is found.card and found.losses:
            lost = sum(each.loss for each in found.losses)
            report.hold("card, losses", abs(best - value), lost)
            try:
                met = _decisions(played)
            except NoValue:
                continue
            report.hold("card, decisions", met, sum(each.decisions for each in found.losses))


def _decisions(played: Solution) -> Fraction:
    """Return how often seat 1 has a choice, of one move perhaps; NoValue if that may recur."""
    known, course = dict[Position, Fraction](), played.course
    for position in played.values:  # those that are led to come first
        ways = played.ways[position]
        if all(way.to in known for way in ways):
            after = (way.probability * known[way.to] for way in ways)
            own = position.kind == "choice" and course.seat(position) == 0
            known[position] = Fraction(own) + sum(after, Fraction(0))
    if (start := course.start().to) not in known:
        raise NoValue
    return known[start]


# ---- tables over settings


def _swept(report: Report, text: str, rules: Rules, most: int) -> None:
    """Hold the numbers of all settings of few options, and the table of them."""
    varied = dict(list(map(_two_values, rules.names.options.values()))[-VARIED:])
    seats = range(1, 1 + max(varied.get("players", [rules.players])))
    asked = ["value", *(f"{name} of seat {seat}" for name in OF_DISTRIBUTION for seat in seats)]
    found: Sweep | None = report.asked("sweep", partial(sweep, rules, varied, statistics=asked))
    if found is None:
        return
    settings = [dict(zip(varied, each, strict=True)) for each in product(*varied.values())]
    for setting, point in zip(settings, found.points, strict=True):
        right = _numbers(text, {**rules.option_values(), **setting}, most)
        if point.problem:
            report.refused.append(("sweep", point.problem.splitlines()[0][:60]))
            continue
        for name, number in right.items():
            report.hold(f"sweep, {name.split()[0]}", number, point.numbers.get(name))
    rows = csv.DictReader(io.StringIO(found.table.to_csv()))
    told = [{n: "" if v is None else str(v) for n, v in r.items()} for r in found.table.to_dicts()]
    report.hold("sweep as CSV", told, list(rows))


def _two_values(option: Option) -> tuple[str, list[Any]]:
    """Return an option with its value, and another one if there is any."""
    value, others = option.value, list(option.values)
    if option.within is not None:
        others = [each for each in (value + 1, value - 1) if each in option.within]
    return option.name, [value, *(each for each in others if each != value)][:2]


def _numbers(text: str, options: Mapping[str, Value], most: int) -> dict[str, Any]:
    """Return the numbers of a setting, as far as they are known."""
    course = game(text, options)
    solution = Solution(course, objective(course, "payoff"), most=most)
    try:
        value = solution.value()
    except UNSOLVED:
        return {}
    players = range(1, course.book.players + 1)
    names = [f"value of seat {seat}" for seat in players] if len(value) > 1 else ["value"]
    found: dict[str, Any] = dict(zip(names, value, strict=False))
    if not solution.is_sure:
        return found
    try:
        spreads = [of_results(distribution(solution, seat - 1)) for seat in players]
    except NoValue:
        return found
    wins = is_win(course.view_of(course.start().to.cells))
    for seat, spread in zip(players, spreads, strict=True):
        told = _of_distribution(spread)
        if not wins:
            told |= {"win": None, "tie": None}
        found |= {f"{name} of seat {seat}": number for name, number in told.items()}
    return found


def _of_distribution(spread: dict[Fraction, Fraction]) -> dict[str, Any]:
    """Return the numbers of a distribution by their names."""
    mean = sum((value * p for value, p in spread.items()), Fraction(0))
    variance = sum(((value - mean) ** 2 * p for value, p in spread.items()), Fraction(0))
    likeliest = max(spread.values())
    shared = sum((p for value, p in spread.items() if 0 < value < 1), Fraction(0))
    return {
        "sd": sqrt(variance),
        "min": min(spread),
        "max": max(spread),
        "mode": min(value for value, p in spread.items() if p == likeliest),
        "win": spread.get(Fraction(1), Fraction(0)),
        "tie": shared,
        **{f"p{percent:g}": _percentile(spread, Fraction(percent)) for percent in (5, 50, 87.5)},
    }


def _percentile(spread: dict[Fraction, Fraction], percent: Fraction) -> Fraction:
    """Return the lowest value that is reached with at least this probability from below."""
    reached = Fraction(0)
    for value, p in sorted(spread.items()):
        reached += p
        if reached >= percent / 100:
            return value
    raise AssertionError(f"probabilities are {reached} in all")


# ---- what is state, and how large it is


def _inspected(report: Report, rules: Rules, ours: Solution, found: Solved) -> None:
    """Hold how many states there are, what variables come to, and whether play can come round."""
    answer = report.asked("inspect", lambda: inspection.run(Game(rules), None, Solving()))
    if answer is None:
        return
    told = answer.data
    if "errors" in told:
        report.refused.append(("inspect", told["errors"][0]["message"].splitlines()[0][:60]))
        return
    noted = any(found.compiled.happenings)  # what is noted is told apart
    if found.solved.method.startswith(told["form"]) and not noted:  # else another model settled
        report.hold("inspect, states", found.states_reachable, told["states_reachable"])
    if not told["cyclic"]:
        report.hold("inspect, cycles", False, _comes_round(ours))
    if rules.players > 1 and not found.compiled.goal.rotates:
        return  # one of them is solved, and others may go on when a player is done
    axes = {each["variable"]: each["range"] for each in told["roles"] if each["role"] == "axis"}
    between = list(_between(ours, axes))
    for name, said in axes.items():
        met = {value for each in between for value in each.get(name, ())}
        outside = sorted(v for v in met if type(v) is int and not _is_within(v, said))
        report.hold("inspect, ranges", (name, said, []), (name, said, outside))
    different = len({tuple(each.items()) for each in between})
    report.hold("inspect, stored", different, min(different, told["states_stored"]))


def _between(ours: Solution, names: Iterable[str]) -> Iterator[dict[str, tuple[Value, ...]]]:
    """Yield what lasting variables hold when a turn is over and play goes on, by seat."""
    course = ours.course
    every = course.book.variables
    lasting = [n for n in names if n == "used" or (n in every and every[n].scope != "this turn")]
    for way in (course.start(), *chain.from_iterable(ours.ways.values())):
        if way.turn_ends is None or way.to.kind == "over":
            continue
        # turns that are passed over are none between which the program keeps anything
        held = course.view_of((way.turn_ends, *way.passed)[-1]).cells
        yield {n: _by_seat(held[n], held["seat"], every.get(n)) for n in lasting}


def _by_seat(held: Value, seat: int, variable: Variable | None) -> tuple[Value, ...]:
    """Return what is held by each player, from the one to move on; what all share alone."""
    if variable is None or variable.scope.startswith("each"):
        return (*held[seat:], *held[:seat])
    return (held,)


def _is_within(value: int, said: str) -> bool:
    """Tell whether a number is one of a range in words."""
    numbers = re.fullmatch(r"(from )?(-?\d+)(?: to (-?\d+))?(?: in steps of (\d+))?", said)
    if not numbers:
        return True
    low, high, step = int(numbers[2]), int(numbers[3] or numbers[2]), int(numbers[4] or 1)
    return low <= value and (bool(numbers[1]) or value <= high) and (value - low) % step == 0


def _comes_round(ours: Solution) -> bool:
    """Tell whether some position may come up again."""
    index = {position: number for number, position in enumerate(ours.values)}
    targets = [[index[w.to] for w in ours.ways[p] if w.to in index] for p in index]
    return any(len(each) > 1 for each in components(targets))
