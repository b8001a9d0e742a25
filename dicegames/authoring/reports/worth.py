"""What the rules are worth: the game without a box or a move, and with an option set otherwise."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from functools import partial
from typing import Any

import numpy as np
from attrs import evolve

from dicegames.analysis.solution import Solution, SolutionError
from dicegames.authoring.reports.listed_game import Play, TooManySteps, listed_game
from dicegames.authoring.reports.subject import ESTIMATED, EXACTLY, Section, Subject, told_apart
from dicegames.authoring.reports.watched import BestPlay, Course, Watch
from dicegames.ground.table import Cell, Table
from dicegames.rules.check import check
from dicegames.rules.parts.flow import Choose
from dicegames.rules.parts.game import Rules
from dicegames.rules.parts.types import Value
from dicegames.rules.parts.value_text import box_rows
from dicegames.rules.reading.house_rules import option_text
from dicegames.rules.running.referee import start, with_values
from dicegames.solver.status import SolveError


def worth(subject: Subject) -> Sequence[Section]:
    """Tell what the game is worth without a box, or without a move."""
    rows: list[tuple[Cell, ...]] = []
    for number, row in enumerate(box_rows(subject.rules.names)):
        slot = subject.rules.names.variables["used"].base
        position = with_values(start(subject.rules), {slot: 1 << number})
        find = partial(subject.solution.value_of, position)
        rows.append(_without(subject, "box", row.label, find))
    chooses = [i for i in subject.rules.flow if isinstance(i, Choose)]
    for name in dict.fromkeys(each.told for each in subject.rules.alternatives):
        if any(c.other < 0 and all(o.told == name for o in c.options) for c in chooses):
            continue  # nothing could be done without it
        rows.append(_without(subject, "move", name, partial(_forbidden, subject, name)))
    columns = ("what", "name", "value without it", "worth")
    table = Table("What each box and move is worth", columns, tuple(rows))
    told = "the solved model with the box used from the start, or without the move"
    told += "; a move that is never the only best one is worth 0"
    if subject.rules.players > 1:
        told += "; told for player 1, who alone lacks the box, while nobody has the move"
    return [Section("worth", EXACTLY, told, table)] if rows else []


def _without(subject: Subject, kind: str, name: str, find: Callable[[], Any]) -> tuple[Cell, ...]:
    with subject.noting(f'the value without the {kind} "{name}" is not known'):
        found = find()
        value = found[0] if isinstance(found, tuple) else found
        return (kind, name, value, subject.lost(value))
    return (kind, name, None, None)


def _forbidden(subject: Subject, name: str) -> Any:
    """Return what the game is worth without the moves of a name."""
    flow = [
        evolve(i, options=[o for o in i.options if o.told != name]) if isinstance(i, Choose) else i
        for i in subject.rules.flow
    ]
    return subject.solve(evolve(subject.rules, flow=flow)).value


def options(subject: Subject) -> Sequence[Section]:
    """Tell what changes where one option is set otherwise."""
    rows: list[tuple[Cell, ...]] = []
    for name, other in settings(subject.rules):
        shown = f"{name}={option_text(other)}"
        with subject.noting(f"{shown} is not known"):
            rows.append((shown, *_set_otherwise(subject, name, other)))
    if not rows:
        return []
    now = _half(subject, subject.solution)
    spread = subject.spreads[0].sd if subject.spreads else None
    rows.insert(0, ("as it is", subject.solution.value_for(), 0.0, spread, now))
    columns = ("set", "value", "change", "sd")
    table = Table("What an option changes", columns, tuple(row[:4] for row in rows))
    found = [Section("options", EXACTLY, "solved models", table)]
    if subject.goes_on:
        return found
    halves = tuple((row[0], row[4]) for row in rows)
    table = Table("When half of the variance is settled", ("set", "turn"), halves)
    if subject.plays:
        return [*found, Section("halves", EXACTLY, "all states, by best play", table)]
    told = f"{subject.games // 4 or 1} games each by best play, seed {subject.seed}"
    return [*found, Section("halves", ESTIMATED, told, table)]


def _set_otherwise(subject: Subject, name: str, other: Value) -> tuple[Cell, ...]:
    options = {**subject.rules.option_values(), name: other}
    solution = subject.solve(check(subject.rules.source, options, thorough=False))
    value = solution.value_for()
    try:
        spread = solution.distributions(threads=subject.threads)[0].sd
    except SolutionError:
        spread = None
    alike = solution.maximise == subject.solution.maximise  # else it counts something else
    change = value - subject.solution.value_for() if alike else None
    if change is not None:
        change = told_apart(change, solution, subject.solution)
    return (value, change, spread, _half(subject, solution))


def _half(subject: Subject, solution: Solution) -> int | None:
    """Return the turn by which half of the variance is settled, None if that is not known."""
    if subject.goes_on:
        return None
    if subject.plays:
        listed = listed_game(solution.game, solution.objective)
        shares = settled_exactly(None if listed is None else listed.best())
    else:
        watch = Watch.of(solution, BestPlay(solution), subject.seed)
        for _ in range(subject.games // 4 or 1):
            watch.play()
        course = Course.of(watch, solution)
        shares = np.array([course.settled(turn)[0] for turn in range(course.longest + 1)])
    if shares is None or not (shares >= 0.5).any():
        return None
    return int(np.argmax(shares >= 0.5))


def settled_exactly(play: Play | None) -> Any:
    """Return the share of the variance that is settled after each turn, None if it is not known.

    float64[turns + 1]
    """
    with suppress(TooManySteps, SolveError):
        return None if play is None or not len(play.settled) else play.settled
    return None


def settings(rules: Rules) -> Iterator[tuple[str, Value]]:
    """Give what each option may be set to instead: the other words; a neighbour of a number."""
    for option in rules.names.options.values():
        others = [value for value in option.values if value != option.value]
        if isinstance(option.value, int) and not isinstance(option.value, bool):
            near = (option.value - 1, option.value + 1)
            others = [value for value in near if value in (option.within or ())][:1]
        yield from ((option.name, other) for other in others if option.name != "players")
