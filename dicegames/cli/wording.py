"""Values and house rules in words."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from dicegames.cli.output import number
from dicegames.loading import Game
from dicegames.rules.parts.game import Game as Rules
from dicegames.rules.running.playing import OPTIMAL

if TYPE_CHECKING:
    from dicegames.analysis.solution import Solution
    from dicegames.compiler.objective import Objective

LONGEST_PAYOFF = 30


def option_text(value: object) -> str:
    """Return the value of a house rule as one writes it."""
    if isinstance(value, bool):
        return "yes" if value else "no"
    return str(value)


def settings_text(game: Game) -> str:
    """Return the house rules in one line."""
    return ", ".join(f"{name} {option_text(value)}" for name, value in game.options.items())


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


def unit_of(goal: Objective) -> str:
    """Say what the values of an objective are."""
    good = "more is better" if goal.maximise else "less is better"
    if goal.name == "turns":
        return f"expected turns, {good}"
    if goal.name == "turn":
        return f"expected points of one turn, {good}"
    if goal.name == "average":
        return f"points of a turn in the long run, {good}"
    if goal.name == "reach":
        limit = "at least" if goal.at_least else "at most"
        return f"probability that it comes to {limit} {goal.aim.target}, {good}"
    if goal.game.payoff_is_win:
        return "probability to win, a tie shared" + (", less is better" * (not goal.maximise))
    return f"expected {_payoff(goal.game)}, {good}"


def _payoff(rules: Rules) -> str:
    """Return the payoff in the words of the rules, if they are few."""
    span = rules.payoffs[0].span
    words = " ".join(rules.source.text[span.start : span.end].split())
    return words if 0 < len(words) <= LONGEST_PAYOFF else "payoff"


def is_probability(solution: Solution) -> bool:
    """Tell whether values are probabilities."""
    kind = solution.compiled.goal.name
    return kind == "reach" or (kind == "payoff" and solution.game.payoff_is_win)


def value_lines(solution: Solution, value: float | tuple[float, ...], places: int) -> list[str]:
    """Return a value in words, one line for each seat."""
    values = value if isinstance(value, tuple) else (value,)
    shown = [number(v, places) for v in values]
    if is_probability(solution):
        shown = [f"{text}  ({v:.2%})" for text, v in zip(shown, values, strict=True)]
    if len(values) == 1:
        return shown
    return [f"player {seat}: {text}" for seat, text in enumerate(shown, 1)]


def grid_text(steps: Mapping[str, int]) -> str:
    """Return the steps of a grid: `total every 1,000`."""
    return ", ".join(f"{name} every {step:,}" for name, step in steps.items())
