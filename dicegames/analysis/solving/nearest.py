"""What can be done with a game of several players that is too large: what is told has been tried.

Tried is all but the solving itself: whether the model is found, and whether it fits.
"""

from __future__ import annotations

from dicegames.analysis.solving.gridding import BYTES, SECONDS, on_grid, widest_steps
from dicegames.analysis.solving.outlook import outlook, refusal
from dicegames.compiler.compile import compile_game
from dicegames.compiler.compiled import Compiled
from dicegames.compiler.form import GridForm
from dicegames.compiler.limits import PROGRAM_BYTES, LimitReached, Limits
from dicegames.rules.check import check
from dicegames.rules.parts.broken import RuleBroken
from dicegames.rules.parts.game import Game
from dicegames.rules.parts.types import Value
from dicegames.rules.reading.options import OptionError
from dicegames.rules.running.objectives import ObjectiveError
from dicegames.solver.explicit.explicit import BYTES_PER_STATE
from dicegames.solver.status import SolveError

SEARCH = 5.0
"""Seconds for finding smaller house rules."""
EACH_WAY = 30.0
"""Seconds for each of the other ways."""
FEW = 4_000_000
"""States that are listed and solved within a minute or two."""
PARTS = (2, 4, 8)
UNFIT = (LimitReached, ObjectiveError, OptionError, RuleBroken, SolveError)


def nearest(game: Game, memory: int | None = None) -> str:
    """Return what fits the memory (bytes) instead of a game, as the end of a sentence."""
    room = min(BYTES, memory or BYTES)
    ways = [_with_smaller(game, room), _with_two(game, room), _on_a_grid(game, room)]
    return f"; what fits: {', '.join(filter(None, ways))}" if any(ways) else ""


def _with_smaller(game: Game, room: int) -> str:
    """Find a number among the house rules with a part of which the states can be listed."""
    limits, most = Limits(SEARCH), min(FEW, (room - PROGRAM_BYTES) // BYTES_PER_STATE)
    for option in game.names.options.values():
        if option.name == "players" or type(option.value) is not int:
            continue
        for value in (option.value // part for part in PARTS):
            small = _compiled(game, {option.name: value}, limits) if value > 1 else None
            if small is not None and small.model.nodes * small.model.points <= most:
                return f"--set {option.name}={value}"
    return ""


def _with_two(game: Game, room: int) -> str:
    """Find out whether two players can be solved, if there are more."""
    if game.players <= 2 or "players" not in game.names.options:
        return ""
    two = _compiled(game, {"players": 2}, Limits(EACH_WAY))
    if two is None:
        return ""
    try:
        found = outlook(two, memory=room, time=EACH_WAY)
    except SolveError:
        return ""
    fits = found.reachable >= 0 and not refusal(two, found, room, SECONDS)
    return "--set players=2" if fits else ""


def _on_a_grid(game: Game, room: int) -> str:
    """Find the widest grid for what players count, if the turns can be played out on it."""
    slots = game.names.slots
    counted = [v.name for v in slots if v.scope == "player" and v.type.kind == "number"]
    try:
        compiled = compile_game(
            game, form=GridForm(names=frozenset(counted)), limits=Limits(EACH_WAY)
        )
        steps, found = widest_steps(compiled), on_grid(compiled)
    except UNFIT:
        return ""
    if not steps or found.memory > room or found.seconds > SECONDS:
        return ""
    told = " ".join(f"--grid {name}={step}" for name, step in steps.items())
    return f"solve {told} (an approximation, on which simulate plays as well)"


def _compiled(game: Game, settings: dict[str, Value], limits: Limits) -> Compiled | None:
    """Return a game with other house rules, compiled; None if that is not possible soon."""
    try:
        other = check(game.source, {**game.option_values(), **settings})
        return compile_game(other, limits=limits)
    except UNFIT:
        return None
