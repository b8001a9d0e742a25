"""Values and house rules in words."""

from __future__ import annotations

from collections.abc import Mapping
from math import isnan
from typing import TYPE_CHECKING

from dicegames.cli.printing.output import FEWEST_DECIMALS, counted, number, small
from dicegames.ground.numbers import percent
from dicegames.rules.reading.house_rules import option_text
from dicegames.rules.running.playing import OPTIMAL
from dicegames.solver.status import Status

if TYPE_CHECKING:
    from dicegames.analysis.solution import Solution
    from dicegames.compiler.goal import Goal
    from dicegames.solver.solved import Solved


def settings_text(options: Mapping[str, object]) -> str:
    """Return house rules in one line."""
    return ", ".join(f"{name} {option_text(value)}" for name, value in options.items())


def players_text(solution: Solution) -> str:
    """Say which strategies play, nothing if none does."""
    names = solution.strategies
    if set(names) == {OPTIMAL}:
        return ""
    if len(set(names)) == 1:
        return names[0]
    return ", ".join(f"player {seat}: {name}" for seat, name in enumerate(names, 1))


def unit(solution: Solution) -> str:
    """Say what values are: what is expected, and whether much or little of it is good."""
    return unit_of(solution.compiled.goal)


def unit_of(goal: Goal) -> str:
    """Say what the values of a goal are."""
    said = goal.objective.unit(goal.game)
    if goal.game.payoff_is_win and goal.objective.by_seat:  # more is better, as everybody knows
        return said if goal.maximise else f"{said}, less is better"
    return f"{said}, {'more' if goal.maximise else 'less'} is better"


def is_probability(solution: Solution) -> bool:
    """Tell whether values are probabilities."""
    return solution.compiled.goal.objective.is_probability(solution.game)


def rounds_rows(solution: Solution, here: str = "") -> list[tuple[str, str]]:
    """Say where best play goes by how often it has come back to a position: nothing if nowhere.

    `here` says what is done about it.
    """
    if not (count := solution.solved.counting):
        return []
    told = f"in {counted(count, 'position')} best play goes by how often it has come back there; "
    told += f"values differ by up to {small(solution.solved.residual)} with that"
    return [("rounds", told), *([("", here)] if here else [])]


def what_is_known(solution: Solution) -> list[tuple[str, str]]:
    """Say how good values are for which no bound is proven: on a grid, of three players or more."""
    solved = solution.solved
    gained = "the most that a player could gain by departing alone"
    gains = [("gains", f"{small(max(solved.gains))}: {gained}")] if solved.gains else []
    if solved.status is Status.APPROXIMATE:
        told = f"not bounded, the grid is an approximation: {_compared(solved)}"
        rows = [("error", told), ("residual", small(solved.residual))]
        return [*rows, *gains, *rounds_rows(solution)]
    left = f"{small(solution.error_bound)}: what one more sweep would change"
    return [("residual", left), *gains, *rounds_rows(solution)]


def _compared(solved: Solved) -> str:
    """Say what a grid of twice the step finds, which may not have been worked out."""
    if isnan(solved.estimate):
        return "only one grid was worked out, and there is none to compare it with"
    start, most = small(solved.estimate), small(solved.estimate_anywhere)
    return f"twice the step changes this by {start}, no start of a turn by more than {most}"


def what_is_open(solution: Solution) -> list[tuple[str, str]]:
    """Say the same where the digits that are printed of a value may not hold; else nothing."""
    status, printed = solution.solved.status, 10.0**-FEWEST_DECIMALS
    unsettled = status is Status.RESIDUAL and solution.error_bound > printed
    return what_is_known(solution) if unsettled or status is Status.APPROXIMATE else []


def value_lines(
    solution: Solution, value: float | tuple[float, ...], places: int = FEWEST_DECIMALS
) -> list[str]:
    """Return a value in words, one line for each seat."""
    values = value if isinstance(value, tuple) else (value,)
    shown = [number(v, places) for v in values]
    if is_probability(solution):
        shown = [f"{text}  ({percent(v)})" for text, v in zip(shown, values, strict=True)]
    if len(values) == 1:
        return shown
    return [f"player {seat}: {text}" for seat, text in enumerate(shown, 1)]


def grid_text(steps: Mapping[str, int]) -> str:
    """Return the steps of a grid: `total every 1,000`."""
    return ", ".join(f"{name} every {step:,}" for name, step in steps.items())
