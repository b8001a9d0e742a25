"""How the players stand: what lasts of a position by seat, their scores and ranks."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from fractions import Fraction

from attrs import frozen

from dicegames.rules.parts.broken import RuleBroken
from dicegames.rules.parts.game import Game
from dicegames.rules.parts.types import Value
from dicegames.rules.parts.value_text import box_rows
from dicegames.rules.running.fields import notation_of, slots_of, value_of
from dicegames.rules.running.referee import Move, Position


@frozen
class Entry:
    """A line of the score sheet: a name, and what each seat (or the table) has there."""

    name: str
    values: tuple[str, ...]


def lasting(position: Position) -> dict[Hashable, Value]:
    """Return what outlives a turn, by name, key and seat."""
    game, node = position.game, position
    found: dict[Hashable, Value] = {}
    for field in notation_of(game).lasting:
        variable = field.variable
        seats = range(game.players) if variable.scope == "player" else [0]
        for seat in seats:
            for number, slot in enumerate(slots_of(game, variable, node.seat, seat)):
                found[field.name, number, seat] = node.env[slot]
    return found


def sheet(position: Position) -> list[Entry]:
    """Return the score sheet without the boxes: what lasts, one line for each variable."""
    game = position.game
    entries = []
    for field in notation_of(game).lasting:
        if field.name in ("used", "seat", "round"):
            continue
        seats = range(game.players) if field.variable.scope == "player" else [0]
        shown = [value_of(position, field.variable, seat) for seat in seats]
        entries.append(Entry(field.name, tuple(shown)))
    return entries


def boxes(position: Position) -> list[tuple[str, tuple[bool, ...]]]:
    """Return every box with, for each seat, whether it is used."""
    game = position.game
    used = next((f.variable for f in notation_of(game).lasting if f.name == "used"), None)
    if used is None:
        return []
    seats = range(game.players if used.scope == "player" else 1)
    masks = [position.env[next(slots_of(game, used, position.seat, s))] for s in seats]
    return [
        (row.label, tuple(bool(mask >> bit & 1) for mask in masks))
        for bit, row in enumerate(box_rows(game.names))
    ]


def scores(position: Position) -> tuple[Fraction, ...] | None:
    """Return by seat what counts for the ranking, or what the payoff is if play ended here.

    None where the rules give no such number before the end.
    """
    game = position.game
    env = list(position.env)
    mover, players = position.seat, game.players
    try:
        if game.standings:
            found = [Fraction(expression.run(env)) for expression in game.standings]
        else:
            found = [Fraction(game.payoff(env, seat)) for seat in range(players)]
    except (RuleBroken, TypeError, ValueError, ZeroDivisionError):
        return None
    return tuple(found[(seat - mover) % players] for seat in range(players))


def gains(position: Position, moves: Sequence[Move]) -> dict[str, str]:
    """Return what moves that end the turn add to the score, such as `+8`; none if all the same."""
    before, seat = scores(position.node), position.node.seat
    found: dict[str, str] = {}
    if before is None:
        return found
    for move in moves:
        after = position.after(move)
        now = scores(after) if after.starts_turn or after.is_over else None
        if now is not None:
            change = now[seat] - before[seat]
            found[move.label] = f"{'+' if change >= 0 else ''}{change}"
    return found if len(set(found.values())) > 1 or len(found) < len(moves) else {}


def rank(game: Game, standing: tuple[Fraction, ...], seat: int) -> int:
    """Return the rank of a seat, 1 for the best; equal scores share the better rank."""
    own = standing[seat]
    highest = game.highest_wins if game.standings else game.maximise
    return 1 + sum(score > own if highest else score < own for score in standing)
