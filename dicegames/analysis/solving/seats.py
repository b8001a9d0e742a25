"""Players who do not interact: each one's game seen as a game for one player."""

from __future__ import annotations

from dicegames.rules.parts.flow import Set
from dicegames.rules.parts.game import Game
from dicegames.rules.running.notation import field_names, parse_position
from dicegames.rules.running.referee import Position, run


def own_position(position: Position, single: Game, seat: int) -> Position:
    """Return how a position looks to one seat alone, as a position of the game for one player.

    The seat to move stands where play stands; another seat waits for its next turn, or has
    finished.
    """
    game = position.game
    mover = position.seat
    if seat == mover or (position.is_over and not position.starts_turn):
        return parse_position(single, _own_text(position, single, seat, whole=True))
    waiting = parse_position(single, _own_text(position, single, seat, whole=False))
    played = int(position.env[game.names.variables["round"].base]) - (seat > mover)
    env = list(waiting.env)
    counter = single.names.variables["round"].base
    if played == 0 or not _counts(single, counter):
        return waiting
    env[counter] = played
    return run(single, single.end_turn, env)


def _own_text(position: Position, single: Game, seat: int, *, whole: bool) -> str:
    """Return the text of a position with one seat's part of each field of the players.

    What one player's game never asks for (the round, where only a settlement does) is left out.
    """
    game = position.game
    counted = {"seat"} if "round" in field_names(single) else {"seat", "round"}
    players = {v.name for v in game.names.slots if v.scope == "player"}
    table = {v.name for v in game.names.slots if v.scope == "table"}
    kept = []
    for part in str(position).split(" | "):
        name, _, value = part.partition(" ")
        if name in players:
            kept.append(f"{name} {value.split(' / ')[seat]}")
        elif name not in counted and (whole or name in table):
            kept.append(part)
    return " | ".join(kept)


def _counts(game: Game, slot: int) -> bool:
    """Tell whether the rules count in a slot at the end of a turn."""
    return any(isinstance(i, Set) and i.slot == slot for i in game.flow)
