"""Players who do not interact: each one's game seen as a game for one player."""

from __future__ import annotations

from dicegames.compiler.compiled import copy_values, project
from dicegames.rules.parts.flow import Set
from dicegames.rules.parts.game import Game
from dicegames.rules.running.referee import Position, run


def own_position(position: Position, single: Game, seat: int) -> Position:
    """Return how a position looks to one seat alone, as a position of the game for one player.

    The seat to move stands where play stands; another seat waits for its next turn, or has
    finished.
    """
    mover = position.seat
    if seat == mover or (position.is_over and not position.starts_turn):
        return project(position, single, seat)
    env = single.start()
    copy_values(position, env, single, seat, ("player", "table"))
    counter = single.names.variables["round"].base
    played = int(env[counter]) - (seat > mover)
    if played == 0 or not _counts(single, counter):
        return Position(single, single.turn, tuple(env), starts_turn=True)
    env[counter] = played
    return run(single, single.end_turn, env)


def _counts(game: Game, slot: int) -> bool:
    """Tell whether the rules count in a slot at the end of a turn."""
    return any(isinstance(i, Set) and i.slot == slot for i in game.flow)
