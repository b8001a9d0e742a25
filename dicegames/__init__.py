"""Dice games from their rules: checked, solved exactly and played.

    game = dicegames.load("NAME", players=2)
    solution = dicegames.solve(game)
    print(solution.value, solution.best(game.start().play("Roll")))

Names are imported when they are first used, so that `import dicegames` is quick.
"""

from __future__ import annotations

TYPE_CHECKING = False  # that of typing, which takes its time to load
if TYPE_CHECKING:
    from typing import Any

    from dicegames.analysis.chances.outcomes import OutcomeError
    from dicegames.analysis.saved.store import StoreError
    from dicegames.analysis.solution import Solution, SolutionError, UnknownPosition
    from dicegames.analysis.solving.reasons import Why
    from dicegames.analysis.studies.compare import compare
    from dicegames.analysis.studies.difference import difference
    from dicegames.analysis.studies.matches import play_matches
    from dicegames.analysis.studies.played_out import play_out
    from dicegames.analysis.to_win.win_games import play_to_win
    from dicegames.authoring.cards.card import card
    from dicegames.authoring.reports.report import report
    from dicegames.authoring.sweeps.sweep import sweep
    from dicegames.configuration import ConfigurationError
    from dicegames.ground.arguments import ArgumentError
    from dicegames.ground.diagnostic import RulesError
    from dicegames.ground.errors import DicegamesError
    from dicegames.ground.limits import LimitReached
    from dicegames.ground.reading import UnreadableFile
    from dicegames.ground.writing import UnwritableFile
    from dicegames.library import games
    from dicegames.loading import Game, load, solve
    from dicegames.rules.parts.value_text import PositionError
    from dicegames.rules.reading.house_rules import OptionError
    from dicegames.rules.running.legality import MoveError
    from dicegames.rules.running.objectives import ObjectiveError
    from dicegames.rules.running.playing import StrategyError
    from dicegames.rules.running.referee import Choice, Move, Outcome, Position

__version__ = "0.2.0"

__all__ = [
    "ArgumentError",
    "Choice",
    "ConfigurationError",
    "DicegamesError",
    "Game",
    "LimitReached",
    "Move",
    "MoveError",
    "ObjectiveError",
    "OptionError",
    "Outcome",
    "OutcomeError",
    "Position",
    "PositionError",
    "RulesError",
    "Solution",
    "SolutionError",
    "StoreError",
    "StrategyError",
    "UnknownPosition",
    "UnreadableFile",
    "UnwritableFile",
    "Why",
    "card",
    "compare",
    "difference",
    "games",
    "load",
    "play_matches",
    "play_out",
    "play_to_win",
    "report",
    "solve",
    "sweep",
]

_HOMES = {
    "ArgumentError": "ground.arguments",
    "Choice": "rules.running.referee",
    "ConfigurationError": "configuration",
    "DicegamesError": "ground.errors",
    "Game": "loading",
    "LimitReached": "ground.limits",
    "Move": "rules.running.referee",
    "MoveError": "rules.running.legality",
    "ObjectiveError": "rules.running.objectives",
    "OptionError": "rules.reading.house_rules",
    "Outcome": "rules.running.referee",
    "OutcomeError": "analysis.chances.outcomes",
    "Position": "rules.running.referee",
    "PositionError": "rules.parts.value_text",
    "RulesError": "ground.diagnostic",
    "Solution": "analysis.solution",
    "SolutionError": "analysis.solution",
    "StoreError": "analysis.saved.store",
    "StrategyError": "rules.running.playing",
    "UnknownPosition": "analysis.solving.position_values",
    "UnreadableFile": "ground.reading",
    "UnwritableFile": "ground.writing",
    "Why": "analysis.solving.reasons",
    "card": "authoring.cards.card",
    "compare": "analysis.studies.compare",
    "difference": "analysis.studies.difference",
    "games": "library",
    "load": "loading",
    "play_matches": "analysis.studies.matches",
    "play_out": "analysis.studies.played_out",
    "play_to_win": "analysis.to_win.win_games",
    "report": "authoring.reports.report",
    "solve": "loading",
    "sweep": "authoring.sweeps.sweep",
}


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from importlib import import_module  # noqa: PLC0415 - as above

    return getattr(import_module(f"{__name__}.{_HOMES[name]}"), name)


def __dir__() -> list[str]:
    return sorted([*globals(), *__all__])
